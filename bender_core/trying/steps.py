"""The steps of a proof, kept while it is made. Source: docs/method.md §15.5."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bender_core import looking
from bender_core.account import Account
from bender_core.checking.proof import CycleStep, Step
from bender_core.cycles.packing import Packing
from bender_core.engine.engine import Engine
from bender_core.forms.reduction import Reduction, numbered
from bender_core.model import IntArray
from bender_core.trying.trials import Trial

# How a round of cycles is named.
CYCLES = "cycles"
# Messages and cycles are kept up to this share of the memory limit.
SHARE = 4


class Steps:
    """What proves the facts of rounds and the best bound, until it is too large to be kept.

    Parameters
    ----------
    account : Account
        Charged with what is kept.

    Attributes
    ----------
    lower_bound : float
        The best bound that was kept.
    too_large : bool
        Whether the steps were dropped because of their size.
    """

    def __init__(self, account: Account) -> None:
        charges = account.open("proof", {})
        assert charges is not None
        self._charges = charges
        weakref.finalize(self, charges.close)
        self.too_large = False
        self._steps: list[Step | CycleStep] = []
        self.lower_bound = -np.inf
        self._of_bound: Step | CycleStep | None = None  # this step decides nothing

    def add(self, evidence: Evidence, whole: Reduction, found: Reduction | None, proves: bool) -> None:
        """Keep the step of a round, unless it proves neither facts nor the best bound.

        Parameters
        ----------
        evidence : Evidence
        whole : Reduction
            From the whole model to that of the round.
        found : Reduction or None
            Of that model, by the facts.
        proves : bool
            Whether the bound proves optimality; next to a large constant it may seem to fall.
        """
        decides = found is not None and found.reduced.n < found.model.n
        raises = proves or evidence.lower_bound >= self.lower_bound
        self.lower_bound = max(self.lower_bound, evidence.lower_bound)
        if self.too_large or not (decides or raises):
            return
        if raises:
            self._steps = [step for step in self._steps if step is not self._of_bound]
            self._charges.charge("steps", 0 if self._of_bound is None else -self._of_bound.nbytes)
            self._of_bound = None
        if not self._fits(evidence.nbytes):
            self.too_large, self._steps, self._of_bound = True, [], None
            self._charges.close()
            return
        step = evidence.step(whole, found)
        self._steps.append(step)
        if not decides:
            self._of_bound = step

    def _fits(self, more: int) -> bool:
        allowed = self._charges.account.limit // SHARE
        return self._charges.used + more <= allowed and self._charges.charge("steps", more)

    @property
    def steps(self) -> tuple[Step | CycleStep, ...] | None:
        """The steps kept; None if they are too large."""
        return None if self.too_large else tuple(self._steps)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a round of a proof rests on.

    Attributes
    ----------
    lower_bound : float
        Lowered by its rounding error, energy.
    labeling : ndarray of int64, shape (n,)
        The best one of the round.
    nbytes : int
        Of messages or cycles.
    step : callable
        Makes the step that keeps them, from the reduction of the whole model to that of the round, and the reduction of
        that by its facts.
    made : dict
        How the round was made: attributes of `Round`.
    """

    lower_bound: float
    labeling: IntArray
    nbytes: int
    step: Callable[[Reduction, Reduction | None], Step | CycleStep]
    made: dict[str, Any]


def of_messages(trial: Trial) -> Evidence:
    """That of a run."""
    engine = trial.engine
    made: dict[str, Any] = {
        "variables": engine.mrf.n,
        "groups": len(engine.partition),
        "largest": engine.partition.largest,
        "strategy": trial.name,
        "variant": engine.variant.number,
        "schedule": engine.settings.schedule,
        "sweeps": engine.sweep,
        "work": trial.work,
    }
    lower = engine.margin.certain(engine.lower_bound, engine.margin.rounding_with(engine.arrays.message_size))
    return Evidence(lower, engine.labeling, engine.arrays.state.lam.nbytes, partial(_step, engine), made)


def of_cycles(packing: Packing) -> Evidence:
    """That of a packing."""
    made: dict[str, Any] = {
        "variables": packing.mrf.n,
        "groups": 0,
        "largest": 0,
        "strategy": CYCLES,
        "variant": 0,
        "schedule": "",
        "sweeps": 0,
        "work": packing.work,
    }
    lower = packing.margin.certain(packing.lower_bound, packing.margin.rounding)
    nbytes = packing.shares.nbytes + 2 * sum(cycle.nbytes for cycle in packing.cycles)  # of an edge both ends
    return Evidence(lower, packing.labeling, nbytes, packing.proof_step, made)


def _step(engine: Engine, whole: Reduction, found: Reduction | None) -> Step:
    number = whole.deciders
    groups = tuple(number[group] for group in engine.partition.groups)
    facts = numbered(found, number)
    return Step(groups, engine.graph.edges.copy(), looking.messages(engine), *facts, engine.margin.step)
