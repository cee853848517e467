"""What is left of a model without the variables that are known, or tied to others."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.reduction import ContradictionError, Facts, Reduction, composed, reduction, unreduced
from tests.models import examples, mrfs


def fulfilled(x: np.ndarray, facts: Facts) -> bool:
    """Whether a labelling fulfils facts."""
    known = facts.value >= 0
    return bool((x == facts.value)[known].all() and all(x[i] ^ x[j] == opposite for i, j, opposite in facts.ties))


@st.composite
def facts_of(draw: st.DrawFn, n: int) -> Facts:
    """Facts that some labelling fulfils."""
    x = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), np.int64)
    known = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    variables = st.integers(0, n - 1)
    pairs = [(i, j) for i, j in draw(st.lists(st.tuples(variables, variables), max_size=4)) if i != j]
    ties = np.array([(i, j, x[i] ^ x[j]) for i, j in pairs], np.int64).reshape(-1, 3)
    return Facts(np.where(known, x, -1), ties)


def require_equal(found: Reduction, facts: Facts) -> None:
    """Every labelling that fulfils the facts is one of the reduced model, with the same energy, and the reverse."""
    model, seen = found.model, set[tuple[int, ...]]()
    for y in product((0, 1), repeat=found.reduced.n):
        x = found.restored(y)
        assert fulfilled(x, facts)
        assert model.energy(x) == pytest.approx(found.reduced.energy(y), abs=1e-9)
        assert found.reduce(x).tolist() == list(y)
        seen.add(tuple(x.tolist()))
    assert seen == {x for x in product((0, 1), repeat=model.n) if fulfilled(np.array(x, np.int64), facts)}


@settings(max_examples=examples(100))
@given(st.data())
def test_the_energy_of_every_labelling_that_fulfils_the_facts_is_kept(data: st.DataObject) -> None:
    model = data.draw(mrfs(7))
    facts = data.draw(facts_of(model.n))
    require_equal(reduction(model, facts), facts)


@settings(max_examples=examples(50))
@given(st.data())
def test_one_reduction_after_another_is_one_reduction(data: st.DataObject) -> None:
    model = data.draw(mrfs(7))
    first = reduction(model, data.draw(facts_of(model.n)))
    if not first.reduced.n:
        return
    second = reduction(first.reduced, data.draw(facts_of(first.reduced.n)))
    both = composed(composed(unreduced(model), first), second)
    for y in product((0, 1), repeat=both.reduced.n):
        x = both.restored(y)
        assert x.tolist() == first.restored(second.restored(y)).tolist()
        assert both.reduce(x).tolist() == list(y)


@pytest.mark.parametrize(
    ("value", "ties"),
    [
        ([0, 1, -1], [[0, 1, 0]]),
        ([-1, -1, -1], [[0, 1, 0], [1, 2, 0], [0, 2, 1]]),
        ([1, -1, 1], [[0, 1, 1], [1, 2, 0]]),
    ],
)
def test_facts_that_contradict_each_other_are_refused(value: list[int], ties: list[list[int]]) -> None:
    model = bc.BinaryMRF(unary=np.zeros((3, 2)))
    with pytest.raises(ContradictionError):
        reduction(model, Facts(np.array(value), np.array(ties)))


def test_a_labelling_against_the_facts_is_refused() -> None:
    found = reduction(bc.BinaryMRF(unary=np.zeros((2, 2))), Facts(np.array([1, -1])))
    with pytest.raises(bc.ModelError, match="does not fulfil"):
        found.reduce([0, 1])


def test_a_large_offset_costs_no_digits() -> None:
    """Energies of 1e12 that all states share go into the constant before anything is added to them."""
    table = np.array([[0.0, 1e-3], [2e-3, 0.0]]) + 1e12
    model = bc.BinaryMRF(unary=np.zeros((3, 2)), edges=[[0, 1], [1, 2]], pairwise=[table, table])
    found = reduction(model, Facts(np.array([1, -1, -1])))
    difference = found.reduced.unary[0, 1] - found.reduced.unary[0, 0]
    assert difference == pytest.approx(table[1, 1] - table[1, 0], abs=1e-15)


def test_names_kinds_and_positions_are_those_of_the_first_of_what_is_tied() -> None:
    model = bc.BinaryMRF(
        unary=np.zeros((4, 2)), names=list("abcd"), groups=["k", "k", "m", "m"], positions=np.arange(8.0).reshape(4, 2)
    )
    found = reduction(model, Facts(np.array([-1, 0, -1, -1]), np.array([[3, 2, 1]])))
    assert (found.reduced.names, found.reduced.groups) == (("a", "c"), ("k", "m"))
    assert found.reduced.positions is not None
    assert found.reduced.positions.tolist() == [[0.0, 1.0], [4.0, 5.0]]
    assert found.home.tolist() == [0, -1, 1, 1]
