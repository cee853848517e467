"""Groups united in pairs, as far as their size allows: those of a model, or of a reduced model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bender_core.forms.reduction import GONE, Reduction
from bender_core.groups import LARGEST_GROUP, Partition, joint_weights, merge_all
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.stopping import Stop, never
from bender_core.strategies.rules import what_matters


def what_is_left(part: Partition, reduced: Reduction) -> Partition:
    """The groups of a partition in a reduced model, without those of which nothing is left.

    Parameters
    ----------
    part : Partition
        Of the model that was reduced; variables that are tied lie in one group.
    reduced : Reduction

    Returns
    -------
    Partition
        Of the reduced model.
    """
    left = [np.unique(homes[homes != GONE]) for homes in (reduced.home[group] for group in part.groups)]
    kept = [p for p, group in enumerate(left) if len(group)]
    return Partition(tuple(left[p] for p in kept), tuple(part.labels[p] for p in kept), part.strategy, seed=part.seed)


def packed(reduced: Reduction, part: Partition, max_size: int) -> Partition:
    """The groups of the reduced model, united as `filled`.

    Parameters
    ----------
    reduced : Reduction
    part : Partition
        Of the model that was reduced; variables that are tied lie in one group.
    max_size : int
        The largest number of variables in a union.

    Returns
    -------
    Partition
        Of the reduced model.
    """
    return filled(reduced.reduced, what_is_left(part, reduced), max_size)


def filled(mrf: BinaryMRF, part: Partition, max_size: int, stop: Stop = never) -> Partition:
    """The groups of a partition united in pairs, the most strongly coupled first, until no union is small enough.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    max_size : int
        The largest number of variables in a union.
    stop : Stop
        Checked before every round of unions.

    Returns
    -------
    Partition
        Of the same strategy and seed.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    united, weight = part, what_matters(mrf)
    while pairs := pairs_to_unite(mrf, united, max_size, weight):
        stop.check()
        united = merge_all(united, pairs)
    return replace(united, strategy=part.strategy, seed=part.seed, reason="")


def pairs_to_unite(
    mrf: BinaryMRF, part: Partition, max_size: int = LARGEST_GROUP, weight: FloatArray | None = None
) -> list[tuple[int, int]]:
    """Pairs of groups to unite, those with the most relevant coupling first; each group is in one at most.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    max_size : int
        The largest number of variables in a union.
    weight : ndarray, shape (m,), optional
        Of every coupling; by default how much it may matter.
    """
    pairs, joint = joint_weights(mrf, part, what_matters(mrf) if weight is None else weight)
    return matching(pairs, joint, np.array([len(group) for group in part.groups]), max_size)


def matching(
    pairs: IntArray, weight: FloatArray, sizes: IntArray, max_size: int, most: int | None = None
) -> list[tuple[int, int]]:
    """The heaviest pairs of groups, one after another, so that each group is in one at most.

    Parameters
    ----------
    pairs : ndarray of int64, shape (E, 2)
    weight : ndarray, shape (E,)
    sizes : ndarray of int64, shape (G,)
        Of the groups.
    max_size : int
        The largest sum of two sizes.
    most : int, optional
        The largest number of pairs.
    """
    fitting = np.flatnonzero(sizes[pairs].sum(axis=1) <= max_size)
    found, taken = list[tuple[int, int]](), set[int]()
    for p, q in pairs[fitting[np.argsort(-weight[fitting], kind="stable")]].tolist():
        if len(found) == most:
            break
        if not taken & {p, q}:
            found.append((p, q))
            taken |= {p, q}
    return found
