"""Methods that raise a bound without chosen groups: proofs, cycles alone, and MPLP with cycle pursuit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bender_core.account import Account
from bender_core.cycles.mplp import CyclePursuit
from bender_core.cycles.packing import Packing
from bender_core.model import BinaryMRF
from bender_core.strategies import default_strategy
from bender_core.trying.change import EXACT
from bender_core.trying.policy import BOTH, FIRST_SCHEDULE, GROUPS, LARGEST, SMALL
from bender_core.trying.proof import Descent
from bender_core.trying.solving import MPLP_CP
from bender_core.trying.steps import CYCLES
from bender_core.trying.trials import Mover


@dataclass(frozen=True)
class Method:
    """A method without chosen groups. It has no limit of sweeps.

    Attributes
    ----------
    name : str
        In plans, stores and tables, and beside lines.
    title : str
        Where there is room for it.
    subject : str
        The same as the subject of a sentence.
    meaning : str
        What it does, in a few words.
    begin : callable
        Begins it, with the model, the largest size of groups (0 if it makes none), and the account to charge.
    has_groups : bool
        Whether it makes groups, up to a largest size.
    step : str
        What is counted as its sweeps.
    """

    name: str
    title: str
    subject: str
    meaning: str
    begin: Callable[[BinaryMRF, int, Account], Mover]
    has_groups: bool = False
    step: str = "sweep"

    @property
    def setting(self) -> tuple[int, str]:
        """Variant and schedule of its first round; 0 and an empty name if it makes no groups."""
        return (EXACT, FIRST_SCHEDULE) if self.has_groups else (0, "")

    def first_groups(self, mrf: BinaryMRF, max_size: int) -> tuple[int, str] | None:
        """M and the strategy of the groups with which it begins, if it makes groups: they are small, and grow."""
        return (min(SMALL, max_size), default_strategy(mrf)) if self.has_groups else None


def _prove(method: str, mrf: BinaryMRF, max_size: int, account: Account) -> Mover:
    return Descent(mrf, max_size or LARGEST, account=account, method=method)


METHODS = {
    method.name: method
    for method in (
        Method(
            "proof",
            "proof",
            "The proof",
            "groups and cycles",
            partial(_prove, BOTH),
            has_groups=True,
        ),
        Method(
            "proof by groups",
            "proof by groups",
            "The proof by groups",
            "groups alone",
            partial(_prove, GROUPS),
            has_groups=True,
        ),
        Method(
            "proof by cycles",
            "proof by cycles",
            "The proof by cycles",
            "cycles alone",
            partial(_prove, CYCLES),
        ),
        Method(
            "cycles",
            "cycles",
            "The bound by cycles",
            "each cycle pays once",
            lambda mrf, _, __: Packing(mrf, keeps=False),
            step="round",
        ),
        Method(
            MPLP_CP,
            "MPLP with cycle pursuit",
            "MPLP with cycle pursuit",
            "MPLP with cycle pursuit",
            lambda mrf, _, __: CyclePursuit(mrf, keeps=False),
            step="round",
        ),
    )
}
