"""Shortest frustrated cycles, against all simple cycles of small graphs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bender_core.kernels.frustration import ENDLESS, NONE, doubled, find, find_many, hunt
from tests import naive
from tests.models import examples


@settings(max_examples=examples(300), deadline=None)
@given(n=st.integers(2, 7), density=st.sampled_from([0.3, 0.6, 1.0]), ties=st.booleans(), seed=st.integers(0, 1 << 16))
def test_the_shortest_one_is_found_and_all_that_are_found_are_simple(
    n: int, density: float, ties: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    ends = np.array([(i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < density], np.int64)
    ends = ends.reshape(-1, 2)
    opposite, lengths = rng.random(len(ends)) < 0.5, rng.random(len(ends))
    if ties:
        lengths = rng.choice([0.0, 0.25, 0.5], len(ends))
    odd = [each for each in naive.simple_cycles(list(map(tuple, ends.tolist()))) if opposite[each].sum() % 2]
    shortest = min((lengths[each].sum() for each in odd), default=np.inf)
    graph, found = doubled(n, ends, opposite), []
    for source in range(n):
        count, _ = find(graph, lengths, source, np.inf)
        if count:
            cycle = sorted(graph.cycle[:count].tolist())
            assert cycle in odd
            found.append(lengths[cycle].sum())
        # As it was before, whatever was found.
        assert (graph.near == np.inf).all()
        assert (graph.place == NONE).all()
        assert (graph.on_walk == NONE).all()
    assert min(found, default=np.inf) == shortest or np.isclose(min(found), shortest)
    if odd:
        assert all(find(graph, lengths, source, 0.999 * shortest)[0] == 0 for source in range(n))


@settings(max_examples=examples(200), deadline=None)
@given(
    n=st.integers(3, 9), reach=st.sampled_from([1, 5, 20, ENDLESS]), ties=st.booleans(), seed=st.integers(0, 1 << 16)
)
def test_a_hunt_finds_cycles_below_the_limit_and_misses_none_if_searches_go_far(
    n: int, reach: int, ties: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    ends = np.array([(i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.4], np.int64).reshape(-1, 2)
    opposite, lengths = rng.random(len(ends)) < 0.5, 0.6 * rng.random(len(ends))
    if ties:
        lengths = rng.choice([0.0, 0.1, 0.2, 0.3, 0.7], len(ends))
    odd = [each for each in naive.simple_cycles(list(map(tuple, ends.tolist()))) if opposite[each].sum() % 2]
    graph, hunted, limit = doubled(n, ends, opposite), hunt(rng.permutation(n)), 1.0 - 1e-6
    done, found = 0, []
    while done < n:  # a call ends early where there is no room for another cycle
        before = done
        done, count, _ = find_many(graph, lengths, hunted, done, limit, reach)
        found += hunted.cycles(count)
        assert done > before
    assert all(cycle.tolist() in odd and lengths[cycle].sum() < limit for cycle in found)
    if reach == ENDLESS:
        # No vertex of a short cycle is missed, unless it is on another one.
        on_one = {v for cycle in found for v in ends[cycle].ravel().tolist()}
        short = [each for each in odd if lengths[each].sum() < 1.0 - 2e-6]
        assert all(on_one & set(ends[each].ravel().tolist()) for each in short)
        assert bool(found) >= bool(short)
    assert (graph.near == np.inf).all()
    assert (graph.place == NONE).all()
    assert (graph.on_walk == NONE).all()


def test_a_vertex_without_a_cycle_leaves_out_only_those_at_no_distance() -> None:
    """A pendant vertex is 0.4 away from a short triangle, and another one at no distance from the first."""
    ends = np.array([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4]])
    graph, lengths = doubled(5, ends, np.ones(5, np.bool_)), np.array([0.2, 0.05, 0.05, 0.4, 0.0])
    hunted = hunt(np.array([3, 4, 0, 1, 2]))
    done, count, _ = find_many(graph, lengths, hunted, 0, 1.0 - 1e-6, ENDLESS)
    assert (done, [cycle.tolist() for cycle in hunted.cycles(count)]) == (5, [[0, 1, 2]])
    alone = hunt(np.array([3, 4, 0, 1, 2]))
    find_many(graph, lengths, alone, 0, 1.0 - 1e-6, 1)
    assert hunted.free.tolist() == [False, False, False, False, False]
    assert alone.free.tolist()[3:] == [True, True]
