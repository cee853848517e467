"""What a choice of M and variant will cost, before anything is allocated."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bender_core.hypergraph import form_length
from bender_core.kernels.affine import affine_max4
from bender_core.kernels.exact import PRUNED, PRUNING, WIDEST
from bender_core.kernels.layout import LOW_BITS
from bender_core.kernels.prune import LISTED, list_width
from bender_core.model import BinaryMRF, FloatArray
from bender_core.partition import Partition, coupled_groups, partition
from bender_core.variants import Variant, variant

# What a run typically needs, in rows a member of the smaller group: kept by an edge in the end, and added or
# recycled in one visit, where each costs about five passes over a table (intercept, envelope, oracles).
ROWS_KEPT, ROWS_A_VISIT, PASSES_A_ROW = 10, 2, 5
# Magnanti-Wong rows kept for every alpha of the variant, and the passes that one takes to make.
CUTS_KEPT, PASSES_A_CUT = 4, 8
# The fixed work beside the passes, in table entries: of a message, of a pass, of a state enumerated.
MESSAGE, PASS, STATE = 6000, 400, 1600
# Copies of the dual tables kept for going back, at the least.
SNAPSHOTS = 2
FLOAT = 8


class TooLargeError(ValueError):
    """A choice needs more memory than the limit; the message says how much, and what would fit."""


@dataclass(frozen=True)
class Estimate:
    """The predicted cost of a run.

    Attributes
    ----------
    bytes : int
        Memory of all tables, including two snapshots and a typical number of rows.
    seconds_per_sweep : float
        On this machine, with a typical number of rows an edge.
    states : int
        States of the largest hyper-variable.
    """

    bytes: int
    seconds_per_sweep: float
    states: int


def memory_limit() -> int:
    """The bytes a run may take: BENDER_MEMORY_MB from the environment, or 1 GB."""
    return int(os.environ.get("BENDER_MEMORY_MB", "1024")) << 20


def _states(part: Partition) -> FloatArray:
    """States of every group, as floats: 2^30 of them overflow nothing."""
    return 2.0 ** np.array([len(group) for group in part.groups], np.float64)


def required_bytes(mrf: BinaryMRF, part: Partition, which: int | Variant = 9) -> int:
    """The memory that a run needs, in bytes (tables, snapshots, rows; not the interpreter)."""
    states, pairs = _states(part), coupled_groups(mrf, part)
    degree = np.bincount(pairs.reshape(-1), minlength=len(states))
    dual = states[pairs].sum()
    workspace = (degree.max(initial=0) + 3) * states.max(initial=1)
    high = 2.0 ** max(part.max_size - LOW_BITS, 0)
    row = 2 * (2.0 ** min(part.max_size, LOW_BITS) + high)
    bits = np.array([len(group) for group in part.groups], np.int64)[pairs]
    forms = (form_length(bits) * (bits[:, ::-1] + 1)).sum()
    method = variant(which)
    rows = 0 if method.exact else (ROWS_KEPT + CUTS_KEPT * len(method.alphas)) * part.max_size * len(pairs) * row
    if method.exact and not method.enumerated:
        listed = min(LISTED, states.max(initial=1) * list_width(part.max_size))
        workspace += listed + (part.max_size + 1) * row / 2 + (1 + 2 * WIDEST) * states.max(initial=1)
    return int(FLOAT * (states.sum() + (1 + SNAPSHOTS) * dual + workspace + forms + rows))


def estimate(mrf: BinaryMRF, part: Partition, which: int | Variant = 9) -> Estimate:
    """Predict memory and time of a run.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    which : int or Variant
    """
    states, pairs = _states(part), coupled_groups(mrf, part)
    ends = states[pairs]
    method = variant(which)
    if method.enumerated:
        a_message = ends.sum(axis=1) / 2 * STATE + ends.prod(axis=1)
    elif method.exact:
        a_message = PRUNING + PRUNED * (1 + np.log2(ends).max(axis=1)) * ends.mean(axis=1)
        a_message = np.minimum(a_message, ends.sum(axis=1) / 2 * STATE + ends.prod(axis=1))
    else:
        passes = PASSES_A_ROW * ROWS_A_VISIT * np.log2(ends).min(axis=1) + PASSES_A_CUT * len(method.alphas)
        a_message = passes * (PASS + ends.mean(axis=1))
    entries = 2 * (MESSAGE + a_message).sum()
    return Estimate(
        bytes=required_bytes(mrf, part, which),
        seconds_per_sweep=float(entries * _seconds_per_entry()),
        states=int(states.max(initial=1)),
    )


def require_fit(mrf: BinaryMRF, part: Partition, which: int | Variant, limit: int) -> None:
    """Refuse a choice that needs more than ``limit`` bytes.

    Raises
    ------
    TooLargeError
        With the largest M of the same strategy that fits.
    """
    needed = required_bytes(mrf, part, which)
    if needed <= limit:
        return
    fits = largest_fit(mrf, part, which, limit)
    advice = f"M = {fits} would fit" if fits else "cut it into smaller groups"
    raise TooLargeError(
        f"groups of up to {part.max_size} variables need {needed / 2**30:.3g} GB, "
        f"more than the limit of {limit / 2**30:.3g} GB; {advice}"
    )


def largest_fit(mrf: BinaryMRF, part: Partition, which: int | Variant, limit: int) -> int | None:
    """The largest M, cut by the strategy of ``part``, whose run fits into ``limit`` bytes."""
    strategy = part.strategy if part.strategy != "manual" else None
    for max_size in range(part.max_size - 1, 0, -1):
        if required_bytes(mrf, partition(mrf, max_size, strategy), which) <= limit:
            return max_size
    return None


@lru_cache(maxsize=1)
def _seconds_per_entry() -> float:
    """How long one entry of one pass takes on this machine: the best of a few short passes."""
    bits = 12
    lam, fold = np.zeros(1 << bits), np.empty((4, 1 << LOW_BITS))
    stride = (1 << LOW_BITS) + (1 << (bits - LOW_BITS))
    table = np.zeros(4 * stride)
    best = np.inf
    for _ in range(8):
        begin = time.perf_counter()
        affine_max4(lam, 0, bits, table, 0, stride, 2 * stride, 3 * stride, 1 << LOW_BITS, fold)
        best = min(best, time.perf_counter() - begin)
    return best / (4 << bits)
