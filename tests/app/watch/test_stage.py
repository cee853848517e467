"""The data sent to the stage, compared with the engine event by event."""

from __future__ import annotations

import gc
import json
import threading
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.engine.result import STATUSES
from bender_core.kernels.layout import Kind, Status
from bender_core.visualization.layout import hypergraph_layout, variable_layout
from pages._shared.app.clicks import clicked_point
from pages._shared.app.session import FIRST, Lab, Replay, linked
from pages._shared.learn import LESSONS
from pages._shared.running.findings import findings
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import event_frames as encoding
from pages._shared.watch import protocol, stage
from pages._shared.watch.event_frames import Encoder
from pages._shared.watch.stage import destination, obey, stage_data
from pages._shared.watch.stage_answers import MOST_BEHIND
from pages._shared.watch.stage_views import HISTORY_POINTS, LINKS, edge_tightness, graph_view, history
from pages._shared.watch.talk import Moment, Talk
from pages._shared.watch.talking import present_talk
from tests.labs import SessionState, command, lab, take_model
from tests.tiers import quick

RUNS = [("pose-small", 8, 9), ("torus-10x10", 5, 4), ("karate", 6, 11), ("tiny", 3, 9)]
# Enough for everything that happens in a run; some of these go on for thousands of events.
SWEEPS = 30
# The component asks for more when it holds fewer events than this.
LOW = 48


@pytest.fixture(autouse=True)
def session_state(answered: None, monkeypatch: pytest.MonkeyPatch) -> SessionState:
    state = SessionState()
    monkeypatch.setattr(stage.st, "session_state", state)
    return state


@pytest.fixture(params=quick(RUNS, [RUNS[3]]), ids=lambda run: f"{run[0]}-M{run[1]}-v{run[2]}")
def mine(request: pytest.FixtureRequest) -> Lab:
    return lab(*request.param, max_sweeps=SWEEPS)


@pytest.fixture
def engine(mine: Lab) -> bc.Engine:
    return mine.run.engine


def test_a_model_left_is_charged_nothing_though_no_stage_has_been_drawn_since(mine: Lab) -> None:
    stage_data(mine)
    findings(mine.run)
    mine.run.halt()
    left = mine.run.engine.arrays.charges
    take_model(mine, bc.sample("tree"), {})
    gc.collect()
    assert left not in mine.account.charges


def frames(mine: Lab, first: int, last: int) -> dict[str, Any]:
    """A chunk of events, as the stage gets it."""
    return Encoder(mine.run).frames(first, first, last, more=True)


def events(chunk: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a chunk, one by one."""
    columns = chunk["columns"]
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def test_what_does_not_fit_beside_a_run_is_a_sentence_and_all_else_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "1")
    mrf = bc.sample("tree")
    part = bc.partition(mrf, 14, "greedy")
    mine = Lab(mrf, 14, part, 9, "mplp", WatchedRun(bc.Engine(mrf, part, variant=9)))
    obey(mine.run, command("step", grain="sweep", backward=False, measure="mean"))
    data = stage_data(mine)
    assert data["position"] > 0
    assert len(data["frames"]["columns"]["kind"]) > 0
    mine.run.work.thread.join()
    assert stage_data(mine)["tightness"] is None
    mine.run.start()
    mine.run.work.thread.join()
    assert stage_data(mine)["status"] == "closed"


# -- frames ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_frames_reach_beyond_what_is_computed_and_stop_at_the_end(mine: Lab) -> None:
    engine = bc.Engine(mine.mrf, mine.partition, variant=mine.variant, max_sweeps=3, excluding=True)
    mine.run, count = WatchedRun(engine), 0
    while not engine.finished:
        window = frames(mine, count, count + 96)
        assert window["first"] <= count < window["first"] + len(events(window))
        count = window["first"] + len(events(window))
    assert count == len(engine.trace)
    assert events(frames(mine, count, count + 96)) == []


def test_frames_before_the_run_has_come_so_far_start_where_it_stands(mine: Lab) -> None:
    assert frames(mine, 500, 510)["first"] == 0


def test_a_step_is_sent_whole_so_that_it_can_be_played(mine: Lab) -> None:
    stage_data(mine)
    obey(mine.run, command("step", first=0, grain="sweep", backward=False))
    data = stage_data(mine)
    if data["position"] <= MOST_BEHIND:
        assert data["frames"]["first"] == 0
    # One that holds nothing yet gets what is shown.
    obey(mine.run, command("show", at=data["position"], first=0, has_graph=False))
    kinds = mine.run.engine.trace.column("kind")
    chunk = stage_data(mine)["frames"]
    assert chunk["first"] == 0 or kinds[chunk["first"] - 1] >= Kind.MESSAGE
    assert chunk["first"] + len(events(chunk)) >= data["position"]


# -- the other parts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, 2, 9])
def test_a_short_history_has_every_event(mine: Lab, length: int) -> None:
    engine = mine.run.engine
    engine.run()
    found = history(engine.trace, length, mine.run.opening[0])
    assert found["event"] == list(range(1, length + 1))
    assert found["lower"] == pytest.approx(engine.trace.column("lower_bound")[:length], rel=1e-6)
    assert found["upper"] == pytest.approx(engine.trace.column("upper_bound")[:length], rel=1e-6)


def test_a_long_history_is_thinned_and_keeps_both_ends(mine: Lab) -> None:
    engine = mine.run.engine
    engine.run()
    length = len(engine.trace)
    found = history(engine.trace, length, mine.run.opening[0])
    assert len(found["event"]) == min(length, HISTORY_POINTS)
    assert (found["event"][0], found["event"][-1]) == (1, length)
    assert found["event"] == sorted(set(found["event"]))
    picked = np.array(found["event"]) - 1
    assert found["lower"] == pytest.approx(engine.trace.column("lower_bound")[picked], rel=1e-6)
    # Sweeps and their gains, which sum to the whole rise.
    sweeps = [event for event in engine.trace if event.kind == Kind.SWEEP]
    assert found["sweeps"] == [event.index + 1 for event in sweeps]
    assert sum(found["gains"]) == pytest.approx(sweeps[-1].lower_bound - mine.run.opening[0] if sweeps else 0, rel=1e-5)
    updates = [event.index + 1 for event in engine.trace if event.kind == Kind.MESSAGE]
    assert found["updates"] in (updates, [])


def test_the_graph_is_the_hyper_graph_at_the_start(mine: Lab) -> None:
    engine, part = mine.run.engine, mine.partition
    start = engine.lower_bound, engine.upper_bound
    engine.run(max_sweeps=1)
    view = graph_view(mine.branches, mine.branches.shown)
    assert (view["lower"], view["upper"]) == start
    assert view["edges"] == engine.graph.edges.tolist()
    assert view["exact"] == engine.variant.exact
    assert [node["label"] for node in view["nodes"]] == list(part.labels)
    assert [node["size"] for node in view["nodes"]] == [len(group) for group in part.groups]
    assert view["nodes"][0]["members"] == [mine.mrf.names[i] for i in part.groups[0]]
    points = np.array([[node["x"], node["y"]] for node in view["nodes"]])
    assert points == pytest.approx(hypergraph_layout(mine.mrf, part), abs=1e-3)


def test_the_variables_are_drawn_with_their_groups_and_strongest_couplings(mine: Lab) -> None:
    mrf, drawn = mine.mrf, graph_view(mine.branches, mine.branches.shown)["variables"]
    assert drawn["names"] == list(mrf.names)
    assert drawn["group"] == mine.partition.group_of().tolist()
    assert np.column_stack([drawn["x"], drawn["y"]]) == pytest.approx(variable_layout(mrf), abs=1e-4)
    coupling = {tuple(edge): w for edge, w in zip(mrf.edges.tolist(), mrf.coupling().tolist(), strict=True)}
    shown = [tuple(ends) for sign in ("attractive", "repulsive") for ends in np.reshape(drawn[sign], (-1, 2)).tolist()]
    assert len(shown) == len(set(shown)) == min(np.count_nonzero(mrf.coupling()), LINKS)
    assert all(coupling[edge] < 0 for edge in map(tuple, np.reshape(drawn["attractive"], (-1, 2)).tolist()))
    assert all(coupling[edge] > 0 for edge in map(tuple, np.reshape(drawn["repulsive"], (-1, 2)).tolist()))
    left_out = [abs(w) for edge, w in coupling.items() if edge not in set(shown)]
    assert min(abs(coupling[edge]) for edge in shown) >= max(left_out, default=0.0)


def test_a_hyper_graph_is_identified() -> None:
    keys = {
        graph_view(mine.branches, mine.branches.shown)["key"]
        for name in ("tiny", "karate")
        for size in (2, 3)
        for mine in (lab(name, size, 4), lab(name, size, 9))
    }
    assert len(keys) == 4


@pytest.mark.parametrize("measure", ["mean", "largest", "loose"])
def test_lines_can_be_coloured_by_how_loose_all_states_are(mine: Lab, measure: str) -> None:
    engine = mine.run.engine
    for _ in range(3):
        engine.step("node")
    found = edge_tightness(engine, measure)
    if engine.variant.exact:
        assert found is None
        return
    assert (found["measure"], found["at"]) == (measure, engine.position)
    for edge, (p, q) in enumerate(engine.graph.edges.tolist()):
        worst = []
        for receiver, sender in ((p, q), (q, p)):
            slack = np.maximum(
                looking.min_marginal(engine, receiver, sender) - looking.envelope(engine, receiver, sender), 0.0
            )
            loose = np.mean(slack > 1e-9 * (1 + np.abs(looking.min_marginal(engine, receiver, sender)).max()))
            worst.append({"mean": slack.mean(), "largest": slack.max(), "loose": loose}[measure])
        assert found["values"][edge] == pytest.approx(max(worst), rel=1e-4, abs=1e-9)


# -- obeying --------------------------------------------------------------------------------------------------


def test_a_command_says_what_is_shown_and_wanted(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "AHEAD_SECONDS", 60.0)
    mine.run.engine.run(max_events=20)
    obey(mine.run, asked := command("show", at=5, arc=1, first=12, more=True))
    data = stage_data(mine)
    assert (mine.run.position, mine.run.arc) == (data["position"], data["arc"]) == (5, 1)
    assert data["serial"] == asked["serial"]
    chunk = data["frames"]
    assert chunk["first"] <= 12 < chunk["first"] + len(events(chunk))


@pytest.mark.parametrize("grain", ["event", "round", "node", "sweep"])
def test_stepping_by_command_is_stepping_the_engine(mine: Lab, grain: bc.Grain) -> None:
    plain = bc.Engine(mine.mrf, mine.partition, variant=mine.variant, max_sweeps=SWEEPS)
    plain.step(grain)
    obey(mine.run, command("step", grain=grain, backward=False))
    data = stage_data(mine)
    assert data["position"] == data["seen"] == plain.position
    assert mine.run.engine.lower_bound == plain.lower_bound
    obey(mine.run, command("step", at=plain.position, grain=grain, backward=True))
    data = stage_data(mine)
    assert (data["position"], data["seen"]) == (0, plain.position)
    assert data["history"]["event"][-1] == plain.position


def test_a_source_that_maximises_has_its_own_terms(mine: Lab) -> None:
    view = graph_view(mine.branches, mine.branches.shown)
    objective = mine.mrf.objective
    if mine.mrf.name.startswith("karate"):
        assert view["objective"] == {
            "name": "modularity",
            "sense": "max",
            "scale": objective.scale,
            "offset": objective.offset,
        }
    else:
        assert view["objective"] is None


def test_inspection_changes_nothing(mine: Lab) -> None:
    """A run that is inspected on the way takes the same steps as one that is not."""
    plain = bc.Engine(mine.mrf, mine.partition, variant=mine.variant, max_sweeps=SWEEPS)
    plain.run()
    rng = np.random.default_rng(1)
    arcs, position, seen = 2 * len(mine.run.engine.graph.edges), 0, 0
    for _ in range(60):
        do = rng.choice(["show", "step", "back"])
        more = {"grain": str(rng.choice(["event", "round", "node", "sweep"])), "backward": bool(do == "back")}
        at = int(rng.integers(0, seen + 1)) if do == "show" else position
        kind = "show" if do == "show" else "step"
        measure, ahead = str(rng.choice(["tension", "mean", "largest", "loose"])), int(rng.choice([0, 8, 80]))
        obey(mine.run, command(kind, at=at, arc=int(rng.integers(arcs)), ahead=ahead, measure=measure, **more))
        data = stage_data(mine)
        position, seen = data["position"], data["seen"]
    obey(mine.run, command("run", at=position))
    mine.run.work.thread.join()
    stage_data(mine)
    for name in ("kind", "node", "arc", "state", "rows", "lower_bound", "upper_bound"):
        assert (mine.run.engine.trace.column(name) == plain.trace.column(name)).all(), name


def test_a_command_that_comes_again_is_answered_and_not_done_twice(mine: Lab) -> None:
    """As when its answer was lost with the connection."""
    step = command("step", grain="round", backward=False)
    for _ in range(2):
        obey(mine.run, step)
        data = stage_data(mine)
        assert data["serial"] == step["serial"]
        assert "frames" in data
    plain = bc.Engine(mine.mrf, mine.partition, variant=mine.variant, max_sweeps=SWEEPS)
    plain.step("round")
    assert data["position"] == plain.position


def test_exact_costs_are_those_before_the_messages_pass(mine: Lab) -> None:
    """Wherever in the update they are asked for, and also after it."""
    plain = bc.Engine(mine.mrf, mine.partition, variant=mine.variant, max_sweeps=SWEEPS)
    plain.step("sweep")
    mine.run.engine.run(max_events=len(plain.trace))
    trace = mine.run.engine.trace
    opened = [event.index + 1 for event in trace if event.kind == Kind.NODE_OPENED][-1]
    plain.seek(opened)
    p = plain.trace[opened - 1].node
    states = [0, plain.graph.energies(p).size - 1]
    for at in (opened, len(trace)):
        obey(mine.run, command("exact", at=at, opened=opened, states=[*states, 2**40]))
        data = stage_data(mine)
        assert data["position"] == at
        assert (data["exact"]["opened"], data["exact"]["states"]) == (opened, states)
        neighbours = looking.ground_parts(plain, p).neighbours.tolist()
        expected = np.array([looking.min_marginal(plain, p, q, states) for q in neighbours]).reshape(-1, 2).T
        assert np.array(data["exact"]["nu"]) == pytest.approx(expected, abs=1e-9)
    obey(mine.run, command("exact", at=2, opened=10**6, states=[0]))
    assert stage_data(mine)["exact"] is None
    obey(mine.run, command("show", at=2))
    assert stage_data(mine)["exact"] is None


def test_running_to_the_end_and_coming_back(mine: Lab) -> None:
    obey(mine.run, command("run"))
    mine.run.work.thread.join()
    obey(mine.run, command("poll"))
    data = stage_data(mine)
    engine = mine.run.engine
    assert data["running"] is None
    assert data["position"] == data["done"] == len(engine.trace)
    assert data["status"] == STATUSES[engine.status] != STATUSES[Status.RUNNING]
    assert data["history"]["lower"][-1] == pytest.approx(engine.lower_bound, rel=1e-6)
    obey(mine.run, command("show", at=2))
    data = stage_data(mine)
    assert (data["position"], data["done"]) == (2, len(engine.trace))


def test_a_busy_run_ignores_other_commands(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    stage_data(mine)
    engine, gate, waiting = mine.run.engine, threading.Event(), threading.Event()
    run = engine.run

    def wait_and_run(**more: Any) -> bool:
        waiting.set()
        gate.wait()
        return run(**more)

    monkeypatch.setattr(engine, "run", wait_and_run)
    obey(mine.run, command("run"))
    assert waiting.wait(60)
    at, before, rows = engine.position, mine.run.progress.events, mine.run.progress.rows_made
    for do in ("poll", "show", "step", "run"):
        obey(mine.run, command(do, at=0, grain="round", backward=False))
        data = stage_data(mine)
        assert data["running"]["events"] == mine.run.progress.events == before
        assert data["running"]["history"] == history(engine.trace, before, mine.run.opening[0])
        assert data["running"]["rows"] == rows.tolist()
        assert "frames" not in data
        assert engine.position == at
    gate.set()
    mine.run.work.thread.join()
    assert stage_data(mine)["position"] == len(engine.trace)


def test_the_stage_goes_to_pages_it_knows_and_to_no_others() -> None:
    said = {"lesson": "row", "done": 3}
    assert destination(command("go", page="learn", fields=said)) == ("learn", {"lesson": "row", "done": "3"})
    assert destination(command("go", page="edge", fields={})) == ("edge", {})
    assert destination(command("go", page="../app", fields={})) is None
    assert destination(command("show")) is None


def test_every_kind_of_event_leads_to_the_lesson_that_explains_it(mine: Lab) -> None:
    lessons = graph_view(mine.branches, mine.branches.shown)["lessons"]
    assert [slug for slug, _ in lessons[1:]] == ["envelope", "row", "message", "bound", "bound"]
    assert lessons[0][0] == ("groups" if mine.run.engine.variant.exact else "recycle")
    assert [title for _, title in lessons] == [LESSONS[slug].title for slug, _ in lessons]


def test_the_end_is_sent_before_it_is_reached_and_only_then() -> None:
    mine = lab("tiny", 3, 9, max_sweeps=SWEEPS)
    data = stage_data(mine)
    assert data["position"] == 0
    assert data["done"] == len(mine.run.engine.trace)
    mine = lab("pose", 8, 9, max_sweeps=SWEEPS)
    assert stage_data(mine)["done"] is None


def test_a_model_in_one_group_can_be_watched() -> None:
    mrf = bc.sample("tiny")
    part = bc.partition(mrf, 6, "greedy")
    mine = Lab(mrf, 6, part, 9, "mplp", WatchedRun(bc.Engine(mrf, part, variant=9)))
    assert len(part) == 1
    data = stage_data(mine)
    assert data["arc"] == -1
    obey(mine.run, command("run", arc=-1))
    mine.run.work.thread.join()
    data = stage_data(mine)
    assert data["history"]["lower"][-1] == pytest.approx(-3)
    assert data["status"] == "closed"


# -- on the wire ----------------------------------------------------------------------------------------------


def test_what_is_sent_is_plain_json(mine: Lab) -> None:
    for _ in range(3):
        obey(mine.run, command("step", at=mine.run.position, grain="node", backward=False))
        data = stage_data(mine)
        assert json.loads(json.dumps(data, allow_nan=False)) == data


@pytest.mark.slow
def test_even_a_step_in_a_long_update_is_sent_in_less_than_a_megabyte() -> None:
    mine = lab("pose", 8, 9, max_sweeps=SWEEPS)
    mine.run.engine.run()
    sizes = []
    for position in range(0, len(mine.run.engine.trace), 300):
        obey(mine.run, command("show", at=position, first=position + LOW))
        sizes.append(len(json.dumps(stage_data(mine))))
    assert max(sizes) <= 1_000_000
    assert np.median(sizes) <= 300_000


def test_the_first_picture_is_not_large() -> None:
    for name, max_size in (("pose-small", 8), ("pose", 16), ("torus-10x10", 10)):
        assert len(json.dumps(stage_data(lab(name, max_size, 9, max_sweeps=SWEEPS)))) <= 100_000


def test_the_graph_is_laid_out_once_a_run(mine: Lab, session_state: SessionState) -> None:
    first = stage_data(mine)["graph"]
    assert stage_data(mine)["graph"] is first
    obey(mine.run, command("show"))
    assert stage_data(mine)["graph"] is None, "the stage that asks holds it"
    assert stage_data(mine)["graph"] is first, "one that is mounted anew does not"
    mine.repartition(mine.partition, mine.max_size, mine.variant, mine.schedule)
    assert stage_data(mine)["graph"] is not first
    assert stage_data(mine)["run"] == 1


def test_a_click_that_arrives_after_its_page_was_left_is_harmless(session_state: SessionState) -> None:
    session_state.lab = here = lab("tiny", 3, 9, max_sweeps=SWEEPS)
    stage._on_command()
    assert clicked_point("a chart of that page") is None
    assert here.run.position == 0
    assert set(session_state) == {"lab"}


def test_while_forks_of_an_address_are_made_no_press_reaches_their_run(
    session_state: SessionState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Replay, "start", lambda replay, _: None)
    session_state.lab = mine = linked(FIRST | {"forks": "40.variant-4", "at": "3"})
    assert mine.replay is not None
    session_state.talk = Talk("t", [Moment("sample=tiny&M=3&at=1")])
    for run in (mine.number, mine.number - 1):
        session_state.stage = {"command": command("moment", moment=0, run=run)}
        stage._on_command()
    assert session_state.talk.at == -1
    assert session_state.lab is mine


def test_every_command_has_an_action() -> None:
    assert set(stage.ACTIONS) == set(get_args(get_type_hints(protocol.EveryCommand)["do"]))


def test_a_moment_is_kept_once_though_the_stage_asks_again(mine: Lab) -> None:
    kept: Any = command("keep", query="sample=tiny&M=3&at=1")
    for _ in range(2):
        stage.carry_out(mine, kept)
    talk = present_talk()
    assert talk is not None
    assert len(talk.moments) == 1


@pytest.mark.parametrize("query", ["", "groups=" + "0-" * 3000], ids=["no link", "too long"])
def test_a_moment_that_no_link_can_show_is_refused(mine: Lab, query: str) -> None:
    kept: Any = command("keep", query=query)
    stage.carry_out(mine, kept)
    assert mine.notice.startswith("This moment is not in the talk: ")
    assert present_talk() is None
