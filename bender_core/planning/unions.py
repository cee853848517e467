"""Groups united and split: nested partitions, so that a run can continue on the next."""

from __future__ import annotations

import numpy as np

from bender_core.costs.estimate import estimate
from bender_core.groups import LARGEST_GROUP, Partition, coupled_groups, halve, independent_cycles, joint_weights
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.strategies.rules import what_matters
from bender_core.variants import Variant

# Groups are split until this number of sweeps fits into the time; the first run is that of the parts.
FIRST_SWEEPS = 100


def united(mrf: BinaryMRF, part: Partition, most: int) -> Partition:
    """The partition with pairs of its groups united: those with the most relevant coupling first.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    most : int
        The largest number of pairs to unite; fewer if no more are coupled, or if a union would exceed the largest
        group.
    """
    partner = dict[int, int]()
    for p, q in pairs_to_unite(mrf, part, most):
        partner[p], partner[q] = q, p
    kept = [p for p in range(len(part)) if partner.get(p, p) >= p]
    groups = [np.concatenate([part.groups[g] for g in dict.fromkeys((p, partner.get(p, p)))]) for p in kept]
    return Partition(tuple(np.sort(group) for group in groups), tuple(part.labels[p] for p in kept))


def pairs_to_unite(mrf: BinaryMRF, part: Partition, most: int, max_size: int = LARGEST_GROUP) -> list[tuple[int, int]]:
    """The pairs of groups that `united` unites, the most coupled first; each group is in one at most.

    No union exceeds ``max_size``.
    """
    pairs, joint = joint_weights(mrf, part, what_matters(mrf))
    found, taken = list[tuple[int, int]](), set[int]()
    for p, q in pairs[np.argsort(-joint, kind="stable")].tolist():
        fits = len(part.groups[p]) + len(part.groups[q]) <= max_size
        if fits and not taken & {p, q} and len(found) < most:
            found.append((p, q))
            taken |= {p, q}
    return found


def stages(
    mrf: BinaryMRF, part: Partition, which: int | Variant, seconds: float, stop: Stop = never
) -> list[Partition]:
    """The sequence of partitions from the first run to the given one, which comes last.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    which : int or Variant
    seconds : float
        The time for all runs.
    stop : Stop
        Checked while groups are split.

    Returns
    -------
    list of Partition
        The groups of each are unions of those of the previous one.

    Raises
    ------
    Stopped
    """
    found = [part]
    if independent_cycles(len(part), coupled_groups(mrf, part)):

        def cost() -> float:
            return FIRST_SWEEPS * estimate(mrf, found[0], which, stop=stop).seconds_per_sweep

        while found[0].max_size > 1 and cost() > seconds:
            found.insert(0, halved(mrf, found[0], stop))
    return found


def halved(mrf: BinaryMRF, part: Partition, stop: Stop = never) -> Partition:
    """The partition with its larger groups split into weakly coupled halves."""
    largest = part.max_size
    large = [p for p, group in enumerate(part.groups) if 2 * len(group) > largest + 1]
    return halve(mrf, part, large, stop)
