"""The table of an address's fields: what is written is read, and what cannot be read is said in a sentence."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from bender_core.trying.change import Fork
from pages._shared.app import field_types, fields
from pages._shared.app.field_types import LONGEST, LONGEST_WORD, LinkError
from pages._shared.app.fields import EDGE, FIELDS, LOOKS, MADE, WATCH, Field, of_page, passed_over
from pages._shared.app.frontend import FRONTEND
from pages._shared.app.session import FIRST, linked, sample
from pages._shared.forks.beside import begin_named
from tests.app.pages.test_pages import ROOT, complaints, go, lab, ran
from tests.labs import take_model
from tests.models import examples
from tests.unit.trying.test_change import changes

TEXT = st.text(min_size=1, max_size=LONGEST_WORD)
NUMBERS = st.integers(-(10**15) + 1, 10**15 - 1)
POSITIONS = st.integers(0, 10**15 - 1)
REALS = st.floats(allow_nan=False, allow_infinity=False)
# The values of every type but those that are patterns.
VALUES: dict[int, st.SearchStrategy[Any]] = {
    id(field_types.WORD): TEXT,
    id(field_types.LONG_WORD): st.text(min_size=1, max_size=200),
    id(field_types.WHOLE): NUMBERS,
    id(field_types.POSITION): POSITIONS,
    id(field_types.REAL): REALS,
    id(field_types.TRUTH): st.booleans(),
    id(field_types.OWNERS): st.lists(st.integers(0, 4000), min_size=1, max_size=300).map(tuple),
    id(field_types.CHANGES): st.lists(st.builds(Fork, POSITIONS, changes()), min_size=1, max_size=3).map(tuple),
    id(field_types.WORDS): st.lists(st.from_regex(r"[a-z\d ]+", fullmatch=True), min_size=1, max_size=20).map(tuple),
    id(field_types.CHOSEN): st.lists(st.from_regex(r"[a-z\d -]+", fullmatch=True), max_size=12)
    .filter(lambda words: words != ["none"])
    .map(tuple),
    id(field_types.CHOSEN_NUMBERS): st.lists(st.integers(0, 99), max_size=30).map(tuple),
    id(field_types.BITS): st.lists(st.integers(0, 1), min_size=1, max_size=30).map(tuple),
    id(field_types.REALS): st.lists(REALS, min_size=1, max_size=6).map(tuple),
    id(field_types.SHORT_COUNT): st.integers(0, 10**9 - 1),
    id(field_types.ON): st.just(True),
}
EVERY: list[Field[Any]] = [
    *FIELDS.values(),
    *(field for family in MADE.values() for field in family.values() if field is not FIELDS[field.name]),
]


def values(field: Field[Any]) -> st.SearchStrategy[Any]:
    """The values of a field."""
    known = VALUES.get(id(field.kind))
    if known is not None:
        return known
    return st.from_regex(field.kind.pattern, fullmatch=True).filter(lambda text: len(text) <= LONGEST_WORD)


@settings(max_examples=examples(400), deadline=None)
@given(st.sampled_from(EVERY).flatmap(lambda field: st.tuples(st.just(field), values(field))))
def test_what_is_written_into_an_address_is_read_out_of_it(said: tuple[Field[Any], Any]) -> None:
    field, value = said
    assert field.read(field.write(value)) == value
    address = dict(parse_qsl(urlencode(field.say(value))))
    assert list(address) == [field.name]
    assert field.of(address, None) == value
    # So the browser takes it, too.
    assert not field.kind.pattern or re.fullmatch(field.kind.pattern, address[field.name])


@pytest.mark.parametrize("text", ["1" * (LONGEST - 1) + "x", "1." * (LONGEST // 2), "1_" * (LONGEST // 2)])
def test_a_long_text_is_refused_in_a_short_sentence_and_in_work_linear_in_its_length(text: str) -> None:
    def too_long(*_: object) -> None:
        raise AssertionError("two seconds of processor time: the work grows with the square of the length")

    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, 2.0)
    try:
        for field in FIELDS.values():
            with suppress(LinkError):
                field.read(text)
        sentences = [sentence for name in FIELDS for sentence in passed_over(WATCH, {name: text})]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
    assert sentences
    assert max(map(len, sentences)) < 400


JUNK = st.one_of(
    st.text(max_size=80),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(
        ["", "-", "1e400", "1_0", "+5", " 5", "\u0665", "True", "2", "<b>", "\x00", "1\n", ",,", "0" * 6001]
    ),
)


@settings(max_examples=examples(400), deadline=None)
@given(st.sampled_from(EVERY), JUNK)
@example(FIELDS["view"], "hyper\n")
@example(FIELDS["y"], "01\n")
def test_any_text_is_a_value_or_is_refused_in_a_sentence(field: Field[Any], text: str) -> None:
    sentence = ""
    try:
        value = field.read(text)
        assert field.read(field.write(value)) == value
    except LinkError as error:
        sentence = error.sentence
    assert re.fullmatch(r"|This link [^\n]{10,300}\.", sentence)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("M", "many", "This link is wrong: M is 'many', which is not a whole number of up to 15 digits."),
        ("at", "-3", "This link shows event -3; events are counted from 0."),
        (
            "groups",
            "0-x",
            "This link puts 2 variables into groups, variable 1 into 'x', which is not a whole number of",
        ),
        ("forks", "5.murge", "This link is wrong: 'murge' is no change of a run; "),
        ("order", "best", "This link orders classes by 'best'; the orders are cost, nu, slack."),
        ("y", "012", "This link shows the class '012'; a class has values that are 0 or 1."),
        ("view", "x", "This link shows 'x'; the views are hyper, both, variables, answer."),
        ("variants", "4_x", "This link races the variants '4_x', which is not whole numbers with _ between, or none."),
        ("zoom", "1_", "This link is wrong: its zoom is '1_', which is not one or more numbers with _ between."),
        ("list", "yes", "This link is wrong: its list is 'yes'; it is 1 or left out."),
        ("lesson", "x" * 61, "This link is wrong: its 'lesson' has 61 characters, more than 60."),
        ("torus", "yes", "This link is wrong: Torus (periodic) is 'yes'; it must be true or false."),
    ],
)
def test_what_cannot_be_read_is_said(name: str, text: str, sentence: str) -> None:
    with pytest.raises(LinkError) as caught:
        FIELDS[name].of({name: text}, None)
    assert caught.value.sentence.startswith(sentence)


def test_a_field_that_is_empty_is_not_said() -> None:
    assert [field.name for field in EVERY if field.of({field.name: ""}, "as usual") != "as usual"] == []


def test_names_are_unique_and_pages_are_those_of_the_app() -> None:
    """A family's parameter could not be told from another field of its name."""
    own = [field.name for field in vars(fields).values() if isinstance(field, Field)]
    own += [look.name for look in LOOKS if look is not fields.CLASS]
    made = {name for family in MADE.values() for name in family}
    assert len(own) == len(set(own))
    assert not made & set(own)
    assert FIELDS.keys() == made | set(own)
    there = {path.stem for path in (ROOT / "pages").glob("*.py")} - {"__init__"}
    assert set(fields.PAGES) == there
    assert {page for field in EVERY for page in field.pages} == there | {fields.EMBEDDED}


# -- what nothing reads ---------------------------------------------------------------------------------------


def test_what_is_passed_over_is_said_once_for_all_names_and_once_for_every_look() -> None:
    assert passed_over(WATCH, FIRST | {"view": "both", "at": "x", "lesson": "row"}) == []
    unknown = {"utm_source": "1", "b": "2", "<b>": "", "c" * 100: "", "e": ""}
    assert passed_over(WATCH, unknown | {"axis": "y", "chapter": "last"}) == [
        "This link contains 'utm_source', 'b', '<b>' and 2 more, which mean nothing here.",
        "This link is wrong: the chapter is 'last', which is not a whole number of up to 15 digits.",
        "This link is wrong: its axis is 'y'; the axes are rounds, events, sweeps.",
    ]
    # Another page has no looks.
    assert passed_over(EDGE, {"axis": "y"}) == []


def test_a_link_opens_and_says_what_of_it_is_passed_over() -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update(FIRST | {"sample": "tiny", "M": "3", "at": "2", "vew": "both", "view": "x"})
    ran(test.run())
    mine = lab(test)
    mine.run.work.thread.join()
    assert complaints(ran(test.run())) == [
        "This link contains 'vew', which means nothing here. "
        "This link shows 'x'; the views are hyper, both, variables, answer."
    ]
    assert (mine.mrf.content_hash(), mine.run.position) == (sample("tiny").content_hash(), 2)
    # As any notice, it goes with the run.
    mine.repartition(mine.partition, 3, 4, "mplp")
    assert complaints(ran(test.run())) == []


@pytest.mark.parametrize(
    ("page", "field"), [("experiments", "plan"), ("learn", "lesson"), ("learn", "done"), ("game", "moves")]
)
def test_a_page_says_what_it_cannot_read_and_is_shown(page: str, field: str) -> None:
    text = "x" * (LONGEST + 1)
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params[field] = text
    ran(test.switch_page(f"pages/{page}.py").run())
    with pytest.raises(LinkError) as caught:
        FIELDS[field].read(text)
    assert caught.value.sentence in complaints(test)
    assert page != "learn" or test.session_state.learn_lesson == "friends"


# -- from page to page ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("patient")
def test_a_second_run_stays_in_the_address_of_every_page() -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update(FIRST | {"beside": "variant=11&at=2"})
    for page in fields.PAGES:
        go(test, page)
        assert dict(parse_qsl(test.session_state.page_address))["beside"] == "variant=11&at=2"
        assert complaints(test) == []
    mine = lab(test)
    # It was beside a run of that model.
    take_model(mine, sample("tiny"), {"sample": "tiny"})
    assert "beside" not in dict(parse_qsl(mine.address))


def test_a_second_run_that_cannot_be_read_is_refused_in_a_sentence() -> None:
    assert passed_over(EDGE, {"beside": "x" * (LONGEST + 1)}) == [
        "This link is wrong: its 'beside' has 6,001 characters, more than 6,000."
    ]
    for text in ("sample.tiny_M.3 & more~5.on", "M=x", "variant=4&at=y"):
        mine = linked(FIRST | {"beside": text})
        begin_named(mine)
        assert mine.notice.startswith("The second run of this link cannot be opened: ")
        assert mine.aside == ""


def test_another_page_is_told_only_what_its_address_may_have() -> None:
    said = {"order": "nu", "y": "01", "lesson": "row", "view": "both", "at": 3, "nothing": "x"}
    assert of_page(EDGE, said) == {"order": "nu", "y": "01", "at": "3"}


def test_an_address_names_a_message_only_if_it_is_pinned() -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update(FIRST)
    go(test, "partition")
    assert "arc" not in dict(parse_qsl(test.session_state.page_address))
    mine = lab(test)
    mine.run.arc, mine.run.pinned = 3, True
    go(test, "compare")
    assert dict(parse_qsl(test.session_state.page_address))["arc"] == "3"


# -- in the browser -------------------------------------------------------------------------------------------


def sources() -> Iterator[tuple[Path, str]]:
    for path in FRONTEND.rglob("*.js"):
        if "node_modules" not in path.parts:
            yield path, path.read_text(encoding="utf-8")


def keys(literal: str) -> set[str]:
    """The keys of an object that is written out, and of those within."""
    return set(re.findall(r"[{,]\s*(\w+)\s*(?=[:,}])", literal))


def found(pattern: str) -> list[str]:
    return [each for _, text in sources() for each in re.findall(pattern, text, re.DOTALL)]


def test_the_browser_has_the_looks_of_the_table() -> None:
    text = (FRONTEND / "stage/play/choices.js").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^const LOOKS = \{\n(.*?)^\};", text, re.DOTALL | re.MULTILINE)
    assert re.findall(r"^  (\w+): \{$", listed, re.MULTILINE) == [look.name for look in LOOKS]


def test_the_browser_writes_and_reads_fields_of_the_table() -> None:
    written = found(r"written\((\{.*?\})\)[;)}`]")
    assert sorted(map(sorted, map(keys, written))) == [["arc"], ["at"], ["from", "loop", "to"], ["lesson"]]
    assert set(found(r'isAddressed\("(\w+)"\)')) == {"lesson"}
    (edge,) = found(r"  fields\(\) \{\s*return (\{.*?\});\n")
    assert keys(edge) == {"order", "y"} == {name for name in keys(edge) if EDGE in FIELDS[name].pages}
    (learn,) = found(r'leaving\.by\([^;]*"learn", \(\) => \((\{ .*?\})\)\);')
    assert keys(learn) == {"lesson"}
    assert {"at", "arc", "from", "loop", "to", "lesson", "order", "y"} <= FIELDS.keys()


def test_no_other_module_takes_an_address_apart() -> None:
    assert [path.name for path, text in sources() if "URLSearchParams" in text] == ["fields.js"]
    assert [path.name for path, text in sources() if "encodeURIComponent" in text] == ["fields.js"]
    pages = [*(ROOT / "pages").rglob("*.py")]
    reads = re.compile(r"query_params(\[|\.get\b)|said(\[|\.get\()\"|[?&][a-z]+=")
    assert [path.name for path in pages if reads.search(path.read_text(encoding="utf-8"))] == []
