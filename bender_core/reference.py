"""What other methods say about a model: LP bounds and the optimum by HiGHS, or by trying every labelling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bender_core.hypergraph import HyperGraph
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.normal_form import NormalForm, to_normal_form
from bender_core.partition import Partition

# Up to so many variables every labelling is tried.
BRUTE_FORCE = 20
# Up to so many unknowns the LP over groups is handed to HiGHS.
GROUP_LP_UNKNOWNS = 100_000


@dataclass(frozen=True, eq=False)
class Reference:
    """Bounds and labellings that do not come from message passing. Energies of the model, constant included.

    Attributes
    ----------
    lp_bound : float
        The local polytope relaxation over single variables (for binary models, the roof dual).
    fractional : float
        The share of variables that its solution leaves between 0 and 1.
    group_lp_bound : float or None
        The local polytope relaxation over the groups of a partition; None without one, if it is too large, or if
        it took longer than the time limit.
    optimum : float or None
        The least energy, where it was proven within the time limit.
    bound : float
        The best lower bound proven on the optimum (equals it, where it was proven).
    energy : float
        The energy of ``labeling``, the best one found; ``inf`` if none was.
    labeling : ndarray or None, shape (n,)
    status : str
        How the search for the optimum ended, in words.
    """

    lp_bound: float
    fractional: float
    group_lp_bound: float | None
    optimum: float | None
    bound: float
    energy: float
    labeling: IntArray | None
    status: str


def reference(mrf: BinaryMRF, part: Partition | None = None, time_limit: float = 60.0) -> Reference:
    """Ask HiGHS for the LP bounds and the optimum of a model.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition, optional
        For the LP over its groups.
    time_limit : float
        Seconds, for the LP over groups and again for the search for the optimum.

    Returns
    -------
    Reference
    """
    form = to_normal_form(mrf)
    lp_bound, x = _local_polytope(form)
    group_bound = None if part is None else _group_polytope(HyperGraph(mrf, part), time_limit)
    if mrf.n <= BRUTE_FORCE:
        found: tuple[IntArray | None, float, str] = _brute_force(mrf)
    else:
        found = _search(form, time_limit)
    labeling, bound, status = found
    energy = mrf.energy(labeling) if labeling is not None else np.inf
    proven = status == PROVEN
    return Reference(
        lp_bound=lp_bound,
        fractional=float(np.mean((x > 1e-6) & (x < 1 - 1e-6))) if mrf.n else 0.0,
        group_lp_bound=group_bound,
        optimum=energy if proven else None,
        bound=energy if proven else max(bound, lp_bound),
        energy=energy,
        labeling=labeling,
        status=status,
    )


PROVEN = "proven"
TIME_LIMIT = "time limit reached before the proof"
FAILED = "the solver gave up"


def _program(form: NormalForm) -> dict[str, Any]:
    """The LP over x and, for every edge, z: the share of its paying entry; z <= x or 1 - x of either end."""
    from scipy.optimize import Bounds, LinearConstraint  # slow to import, and needed here only
    from scipy.sparse import csr_array

    n, m = len(form.unary), len(form.weight)
    rows = np.arange(2 * m)
    sign = np.where(form.entry == 1, -1.0, 1.0).reshape(-1)
    columns = np.concatenate([n + np.repeat(np.arange(m), 2), form.edges.reshape(-1)])
    values = np.concatenate([np.ones(2 * m), sign])
    matrix = csr_array((values, (np.concatenate([rows, rows]), columns)), shape=(2 * m, n + m))
    return {
        "c": np.concatenate([form.unary[:, 1] - form.unary[:, 0], form.weight]),
        "constraints": LinearConstraint(matrix, ub=np.where(form.entry.reshape(-1) == 1, 0.0, 1.0)) if m else None,
        "bounds": Bounds(0.0, 1.0),
    }


def _local_polytope(form: NormalForm) -> tuple[float, FloatArray]:
    from scipy.optimize import milp

    if not len(form.unary):
        return form.constant, np.zeros(0)
    solved = milp(**_program(form))
    return form.constant + float(form.unary[:, 0].sum()) + float(solved.fun), solved.x[: len(form.unary)]


def _search(form: NormalForm, time_limit: float) -> tuple[IntArray | None, float, str]:
    """Branch and bound; the labelling found, the bound proven, and how it ended."""
    from scipy.optimize import milp

    n, m = len(form.unary), len(form.weight)
    integrality = np.concatenate([np.ones(n), np.zeros(m)])
    options = {"time_limit": time_limit, "mip_rel_gap": 0.0}
    solved = milp(**_program(form), integrality=integrality, options=options)
    base = form.constant + float(form.unary[:, 0].sum())
    labeling = None if solved.x is None else np.round(solved.x[:n]).astype(np.int64)
    bound = -np.inf if solved.mip_dual_bound is None else base + float(solved.mip_dual_bound)
    status = {0: PROVEN, 1: TIME_LIMIT}.get(solved.status, FAILED)
    return labeling, bound, status


def _brute_force(mrf: BinaryMRF) -> tuple[IntArray, float, str]:
    """The best of all labellings: the model as one group is its own energy table."""
    one = Partition((np.arange(mrf.n),), ("all",)) if mrf.n else Partition((), ())
    graph = HyperGraph(mrf, one)
    best = graph.labeling(np.array([table.argmin() for table in [graph.problem.phi] if mrf.n], np.int64))
    return best, mrf.energy(best), PROVEN


def _group_polytope(graph: HyperGraph, time_limit: float) -> float | None:
    """The LP over the states of groups and of coupled pairs; pairs live on the bits that their edge touches."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    problem = graph.problem
    states, pairs = 1 << problem.size, 1 << problem.bits.reshape(-1, 2).sum(axis=1)
    if states.sum() + pairs.sum() > GROUP_LP_UNKNOWNS:
        return None
    node_start = np.cumsum(states) - states
    pair_start = states.sum() + np.cumsum(pairs) - pairs
    cost = np.concatenate([problem.phi, *(_pair_energies(graph, e) for e in range(len(pairs)))])
    entries: list[tuple[IntArray, IntArray, FloatArray]] = []
    right: list[float] = []
    for p, n in enumerate(states.tolist()):
        entries.append((np.full(n, len(right)), node_start[p] + np.arange(n), np.ones(n)))
        right.append(1.0)
    for arc in range(2 * len(pairs)):
        edge, side = divmod(arc, 2)
        receiver = graph.ends(arc)[0]
        a, b = (1 << int(problem.bits[2 * edge + s]) for s in (0, 1))
        mine = np.arange(a * b) // b if side == 0 else np.arange(a * b) % b
        own = graph.active_states(arc)
        first = len(right)
        entries.append((first + mine, pair_start[edge] + np.arange(a * b), np.ones(a * b)))
        entries.append((first + own, node_start[receiver] + np.arange(len(own)), -np.ones(len(own))))
        right += [0.0] * (a if side == 0 else b)
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    matrix = csr_array((values, (rows, columns)), shape=(len(right), len(cost)))
    solved = linprog(cost, A_eq=matrix, b_eq=np.array(right), bounds=(0, None), options={"time_limit": time_limit})
    return graph.normal_form.constant + float(solved.fun) if solved.status == 0 else None


def _pair_energies(graph: HyperGraph, edge: int) -> FloatArray:
    """``phi_pq`` over pairs of active states, those of p outer."""
    problem = graph.problem
    mine = slice(int(problem.coupling_start[edge]), int(problem.coupling_start[edge + 1]))
    bit, entry, weight = problem.coupling_bit[mine], problem.coupling_entry[mine], problem.coupling_weight[mine]
    a, b = (np.arange(1 << int(problem.bits[2 * edge + s])) for s in (0, 1))
    takes_p, takes_q = (states[:, None] >> bit[:, s] & 1 == entry[:, s] for s, states in enumerate((a, b)))
    energies: FloatArray = -(takes_p * weight) @ takes_q.T.astype(float)
    return energies.reshape(-1)
