"""References: their proofs are correct at every scale of energies, and they stop on request."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
import tests.naive as naive
from bender_core import synth
from bender_core.child_process import Child
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.rivals import milp
from bender_core.rivals.excess import descent
from tests.models import examples, random_mrf, random_partition
from tests.tiers import thinned
from tests.unit.local_polytope import solve_lp

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0
LINUX = Path("/proc/self/statm").exists() and hasattr(os, "pidfd_open")
module: ModuleType = sys.modules["bender_core.rivals.reference"]  # the function of the same name hides it


class Here:
    """A child in the same process: thousands of times faster for small models."""

    def __init__(self, generator: Callable[..., Iterator[Any]], *job: Any) -> None:
        self.ended = False
        self._values = generator(*job)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def receive(self, timeout: float) -> list[Any]:
        for value in self._values:
            return [value]
        self.ended = True
        return []


@contextmanager
def by_highs() -> Iterator[pytest.MonkeyPatch]:
    """Use HiGHS even for the smallest models."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BRUTE_FORCE", -1)
        patch.setattr(module, "Child", Here)
        patch.setattr(module, "limit_memory", lambda _: None)
        yield patch


@pytest.fixture
def highs() -> Iterator[pytest.MonkeyPatch]:
    with by_highs() as patch:
        yield patch


def scaled(mrf: BinaryMRF, factor: float) -> BinaryMRF:
    return BinaryMRF(factor * mrf.unary, mrf.edges, factor * mrf.pairwise, factor * mrf.constant)


def floor_of(mrf: BinaryMRF) -> float:
    return float(mrf.constant + mrf.unary.min(axis=1).sum() + mrf.pairwise.min(axis=(1, 2)).sum())


def excess(mrf: BinaryMRF) -> np.ndarray:
    """The energy of every labelling above the least of all tables, so that large energies do not hide small ones."""
    x = np.arange(1 << mrf.n)
    total = np.zeros(1 << mrf.n)
    for i, table in enumerate(mrf.unary - mrf.unary.min(axis=1, keepdims=True)):
        total += table[x >> i & 1]
    for (i, j), table in zip(mrf.edges.tolist(), mrf.pairwise, strict=True):
        total += (table - table.min())[x >> i & 1, x >> j & 1]
    return total


def number_of(labeling: np.ndarray) -> int:
    return int((labeling << np.arange(len(labeling))).sum())


def spins(n: int, seed: int) -> tuple[BinaryMRF, np.ndarray]:
    """Couplings of 1 and -1 at random, without fields; the model and the couplings."""
    i, j = np.triu_indices(n, 1)
    rng = np.random.default_rng(seed)
    kept = rng.random(len(i)) < 0.3
    couplings = rng.choice([-1, 1], kept.sum())
    tables = couplings[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return BinaryMRF(np.zeros((n, 2)), np.column_stack([i[kept], j[kept]]), tables), couplings


def frustrated(seed: int, n: int = 10) -> BinaryMRF:
    """Dense, with couplings stronger than the fields, so that the relaxations are loose."""
    mrf = random_mrf(seed, n, 0.8)
    return BinaryMRF(0.1 * mrf.unary, mrf.edges, mrf.pairwise, constant=2.0)


@st.composite
def models(draw: st.DrawFn) -> tuple[BinaryMRF, Partition]:
    """Small models at all scales, with magnitudes mixed, some energies huge, and constants; and a partition."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 16)))
    n, scale = draw(st.integers(1, 12)), draw(st.sampled_from([1e-8, 1e-3, 1.0, 1e5, 1e12, 1e20]))
    decades = draw(st.sampled_from([0.0, 1.0, 3.0, 6.0]))
    base = random_mrf(rng, n, draw(st.sampled_from([0.3, 0.6, 1.0])), integers=draw(st.booleans()))

    def mixed(tables: np.ndarray) -> np.ndarray:
        return scale * tables * 10.0 ** rng.uniform(-decades, decades, tables.shape)

    unary, pairwise = mixed(base.unary), mixed(base.pairwise)
    for tables in (unary, pairwise):
        huge = rng.integers(tables.size, size=draw(st.integers(0, 2)) if tables.size else 0)
        tables.reshape(-1)[huge] += scale * 1e15 * rng.choice([-1, 1], len(huge))
    mrf = BinaryMRF(unary, base.edges, pairwise, scale * draw(st.sampled_from([0.0, -7.5, 1e9])))
    return mrf, random_partition(rng, n, draw(st.integers(1, 4)))


# -- what is proven -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("scale", thinned([1e-8, 1e20], 2))
def test_couplings_of_any_size_give_the_optimum(scale: float) -> None:
    mrf, couplings = spins(21, seed=0)
    x = np.arange(1 << 20)  # the last spin is up: turning all changes nothing
    up = [(1 - 2 * (x >> k & 1)).astype(np.int8) for k in range(21)]
    least = sum(w * (up[i] * up[j]).astype(np.int16) for (i, j), w in zip(mrf.edges, couplings, strict=True)).min()
    found = bc.reference(scaled(mrf, scale))
    assert found.status == "proven"
    assert found.optimum == pytest.approx(scale * least, rel=1e-12, abs=0)
    assert found.bound == found.energy == found.optimum
    assert found.lp_bound == pytest.approx(-scale * len(couplings), rel=1e-12, abs=0)
    assert found.lp_bound < found.optimum


@pytest.mark.parametrize("highs_alone", [False, True])
@settings(max_examples=examples(100))
@given(models())
def test_bounds_hold_and_proven_optima_are_optimal(highs_alone: bool, model: tuple[BinaryMRF, Partition]) -> None:
    mrf, part = model
    if highs_alone:
        with by_highs():
            found = bc.reference(mrf, part)
    else:
        found = bc.reference(mrf, part)
    energies, floor = excess(mrf), floor_of(mrf)
    least, mine = energies.min(), energies[number_of(found.labeling)]
    assert found.status == "proven"
    assert mine <= least * (1 + 1e-10)
    assert found.energy == found.optimum == found.bound == mrf.energy(found.labeling)
    # Relative to what is at stake, but for the rounding of sums as large as these.
    total = abs(mrf.constant) + np.abs(mrf.unary).max(axis=1).sum() + np.abs(mrf.pairwise).max(axis=(1, 2)).sum()
    slack = 1e-12 * least + 1e-13 * total
    assert found.lp_bound - floor <= least + slack
    assert found.group_lp_bound - floor <= least + slack
    assert found.lp_bound <= found.group_lp_bound + slack


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e12])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_those_of_the_relaxations(highs: pytest.MonkeyPatch, seed: int, scale: float) -> None:
    mrf = frustrated(seed)
    part = random_partition(seed, 10, 3)
    found = bc.reference(scaled(mrf, scale), part)
    assert found.lp_bound == pytest.approx(scale * solve_lp(mrf)[0], rel=1e-9, abs=0)
    groups = naive.GroupModel(mrf, part.groups)
    assert found.group_lp_bound == pytest.approx(scale * groups.lp_bound(), rel=1e-9, abs=0)
    assert found.lp_bound < found.optimum


@pytest.mark.parametrize("exponent", [-900, -40, 40, 300])
def test_a_power_of_two_changes_nothing_but_the_scale(highs: pytest.MonkeyPatch, exponent: int) -> None:
    mrf, part = frustrated(5), random_partition(5, 10, 3)
    plain, other = bc.reference(mrf, part), bc.reference(scaled(mrf, 2.0**exponent), part)
    for name in ("lp_bound", "group_lp_bound", "optimum", "bound", "energy"):
        assert getattr(other, name) == 2.0**exponent * getattr(plain, name)
    assert (other.fractional, other.status) == (plain.fractional, plain.status)


@pytest.mark.parametrize("highs_alone", [False, True])
@pytest.mark.parametrize("huge", [1e15, -1e15])
@pytest.mark.parametrize("where", ["unary", "pairwise"])
def test_one_huge_energy_hides_no_small_one(where: str, huge: float, highs_alone: bool) -> None:
    base = random_mrf(3, 12, integers=True)

    def with_one(value: float) -> BinaryMRF:
        tables = {"unary": base.unary.copy(), "pairwise": base.pairwise.copy()}
        tables[where][2].reshape(-1)[1] = value
        return BinaryMRF(edges=base.edges, **tables)

    mrf = with_one(huge)
    if highs_alone:
        with by_highs():
            found = bc.reference(mrf)
    else:
        found = bc.reference(mrf)
    # Sums of integers, so there is no rounding.
    assert found.optimum == naive.optimum(mrf)
    # Vertices of the polytope pay all of a table's entry, half of it, or nothing: here all or nothing.
    moderate = 1e4 * float(np.sign(huge))
    above = solve_lp(with_one(moderate))[0] - min(moderate, 0.0)
    assert found.lp_bound - min(huge, 0.0) == pytest.approx(above, abs=1e-6 if huge > 0 else 0.5)


def test_a_huge_energy_that_the_first_labelling_pays_hides_nothing(highs: pytest.MonkeyPatch) -> None:
    base = random_mrf(4, 12, 0.6, integers=True)
    # No single change leads out of (0, 0).
    trap = np.array([[1e30, 2e30], [2e30, 0.0]])
    mrf = BinaryMRF(np.vstack([base.unary, np.zeros((2, 2))]), [*base.edges, (12, 13)], [*base.pairwise, trap])
    found = bc.reference(mrf)
    assert found.optimum == naive.optimum(base)
    assert found.lp_bound == pytest.approx(solve_lp(base)[0], rel=1e-9)


def test_half_the_variables_of_a_frustrated_model_are_fractional() -> None:
    odd = np.array([[1.0, 0.0], [0.0, 1.0]])
    fields = [[0, 0]] * 3 + [[0, 1]] * 3
    found = bc.reference(BinaryMRF(np.array(fields, float), [[0, 1], [1, 2], [0, 2]], [odd] * 3))
    assert (found.lp_bound, found.fractional, found.optimum) == (0.0, 0.5, 1.0)


def test_a_model_without_variables() -> None:
    found = bc.reference(BinaryMRF(np.zeros((0, 2)), constant=3.0), Partition((), ()))
    assert (found.lp_bound, found.fractional, found.group_lp_bound) == (3.0, 0.0, 3.0)
    assert (found.optimum, found.bound, found.energy, found.status) == (3.0, 3.0, 3.0, "proven")


def test_groups_too_large_for_their_lp_leave_the_rest_as_it_is() -> None:
    mrf = random_mrf(0, 18, 0.3)
    found = bc.reference(mrf, Partition((np.arange(18),), ("all",)))
    assert found.group_lp_bound is None
    assert found.optimum == pytest.approx(naive.optimum(mrf))


def test_a_partition_of_another_model_is_refused() -> None:
    with pytest.raises(bc.PartitionError, match="covers 4 variables"):
        bc.reference(random_mrf(0, 5), random_partition(0, 4, 2))


@pytest.mark.parametrize("seed", range(5))
def test_a_descent_ends_where_no_single_change_gains(seed: int) -> None:
    mrf = random_mrf(seed, 9, 0.5, integers=seed % 2 == 0)
    start = np.random.default_rng(seed).integers(0, 2, 9)
    energies, x = excess(mrf), number_of(descent(mrf, start))
    assert energies[x] <= energies[number_of(start)]
    assert all(energies[x] <= energies[x ^ 1 << i] + 1e-9 for i in range(9))


# -- answers that cannot be trusted ---------------------------------------------------------------------------


def answering(patch: pytest.MonkeyPatch, change: Callable[[Any], None]) -> None:
    """Let HiGHS answer a linear program with something changed."""
    solve = scipy.optimize.linprog

    def changed(*arguments: Any, **options: Any) -> Any:
        answer = solve(*arguments, **options)
        change(answer)
        return answer

    patch.setattr(scipy.optimize, "linprog", changed)


def searching(patch: pytest.MonkeyPatch, change: Callable[[milp.Found], milp.Found]) -> None:
    """Let HiGHS answer an integer program in the end with something changed, and with nothing before."""
    solve = milp.solved
    patch.setattr(milp, "solved", lambda program: [change(list(solve(program))[-1])])


def unsolved(answer: Any) -> None:
    answer.update(status=4, x=None, fun=None)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_for_any_multipliers(highs: pytest.MonkeyPatch, seed: int) -> None:
    mrf, part = frustrated(seed, 8), random_partition(seed, 8, 3)
    rng = np.random.default_rng(seed)

    def spoil(answer: Any) -> None:
        answer.fun += 1e3
        for multipliers in (answer.ineqlin.marginals, answer.eqlin.marginals):
            multipliers += rng.normal(size=multipliers.shape) * 0.1 * np.abs(multipliers).max(initial=0.0)

    answering(highs, spoil)
    found, least = bc.reference(mrf, part), naive.optimum(mrf)
    assert found.lp_bound < least
    assert found.group_lp_bound < least
    assert found.optimum == pytest.approx(least)


def test_a_bound_holds_if_a_multiplier_has_the_wrong_sign(highs: pytest.MonkeyPatch) -> None:
    mrf = BinaryMRF([[0, -5], [0, 5]], [[0, 1]], [[[0, 0], [0, -1]]])

    def spoil(answer: Any) -> None:
        # Paid for what is left open, which lifts the optimum itself.
        answer.ineqlin.marginals[:] = 1e5, -5e5

    answering(highs, spoil)
    assert bc.reference(mrf).lp_bound <= -5.0


def test_without_the_lps_there_is_the_bound_of_all_minima(highs: pytest.MonkeyPatch) -> None:
    mrf, part = frustrated(1), random_partition(1, 10, 3)
    answering(highs, unsolved)
    found = bc.reference(mrf, part)
    assert found.lp_bound == pytest.approx(floor_of(mrf))
    assert np.isnan(found.fractional)
    assert found.group_lp_bound is None
    assert found.optimum == pytest.approx(naive.optimum(mrf))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("kTimeLimit", "time limit reached before the proof"),
        ("kInfeasible", "the solver gave up"),
        ("kUnbounded", "the solver gave up"),
        ("kMemoryLimit", "no memory left for the proof"),
        ("kSolveError", "the solver gave up"),
    ],
)
def test_a_search_without_an_answer_says_so(highs: pytest.MonkeyPatch, status: str, said: str) -> None:
    mrf, part = frustrated(2), random_partition(2, 10, 3)
    searching(highs, lambda _: milp.Found(status, None, -np.inf))
    found = bc.reference(mrf, part)
    assert (found.status, found.optimum) == (said, None)
    assert found.bound == max(found.lp_bound, found.group_lp_bound) < naive.optimum(mrf)
    assert found.energy == mrf.energy(found.labeling)


def test_a_search_that_runs_out_of_time_keeps_its_bound_and_its_labelling(highs: pytest.MonkeyPatch) -> None:
    mrf = frustrated(2)
    searching(highs, lambda found: replace(found, status="kTimeLimit"))
    found, least = bc.reference(mrf), naive.optimum(mrf)
    assert (found.status, found.optimum) == ("time limit reached before the proof", None)
    # Less by the tolerances, a few times what rounding may be.
    assert found.lp_bound < found.bound < least - 1e-14
    assert found.bound == pytest.approx(least, rel=1e-9)
    assert found.energy == pytest.approx(least)


@pytest.mark.parametrize("error", [-100.0, 100.0, np.inf, np.nan])
def test_a_bound_that_disagrees_with_the_labelling_proves_nothing(highs: pytest.MonkeyPatch, error: float) -> None:
    mrf = frustrated(2)
    searching(highs, lambda found: replace(found, bound=found.bound + error))
    found = bc.reference(mrf)
    assert found.status == "the solver's answers do not agree, so nothing is proven"
    assert found.optimum is None
    assert found.lp_bound <= found.bound < naive.optimum(mrf)


def test_the_energy_that_a_solver_reports_is_not_trusted(highs: pytest.MonkeyPatch) -> None:
    mrf = frustrated(2)
    searching(highs, lambda _: milp.Found("kTimeLimit", None, -np.inf))
    before = bc.reference(mrf).energy
    highs.undo()
    with by_highs() as patch:
        searching(patch, lambda found: replace(found, x=1.0 - found.x))
        found = bc.reference(mrf)
    assert found.optimum is None
    assert naive.optimum(mrf) - 1e-9 <= found.energy == mrf.energy(found.labeling) <= before


# -- time, stops and memory -----------------------------------------------------------------------------------


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Child[Any]]:
    """All processes that are started."""
    started: list[Child[Any]] = []

    class Listed(Child[Any]):
        def __enter__(self) -> Self:
            started.append(self)
            return super().__enter__()

    monkeypatch.setattr(module, "Child", Listed)
    return started


def grid(side: int) -> BinaryMRF:
    """Too large for HiGHS to search in minutes."""
    return synth.ising_grid(rows=side, columns=side, seed=1)


def has_ended(children: list[Child[Any]]) -> bool:
    (child,) = children
    return child._process.poll() is not None


def test_no_time_leaves_the_bound_of_all_minima(children: list[Child[Any]]) -> None:
    mrf = grid(40)
    found = bc.reference(mrf, bc.partition(mrf, 2), time_limit=0.0)
    assert found.status == "time limit reached before the proof"
    assert (found.optimum, found.group_lp_bound) == (None, None)
    assert found.bound == found.lp_bound == pytest.approx(floor_of(mrf))
    assert np.isnan(found.fractional)
    assert has_ended(children)


def test_time_that_is_over_before_the_lps_leaves_a_labelling() -> None:
    mrf, part = random_mrf(0, 25), random_partition(0, 25, 2)
    findings = list(module._findings(mrf.unary, mrf.edges, mrf.pairwise, part, time.time() - 1.0))
    assert mrf.energy(findings[0].labeling) < mrf.energy(np.zeros(25, int))
    assert findings[-1].status == "time limit reached before the proof"
    assert all(finding.lp_bound is finding.group_lp_bound is None for finding in findings)


@pytest.mark.slow
def test_a_stop_keeps_the_results_so_far(children: list[Child[Any]]) -> None:
    mrf = grid(40)
    known: list[bc.Reference] = []

    def stop(so_far: bc.Reference) -> bool:
        known.append(so_far)
        return not np.isnan(so_far.fractional)

    found = bc.reference(mrf, time_limit=PATIENCE, on_progress=stop)
    assert found.status == "stopped before the proof"
    assert found.lp_bound == pytest.approx(solve_lp(mrf)[0])
    assert found.lp_bound <= found.bound < found.energy == mrf.energy(found.labeling)
    assert found.optimum is None
    assert has_ended(children)
    assert {so_far.status for so_far in known} == {"still searching"}
    assert (np.diff([so_far.bound for so_far in known]) >= 0).all()
    same = [field.name for field in fields(found) if field.name != "status"]
    assert all(getattr(found, name) is getattr(known[-1], name) for name in same)


def test_a_stop_before_anything_is_known(children: list[Child[Any]]) -> None:
    found = bc.reference(grid(40), time_limit=PATIENCE, on_progress=lambda _: True)
    assert (found.status, found.energy, found.labeling) == ("stopped before the proof", np.inf, None)
    assert has_ended(children)


def test_an_error_in_on_progress_ends_the_search(children: list[Child[Any]]) -> None:
    def fail(_: bc.Reference) -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bc.reference(grid(40), time_limit=PATIENCE, on_progress=fail)
    assert has_ended(children)


@pytest.mark.slow
@pytest.mark.skipif(not LINUX, reason="limits memory where the system can")
def test_too_little_memory_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "16")
    found = bc.reference(grid(120), time_limit=PATIENCE)
    assert (found.status, found.optimum) == ("no memory left for the proof", None)
    assert found.bound <= found.energy


def test_a_solver_that_dies_is_no_error(children: list[Child[Any]]) -> None:
    found = bc.reference(grid(40), time_limit=PATIENCE, on_progress=lambda _: children[0]._process.kill())
    assert (found.status, found.optimum) == ("the solver gave up", None)
    assert found.bound >= floor_of(grid(40))


SEARCHING = """
import math, sys
import bender_core as bc
from bender_core import synth

module = sys.modules["bender_core.rivals.reference"]

class Told(module.Child):
    def __enter__(self):
        child = super().__enter__()
        print(child._process.pid, flush=True)
        return child

def tell(known):
    if not math.isnan(known.fractional):
        print("searching", flush=True)

module.Child = Told
bc.reference(synth.ising_grid(rows=40, columns=40), time_limit=3600.0, on_progress=tell)
"""


@pytest.mark.slow
@pytest.mark.skipif(not LINUX, reason="looks at processes as Linux does")
def test_highs_ends_with_the_process_that_asked_it() -> None:
    with subprocess.Popen([sys.executable, "-c", SEARCHING], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        assert parent.stdout.readline().strip() == "searching"
        parent.kill()
    # A descriptor of a process is readable once it has ended.
    ended = select.select([child], [], [], PATIENCE)[0]
    if not ended:
        signal.pidfd_send_signal(child, signal.SIGKILL)
    os.close(child)
    assert ended
