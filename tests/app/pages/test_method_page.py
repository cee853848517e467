"""Method: every formula has its code and its page; every term used as help has its definition."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from pages._shared.app.frontend import FRONTEND
from pages._shared.app.glossary import GLOSSARY
from pages._shared.app.text import markdown
from pages._shared.method.formulas import FORMULAS, MISPRINTS, Formula, source
from pages._shared.method.live import FIRST, OWN, friends
from pages._shared.method.notation import NOTATION, symbols_of
from pages._shared.method.recorded import recorded
from tests.app.pages.test_pages import ROOT, app, complaints, go, lab, ran

ALL = [step for chapter in FORMULAS.values() for step in chapter]


def shown(view: str = "Bound", **state: object) -> tuple[AppTest, str]:
    """The page with a view open, and all of its texts."""
    test = app("method")
    for name, value in {"method_view": view, **state}.items():
        test.session_state[name] = value
    ran(test.run())
    assert complaints(test) == []
    return test, "\n".join(text.value for text in test.markdown)


@pytest.mark.parametrize("chapter", FORMULAS)
def test_a_chapter_shows_its_formulas(chapter: str) -> None:
    test, said = shown(chapter)
    assert re.findall("^### (.+)$", said, re.MULTILINE) == [step.title for step in FORMULAS[chapter]]
    for step in FORMULAS[chapter]:
        assert f"$$\n{step.latex}\n$$\n\n{step.words}" in said
    assert len(test.code) == 0


@pytest.mark.parametrize("chapter", FORMULAS)
def test_a_formula_is_shown_with_its_symbols_and_with_numbers(chapter: str) -> None:
    _, said = shown(chapter)
    for step in FORMULAS[chapter]:
        assert f"$$\n{recorded().examples[step.title]}\n$$" in said
        for each in symbols_of(step.latex):
            assert f"| ${each.latex}$ | {each.meaning} | {markdown(recorded().values[each.latex])} |" in said


def test_the_numbers_follow_the_message_and_the_run() -> None:
    test, said = shown()
    assert recorded().examples["The min-marginal"] in said
    (message,) = [box for box in test.selectbox if box.label == "Message"]
    other = friends().graph.arc(3, 2)
    assert message.options[FIRST] == "A → B"
    test, said = shown(method_message=other)
    assert "C → D" in test.caption[0].value
    assert recorded().examples["The min-marginal"] not in said


def test_the_numbers_are_those_of_the_run_that_is_open() -> None:
    test, _ = shown(method_run=OWN)
    run = lab(test).run
    begun = test.caption[0].value
    assert "sweep 1 ends" in begun
    run.arc = 2 * len(run.engine.graph.edges) - 1
    run.step("sweep", backward=False)
    run.step("sweep", backward=False)
    ran(test.run())
    p, q = (run.engine.partition.labels[k] for k in run.engine.graph.ends(run.arc))
    assert f"message {q} → {p}, where the update of {p} in sweep 2 ends" in test.caption[0].value
    assert "at event" in test.caption[0].value
    said = "\n".join(text.value for text in test.markdown)
    assert all(step.title in said for step in FORMULAS["Bound"])
    assert said.count("In numbers:") == len(FORMULAS["Bound"])
    # A choice here is one of Watch and Edge, too.
    (message,) = [box for box in test.selectbox if box.label == "Message"]
    ran(message.select(4).run())
    assert run.arc == 4
    assert complaints(test) == []


def test_a_run_without_messages_says_so() -> None:
    test = app("method")
    mrf = bc.sample("tiny")
    lab(test).open(mrf, {}, bc.manual(mrf, [range(6)]), 6, 9, "mplp")
    test.session_state.method_run = OWN
    ran(test.run())
    assert [each.value for each in test.info] == [
        "All variables are in one group, so there are no messages. Choose a smaller M on Partition."
    ]
    assert not any("In numbers" in text.value for text in test.markdown)


@pytest.mark.parametrize("chapter", FORMULAS)
def test_the_code_of_a_formula_is_shown_where_it_is_opened(chapter: str) -> None:
    test, _ = shown(chapter, **{f"code-{step.function}": True for step in FORMULAS[chapter]})
    for step, code in zip(FORMULAS[chapter], test.code, strict=True):
        assert f"def {step.function}(" in code.value


def test_the_page_shows_all_symbols_misprints_and_terms() -> None:
    _, said = shown("Notation")
    for each in NOTATION:
        assert f"| ${each.latex}$ | {each.meaning} `{each.name}` | {markdown(recorded().values[each.latex])} |" in said
    _, said = shown("Misprints of the paper")
    assert all(f"- **{where}.** {mended}" in said for where, mended in MISPRINTS)
    _, said = shown("Glossary")
    for word, term in GLOSSARY.items():
        assert f"| **<dfn>{word}</dfn>** | {term.symbol} | {term.meaning} | {term.seen} |" in said.replace(r"y\*", "y*")


@pytest.mark.parametrize("step", ALL, ids=lambda step: step.title)
def test_the_cited_code_exists(step: Formula) -> None:
    line, text = source(step.file, step.function)
    assert f"def {step.function}(" in (ROOT / step.file).read_text().splitlines()[line - 1]
    assert text.lstrip().startswith(("def ", "@"))
    # It is the only one of its name in its file.
    assert len(re.findall(rf"def {step.function}\(", (ROOT / step.file).read_text())) == 1
    assert (ROOT / "pages" / f"{step.page}.py").is_file()


def test_terms_are_listed_alphabetically() -> None:
    assert list(GLOSSARY) == sorted(GLOSSARY, key=str.lower)


@pytest.mark.parametrize("word", GLOSSARY)
def test_a_term_has_a_meaning_and_a_place(word: str) -> None:
    term = GLOSSARY[word]
    assert term.meaning.endswith((".", "0"))
    pages = {path.stem.capitalize() for path in (ROOT / "pages").glob("*.py")}
    # "Watch: …; Edge: …", "Watch and Compare: …", "Learn, lesson 3".
    for place in term.seen.split("; "):
        named = re.split(", |: ", place)[0].split(" and ")
        assert set(named) <= pages
    assert term.picture in {"", *(path.stem for path in (FRONTEND / "terms").glob("*.svg"))}
    # A cell of a table in Markdown.
    assert not set("|\n") & set("".join(term))


def test_a_message_is_the_same_on_all_pages() -> None:
    assert GLOSSARY["message"].symbol == "λ"
    assert all("message to" in each.meaning for each in NOTATION if each.latex.startswith(r"\lambda"))
    assert not any("message" in each.meaning for each in NOTATION if each.latex.startswith(r"\nu"))


def test_every_quantity_that_a_run_names_is_explained() -> None:
    words = ["tension", "floor", "ceiling", "suspect", "out for good", "tied"]
    words += ["answer", "round", "event", "chapter", "fork", "class"]
    assert set(words) <= set(GLOSSARY)


def addressed(test: AppTest) -> dict[str, str]:
    """What the address says of the page."""
    every = dict(parse_qsl(test.session_state.page_address))
    return {name: every[name] for name in ("part", "numbers", "message") if name in every}


def linked(**fields: str) -> AppTest:
    """The page as an address opens it."""
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    for name, value in fields.items():
        test.query_params[name] = value
    return go(test, "method")


def test_a_link_opens_a_part_and_a_message() -> None:
    test = linked(part="rows", message="4")
    assert test.session_state.method_view == "Rows"
    (message,) = [box for box in test.selectbox if box.label == "Message"]
    assert message.index == 4
    assert addressed(test) == {"part": "rows", "message": "4"}
    ran(message.select_index(FIRST).run())
    assert addressed(test) == {"part": "rows"}
    test = linked(numbers="run", part="beyond")
    assert "12 friends" not in test.caption[0].value
    assert addressed(test) == {"part": "beyond", "numbers": "run"}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [({"part": "end"}, "'end'"), ({"numbers": "nobody"}, "'nobody'"), ({"message": "99"}, "There is no message 99")],
)
def test_what_a_link_names_and_is_not_there_is_said(fields: dict[str, str], sentence: str) -> None:
    test = linked(**fields)
    assert sentence in " ".join(complaints(test))
    assert test.session_state.method_view == "Bound"
    assert addressed(test) == {}


def test_what_is_chosen_is_kept_until_an_address_names_something_else() -> None:
    test = linked(part="rows", message="4")
    ran(test.run())
    go(test, "learn")
    go(test, "method")
    assert test.session_state.method_view == "Rows"
    assert addressed(test) == {"part": "rows", "message": "4"}
    # Parts without numbers keep them, too.
    test = linked(part="misprints", numbers="run", message="2")
    assert addressed(test) == {"part": "misprints", "numbers": "run", "message": "2"}
    test.session_state.method_view = "Bound"
    ran(test.run())
    assert addressed(test) == {"numbers": "run", "message": "2"}


def test_a_complaint_about_a_link_goes_with_the_next_choice() -> None:
    test = linked(part="end", message="99")
    assert len(complaints(test)) == 2
    test.session_state.method_view = "Rows"
    assert complaints(ran(test.run())) == []
