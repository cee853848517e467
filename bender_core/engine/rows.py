"""Requests for Benders rows, and sums of the terms of rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from bender_core.kernels.layout import RowKind
from bender_core.model import FloatArray

CUT_KINDS = {0.0: RowKind.MWC_0, 0.5: RowKind.MWC_HALF, 1.0: RowKind.MWC_1}


def cut_kind(alpha: float) -> RowKind:
    """The kind of a Magnanti-Wong row of a given alpha.

    Raises
    ------
    ValueError
        If no rows are made with that alpha.
    """
    if alpha not in CUT_KINDS:
        raise ValueError(f"alpha is {alpha}; Magnanti-Wong rows are made with {', '.join(map(str, CUT_KINDS))}")
    return CUT_KINDS[alpha]


class RowAt(NamedTuple):
    """A row that could be made, for a message at a state of its receiver, as by `what_if`.

    Attributes
    ----------
    receiver, sender : int
        Groups.
    state : int
        A state of the receiver; bit k is the value of member k.
    kind : RowKind
    """

    receiver: int
    sender: int
    state: int
    kind: RowKind


def rows_at(given: Iterable[RowAt]) -> tuple[RowAt, ...]:
    """A checked list of requested rows.

    Raises
    ------
    ValueError
        If something else is given.
    """
    rows = tuple(given) if isinstance(given, Iterable) else (given,)
    for row in rows:
        if not isinstance(row, RowAt) or row.kind not in list(RowKind):
            kinds = ", ".join(kind.name for kind in RowKind)
            raise ValueError(f"{row!r} is no row; give RowAt(receiver, sender, state, kind) with one of {kinds}")
    return rows


def over_states(terms: FloatArray) -> FloatArray:
    """Sums of one term per member, over the states of their group; shapes (..., members, 2) and (..., 2^members)."""
    total = np.zeros((*terms.shape[:-2], 1))
    for k in range(terms.shape[-2]):
        total = (terms[..., k, :, None] + total[..., None, :]).reshape(*terms.shape[:-2], -1)
    return total
