"""The outcome of a proof: bounds, a labelling, whether it is optimal, and the runs that showed it.

Source: docs/method.md §15.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from bender_core.checking.checker import RefusedError, check_proof
from bender_core.checking.proof import Proof
from bender_core.model import BinaryMRF, IntArray, require_model

OPTIMAL, OUT_OF_TIME, STOPPED = "optimal", "time limit", "stopped"
EXHAUSTED, OUT_OF_MEMORY = "nothing left to try", "no memory for another run"
STATUSES = {OPTIMAL, OUT_OF_TIME, STOPPED, EXHAUSTED, OUT_OF_MEMORY}


@dataclass(frozen=True)
class Round:
    """A run on the part of the model that was left, or frustrated cycles of that part.

    Attributes
    ----------
    variables : int
        Variables left when it began.
    groups, largest : int
        The number of groups, and the variables of the largest; 0 if the round is one of cycles.
    strategy : str
        How its groups were made; "packed" if they unite those of the previous round, whose messages it continued;
        "cycles" if it has none.
    variant : int
        0 for cycles.
    schedule : str
        Empty for cycles.
    sweeps, work : int
        Table entries read.
    lower_bound, upper_bound : float
        Bounds of the whole model at the end of the round; energies.
    fixed, tied : int
        Variables that it decided, and variables that it tied to another one.
    seconds : float
        From the beginning of the proof to its end.
    """

    variables: int
    groups: int
    largest: int
    strategy: str
    variant: int
    schedule: str
    sweeps: int
    work: int
    lower_bound: float
    upper_bound: float
    fixed: int
    tied: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Certificate:
    """The outcome of a proof.

    Source: docs/method.md §15.

    Attributes
    ----------
    optimal : bool
        Whether no labelling is better, up to ``negligible``.
    lower_bound, upper_bound : float
        Energies; equal if it is optimal. No labelling costs less than ``lower_bound - negligible``.
    labeling : ndarray of int64, shape (n,)
        With energy ``upper_bound``.
    feasible : bool
        Whether it violates no hard constraint.
    open_variables : int
        The number of variables that no round has decided; 0 if it is optimal.
    negligible : float
        A gain that does not count, energy.
    rounding : float
        The rounding error of bounds, energy; smaller differences may be undecided.
    status : str
        "optimal", "time limit", "stopped", "nothing left to try" or "no memory for another run".
    rounds : tuple of Round
        Oldest first; the last one may have been interrupted.
    seconds : float
    proof : Proof or None
        The proof; None if its messages and cycles take more than a quarter of the memory limit.
    """

    optimal: bool
    lower_bound: float
    upper_bound: float
    labeling: IntArray
    feasible: bool
    open_variables: int
    negligible: float
    rounding: float
    status: str
    rounds: tuple[Round, ...]
    seconds: float
    proof: Proof | None

    def verify(self, mrf: BinaryMRF) -> None:
        """Check all claims without the solver: the proof, by `check_proof`, and that the other fields agree with it.

        Of the rounds, their decisions and the order of their bounds are checked. Times, how rounds were made, and the
        rounding error are no claims.

        Parameters
        ----------
        mrf : BinaryMRF

        Raises
        ------
        RefusedError
            If the proof does not show what this certificate claims, or is of another model.
        ModelError
            If it is no model.
        ValueError
            If the proof was not kept.
        """
        require_model(mrf)
        proof = self._kept()
        check_proof(mrf, proof)
        claimed, proven = (
            (each.lower_bound, each.upper_bound, each.negligible, each.labeling.tolist()) for each in (self, proof)
        )
        if claimed != proven or not self._agrees(mrf, proof):
            raise RefusedError("the certificate does not agree with its proof")

    def _agrees(self, mrf: BinaryMRF, proof: Proof) -> bool:
        """Whether the claims that are not in the proof follow from it."""
        left = self._left(mrf, proof)
        return (
            self.optimal == (self.lower_bound == self.upper_bound) == (self.status == OPTIMAL)
            and self.status in STATUSES
            and self.feasible == mrf.is_feasible(self.upper_bound)
            and left is not None
            and self.open_variables == (0 if self.optimal else left)
        )

    def _left(self, mrf: BinaryMRF, proof: Proof) -> int | None:
        """The variables that the rounds leave; None if they disagree with the proof."""
        decided = [found for step in proof.steps if any(found := (len(step.fixed), len(step.tied)))]
        left, upper = mrf.n, math.inf
        for k, one in enumerate(self.rounds, 1):
            ends = self.optimal and k == len(self.rounds) and (one.fixed, one.tied) == (left, 0)
            if one.variables != left or not one.lower_bound <= self.upper_bound <= one.upper_bound <= upper:
                return None
            if (one.fixed or one.tied) and not ends and (not decided or decided.pop(0) != (one.fixed, one.tied)):
                return None
            left, upper = left - one.fixed - one.tied, one.upper_bound
        return left if len(decided) <= self.optimal else None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the proof into a file, which ``python -m bender_core verify`` checks.

        Source: docs/formats.md §6.1.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        ValueError
            If the proof was not kept.
        OSError
            If it cannot be written.
        """
        self._kept().save(path)

    def _kept(self) -> Proof:
        if self.proof is None:
            raise ValueError("the proof was too large to be kept; allow more memory by BENDER_MEMORY_MB")
        return self.proof
