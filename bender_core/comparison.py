"""Strategies side by side: what each makes of a model at each M, what that costs, and what bound it reaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bender_core.engine import Engine
from bender_core.estimate import estimate, memory_limit
from bender_core.model import BinaryMRF
from bender_core.partition import applicable, partition, quality
from bender_core.variants import Variant


@dataclass(frozen=True)
class Comparison:
    """One strategy at one M.

    Attributes
    ----------
    strategy : str
    max_size : int
        M as asked for.
    groups, hyper_edges, cycles : int
        Of the hyper-graph; the cycles that are independent.
    inside, held : float
        Shares of the coupling that matters: see `partition.Quality`.
    bytes : int
        Predicted memory of a run.
    seconds_per_sweep : float
        Predicted, on this machine.
    lower_bound : float or None
        Energy after the sweeps asked for; None if none were, or if the run would not fit into the memory limit.
    """

    strategy: str
    max_size: int
    groups: int
    hyper_edges: int
    cycles: int
    inside: float
    held: float
    bytes: int
    seconds_per_sweep: float
    lower_bound: float | None


def compare_partitions(
    mrf: BinaryMRF,
    sizes: Sequence[int],
    strategies: Sequence[str] | None = None,
    variant: int | Variant = 9,
    sweeps: int = 0,
) -> list[Comparison]:
    """Cut a model in every way asked for and say what comes of it.

    Parameters
    ----------
    mrf : BinaryMRF
    sizes : sequence of int
        The values of M.
    strategies : sequence of str, optional
        All that apply to the model, by default.
    variant : int or Variant
        What cost and bounds are for.
    sweeps : int
        How long to run each partition for its bound; 0 for the predictions alone.

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
    return [_row(mrf, max_size, name, variant, sweeps) for max_size in sizes for name in names]


def _row(mrf: BinaryMRF, max_size: int, strategy: str, variant: int | Variant, sweeps: int) -> Comparison:
    part = partition(mrf, max_size, strategy)
    found, cost = quality(mrf, part), estimate(mrf, part, variant)
    bound = None
    if sweeps and cost.bytes <= memory_limit():
        engine = Engine(mrf, part, variant, snapshot_bytes=0)
        engine.run(max_sweeps=sweeps)
        bound = engine.lower_bound
    return Comparison(
        strategy=strategy,
        max_size=max_size,
        groups=len(part),
        hyper_edges=found.hyper_edges,
        cycles=found.cycles,
        inside=found.inside,
        held=found.held,
        bytes=cost.bytes,
        seconds_per_sweep=cost.seconds_per_sweep,
        lower_bound=bound,
    )
