"""The picture is the engine's: what every mark claims, and where it stands, at events drawn at random."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import bender_core as bc
from bender_core import looking
from bender_core.engine.gap import relative_gap
from bender_core.kernels.layout import Kind
from bender_core.looking.decided import decided, proves
from pages._shared.app.session import Lab
from pages._shared.running.watched import WatchedRun
from tests.chromium import told
from tests.component.mounting import PAINTED, SETTLED, Stage
from tests.labs import is_shown, lab
from tests.tiers import thinned

EVENTS = 40  # of every model
PIXELS = 2  # of those are compared by pixel too
RUNS = {
    "pose": ("pose-small", 8, 9, "mplp"),
    "kinds of rows": ("pose-small", 6, 8, "srmp"),
    "exact": ("pose-small", 8, 11, "mplp"),
    "torus": ("torus-10x10", 10, 5, "mplp"),
    "cycle": ("frustrated-cycle", 3, 9, "mplp"),
}
# What is drawn at a position, and what is said in the lines above it and below.
LOOK = f"""async (root, position) => {{
    const {{ stage }} = root;
    stage.player.show(position);
    await ({SETTLED})(root);
    await {PAINTED};
    const outs = [...root.querySelectorAll('[data-out]')].map((out) => [out.dataset.out, out.innerText]);
    const lines = ['where', 'sentence'].map((name) => [name, stage.$(`.${{name}}`).innerText]);
    return [stage.marks(), Object.fromEntries([...outs, ...lines])];
}}"""
NEAR = 1e-6  # of the numbers sent, relative to the energy at stake
PIXEL = 1.5

Mark = dict[str, Any]


class Picture:
    """The marks drawn at one event, and the engine there."""

    def __init__(self, marks: list[Mark], engine: bc.Engine, position: int) -> None:
        self.marks, self.engine, self.position = marks, engine, position
        engine.seek(position)
        self.event = engine.trace[position - 1]
        self.close = NEAR * engine.graph.problem.scale + 1e-12 * abs(engine.lower_bound)

    def of(self, picture: str, what: str | None = None) -> list[Mark]:
        """The marks of a picture that mean something of a kind, or anything."""
        mine = [mark for mark in self.marks if mark["picture"] == picture]
        return mine if what is None else [mark for mark in mine if (mark.get("means") or {}).get("what") == what]

    def one(self, picture: str, what: str, shape: str) -> Mark | None:
        found = [mark for mark in self.of(picture, what) if mark["shape"] == shape]
        assert len(found) <= 1
        return found[0] if found else None

    def height(self, picture: str) -> Callable[[float], float]:
        """Where an energy stands, from the labels of the axis; NaN if it has fewer than two."""
        levels = [mark for mark in self.of(picture) if str(mark["id"]).startswith("level ")]
        energies = [float(str(mark["text"]).replace("−", "-")) for mark in levels]
        if len(energies) < 2:
            return lambda energy: float("nan")
        slope, start = np.polyfit(energies, [mark["y"] - 5 for mark in levels], 1)
        return lambda energy: slope * energy + start

    def box(self, picture: str) -> tuple[float, float]:
        """The top and the bottom of the columns."""
        bars = [mark for mark in self.of(picture, "ground") if mark["shape"] == "rect"]
        top = min(mark["y"] for mark in self.of(picture) if str(mark["id"]).startswith("column "))
        return top, max(mark["y"] + mark["height"] for mark in bars)


def said(mark: Mark) -> float:
    return float(mark["means"]["value"])


def check_bounds(seen: Picture) -> None:
    """LB and UB: their numbers, and where their lines are."""
    engine = seen.engine
    for what, bound in (("lb", engine.lower_bound), ("ub", engine.upper_bound)):
        marks = seen.of("fan", what) + seen.of("ground", what)
        assert marks, what
        for mark in marks:
            assert said(mark) == pytest.approx(bound, abs=seen.close)
            if mark["shape"] == "text":
                number = re.findall(r"[−\d.]+(?:e[−+]?\d+)?$", str(mark["text"]))
                assert is_shown(said(mark), number[0])
            elif mark["shape"] == "line":
                assert mark["y1"] == mark["y2"] == pytest.approx(seen.height("ground")(bound), abs=PIXEL)


def check_tensions(seen: Picture) -> None:
    """Lines, circles and the list of the gap's parts."""
    engine, tension = seen.engine, looking.tension(seen.engine)
    lines = sorted(seen.of("lines", "tension"), key=said)
    assert [mark["means"]["edge"] for mark in sorted(lines, key=lambda m: m["means"]["edge"])] == list(
        range(len(tension.edges))
    )
    for mark in lines:
        assert said(mark) == pytest.approx(max(tension.edges[mark["means"]["edge"]], 0.0), abs=seen.close)
    for low, high in itertools.pairwise(lines):
        # More tension is wider, and darker on a light page.
        assert low["stroke-width"] <= high["stroke-width"]
        assert shade(low["stroke"]) >= shade(high["stroke"]) - 1
    for mark in seen.of("circles", "tension"):
        assert said(mark) == pytest.approx(max(tension.groups[mark["means"]["group"]], 0.0), abs=seen.close)
    parts = seen.of("gaps", "gap part")
    gap = engine.upper_bound - engine.lower_bound
    assert sum(map(said, parts)) == pytest.approx(max(gap, 0.0), abs=seen.close * (1 + len(tension.edges)))
    listed = [mark for mark in parts if not mark["means"].get("others")]
    assert [said(mark) for mark in listed] == sorted(map(said, listed), reverse=True)
    for mark in listed:
        edge, group = mark["means"].get("edge"), mark["means"].get("group")
        value = tension.groups[group] if edge is None else tension.edges[edge]
        assert said(mark) == pytest.approx(max(value, 0.0), abs=seen.close)


def shade(colour: str) -> int:
    return sum(map(int, re.findall(r"\d+", colour)))


def check_ground(seen: Picture) -> None:
    """Every column, floor, ceiling, suspects, y* and the best labelling's state."""
    engine, event = seen.engine, seen.event
    p, passed = event.node, event.kind == Kind.MESSAGE
    bound = engine.lower_bound
    if passed:
        # The ground of the update that has just ended is that before its messages.
        engine.seek(seen.position - 1)
    ground, found = looking.ground(engine, p), looking.open_update(engine)
    assert found is not None
    height = seen.height("ground")
    top, bottom = seen.box("ground")
    columns = seen.of("ground", "ground")
    assert columns
    drawn: dict[int, float] = {}
    for kind in ("ground", "lifted earlier", "lifted"):
        for mark in seen.of("ground", kind):
            state = mark["means"]["state"]
            drawn[state] = min(drawn.get(state, np.inf), mark["y"])
    cut = {str(mark["id"]) for mark in seen.of("ground") if str(mark["id"]).startswith("cut ")}
    for mark in columns:
        state = mark["means"]["state"]
        assert said(mark) == pytest.approx(ground[state], abs=seen.close)
        wanted = height(ground[state])
        assert drawn[state] == pytest.approx(max(wanted, top), abs=PIXEL)
        # What does not fit is seen to be cut.
        assert (f"cut {state}" in cut) == (wanted < top - PIXEL) or abs(wanted - top) < PIXEL
    cheapest = int(ground.argmin())
    assert cheapest in drawn or height(ground[cheapest]) > bottom
    floor = event.floor if passed else found.floor
    ceiling = event.ceiling if passed else found.ceiling
    for what, value in (("floor", floor), ("ceiling", ceiling)):
        for mark in seen.of("ground", what) + seen.of("fan", what):
            assert said(mark) == pytest.approx(value, abs=seen.close)
            if mark["shape"] == "line":
                assert mark["y1"] == mark["y2"] == pytest.approx(height(value), abs=PIXEL)
    if not passed:
        assert seen.one("ground", "floor", "line") is not None or not top <= height(floor) <= bottom
        assert (seen.one("ground", "ceiling", "line") is not None) == (
            not np.isnan(ceiling) and top <= height(ceiling) <= bottom
        )
    if found.suspects >= 0 and not passed:
        assert [said(mark) for mark in seen.of("ground", "suspects")] in ([], [found.suspects])
    asked = looking.exact_costs(engine)
    for mark in seen.of("ground", "exact"):
        state = mark["means"]["state"]
        assert said(mark) == pytest.approx(ground[state] if engine.variant.exact else asked[state], abs=seen.close)
    stars = [mark["means"]["state"] for mark in seen.of("ground", "y*")]
    assert stars in ([], [event.state]), event
    best = engine.graph.states(engine.labeling)[p]
    assert [mark["means"]["state"] for mark in seen.of("ground", "best")] in ([], [best])
    check_message(seen, p)
    engine.seek(seen.position)
    assert engine.lower_bound == bound


def check_message(seen: Picture, p: int) -> None:
    """The bars of the message shown, the neighbour's answer and the row, at the state before the messages pass."""
    engine, event = seen.engine, seen.event
    parts, height = looking.ground_parts(engine, p), seen.height("message")
    shown = {mark["means"]["arc"] for mark in seen.of("message", "envelope")}
    if event.arc >= 0:
        # The message shown is that of the event: the loosest of an answer, that of a row.
        assert shown in (set(), {event.arc})
    for mark in seen.of("message", "envelope"):
        slot = parts.arcs.tolist().index(mark["means"]["arc"])
        assert said(mark) == pytest.approx(parts.parts[slot][mark["means"]["state"]], abs=seen.close)
    for mark in seen.of("message", "nu"):
        answers = {
            int(arc): answer for arc, answer in zip(parts.arcs, looking.answers(engine, p, event.state), strict=True)
        }
        exact = answers[mark["means"]["arc"]].exact
        assert mark["means"]["state"] == event.state
        assert said(mark) == pytest.approx(exact, abs=seen.close)
        if mark["shape"] == "circle":
            assert mark["cy"] == pytest.approx(height(exact), abs=PIXEL) or np.isnan(height(exact))
    for mark in seen.of("message", "row"):
        row = looking.row(engine, mark["means"]["row"])
        assert row.made_for == p
        value = row.intercept - sum(terms[mark["means"]["state"] >> k & 1] for k, terms in enumerate(row.u))
        assert said(mark) == pytest.approx(value, abs=seen.close)


def check_formula(seen: Picture, sentence: str) -> None:
    """The sentence and the formula are of the same row, and so of the same message."""
    engine, event = seen.engine, seen.event
    spans = {str(mark["id"]): mark for mark in seen.of("formula")}
    assert ("row" in spans) == (event.kind == Kind.ROW)
    if event.kind != Kind.ROW:
        return
    _, sender = engine.graph.ends(event.arc)
    name, truth = engine.partition.labels[sender], float(event.value)
    assert f"on the message from {name} a " in sentence
    said_from = re.search(r" row from (.*) at y\*:$", str(spans["row"]["text"]))
    assert said_from is not None
    assert name.startswith(said_from[1].rstrip("…").rstrip())
    assert spans["value"]["means"] | {"value": None} == {
        "what": "row",
        "row": event.row,
        "state": event.state,
        "value": None,
    }
    assert said(spans["value"]) == pytest.approx(truth, abs=10 * seen.close)
    shown = str(spans["value"]["text"]).removeprefix("= ")
    assert abs(float(shown.replace("−", "-")) - truth) <= 1.5 * 10.0 ** -len(shown.partition(".")[2])


def check_lines(seen: Picture, lines: dict[str, str]) -> None:
    """The lines above the panes: bounds, gap, rows, what is undecided, and the place."""
    engine, event = seen.engine, seen.event
    bounds = engine.lower_bound, engine.upper_bound
    for name, bound in zip(("lower", "upper"), bounds, strict=True):
        assert is_shown(bound, lines[name].split()[0])
    proven = "optimal" in lines["sentence"] or lines["undecided"].startswith("0 of")
    if lines["gap"] == "0, closed":
        assert proven
    else:
        assert is_shown(100 * relative_gap(*bounds), lines["gap"].removesuffix(" %"))
    assert lines["rows"] == str(engine.n_rows)
    assert lines["where"].endswith(f"sweep {event.sweep + 1} · event {seen.position}")
    open_members = int((decided(engine).value < 0).sum())
    assert lines["undecided"] == f"{open_members} of {engine.mrf.n}" or (proven and proves(engine))


def check_bits(seen: Picture) -> None:
    """The state written into every circle: y*, a neighbour's answer, or that of the best labelling."""
    engine, event = seen.engine, seen.event
    best = engine.graph.states(engine.labeling)
    for mark in seen.of("circles"):
        means = mark.get("means") or {}
        if "bits" not in means:
            continue
        group, bits = means["group"], str(means["bits"])
        state = sum(int(bit) << k for k, bit in enumerate(bits))
        if means["what"] == "best":
            assert state == best[group]
        elif means["what"] == "y*":
            assert (group, state) == (event.node, event.state)
        else:
            answers = {answer.sender: answer for answer in looking.answers(engine, event.node, event.state)}
            assert state == answers[group].state


def check_pixels(stage: Stage) -> None:
    """The floor and LB are on the screen where their marks are, in their colours."""
    shot = np.array(Image.open(io.BytesIO(stage.page.screenshot())).convert("RGB")).astype(int)
    for selector, paint in (("svg.ground [data-mark=floor]", "stroke"), ("svg.fan [data-mark='lb now']", "fill")):
        mark = stage.root.locator(selector)
        if mark.count() == 0:
            continue
        x, y, colour = mark.evaluate(
            """(mark, paint) => {
                const { left, top, width, height } = mark.getBoundingClientRect();
                return [left + width / 2, top + height / 2, getComputedStyle(mark)[paint]];
            }""",
            paint,
        )
        wanted = np.array(list(map(int, re.findall(r"\d+", colour)[:3])))
        around = shot[int(y) - 1 : int(y) + 2, int(x) - 30 : int(x) + 31].reshape(-1, 3)
        assert np.abs(around - wanted).sum(axis=1).min() < 60, selector


# The left ends of the labels of the energy axis, in pixels of their chart.
STARTS = """({ stage }) => [...stage.charts.ground.svg.querySelectorAll("text.soft")]
    .filter((label) => label.getAttribute("text-anchor") === "end")
    .map((label) => label.getBoundingClientRect().left - stage.charts.ground.svg.getBoundingClientRect().left)"""


def labels_are_whole(stage: Stage) -> None:
    starts = stage.root.evaluate(STARTS)
    assert len(starts) > 1
    assert min(starts) >= 0


@pytest.mark.parametrize("constant", [1e9, -1e12, 1e-9])
def test_labels_of_the_axis_are_whole(watched: Callable[..., Stage], constant: float) -> None:
    mrf = replace(lab("tiny", 3, 9).mrf, constant=constant)
    part = bc.partition(mrf, 3)
    stage = watched(Lab(mrf, 3, part, 9, "mplp", WatchedRun(bc.Engine(mrf, part, variant=9))))
    for _ in range(5):
        labels_are_whole(stage)
        stage.step("round")


def test_a_large_constant_moves_no_column(watched: Callable[..., Stage]) -> None:
    mrf = replace(lab("pose-small", 6, 9).mrf, constant=1e8)
    part = bc.partition(mrf, 6)
    engine, plain = (bc.Engine(mrf, part, variant=9, max_sweeps=1) for _ in range(2))
    engine.run()
    plain.run()
    stage = watched(Lab(mrf, 6, part, 9, "mplp", WatchedRun(engine)))
    asked = [event.index + 1 for event in plain.trace if event.kind == Kind.ORACLE and event.suspects > 0]
    for position in asked[:6]:
        labels_are_whole(stage)
        stage.jump(position)
        seen = Picture(stage.marks(), plain, position)
        ground = looking.ground(plain, seen.event.node)
        columns = seen.of("ground", "ground")
        for mark in columns:
            assert said(mark) == pytest.approx(ground[mark["means"]["state"]], abs=seen.close, rel=0)
        clear = [mark for mark in columns if "ruled-out" not in mark["class"]]
        if seen.event.suspects < len(columns) / 2:
            # The suspects and the best so far.
            assert len(clear) == seen.event.suspects + 1


@pytest.mark.slow
@pytest.mark.parametrize("run", thinned(RUNS.values(), 5), ids=RUNS)
def test_what_is_drawn_is_the_engines(watched: Callable[..., Stage], run: tuple[str, int, int, str]) -> None:
    name, max_size, variant, schedule = run
    mine = lab(name, max_size, variant, schedule, max_sweeps=4)
    mine.run.engine.run()
    plain = lab(name, max_size, variant, schedule, max_sweeps=4).run.engine
    plain.run()
    stage = watched(mine)
    rng = np.random.default_rng(max_size + variant)
    # In a short run some are drawn twice.
    for k, position in enumerate(dict.fromkeys(rng.integers(1, len(plain.trace) - 1, EVENTS).tolist())):
        marks, lines = told(stage.root, LOOK, position)
        seen = Picture(marks, plain, position)
        check_bounds(seen)
        check_tensions(seen)
        check_lines(seen, lines)
        check_formula(seen, lines["sentence"])
        if seen.event.kind <= Kind.MESSAGE:
            if seen.of("ground", "ground"):
                check_ground(seen)
            check_bits_before_messages(seen)
        if k < PIXELS:
            check_pixels(stage)


@pytest.mark.slow
def test_the_formula_of_every_state_has_the_value_of_the_row(watched: Callable[..., Stage]) -> None:
    """Under the pointer, a state other than y* has the value of the row there, which no charge leaves out."""
    mine = lab("torus-10x10", 8, 9, max_sweeps=2)
    mine.run.engine.run()
    engine, stage = lab("torus-10x10", 8, 9, max_sweeps=2).run.engine, watched(mine)
    engine.run()
    others = 0
    for event in [event for event in engine.trace if event.kind == Kind.ROW][::25]:
        stage.jump(event.index + 1)
        engine.seek(event.index + 1)
        row = looking.row(engine, event.row)
        states = told(stage.root, "({ stage }) => stage.charts.moment.update.columns.map(({ state }) => state)")
        for state in states:
            stage.act("stage.charts.look(argument)", state)
            spans = {mark["id"]: mark for mark in Picture(stage.marks(), engine, event.index + 1).of("formula")}
            value = row.intercept - sum(terms[state >> k & 1] for k, terms in enumerate(row.u))
            if state != event.state:
                others += 1
                assert is_shown(value, str(spans["value"]["text"]).removeprefix("= "))
    assert others > 20


def check_bits_before_messages(seen: Picture) -> None:
    if seen.event.kind != Kind.MESSAGE:
        check_bits(seen)
