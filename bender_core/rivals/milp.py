"""The mixed-integer program of a model, and its search by HiGHS.

HiGHS works with absolute tolerances. So costs are scaled by a power of two, which is exact, and bounds are lowered by
what the tolerances may hide.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

from bender_core.child_process import limit_memory
from bender_core.forms.normal_form import NormalForm, to_normal_form
from bender_core.forms.scale import visible_scale
from bender_core.model import BinaryMRF, FloatArray
from bender_core.rivals.report import BUILT, FAILED, INEXACT, MEMORY, PROVEN, READY, TIME_LIMIT, Report

# The largest cost that HiGHS sees is below 2 to this: its tolerances are then as fine as the rounding of its sums.
EXPONENT = 20
# Tolerances of HiGHS: the gap at which a search ends, and the error of a reduced cost or a constraint.
MIP_GAP, FEASIBILITY = 1e-6, 1e-7
# The largest tolerance, relative to the energy at stake, within which an optimum counts as proven.
FINE = 1e-6
# Seconds between two reports of a bound.
REPORT_SECONDS = 0.02

_ENDS = {"kOptimal": PROVEN, "kTimeLimit": TIME_LIMIT, "kMemoryLimit": MEMORY}


@dataclass
class Found:
    """What HiGHS says, in its own scale.

    Attributes
    ----------
    status : str
        The name of its model status; empty while it goes on.
    x : ndarray or None
        A solution, if there is a new one.
    bound : float
    """

    status: str
    x: FloatArray | None
    bound: float


def search(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    """The search for the optimum of a model, as a `Search`."""
    import highspy  # noqa: F401  # takes some tenths of a second, and is no part of the search
    import scipy.sparse  # noqa: F401

    limit_memory(limit)
    yield Report(status=READY)
    form = to_normal_form(mrf)
    tolerance = tolerance_of(form) if costs_of(form).any() else 0.0
    # Beside penalties that cannot be lowered, the tolerance may hide all other costs.
    is_fine = tolerance <= FINE * visible_scale(costs_of(form))
    for report in reports(form):
        if report.status == PROVEN and report.bound is not None and not is_fine:
            report = report._replace(bound=report.bound - tolerance, status=INEXACT)
        yield report


def reports(form: NormalForm, time_limit: float = math.inf) -> Iterator[Report]:
    """Branch and bound on a normal form: all news, and in the end why it has ended.

    Parameters
    ----------
    form : NormalForm
    time_limit : float
        Seconds.

    Yields
    ------
    Report
        Its bounds are lowered by the tolerance; with a proof, which holds within the tolerance, the bound is the
        energy. Its labellings need not be optimal to the last bit.
    """
    if time_limit <= 0:
        yield Report(status=TIME_LIMIT)
        return
    if not costs_of(form).any():
        yield Report(status=BUILT)
        yield Report(base_of(form), np.zeros(len(form.unary), np.int64), PROVEN)
        return
    n, base, scale, tolerance = len(form.unary), base_of(form), scale_of(costs_of(form)), tolerance_of(form)
    energy = math.inf
    program = _program(form, time_limit)
    yield Report(status=BUILT)
    for found in solved(program):
        labeling = None if found.x is None else np.round(found.x[:n]).astype(np.int64)
        energy = energy if labeling is None else min(energy, form.energy(labeling))
        bound = base + float(np.ldexp(found.bound, -scale))
        agrees = math.isfinite(bound) and bound <= energy + tolerance
        status = _ENDS.get(found.status, FAILED) if found.status else None
        if status == PROVEN and not (agrees and energy - bound <= tolerance):
            status = INEXACT
        # In a model with many couplings the tolerance is far wider than rounding.
        claimed = energy if status == PROVEN else bound - tolerance
        yield Report(claimed if agrees else None, labeling, status)


def solved(program: Any) -> Iterator[Found]:
    """Run HiGHS in a thread, which does not hold back this one, and pass on what it says."""
    news: SimpleQueue[Found | BaseException] = SimpleQueue()
    last = 0.0

    def improve(event: Any) -> None:
        news.put(Found("", np.array(event.data_out.mip_solution), event.data_out.mip_dual_bound))

    def tell(event: Any) -> None:
        nonlocal last
        if time.perf_counter() >= last + REPORT_SECONDS:
            last = time.perf_counter()
            news.put(Found("", None, event.data_out.mip_dual_bound))

    def run() -> None:
        try:
            program.run()
            solution = program.getSolution()
            x = np.array(solution.col_value) if solution.value_valid else None
            info = program.getInfo()
            # Without memory it has computed none.
            news.put(Found(program.getModelStatus().name, x, info.mip_dual_bound if info.valid else -math.inf))
        except BaseException as error:  # no memory, for example
            news.put(error)

    program.cbMipImprovingSolution.subscribe(improve)
    program.cbMipInterrupt.subscribe(tell)
    try:
        Thread(target=run, daemon=True).start()
    except RuntimeError as error:  # no room for its stack
        raise MemoryError from error
    while True:
        found = news.get()
        if isinstance(found, BaseException):
            raise found
        yield found
        if found.status:
            return


def _program(form: NormalForm, time_limit: float) -> Any:
    """The program of HiGHS: x of variables and z of edges, of which x is whole."""
    import highspy

    n, m = len(form.unary), len(form.weight)
    costs, (matrix, right) = costs_of(form), constraints_of(form)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n + m, 2 * m
    lp.col_cost_ = np.ldexp(costs, scale_of(costs))
    lp.col_lower_, lp.col_upper_ = np.zeros(n + m), np.ones(n + m)
    lp.row_lower_, lp.row_upper_ = np.full(2 * m, -highspy.kHighsInf), right
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    rows = matrix.tocsr()
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = rows.indptr, rows.indices, rows.data
    lp.integrality_ = [highspy.HighsVarType.kInteger] * n + [highspy.HighsVarType.kContinuous] * m
    program: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in {
        "output_flag": False,
        "threads": 1,
        "mip_rel_gap": 0.0,
        "time_limit": min(time_limit, highspy.kHighsInf),
    }.items():
        program.setOptionValue(name, value)
    program.passModel(lp)
    return program


# -- the program in numbers -----------------------------------------------------------------------------------


def scale_of(costs: FloatArray) -> int:
    """The power of two by which costs are multiplied for HiGHS."""
    return EXPONENT - int(np.frexp(np.abs(costs).max(initial=0.0))[1])


def costs_of(form: NormalForm) -> FloatArray:
    """The costs of x = 1 at every variable and of z = 1 at every edge."""
    return np.concatenate([form.unary[:, 1] - form.unary[:, 0], form.weight])


def base_of(form: NormalForm) -> float:
    """The energy of x = 0 without edges."""
    return form.constant + float(form.unary[:, 0].sum())


def tolerance_of(form: NormalForm) -> float:
    """By how much the search of HiGHS may miss the optimum, energy: its gap, and the errors of its reduced costs."""
    unknowns, constraints = len(form.unary) + len(form.weight), 2 * len(form.weight)
    return float(np.ldexp(MIP_GAP + FEASIBILITY * (unknowns + constraints), -scale_of(costs_of(form))))


def constraints_of(form: NormalForm) -> tuple[Any, FloatArray]:
    """``A v <= b`` for v = (x, z): the share z of every edge's negative entry is at most x or 1 - x of either end."""
    from scipy.sparse import csr_array  # slow to import, and needed only here

    n, m = len(form.unary), len(form.weight)
    rows = np.arange(2 * m)
    sign = np.where(form.entry == 1, -1.0, 1.0).reshape(-1)
    columns = np.concatenate([n + np.repeat(np.arange(m), 2), form.edges.reshape(-1)])
    values = np.concatenate([np.ones(2 * m), sign])
    matrix = csr_array((values, (np.concatenate([rows, rows]), columns)), shape=(2 * m, n + m))
    return matrix, np.where(form.entry.reshape(-1) == 1, 0.0, 1.0)
