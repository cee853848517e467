"""The steps of a proof, kept while it is made. Source: docs/method.md §15.5."""

from __future__ import annotations

import weakref

import numpy as np

from bender_core import looking
from bender_core.account import Account
from bender_core.checking.proof import Step
from bender_core.engine.engine import Engine
from bender_core.forms.reduction import Reduction

# Messages are kept up to this share of the memory limit.
SHARE = 4


class Steps:
    """The messages that prove the facts of rounds and the best bound, until they are too large to be kept.

    Parameters
    ----------
    account : Account
        Charged with the messages that are kept.

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
        self._steps: list[Step] = []
        self.lower_bound = -np.inf
        self._of_bound: Step | None = None  # this step decides nothing

    def add(
        self, engine: Engine, whole: Reduction, lower: float, found: Reduction | None = None, proves: bool = False
    ) -> None:
        """Keep the messages of a run, unless they prove neither facts nor the best bound.

        Parameters
        ----------
        engine : Engine
        whole : Reduction
            The reduction of the whole model to that of the run.
        lower : float
            The proven bound of the run, lowered by its rounding error.
        found : Reduction, optional
            The reduction of the run's model by its facts.
        proves : bool
            Whether the bound proves optimality; next to a large constant it may seem to fall.
        """
        decides = found is not None and found.reduced.n < found.model.n
        raises = proves or lower >= self.lower_bound
        self.lower_bound = max(self.lower_bound, lower)
        if self.too_large or not (decides or raises):
            return
        if raises:
            self._steps = [step for step in self._steps if step is not self._of_bound]
            self._charges.charge("steps", 0 if self._of_bound is None else -self._of_bound.messages.nbytes)
            self._of_bound = None
        if not self._fits(engine.arrays.state.lam.nbytes):
            self.too_large, self._steps, self._of_bound = True, [], None
            self._charges.close()
            return
        step = _step(engine, whole, found)
        self._steps.append(step)
        if not decides:
            self._of_bound = step

    def _fits(self, more: int) -> bool:
        allowed = self._charges.account.limit // SHARE
        return self._charges.used + more <= allowed and self._charges.charge("steps", more)

    @property
    def steps(self) -> tuple[Step, ...] | None:
        """The steps kept; None if they are too large."""
        return None if self.too_large else tuple(self._steps)


def _step(engine: Engine, whole: Reduction, found: Reduction | None) -> Step:
    number = whole.deciders
    fixed, tied = np.empty((0, 2), np.int64), np.empty((0, 3), np.int64)
    if found is not None:
        fixed, tied = found.decided
        fixed[:, 0], tied[:, :2] = number[fixed[:, 0]], number[tied[:, :2]]
    groups = tuple(number[group] for group in engine.partition.groups)
    return Step(groups, engine.graph.edges.copy(), looking.messages(engine), fixed, tied, engine.margin.step)
