"""Strategies side by side: the partition, cost and bound of each at each M."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bender_core.account import memory_limit
from bender_core.engine.engine import Engine
from bender_core.engine.memory_needed import required_bytes
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.strategies import applicable, partition, quality
from bender_core.trying.timing import time_sweep
from bender_core.variants import Variant


@dataclass(frozen=True)
class Comparison:
    """One strategy at one M.

    Attributes
    ----------
    strategy : str
    max_size : int
        The requested M.
        groups, hyper_edges, cycles : int
        Sizes of the hyper-graph; only independent cycles count.
    inside, covered : float
        Shares of the relevant coupling: see `strategies.choice.Quality`.
    bytes : int
        Memory without which a run cannot begin.
    seconds_per_sweep : float or None
        Measured in a short run (`time_sweep`); None if it would not fit into the memory limit, or takes too long.
    lower_bound : float or None
        Energy after the requested sweeps; None if there are none, or if the run would not fit into the memory limit.
    """

    strategy: str
    max_size: int
    groups: int
    hyper_edges: int
    cycles: int
    inside: float
    covered: float
    bytes: int
    seconds_per_sweep: float | None
    lower_bound: float | None


def compare_partitions(
    mrf: BinaryMRF,
    sizes: Sequence[int],
    strategies: Sequence[str] | None = None,
    variant: int | Variant = 9,
    sweeps: int = 0,
    schedule: str = "mplp",
) -> list[Comparison]:
    """Compare strategies and values of M on a model.

    Parameters
    ----------
    mrf : BinaryMRF
    sizes : sequence of int
        The values of M.
    strategies : sequence of str, optional
        By default all that apply to the model.
    variant : int or Variant
        The variant of costs and bounds.
    sweeps : int
        The length of the run for each bound; 0 for no bounds.
    schedule : {"mplp", "srmp"}
        The schedule of runs and costs.

    Returns
    -------
    list of Comparison
        By M in the order given, and for each M by strategy.

    Raises
    ------
    PartitionError
        If a strategy is unknown or does not fit the model, or an M is out of range.
    """
    names = applicable(mrf) if strategies is None else strategies
    rows = []
    for max_size in sizes:
        for name in names:
            part = partition(mrf, max_size, name)
            bound = bound_after(mrf, part, sweeps, variant, schedule) if sweeps else None
            rows.append(replace(measured(mrf, part, max_size, variant, schedule), lower_bound=bound))
    return rows


def measured(
    mrf: BinaryMRF,
    part: Partition,
    max_size: int,
    variant: int | Variant = 9,
    schedule: str = "mplp",
    stop: Stop = never,
) -> Comparison:
    """The properties of a partition, and the time of a sweep by a short run.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    max_size : int
        The requested M.
    variant : int or Variant
    schedule : {"mplp", "srmp"}
        The schedule of the cost.
    stop : Stop
        Checked about every 50 ms.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    found, needed = quality(mrf, part), required_bytes(mrf, part, variant)
    taken = time_sweep(mrf, part, variant, schedule, stop=stop) if needed <= memory_limit() else None
    return Comparison(
        strategy=part.strategy,
        max_size=max_size,
        groups=len(part),
        hyper_edges=found.hyper_edges,
        cycles=found.cycles,
        inside=found.inside,
        covered=found.covered,
        bytes=needed,
        seconds_per_sweep=taken.seconds if taken is not None and taken.sweeps else None,
        lower_bound=None,
    )


def bound_after(
    mrf: BinaryMRF,
    part: Partition,
    sweeps: int,
    variant: int | Variant = 9,
    schedule: str = "mplp",
    on_progress: Callable[[Engine], bool | None] | None = None,
) -> float | None:
    """The lower bound that a run reaches in some sweeps; None if it would not fit into memory, or was stopped.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    sweeps : int
    variant : int or Variant
    schedule : {"mplp", "srmp"}
    on_progress : callable, optional
        Called about every 50 ms with the engine; the run is stopped if it returns True.
    """
    if required_bytes(mrf, part, variant) > memory_limit():
        return None
    engine = Engine(mrf, part, variant=variant, schedule=schedule, snapshot_bytes=0)
    engine.run(max_sweeps=sweeps, on_progress=on_progress)
    return engine.lower_bound if engine.finished or engine.sweep >= sweeps else None
