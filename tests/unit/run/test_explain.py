"""Events in words: every explanation contains the event's numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import bender_core as bc
from bender_core.kernels.layout import Kind
from bender_core.run.explain import explain, number

SAMPLES = Path(__file__).parents[3] / "sample_instances"
RUNS = [("tiny", 3, 9), ("tiny", 3, 11), ("pose-small", 4, 4), ("karate", 6, 9), ("torus-10x10", 5, 9), ("tree", 3, 4)]
NOT_A_NUMBER = re.compile(r"\b(nan|inf|none|unknown)\b|\d-|-\d", re.IGNORECASE)


@pytest.fixture(scope="module", params=RUNS, ids=lambda run: f"{run[0]}-M{run[1]}-v{run[2]}")
def engine(request: pytest.FixtureRequest) -> bc.Engine:
    name, max_size, variant = request.param
    mrf = bc.load(SAMPLES / f"{name}.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, max_size), variant, max_sweeps=40)
    engine.run()
    return engine


def explained(engine: bc.Engine, kind: Kind) -> Iterator[tuple[bc.Event, str, str]]:
    for event in engine.trace:
        if event.kind == kind:
            yield event, *explain(event, engine.graph, engine.variant)


def test_every_event_is_explained_in_plain_text(engine: bc.Engine) -> None:
    for event in engine.trace:
        said = explain(event, engine.graph, engine.variant)
        assert re.fullmatch(r"[A-Z].*[.]", said.sentence), said
        assert not NOT_A_NUMBER.search(said.sentence + "\n" + said.formula), said
        if event.node >= 0:
            assert said.sentence.startswith(f"Sweep {event.sweep + 1}, {engine.partition.labels[event.node]}: ")


def test_an_opened_node_says_its_minimiser_and_how_it_was_found(engine: bc.Engine) -> None:
    for event, sentence, formula in explained(engine, Kind.NODE_OPENED):
        neighbours = len(engine.graph.neighbours(event.node))
        assert (
            f"its {neighbours} neighbour{'s' if neighbours != 1 else ''} {'are' if neighbours != 1 else 'is'} "
            in sentence
        )
        assert f"y* = {engine.partition.describe(event.node, event.state)}, at {number(event.before)}." in sentence
        assert ("exactly" in sentence) == engine.variant.exact
        assert formula.startswith("min φ + Σ ν ") if engine.variant.exact else "ν⁻" in formula
        assert number(event.before) in formula


def test_an_oracle_says_the_truth_beside_the_envelope(engine: bc.Engine) -> None:
    for event, sentence, formula in explained(engine, Kind.ORACLE):
        assert f"y* = {engine.partition.describe(event.node, event.state)}" in sentence
        assert number(event.value) in formula
        assert (f" at the {event.depth + 1}" in sentence) == (event.depth > 0)
        if event.arc < 0:
            assert sentence.endswith("true min-marginals too." if event.depth else "enough to pass the messages.")
        else:
            receiver, sender = engine.graph.ends(event.arc)
            assert receiver == event.node
            assert f"truth is {number(event.value)}, the envelopes say {number(event.before)}" in sentence
            assert sentence.endswith(f"loosest neighbour is {engine.partition.labels[sender]}.")
            assert number(event.before) in formula


def test_a_row_says_by_how_much_the_envelope_rose(engine: bc.Engine) -> None:
    for event, sentence, formula in explained(engine, Kind.ROW):
        _, sender = engine.graph.ends(event.arc)
        assert event.value > event.before
        assert f"message from {engine.partition.labels[sender]}, " in sentence
        assert f"rose by {number(event.value - event.before)}, to the truth" in sentence
        assert f"ν⁻(y*): {number(event.before)} → " in formula
        assert f"= {number(event.value)} = ν(y*)" in formula


def test_a_message_says_what_the_bound_gained(engine: bc.Engine) -> None:
    for event, sentence, formula in explained(engine, Kind.MESSAGE):
        assert event.value == event.lower_bound
        assert f"took y = {engine.partition.describe(event.node, event.state)} into the labelling" in sentence
        if "did not move" in sentence:
            assert event.value == pytest.approx(event.before, rel=1e-12)
        else:
            assert f"rose by {number(event.value - event.before)}, to {number(event.value)}:" in sentence
        assert f"/ {1 + len(engine.graph.neighbours(event.node))};" in formula
        assert formula.endswith(f"LB: {number(event.before)} → {number(event.value)}")


def test_the_formula_of_a_message_is_that_of_its_schedule() -> None:
    mrf = bc.load(SAMPLES / "tree.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 3), 9, "srmp")
    (*_, event) = engine.step("node")
    formula = explain(event, engine.graph, engine.variant, "srmp").formula
    assert formula.startswith("λ ← ν⁻ − w · (φ + Σ ν⁻) ahead, ν⁻ behind;  LB: ")


def test_a_sweep_and_the_end_say_both_bounds(engine: bc.Engine) -> None:
    for kind in (Kind.SWEEP, Kind.FINISHED):
        for event, sentence, _ in explained(engine, kind):
            assert number(event.upper_bound) in sentence
    for event, sentence, formula in explained(engine, Kind.SWEEP):
        assert sentence.startswith(f"Sweep {event.sweep + 1} is complete")
        assert f"rose by {number(max(event.value - event.before, 0))}" in sentence
        assert (f"best {event.depth} states" in sentence) == (event.depth > 1)
        assert formula == f"LB = {number(event.lower_bound)} ≤ optimum ≤ UB = {number(event.upper_bound)}"
    ((event, sentence, formula),) = explained(engine, Kind.FINISHED)
    assert event.index == len(engine.trace) - 1
    assert number(event.lower_bound) in sentence
    assert event.depth == engine.status
    assert sentence.startswith("Finished: the bounds meet") == (engine.gap <= 1e-9)
    assert formula == f"UB − LB = {number(max(event.upper_bound - event.lower_bound, 0))}"


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"max_sweeps": 10_000}, "Finished: a sweep brought no progress."),
        ({"max_sweeps": 1}, "Stopped: that was the last allowed sweep."),
        ({"limit": 400_000}, "Stopped: no memory is left for more rows or events."),
    ],
)
def test_the_end_gives_its_reason(limits: dict[str, int], said: str) -> None:
    mrf = bc.load(SAMPLES / "torus-10x10.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 5), 9, **limits)
    engine.run()
    sentence, _ = explain(engine.trace[-1], engine.graph, engine.variant)
    assert sentence.startswith(f"{said} No labelling costs less than {number(engine.lower_bound)};")
    assert f"costs {number(engine.upper_bound)}." in sentence


def test_a_group_without_neighbours_is_explained() -> None:
    mrf = bc.BinaryMRF(unary=[[0.0, -1.0], [2.0, 0.0]])
    engine = bc.Engine(mrf, bc.partition(mrf, 1, "singletons"), 9)
    engine.run()
    told = [explain(event, engine.graph, engine.variant) for event in engine.trace]
    assert "its 0 neighbours" in told[0].sentence
    assert not any(NOT_A_NUMBER.search("\n".join(said)) for said in told)


def test_a_deeper_state_is_named_by_its_rank() -> None:
    mrf = bc.load(SAMPLES / "torus-10x10.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 5), 9)
    engine.run()
    told = {
        event.depth: explain(event, engine.graph, engine.variant).sentence
        for event in engine.trace
        if event.kind == Kind.ORACLE
    }
    for depth, place in {1: "2nd", 2: "3rd", 3: "4th", 10: "11th", 20: "21st", 31: "32nd"}.items():
        assert f"at the {place} best state, y* = " in told[depth]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1e-13, "0"),
        (-1.5, "−1.5"),
        (123456.789, "1.2346e+05"),
        (-31.039443, "−31.039"),
        (2e-7, "2e−07"),
        (math.nan, "unknown"),
        (math.inf, "unknown"),
    ],
)
def test_numbers_are_readable(value: float, text: str) -> None:
    assert number(value) == text
