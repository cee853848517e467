"""The bound by frustrated cycles: never above the optimum, as good as all cycles give, and its gap in parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import synth
from bender_core.cycles import covering, packing
from bender_core.cycles.packing import Packing, decoded, needed_bytes
from bender_core.cycles.shares import borrowed, bound, rests
from bender_core.cycles.signed import signed_graph
from bender_core.forms.reduction import OPEN, Left, unreduced
from tests import naive
from tests.models import examples, mrfs, random_mrf


@settings(max_examples=examples(200), deadline=None)
@given(mrfs(7))
def test_a_signed_graph_has_the_energies_of_its_model(mrf: bc.BinaryMRF) -> None:
    graph, energies = signed_graph(mrf), naive.energies(mrf)
    near = graph.rounding + 1e-12 * np.abs(energies).max()
    for labeling, energy in zip(naive.bits(mrf.n), energies, strict=True):
        assert graph.energy(labeling) == pytest.approx(energy, abs=near)
    assert (graph.cost > 0).all()
    assert (graph.ends[:, 0] < graph.ends[:, 1]).all()


@settings(max_examples=examples(100), deadline=None)
@given(mrfs(6), st.integers(0, 1 << 16))
def test_any_shares_certify_a_bound_and_its_gap_has_parts(mrf: bc.BinaryMRF, seed: int) -> None:
    graph, rng = signed_graph(mrf), np.random.default_rng(seed)
    pairs = [tuple(pair) for pair in graph.ends.tolist()]
    cycles = [np.array(cycle) for cycle in naive.simple_cycles(pairs) if graph.opposite[cycle].sum() % 2]
    shares = (
        rng.exponential(graph.cost.mean(), len(cycles)) * rng.integers(0, 2, len(cycles)) if cycles else np.zeros(0)
    )
    lower, energies = bound(graph, cycles, shares), naive.energies(mrf)
    near = 1e-9 * max(np.abs(energies).max(), shares.sum(), 1e-300)
    assert lower <= energies.min() + near
    found = Packing(mrf)
    found.cycles, found.shares = cycles, shares
    for labeling, energy in zip(naive.bits(mrf.n), energies, strict=True):
        parts = found.parts(labeling)
        assert min(parts.cycles.min(initial=0.0), parts.edges.min(initial=0.0)) >= 0.0
        assert parts.cycles.sum() + parts.edges.sum() == pytest.approx(energy - lower, abs=near)


@settings(max_examples=examples(150), deadline=None)
@given(mrfs(6), st.integers(0, 3))
def test_the_bound_is_that_of_all_frustrated_cycles(mrf: bc.BinaryMRF, seed: int) -> None:
    found, optimum = Packing(mrf, seed), naive.optimum(mrf)
    assert found.run()
    near = 1e-7 * max(np.ptp(naive.energies(mrf)), 1e-300) + 1e-12 * abs(optimum)
    assert found.lower_bound <= optimum + near
    if not found.is_proven:
        assert found.lower_bound == pytest.approx(naive.cycle_bound(mrf), abs=near)
    assert found.lower_bound == pytest.approx(bound(found.graph, found.cycles, found.shares))
    assert found.upper_bound == mrf.energy(found.labeling) >= optimum - near
    if found.is_proven:
        assert found.upper_bound == pytest.approx(optimum, abs=near)


@settings(max_examples=examples(150), deadline=None)
@given(mrfs(7), st.integers(1, 3), st.integers(0, 9))
def test_facts_hold_in_every_better_labelling(mrf: bc.BinaryMRF, rounds: int, rank: int) -> None:
    found, labels, energies = Packing(mrf), naive.bits(mrf.n), naive.energies(mrf)
    found.run(rounds)
    # The search has mostly found the best one, and then none is better.
    found.labeling = labels[np.argsort(energies, kind="stable")[min(rank, len(energies) - 1)]]
    found.upper_bound = mrf.energy(found.labeling)
    facts = found.facts()
    margin = found.margin
    better = labels[energies < found.upper_bound - max(margin.gain, margin.negligible) - 1e-12 * np.ptp(energies)]
    known = facts.value != OPEN
    assert (better[:, known] == facts.value[known]).all()
    for i, j, opposite in facts.ties.tolist():
        assert ((better[:, i] != better[:, j]) == opposite).all()


def test_facts_do_not_exclude_a_better_labelling_that_is_not_known() -> None:
    """With a bad labelling at hand, only what holds in every better one is decided."""
    decided = 0
    for seed in range(60):
        mrf = random_mrf(seed, 7, 0.7, integers=seed % 2 == 0)
        labels, energies = naive.bits(mrf.n), naive.energies(mrf)
        found = Packing(mrf)
        found.run(2)
        worse = labels[np.argsort(energies)[1 + seed % 5]]
        found.labeling, found.upper_bound = worse, mrf.energy(worse)
        facts, best = found.facts(), labels[energies.argmin()]
        if found.upper_bound - energies.min() <= found.margin.gain:
            continue
        known = facts.value != OPEN
        decided += len(facts)
        assert (best[known] == facts.value[known]).all()
        assert all((best[i] != best[j]) == opposite for i, j, opposite in facts.ties.tolist())
    assert decided > 20


def test_a_best_labelling_is_read_off_the_edges_that_it_breaks() -> None:
    """Across every cut it keeps an edge at least, so those that it keeps connect the graph."""
    for seed in range(20):
        mrf = random_mrf(seed, 9, 0.4)
        graph, best = signed_graph(mrf), naive.bits(mrf.n)[naive.energies(mrf).argmin()]
        again = decoded(graph, graph.broken(best).astype(float))
        assert graph.energy(again) == pytest.approx(naive.optimum(mrf))


@pytest.mark.parametrize("coupling", ["gaussian", "pm1"])
def test_tori_are_proven(coupling: str) -> None:
    """With the optimum of a proof by groups; a run in pieces is the same run."""
    mrf = synth.ising_grid(8, 8, torus=True, coupling=coupling, seed=3)
    whole, pieces = Packing(mrf), Packing(mrf)
    assert whole.run()
    while not pieces.run(on_progress=lambda _: True):
        pass
    assert whole.is_proven
    assert (pieces.rounds, pieces.lower_bound, pieces.work) == (whole.rounds, whole.lower_bound, whole.work)
    assert whole.upper_bound == pytest.approx(bc.certify(mrf).upper_bound)


@pytest.mark.parametrize(
    "mrf",
    [
        bc.BinaryMRF([[0.0, 0.0]]),
        bc.BinaryMRF([[3.0, 1.0]], constant=2.0),
        bc.BinaryMRF(np.zeros((4, 2)), [[0, 1], [2, 3]], np.zeros((2, 2, 2))),
        bc.BinaryMRF(np.arange(8.0).reshape(4, 2)),
        bc.BinaryMRF([[0, 1], [0, 1]], [[0, 1]], [[[np.inf, 0], [0, np.inf]]]),
    ],
    ids=["one variable", "one field", "no weights", "fields only", "hard"],
)
def test_odd_models_end(mrf: bc.BinaryMRF) -> None:
    found = Packing(mrf)
    assert found.run()
    assert found.is_proven
    assert found.upper_bound == naive.optimum(mrf)
    assert found.lower_bound <= found.upper_bound + 1e-9 * max(1.0, abs(found.upper_bound))


def test_huge_energies_beside_tiny_ones_make_no_bound_too_high() -> None:
    """They may leave a gap: the linear program sees no difference so small."""
    apart = [[1e12, 0], [0, 1e12]]
    mrf = bc.BinaryMRF([[0, 1e-6], [1e12, 0], [0, 1]], [[0, 1], [1, 2], [0, 2]], [apart] * 3)
    found = Packing(mrf)
    assert found.run()
    assert found.lower_bound <= naive.optimum(mrf) + found.margin.rounding
    assert not found.is_proven or found.upper_bound == naive.optimum(mrf)


def test_many_tiny_shares_beside_a_large_one_are_not_lost() -> None:
    """Each is less than the rounding of what an edge has left, and all together are not."""
    count, tiny = 2_000, 5e-17
    others = np.arange(2, count + 3)
    edges = [[0, 1], *([0, k] for k in others), *([1, k] for k in others)]
    apart, equal = np.array([[1.0, 0], [0, 1]]), np.array([[0, 1.0], [1, 0]])
    tables = [apart, *[equal] * (len(edges) - 1)]
    graph = signed_graph(bc.BinaryMRF(np.zeros((count + 3, 2)), edges, tables))
    number = {tuple(pair): e for e, pair in enumerate(graph.ends.tolist())}
    cycles = [np.sort([number[0, 1], number[0, k], number[1, k]]) for k in others]
    shares = np.array([1.0, *[tiny] * count])
    assert rests(graph, cycles, shares)[number[0, 1]] == pytest.approx(-count * tiny, rel=1e-9)
    assert bound(graph, cycles, shares) <= graph.energy(np.zeros(count + 3))


def test_no_cycle_has_two_rows() -> None:
    found = Packing(synth.ising_grid(8, 8, torus=True, coupling="gaussian", seed=3))
    found.run()
    assert len({cycle.tobytes() for cycle in found.cycles}) == len(found.cycles)


def test_a_solver_that_fails_ends_the_run_with_the_bounds_that_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Packing(synth.ising_grid(8, 8, torus=True, coupling="gaussian", seed=3))
    found.run(2)
    before = found.lower_bound
    monkeypatch.setattr(covering.highspy.HighsModelStatus, "kOptimal", None)
    assert found.run()
    assert not found.is_proven
    # The cycles of the round have taken what their edges had left.
    assert found.lower_bound == pytest.approx(bound(found.graph, found.cycles, found.shares))
    assert found.lower_bound > before


def test_a_stopped_run_keeps_its_bounds_and_goes_on() -> None:
    mrf, looks = synth.ising_grid(8, 8, torus=True, coupling="gaussian", seed=1), iter(range(60))
    found = Packing(mrf)
    with pytest.raises(bc.Stopped):
        found.run(stop=bc.Stop(requested=lambda: next(looks, None) is None))
    assert found.lower_bound <= found.upper_bound
    assert found.run()
    assert found.is_proven


# -- events ---------------------------------------------------------------------------------------------------------


def state_of(packing: Packing) -> tuple[object, ...]:
    cycles = tuple(cycle.tobytes() for cycle in packing.cycles)
    arrays = packing.shares.tobytes(), packing.broken.tobytes(), packing.labeling.tobytes()
    bounds = packing.lower_bound, packing.upper_bound
    return packing.position, packing.rounds, packing.finished, cycles, arrays, bounds


@settings(max_examples=examples(100), deadline=None)
@given(mrfs(8), st.integers(0, 3), st.lists(st.sampled_from(["cycle", "round", "back"]), max_size=30))
def test_steps_seeks_and_runs_pass_the_same_states(mrf: bc.BinaryMRF, seed: int, moves: list[str]) -> None:
    whole, one = Packing(mrf, seed), Packing(mrf, seed)
    states = {0: state_of(whole)}
    while whole.step():
        states[whole.position] = state_of(whole)
    states[whole.position] = state_of(whole)
    assert whole.finished
    for move in moves:
        if move == "back":
            one.seek(one.events.stop_before(one.position, "round"))
        else:
            one.step("cycle" if move == "cycle" else "round")
        if one.position < len(whole.events):
            assert state_of(one) == states[one.position]
    assert one.run()
    assert state_of(one) == states[len(whole.events)]
    assert (one.work, len(one.events)) == (whole.work, len(whole.events))
    for position, state in states.items():
        one.seek(position)
        assert state_of(one) == state


@settings(max_examples=examples(100), deadline=None)
@given(mrfs(8), st.integers(0, 3))
def test_a_cycle_raises_the_bound_by_what_it_takes(mrf: bc.BinaryMRF, seed: int) -> None:
    found = Packing(mrf, seed)
    near = 1e-9 * max(np.ptp(naive.energies(mrf)), 1e-300) + 1e-12 * abs(found.lower_bound)
    while True:
        before, broken = found.lower_bound, found.broken
        events = found.step()
        if not events:
            break
        (event,) = events
        assert event.lower_bound == pytest.approx(found.lower_bound, abs=near)
        assert event.upper_bound == found.upper_bound
        gap = found.parts().cycles.sum() + found.parts().edges.sum()
        assert gap == pytest.approx(found.upper_bound - found.lower_bound, abs=near)
        if event.cycle is None:
            assert found.lower_bound >= before - near
            continue
        assert found.graph.opposite[event.cycle].sum() % 2 == 1
        assert event.length == pytest.approx(broken[event.cycle].sum())
        assert event.length < 1.0
        assert found.lower_bound - before == pytest.approx(event.share, abs=near)
        # One of its edges has nothing left.
        rest = rests(found.graph, found.cycles, found.shares)
        assert rest[event.cycle].min() <= near


def test_cycles_borrow_what_the_ones_before_have_left() -> None:
    rest = np.array([3.0, 2.0, 5.0, -1.0, 1e-14])
    cycles = [np.array(edges) for edges in ([0, 1], [0, 2], [1, 2], [2, 3], [2, 4])]
    assert borrowed(np.full(5, 5.0), rest, cycles).tolist() == [2.0, 1.0, 0.0, 0.0, 0.0]
    assert rest.tolist() == [0.0, 0.0, 4.0, -1.0, 1e-14]


def test_what_is_not_kept_takes_no_memory() -> None:
    packing = Packing(bc.sample("torus-10x10"), keeps=False)
    packing.run()
    assert packing.rounds > 3
    assert len({id(state) for state in packing.events._states}) <= 2


@pytest.mark.parametrize("made", [Packing, bc.CyclePursuit])
@pytest.mark.parametrize("grain", ["cycle", "round"])
def test_steps_that_are_not_kept_lead_to_the_same_and_not_back(
    made: type[Packing] | type[bc.CyclePursuit], grain: Literal["cycle", "round"]
) -> None:
    kept, plain = (made(bc.sample("torus-10x10"), keeps=keeps) for keeps in (True, False))
    for _ in range(3):
        kept.step("round")
        while plain.rounds < kept.rounds:
            assert plain.step(grain) == []
        assert plain.lower_bound == pytest.approx(kept.lower_bound)
    with pytest.raises(ValueError, match="are not kept"):
        plain.seek(0)


def test_a_round_that_is_not_kept_can_be_taken_back_until_it_ends() -> None:
    packing = Packing(bc.sample("torus-10x10"), keeps=False)
    packing.step("round")
    begin, lower = packing.position, packing.lower_bound
    packing.step("cycle")
    assert packing.lower_bound > lower
    packing.seek(begin)
    assert (packing.rounds, packing.position, packing.lower_bound) == (1, begin, lower)
    with pytest.raises(ValueError, match="are not kept"):
        packing.seek(begin - 1)


def test_work_rises_with_every_round() -> None:
    for engine in (Packing(bc.sample("torus-10x10")), bc.CyclePursuit(bc.sample("torus-10x10"))):
        before = engine.work
        engine.run()
        works = [engine.events[number].work for number in range(len(engine.events))]
        assert before <= works[0]
        assert works == sorted(works)
        assert works[-1] <= engine.work
        rounds = [engine.events[number].round for number in range(len(engine.events))]
        ends = [works[rounds.index(k) :][rounds.count(k) - 1] for k in range(rounds[-1] + 1)]
        assert (np.diff(ends) > 0).all()


def test_perturbed_costs_lead_to_the_same_bound_as_the_true_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """They end where no cycle is violated; then the true costs return."""
    mrf, found = synth.sherrington_kirkpatrick(16, seed=1), list[Packing]()
    for slices in (1, 1 << 30):
        monkeypatch.setattr(covering, "LONG", slices)
        monkeypatch.setattr(covering, "SLICE", 20)
        packing = Packing(mrf)
        lowest = packing.lower_bound
        while not packing.finished:
            packing.step("round")
            assert lowest <= packing.lower_bound
            lowest = packing.lower_bound
        found.append(packing)
    tied, plain = found
    assert tied._program._was_perturbed
    assert not plain._program._was_perturbed
    assert not tied._program.is_perturbed
    assert tied.lower_bound == pytest.approx(plain.lower_bound, abs=1e-6)
    rounds = [event for event in map(tied.events.__getitem__, range(len(tied.events))) if event.cycle is None]
    assert len(rounds) == tied.rounds
    tied.seek(0)
    tied.step("round")
    assert tied.rounds == 1


def test_a_program_that_takes_too_long_with_the_true_costs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"SLICE": 1, "LONG": 1, "PATIENCE": 2}.items():
        monkeypatch.setattr(covering, name, value)
    mrf = synth.sherrington_kirkpatrick(24, "pm1", seed=1)
    packing = Packing(mrf)
    assert packing.run()
    assert packing.has_failed
    assert packing.status == "the linear program is not solved"
    assert packing.lower_bound <= bc.reference(mrf).energy


def test_a_stop_while_the_program_is_solved_keeps_what_cycles_have_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Packing(synth.ising_grid(6, 6, torus=True, coupling="gaussian", seed=1))
    first = found.lower_bound

    def stopped() -> Iterator[int]:
        yield 0
        raise bc.Stopped

    monkeypatch.setattr(found._program, "solve", stopped)
    with pytest.raises(bc.Stopped):
        found.step("round")
    assert found.position == len(found.events) > 0
    assert found.rounds == 0
    assert found.lower_bound == pytest.approx(first + sum(event.share for event in list(found.events)))
    monkeypatch.undo()
    assert found.run()
    assert found.is_proven


@settings(max_examples=examples(60), deadline=None)
@given(mrfs(8), st.integers(0, 3), st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_a_round_goes_on_after_a_stop_before_any_slice(mrf: bc.BinaryMRF, seed: int, looks: list[int]) -> None:
    """Also where an earlier event is shown in between; nothing depends on where it was stopped."""
    whole, pieces, turn = Packing(mrf, seed), Packing(mrf, seed), 0
    whole.run()
    with pytest.MonkeyPatch.context() as patch:
        # As many slices as possible.
        for place, name in ((covering, "SLICE"), (packing, "TAKING")):
            patch.setattr(place, name, 1)
        while not pieces.finished:
            left = iter(range(looks[turn % len(looks)]))
            turn += 1
            try:
                pieces.run(stop=bc.Stop(requested=lambda left=left: next(left, None) is None))
            except bc.Stopped:
                pieces.seek(len(pieces.events) // 2)
                pieces.seek(len(pieces.events))
    assert state_of(pieces) == state_of(whole)
    assert (pieces.work, len(pieces.events)) == (whole.work, len(whole.events))
    for one, other in zip(list(pieces.events), list(whole.events), strict=True):
        assert (one.round, one.share, one.lower_bound) == (other.round, other.share, other.lower_bound)
        assert (one.cycle is None) == (other.cycle is None)
        assert one.cycle is None or (one.cycle == other.cycle).all()


def test_progress_is_reported_within_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while the program is solved, and while labellings are looked for."""
    monkeypatch.setattr(covering, "SLICE", 5)
    found, rounds, steps = Packing(synth.ising_grid(20, 20, torus=True, coupling="gaussian", seed=1)), [], []

    def note(packing: Packing) -> bool:
        rounds.append(packing.rounds)
        steps.append(packing.events.is_open)
        return len(rounds) == 200

    assert not found.run(on_progress=note)
    assert np.bincount(rounds)[:-1].min() > 10
    assert np.bincount(rounds).max() > 25
    assert 0.1 < np.mean(steps) < 0.95


def test_slices_that_are_given_up_go_on() -> None:
    mrf = synth.ising_grid(6, 6, torus=True, coupling="gaussian", seed=1)
    whole, pieces = Packing(mrf), Packing(mrf)
    whole.run()
    for _ in range(1_000):
        for _, _ in zip(range(3), pieces.slices(), strict=False):
            pass
    assert pieces.finished
    assert (state_of(pieces), pieces.work) == (state_of(whole), whole.work)


@settings(max_examples=examples(50), deadline=None)
@given(mrfs(8))
def test_the_memory_of_a_packing_is_known_before_it_is_made(mrf: bc.BinaryMRF) -> None:
    assert Packing(mrf).nbytes <= needed_bytes(mrf) < 2 * Packing(mrf).nbytes + 2_000 * mrf.n


def test_what_has_not_happened_is_refused_in_words() -> None:
    found = Packing(bc.sample("frustrated-cycle"))
    with pytest.raises(ValueError, match="event 1 has not been computed"):
        found.seek(1)
    with pytest.raises(ValueError, match=r'choose "cycle" or "round"'):
        found.step("row")  # type: ignore[arg-type]
    found.run()
    with pytest.raises(IndexError):
        found.events[len(found.events)]


def test_only_the_latest_state_is_kept_where_no_other_is_shown() -> None:
    mrf = synth.ising_grid(10, 10, torus=True, coupling="gaussian", seed=3)
    whole, left = Packing(mrf), Packing(mrf, left=Left(unreduced(mrf), np.zeros(mrf.n, np.int64), 1e-9), keeps=False)
    assert whole.run()
    assert left.run()
    assert left.lower_bound == pytest.approx(whole.lower_bound)
    assert left.events.nbytes < whole.events.nbytes / 3
