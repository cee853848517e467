"""External solvers, each in a process of its own that is killed at the time limit, as in a race of the app."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import bender_core as bc
from bender_core.account import Account
from bender_core.experiments.methods import METHODS
from bender_core.rivals.report import PROVEN
from bender_core.rivals.rival import Rival

# The memory of a process, bytes.
MEMORY = 4 << 30
SOLVERS = {METHODS[name].title: METHODS[name] for name in ("toulbar2", "highs")}


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


def missing(solver: str) -> str:
    """A message if a solver is not installed."""
    return f"{solver} is left out: {SOLVERS[solver].missing}" if SOLVERS[solver].missing else ""


def ask(solver: str, mrf: bc.BinaryMRF, limit: float) -> Answer:
    """A solver's answer within the limit, seconds."""
    rival = SOLVERS[solver].begin(mrf, 0, Account(MEMORY))
    assert isinstance(rival, Rival)
    rival.run(on_progress=lambda rival: rival.seconds >= limit)
    rival.close()
    if rival.status not in (PROVEN, "stopped"):
        print(f"{solver}: {rival.status}")
    return Answer(rival.lower_bound, rival.upper_bound, rival.seconds, rival.status == PROVEN)
