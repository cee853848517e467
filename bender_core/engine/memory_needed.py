"""The initial memory of a run: charged to an account, or refused with the largest M that would fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bender_core.account import Account, Charges
from bender_core.engine import memory
from bender_core.engine.coupled import Coupled, coupled, plan
from bender_core.engine.settings import Settings
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.strategies import partition, soon
from bender_core.units import counted, storage
from bender_core.variants import DEEPEST, Variant, variant

# Initial capacity for events.
FIRST_EVENTS = 1024


class TooLargeError(ValueError):
    """A choice needs more memory than available; the message says how much, for which purpose, and what would fit.

    Attributes
    ----------
    needed, limit : int
        Bytes.
    fits : int or None
        The largest M that would fit with the same strategy.
    """

    def __init__(self, message: str, needed: int = 0, limit: int = 0, fits: int | None = None) -> None:
        super().__init__(message)
        self.needed, self.limit, self.fits = needed, limit, fits


Bytes = Callable[[memory.Dimensions], int]


def required_bytes(mrf: BinaryMRF, part: Partition, which: int | Variant = 9, more: Bytes | None = None) -> int:
    """The memory without which a run cannot begin: tables, messages, scratch and the first rows.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
    which : int or Variant
    more : callable, optional
        Bytes that are added: `memory.looking_bytes`, `memory.certifying_bytes` or `memory.alive_bytes`.

    Returns
    -------
    int
        Bytes.
    """
    dims = dimensions(mrf, coupled(mrf, part))
    return sum(first_bytes(dims, variant(which)).values()) + (more(dims) if more else 0)


def dimensions(mrf: BinaryMRF, graph: Coupled) -> memory.Dimensions:
    """The quantities that determine the sizes of a run's arrays, without a hyper-graph."""
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
    """The bytes that a run needs at its start, by purpose."""
    exact = which.exact and not which.enumerated
    return {
        "energies and couplings": memory.problem_bytes(dims),
        "messages": memory.state_bytes(dims),
        "scratch": memory.workspace_bytes(dims, dims.degree, exact, 1 if which.exact else deepest),
        "rows": memory.first_rows(dims, len(which.alphas), which.exact) * memory.row_bytes(dims),
        "events": FIRST_EVENTS * memory.event_bytes(),
    }


def charge_run(mrf: BinaryMRF, part: Partition, settings: Settings, account: Account) -> Charges:
    """Charge the memory that a run needs at its start.

    Raises
    ------
    TooLargeError
        If it does not fit; then nothing is charged.
    """
    dims, which = dimensions(mrf, coupled(mrf, part)), variant(settings.variant)
    needs = first_bytes(dims, which, settings.deepest)
    if settings.excluding:
        needs["excluded states"] = memory.alive_bytes(dims)
    name = f"{mrf.name}, M = {part.largest}, variant {which.number}, {settings.schedule}"
    # If possible, memory for inspecting the run, or at least for its certificate, is reserved before rows can fill the
    # rest.
    for kept in (memory.looking_bytes(dims), memory.certifying_bytes(dims), 0):
        charges = account.open(name, needs | {memory.LOOKING: kept})
        if charges is not None:
            return charges
    raise _too_large(mrf, part, which, needs, account)


def _too_large(
    mrf: BinaryMRF, part: Partition, which: Variant, needs: dict[str, int], account: Account
) -> TooLargeError:
    needed, room = sum(needs.values()), account.free
    fits = largest_fit(mrf, part, which, room, more=memory.alive_bytes if "excluded states" in needs else None)
    advice = f"M = {fits} would fit" if fits else "no smaller groups would fit: raise the limit"
    largest = sorted(needs, key=lambda what: -needs[what])[:2]
    parts = " and ".join(f"{storage(needs[what])} for {what}" for what in largest)
    limit = f"the limit of {storage(account.limit)}"
    if needed <= account.limit:
        limit = f"the {storage(room)} that other runs leave of {limit}"
    return TooLargeError(
        f"groups of up to {counted(part.largest, 'variable')} need {storage(needed)} (including {parts}), more than "
        f"{limit}; {advice}",
        needed,
        room,
        fits,
    )


def largest_fit(
    mrf: BinaryMRF,
    part: Partition,
    which: int | Variant,
    room: int,
    make: Callable[[BinaryMRF, int, str | None], Partition] = partition,
    more: Bytes | None = None,
) -> int | None:
    """The largest M, partitioned by the strategy of ``part``, whose run can begin with ``room`` bytes.

    Parameters
    ----------
    mrf : BinaryMRF
    part : Partition
        The partition that does not fit; for one made by runs or by hand the model's default strategy is used.
    which : int or Variant
    room : int
        Bytes.
    make : callable
        Like `partition`, the default.
    more : callable, optional
        As for `required_bytes`.
    """
    strategy = soon(part.strategy)
    for max_size in range(part.largest - 1, 0, -1):
        # A lower bound: the energies, total and one message of a full group. If no group is full, the partition equals
        # that of a smaller M.
        if 3 * memory.WORD << max_size > room:
            continue
        if required_bytes(mrf, make(mrf, max_size, strategy), which, more) <= room:
            return max_size
    return None
