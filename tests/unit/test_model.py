"""The model: what it accepts, what it refuses in one sentence, and the energy it stands for."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bender_core import BinaryMRF, ModelError, Objective
from tests import naive
from tests.models import examples, mrfs, random_mrf

TWO = [[0.0, 1.0], [0.0, 1.0]]
ONE_TABLE = [[[0.0, 1.0], [2.0, 3.0]]]


@settings(max_examples=examples(50))
@given(mrfs(max_n=6))
def test_energy_is_the_sum_of_its_terms(mrf: BinaryMRF) -> None:
    for x in naive.labelings(mrf.n):
        assert mrf.energy(x) == pytest.approx(naive.energy(mrf, x), rel=1e-12, abs=1e-12)


def test_energy_of_a_model_written_out() -> None:
    mrf = BinaryMRF(
        unary=[[1, 2], [4, 8], [0, 16]],
        edges=[[0, 1], [1, 2]],
        pairwise=[[[100, 200], [300, 400]], [[1000, 2000], [3000, 4000]]],
        constant=0.5,
    )
    assert mrf.energy([0, 0, 0]) == 0.5 + 1 + 4 + 0 + 100 + 1000
    assert mrf.energy([1, 0, 1]) == 0.5 + 2 + 4 + 16 + 300 + 2000
    assert mrf.energy(np.array([True, True, False])) == 0.5 + 2 + 8 + 0 + 400 + 3000
    assert mrf.coupling().tolist() == [400 - 200 - 300 + 100, 4000 - 2000 - 3000 + 1000]
    assert (mrf.n, mrf.n_edges, mrf.names) == (3, 2, ("x0", "x1", "x2"))


def test_tables_of_repeated_edges_add_up() -> None:
    """Also when one is stated the other way round; edges keep the order of their first appearance."""
    t = np.arange(16.0).reshape(4, 2, 2)
    mrf = BinaryMRF(unary=np.zeros((3, 2)), edges=[[2, 1], [0, 2], [1, 2], [2, 1]], pairwise=t)
    assert mrf.edges.tolist() == [[1, 2], [0, 2]]
    assert np.array_equal(mrf.pairwise, [t[0].T + t[2] + t[3].T, t[1]])
    for x in naive.labelings(3):
        expected = t[0][x[2], x[1]] + t[1][x[0], x[2]] + t[2][x[1], x[2]] + t[3][x[2], x[1]]
        assert mrf.energy(x) == expected


@settings(max_examples=examples(50))
@given(mrfs(max_n=5), st.randoms(use_true_random=False))
def test_the_way_edges_are_written_does_not_matter(mrf: BinaryMRF, random) -> None:
    flips = [random.random() < 0.5 for _ in range(mrf.n_edges)]
    edges = [edge[::-1] if flip else edge for edge, flip in zip(mrf.edges.tolist(), flips, strict=True)]
    tables = [table.T / 2 if flip else table / 2 for table, flip in zip(mrf.pairwise, flips, strict=True)]
    again = BinaryMRF(mrf.unary, [*edges, *mrf.edges], [*tables, *(mrf.pairwise / 2)], mrf.constant)
    assert again.n_edges == mrf.n_edges
    for x in naive.labelings(mrf.n):
        assert again.energy(x) == pytest.approx(mrf.energy(x), rel=1e-12, abs=1e-12)


# --- hard constraints ----------------------------------------------------------------------------------------


@settings(max_examples=examples(100))
@given(mrfs(max_n=5), st.data())
def test_hard_constraints_keep_the_optimum(mrf: BinaryMRF, data: st.DataObject) -> None:
    unary, pairwise = mrf.unary.copy(), mrf.pairwise.copy()
    for table in (unary, pairwise):
        forbidden = data.draw(st.lists(st.booleans(), min_size=table.size, max_size=table.size))
        if data.draw(st.booleans()):
            table[np.array(forbidden, bool).reshape(table.shape)] = np.inf
    hard = BinaryMRF(unary, mrf.edges, pairwise, mrf.constant)
    assert hard.hard_entries == np.isinf(unary).sum() + np.isinf(pairwise).sum()
    assert np.isfinite(hard.unary).all()
    assert np.isfinite(hard.pairwise).all()
    true = {}
    for x in naive.labelings(mrf.n):
        pairs = [table[x[i], x[j]] for (i, j), table in zip(mrf.edges, pairwise, strict=True)]
        true[x] = mrf.constant + sum(unary[i, x[i]] for i in range(mrf.n)) + sum(pairs)
        assert hard.is_feasible(hard.energy(x)) == np.isfinite(true[x])
        if np.isfinite(true[x]):
            assert hard.energy(x) == pytest.approx(true[x], rel=1e-12, abs=1e-9)
    least = min(true.values())
    if np.isfinite(least):
        assert naive.optimum(hard) == pytest.approx(least, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("constant", [0.0, 1e9, -1e9])
def test_feasibility_is_told_apart_whatever_the_constant(constant: float) -> None:
    mrf = BinaryMRF([[0.0, 0.1], [0.0, np.inf]], constant=constant)
    assert mrf.is_feasible(mrf.energy([1, 0]))
    assert not mrf.is_feasible(mrf.energy([0, 1]))


def test_without_hard_constraints_everything_is_feasible() -> None:
    mrf = random_mrf(0, 3)
    assert (mrf.hard_entries, mrf.ceiling) == (0, np.inf)
    assert mrf.is_feasible(1e30)


# --- refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"unary": [0.0, 1.0]}, "unary has shape (2,); it must be (n, 2)"),
        ({"unary": [[0.0, 1.0, 2.0]]}, "unary has shape (1, 3); it must be (n, 2)"),
        ({"unary": [["a", "b"]]}, "unary is not an array of numbers"),
        ({"unary": [[0.0], [0.0, 1.0]]}, "unary is not an array of numbers"),
        ({"unary": [[0.0, np.nan], [0.0, 0.0]]}, "unary[0, 1] is nan; energies must be numbers (+inf forbids a state)"),
        ({"unary": [[0.0, 0.0], [-np.inf, 0.0]]}, "unary[1, 0] is -inf; energies must be numbers"),
        ({"unary": [[0.0, 1e200], [0.0, 0.0]]}, "an energy is 1e+200 in size; scale the model"),
        ({"constant": np.inf}, "the constant is inf; it must be a finite number"),
        ({"constant": np.nan}, "the constant is nan; it must be a finite number"),
        ({"edges": [[0, 1]]}, "pairwise has shape"),
        ({"edges": [[0, 1]], "pairwise": [[0.0, 1.0, 2.0, 3.0]]}, "pairwise has shape (1, 4); it must be (1, 2, 2)"),
        ({"edges": [[0, 1]], "pairwise": ONE_TABLE * 2}, "pairwise has shape (2, 2, 2); it must be (1, 2, 2)"),
        ({"edges": [[0, 1]], "pairwise": [[[0.0, np.nan], [0.0, 0.0]]]}, "pairwise[0, 0, 1] is nan"),
        ({"edges": [0, 1], "pairwise": ONE_TABLE}, "edges has shape (2,); it must be (m, 2)"),
        ({"edges": [[0, 1, 1]], "pairwise": ONE_TABLE}, "edges has shape (1, 3); it must be (m, 2)"),
        ({"edges": [[0, 2]], "pairwise": ONE_TABLE}, "an edge names variables 0 and 2, but variables run from 0 to 1"),
        ({"edges": [[-1, 1]], "pairwise": ONE_TABLE}, "an edge names variables -1 and 1"),
        ({"edges": [[1, 1]], "pairwise": ONE_TABLE}, "an edge joins variable 1 to itself; put that energy into its"),
        ({"names": ["a"]}, "names has 1 entries; there are 2 variables"),
        ({"groups": ["a", "b", "c"]}, "groups has 3 entries; there are 2 variables"),
        ({"positions": [[0.0, 0.0]]}, "positions has shape (1, 2)"),
        ({"positions": [[0.0, 0.0], [np.nan, 0.0]]}, "positions[1, 0] is nan"),
        ({"positions": [[0.0, 0.0], [np.inf, 0.0]]}, "positions hold an infinite coordinate"),
    ],
)
def test_a_bad_argument_is_named_in_one_sentence(arguments: dict, said: str) -> None:
    with pytest.raises(ModelError, match=re.escape(said)) as caught:
        BinaryMRF(**{"unary": TWO, **arguments})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("labeling", [[0], [0, 1, 0], [0, 2], [[0, 1]], [0.5, 0.0], [np.nan, 0.0]])
def test_a_labelling_that_is_none_is_refused(labeling: list) -> None:
    with pytest.raises(ModelError, match="a labelling has 2 entries, each 0 or 1"):
        BinaryMRF(TWO).energy(labeling)


# --- a value object ------------------------------------------------------------------------------------------


def test_a_model_keeps_its_numbers() -> None:
    unary, edges, pairwise = np.array(TWO), np.array([[0, 1]]), np.array(ONE_TABLE)
    mrf = BinaryMRF(unary, edges, pairwise)
    for mine, its in ((unary, mrf.unary), (edges, mrf.edges), (pairwise, mrf.pairwise)):
        assert not np.shares_memory(mine, its)
        with pytest.raises(ValueError, match="read-only"):
            its[0] = 0


def test_the_content_hash_is_that_of_the_energy_function() -> None:
    mrf = BinaryMRF(TWO, [[0, 1]], ONE_TABLE)
    same = replace(mrf, names=("a", "b"), name="other", groups=("A", "A"), positions=[[0, 0], [1, 1]])
    assert same.content_hash() == mrf.content_hash()
    others = [
        replace(mrf, constant=1e-9),
        replace(mrf, unary=np.array(TWO) + 1e-9),
        replace(mrf, pairwise=np.array(ONE_TABLE).transpose(0, 2, 1)),
        BinaryMRF([*TWO, [0.0, 0.0]], [[0, 2]], ONE_TABLE),
    ]
    assert len({m.content_hash() for m in [mrf, *others]}) == 5


def test_an_objective_speaks_the_sources_terms() -> None:
    assert Objective("cut", "max", -2.0, 3.0).value(-5.0) == 13.0
    assert Objective().value(-5.0) == -5.0
