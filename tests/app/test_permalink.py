"""Links: they open what they describe, and invalid ones are reported."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core import synth
from bender_core.groups import LARGEST_GROUP
from bender_core.strategies import BY_RUNS, Tell
from pages._shared.app import field_types, fields, permalink
from pages._shared.app.permalink import LONGEST, LinkError, made_by
from pages._shared.app.session import FIRST, Lab, linked, sample
from pages._shared.running.watched import WatchedRun
from pages._shared.watch.stage import graph_view
from tests.app.pages.test_pages import ROOT, app, complaints, go, lab, ran
from tests.labs import take_model
from tests.models import examples
from tests.tiers import thinned


def opened(link: str, **more: object) -> Lab:
    return arrived(linked(dict(parse_qsl(link)) | {name: str(value) for name, value in more.items()}))


def arrived(found: Lab) -> Lab:
    """A lab whose run has reached the event of its link."""
    if found.replay is not None:
        found.replay.thread.join()
        found.replay.finish(found)
    if found.run.work.thread is not None:
        found.run.work.thread.join()
        found.run.settle()
    return found


def same(one: Lab, other: Lab) -> None:
    assert one.mrf.content_hash() == other.mrf.content_hash()
    assert [group.tolist() for group in one.partition.groups] == [group.tolist() for group in other.partition.groups]
    assert (one.max_size, one.variant, one.schedule) == (other.max_size, other.variant, other.schedule)
    assert (one.run.position, one.run.arc) == (other.run.position, other.run.arc)
    assert one.run.engine.lower_bound == other.run.engine.lower_bound
    assert one.address == other.address != ""


@pytest.mark.parametrize("variant", [1, 9, 12])
@pytest.mark.parametrize("position", thinned([0, 1, 37, 200], 3))
def test_a_link_to_a_sample_opens_the_same_picture(variant: int, position: int) -> None:
    mine = linked(FIRST | {"sample": "pose"})
    mine.repartition(bc.partition(mine.mrf, 6, "greedy"), 6, variant, "srmp")
    mine.run.engine.run(max_events=position)
    mine.run.show(position)
    mine.run.engine.seek(mine.run.position)
    mine.run.arc = 5
    same(opened(mine.address, at=mine.run.position, arc=5), mine)


@pytest.mark.parametrize("family", thinned(synth.FAMILIES, 4))
def test_a_link_to_a_generated_model_makes_it_again(family: str) -> None:
    values = {p.name: p.default for p in synth.FAMILIES[family].parameters}
    if "seed" in values:
        values["seed"] = 5
    if family == "ising_grid":
        values |= {"torus": True, "coupling": "gaussian"}
    mine = linked(FIRST)
    take_model(mine, synth.generate(family, **values), made_by(family, values))
    same(opened(mine.address), mine)
    assert (family == "ising_grid") == ("torus=true" in mine.address)


def test_a_link_contains_groups_made_by_hand() -> None:
    mine = linked(FIRST | {"sample": "karate"})
    owner = np.random.default_rng(2).permutation(np.arange(mine.mrf.n) % 7)
    part = bc.manual(mine.mrf, [np.flatnonzero(owner == p) for p in range(7)])
    mine.repartition(part, 8, 9, "mplp")
    same(opened(mine.address), mine)


def test_a_link_contains_groups_that_a_search_has_found(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = linked(FIRST | {"sample": "karate"})
    owner = np.random.default_rng(3).permutation(np.arange(mine.mrf.n) % 7)
    part = replace(bc.manual(mine.mrf, [np.flatnonzero(owner == p) for p in range(7)]), strategy="pursuit")
    monkeypatch.setitem(BY_RUNS, "pursuit", lambda *_: part)
    mine.repartition(part, 8, 9, "mplp")
    again = opened(mine.address)
    same(again, mine)
    assert again.partition.strategy == "pursuit"
    assert again.partition is not part, "its groups are those of the link"
    without = dict(parse_qsl(mine.address))
    del without["groups"]
    same(arrived(linked(without)), mine)
    # Where the groups would take too many characters, they are found again.
    monkeypatch.setattr(permalink, "LONGEST", len(mine.address) - 1)
    assert dict(parse_qsl(mine.address)) == without


class Search:
    """A search for groups that says how far it is, and ends when it may; it finds single variables."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.may_end, self.begun, self.threads = threading.Event(), threading.Event(), set[int]()
        monkeypatch.setitem(BY_RUNS, "pursuit", self)

    def __call__(self, mrf: bc.BinaryMRF, max_size: int, seed: int, stop: bc.Stop, tell: Tell) -> bc.Partition:
        self.threads.add(threading.get_ident())
        tell(0.25, -12.5)
        self.begun.set()
        while not self.may_end.wait(0.01):
            stop.check()
        return replace(bc.partition(mrf, 1, "singletons"), strategy="pursuit")


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> Iterator[Search]:
    found = Search(monkeypatch)
    yield found
    found.may_end.set()


PURSUED = {"sample": "karate", "M": "6", "strategy": "pursuit", "variant": "4", "schedule": "srmp"}


def opening(page: str, **more: str) -> AppTest:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update(PURSUED | more)
    return ran(test.switch_page(f"pages/{page}.py").run())


@pytest.mark.parametrize(
    "page", thinned(["watch", "partition", "edge", "compare", "instance", "experiments", "learn", "game", "method"], 4)
)
def test_a_search_for_the_groups_of_a_link_keeps_no_page_waiting(page: str, search: Search) -> None:
    test = opening(page)
    assert search.begun.wait(60)
    ran(test.run())
    (bar,) = test.get("progress")
    assert (bar.proto.value, bar.proto.text) == (25, "Opening karate: groups by pursuit, M 6, bound -12.5")
    assert [button.label for button in test.button] == ["Stop here"]
    search.may_end.set()
    lab(test).replay.thread.join()
    ran(test.run())
    assert threading.get_ident() not in search.threads
    mine = lab(test)
    assert (mine.partition.strategy, mine.partition.largest, mine.max_size) == ("pursuit", 1, 6)
    assert (mine.run.engine.variant.number, mine.run.engine.settings.schedule) == (4, "srmp")
    assert complaints(test) == []
    assert "Stop here" not in [button.label for button in test.button]


def test_after_its_search_a_link_shows_its_forks_and_its_event(search: Search) -> None:
    search.may_end.set()
    mine = arrived(linked(FIRST | PURSUED | {"forks": "20.merge-0-1", "at": "15", "arc": "2"}))
    assert (len(mine.branches), mine.run.position, mine.run.arc) == (2, 15, 2)
    assert len(mine.run.engine.partition) == mine.mrf.n - 1
    mine = arrived(linked(FIRST | PURSUED | {"at": "15", "arc": "2"}))
    assert (mine.partition.largest, mine.run.position, mine.run.arc) == (1, 15, 2)


def test_a_search_for_the_groups_of_a_link_can_be_stopped(search: Search) -> None:
    test = opening("watch", forks="20.merge-0-1")
    assert search.begun.wait(60)
    (stop,) = test.button
    replay = lab(test).replay
    ran(stop.click().run())
    replay.thread.join()
    ran(test.run())
    mine = lab(test)
    assert (mine.partition.strategy, len(mine.branches)) == ("groups", 1)
    said = "The groups by pursuit of this link were not found: the search was stopped. Those by groups are shown."
    assert complaints(test) == [said]


def test_auto_is_tried_off_the_page_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, auto = set(), BY_RUNS["auto"]
    monkeypatch.setitem(BY_RUNS, "auto", lambda *given: threads.add(threading.get_ident()) or auto(*given))
    assert opened(urlencode(PURSUED | {"strategy": "auto"})).partition.strategy == "auto"
    assert threading.get_ident() not in threads


def test_a_run_without_a_reproducible_model_has_no_link() -> None:
    mine = linked(FIRST)
    take_model(mine, bc.BinaryMRF(unary=[[0.0, 1.0]]), {})
    assert mine.address == ""
    large = synth.ising_grid(rows=70, columns=70)
    part = bc.manual(large, [range(k, k + 2) for k in range(0, 4900, 2)])
    assert (
        Lab(large, 2, part, 9, "mplp", WatchedRun(bc.Engine(large, part)), made_by("ising_grid", {"rows": 70})).address
        == ""
    )
    assert len(urlencode({"groups": "-".join(map(str, part.group_of()))})) > LONGEST


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"sample": "no such"}, "no sample 'no such'"),
        ({"make": "no such"}, "no family 'no such'"),
        ({"make": "ising_grid", "rows": "many"}, "Rows is 'many', which is not a whole number"),
        ({"make": "ising_grid", "rows": "1000000000"}, "a whole number from"),
        ({"make": "ising_grid", "coupling": "<b>"}, "it must be one of"),
        ({"M": "x"}, "M is 'x'"),
        ({"M": "-3"}, "M"),
        ({"strategy": "x"}, "strategy"),
        ({"strategy": "manual", "groups": "0-1"}, "puts 2 variables into groups"),
        ({"sample": "tiny", "strategy": "manual", "groups": "0-1-x-0-0-0"}, "'x', which is not a whole number"),
        ({"sample": "tiny", "strategy": "manual", "groups": "1-1-1-1-1-1"}, "group 'g0' is empty"),
        ({"sample": "tiny", "strategy": "manual", "groups": "0-1-6-0-0-0"}, "puts variable 2 into group 6"),
        ({"sample": "tiny", "strategy": "manual", "groups": "0-1--1-0-0-0"}, "7 variables"),
        ({"sample": "tiny", "strategy": "manual", "groups": "0" * 6001}, "groups take 6,001 characters"),
        ({"sample": "tiny", "strategy": "manual", "groups": "0-0-0-0-0-0", "M": "31"}, "M is 31; choose .* 1 to 30"),
        ({"sample": "tiny", "strategy": "manual", "groups": "0-0-0-0-0-0", "M": "0"}, "M is 0; choose .* 1 to 30"),
        ({"make": "ising_grid", "torus": "yes"}, "it must be true or false"),
        ({"make": "random_tree", "strength": "nan"}, "is 'nan', which is not a number"),
        ({"make": "random_tree", "strength": "1e400"}, "is '1e400', which is not a number"),
        ({"make": "random_tree", "seed": "9" * 30}, "not a whole number of up to 15 digits"),
        ({"M": "\u0664"}, "not a whole number"),
        ({"sample": "x" * 61}, "'sample' has 61 characters, more than 60"),
        ({"at": "-1"}, "event -1; events are counted from 0"),
        ({"at": "1" + "0" * 30}, "not a whole number of up to 15 digits"),
        ({"variant": "99"}, "variant 99"),
        ({"schedule": "x"}, "schedule 'x'"),
        ({"at": "soon"}, "the event is 'soon'"),
        ({"arc": "999"}, "message 999"),
        ({"arc": "-1"}, "message -1"),
        ({"sample": "pose", "M": "30", "strategy": "greedy"}, "would fit"),
    ],
)
def test_an_invalid_link_is_refused(said: dict[str, str], why: str) -> None:
    with pytest.raises(LinkError, match=why):
        linked(FIRST | said)


def test_the_address_is_what_a_session_opens_on() -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update(
        {"sample": "karate", "M": "6", "strategy": "greedy", "variant": "4", "at": "25", "arc": "2"}
    )
    test.run()
    mine = arrived(lab(test))
    assert (mine.mrf.content_hash(), mine.max_size, mine.variant) == (sample("karate").content_hash(), 6, 4)
    assert (mine.run.position, mine.run.arc) == (25, 2)
    assert complaints(test) == []


def test_an_invalid_address_is_reported_until_another_model_is_opened() -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params["sample"] = "<b>none</b>"
    test.run()
    assert complaints(test) == [
        "This link cannot be opened: there is no sample '<b>none</b>'; the page Instance lists all samples. "
        "Here is a sample instead."
    ]
    assert lab(test).mrf.n == lab(app()).mrf.n
    take_model(lab(test), sample("tiny"), {"sample": "tiny"})
    assert complaints(test.run()) == []


def test_a_link_without_a_strategy_uses_the_default_of_its_model() -> None:
    """The defaults of the first model need not apply to another."""
    assert linked(FIRST | {"sample": "frustrated-cycle", "M": "3"}).partition.strategy == "greedy"
    assert linked(FIRST).partition.strategy == "groups"


@pytest.mark.parametrize("page", ["partition", "compare"])
def test_the_largest_group_of_the_library_can_be_asked_for_and_shown(page: str) -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update(FIRST | {"strategy": "groups", "M": str(LARGEST_GROUP)})
    go(ran(test.run()), page)
    assert lab(test).max_size == LARGEST_GROUP
    assert complaints(test) == []
    if page == "partition":
        assert test.slider("partition_size").value == LARGEST_GROUP
        assert ran(test.run()).slider("partition_size").value == LARGEST_GROUP
    else:
        assert test.multiselect("race_sizes").value == [LARGEST_GROUP]


def test_a_late_event_is_reached_in_the_background_and_can_be_stopped() -> None:
    """The page is not blank meanwhile, and the hyper-graph is drawn while the engine is busy."""
    grid = {"make": "ising_grid", "rows": "30", "columns": "30", "torus": "True", "M": "12", "strategy": "greedy"}
    mine = linked(FIRST | grid | {"variant": "11", "at": "1" + "0" * 14})
    assert mine.run.running
    assert mine.run.position == 0
    drawn = graph_view(mine.branches, mine.branches.shown)
    assert mine.run.running
    mine.run.halt()
    mine.run.settle()
    assert 0 < mine.run.position == len(mine.run.engine.trace)
    assert (drawn["lower"], drawn["upper"]) == mine.run.opening
    assert drawn["lower"] < mine.run.engine.lower_bound


# -- anything at all ------------------------------------------------------------------------------------------

JUNK = st.one_of(
    st.text(max_size=80),
    st.integers().map(str),
    st.integers(10**12, 10**40).map(str),
    st.floats().map(str),
    st.sampled_from(
        ["", "-", "--", "0", "1", "-1", "1e400", "1_0", "+5", " 5", "\u0665", "True", "$x$", "<b>", "\x00"]
    ),
    st.lists(st.integers(-1, 10**7), max_size=8).map(lambda owners: "-".join(map(str, owners))),
)
LINKS = st.fixed_dictionaries(
    {},
    optional={
        "sample": st.just("tiny") | JUNK,
        "make": st.sampled_from(["ising_grid", "no such"]) | JUNK,
        "rows": st.sampled_from(["3", "4"]) | JUNK,
        "columns": st.just("3") | JUNK,
        "layers": JUNK,
        "torus": JUNK,
        "coupling": st.just("gaussian") | JUNK,
        "field": JUNK,
        "seed": JUNK,
        "M": st.integers(-2, 40).map(str) | JUNK,
        "strategy": st.sampled_from(["manual", "greedy", "blocks", "auto"]) | JUNK,
        "groups": st.just("0-0-0-1-1-1") | st.text("0123456789-", max_size=40) | JUNK,
        "variant": st.integers(0, 13).map(str) | JUNK,
        "schedule": st.just("srmp") | JUNK,
        "at": st.integers(0, 300).map(str) | JUNK,
        "arc": st.integers(-1, 3).map(str) | JUNK,
    },
)


# The code that reads links.
READERS = {module.__file__ for module in (fields, field_types, permalink)}


class TooMuchWorkError(Exception):
    """Reading a link took more steps than its length justifies."""


@contextmanager
def counted(most: int) -> Iterator[None]:
    """Fail once the code that reads links has taken too many steps (lines and calls)."""
    steps = 0

    def step(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        nonlocal steps
        if frame.f_code.co_filename not in READERS:
            return None
        steps += 1
        if steps > most:
            raise TooMuchWorkError
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        yield
    finally:
        sys.settrace(before)


@settings(max_examples=examples(400), deadline=None)
@example({"sample": "tiny", "M": "2", "strategy": "manual", "groups": "1000000-0-0-0-0-0"})
@example({"sample": "tiny", "M": "2", "strategy": "manual", "groups": "-".join(["0"] * 3000)})
@given(LINKS)
def test_any_link_opens_or_is_refused_in_a_sentence_and_costs_no_more_than_its_length(said: dict[str, str]) -> None:
    found, sentence = None, ""
    with counted(1000 + 20 * sum(map(len, said.values()))):
        try:
            found = linked(FIRST | said)
        except LinkError as error:
            sentence = str(error)
    if found is None:
        assert 0 < len(sentence) < 400
        return
    if found.replay is not None:
        found.replay.stop(wait=None)
    found.run.halt()
    assert 1 <= found.max_size <= LARGEST_GROUP
    assert sum(map(len, found.partition.groups)) == found.mrf.n
