"""Other exact solvers, each in a separate process that is killed at the time limit."""

from __future__ import annotations

import importlib.util
import multiprocessing
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

import numpy as np

import bender_core as bc
from bender_core.rivals.reference import PROVEN, _search

# Seconds after its limit at which a solver that ignores the clock is killed.
GRACE = 5.0
DECIMALS = 9


@dataclass(frozen=True)
class Answer:
    """The result of a solver, with wall seconds that exclude the start of its process."""

    lower: float
    upper: float
    seconds: float
    proven: bool

    def __str__(self) -> str:
        if self.proven:
            return f"{self.seconds:.2f} s"
        known = f"LB {self.lower:.6g}, UB {self.upper:.6g}" if np.isfinite(self.lower) else "no answer"
        return f"> {self.seconds:.0f} s ({known})"


def toulbar2(mrf: bc.BinaryMRF, limit: float) -> Answer:
    """toulbar2 with its defaults, costs to nine decimals, or fewer if these are exact."""
    import pytoulbar2

    begin = time.perf_counter()
    costs = np.concatenate([mrf.unary.ravel(), mrf.pairwise.ravel()])
    exact = [d for d in range(DECIMALS) if np.abs(costs - costs.round(d)).max(initial=0.0) < 1e-12]
    decimals = min(exact, default=DECIMALS)
    rounding = 0.0 if exact else (len(mrf.edges) + mrf.n) * 10.0**-decimals
    network = pytoulbar2.CFN(resolution=decimals)
    for i, energies in enumerate(mrf.unary.tolist()):
        network.AddVariable(f"x{i}", range(2))
        network.AddFunction([i], energies)
    for ends, energies in zip(mrf.edges.tolist(), mrf.pairwise.reshape(-1, 4).tolist(), strict=True):
        network.AddFunction(ends, energies)
    found = network.Solve(timeLimit=max(int(limit), 1))
    lower = network.GetDDualBound() + mrf.constant
    upper = mrf.energy(np.array(found[0])) if found else np.inf
    proven = upper - lower <= 1e-9 * abs(upper) + rounding
    return Answer(lower, upper, time.perf_counter() - begin, bool(proven))


def highs(mrf: bc.BinaryMRF, limit: float) -> Answer:
    """HiGHS on the mixed-integer program of the normal form (`scipy.optimize.milp`)."""
    begin = time.perf_counter()
    labeling, lower, status = _search(bc.to_normal_form(mrf), limit)
    upper = mrf.energy(labeling) if labeling is not None else np.inf
    return Answer(lower, upper, time.perf_counter() - begin, status == PROVEN)


SOLVERS = {"toulbar2": toulbar2, "HiGHS": highs}


def missing(solver: str) -> str:
    """A message if a solver is not installed."""
    if solver == "toulbar2" and importlib.util.find_spec("pytoulbar2") is None:
        return "toulbar2 is left out: pip install -r requirements-bench.txt"
    return ""


def ask(solver: str, mrf: bc.BinaryMRF, limit: float) -> Answer:
    """A solver's answer within the limit, or an empty one."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(there, solver, mrf, limit))
    process.start()
    there.close()
    answer = Answer(-np.inf, np.inf, limit, False)
    try:
        # "Ready" once everything is imported.
        here.recv()
        if here.poll(limit + GRACE):
            answer = here.recv()
    except EOFError:
        print(f"{solver} ended without an answer")
    process.kill()
    process.join()
    return answer


def _answer(pipe: Connection, solver: str, mrf: bc.BinaryMRF, limit: float) -> None:
    if solver == "toulbar2":
        import pytoulbar2  # noqa: F401
    else:
        import scipy.optimize  # noqa: F401
    pipe.send("ready")
    pipe.send(SOLVERS[solver](mrf, limit))
