"""Groups of what is left: those of the run before, without what is decided, united as far as their size allows."""

from __future__ import annotations

import numpy as np

from bender_core.forms.reduction import GONE, Reduction
from bender_core.groups import Partition, joint_weights
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
    """The groups of what is left, united in pairs, the most strongly coupled first, until no union is small enough.

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
    found, weight = what_is_left(part, reduced), what_matters(reduced.reduced)
    while True:
        united = _united(reduced, found, weight, max_size)
        if len(united) == len(found):
            return found
        found = united


def _united(reduced: Reduction, part: Partition, weight: np.ndarray, max_size: int) -> Partition:
    """One round of unions, in which every group takes part once at most."""
    pairs, joint = joint_weights(reduced.reduced, part, weight)
    partner = np.full(len(part), -1)
    for p, q in pairs[np.argsort(-joint, kind="stable")].tolist():
        fits = len(part.groups[p]) + len(part.groups[q]) <= max_size
        if fits and partner[p] < 0 and partner[q] < 0:
            partner[p], partner[q] = q, p
    kept = [p for p, q in enumerate(partner.tolist()) if q < 0 or p < q]
    groups = [np.concatenate([part.groups[g] for g in (p, partner[p]) if g >= 0]) for p in kept]
    return Partition(tuple(groups), tuple(part.labels[p] for p in kept), part.strategy, seed=part.seed)
