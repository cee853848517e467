"""Groups to unite and groups split: nested partitions, so that a run can continue on the next."""

from __future__ import annotations

import numpy as np

from bender_core.groups import LARGEST_GROUP, Partition, halve, joint_weights
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.strategies.rules import what_matters


def pairs_to_unite(mrf: BinaryMRF, part: Partition, max_size: int = LARGEST_GROUP) -> list[tuple[int, int]]:
    """Pairs of groups to unite, those with the most relevant coupling first; each group is in one at most.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    max_size : int
        The largest number of variables of a union.
    """
    pairs, joint = joint_weights(mrf, part, what_matters(mrf))
    found, taken = list[tuple[int, int]](), set[int]()
    for p, q in pairs[np.argsort(-joint, kind="stable")].tolist():
        fits = len(part.groups[p]) + len(part.groups[q]) <= max_size
        if fits and not taken & {p, q}:
            found.append((p, q))
            taken |= {p, q}
    return found


def halved(mrf: BinaryMRF, part: Partition, stop: Stop = never) -> Partition:
    """The partition with its larger groups split into weakly coupled halves."""
    largest = part.max_size
    large = [p for p, group in enumerate(part.groups) if 2 * len(group) > largest + 1]
    return halve(mrf, part, large, stop)
