"""Events in words: every explanation contains the event's numbers."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind, Status
from bender_core.looking.decided import proves
from bender_core.looking.words import apart, at_least, at_most, bounded, decides, decimals, explain, number, optimal
from tests.labs import is_shown

SAMPLES = Path(__file__).parents[3] / "sample_instances"
RUNS = [("tiny", 3, 9), ("tiny", 3, 11), ("pose-small", 4, 4), ("karate", 6, 9), ("torus-10x10", 5, 9), ("tree", 3, 4)]
NOT_A_NUMBER = re.compile(r"\b(nan|inf|none|unknown)\b|\d-|-\d", re.IGNORECASE)


@pytest.fixture(scope="module", params=RUNS, ids=lambda run: f"{run[0]}-M{run[1]}-v{run[2]}")
def engine(request: pytest.FixtureRequest) -> bc.Engine:
    name, max_size, variant = request.param
    mrf = bc.load(SAMPLES / f"{name}.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, max_size), variant=variant, max_sweeps=40)
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


def test_an_opened_node_says_what_its_cheapest_state_costs_at_least(engine: bc.Engine) -> None:
    for event, sentence, formula in explained(engine, Kind.NODE_OPENED):
        messages = len(engine.graph.neighbours(event.node))
        assert f"{messages} message{'s' if messages != 1 else ''}" in sentence
        assert f"y* = {engine.partition.describe(event.node, event.state)}" in sentence
        assert ("every cost is exact" in sentence) == engine.variant.exact
        assert is_shown(event.floor, told(sentence, "which costs " if engine.variant.exact else "It costs at least "))
        if not engine.variant.exact:
            less, more = "less than the lower bound" in sentence, "more than the lower bound" in sentence
            differ = abs(event.floor - event.lower_bound) > 1e-9 * engine.graph.problem.scale
            assert (less, more) == (
                differ and event.floor < event.lower_bound,
                differ and event.floor > event.lower_bound,
            )
        assert formula.startswith("min g = " if engine.variant.exact else "floor = min g = ")
        assert is_shown(event.floor, formula.removesuffix("  at y*").rpartition("= ")[2])


def told(sentence: str, words: str) -> str:
    """The number that follows some words."""
    found = re.search(re.escape(words) + r"(−?\d+(?:\.\d+)?(?:e[−+]?\d+)?)", sentence)
    assert found, sentence
    return found[1]


def test_an_oracle_says_exactly_beside_at_least_and_who_is_left(engine: bc.Engine) -> None:
    for event, sentence, formula in explained(engine, Kind.ORACLE):
        state = engine.partition.describe(event.node, event.state)
        assert state in sentence
        if event.depth:
            assert is_shown(event.value, told(formula, "Σ ν(y) = "))
            continue
        exact = event.floor + event.value - event.before
        assert f"y* = {state} costs exactly " in sentence
        costs = told(sentence, "costs exactly the lower bound of its rows, " if event.arc < 0 else "costs exactly ")
        assert is_shown(exact, costs)
        if event.suspects:
            assert f"{event.suspects} suspect{'s' if event.suspects > 1 else ''} left: " in sentence
        else:
            is_beaten = "beaten by" in sentence
            assert sentence.endswith(f"No state is cheaper{' than the best so far' if is_beaten else ''}.")
        if event.arc >= 0:
            receiver, sender = engine.graph.ends(event.arc)
            assert receiver == event.node
            least = told(sentence, "its rows gave at least ")
            assert is_shown(event.floor, least)
            # What differs looks different.
            assert least != costs
            assert ". They were too low" in sentence
            assert f"on the message from {engine.partition.labels[sender]}." in sentence
            best = exact <= event.ceiling + 1e-9 * engine.graph.problem.scale
            assert ("the best so far; " in sentence) == best
            assert best or is_shown(event.ceiling, told(sentence, "beaten by "))


def test_an_oracle_says_on_how_many_messages_the_rows_were_too_low() -> None:
    mrf = bc.load(SAMPLES / "pose-small.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9)
    engine.run(max_sweeps=1)
    event = next(event for event in engine.trace if event.kind == Kind.ORACLE and event.node == 1)
    sentence, _ = explain(event, engine.graph, engine.variant, loose=2)
    assert "They were too low on 2 of 13 messages, most on that from " in sentence


def test_a_row_says_what_it_lifts_and_how_far_the_floor_rises(engine: bc.Engine) -> None:
    for event, sentence, formula in explained(engine, Kind.ROW):
        _, sender = engine.graph.ends(event.arc)
        assert event.value > event.before
        assert f"on the message from {engine.partition.labels[sender]} a " in sentence
        for text, low, high in ((sentence, "from at least ", "to exactly "), (formula, "ν⁻(y*): ", "Σ uᵢ(y*ᵢ) = ")):
            assert is_shown(event.before, told(text, low))
            assert is_shown(event.value, told(text, high))
        for floor, said in (
            ((-3.0, -1.5), "The floor has risen from −3 to −1.5 in this round."),
            ((-3.0, -3.0), "The floor has stayed at −3 in this round."),
        ):
            risen = explain(event, engine.graph, engine.variant, floor=floor).sentence
            assert risen.endswith(said) == (event.depth == 0)


def test_a_message_says_that_no_state_is_cheaper_and_what_is_shared(engine: bc.Engine) -> None:
    for event, sentence, formula in explained(engine, Kind.MESSAGE):
        assert event.value == event.lower_bound == pytest.approx(event.floor) == pytest.approx(event.ceiling)
        state = engine.partition.describe(event.node, event.state)
        assert is_shown(event.value, told(sentence, f"no state is cheaper than y = {state}, at "))
        assert ("floor = ceiling from the start" in sentence) == engine.variant.exact
        assert ("floor and ceiling have met" in sentence) == (not engine.variant.exact)
        if "does not change: " in sentence:
            assert event.value == pytest.approx(event.before, rel=1e-9)
        else:
            assert is_shown(event.before, told(sentence, "The lower bound rises from "))
            assert sentence.endswith(" to this cost.")
        parts = 1 + len(engine.graph.neighbours(event.node))
        assert f"less the rest of the bound, in {parts} equal parts, one for itself and one for each edge." in sentence
        assert f"/ {parts};" in formula
        assert is_shown(event.before, told(formula, "LB: "))
        assert is_shown(event.value, formula.rpartition(" → ")[2])


def test_all_energies_of_a_sentence_have_the_digits_of_the_bound() -> None:
    """One quantity with two roundings, as −36.05 beside −36.054, would look like two."""
    mrf = bc.load(SAMPLES / "pose-small.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9)
    engine.run(max_sweeps=2)
    for event in engine.trace:
        bound = event.before if event.kind == Kind.MESSAGE else event.lower_bound
        sentence, _ = explain(event, engine.graph, engine.variant, floor=(event.floor - 1, event.floor))
        found = re.findall(r"\d+\.(\d+)", sentence)
        assert all(len(digits) <= decimals(bound) for digits in found if event.kind != Kind.SWEEP), sentence


@pytest.mark.parametrize(
    ("bound", "places"), [(0, 4), (-35.06, 3), (-576.3, 2), (0.5, 4), (4e-4, 8), (-123456.7, 0), (np.inf, 4)]
)
def test_a_bound_has_five_digits(bound: float, places: int) -> None:
    assert decimals(bound) == places


def test_a_message_is_shared_as_its_schedule_says() -> None:
    mrf = bc.load(SAMPLES / "tree.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 3), variant=9, schedule="srmp")
    (*_, event) = engine.step("node")
    sentence, formula = explain(event, engine.graph, engine.variant, "srmp")
    assert "less the rest of the bound, by weights, only with edges to groups updated later." in sentence
    assert formula.startswith("λ ← ν⁻ − w · (φ + Σ ν⁻) ahead, ν⁻ behind;  LB: ")


def test_a_sweep_and_the_end_say_both_bounds(engine: bc.Engine) -> None:
    for kind in (Kind.SWEEP, Kind.FINISHED):
        for event, sentence, _ in explained(engine, kind):
            assert is_shown(event.upper_bound, told(sentence, "costs "))
    for event, sentence, formula in explained(engine, Kind.SWEEP):
        assert sentence.startswith(f"Sweep {event.sweep + 1} is complete")
        assert is_shown(max(event.value - event.before, 0), told(sentence, "rose by "))
        assert (f"best {event.depth} states" in sentence) == (event.depth > 1)
        assert is_shown(event.lower_bound, told(formula, "LB = "))
        assert is_shown(event.upper_bound, told(formula, "≤ optimum ≤ UB = "))
    ((event, sentence, formula),) = explained(engine, Kind.FINISHED)
    assert event.index == len(engine.trace) - 1
    assert at_least(looking.rounded_bound(engine)) in sentence
    assert event.depth == engine.status
    assert sentence.startswith("Finished: the bounds meet within the tolerance") == (engine.status == Status.GAP_CLOSED)
    assert is_shown(max(event.upper_bound - event.lower_bound, 0.0), formula.removeprefix("UB − LB = "))
    if proves(engine):
        sentence, proven = explain(event, engine.graph, engine.variant, proven=True)
        assert sentence.endswith(", and no other costs less: it is optimal.")
        assert proven == f"{formula}, optimal"
        sentence, _ = explain(event, engine.graph, engine.variant, proven=True, within=2e-9)
        assert sentence.endswith("and no other costs less, to within 2e−09: it is optimal.")


def test_bounds_alone_prove_nothing_in_words() -> None:
    """Whether a labelling is optimal only the run says: bounds that are close, or look the same, do not."""
    mrf = bc.load(SAMPLES / "torus-10x10.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 5), variant=9)
    engine.run()
    ends = [replace(engine.trace[-1], depth=status) for status in list(Status)[1:]]
    sweep = next(event for event in engine.trace if event.kind == Kind.SWEEP)
    upper = engine.upper_bound
    for event, below in itertools.product([*ends, sweep], [0.0, 1e-15, 1e-9, 1e-3]):
        near = replace(event, lower_bound=upper - below * abs(upper), upper_bound=upper)
        sentence, _ = explain(near, engine.graph, engine.variant)
        assert "optimal" not in sentence
        said = re.search(r"by more than (\S+)\.$", sentence)
        assert said is None or below > 1e-12
        # Energies are a step apart, so the possible gain is less by up to one.
        assert (
            said is None
            or float(said[1].replace("−", "-")) >= 0.999999 * below * abs(upper) - engine.margin.lattice.step
        )
        sentence, _ = explain(near, engine.graph, engine.variant, proven=True)
        assert sentence.endswith("it is optimal.")
        assert "Larger groups" not in sentence


def test_a_claim_is_the_next_possible_energy_where_that_is_known() -> None:
    mrf = bc.load(SAMPLES / "karate.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 6), variant=9, max_sweeps=40)
    engine.run()
    sentence, _ = explain(engine.trace[-1], engine.graph, engine.variant)
    least = np.ceil(engine.lower_bound - 1e-6)
    assert engine.margin.lattice.step == 1.0
    assert f"is {number(engine.lower_bound)}, and energies differ by whole numbers: no labelling" in sentence
    assert f"costs less than {number(least)};" in sentence
    near = replace(engine.trace[-1], lower_bound=-4720.0 - 1e-7)
    assert "No labelling costs less than −4720;" in explain(near, engine.graph, engine.variant).sentence


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
    engine = bc.Engine(mrf, bc.partition(mrf, 5), variant=9, **limits)
    engine.run()
    sentence, _ = explain(engine.trace[-1], engine.graph, engine.variant)
    assert sentence.startswith(f"{said} No labelling costs less than {at_least(engine.lower_bound)};")
    assert f"costs {number(engine.upper_bound)}." in sentence


def test_a_group_without_neighbours_is_explained() -> None:
    mrf = bc.BinaryMRF(unary=[[0.0, -1.0], [2.0, 0.0]])
    engine = bc.Engine(mrf, bc.partition(mrf, 1, "singletons"), variant=9)
    engine.run()
    told = [explain(event, engine.graph, engine.variant) for event in engine.trace]
    assert "its 0 messages" in told[0].sentence
    assert any("keeps this cost, less the rest" in said.sentence for said in told)
    assert not any(NOT_A_NUMBER.search("\n".join(said)) for said in told)


@pytest.mark.slow
def test_a_deeper_state_is_named_by_its_rank() -> None:
    mrf = bc.load(SAMPLES / "torus-10x10.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 5), variant=9)
    engine.run()
    oracles = [event for event in engine.trace if event.kind == Kind.ORACLE and event.depth]
    said = {(event.depth, event.arc < 0): explain(event, engine.graph, engine.variant).sentence for event in oracles}
    for depth, place in {1: "2nd", 2: "3rd", 3: "4th", 10: "11th", 20: "21st", 31: "32nd"}.items():
        assert f"the {place} best state, y* = " in said.get((depth, False), f"the {place} best state, y* = ")
        assert f"exact at the next {f'{depth} states' if depth > 1 else 'state'} too" in said[depth, True]
    assert any(not exact for _, exact in said)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1e-13, "0"),
        (-1.5, "−1.5"),
        (123456.789, "123457"),
        (999999981.4, "999999981"),
        (2e12, "2e+12"),
        (-31.039443, "−31.039"),
        (2e-7, "2e−07"),
        (math.nan, "unknown"),
        (math.inf, "unknown"),
    ],
)
def test_numbers_are_readable(value: float, text: str) -> None:
    assert number(value) == text


@given(st.floats(-1e14, 1e14), st.sampled_from([0, 1e-9, 1e-14]))
def test_a_bound_that_is_claimed_holds_as_it_is_written(value: float, beside: float) -> None:
    """Up to the rounding of energies, and with as many digits as other numbers."""
    value = round(value, 3) * (1 + beside)
    least, most = (float(said(value).replace("−", "-")) for said in (at_least, at_most))
    close = 1e-12 * abs(value)
    assert least - close <= value <= most + close
    assert most - least <= 1.0001e-4 * abs(value) + 1e-12
    if round(value, 1) == value and abs(value) < 1e4:
        assert at_least(value) == at_most(value) == number(value)


def test_a_bound_that_is_claimed_is_rounded_away_from_the_optimum() -> None:
    assert (number(-31.039443), at_least(-31.039443), at_most(31.039443)) == ("−31.039", "−31.04", "31.04")
    assert (at_least(-70.5586), at_least(123456.7), at_most(-123456.7)) == ("−70.559", "123456", "−123456")
    assert (at_least(-9.9e-13), at_most(9.9e-13), at_least(9.9e-13)) == ("−1e-12".replace("e-", "e−"), "1e−12", "0")
    assert (at_least(-5.0), at_least(0.0), at_least(-np.inf)) == ("−5", "0", "unknown")


def test_a_proof_says_by_what_it_is_one() -> None:
    assert (apart(1.0), apart(0.5)) == ("energies differ by whole numbers", "energies differ by multiples of 0.5")
    assert optimal(bounded(True, 1.0)) == "The bounds meet: the best labelling is optimal."
    said = "Energies differ by multiples of 0.5, and none lies between LB and UB: the best labelling is optimal."
    assert optimal(bounded(False, 0.5)) == said


def test_what_is_decided_is_named_as_far_as_there_is_room() -> None:
    why = ": with any other value, a labelling costs no less than the best one."
    assert decides([]) == ""
    assert decides(["a = 1"]) == f"That decides a = 1{why}"
    assert decides(["a = 1", "b = 0", "c = 1"]) == f"That decides a = 1, b = 0 and c = 1{why}"
    assert decides(["a = 1"], 2.13456e-8) == f"That decides a = 1{why[:-1]}, to within 2.1346e−08."
    assert decides([f"x{i} = 0" for i in range(9)]) == f"That decides x0 = 0, x1 = 0 and 7 more{why}"
