"""The choice of a strategy: the registry, the default, and the quality of a partition."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bender_core.groups import Partition, PartitionError, joint_weights, require_cover, require_size, spanning_forest
from bender_core.model import BinaryMRF, require_model
from bender_core.stopping import Stop, never
from bender_core.strategies.rules import BY_RULE, what_matters

# The strategies that run the model: one tries the others, one merges groups (`trying` registers them).
AUTO, PURSUIT = "auto", "pursuit"
# Takes the share of the work that is done, from 0 to 1, and the best lower bound so far, an energy.
Tell = Callable[[float, float], object]
# Takes the model, M, the seed, `Stop`, and a function for reports of progress, or None.
ByRuns = Callable[[BinaryMRF, int, int, Stop, Tell | None], Partition]


@dataclass(frozen=True)
class Quality:
    """The couplings that a partition keeps, weighted by how much they may matter.

    Attributes
    ----------
    inside : float
        The share that lies inside groups.
    covered : float
        The share that lies inside groups or on the strongest forest of hyper-edges between them. Message passing
        is exact on that share: at 1, with no cycle left, the bound is the optimum.
    hyper_edges, cycles : int
        Of the hyper-graph; only independent cycles count.
    """

    inside: float
    covered: float
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
    ends = part.group_of()[mrf.edges]
    inside = ends[:, 0] == ends[:, 1]
    pairs, joint = joint_weights(mrf, part, weight)
    strongest = np.argsort(-joint, kind="stable")
    forest = spanning_forest(len(part), pairs[strongest])
    total = weight.sum()
    kept = weight[inside].sum()
    return Quality(
        inside=float(kept / total) if total else 1.0,
        covered=float((kept + joint[strongest][forest].sum()) / total) if total else 1.0,
        hyper_edges=len(pairs),
        cycles=int((~forest).sum()),
    )


BY_RUNS: dict[str, ByRuns] = {}
STRATEGIES = list(BY_RULE)


def register(name: str, strategy: ByRuns) -> None:
    """Add a strategy that runs the model, after earlier ones and ahead of those with a rule.

    It is defined in a layer that knows runs.
    """
    STRATEGIES.insert(len(BY_RUNS), name)
    BY_RUNS[name] = strategy


def applicable(mrf: BinaryMRF) -> list[str]:
    """The strategies applicable to a model."""
    require_model(mrf)
    lacking = {"groups": mrf.groups is None, "blocks": mrf.positions is None}
    return [name for name in STRATEGIES if not lacking.get(name, False)]


def applicable_rules(mrf: BinaryMRF) -> list[str]:
    """Those of them that make a partition from the model alone, without a run."""
    return [name for name in applicable(mrf) if name in BY_RULE]


def soon(strategy: str) -> str | None:
    """The strategy that replaces a slow one when similar groups are needed immediately; None: the default one."""
    return strategy if strategy in BY_RULE else None


def default_strategy(mrf: BinaryMRF) -> str:
    """The paper's "groups" where the model names groups, "greedy" otherwise."""
    return "groups" if mrf.groups is not None else "greedy"


def partition(
    mrf: BinaryMRF,
    max_size: int = 8,
    strategy: str | None = None,
    seed: int = 0,
    stop: Stop = never,
    on_progress: Tell | None = None,
) -> Partition:
    """Cut the variables of a model into hyper-variables.

    Parameters
    ----------
    mrf : BinaryMRF
    max_size : int
        M, the largest number of variables in a hyper-variable (which then has 2^M states).
    strategy : str, optional
        One of ``STRATEGIES``; by default "groups" if the model names groups, else "greedy". "auto" tries all that
        make groups by a rule, "pursuit" merges groups where the tension of a run sits, which takes seconds; both give
        the reason for their choice in ``reason``. For groups stated by hand see `manual`.
    seed : int
        Breaks ties in "greedy", and so in "refined"; determines "random", the order of variables in "community", and
        what "pursuit" merges anew.
    stop : Stop
        Checked at least three times a second in models of 200 000 couplings.
    on_progress : callable, optional
        Called about every 25 ms by "auto" and "pursuit" with the share of their work that is done, counted in table
        entries, from 0 to 1, and the best lower bound so far. They may end sooner.

    Returns
    -------
    Partition

    Raises
    ------
    Stopped
        If ``stop`` says so.
    PartitionError
        If the strategy is unknown or does not fit the model, or max_size is out of range.
    ValueError
        If the seed is negative.

    Examples
    --------
    >>> mrf = BinaryMRF(unary=[[0, 1]] * 3, edges=[[0, 2]], pairwise=[[[0, 0], [0, 5]]])
    >>> [group.tolist() for group in partition(mrf, max_size=2).groups]
    [[0, 2], [1]]
    """
    require_model(mrf)
    strategy = strategy or default_strategy(mrf)
    if strategy not in STRATEGIES:
        raise PartitionError(f"unknown strategy {strategy!r}; choose one of {', '.join(STRATEGIES)}")
    require_size(max_size)
    begin = time.thread_time()
    if strategy in BY_RULE:
        part = BY_RULE[strategy](mrf, max_size, seed, stop)
    else:
        part = BY_RUNS[strategy](mrf, max_size, seed, stop, on_progress)
    return replace(part, seed=seed, seconds=time.thread_time() - begin)
