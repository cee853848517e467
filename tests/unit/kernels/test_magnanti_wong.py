"""The Magnanti-Wong kernel against all of its constraints at once: HiGHS, duality, and brute force."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, nnls

from bender_core import HyperGraph
from bender_core.kernels.layout import CutPoint, CutRoom, Scan
from bender_core.kernels.rows import magnanti_wong as mw
from bender_core.kernels.rows import pool
from tests import naive
from tests.models import JIT, between_groups, examples

ALPHAS = [1.0, 0.5, 0.0]
KINDS = ["normal", "integers", "levels", "near-ties", "flat", "spikes"]

pytestmark = pytest.mark.jitless


@dataclass
class Case:
    """The input of the kernel, and its constraints over all states."""

    lam: np.ndarray
    t: np.ndarray
    q: np.ndarray

    def __post_init__(self) -> None:
        self.bits = len(self.t)
        self.member = np.arange(self.bits)
        self.value = np.arange(1 << self.bits)[:, None] >> self.member & 1
        self.intercept = self.row_minimum(self.q)
        self.magnitude = abs(self.intercept) + self.t.sum()

    def over_states(self, terms: np.ndarray) -> np.ndarray:
        """``sum_j terms[j, y_j]`` of every state."""
        return terms[self.member, self.value].sum(axis=1)

    def row_minimum(self, beta: np.ndarray) -> float:
        """The intercept of the row with these payments."""
        return float((-self.lam - self.over_states(self.t - beta)).min())

    @property
    def needed(self) -> np.ndarray:
        """The right-hand side of every state's constraint."""
        return self.lam + self.intercept + self.over_states(self.t)

    @property
    def matrix(self) -> np.ndarray:
        """The constraints on ``beta.ravel()``."""
        rows = np.zeros((1 << self.bits, self.bits, 2))
        rows[np.arange(1 << self.bits)[:, None], self.member, self.value] = 1.0
        return rows.reshape(len(rows), -1)

    def solve(
        self, alpha: float, intercept: float | None = None, passes: int = 1000
    ) -> tuple[np.ndarray, int, mw.CutStatus]:
        cut = scratch(self.bits)
        mw.begin_cut(self.sender, self.intercept if intercept is None else intercept, alpha, cut)
        status = mw.CutStatus.UNFINISHED
        while status == mw.CutStatus.UNFINISHED:
            # However few passes are made at a time, the method goes on where it was.
            _, status = mw.continue_cut(self.sender, passes, cut)
        return cut.payment, int(cut.point.pivots), mw.CutStatus(status)

    @property
    def sender(self) -> mw.Sender:
        return mw.Sender(self.bits, self.lam, self.t, self.q)


def scratch(bits: int) -> CutRoom:
    """Scratch for a row, filled with garbage that must not matter."""
    floats = {name: np.full(bits, np.nan) for name in CutRoom._fields}
    return CutRoom(**floats)._replace(
        point=CutPoint.zeros(),
        capacity=np.full((bits, 2), np.nan),
        payment=np.full((bits, 2), np.nan),
        members=np.full(bits, -1),
        factor=np.full((bits, bits), np.nan),
        table=np.full((1 << min(bits, 8)) + (1 << max(bits - 8, 0)), np.nan),
        scan=Scan(np.empty((1, 256)), np.empty(256)),
    )


def draw(seed: int, bits: int, kind: str, scale: float = 1.0) -> Case:
    """A random case. All kinds but the first have ties or near-ties."""
    rng = np.random.default_rng([seed, bits, KINDS.index(kind)])
    states, shape = 1 << bits, (bits, 2)
    if kind == "integers":
        t = rng.integers(0, 4, shape).astype(float)
        q = np.minimum(rng.integers(0, 4, shape), t)
        lam = rng.integers(-2, 3, states) * rng.choice([1.0, 3.0])
    elif kind == "levels":
        # Few weights, and a message that all but takes back what the reverse row leaves.
        t = rng.choice([0.5, 1.0, 1.5], shape)
        q = t * rng.choice([0.0, 0.5, 1.0], shape)
        lam = -(t - q)[np.arange(bits), np.arange(states)[:, None] >> np.arange(bits) & 1].sum(axis=1)
        lam -= rng.choice([0.0, 0.25, 1.0], states) * rng.choice([1.0, q.sum() / 3])
    else:
        t = 2 * rng.random(shape)
        q = t * rng.random(shape) * (rng.random(shape) < rng.choice([0.5, 1.0]))
        lam = rng.normal(size=states) * rng.choice([0.2, 1.0, 5.0])
    if kind == "near-ties":
        t = np.round(t) + 1e-12 * rng.random(shape)
        q = np.minimum(np.round(q) + 1e-13 * rng.random(shape), t)
        lam = np.round(lam) + 1e-13 * rng.normal(size=states)
    elif kind == "flat":
        lam = np.full(states, lam[0])
    elif kind == "spikes":
        lam += rng.choice([-1e6, 0.0, 0.0, 1e6], states)
    return Case(scale * lam, scale * t, scale * q)


def objective(alpha: float, beta: np.ndarray) -> float:
    return float(alpha * beta.sum() + (1 - alpha) * (beta**2).sum())


def best_known_bound(case: Case, alpha: float, beta: np.ndarray) -> float:
    """A lower bound on the optimum, by duality: it holds for any multipliers.

    They come from the stationarity of the Lagrangian at ``beta`` in the constraints that are tight there, so
    the bound meets the objective if and only if beta is optimal.
    """
    matrix, needed = case.matrix, case.needed
    gradient = (alpha + 2 * (1 - alpha) * beta).ravel()
    if not gradient.any():
        return 0.0
    tight = np.flatnonzero(matrix @ beta.ravel() - needed <= 3e-12 * case.magnitude)
    sides = np.eye(2 * case.bits)
    at_zero = sides[(beta <= np.maximum(1e-6 * case.q, 1e-12 * case.magnitude)).ravel()]
    at_full = -sides[(case.q - beta <= np.maximum(1e-6 * case.q, 1e-12 * case.magnitude)).ravel()]
    unit = gradient.max()
    found, _ = nnls(np.vstack([matrix[tight], at_zero, at_full]).T, gradient / unit, maxiter=20000)
    weight = unit * found[: len(tight)]
    gain = weight @ matrix[tight]
    # For given multipliers of the rows the Lagrangian is smallest, in the box, coordinate by coordinate.
    q = case.q.ravel()
    linear = alpha == 1.0
    best = np.where(gain > 1.0, q, 0.0) if linear else np.clip((gain - alpha) / (2 * (1 - alpha)), 0.0, q)
    return float(weight @ needed[tight] + (alpha * best + (1 - alpha) * best**2 - gain * best).sum())


def allowance(case: Case, alpha: float) -> float:
    """1e-7 of the reverse row's objective, plus the effect of rounding in the constraints."""
    steepest = alpha + 2 * (1 - alpha) * case.q.max(initial=0.0)
    return 1e-7 * objective(alpha, case.q) + 1e-11 * steepest * case.magnitude


def check_feasible(case: Case, beta: np.ndarray) -> None:
    """Payments between 0 and the capacity, exactly; the row is valid and tight, up to rounding."""
    assert (beta >= 0).all()
    assert (beta <= case.q).all()
    assert abs(case.row_minimum(beta) - case.intercept) <= 2e-12 * case.magnitude


def check_optimal(case: Case, alpha: float) -> mw.CutStatus:
    beta, _, status = case.solve(alpha, passes=1)
    check_feasible(case, beta)
    value = objective(alpha, beta)
    assert value <= objective(alpha, case.q) * (1 + 1e-15)
    if status == mw.CutStatus.OPTIMAL:
        assert value <= best_known_bound(case, alpha, beta) + allowance(case, alpha)
    return status


bits = st.integers(1, 8 if JIT else 5)
scales = st.sampled_from([1.0, 1.0, 1e-6, 1e6, 0.01, 100.0])


@pytest.mark.parametrize("alpha", ALPHAS)
@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 1 << 16), bits, st.sampled_from(KINDS), scales)
def test_no_payments_are_better(alpha: float, seed: int, bits: int, kind: str, scale: float) -> None:
    status = check_optimal(draw(seed, bits, kind, scale), alpha)
    assert status == mw.CutStatus.OPTIMAL or kind in {"near-ties", "spikes"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_linear_program_is_that_of_highs(kind: str) -> None:
    for seed in range(examples(60)):
        case = draw(seed, 1 + seed % (8 if JIT else 4), kind)
        beta, _, _ = case.solve(1.0)
        q = case.q.ravel()
        box = np.column_stack([np.zeros_like(q), q])
        tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        judge = linprog(np.ones_like(q), -case.matrix, -case.needed, bounds=box, options=tight)
        assert judge.status == 0, judge.message
        assert abs(judge.fun - beta.sum()) <= allowance(case, 1.0) + 1e-9


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("kind", ["normal", "integers", "levels", "flat"])
def test_ordinary_cuts_are_optimal(alpha: float, kind: str) -> None:
    count = examples(500)
    pivots = []
    optimal = 0
    for seed in range(count):
        case = draw(1000 + seed, 1 + seed % (10 if JIT else 4), kind)
        beta, spent, status = case.solve(alpha, passes=1 + seed % 3)
        check_feasible(case, beta)
        optimal += status == mw.CutStatus.OPTIMAL
        pivots.append(spent)
    assert optimal >= 0.99 * count
    assert max(pivots) <= 100
    if JIT:
        assert max(pivots) > 3, "the cases must ask for something"


@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_a_payment_that_falls_back_to_nothing_stays_there(alpha: float) -> None:
    """One row releases a bit, and then another row takes the place of that row: one case in a thousand."""
    assert check_optimal(draw(79, 6, "spikes"), alpha) == mw.CutStatus.OPTIMAL


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_hostile_numbers_end_in_a_valid_tight_row(alpha: float, scale: float) -> None:
    for seed in range(examples(80)):
        for kind in ("near-ties", "spikes"):
            check_optimal(draw(5000 + seed, 1 + seed % (8 if JIT else 4), kind, scale), alpha)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_capacities_of_very_different_size(alpha: float) -> None:
    for seed in range(examples(100)):
        rng = np.random.default_rng(seed)
        bits = 1 + seed % 6
        t = 10.0 ** rng.integers(-9, 3, (bits, 2)) * rng.random((bits, 2))
        q = t * 10.0 ** -rng.integers(0, 18, (bits, 2))
        check_optimal(Case(10.0 ** rng.integers(-6, 2) * rng.normal(size=1 << bits), t, q), alpha)


@pytest.mark.skipif(not JIT, reason="too slow without compilation")
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("kind", ["normal", "levels"])
@pytest.mark.parametrize("bits", [9, 12, 14])
def test_high_bits(alpha: float, kind: str, bits: int) -> None:
    assert check_optimal(draw(1, bits, kind), alpha) == mw.CutStatus.OPTIMAL


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("bits", [1, 2, 5])
def test_nothing_to_pay(alpha: float, bits: int) -> None:
    rng = np.random.default_rng(bits)
    case = Case(rng.normal(size=1 << bits), rng.random((bits, 2)), np.zeros((bits, 2)))
    beta, pivots, status = case.solve(alpha)
    assert not beta.any()
    assert (pivots, status) == (0, mw.CutStatus.OPTIMAL)
    nothing = Case(np.zeros(1 << bits), np.zeros((bits, 2)), np.zeros((bits, 2)))
    assert not nothing.solve(alpha)[0].any()


@pytest.mark.parametrize("alpha", ALPHAS)
def test_no_bits(alpha: float) -> None:
    beta, pivots, status = Case(np.array([0.7]), np.zeros((0, 2)), np.zeros((0, 2))).solve(alpha)
    assert (len(beta), pivots, status) == (0, 0, mw.CutStatus.OPTIMAL)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(("gain", "paid"), [(0.0, 0.5), (3.0, 0.0), (-0.5, 1.0)])
def test_one_bit_by_hand(alpha: float, gain: float, paid: float) -> None:
    """-lam - (t - q) is -1 and -(gain + 1.5): where state 1 has the minimum, state 0 needs 0.5 - gain of its 1."""
    case = Case(np.array([0.0, 0.5 + gain]), np.array([[2.0, 5.0]]), np.array([[1.0, 4.0]]))
    assert case.intercept == -(gain + 1.5)
    np.testing.assert_allclose(case.solve(alpha)[0], [[paid, 4.0]], rtol=0, atol=1e-12)


def test_the_objective_decides_between_equal_sums() -> None:
    """Two bits must pay 1 together: the quadratic part shares it out, and a limit stops the sharing."""
    t = np.array([[1.0, 0.0], [1.0, 0.0]])
    lam = np.array([-1.0, -9.0, -9.0, 0.0])
    for alpha in ALPHAS:
        np.testing.assert_allclose(Case(lam, t, t.copy()).solve(alpha)[0], [[0.5, 0.0], [0.5, 0.0]], atol=1e-7)
        q = np.array([[1.0, 0.0], [0.2, 0.0]])
        case = Case(np.array([-0.8, -9.0, -9.0, 0.0]), t, q)
        np.testing.assert_allclose(case.solve(alpha)[0].sum(), 1.0 + case.intercept + 0.2, atol=1e-7)


def test_an_intercept_out_of_reach_gives_the_reverse_row() -> None:
    case = draw(3, 6, "normal")
    for alpha in ALPHAS:
        beta, _, status = case.solve(alpha, case.intercept + 1e-3)
        assert status == mw.CutStatus.FALLBACK
        assert np.array_equal(beta, case.q)


@pytest.mark.parametrize("kind", KINDS)
def test_repair_from_anywhere(kind: str) -> None:
    """From any point of the method, repair makes the row valid and tight with the least change."""
    part_of_the_way = 0
    for seed in range(examples(60)):
        rng = np.random.default_rng(seed)
        case = draw(seed, 1 + seed % 6, kind)
        beta, cut = case.solve(0.5)[0], scratch(case.bits)
        cut.point.origin = int((-case.lam - case.over_states(case.t - case.q)).argmin())
        cut.point.intercept, cut.point.magnitude = case.intercept, case.magnitude
        other = 1 - case.value[cut.point.origin]
        cut.cap[:] = case.q[case.member, other]
        kept = rng.choice([0.0, 0.5, 1.0 - 1e-9])
        cut.z[:] = beta[case.member, other] * kept + rng.choice([0.0, 1e-9])
        moved = mw.repair(case.sender, cut)
        check_feasible(case, cut.payment)
        assert 0 <= moved <= 1
        if kept < 0.9 and 1e-6 < moved < 1 and kind in {"normal", "integers", "levels"}:
            part_of_the_way += 1
            mw.pay(case.sender, moved - 1e-6, cut)
            assert case.row_minimum(cut.payment) < case.intercept - 1e-13 * case.magnitude
    if JIT and kind in {"normal", "integers", "levels"}:
        assert part_of_the_way


# --- the row -------------------------------------------------------------------------------------------------


def sides_of_the_row(
    graph: HyperGraph, arc: int, star: int, q: np.ndarray, beta: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """u over the states of the receiver and v over the sender's, coupling by coupling."""
    problem, side = graph.problem, arc % 2
    receiver, sender = graph.active_states(arc), graph.active_states(arc ^ 1)
    u, v = np.zeros(len(receiver)), np.zeros(len(sender))
    couplings = problem.couplings
    for c in range(couplings.first[arc // 2], couplings.first[arc // 2 + 1]):
        (i, j), (a, x) = ((pair[c, side], pair[c, 1 - side]) for pair in (couplings.bit, couplings.entry))
        weight = couplings.weight[c]
        taken = star >> i & 1 == a
        paid = 0.0 if taken else beta[j, x] * weight / q[j, x]
        u[receiver >> i & 1 == a] += paid
        v[sender >> j & 1 == x] += weight - paid
    return u, v


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("sizes", [(1, 1), (1, 4), (4, 1), (2, 3), (3, 2), (4, 4), (2, 5)])
def test_the_row_is_a_valid_minorant_and_tight(alpha: float, sizes: tuple[int, int]) -> None:
    for seed in range(examples(10)):
        rng = np.random.default_rng([seed, *sizes])
        mrf, part = between_groups(rng, list(sizes), [(0, 1)], rng.choice([0.5, 1.0]))
        graph = HyperGraph(mrf, part)
        problem = graph.problem
        table = naive.GroupModel(mrf, part.groups).coupling(0, 1)
        for arc in (0, 1):
            phi = table if arc == 0 else table.T
            b = int(problem.bits[arc ^ 1])
            sent = rng.normal(size=1 << b) * rng.choice([0.3, 1.0])
            lam = sent[graph.active_states(arc ^ 1)]
            y = int(rng.integers(len(phi)))
            star = int(graph.active_states(arc)[y])
            q = np.full((b, 2), np.nan)
            pool.unpaid_weight(problem, arc, star, q)
            case = Case(sent, problem.weight_at[arc ^ 1][:b], q)
            assert (q >= 0).all()
            assert (q <= case.t).all()
            truth = (phi[y] - lam).min()
            assert case.intercept == pytest.approx(truth, abs=1e-12), "the reverse row is tight"
            beta, _, status = case.solve(alpha, truth)
            check_feasible(case, beta)
            assert status == mw.CutStatus.OPTIMAL
            u, v = sides_of_the_row(graph, arc, star, q, beta)
            assert (phi >= -u[:, None] - v - 1e-12).all()
            assert (-lam - v).min() - u[y] == pytest.approx(truth, abs=1e-11)
            # So no state's min-marginal is exceeded.
            assert ((-lam - v).min() - u <= (phi - lam).min(axis=1) + 1e-11).all()
