"""Many runs: planned, carried out by any number of workers, stored, and reported in tables."""

import warnings

from bender_core.experiments.execute import PlanProgress, dask, execute, local
from bender_core.experiments.lane import Entry, Lane, entry_by
from bender_core.experiments.methods import METHODS
from bender_core.experiments.outcome import Outcome, curve_of
from bender_core.experiments.perform import perform
from bender_core.experiments.plan import Instance, Limits, Plan, PlanError, Task, read_plan, seconds_at_most
from bender_core.experiments.race import Race
from bender_core.experiments.store import FinishedRun, Store, StoreError

__all__ = [
    "METHODS",
    "Entry",
    "FinishedRun",
    "Instance",
    "Lane",
    "Limits",
    "Outcome",
    "Plan",
    "PlanError",
    "PlanProgress",
    "Race",
    "Store",
    "StoreError",
    "Task",
    "curve_of",
    "dask",
    "entry_by",
    "execute",
    "local",
    "perform",
    "read_plan",
    "seconds_at_most",
]


def __getattr__(name: str) -> type[FinishedRun]:
    """The old name of `FinishedRun`."""
    if name != "Run":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn("experiments.Run is experiments.FinishedRun now", DeprecationWarning, stacklevel=2)
    return FinishedRun
