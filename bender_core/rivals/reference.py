"""Reference results for a model: LP bounds and the optimum by HiGHS, or by trying every labelling.

HiGHS works with absolute tolerances, and treats 1e20 as infinite. So its costs are scaled by a power of two, which is
exact, after costs that no optimum has are cut off. Its results are verified where arithmetic allows: energies are those
of the labellings, and the bounds of LPs are computed from their multipliers, for any of which they are valid.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from bender_core.account import memory_limit
from bender_core.child_process import Child, limit_memory
from bender_core.forms.normal_form import NormalForm, to_normal_form
from bender_core.groups import Partition, coupled_groups, require_cover
from bender_core.hypergraph import HyperGraph
from bender_core.model import BinaryMRF, FloatArray, IntArray, require_model
from bender_core.rivals import milp
from bender_core.rivals.excess import above_floor, capped, descent, floor
from bender_core.rivals.report import BUILT, FAILED, MEMORY, PROVEN, TIME_LIMIT

# Variables up to which every labelling is tried.
BRUTE_FORCE = 20
# Unknowns up to which the LP over groups is handed to HiGHS.
GROUP_LP_UNKNOWNS = 100_000
# Unknowns up to which the LP takes milliseconds, and needs no separate process, if the model itself is brute-forced.
QUICK_UNKNOWNS = 2000
# Seconds between two reports of progress; before the limit, when a search ends, as HiGHS checks its clock only
# occasionally; and after the limit, when it is killed.
TICK_SECONDS, EARLY_SECONDS, GRACE_SECONDS = 0.05, 0.1, 0.15
# In an LP, energies are cut off above this multiple of a known labelling's energy.
LP_CAP = 1024.0

SEARCHING = "still searching"
STOPPED = "stopped before the proof"


@dataclass(frozen=True, eq=False)
class Reference:
    """Bounds and labellings independent of message passing. Energies of the model, constant included.

    Attributes
    ----------
    lp_bound : float
        The local polytope relaxation over single variables (for binary models, the roof dual). If it was not solved,
        the sum of the least energies of all tables, which is also a bound.
    fractional : float
        The share of variables strictly between 0 and 1 in its solution; NaN if it was not solved.
    group_lp_bound : float or None
        The local polytope relaxation over the groups of a partition; None without a partition, if it is too large, or
        if it was not solved.
    optimum : float or None
        The least energy, if proven. A proof by HiGHS holds within its tolerances, about 1e-12 of the largest energy for
        every variable and edge.
    bound : float
        The best proven lower bound on the optimum (equal to it, if that is proven).
    energy : float
        The energy of ``labeling``, the best one found; ``inf`` if none was.
    labeling : ndarray or None, shape (n,)
    status : str
        The end of the search for the optimum, in words.
    """

    lp_bound: float
    fractional: float
    group_lp_bound: float | None
    optimum: float | None
    bound: float
    energy: float
    labeling: IntArray | None
    status: str


def reference(
    mrf: BinaryMRF,
    part: Partition | None = None,
    time_limit: float = 60.0,
    on_progress: Callable[[Reference], bool | None] | None = None,
) -> Reference:
    """Compute the LP bounds and the optimum of a model with HiGHS.

    HiGHS runs in a separate process with the memory limit of a run (`account.memory_limit`), which ends with the call.
    For a model of at most 20 variables every labelling is tried, in this process.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition, optional
        For the LP over its groups.
    time_limit : float
        Seconds for the whole call, which may take half a second more. The LP over variables gets at most half of them,
        the LP over groups half of the remainder, the search for the optimum the rest. If time or memory runs out, the
        results so far are returned: at least the sum of the least energies of all tables as a bound.
    on_progress : callable, optional
        Called with the results so far, about every 50 ms; the call ends if it returns True.

    Returns
    -------
    Reference

    Raises
    ------
    PartitionError
        If the partition belongs to a model with another number of variables.
    """
    require_model(mrf)
    begin = time.monotonic()
    least = floor(mrf)
    known = Reference(least, np.nan, None, None, least, np.inf, None, SEARCHING)
    if part is not None:
        require_cover(mrf, part)
        part = part if _states(part).sum() <= GROUP_LP_UNKNOWNS else None
    job = mrf.unary, mrf.edges, mrf.pairwise, part, time.time() + time_limit
    if mrf.n <= BRUTE_FORCE and (part is None or _most_unknowns(mrf, part) <= QUICK_UNKNOWNS):
        for finding in _findings(*job):
            known = _learned(known, mrf, least, finding)
        return known
    with Child(_findings_in_child, *job) as child:
        while known.status == SEARCHING:
            for finding in child.receive(TICK_SECONDS):
                known = _learned(known, mrf, least, finding)
            if known.status == SEARCHING:
                stopped = on_progress is not None and on_progress(known)
                late = time.monotonic() - begin > time_limit + GRACE_SECONDS
                status = STOPPED if stopped else TIME_LIMIT if late else FAILED if child.ended else SEARCHING
                known = replace(known, status=status)
    return known


class Finding(NamedTuple):
    """Partial results: bounds, as energies above the sum of the least of all tables, and ever better labellings."""

    lp_bound: float | None = None
    fractional: float | None = None
    group_lp_bound: float | None = None
    bound: float | None = None
    labeling: IntArray | None = None
    status: str | None = None


def _learned(known: Reference, mrf: BinaryMRF, least: float, finding: Finding) -> Reference:
    """The results so far, with a new finding."""
    labeling, energy = known.labeling, known.energy
    if finding.labeling is not None:
        labeling, energy = finding.labeling, mrf.energy(finding.labeling)
    bounds = [least + b for b in (finding.lp_bound, finding.group_lp_bound, finding.bound) if b is not None]
    proven = finding.status == PROVEN
    return Reference(
        lp_bound=known.lp_bound if finding.lp_bound is None else least + finding.lp_bound,
        fractional=known.fractional if finding.fractional is None else finding.fractional,
        group_lp_bound=known.group_lp_bound if finding.group_lp_bound is None else least + finding.group_lp_bound,
        optimum=energy if proven else None,
        bound=energy if proven else min(max(known.bound, *bounds, -np.inf), energy),
        energy=energy,
        labeling=labeling,
        status=known.status if finding.status is None else finding.status,
    )


def _states(part: Partition) -> FloatArray:
    return 2.0 ** np.array([len(group) for group in part.groups], np.float64)


def _most_unknowns(mrf: BinaryMRF, part: Partition) -> float:
    """An upper bound on the unknowns of the LP over groups."""
    states = _states(part)
    return float(states.sum() + states[coupled_groups(mrf, part)].prod(axis=1).sum())


def _findings_in_child(*job: Any) -> Iterator[Finding]:
    """The findings of a process with limited memory."""
    import scipy.optimize
    import scipy.sparse  # noqa: F401  # before the limit, which then applies to the computation alone

    limit_memory(memory_limit())
    try:
        yield from _findings(*job)
    except MemoryError:
        yield Finding(status=MEMORY)


def _findings(
    unary: FloatArray, edges: IntArray, pairwise: FloatArray, part: Partition | None, deadline: float
) -> Iterator[Finding]:
    """All findings until a time of the system's clock; the last one says how the search ended."""
    excess = above_floor(BinaryMRF(unary=unary, edges=edges, pairwise=pairwise))
    best = descent(excess, excess.unary.argmin(axis=1))
    yield Finding(labeling=best)

    bound, unseen = -np.inf, True
    while unseen:
        energy = excess.energy(best)
        model = capped(excess, LP_CAP * energy)
        relaxed, x = _local_polytope(to_normal_form(model), _half(deadline))
        if x is None:
            break
        bound = relaxed
        best = min(best, descent(model, np.round(x).astype(np.int64)), key=excess.energy)
        share = float(np.mean((x > 1e-6) & (x < 1 - 1e-6))) if len(x) else 0.0
        yield Finding(lp_bound=bound, fractional=share, labeling=best)
        # If this much of the energy was avoidable, the rest was lost in rounding next to it.
        unseen = LP_CAP * excess.energy(best) < energy

    energy = excess.energy(best)
    searched = capped(excess, energy)
    form = to_normal_form(searched)
    proven = energy - bound <= milp.tolerance_of(form)
    if part is not None:
        # If the LP over variables reaches the optimum, so does the one over groups, which is between them.
        group_bound = bound if proven else _group_polytope(model, part, _half(deadline))
        yield Finding(group_lp_bound=None if group_bound is None else max(group_bound, bound))
    if proven:
        yield Finding(status=PROVEN)
    elif len(unary) <= BRUTE_FORCE:
        yield Finding(labeling=min(best, _brute_force(searched), key=excess.energy), status=PROVEN)
    else:
        for report in milp.reports(form, deadline - time.time() - EARLY_SECONDS):
            if report.labeling is not None:
                best = min(best, descent(searched, report.labeling), key=excess.energy)
            yield Finding(labeling=best, bound=report.bound, status=None if report.status == BUILT else report.status)


def _half(deadline: float) -> float:
    """Half of the remaining seconds."""
    return 0.5 * (deadline - time.time())


def _local_polytope(form: NormalForm, time_limit: float = np.inf) -> tuple[float, FloatArray | None]:
    """The bound of the LP over variables and its solution, or -inf and None if it was not solved."""
    from scipy.optimize import linprog

    costs = milp.costs_of(form)
    if not costs.any():
        return milp.base_of(form), np.zeros(len(form.unary))
    if time_limit <= 0:
        return -np.inf, None
    matrix, right = milp.constraints_of(form)
    shift = milp.scale_of(costs)
    options = {"time_limit": time_limit}
    solved = linprog(np.ldexp(costs, shift), A_ub=matrix, b_ub=right, bounds=(0, 1), options=options)
    if solved.status != 0:
        return -np.inf, None
    # The Lagrangian bound, valid for all non-negative multipliers.
    multipliers = np.ldexp(np.maximum(-solved.ineqlin.marginals, 0.0), -shift)
    reduced = costs + matrix.T @ multipliers
    bound = milp.base_of(form) + float(np.minimum(reduced, 0.0).sum() - multipliers @ right)
    return bound, solved.x[: len(form.unary)]


def _brute_force(mrf: BinaryMRF) -> IntArray:
    """The best of all labellings: the model as one group is its own energy table."""
    graph = HyperGraph(mrf, Partition((np.arange(mrf.n),), ("all",)))
    return graph.labeling(np.array([graph.problem.phi.argmin()]))


def _group_polytope(mrf: BinaryMRF, part: Partition, time_limit: float) -> float | None:
    """The LP over the states of groups and of coupled pairs; pairs use only the active bits of their edge."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    graph = HyperGraph(mrf, part)
    problem = graph.problem
    states, pairs = 1 << problem.size, 1 << problem.bits.reshape(-1, 2).sum(axis=1)
    if time_limit <= 0 or states.sum() + pairs.sum() > GROUP_LP_UNKNOWNS:
        return None
    node_start = np.cumsum(states) - states
    pair_start = states.sum() + np.cumsum(pairs) - pairs
    costs = np.concatenate([problem.phi, *(_pair_energies(graph, e) for e in range(len(pairs)))])
    # The marginals of a group sum to 1; for every arc, those of its pairs sum to those of its receiver.
    entries = [(np.repeat(np.arange(len(states)), states), np.arange(states.sum()), np.ones(states.sum()))]
    n_rows = len(states)
    for arc in range(2 * len(pairs)):
        edge, side = divmod(arc, 2)
        receiver = graph.ends(arc)[0]
        a, b = (1 << int(problem.bits[2 * edge + s]) for s in (0, 1))
        mine = np.arange(a * b) // b if side == 0 else np.arange(a * b) % b
        own = graph.active_states(arc)
        entries.append((n_rows + mine, pair_start[edge] + np.arange(a * b), np.ones(a * b)))
        entries.append((n_rows + own, node_start[receiver] + np.arange(len(own)), -np.ones(len(own))))
        n_rows += a if side == 0 else b
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    matrix = csr_array((values, (rows, columns)), shape=(n_rows, len(costs)))
    right = np.concatenate([np.ones(len(states)), np.zeros(n_rows - len(states))])
    shift = milp.scale_of(costs)
    options = {"time_limit": time_limit}
    solved = linprog(np.ldexp(costs, shift), A_eq=matrix, b_eq=right, bounds=(0, None), options=options)
    if solved.status != 0:
        return None
    # The bound of the dual tables (docs/method.md §2.1), valid for any tables.
    messages = np.where(right == 0, np.ldexp(solved.eqlin.marginals, -shift), 0.0)
    reduced = costs - matrix.T @ messages
    return graph.normal_form.constant + float(
        np.minimum.reduceat(reduced, np.concatenate([node_start, pair_start])).sum()
    )


def _pair_energies(graph: HyperGraph, edge: int) -> FloatArray:
    """``phi_pq`` over pairs of active states, those of p outer."""
    problem = graph.problem
    mine = slice(int(problem.couplings.first[edge]), int(problem.couplings.first[edge + 1]))
    bit, entry, weight = problem.couplings.bit[mine], problem.couplings.entry[mine], problem.couplings.weight[mine]
    a, b = (np.arange(1 << int(problem.bits[2 * edge + s])) for s in (0, 1))
    takes_p, takes_q = (states[:, None] >> bit[:, s] & 1 == entry[:, s] for s, states in enumerate((a, b)))
    energies: FloatArray = -(takes_p * weight) @ takes_q.T.astype(float)
    return energies.reshape(-1)
