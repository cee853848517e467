"""Forks on Watch: made by hand or from what would help, shown, compared, run on, let go and made again."""

from __future__ import annotations

import json
import threading
from base64 import b64decode
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import RowKind
from bender_core.looking.classes import classes
from bender_core.looking.words import number
from bender_core.stopping import never
from bender_core.trying.change import Change, forks_text
from pages._shared.app import branches
from pages._shared.forks import growing
from pages._shared.forks.growing import AFTER
from pages._shared.forks.requesting import insert_row
from pages._shared.running import background
from tests.app.pages.test_pages import ROOT, app, complaints, go, lab, press, ran
from tests.tiers import thinned

# The engine is stepped here once the stage has been answered.
pytestmark = pytest.mark.usefixtures("patient", "answered")


def table(test: AppTest, column: str) -> dict[str, list]:
    (found,) = [frame for frame in test.dataframe if column in frame.value]
    return found.value.to_dict("list")


def plain(test: AppTest) -> bc.Engine:
    """The run that the app begins with, on this side."""
    mine = lab(test)
    return bc.Engine(mine.mrf, bc.partition(mine.mrf, 8), variant=9)


def test_going_on_with_what_helps_most_shows_the_fork_that_the_library_makes() -> None:
    test = app("watch")
    lab(test).run.step("sweep", backward=False)
    first = lab(test).run
    event = first.position
    press(test, "Try them")
    best = bc.what_would_help(first.engine.fork())[0]
    assert test.selectbox(key_of(test, "help-")).options[0] == best.name
    press(test, "Continue with it")
    mine = lab(test)
    assert mine.run is not first
    assert first.position == event
    engine = plain(test)
    engine.run(max_events=event)
    fork = best.change.fork(engine)
    assert mine.run.engine.lower_bound == fork.lower_bound
    assert [group.tolist() for group in mine.partition.groups] == [g.tolist() for g in fork.partition.groups]
    assert forks_text(mine.branches.shown.lineage.forks) == f"{event}.{best.change}"
    assert [(b.name, b.cause, b.event) for b in mine.branches] == [("first run", "", 0), ("fork 1", best.name, event)]
    assert dict(parse_qsl(mine.address))["forks"] == f"{event}.{best.change}"


def key_of(test: AppTest, begin: str) -> str:
    (key,) = [box.key for box in test.selectbox if box.key.startswith(begin)]
    return key


def test_a_fork_is_compared_with_its_parent_after_as_many_sweeps() -> None:
    test = app("watch")
    mine = lab(test)
    for _ in range(10):
        mine.run.step("node", backward=False)
    event = mine.run.position
    test.selectbox(f"fork-schedule-{mine.number}").select("srmp")
    test.selectbox(f"fork-variant-{mine.number}").select(4)
    press(test, "Fork here")
    assert (mine.variant, mine.schedule) == (4, "srmp")
    press(test, "Continue it and its parent for 20 sweeps")
    engine = plain(test)
    engine.run(max_events=event)
    fork, begun = engine.fork(variant=4, schedule="srmp"), engine.sweep + 1
    found = []
    for sweeps in AFTER:
        fork.run(max_sweeps=sweeps)
        engine.run(max_sweeps=begun + sweeps)
        found.append(fork.lower_bound - engine.lower_bound)
    shown = table(test, "fork")
    told = [shown[f"after {sweeps} sweep{'s' * (sweeps > 1)}"][0] for sweeps in AFTER]
    assert told == [f"{'+' * (value > 0)}{number(value)}" for value in found]
    assert mine.run.position == 0
    assert complaints(test) == []


@pytest.mark.parametrize("axis", thinned(["events", "work", "seconds"], 3))
def test_the_curves_are_those_of_the_runs_and_a_fork_begins_where_it_left_its_parent(axis: str) -> None:
    test = app("watch")
    mine = lab(test)
    mine.run.step("sweep", backward=False)
    event = mine.run.position
    press(test, "Fork here")
    for _ in range(3):
        mine.run.step("sweep", backward=False)
    press(test, "Fork here")
    test.session_state.fork_axis = axis
    ran(test.run())
    first, fork, last = mine.branches
    for branch in (first, fork):
        curve, trace = branch.look(), branch.run.engine.trace
        assert curve.events[[0, -1]].tolist() == [0, len(trace)]
        assert (curve.lower[1:] == trace.column("lower_bound")[curve.events[1:] - 1]).all()
        assert (np.diff(getattr(curve, axis)) >= 0).all()
    assert fork.begins(axis) == first.look().at(axis, event) > 0
    assert last.begins(axis) == fork.begins(axis) + fork.look().at(axis, fork.run.position) > fork.begins(axis)
    if axis == "work":
        engine = bc.Engine(mine.mrf, mine.partition, variant=mine.variant, schedule=mine.schedule, excluding=True)
        engine.run(max_sweeps=1)
        assert first.look().at("work", event) == pytest.approx(engine.entries_read)
    assert test.get("plotly_chart")


def test_the_stage_goes_back_to_the_parent_where_it_was_left_and_a_fork_is_forgotten() -> None:
    test = app("watch")
    mine = lab(test)
    mine.run.step("node", backward=False)
    first, position = mine.run, mine.run.position
    press(test, "Fork here")
    fork, number_then = mine.run, mine.number
    mine.run.step("node", backward=False)
    test.selectbox(key_of(test, "fork-" + str(mine.number) + "-")).select_index(0)
    ran(test.run())
    press(test, "Show it on the stage")
    assert mine.run is first
    assert (mine.run.position, mine.number) == (position, number_then + 1)
    assert "forks" not in dict(parse_qsl(mine.address))
    test.selectbox(key_of(test, "fork-" + str(mine.number) + "-")).select_index(1)
    ran(test.run())
    used = mine.account.used
    charged = fork.engine.arrays.charges.used
    del fork
    press(test, "Forget it")
    assert len(mine.branches) == 1
    assert mine.account.used == used - charged


@pytest.mark.slow
def test_a_run_that_was_let_go_is_made_again_to_the_last_bit() -> None:
    test = app("watch")
    mine = lab(test)
    mine.run.halt()
    mine.run.engine.run(max_events=150)
    mine.run.show(150)
    test.multiselect(f"fork-merge-{mine.number}").set_value([1, 3])
    ran(test.run())
    press(test, "Fork here")
    mine.run.halt()
    mine.run.engine.run(max_events=70)
    mine.run.show(70)
    press(test, "Fork here")
    first, middle, last = mine.branches
    assert mine.branches.shown is last
    before = middle.run.engine.trace.until(70).to_csv()
    assert mine.branches.let_go()
    assert (first.run, middle.run) == (None, None)
    test.selectbox(key_of(test, "fork-" + str(mine.number) + "-")).select_index(1)
    ran(test.run())
    press(test, "Show it on the stage")
    assert mine.branches.shown is middle
    assert mine.run.position == 70
    assert mine.run.engine.trace.until(70).to_csv() == before
    assert complaints(test) == []


def test_a_fork_and_its_parent_are_shown_side_by_side_also_if_memory_was_freed() -> None:
    test = app("watch")
    mine = lab(test)
    mine.run.step("node", backward=False)
    press(test, "Fork here")
    first, fork = mine.branches
    assert mine.branches.let_go()
    test.selectbox(key_of(test, "fork-" + str(mine.number) + "-")).select_index(0)
    ran(test.run())
    press(test, "Show it beside")
    assert (mine.branches.shown, mine.branches.beside) == (fork, first)
    assert first.run is not None
    press(test, "Show it on the stage")
    assert (mine.branches.shown, mine.branches.beside) == (first, fork)
    assert complaints(test) == []


def test_a_row_is_inserted_as_a_fork() -> None:
    test = app("watch")
    mine = lab(test)
    mine.run.step("sweep", backward=False)
    engine = mine.run.engine
    p, q = engine.graph.edges[0].tolist()
    before = looking.envelope(engine, p, q)
    cut = bc.what_if(engine, p, q, 3)[0]
    insert_row(mine, bc.RowAt(p, q, 3, cut.kind))
    ran(test.run())
    assert mine.run.engine is not engine
    assert np.allclose(looking.envelope(mine.run.engine, p, q), np.maximum(before, cut.values))
    assert mine.branches.shown.cause.startswith("a row from ")
    # One that cannot be made is refused in a sentence, and the run stays.
    shown = mine.run
    insert_row(mine, bc.RowAt(p, q, 10**9, RowKind.RMC))
    ran(test.run())
    assert mine.run is shown
    assert [text for text in complaints(test) if text.startswith("The run cannot fork like this: group 0 has")]
    ran(test.run())
    assert complaints(test) == []


def test_a_row_compared_on_edge_is_inserted_there() -> None:
    """At the state that was looked at; the page then shows the fork."""
    test = app("watch")
    mine = lab(test)
    mine.run.step("sweep", backward=False)
    go(test, "edge")
    engine = mine.run.engine
    p, q = engine.graph.ends(mine.run.arc)
    shown = classes(engine, p, q)
    cut = bc.what_if(engine, p, q, int(shown.states[shown.at_oracle]))[-1]
    before = looking.envelope(engine, p, q)
    press(test, "Insert MWC α = 0")
    assert mine.run.engine is not engine
    assert mine.run.engine.graph.ends(mine.run.arc) == (p, q)
    assert np.allclose(looking.envelope(mine.run.engine, p, q), np.maximum(before, cut.values))
    assert complaints(test) == []


def test_the_ends_of_the_pinned_edge_are_merged() -> None:
    test = app("watch")
    mine = lab(test)
    press(test, "Merge the ends of the pinned edge")
    assert complaints(test) == ["No edge is pinned: click one on the stage, then merge its ends."]
    mine.run.pinned, mine.run.arc = True, 5
    p, q = mine.run.engine.graph.ends(5)
    groups = len(mine.partition)
    press(test, "Merge the ends of the pinned edge")
    assert len(mine.partition) == groups - 1
    assert {p, q} == set(mine.branches.shown.lineage.forks[0].change.merge[0])
    assert not mine.run.pinned


def test_an_address_with_forks_opens_the_same_run() -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    forks = "60.merge-0-1~45.variant-1_schedule-srmp"
    test.query_params.update({"forks": forks, "at": "30", "arc": "2"})
    ran(test.run())
    mine = lab(test)
    mine.run.work.thread.join()
    ran(test.run())
    engine = plain(test)
    engine.run(max_events=60)
    engine = engine.fork(merge=[(0, 1)])
    engine.run(max_events=45)
    engine = engine.fork(variant=1, schedule="srmp")
    engine.run(max_events=30)
    assert (mine.run.position, mine.run.arc, mine.run.pinned) == (30, 2, True)
    assert mine.run.engine.trace.until(30).to_csv() == engine.trace.to_csv()
    assert dict(parse_qsl(mine.address))["forks"] == forks
    assert [branch.run.position for branch in mine.branches] == [60, 45, 30]
    assert complaints(test) == []


def test_an_address_with_forks_opens_where_not_all_of_them_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "2")
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update({"forks": "~".join(["20.on"] * 7)})
    ran(test.run())
    mine = lab(test)
    assert complaints(test) == []
    assert (len(mine.branches), mine.branches.shown.name) == (8, "fork 7")
    assert mine.account.used <= 2 << 20


@pytest.mark.parametrize(
    ("forks", "said"),
    [
        ("60.merge-0-99", "Not all forks of this link could be made: there is no group 99; "),
        ("99999999.on", "Not all forks of this link could be made: the run ends at event "),
        ("60.murge", "This link cannot be opened: 'murge' is no change of a run; "),
        ("60.merge-0-1~5.on", "This link cannot be opened as it is: it selects message 99999, but there are "),
        ("1" * 6001, "This link cannot be opened: its forks take 6,001 characters, more than 6,000"),
    ],
)
def test_an_address_with_forks_that_cannot_be_made_says_so_in_a_sentence(forks: str, said: str) -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update({"forks": forks, "arc": "0" if "arc" not in said and "message" not in said else "99999"})
    ran(test.run())
    (complaint,) = complaints(test)
    assert complaint.startswith(said)


@pytest.mark.parametrize("page", thinned(["edge", "partition", "compare", "instance", "experiments"], 5))
def test_every_page_shows_a_fork_as_any_other_run(page: str) -> None:
    test = app("watch")
    mine = lab(test)
    test.multiselect(f"fork-merge-{mine.number}").set_value([0, 1])
    ran(test.run())
    press(test, "Fork here")
    go(test, page)
    assert complaints(test) == []
    assert len(mine.branches) == 2
    go(test, "watch")
    assert mine.branches.shown.name == "fork 1"


@pytest.mark.slow
def test_where_memory_is_short_runs_that_are_not_shown_give_way_and_are_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "3")
    test = app("watch")
    mine = lab(test)
    for _ in range(8):
        mine.run.step("node", backward=False)
        press(test, "Fork here")
        assert complaints(test) == []
    assert len(mine.branches) == 9
    assert mine.account.used <= 3 << 20
    gone = [k for k, branch in enumerate(mine.branches) if branch.run is None]
    assert gone
    test.selectbox(key_of(test, f"fork-{mine.number}-")).select_index(gone[-1])
    ran(test.run())
    bound = mine.run.engine.lower_bound
    press(test, "Show it on the stage")
    assert complaints(test) == []
    assert mine.branches.shown is list(mine.branches)[gone[-1]]
    assert mine.run.position > 0
    assert mine.run.engine.lower_bound <= bound
    # A fork that does not fit at all is refused in a sentence.
    test.multiselect(f"fork-merge-{mine.number}").set_value([0, 1, 2])
    ran(test.run())
    shown = mine.run
    press(test, "Fork here")
    (complaint,) = complaints(test)
    assert complaint.startswith("The run cannot fork like this: ")
    assert mine.run is shown


@pytest.mark.slow
def test_what_was_tried_is_there_again_when_the_run_is_shown_again() -> None:
    test = app("watch")
    mine = lab(test)
    mine.run.step("sweep", backward=False)
    press(test, "Try them")
    tried = len(test.selectbox(key_of(test, "help-")).options)
    press(test, "Continue with it")
    assert not [box for box in test.selectbox if box.key.startswith("help-")]
    test.selectbox(key_of(test, f"fork-{mine.number}-")).select_index(0)
    ran(test.run())
    press(test, "Show it on the stage")
    assert len(test.selectbox(key_of(test, "help-")).options) == tried


def test_the_message_that_is_pinned_stays_pinned_where_its_groups_are_others() -> None:
    test = app("watch")
    mine = lab(test)
    engine = mine.run.engine
    for arc in range(2 * len(engine.graph.edges)):
        p, q = engine.graph.ends(arc)
        if {p, q} & {0, 1}:
            continue
        mine.run.arc, mine.run.pinned = arc, True
        change = bc.Change(merge=((0, 1),))
        mine.fork(change, change.fork(engine))
        assert mine.run.pinned
        labels = [mine.partition.labels[end] for end in mine.run.engine.graph.ends(mine.run.arc)]
        assert labels == [engine.partition.labels[end] for end in (p, q)]
        mine.show(next(iter(mine.branches)))


def test_a_fork_that_takes_long_shows_its_progress_and_is_shown_when_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    test = app("watch")
    mine, goes = lab(test), threading.Event()
    make = Change.fork

    def slow(change: Change, engine: bc.Engine, stop: bc.Stop) -> bc.Engine:
        assert goes.wait(60)
        return make(change, engine, stop)

    monkeypatch.setattr(Change, "fork", slow)
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.01)
    first = mine.run
    press(test, "Fork here")
    assert any(caption.value.startswith("Computing the fork: ") for caption in test.caption)
    assert [button.label for button in test.button if button.label == "Stop"]
    assert mine.run is first
    goes.set()
    first.work.thread.join()
    ran(test.run())
    assert mine.run is not first
    assert mine.branches.shown.parent is next(iter(mine.branches))


def test_a_fork_by_hand_has_other_groups() -> None:
    test = app("watch")
    mine = lab(test)
    mine.run.step("sweep", backward=False)
    labeling = mine.run.engine.labeling
    test.number_input(f"fork-M-{mine.number}").set_value(4)
    test.selectbox(f"fork-strategy-{mine.number}").select("greedy")
    press(test, "Fork here")
    wanted = bc.partition(mine.mrf, 4, "greedy")
    assert [g.tolist() for g in mine.partition.groups] == [g.tolist() for g in wanted.groups]
    assert mine.run.engine.upper_bound == pytest.approx(mine.mrf.energy(labeling), rel=1e-12)
    # One group alone is no change.
    test.multiselect(f"fork-merge-{mine.number}").set_value([0])
    press(test, "Fork here")
    assert complaints(test) == ["One group alone cannot be merged; choose at least two."]
    # Groups that are merged are those of the run shown.
    test.number_input(f"fork-M-{mine.number}").set_value(5)
    test.multiselect(f"fork-merge-{mine.number}").set_value([0, 1])
    press(test, "Fork here")
    assert complaints(test) == ["The groups of another partition are not known yet: fork first, then merge them."]


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["tension", "mean"])
def test_one_message_is_drawn_in_all_runs_that_have_it(measure: str) -> None:
    test = app("watch")
    mine = lab(test)
    for _ in range(2):
        mine.run.step("sweep", backward=False)
    first = mine.run.engine
    mine.run.arc, mine.run.pinned = 5, True
    p, q = first.graph.ends(5)
    event = mine.run.position
    test.selectbox(f"fork-schedule-{mine.number}").select("srmp")
    press(test, "Fork here")
    mine.run.step("sweep", backward=False)
    test.session_state.fork_axis, test.session_state.fork_drawn = "events", measure
    ran(test.run())
    assert [mine.run.engine.graph.ends(mine.run.arc)] == [(p, q)]
    found = growing.pasts(mine, never)
    for branch, engine in zip(mine.branches, (first, mine.run.engine), strict=True):
        past = found[branch]
        for k in (0, len(past.event) // 2, -1):
            engine.seek(int(past.event[k]))
            slack = looking.min_marginal(engine, p, q) - looking.envelope(engine, p, q)
            assert past.mean[k] == pytest.approx(slack.mean(), abs=1e-9)
            assert past.tension[k] == pytest.approx(
                looking.tension(engine).edges[engine.graph.arc(p, q) // 2], abs=1e-9
            )
    shown = [json.loads(chart.proto.spec) for chart in test.get("plotly_chart")]
    (figure,) = [spec for spec in shown if "of the" in spec["layout"]["yaxis"]["title"]["text"]]
    lines = [np.frombuffer(b64decode(line["x"]["bdata"]), line["x"]["dtype"]) for line in figure["data"]]
    assert lines[0][0] == 0
    assert lines[1][0] == event


def test_a_message_inside_a_merged_group_is_left_out() -> None:
    test = app("watch")
    mine = lab(test)
    mine.run.step("sweep", backward=False)
    mine.run.arc = 0
    first, other = next(iter(mine.branches)), mine.run.engine.graph.ends(0)
    test.multiselect(f"fork-merge-{mine.number}").set_value(sorted(other))
    press(test, "Fork here")
    fork = mine.branches.shown
    assert branches.counterpart(first.run.engine, 0, fork.run.engine) is None
    for arc in range(2 * len(fork.run.engine.graph.edges)):
        back = branches.counterpart(fork.run.engine, arc, first.run.engine)
        arcs = range(2 * len(first.run.engine.graph.edges))
        one = [each for each in arcs if branches.same_message(first.run.engine, each, fork.run.engine) == arc]
        assert back == (one[0] if len(one) == 1 else None)
