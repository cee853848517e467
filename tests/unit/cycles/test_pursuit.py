"""The events of a cycle pursuit: what is shown again is what was computed, and the parts of its gap sum to it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import synth
from bender_core.cycles.mplp import needed_bytes
from bender_core.cycles.triplets import Triplets, preferences
from bender_core.forms.scale import energy_scale
from tests.models import examples, mrfs
from tests.pieces import result


def torus(coupling: str = "gaussian", n: int = 6) -> bc.BinaryMRF:
    return synth.ising_grid(n, n, torus=True, coupling=coupling, seed=1)


def state(pursuit: bc.CyclePursuit) -> dict[str, Any]:
    parts = pursuit.parts
    assert parts is not None
    names = ("position", "rounds", "lower_bound", "upper_bound", "finished")
    return {name: getattr(pursuit, name) for name in names} | {
        "labeling": pursuit.labeling.tolist(),
        "parts": [part.tolist() for part in parts],
    }


@pytest.mark.parametrize("coupling", ["gaussian", "pm1"])
def test_any_event_is_shown_again_as_it_was_computed(coupling: str) -> None:
    pursuit = bc.CyclePursuit(torus(coupling))
    states, events = [state(pursuit)], []
    while not pursuit.finished:
        (event,) = pursuit.step("cycle")
        assert (event.lower_bound, event.upper_bound) == (pursuit.lower_bound, pursuit.upper_bound)
        events.append(event)
        states.append(state(pursuit))
    assert len(states) == len(pursuit.events) + 1
    for position in np.random.default_rng(1).permutation(len(states)).tolist():
        pursuit.seek(position)
        shown = state(pursuit)
        # A position may be the last one that was known when it was first seen.
        assert shown == states[position]
    with pytest.raises(ValueError, match=f"events 0 to {len(events)} can be shown"):
        pursuit.seek(len(states))
    with pytest.raises(ValueError, match="no grain"):
        pursuit.step("sweep")  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        pursuit.events[len(events)]
    pursuit.seek(0)
    again = []
    while not pursuit.finished:
        again += pursuit.step("round")
        assert again[-1].found is None
        assert pursuit.rounds == again[-1].round + 1
    assert list(map(repr, again)) == list(map(repr, events))
    ends = [number for number, event in enumerate(events) if event.found is None]
    for number, end in enumerate(ends):
        assert pursuit.events.stop_before(end + 1, "round") == (ends[number - 1] + 1 if number else 0)


def test_triplets_are_those_of_the_cycles_that_were_found() -> None:
    pursuit = bc.CyclePursuit(torus())
    pursuit.run()
    known = set[tuple[int, int, int]]()
    for event in (pursuit.events[number] for number in range(len(pursuit.events))):
        if event.found is not None:
            assert event.found.triples
            assert not known & set(event.found.triples)
            assert all(set(triple) <= set(event.found.cycle.tolist()) for triple in event.found.triples)
            known |= set(event.found.triples)
        assert event.n_triplets == len(known)
    assert pursuit.n_triplets == len(known) > 30
    assert pursuit.parts is not None
    assert {tuple(triple) for triple in pursuit.parts.triples.tolist()} <= known


@settings(max_examples=examples(60), deadline=None)
@given(mrfs(7))
def test_the_parts_of_the_gap_are_not_negative_and_sum_to_it(mrf: bc.BinaryMRF) -> None:
    pursuit = bc.CyclePursuit(mrf)
    pursuit.run(12)
    for position in range(len(pursuit.events) + 1):
        pursuit.seek(position)
        parts = pursuit.parts
        assert parts is not None
        values = np.concatenate([parts.variables, parts.edges, parts.triplets])
        assert (values >= 0.0).all()
        size = energy_scale(mrf) + abs(pursuit.upper_bound)
        assert values.sum() == pytest.approx(pursuit.upper_bound - pursuit.lower_bound, abs=1e-10 * size)


@settings(max_examples=examples(60), deadline=None)
@given(mrfs(7))
def test_a_run_that_keeps_nothing_comes_to_the_same(mrf: bc.BinaryMRF) -> None:
    kept, plain = bc.CyclePursuit(mrf, 3), bc.CyclePursuit(mrf, 3, keeps=False)
    bounds = list[tuple[float, float]]()
    plain.run(20, on_progress=lambda run: bounds.append((run.lower_bound, run.upper_bound)))
    kept.run(20)
    for name in ("rounds", "lower_bound", "upper_bound", "work", "n_triplets", "finished", "status"):
        assert getattr(kept, name) == getattr(plain, name), name
    assert np.array_equal(kept.labeling, plain.labeling)
    assert plain.parts is None
    assert plain.nbytes < kept.nbytes
    ends = [event for event in map(kept.events.__getitem__, range(len(kept.events))) if event.found is None]
    assert {(event.lower_bound, event.upper_bound) for event in ends} <= set(bounds)


def test_what_was_stopped_has_the_events_of_what_was_not() -> None:
    whole, pieces = bc.CyclePursuit(torus("pm1")), bc.CyclePursuit(torus("pm1"))
    whole.run()
    stops = 0
    while not pieces.finished:
        looks = iter(range(30))
        try:
            pieces.step("cycle", bc.Stop(requested=lambda looks=looks: next(looks, None) is None))
        except bc.Stopped:
            stops += 1
            # As the page does: what is known is looked at, and the work goes on at the end.
            pieces.seek(0)
            pieces.seek(len(pieces.events))
    assert stops > 1
    assert pieces.is_proven
    assert (pieces.work, len(pieces.events)) == (whole.work, len(whole.events))
    for one, other in zip(pieces.events, whole.events, strict=True):
        assert (one.found is None) == (other.found is None)
        assert one._replace(found=None) == other._replace(found=None)
        assert one.found is None or np.array_equal(one.found.cycle, other.found.cycle)


@settings(max_examples=examples(100), deadline=None)
@given(mrfs(7), st.integers(0, 1 << 16))
def test_a_frustrated_cycle_has_the_gain_that_it_promises(mrf: bc.BinaryMRF, seed: int) -> None:
    """All beliefs around it, together, are above the sum of their minima by the weakest preference at least."""
    tables = np.random.default_rng(seed).normal(size=mrf.pairwise.shape)
    number = {pair: edge for edge, pair in enumerate(map(tuple, mrf.edges.tolist()))}
    for found in result(Triplets(mrf.n, mrf.edges).search(mrf.edges, preferences(tables), 0.0)).cycles:
        walk = found.cycle.tolist()
        pairs = list(zip(walk, walk[1:] + walk[:1], strict=True))
        around = [tables[number[pair]] if pair in number else tables[number[pair[::-1]]].T for pair in pairs]
        assert found.preference == pytest.approx(preferences(np.array(around)))
        assert (found.preference > 0.0).sum() % 2
        best = min(
            sum(table[x[k], x[(k + 1) % len(x)]] for k, table in enumerate(around))
            for x in itertools.product((0, 1), repeat=len(walk))
        )
        assert best >= sum(table.min() for table in around) + found.strength - 1e-12


def test_its_memory_is_charged_before_it_begins_and_as_it_grows() -> None:
    mrf = torus(n=10)
    pursuit = bc.CyclePursuit(mrf)
    begin = pursuit.nbytes
    assert begin <= needed_bytes(mrf) <= 1.5 * begin
    pursuit.run(10)
    assert pursuit.nbytes > 2 * begin
