"""One run, one position: Watch, Edge and the saved files say the same numbers."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.looking.classes import class_of, classes
from bender_core.model import FloatArray
from pages._shared.app.naming import moment
from pages._shared.watch import stage
from pages._shared.watch.saving import outcome, parts_csv
from pages._shared.watch.stage import obey, stage_data
from tests.app.pages.test_pages import app, press, ran
from tests.app.pages.test_pages import lab as lab_of
from tests.labs import SessionState, command, lab
from tests.tiers import thinned

RUNS = [("pose-small", 8, 9, "mplp"), ("torus-10x10", 5, 4, "srmp"), ("karate", 6, 12, "mplp")]
SHARE = re.compile(r"([0-9.e+]+) % of the states")


@pytest.mark.slow
@pytest.mark.parametrize("run", thinned(RUNS, 3), ids=lambda run: f"{run[0]}-v{run[2]}")
def test_a_message_is_as_loose_on_watch_as_on_edge_at_every_event(
    run: tuple[str, int, int, str], answered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage.st, "session_state", SessionState())
    mine = lab(*run, max_sweeps=4)
    engine = mine.run.engine
    engine.run()
    rng = np.random.default_rng(3)
    for position in rng.integers(1, len(engine.trace) + 1, 25).tolist():
        edge = int(rng.integers(len(engine.graph.edges)))
        obey(mine.run, command("show", at=position, first=position - 1, measure="mean"))
        chunk = stage_data(mine)["frames"]
        mine.run.work.thread.join()
        obey(mine.run, command("poll", at=position))
        measured = stage_data(mine)["tightness"]
        assert engine.position == mine.run.position == position
        if engine.variant.exact:
            assert measured is None
        else:
            p, q = engine.graph.edges[edge]
            slack = [classes(engine, *ends).slack.mean() for ends in ((p, q), (q, p))]
            assert measured["at"] == position
            assert measured["values"][edge] == pytest.approx(max(slack), rel=1e-6, abs=1e-12)
        # The sweep is that of the last event, also where a sweep has just ended.
        event = position - 1 - chunk["first"]
        assert moment(engine) == f"sweep {chunk['columns']['sweep'][event] + 1}, event {position}"
        assert moment(engine) in outcome(mine)


@pytest.mark.slow
@pytest.mark.parametrize("run", thinned(RUNS[:2], 2), ids=lambda run: f"{run[0]}-v{run[2]}")
def test_y_is_that_of_the_last_event_of_the_receivers_update(run: tuple[str, int, int, str]) -> None:
    engine = lab(*run, max_sweeps=2).run.engine
    engine.run()
    last: dict[int, int] = {}
    for event in list(engine.trace)[:160]:
        engine.seek(event.index + 1)
        last[event.node] = event.state
        for arc in range(0, 2 * len(engine.graph.edges), 5):
            p, q = engine.graph.ends(arc)
            if p in last:
                assert classes(engine, p, q).at_oracle == class_of(engine, arc, last[p])


def test_the_edge_page_says_the_sweep_the_event_and_the_share_of_tight_states() -> None:
    test = app("edge")
    run = lab_of(test).run
    for word in ("round", "group", "sweep", "round"):
        press(test, f"{word} ▶")
        ran(test)
        (said,) = [caption.value for caption in test.caption if "this message depends on" in caption.value]
        engine = run.engine
        engine.seek(run.position)
        assert said.startswith(f"Sweep {looking.last_event(engine).sweep + 1}, event {run.position}: ")
        tight = classes(engine, *engine.graph.ends(run.arc)).tight
        assert float(SHARE.search(said).group(1)) == pytest.approx(100 * tight.mean(), rel=5e-3)


def rounded(tension: FloatArray) -> list[float]:
    """As it is, but for what rounding leaves of none: that is none."""
    return np.where(tension > 1e-11, tension, 0.0).tolist()


def numbers(parts: list[dict[str, str]], kind: str, column: str) -> list[float]:
    """Of the parts of a kind."""
    return [float(part[column]) for part in parts if part["part"] == kind]


@pytest.mark.parametrize("position", [0, 1, 40, 200])
def test_the_parts_in_the_file_are_those_of_the_run_and_add_up(position: int) -> None:
    engine = lab("pose-small", 8, 9).run.engine
    engine.run(max_events=position)
    (*parts, rest, total) = csv.DictReader(io.StringIO(parts_csv(engine)))
    labels, edges = engine.partition.labels, engine.graph.edges.tolist()
    tension, gained, work = looking.tension(engine), looking.attribution(engine), looking.work(engine)
    ends = {
        "group": [(name, "") for name in labels],
        "edge": [(labels[p], labels[q]) for p, q in edges],
        "message": [(labels[p], labels[q]) for p, q in map(engine.graph.ends, range(2 * len(edges)))],
    }
    for kind, names in ends.items():
        assert [(part["group"], part["neighbour"]) for part in parts if part["part"] == kind] == names
    assert numbers(parts, "group", "tension") == rounded(tension.groups)
    assert numbers(parts, "edge", "tension") == rounded(tension.edges)
    both = zip(numbers(parts, "edge", "disagreement"), numbers(parts, "edge", "unclaimed"), strict=True)
    assert list(map(sum, both)) == pytest.approx(rounded(tension.edges), rel=1e-9, abs=1e-9)
    assert numbers(parts, "group", "gained") == gained.groups.tolist()
    assert numbers(parts, "message", "gained") == gained.messages.tolist()
    assert numbers(parts, "message", "work") == work.messages.tolist()
    assert numbers(parts, "message", "rows") == looking.rows_made(engine).tolist()
    assert (rest["part"], int(rest["work"])) == ("rest", work.rest)
    assert total["part"] == "sum"
    assert float(total["tension"]) == pytest.approx(engine.upper_bound - engine.lower_bound, rel=1e-9)
    risen = engine.lower_bound - looking.opening_bound(engine)
    assert float(total["gained"]) == pytest.approx(risen, rel=1e-9, abs=1e-9)
    for column in ("tension", "gained", "work", "rows"):
        found = [float(part[column]) for part in (*parts, rest) if part[column]]
        assert float(total[column]) == pytest.approx(sum(found), rel=1e-9)
    assert int(total["rows"]) == engine.n_rows


def test_what_there_is_no_room_for_is_left_empty_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = lab("tiny", 3, 9).run.engine

    def refuse(engine: bc.Engine, p: int, q: int) -> None:
        raise bc.TooLargeError("no room", 1, 0)

    monkeypatch.setattr(looking, "edge_tension", refuse)
    parts = list(csv.DictReader(io.StringIO(parts_csv(engine))))
    assert all(part["disagreement"] == part["unclaimed"] == "" for part in parts)
