"""Many runs: planned, carried out by any number of workers, kept, and told in tables."""

from bender_core.experiments.execute import Progress, dask, execute, local
from bender_core.experiments.perform import Outcome, curve_of, perform
from bender_core.experiments.plan import Instance, Limits, Plan, PlanError, Task, read_plan, seconds_expected
from bender_core.experiments.store import Run, Store, StoreError

__all__ = [
    "Instance",
    "Limits",
    "Outcome",
    "Plan",
    "PlanError",
    "Progress",
    "Run",
    "Store",
    "StoreError",
    "Task",
    "curve_of",
    "dask",
    "execute",
    "local",
    "perform",
    "read_plan",
    "seconds_expected",
]
