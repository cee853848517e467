"""The runs of a plan, listed in the background, as groups may take seconds to find."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

import bender_core as bc
from bender_core.experiments import Plan, PlanError, Task, read_plan
from pages._shared.experiments.plans import FIRST, SHIPPED
from pages._shared.running.background import Personal


@dataclass(frozen=True)
class Planned:
    """The chosen plan, and its runs."""

    name: str
    path: Path
    plan: Plan
    tasks: list[Task]


# The shipped plans that were listed: their files do not change.
_LISTED: dict[Path, Planned] = {}


@dataclass(eq=False)
class Planning(Personal):
    """A plan being read, and its partitions being made.

    Attributes
    ----------
    name : str
    path : Path
        Its file.
    planned : Planned or None
        None until it is complete.
    error : str
        Why it cannot be carried out.
    share : float
        Of the partitions made, from 0 to 1.
    doing : str
        Which partition is being made.
    """

    name: str
    path: Path
    planned: Planned | None = None
    error: str = ""
    share: float = 0.0
    doing: str = ""

    def start(self) -> None:
        """Begin, or begin again."""
        self.begin(self._drive)

    def _drive(self, stop: threading.Event) -> None:
        def tell(share: float, doing: str) -> None:
            # Work that was stopped may end while the next piece begins.
            if not stop.is_set():
                self.share, self.doing = share, doing

        try:
            found = _LISTED.get(self.path)
            if found is None:
                plan, until = read_plan(self.path), bc.Stop(requested=stop.is_set)
                found = Planned(self.name, self.path, plan, plan.tasks(tell, until))
                until.check()
        except bc.Stopped:
            return
        except (PlanError, bc.ModelError, bc.PartitionError, OSError) as error:
            self.error = str(error)
        else:
            self.planned = found
            if self.path in SHIPPED.values():
                _LISTED[self.path] = found


def list_first() -> None:
    """List the runs of the plan that the page opens with, for all sessions."""
    Planning(FIRST, SHIPPED[FIRST])._drive(threading.Event())
