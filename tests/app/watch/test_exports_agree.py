"""Every file that is taken away says what the page says at that moment: bounds, sweep, message, tension, name."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from typing import Any

import numpy as np
import pytest

from bender_core.kernels.layout import Kind
from bender_core.visualization.figures import LOOSE
from pages._shared.app.session import Lab
from pages._shared.watch import stage
from pages._shared.watch.event_frames import Encoder
from pages._shared.watch.saving import figures, message_of, outcome, saved
from pages._shared.watch.stage_views import graph_view
from tests.labs import SessionState, command, is_shown, lab, near, proven_lab
from tests.tiers import quick, thinned
from tests.unit.engine.test_exports import said_by

RUNS = [
    ("torus-10x10", 5, 9, "mplp", (0, 1, 6, 460, None)),
    ("pose-small", 8, 12, "srmp", (40, None)),
    ("frustrated-cycle", 4, 4, "mplp", (3, None)),
]
pytestmark = pytest.mark.usefixtures("answered")


@pytest.fixture(
    params=thinned([(*run[:4], at) for run in RUNS for at in run[4]], 9), ids=lambda run: f"{run[0]}-v{run[2]}-{run[4]}"
)
def mine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A run at one of its events, or at its end."""
    monkeypatch.setattr(stage.st, "session_state", SessionState())
    *settings, at = request.param
    found = lab(*settings)
    found.origin = {"sample": settings[0]}
    found.run.engine.run()
    found.run.show(len(found.run.engine.trace) if at is None else at)
    found.run.engine.seek(found.run.position)
    return found


def page(mine: Lab) -> dict[str, Any]:
    """What Watch draws there: the bounds, the tension, the sweep and the message of the event."""
    position = mine.run.position
    chunk = Encoder(mine.run).frames(position, position, position)
    stated, columns = dict(chunk["before"]), chunk["columns"]
    tension = {name: list(values) for name, values in stated["tension"].items()}
    for moved in filter(None, columns["moved"]):
        for name in ("groups", "edges"):
            for place, value in moved[name].items():
                tension[name][int(place)] = value
    lower = columns["lower"][-1] if columns["lower"] else stated["lower"]
    upper = columns["upper"][-1] if columns["upper"] else stated["upper"]
    kinds, sweeps, arcs = columns["kind"], columns["sweep"], columns["arc"]
    # As the stage writes it: the event that ends a run belongs to no sweep.
    trace = mine.run.engine.trace
    events = [event for event in (trace[k] for k in range(position)) if event.kind != Kind.FINISHED]
    arc = mine.run.arc if mine.run.pinned else arcs[-1] if kinds else -1
    assert not kinds or kinds[-1] == Kind.FINISHED or sweeps[-1] == events[-1].sweep
    return {
        "lower": lower,
        "upper": upper,
        "tension": tension,
        "sweep": 1 + (events[-1].sweep if events else 0),
        "arc": arc,
    }


def files_of(mine: Lab) -> dict[str, Any]:
    """The files, by what comes last in their names."""
    return {name.rpartition("_")[2]: content for name, (_, content) in saved(mine).files.items()}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_file_says_what_the_page_says(mine: Lab) -> None:
    shown, files, engine = page(mine), files_of(mine), mine.run.engine
    title = html.unescape(re.search("<h1>(.*)</h1>", files["figures.html"])[1])
    place = f"sweep {shown['sweep']}, event {mine.run.position}"
    bounds = re.fullmatch(
        rf"{re.escape(mine.mrf.name)}, M {mine.max_size}, variant {mine.variant}, {mine.schedule}; {place}: "
        r"lower bound (\S+), upper bound (\S+)",
        title,
    )
    assert bounds is not None, title
    assert is_shown(shown["lower"], bounds[1])
    assert is_shown(shown["upper"], bounds[2])
    # The tension of all parts.
    labels, edges = engine.partition.labels, engine.graph.edges.tolist()
    told = rows_of(files["parts.csv"])
    groups = [float(row["tension"]) for row in told if row["part"] == "group"]
    parts = {(row["group"], row["neighbour"]): float(row["tension"]) for row in told if row["part"] == "edge"}
    assert near(groups, shown["tension"]["groups"])
    assert near([parts[labels[p], labels[q]] for p, q in edges], shown["tension"]["edges"])
    assert float(told[-1]["tension"]) == pytest.approx(shown["upper"] - shown["lower"], abs=1e-6)
    # The trace ends at the event, with its bounds.
    trace = rows_of(files["trace.csv"])
    assert len(trace) == mine.run.position
    if trace:
        assert (float(trace[-1]["lower_bound"]), float(trace[-1]["upper_bound"])) == (shown["lower"], shown["upper"])
    # The labelling has the energy that is shown, and the script says so too.
    labeling = json.loads(files["labeling.json"])["labeling"]
    assert mine.mrf.energy([labeling[name] for name in mine.mrf.names]) == pytest.approx(shown["upper"])
    said = said_by(files["run.py"])
    assert (float(said["lower bound"]), float(said["upper bound"])) == (shown["lower"], shown["upper"])
    assert said["labeling"] == "".join(str(labeling[name]) for name in mine.mrf.names)


def test_the_graph_that_is_exported_is_coloured_by_tension(mine: Lab) -> None:
    shown, engine = page(mine), mine.run.engine
    drawn = figures(mine)
    (caption,) = [caption for caption in drawn if caption.startswith("Tension")]
    *lines, nodes = drawn[caption].data
    edges, most = np.array(shown["tension"]["edges"]), max(shown["tension"]["edges"], default=0.0)
    held = edges > 1e-8 * engine.graph.problem.scale
    level = np.ceil(edges / most * len(LOOSE) - 1e-6).clip(1) * held if most else np.zeros(len(edges))
    assert [len(line.x) // 3 for line in lines] == [int((level == k).sum()) for k in range(1 + len(LOOSE))]
    # The edge that holds most of the gap is among the darkest, wherever its rows are tight.
    if most:
        assert "tension" in lines[-1].name
        assert int(edges.argmax()) in np.flatnonzero(level == len(LOOSE))
    inside = [float(each[3]) for each in nodes.customdata]
    assert near(inside, shown["tension"]["groups"], rel=1e-4, abs=1e-8 * engine.graph.problem.scale)
    slack = [caption for caption in drawn if caption.startswith("Slack")]
    assert bool(slack) == (not engine.variant.exact)


@pytest.mark.parametrize("pinned", quick([None, 0, 7], [None, 7]))
def test_the_message_that_is_exported_is_the_one_that_the_page_shows(mine: Lab, pinned: int | None) -> None:
    if pinned is not None:
        stage.obey(
            mine.run, command("show", at=mine.run.position, arc=min(pinned, 2 * len(mine.run.engine.graph.edges) - 1))
        )
        mine.run.settle()
        mine.run.engine.seek(mine.run.position)
    shown, engine = page(mine), mine.run.engine
    arc, why = message_of(mine)
    if shown["arc"] >= 0:
        assert arc == shown["arc"]
        assert why == ("which the event shown is about" if pinned is None else "which is pinned")
    else:
        edges = shown["tension"]["edges"]
        assert edges[arc // 2] == max(edges)
        assert why == "whose edge holds most of the gap"
    (caption,) = [caption for caption in figures(mine) if caption.startswith("The message ")]
    receiver, sender = engine.graph.ends(arc)
    assert caption.startswith(
        f"The message {engine.partition.labels[sender]} → {engine.partition.labels[receiver]}, {why}:"
    )


def test_a_bound_of_an_earlier_chapter_is_exported_as_the_page_says_it() -> None:
    mine = proven_lab("pose-small", 4, 9, 60)
    last = mine.branches.shown
    mine.run.show(0)
    mine.run.engine.seek(0)
    # As where it was cut anew, and begins lower than the run before ended.
    last.lower_before = mine.run.engine.lower_bound + 1.0
    kept = stage.chapters_view(mine.branches)[-1]["kept"]
    lower = kept["lower"]
    assert lower == last.lower_before
    assert graph_view(mine.branches, mine.branches.shown)["lower"] == mine.run.engine.lower_bound
    found = re.search(r"lower bound (\S+), upper bound", outcome(mine))
    assert is_shown(lower, found[1])
    assert mine.branches.shown is last
