"""What fits: the memory that a run begins with, charged to an account or refused with the nearest M that would."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bender_core import memory
from bender_core.account import Account, Line
from bender_core.costs.work import Coupled, coupled, plan
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.strategies import partition
from bender_core.units import storage
from bender_core.variants import DEEPEST, Variant, variant

# Events that there is room for from the start.
FIRST_EVENTS = 1024


class TooLargeError(ValueError):
    """A choice needs more memory than there is; the message says how much, for what, and what would fit.

    Attributes
    ----------
    needed, limit : int
        Bytes.
    fits : int or None
        The largest M, cut in the same way, that would fit.
    """

    def __init__(self, message: str, needed: int = 0, limit: int = 0, fits: int | None = None) -> None:
        super().__init__(message)
        self.needed, self.limit, self.fits = needed, limit, fits


Looking = Callable[[memory.Dimensions], int]


def required_bytes(mrf: BinaryMRF, part: Partition, which: int | Variant = 9, looking: Looking | None = None) -> int:
    """The memory without which a run cannot begin: tables, messages, scratch and the first rows.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    which : int or Variant
    looking : callable, optional
        `memory.looking_bytes` or `memory.certifying_bytes`: count what that takes, too.

    Returns
    -------
    int
        Bytes.
    """
    dims = dimensions(mrf, coupled(mrf, part))
    return sum(first_bytes(dims, variant(which)).values()) + (looking(dims) if looking else 0)


def dimensions(mrf: BinaryMRF, graph: Coupled) -> memory.Dimensions:
    """What the sizes of a run's arrays depend on, before there is a hyper-graph."""
    method, largest = plan(graph)
    return memory.Dimensions(
        mrf.n,
        mrf.n_edges,
        size=np.log2(graph.states).astype(np.int64),
        edge_node=graph.ends,
        bits=graph.bits.reshape(-1),
        couplings=len(graph.coupling_bit),
        method=method.reshape(-1),
        largest=largest.reshape(-1),
    )


def first_bytes(dims: memory.Dimensions, which: Variant, deepest: int = DEEPEST) -> dict[str, int]:
    """What a run takes from its beginning on, in bytes, by what it is for."""
    exact = which.exact and not which.enumerated
    return {
        "energies and couplings": memory.problem_bytes(dims),
        "messages": memory.state_bytes(dims),
        "scratch": memory.workspace_bytes(dims, dims.degree, exact, 1 if which.exact else deepest),
        "rows": memory.first_rows(dims, len(which.alphas), which.exact) * memory.row_bytes(dims),
        "events": FIRST_EVENTS * memory.event_bytes(),
    }


def charge_run(
    mrf: BinaryMRF, part: Partition, which: Variant, schedule: str, account: Account, deepest: int = DEEPEST
) -> Line:
    """Charge what a run takes from its beginning on.

    Raises
    ------
    TooLargeError
        If it does not fit; then nothing is charged.
    """
    dims = dimensions(mrf, coupled(mrf, part))
    needs = first_bytes(dims, which, deepest)
    name = f"{mrf.name}, M = {part.max_size}, variant {which.number}, {schedule}"
    # Where possible room is kept for looking at the run, or at least for its certificate, also when its rows have taken
    # all the rest.
    for kept in (memory.looking_bytes(dims), memory.certifying_bytes(dims), 0):
        line = account.open(name, needs | {memory.LOOKING: kept})
        if line is not None:
            return line
    raise _too_large(mrf, part, which, needs, account)


def _too_large(
    mrf: BinaryMRF, part: Partition, which: Variant, needs: dict[str, int], account: Account
) -> TooLargeError:
    needed, room = sum(needs.values()), account.free
    fits = largest_fit(mrf, part, which, room)
    advice = f"M = {fits} would fit" if fits else "no smaller groups would fit: raise the limit"
    largest = sorted(needs, key=lambda what: -needs[what])[:2]
    parts = " and ".join(f"{storage(needs[what])} for {what}" for what in largest)
    limit = f"the limit of {storage(account.limit)}"
    if needed <= account.limit:
        limit = f"the {storage(room)} that other runs leave of {limit}"
    variables = "1 variable" if part.max_size == 1 else f"{part.max_size} variables"
    return TooLargeError(
        f"groups of up to {variables} need {storage(needed)} ({parts} among it), more than {limit}; {advice}",
        needed,
        room,
        fits,
    )


def largest_fit(
    mrf: BinaryMRF,
    part: Partition,
    which: int | Variant,
    room: int,
    cut: Callable[[BinaryMRF, int, str | None], Partition] = partition,
    looking: Looking | None = None,
) -> int | None:
    """The largest M, cut by the strategy of ``part``, whose run can begin with ``room`` bytes.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
        What does not fit; one made by hand is replaced by the model's default strategy.
    which : int or Variant
    room : int
        Bytes.
    cut : callable
        As `partition`, which it is by default.
    looking : callable, optional
        As for `required_bytes`.
    """
    strategy = part.strategy if part.strategy != "manual" else None
    for max_size in range(part.max_size - 1, 0, -1):
        # A full group alone takes so much: its energies, their total and a message. Where no group is full, the cut
        # is that of a smaller M.
        if 3 * memory.WORD << max_size > room:
            continue
        if required_bytes(mrf, cut(mrf, max_size, strategy), which, looking) <= room:
            return max_size
    return None
