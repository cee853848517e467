"""The model: valid input, refusals in one sentence, and its energy."""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bender_core import BinaryMRF, ModelError, Objective, to_normal_form
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
    """Also if one is stated in reverse; edges keep the order of their first appearance."""
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


# Tables as they are stated: those of variables, those of edges, and the constant.
Stated = tuple[np.ndarray, list[tuple[int, int]], np.ndarray, float]


@st.composite
def stated(draw: st.DrawFn) -> Stated:
    """Models of any magnitudes, side by side, with infinite entries."""
    n = draw(st.integers(1, 7))
    sizes = draw(st.sampled_from(([1.0], [1e-8, 1.0], [1.0, 1e5], [1e16, 1e17], [1e-8, 1.0, 1e5, 1e16, 1e17])))
    # An offset that a whole table shares makes its differences small beside it.
    offsets = st.sampled_from((0.0, 0.0, 0.1, -1e9, 1e17, -1e17))
    entry = st.builds(lambda k, size: k * size, st.integers(-9, 9), st.sampled_from(sizes))
    entry = entry | st.integers(-999, 999).map(lambda share: share / 999 * sizes[0]) | st.just(math.inf)

    def tables(count: int, size: int) -> np.ndarray:
        rows = [(draw(offsets), draw(st.lists(entry, min_size=size, max_size=size))) for _ in range(count)]
        return np.array([[offset + value for value in row] for offset, row in rows]).reshape(count, size)

    pairs = [(i, j) for i in range(n) for j in range(i)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=8)) if pairs else []
    constant = draw(st.sampled_from((0.0, 3.5, -1e9, 1e16, -1e16)))
    return tables(n, 2), edges, tables(len(edges), 4).reshape(-1, 2, 2), constant


def paid(model: Stated, x: tuple[int, ...]) -> tuple[Fraction, int]:
    """The sum of the finite entries that a labelling takes, exactly, and how many infinite ones it takes."""
    unary, edges, pairwise, constant = model
    entries = [unary[i, value] for i, value in enumerate(x)]
    entries += [table[x[i], x[j]] for (i, j), table in zip(edges, pairwise, strict=True)]
    return sum((Fraction(e) for e in entries if e < math.inf), Fraction(constant)), entries.count(math.inf)


def span(model: Stated) -> Fraction:
    """The total range of the finite entries of all tables."""
    finite = [[Fraction(e) for e in table.flat if e < math.inf] for part in (model[0], model[2]) for table in part]
    return sum((max(table) - min(table) for table in finite if table), Fraction(0))


def built(model: Stated) -> BinaryMRF | None:
    """The model, or None if penalties would swallow some of its energies."""
    unary, edges, pairwise, constant = model
    try:
        return BinaryMRF(unary, edges, pairwise, constant)
    except ModelError as error:
        if "is lost next to the penalty" not in str(error):
            raise
    tables = [table[np.isfinite(table)] for table in (*unary, *pairwise)]
    spreads = np.array([np.ptp(table) for table in tables if len(table)])
    sizes = np.abs(np.concatenate(tables))
    smallest = spreads[spreads > 1e-9 * min(1.0, np.median(sizes[sizes > 0]))].min()
    # Float64 has no digits for both.
    assert smallest < 1e-13 * sizes.max()
    return None


def require_best(mrf: BinaryMRF, exact: dict[tuple[int, ...], Fraction], size: Fraction) -> None:
    """The solvers' objective is least at a labelling that is optimal in exact arithmetic, up to their rounding."""
    form = replace(to_normal_form(mrf), constant=0.0)
    found = min(naive.labelings(mrf.n), key=lambda x: form.energy(np.array(x)))
    assert found in exact
    assert exact[found] - min(exact.values()) <= size * Fraction(1e-14)


@settings(max_examples=examples(200))
@given(stated())
def test_feasibility_and_optimum_are_those_of_exact_arithmetic(model: Stated) -> None:
    mrf = built(model)
    if mrf is None:
        return
    exact = {}
    for x in naive.labelings(mrf.n):
        total, forbidden = paid(model, x)
        assert mrf.violations(x) == forbidden
        assert mrf.is_feasible(mrf.energy(x)) == (not forbidden)
        if not forbidden:
            exact[x] = total
            assert mrf.energy(x) == float(total)
    if exact and mrf.hard_entries:
        offsets = [abs(Fraction(e)) for part in (model[0], model[2]) for e in part.flat if e < math.inf]
        require_best(mrf, exact, 4 * span(model) + max(offsets) * Fraction(2) ** -40)


@settings(max_examples=examples(200))
@given(stated(), st.data())
def test_a_conditioned_model_agrees_with_exact_arithmetic(model: Stated, data: st.DataObject) -> None:
    mrf = built(model)
    if mrf is None:
        return
    seen = data.draw(st.dictionaries(st.integers(0, mrf.n - 1), st.integers(0, 1)))
    agreeing = [x for x in naive.labelings(mrf.n) if all(x[i] == value for i, value in seen.items())]
    exact = {x: total for x in agreeing for total, forbidden in [paid(model, x)] if not forbidden}
    try:
        given_them = mrf.condition(seen)
    except ModelError:
        # Forbidden, or differences that appear only now are lost beside the penalties.
        assert not exact or span(model) > 1e12
        return
    assert {x for x in naive.labelings(mrf.n) if not given_them.violations(x)} == set(exact)
    size = sum(abs(Fraction(e)) for part in (model[0], model[2]) for e in part.flat if e < math.inf) + abs(
        Fraction(model[3])
    )
    for x in naive.labelings(mrf.n):
        assert given_them.is_feasible(given_them.energy(x)) == (x in exact)
        if x in exact:
            assert abs(Fraction(given_them.energy(x)) - exact[x]) <= size * Fraction(1e-14)
    if exact and given_them.hard_entries:
        require_best(given_them, exact, 4 * span(model) + size * Fraction(2) ** -40)


@pytest.mark.parametrize("constant", [0.0, 1e16, -1e16])
def test_a_penalty_is_seen_beside_any_energy(constant: float) -> None:
    mrf = BinaryMRF([[1e17, np.inf], [0.0, 1e-8]], [[0, 1]], [[[0.5, 0.0], [0.0, np.inf]]], constant)
    assert [mrf.is_feasible(mrf.energy(x)) for x in naive.labelings(2)] == [True, True, False, False]
    assert [mrf.violations(x) for x in naive.labelings(2)] == [0, 0, 1, 2]
    form = to_normal_form(mrf)
    assert form.unary[1, 1] - form.unary[1, 0] == pytest.approx(1e-8 - 0.5)
    assert mrf.violations([1, 0]) == replace(mrf, constant=-constant, name="other").violations([1, 0])


def test_the_top_moves_with_the_constant() -> None:
    mrf = BinaryMRF([[0.0, np.inf], [0.0, 3.0]], constant=-5.0)
    moved = replace(mrf, constant=1e6)
    for x in naive.labelings(2):
        assert moved.is_feasible(moved.energy(x)) == mrf.is_feasible(mrf.energy(x)) == (x[0] == 0)


def test_energies_too_far_apart_for_penalties_are_refused() -> None:
    unary = [[0.0, 1.0], [0.0, 1e17], [0.0, np.inf]]
    with pytest.raises(ModelError) as caught:
        BinaryMRF(unary)
    assert str(caught.value) == (
        "the energies of variable 0 differ by 1, which is lost next to the penalty 2e+17 of hard constraints; "
        "write inf in place of huge energies"
    )
    with pytest.raises(ModelError, match=r"the energies of edge \(0, 2\) differ by 1,"):
        BinaryMRF([[0.0, 0.0], *unary[1:]], [[0, 2]], [[[0.0, 1.0], [0.0, 0.0]]])
    # Forbidden at last, the model keeps its digits.
    assert BinaryMRF([unary[0], unary[2], unary[2]]).energy([1, 0, 0]) == 1.0
    # Rounding in a table is no energy that would be missed.
    assert BinaryMRF([[0.0, 1e-16], [0.0, 5.0], [0.0, np.inf]]).hard_entries == 1
    assert BinaryMRF([[7.0, np.inf], [0.0, 1e-200]]).hard_entries == 1


def test_an_entry_may_be_declared_hard() -> None:
    mrf = BinaryMRF([[0.0, 2.0], [1.0, 5.0]], hard=([[False, True], [False, False]], np.zeros((0, 2, 2), bool)))
    assert [mrf.violations(x) for x in naive.labelings(2)] == [0, 0, 1, 1]
    assert mrf.content_hash() == BinaryMRF([[0.0, np.inf], [1.0, 5.0]]).content_hash()
    with pytest.raises(ModelError, match=r"hard\[0\] has shape \(1, 2\); it must be \(2, 2\)"):
        replace(mrf, hard=([[False, True]], mrf.hard[1]))


def test_sums_that_overflow_are_no_hard_constraints() -> None:
    with pytest.raises(ModelError, match=r"an energy is 1e\+308 in size"):
        BinaryMRF(TWO, [[0, 1], [1, 0]], [[[1e308, 0.0], [0.0, 0.0]]] * 2)


def test_without_hard_constraints_everything_is_feasible() -> None:
    mrf = random_mrf(0, 3)
    assert (mrf.hard_entries, mrf.hard, mrf.top) == (0, None, np.inf)
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
        ({"edges": [[0, 0.5]], "pairwise": ONE_TABLE}, "edges are not pairs of whole numbers; give the numbers of"),
        ({"edges": [[0, 2**70]], "pairwise": ONE_TABLE}, "edges are not pairs of whole numbers"),
        ({"edges": [["a", "b"]], "pairwise": ONE_TABLE}, "edges are not pairs of whole numbers"),
        ({"edges": [[0, 1], [1]], "pairwise": ONE_TABLE * 2}, "edges are not pairs of whole numbers"),
        ({"edges": [[0, 2]], "pairwise": ONE_TABLE}, "an edge names variables 0 and 2, but variables run from 0 to 1"),
        ({"edges": [[-1, 1]], "pairwise": ONE_TABLE}, "an edge names variables -1 and 1"),
        ({"edges": [[1, 1]], "pairwise": ONE_TABLE}, "an edge joins variable 1 to itself; put that energy into its"),
        ({"names": ["a", "\ud800"]}, "names[1] contains half of a surrogate pair; write the character itself"),
        ({"groups": ["\udfff", "b"]}, "groups[0] contains half of a surrogate pair"),
        ({"name": "\ud800"}, "the name contains half of a surrogate pair"),
        ({"objective": Objective("\ud800")}, "the name of the objective contains half of a surrogate pair"),
        ({"names": ["a"]}, "names has 1 entries; there are 2 variables"),
        ({"groups": ["a", "b", "c"]}, "groups has 3 entries; there are 2 variables"),
        ({"positions": [[0.0, 0.0]]}, "positions has shape (1, 2)"),
        ({"positions": [[0.0, 0.0], [np.nan, 0.0]]}, "positions[1, 0] is nan"),
        ({"positions": [[0.0, 0.0], [np.inf, 0.0]]}, "positions contain an infinite coordinate"),
    ],
)
def test_a_bad_argument_is_named_in_one_sentence(arguments: dict, said: str) -> None:
    with pytest.raises(ModelError, match=re.escape(said)) as caught:
        BinaryMRF(**{"unary": TWO, **arguments})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("labeling", [[0], [0, 1, 0], [0, 2], [[0, 1]], [0.5, 0.0], [np.nan, 0.0]])
def test_an_invalid_labelling_is_refused(labeling: list) -> None:
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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"names": "ab"}, "names is 'ab'; give a list of texts, one for each variable"),
        ({"names": 5}, "names is 5; give a list of texts, one for each variable"),
        ({"groups": "ab"}, "groups is 'ab'; give a list of texts, one for each variable"),
        ({"name": 5}, "the name is 5; give a text"),
        ({"objective": "cut"}, "the objective is 'cut'; give an Objective"),
        ({"constant": 10**400}, "the constant is too large a number; write one of size up to 1e+100"),
        ({"constant": "much"}, "the constant is 'much'; give a number"),
        ({"constant": None}, "the constant is None; give a number"),
        (
            {"unary": [[10**400, 0], [0, 0]]},
            "unary contains a number that is too large; write one of size up to",
        ),
        ({"unary": [[-(10**400), 0], [0, 0]]}, "unary contains a number that is too large; write one of size up to"),
        ({"positions": [[10**400, 0], [0, 0]]}, "positions contains a number that is too large; write one of size"),
        ({"pairwise": [[[10**400, 0], [0, 0]]]}, "pairwise contains a number that is too large; write one of size up"),
        ({"edges": [[0, 10**400]]}, "edges are not pairs of whole numbers; give the numbers of the two variables"),
        ({"hard": 5}, "hard is no pair; give the entries of unary and those of pairwise"),
    ],
)
def test_fields_of_another_kind_give_one_sentence(given: dict, said: str) -> None:
    with pytest.raises(ModelError, match=re.escape(said)):
        BinaryMRF(**{"unary": TWO, "edges": [[0, 1]], "pairwise": ONE_TABLE} | given)


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ({1.5: 0}, "there is no variable 1.5; variables are numbered 0 to 1"),
        ({-1: 0}, "there is no variable -1; variables are numbered 0 to 1"),
        ({2: 0}, "there is no variable 2; variables are numbered 0 to 1"),
        ({0: 0.5}, "variable 0 cannot be 0.5; observe it as 0 or 1"),
        ([1], "evidence is [1]; give a dict with the values of variables"),
    ],
)
def test_evidence_about_nothing_gives_one_sentence(evidence: object, said: str) -> None:
    with pytest.raises(ModelError, match=re.escape(said)):
        BinaryMRF(TWO).condition(evidence)


def test_models_of_other_shapes_have_other_hashes() -> None:
    """Their arrays may be the same bytes in a row: what is an edge in one is an energy in the other."""
    edge, table = np.array([[0, 1]]), np.array([[[1.0, 2.0], [3.0, 4.0]]])
    as_energies = np.array([[0.0, 1.0], [2.0, 3.0], *edge.view(np.float64).tolist(), *table.reshape(2, 2).tolist()])
    one = BinaryMRF([[0.0, 1.0], [2.0, 3.0]], edge, table)
    other = BinaryMRF(as_energies)
    assert (one.n, other.n) == (2, 5)
    assert one.former_hash() == other.former_hash()
    assert one.content_hash() != other.content_hash()


def test_what_is_forbidden_is_hashed_even_where_the_numbers_are_the_same() -> None:
    mrf = BinaryMRF([[0.0, np.inf], [1.0, 5.0]])
    soft = BinaryMRF(mrf.unary)
    assert np.array_equal(soft.unary, mrf.unary)
    assert len({mrf.content_hash(), soft.content_hash(), mrf.former_hash(), soft.former_hash()}) == 4


def test_a_model_knows_its_present_and_its_former_hash() -> None:
    mrf = BinaryMRF(TWO, [[0, 1]], ONE_TABLE)
    # As it was computed when proofs were first saved.
    digest = hashlib.sha256(np.float64(mrf.constant).tobytes())
    for array in (mrf.unary, mrf.edges, mrf.pairwise):
        digest.update(array.tobytes())
    assert mrf.former_hash() == digest.hexdigest() != mrf.content_hash()
    assert mrf.has_hash(mrf.content_hash())
    assert mrf.has_hash(mrf.former_hash())
    assert not mrf.has_hash(replace(mrf, constant=1.0).content_hash())
    assert not mrf.has_hash("")


def test_an_objective_speaks_the_sources_terms() -> None:
    assert Objective("cut", "max", -2.0, 3.0).value(-5.0) == 13.0
    assert Objective().value(-5.0) == -5.0


def test_repeated_tables_that_cancel_leave_what_is_small() -> None:
    tables = np.zeros((4, 2, 2))
    tables[:, 0, 0] = [1e20, 1.0, -1e20, 0.25]
    tables[3, 1, 0] = np.inf
    mrf = BinaryMRF(np.zeros((2, 2)), [[0, 1], [0, 1], [1, 0], [0, 1]], tables)
    assert mrf.pairwise[0, 0, 0] == 1.25
    assert mrf.hard_masks()[1].tolist() == [[[False, False], [True, False]]]


def test_evidence_whose_energies_cancel_leaves_what_is_small() -> None:
    tables = np.zeros((3, 2, 2))
    tables[:, 1, 1] = [1e16, -1e16, -0.7]
    mrf = BinaryMRF([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.4]], [[0, 3], [1, 3], [2, 3]], tables)
    given = mrf.condition({0: 1, 1: 1, 2: 1})
    assert given.unary[3, 1] - given.unary[3, 0] == math.fsum([0.4, -0.7])
    for x in ([1, 1, 1, 0], [1, 1, 1, 1]):
        assert given.energy(x) == mrf.energy(x)


def test_evidence_forbids_what_its_tables_forbid() -> None:
    tables = [[[0.0, np.inf], [2.0, 3.0]], [[1.0, 0.0], [np.inf, np.inf]], [[np.inf, 5.0], [0.0, 0.0]]]
    mrf = BinaryMRF([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 7.0]], [[0, 1], [2, 0], [0, 3]], tables)
    given = mrf.condition({0: 0})
    assert given.hard_masks()[0].tolist() == [[False, True], [False, True], [False, True], [True, False]]
    assert (given.energy([0, 0, 0, 1]), given.violations([0, 0, 0, 1])) == (13.0, 0)
    assert given.violations([0, 0, 1, 1]) == mrf.violations([0, 0, 1, 1]) == 1
