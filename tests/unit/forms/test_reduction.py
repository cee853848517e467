"""What is left of a model without the variables that are known, or tied to others."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.forms.normal_form import to_normal_form
from bender_core.forms.reduction import GONE, OPEN, ContradictionError, Facts, Reduction, composed, reduction, unreduced
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
    require_equal(reduction(unreduced(model), facts), facts)


@settings(max_examples=examples(50))
@given(st.data())
def test_one_reduction_after_another_is_one_reduction(data: st.DataObject) -> None:
    """To the last bit: what is left is made from the whole model, not from what was left before."""
    model = data.draw(mrfs(7))
    first = reduction(unreduced(model), data.draw(facts_of(model.n)))
    if not first.reduced.n:
        return
    further = data.draw(facts_of(first.reduced.n))
    second = reduction(first, further)
    assert (second.model, composed(unreduced(model), first).reduced) == (first.reduced, first.reduced)
    both = composed(first, second)
    for y in product((0, 1), repeat=both.reduced.n):
        x = both.restored(y)
        assert x.tolist() == first.restored(second.restored(y)).tolist()
        assert both.reduce(x).tolist() == list(y)
    at_once = reduction(unreduced(model), facts_behind(both))
    assert at_once.reduced.content_hash() == both.reduced.content_hash()
    assert (at_once.home.tolist(), at_once.value.tolist()) == (both.home.tolist(), both.value.tolist())


def facts_behind(found: Reduction) -> Facts:
    """The facts that lead to a reduction."""
    first = {int(home): i for i, home in reversed(list(enumerate(found.home))) if home != GONE}
    ties = [(first[int(home)], i, found.value[i]) for i, home in enumerate(found.home) if home != GONE]
    tied = np.array([tie for tie in ties if tie[0] != tie[1]], np.int64).reshape(-1, 3)
    return Facts(np.where(found.is_open, OPEN, found.value), tied)


@settings(max_examples=examples(100))
@given(st.data())
def test_what_is_left_is_the_normal_form_of_exact_sums(data: st.DataObject) -> None:
    """Of energies from 1e-12 to 1e12, many of which cancel."""
    sizes = st.sampled_from([1e-12, 1.0, 1e4, 1e12])
    drawn = data.draw(mrfs(6))
    unary, pairwise = drawn.unary * data.draw(sizes), drawn.pairwise * data.draw(sizes)
    if drawn.n_edges > 1:
        pairwise[1] = -pairwise[0]
    model = bc.BinaryMRF(unary, drawn.edges, pairwise)
    found = reduction(unreduced(model), data.draw(facts_of(model.n)))
    linear, coupling = exact_polynomial(found)
    left = found.reduced
    assert {tuple(edge): w for edge, w in zip(left.edges.tolist(), left.coupling(), strict=True)} == {
        edge: float(w) for edge, w in coupling.items() if float(w)
    }
    for i, (zero, one) in enumerate(left.unary.tolist()):
        # What repulsive couplings move to their first variable has been rounded, as they have.
        slope = linear[i] + sum(Fraction(float(w)) for (first, _), w in coupling.items() if first == i and w > 0)
        assert min(zero, one) == 0.0
        assert one - zero == float(slope)
    assert np.array_equal(to_normal_form(left).unary, left.unary)
    assert np.array_equal(to_normal_form(left).pairwise(), left.pairwise)


def exact_polynomial(found: Reduction) -> tuple[list[Fraction], dict[tuple[int, int], Fraction]]:
    """The coefficients of what is left, by the energies of labellings with one and two ones."""
    n = found.reduced.n

    def energy(*ones: int) -> Fraction:
        x = found.restored([int(i in ones) for i in range(n)])
        taken = [found.model.unary[i, x[i]] for i in range(found.model.n)]
        taken += [t[x[i], x[j]] for (i, j), t in zip(found.model.edges, found.model.pairwise, strict=True)]
        return sum(map(Fraction, map(float, taken)), Fraction(0))

    least, single = energy(), [energy(i) for i in range(n)]
    pairs = {(i, j): energy(i, j) - single[i] - single[j] + least for i in range(n) for j in range(i + 1, n)}
    return [one - least for one in single], pairs


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
        reduction(unreduced(model), Facts(np.array(value), np.array(ties)))


def test_a_labelling_against_the_facts_is_refused() -> None:
    found = reduction(unreduced(bc.BinaryMRF(unary=np.zeros((2, 2)))), Facts(np.array([1, -1])))
    with pytest.raises(bc.ModelError, match="does not fulfil"):
        found.reduce([0, 1])


def test_a_large_offset_costs_no_digits() -> None:
    """Energies of 1e12 that all states share go into the constant before anything is added to them."""
    table = np.array([[0.0, 1e-3], [2e-3, 0.0]]) + 1e12
    model = bc.BinaryMRF(unary=np.zeros((3, 2)), edges=[[0, 1], [1, 2]], pairwise=[table, table])
    left = reduction(unreduced(model), Facts(np.array([1, -1, -1]))).reduced
    assert left.unary[0, 1] - left.unary[0, 0] == table[1, 1] - table[1, 0] + table[1, 0] - table[0, 0]
    assert left.coupling().tolist() == [table[1, 1] - table[0, 1] - (table[1, 0] - table[0, 0])]


def test_names_kinds_and_positions_are_those_of_the_first_of_what_is_tied() -> None:
    model = bc.BinaryMRF(
        unary=np.zeros((4, 2)), names=list("abcd"), groups=["k", "k", "m", "m"], positions=np.arange(8.0).reshape(4, 2)
    )
    found = reduction(unreduced(model), Facts(np.array([-1, 0, -1, -1]), np.array([[3, 2, 1]])))
    assert (found.reduced.names, found.reduced.groups) == (("a", "c"), ("k", "m"))
    assert found.reduced.positions is not None
    assert found.reduced.positions.tolist() == [[0.0, 1.0], [4.0, 5.0]]
    assert found.home.tolist() == [0, -1, 1, 1]
