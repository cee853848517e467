"""Floor, ceiling, suspects, the ground and the tensions: against their definitions, at events of every variant."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import looking, synth
from bender_core.kernels.layout import Kind
from tests.models import JIT, examples, random_mrf
from tests.tiers import thinned
from tests.unit.engines import WITH_ROWS, every_variant, glassy, jitless, sample, size_of, twin

NEAR = 1e-9
SCHEDULES = ("mplp", "srmp")
N = 9 if JIT else 7


def tied(seed: int, n: int = 9) -> bc.BinaryMRF:
    """Energies that are small integers, many of them 0: full of ties."""
    return random_mrf(seed, n, density=0.6, integers=True, constant=float(seed % 3))


MODELS = (
    lambda seed: random_mrf(seed, 10),
    tied,
    lambda seed: synth.ising_grid(3, 4, seed=seed),
    lambda seed: sample(("pose-small", "tiny", "frustrated-cycle")[seed % 3]),
)


def updates(engine: bc.Engine) -> list[list[bc.Event]]:
    """The events of the run, update by update."""
    found: list[list[bc.Event]] = []
    for event in engine.trace:
        if event.kind == Kind.NODE_OPENED:
            found.append([])
        if event.kind <= Kind.MESSAGE:
            found[-1].append(event)
    return found


def check_meeting(engine: bc.Engine) -> None:
    """Within every update the floor never falls, the ceiling never rises, and they meet at the new bound."""
    near = NEAR * size_of(engine.mrf)
    for events in updates(engine):
        if events[-1].kind != Kind.MESSAGE:
            continue
        bound = events[-1].lower_bound
        counted = [event for event in events if event.kind in (Kind.ORACLE, Kind.MESSAGE)]
        floors = [event.floor for event in events if event.kind != Kind.ROW]
        ceilings = [event.ceiling for event in counted]
        assert all(low <= high + near for low, high in itertools.pairwise(floors))
        assert all(high >= low - near for high, low in itertools.pairwise(ceilings))
        assert max(floors) <= bound + near
        assert min(ceilings) >= bound - near
        assert abs(floors[-1] - bound) <= near
        assert abs(ceilings[-1] - bound) <= near
        assert counted[-1].suspects == 0
        for event in counted:
            # Suspects lie between the two.
            assert event.suspects == 0 or event.floor < event.ceiling
        assert [event.suspects for event in events if event.kind == Kind.ROW] == [-1] * sum(
            event.kind == Kind.ROW for event in events
        )


@every_variant
@settings(max_examples=examples(20), deadline=None)
@given(st.sampled_from(MODELS), st.integers(0, 10**6), st.sampled_from(SCHEDULES), st.sampled_from([1, 2, 8]))
def test_floor_and_ceiling_meet_at_the_new_bound(
    variant: int, made: Callable[[int], bc.BinaryMRF], seed: int, schedule: str, deepest: int
) -> None:
    mrf = made(seed)
    engine = bc.Engine(mrf, bc.partition(mrf, 4), variant=variant, schedule=schedule, max_sweeps=4, deepest=deepest)
    engine.run()
    check_meeting(engine)


def exact_ground(engine: bc.Engine, p: int) -> np.ndarray:
    """What every state of a group costs exactly, in units of the bound, by brute force."""
    slow, held = twin(engine, rows=False), looking.bound_terms(engine)
    mine = [e for e, edge in enumerate(engine.graph.edges.tolist()) if p in edge]
    return engine.lower_bound - held.groups[p] - held.edges[mine].sum() + slow.exact_total(p)


@jitless
@every_variant
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_ground_at_any_event(variant: int, schedule: str) -> None:
    """It never exceeds the exact costs, its parts sum to it, and its minimum is the floor, also after seeks."""
    mrf, part = glassy(variant, n=N)
    engine = bc.Engine(mrf, part, variant=variant, schedule=schedule, max_sweeps=4, deepest=2)
    engine.run()
    rng, near = np.random.default_rng(variant), NEAR * size_of(mrf)
    for position in rng.integers(1, len(engine.trace), 25):
        engine.seek(int(position))
        event = looking.last_event(engine)
        assert event is not None
        assert event.index == position - 1
        p = looking.open_node(engine) if looking.open_node(engine) >= 0 else int(rng.integers(engine.graph.n_groups))
        ground, parts = looking.ground(engine, p), looking.ground_parts(engine, p)
        assert (ground <= exact_ground(engine, p) + near).all()
        assert np.allclose(parts.rest + parts.own + parts.parts.sum(axis=0), ground, rtol=0, atol=near)
        assert parts.neighbours.tolist() == engine.graph.neighbours(p)
        found = looking.open_update(engine)
        assert (found is None) == (looking.open_node(engine) < 0)
        if found is None:
            continue
        assert found.floor == pytest.approx(ground.min(), abs=near)
        if event.kind in (Kind.NODE_OPENED, Kind.ORACLE):
            assert event.floor == pytest.approx(found.floor, abs=near)
        if event.kind == Kind.ORACLE and event.depth == 0:
            assert found.ceiling == pytest.approx(event.ceiling, abs=near)
            assert found.suspects == event.suspects


@jitless
@pytest.mark.parametrize("variant", thinned(WITH_ROWS, 3))
@pytest.mark.parametrize("deepest", [1, 4])
def test_suspects_are_the_states_that_may_cost_less(variant: int, deepest: int) -> None:
    """Floor, ceiling and suspects of every answer, from the tables of the slow twin."""
    mrf, part = glassy(variant + 20, n=N)
    engine = bc.Engine(mrf, part, variant=variant, max_sweeps=3, deepest=deepest)
    engine.run()
    near = NEAR * size_of(mrf)
    asked: dict[int, float] = {}
    for k in range(min(len(engine.trace), 150)):
        event = engine.trace[k]
        if event.kind == Kind.NODE_OPENED:
            asked = {}
        if event.kind != Kind.ORACLE or event.depth > 0:
            continue
        engine.seek(k + 1)
        slow, p = twin(engine), event.node
        rest = looking.ground_parts(engine, p).rest
        low, exact = rest + slow.envelope_total(p), rest + slow.exact_total(p)
        asked[event.state] = float(exact[event.state])
        assert looking.exact_costs(engine) == pytest.approx(asked, abs=near)
        best = min(asked, key=lambda y: asked[y])
        ceiling = asked[best]
        assert event.floor == pytest.approx(low.min(), abs=near)
        assert event.ceiling == pytest.approx(ceiling, abs=near)
        others = np.arange(len(low)) != best
        surely, perhaps = (low < ceiling - near) & others, (low < ceiling + near) & others
        assert surely.sum() <= event.suspects <= perhaps.sum()


def test_answers_are_best_responses_of_the_neighbours() -> None:
    mrf, part = glassy(5, n=9)
    engine = bc.Engine(mrf, part, variant=9, max_sweeps=2)
    engine.run()
    for position in (0, 7, 30, len(engine.trace)):
        engine.seek(position)
        slow = twin(engine, rows=False)
        for p in range(engine.graph.n_groups):
            for state in range(1 << len(part.groups[p])):
                found = looking.answers(engine, p, state)
                assert [answer.sender for answer in found] == engine.graph.neighbours(p)
                for answer in found:
                    q = answer.sender
                    response = slow.model.coupling(p, q)[state] - slow.lam[q, p]
                    assert answer.exact == pytest.approx(response.min(), abs=NEAR)
                    assert response[answer.state] == pytest.approx(response.min(), abs=NEAR)
                    assert looking.envelope(engine, p, q)[state] <= answer.exact + NEAR


def test_a_row_is_that_of_its_list() -> None:
    mrf, part = glassy(6)
    engine = bc.Engine(mrf, part, variant=8, max_sweeps=1)
    engine.run()
    engine.seek(engine.position // 2)
    for p, q in engine.graph.edges.tolist():
        for row in looking.rows(engine, p, q):
            one = looking.row(engine, row.index)
            receiver = one.made_for
            listed = looking.rows(engine, receiver, q if receiver == p else p)
            mine = next(r for r in listed if r.index == row.index)
            assert (one.kind, one.anchor, one.intercept) == (mine.kind, mine.anchor, mine.intercept)
            assert (one.u == mine.u).all()
    for wrong in (-1, engine.n_rows):
        with pytest.raises(ValueError, match="no row"):
            looking.row(engine, wrong)


def tension_by_definition(engine: bc.Engine, labeling: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    slow, held, states = twin(engine, rows=False), looking.bound_terms(engine), engine.graph.states(labeling)
    groups = [slow.reparametrized(p)[y] - held.groups[p] for p, y in enumerate(states)]
    edges = []
    for (p, q), term in zip(slow.model.edges, held.edges, strict=True):
        y, z = states[p], states[q]
        edges.append(slow.model.coupling(p, q)[y, z] - slow.lam[p, q][y] - slow.lam[q, p][z] - term)
    return np.array(groups), np.array(edges)


@jitless
@every_variant
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_tensions_sum_to_the_gap(variant: int, schedule: str) -> None:
    """At any event, of the best labelling and of any other; each at least 0, seen from either end."""
    mrf, part = glassy(variant + 40, n=N)
    engine = bc.Engine(mrf, part, variant=variant, schedule=schedule, max_sweeps=3, deepest=2)
    engine.run()
    rng, near = np.random.default_rng(variant), NEAR * size_of(mrf)
    for position in (0, *rng.integers(0, len(engine.trace), 12).tolist()):
        engine.seek(position)
        assert looking.tension(engine).groups.sum() + looking.tension(engine).edges.sum() == pytest.approx(
            engine.upper_bound - engine.lower_bound, abs=near
        )
        for labeling in (engine.labeling, rng.integers(0, 2, mrf.n)):
            found = looking.tension(engine, labeling)
            groups, edges = tension_by_definition(engine, labeling)
            assert np.allclose(found.groups, groups, rtol=0, atol=near)
            assert np.allclose(found.edges, edges, rtol=0, atol=near)
            assert min(found.groups.min(), found.edges.min()) >= -near
            assert groups.sum() + edges.sum() == pytest.approx(mrf.energy(labeling) - engine.lower_bound, abs=near)
            for e, (p, q) in enumerate(engine.graph.edges.tolist()):
                for receiver, sender in ((p, q), (q, p)):
                    parts = looking.edge_tension(engine, receiver, sender, labeling)
                    assert min(parts) >= -near
                    assert sum(parts) == pytest.approx(edges[e], abs=near)


def test_a_labelling_of_another_length_is_refused() -> None:
    engine = bc.Engine(*glassy(1), variant=9, excluding=True)
    with pytest.raises(bc.ModelError, match="10 entries"):
        looking.tension(engine, [0, 1])


@every_variant
def test_steps_by_rounds_end_where_the_trace_says(variant: int) -> None:
    """All that happens at one y* is one step."""
    mrf, part = glassy(variant + 60)
    engine = bc.Engine(mrf, part, variant=variant, max_sweeps=3, deepest=2)
    while events := engine.step("round"):
        inside = [event for event in events if event.kind in (Kind.ORACLE, Kind.ROW)]
        assert len({event.state for event in inside}) <= 1
        assert events[-1].kind != Kind.NODE_OPENED
    assert engine.finished
    for grain in ("event", "row", "round", "node", "sweep"):
        again = bc.Engine(mrf, part, variant=variant, max_sweeps=3, deepest=2)
        ends = []
        while again.step(grain):
            ends.append(again.position)
        assert engine.trace.stops(grain).tolist() == ends


def test_an_update_does_not_ask_what_it_knows() -> None:
    """Where the lowest state is the one at the ceiling, and tight, the messages are passed at once."""
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), variant=9, deepest=1, max_sweeps=10)
    engine.run()
    asked = skipped = 0
    for events in updates(engine):
        states = [event.state for event in events if event.kind == Kind.ORACLE]
        assert len(set(states)) == len(states)
        asked += len(states)
        skipped += events[-1].kind == Kind.MESSAGE and events[-2].kind == Kind.ROW
    assert skipped > asked / 50


LOOKS: dict[str, Callable[[bc.Engine], object]] = {
    "tension": looking.tension,
    "bound_terms": looking.bound_terms,
    "edge_tension": lambda engine: looking.edge_tension(engine, 0, 1),
    "work": looking.work,
    "attribution": looking.attribution,
    "rows_made": looking.rows_made,
    "row_gains": looking.row_gains,
    "row_edges": looking.row_edges,
    "slack": looking.slack,
    "message": lambda engine: looking.message(engine, 0, 1),
    "min_marginal": lambda engine: looking.min_marginal(engine, 0, 1),
    "envelope": lambda engine: looking.envelope(engine, 0, 1),
    "incoming": lambda engine: looking.incoming(engine, 0),
    "ground": lambda engine: looking.ground(engine, 0),
    "excess": lambda engine: looking.excess(engine, 0),
    "alive": lambda engine: looking.alive(engine, 0),
}


@pytest.mark.parametrize("name", LOOKS)
def test_what_was_found_stays_as_the_run_goes_on(name: str) -> None:
    def found(engine: bc.Engine) -> list[np.ndarray]:
        value = LOOKS[name](engine)
        return [np.asarray(each) for each in (value if isinstance(value, tuple) else (value,))]

    engine = bc.Engine(*glassy(1), variant=9, excluding=True)
    engine.run(max_events=60)
    before = found(engine)
    kept = [each.copy() for each in before]
    engine.run(max_events=400)
    assert all(np.array_equal(one, other) for one, other in zip(before, kept, strict=True))
    engine.seek(60)
    assert all(np.array_equal(one, other) for one, other in zip(found(engine), kept, strict=True))
