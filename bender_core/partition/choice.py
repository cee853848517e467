"""Which strategy: the registry, the default, and the choice by what a partition keeps together and costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bender_core.model import BinaryMRF
from bender_core.partition.groups import LARGEST_GROUP, Partition, PartitionError, require_cover, spanning_forest
from bender_core.partition.strategies import BY_RULE, what_matters
from bender_core.units import duration

# Partitions that hold as much as the best but for this share of the coupling are as good.
AS_GOOD = 0.01


@dataclass(frozen=True)
class Quality:
    """How a partition treats the couplings of a model, weighed by how much they may matter.

    Attributes
    ----------
    inside : float
        The share that lies inside groups.
    held : float
        The share that lies inside groups or on the strongest forest of hyper-edges between them. Message passing
        is exact on that much: with 1, where no cycle is left, the bound is the optimum.
    hyper_edges, cycles : int
        Of the hyper-graph; the cycles that are independent.
    """

    inside: float
    held: float
    hyper_edges: int
    cycles: int


def quality(mrf: BinaryMRF, part: Partition) -> Quality:
    """Measure a partition.

    Raises
    ------
    PartitionError
        If the partition belongs to a model with another number of variables.
    """
    require_cover(mrf, part)
    weight = what_matters(mrf)
    ends = np.sort(part.group_of()[mrf.edges], axis=1)
    inside = ends[:, 0] == ends[:, 1]
    between = ~inside & (mrf.coupling() != 0)
    pairs, which = np.unique(ends[between], axis=0, return_inverse=True)
    joint = np.bincount(which, weight[between], minlength=len(pairs))
    strongest = np.argsort(-joint, kind="stable")
    forest = spanning_forest(len(part), pairs[strongest])
    total = weight.sum()
    kept = weight[inside].sum()
    return Quality(
        inside=float(kept / total) if total else 1.0,
        held=float((kept + joint[strongest][forest].sum()) / total) if total else 1.0,
        hyper_edges=len(pairs),
        cycles=int((~forest).sum()),
    )


def _auto(mrf: BinaryMRF, max_size: int, seed: int) -> Partition:
    """Of the partitions that hold most of the coupling that matters the one with the fewest cycles, and why.

    A forest holds all of it and has no cycle: where there is one, it is chosen, the cheapest if there are several.
    """
    from bender_core.estimate import estimate  # which itself cuts models, to say what would fit

    parts = {name: BY_RULE[name](mrf, max_size, seed) for name in applicable(mrf) if name in BY_RULE}
    found = {name: quality(mrf, part) for name, part in parts.items()}
    seconds = {name: estimate(mrf, part).seconds_per_sweep for name, part in parts.items()}
    most = max(measured.held for measured in found.values())
    good = [name for name in parts if found[name].held >= most - AS_GOOD]
    best = min(good, key=lambda name: (found[name].cycles, seconds[name]))
    others = [
        f"{name} {_percent(found[name].held)}" + (f" with {_cycles(found[name].cycles)}" if name in good else "")
        for name in sorted(parts, key=lambda name: -found[name].held)
        if name != best
    ]
    reason = (
        f"{best}: {_percent(found[best].held)} of the coupling that matters lies inside groups "
        f"({_percent(found[best].inside)}) or on a forest that joins them, {_cycles(found[best].cycles)} left, "
        f"about {duration(seconds[best])} a sweep; {', '.join(others)}"
    )
    return Partition(parts[best].groups, parts[best].labels, "auto", reason)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _cycles(count: int) -> str:
    return "1 cycle" if count == 1 else f"{count or 'no'} cycles"


STRATEGIES: dict[str, Callable[[BinaryMRF, int, int], Partition]] = {"auto": _auto, **BY_RULE}


def applicable(mrf: BinaryMRF) -> list[str]:
    """The strategies that a model has all that is needed for."""
    lacking = {"groups": mrf.groups is None, "blocks": mrf.positions is None}
    return [name for name in STRATEGIES if not lacking.get(name, False)]


def default_strategy(mrf: BinaryMRF) -> str:
    """The paper's "groups" where the model names groups, "greedy" otherwise."""
    return "groups" if mrf.groups is not None else "greedy"


def partition(mrf: BinaryMRF, max_size: int = 8, strategy: str | None = None, seed: int = 0) -> Partition:
    """Cut the variables of a model into hyper-variables.

    Parameters
    ----------
    mrf : BinaryMRF
    max_size : int
        M, the largest number of variables a hyper-variable may hold (it has 2^M states).
    strategy : str, optional
        A key of ``STRATEGIES``; "groups" where the model names groups and "greedy" otherwise, by default. "auto"
        tries all that apply and says why it chose in ``reason``. For groups stated by hand see `manual`.
    seed : int
        Breaks ties in "greedy", and so in "refined"; decides "random" and the order in which "community" looks at
        the variables.

    Raises
    ------
    PartitionError
        If the strategy is unknown or does not fit the model, or max_size is out of range.
    """
    strategy = strategy or default_strategy(mrf)
    if strategy not in STRATEGIES:
        raise PartitionError(f"unknown strategy {strategy!r}; choose one of {', '.join(STRATEGIES)}")
    if not 1 <= max_size <= LARGEST_GROUP:
        raise PartitionError(f"M is {max_size}; choose a whole number from 1 to {LARGEST_GROUP}")
    return replace(STRATEGIES[strategy](mrf, max_size, seed), seed=seed)
