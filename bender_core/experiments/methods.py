"""Methods without chosen groups: proofs, cycles alone, message passing on single variables, and external solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from bender_core.account import Account
from bender_core.cycles.mplp import CyclePursuit
from bender_core.cycles.packing import Packing
from bender_core.engine.engine import Engine
from bender_core.engine.settings import ENDLESS
from bender_core.model import BinaryMRF
from bender_core.rivals import milp, samplers, toulbar2
from bender_core.rivals.report import Search
from bender_core.rivals.rival import Rival
from bender_core.strategies import default_strategy, partition
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
        In plans and stores.
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
    schedule : str
        That of message passing on single variables; empty if it is something else.
    package : str
        Of an external solver, which runs in a process of its own: the package that it needs.
    """

    name: str
    title: str
    subject: str
    meaning: str
    begin: Callable[[BinaryMRF, int, Account], Mover]
    has_groups: bool = False
    step: str = "sweep"
    schedule: str = ""
    package: str = ""

    @property
    def label(self) -> str:
        """Its name in tables and beside lines: of an external solver the one that it gives itself."""
        return self.title if self.package else self.name

    @property
    def setting(self) -> tuple[int, str]:
        """Variant and schedule of its first round; 0 and an empty name if it makes no groups."""
        schedule = FIRST_SCHEDULE if self.has_groups else self.schedule
        return (EXACT, schedule) if schedule else (0, "")

    @property
    def version(self) -> str:
        """That of the package which it needs; empty if that is not installed, or none is needed."""
        try:
            return version(self.package) if self.package else ""
        except PackageNotFoundError:
            return ""

    @property
    def missing(self) -> str:
        """How to have it, if it is not installed."""
        return f"pip install {self.package}" if self.package and not self.version else ""

    def first_groups(self, mrf: BinaryMRF, max_size: int) -> tuple[int, str] | None:
        """M and the strategy of the groups with which it begins, if it has groups: small ones that grow, or of one."""
        if not self.setting[1]:
            return None
        return (min(SMALL, max_size) if self.has_groups else 1), default_strategy(mrf)


def _prove(method: str, mrf: BinaryMRF, max_size: int, account: Account) -> Mover:
    return Descent(mrf, max_size or LARGEST, account=account, method=method)


def _pass_messages(schedule: str, mrf: BinaryMRF, _: int, account: Account) -> Mover:
    part = partition(mrf, max_size=1)
    return Engine(mrf, part, variant=EXACT, schedule=schedule, max_sweeps=ENDLESS, snapshot_bytes=0, limit=account)


def _ask(search: Search, mrf: BinaryMRF, _: int, account: Account) -> Mover:
    return Rival(mrf, search, account)


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
        Method(
            "mplp",
            "MPLP on single variables",
            "MPLP on single variables",
            "single variables, all of them in turn",
            partial(_pass_messages, "mplp"),
            schedule="mplp",
        ),
        Method(
            "trw-s",
            "TRW-S (SRMP on single variables)",
            "TRW-S",
            "single variables, in order and back",
            partial(_pass_messages, "srmp"),
            schedule="srmp",
        ),
        Method(
            "highs",
            "HiGHS",
            "HiGHS",
            "branch and cut on the integer program",
            partial(_ask, milp.search),
            step="report",
            package="highspy",
        ),
        Method(
            "toulbar2",
            "toulbar2",
            "toulbar2",
            "branch and bound with soft local consistency",
            partial(_ask, toulbar2.search),
            step="report",
            package="pytoulbar2",
        ),
        Method(
            "annealing",
            "simulated annealing",
            "Simulated annealing",
            "labellings alone, no bound",
            partial(_ask, samplers.annealing),
            step="report",
            package="dwave-samplers",
        ),
        Method(
            "tabu",
            "tabu search",
            "Tabu search",
            "labellings alone, no bound",
            partial(_ask, samplers.tabu),
            step="report",
            package="dwave-samplers",
        ),
    )
}
