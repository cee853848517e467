"""The arrays of a run, allocated and charged to an account before the first event."""

from __future__ import annotations

import operator
import weakref
from contextlib import AbstractContextManager
from functools import cached_property
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from bender_core import memory
from bender_core.account import Account
from bender_core.costs.fit import FIRST_EVENTS, Looking, TooLargeError, charge_run, largest_fit
from bender_core.forms.lattice import lattice, lattice_left
from bender_core.forms.reduction import Reduction, composed, unreduced
from bender_core.forms.scale import negligible_gain
from bender_core.groups import LARGEST_GROUP, Partition
from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import STEP, Goal, Rule, Run, Workspace
from bender_core.kernels.rows.pool import add_first_rows
from bender_core.labelings.comparing import costs_less
from bender_core.model import BinaryMRF, require_model
from bender_core.run.bounds import margin
from bender_core.run.carrying import carry, decode_to
from bender_core.run.rows import cut_kind
from bender_core.run.snapshots import Snapshots
from bender_core.stopping import Stop, never
from bender_core.units import storage
from bender_core.variants import DEEPEST, SCHEDULES, Variant
from bender_core.variants import variant as variant_of

# More sweeps, events or entries than any run can have.
ENDLESS = np.iinfo(np.int64).max
# The number of states of the largest possible group.
MOST_STATES = 1 << LARGEST_GROUP
_DEFAULT_SNAPSHOT_BYTES = 256 << 20


class Arrays:
    """All state of a run of message passing; its parameters are those of `Engine`."""

    def __init__(
        self,
        mrf: BinaryMRF,
        partition: Partition,
        variant: int | Variant = 9,
        schedule: str = "mplp",
        tolerance: float = 1e-9,
        max_sweeps: int = 400,
        deepest: int = DEEPEST,
        improving: bool = True,
        snapshot_bytes: int = _DEFAULT_SNAPSHOT_BYTES,
        limit: int | Account | None = None,
        stop: Stop = never,
        start: Arrays | None = None,
        reduction: Reduction | None = None,
        excluding: bool = False,
        labeling: ArrayLike | None = None,
    ) -> None:
        require_model(mrf)
        self.variant = variant_of(variant)
        if schedule not in SCHEDULES:
            raise ValueError(f"there is no schedule {schedule!r}; choose one of {', '.join(SCHEDULES)}")
        if not 0 <= tolerance <= 1:
            raise ValueError(f"the tolerance is {tolerance}; it must be a number from 0 to 1")
        if not 1 <= operator.index(max_sweeps) <= ENDLESS:
            raise ValueError(f"max_sweeps is {max_sweeps}; allow 1 to {ENDLESS} sweeps")
        if not 1 <= operator.index(deepest) <= MOST_STATES:
            raise ValueError(f"deepest is {deepest}; an envelope can be tight at 1 to {MOST_STATES} states")
        if start is not None and not _goes_on(start.mrf, mrf, reduction):
            raise ValueError(f"start is a run of {start.mrf!r}, another model; continue a run of this one")
        if labeling is not None:
            mrf.violations(labeling)  # refuses what is not a labelling
        self.mrf: BinaryMRF = mrf
        self.partition = partition
        self.schedule = schedule
        self.tolerance = tolerance
        self.max_sweeps = operator.index(max_sweeps)
        self.deepest = operator.index(deepest)
        self.improving = improving
        self.excluding = excluding
        self.snapshot_bytes = snapshot_bytes
        self.account = limit if isinstance(limit, Account) else Account(limit)
        self._line = charge_run(mrf, partition, self.variant, schedule, self.account, self.deepest)
        weakref.finalize(self, self._line.close)
        try:
            self._build(stop, start, reduction, labeling)
        except BaseException:
            self._line.close()
            raise

    def __reduce__(self) -> NoReturn:
        raise TypeError("a run is not copied or pickled; keep its model, groups and settings, and seek its position")

    def _build(self, stop: Stop, start: Arrays | None, reduction: Reduction | None, labeling: ArrayLike | None) -> None:
        """Allocate everything that the run starts with."""
        self.graph = HyperGraph(self.mrf, self.partition, stop)
        self.whole = _whole(self.mrf, start, reduction)
        if start is None:
            self.lattice = lattice(self.mrf)
            self.negligible = negligible_gain(self.mrf, self.lattice)
        else:
            self.negligible = start.negligible
            self.lattice = lattice_left(self.whole, self.negligible)
        self.margin = margin(self.graph.normal_form, self.lattice, self.negligible)
        self._problem = self.graph.problem
        self._rule = self._make_rule()
        dims = self._dims = memory.dimensions(self.graph)
        self._work = memory.workspace(
            dims, dims.degree, self._rule.exact and not self._rule.enumerated, self._rule.deepest
        )
        self._events = memory.Store(memory.events, "events", memory.event_bytes(), FIRST_EVENTS, self._line)
        self._rows = memory.Store(
            lambda capacity: memory.pool(dims, capacity),
            "rows",
            memory.row_bytes(dims),
            memory.first_rows(dims, len(self._rule.cuts), self._rule.exact),
            self._line,
        )
        self._state = memory.start(self._problem, self._rule.excluding, stop)
        self._charge_alive()
        if start is not None:
            if self.snapshot_bytes:
                self._charge_start()
            carry(start.graph, start._state, self.graph, self._state, reduction, stop)
        if labeling is not None:
            given = np.asarray(labeling, np.int64)
            if start is None or costs_less(self.mrf, given, self.graph.labeling(self._state.best)):
                decode_to(self.graph, self._state, given)
        if not self._rule.exact:
            self._add_first_rows(stop)
        self._goal = Goal.zeros()
        self._gathered: Run | None = None
        self.entries_read = 0
        self._looking_bytes: dict[Looking, int] = {}
        self._nearest: dict[Looking, int | None] = {}
        self._frontier = 0
        self._memory_end: int | None = None
        self._since_snapshot = 0
        self._past = Snapshots(self._state, self.snapshot_bytes, self._line, carried=start is not None)

    def _make_rule(self) -> Rule:
        alternating = self.schedule == "srmp"
        order = self.graph.sweep_order() if alternating else np.arange(self.graph.n_groups)
        return Rule(
            order=np.concatenate([order, order[::-1]]) if alternating else order,
            rank=np.argsort(order),
            alternating=alternating,
            forest=self.graph.cycles() == 0,
            exact=self.variant.exact,
            enumerated=self.variant.enumerated,
            everywhere=self.variant.everywhere,
            cuts=np.array([cut_kind(alpha) for alpha in self.variant.alphas], np.int64),
            deepest=1 if self.variant.exact else self.deepest,
            improving=self.improving,
            tolerance=self.tolerance,
            max_sweeps=self.max_sweeps,
            constant=self.graph.normal_form.constant,
            excluding=self.excluding,
            margin=self.margin.limit,
        )

    def _charge_alive(self) -> None:
        """Charge which states are struck off, and have been at the start."""
        needed = 2 * self._state.alive.nbytes
        if not self._line.charge("states", needed):
            said = f"the run leaves no room for the {storage(needed)} of the states struck off; raise the limit"
            raise TooLargeError(said, needed, self.account.free)

    def _charge_start(self) -> None:
        """Charge the copy of the initial messages, to which the run can return."""
        needed = memory.nbytes(self._state)
        if not self._line.charge("start", needed):
            said = f"the run leaves no room for the {storage(needed)} of its initial messages; raise the limit"
            raise TooLargeError(said, needed, self.account.free)

    @property
    def _run(self) -> Run:
        """All arrays as the compiled loop takes them; growing ones at their present size."""
        run = Run(self._problem, self._rule, self._rows.view, self._state, self._work, self._events.view, self._goal)
        # A kernel takes the tuple that it has taken before at once.
        if self._gathered is None or any(map(operator.is_not, run, self._gathered)):
            self._gathered = run
        return self._gathered

    @cached_property
    def probe(self) -> Workspace:
        """Scratch for inspection, separate so as not to disturb an update.

        Raises
        ------
        TooLargeError
            If it does not fit into memory with the run.
        """
        self._charge_looking(memory.certifying_bytes, "computing the certificate of the bound")
        return memory.looking(self._dims)

    def _charge_looking(self, looking: Looking, doing: str) -> None:
        """Charge the memory for inspecting the run, unless already charged; snapshots make room."""
        if looking not in self._looking_bytes:
            self._looking_bytes[looking] = looking(self._dims)
        needed = self._looking_bytes[looking]
        while (more := needed - self._line.items.get(memory.LOOKING, 0)) > 0:
            if self._line.charge(memory.LOOKING, more):
                return
            if not self._past.thin_out():
                raise self._no_looking(looking, needed, doing)

    def _no_looking(self, looking: Looking, needed: int, doing: str) -> TooLargeError:
        if looking not in self._nearest:
            # Cached: it makes many partitions, and is called at every step.
            room = self.account.free + self.charged
            self._nearest[looking] = largest_fit(self.mrf, self.partition, self.variant, room, looking=looking)
        fits = self._nearest[looking]
        advice = f"M = {fits} would leave room" if fits else "raise the limit"
        limit = storage(self.account.limit)
        said = f"{doing} takes {storage(needed)}, more than the run leaves of the limit of {limit}; {advice}"
        return TooLargeError(said, needed, self.account.free, fits)

    @property
    def charged(self) -> int:
        """Bytes charged to the account."""
        return self._line.used

    def giving_way(self) -> AbstractContextManager[None]:
        """A context in which a run that replaces this one is begun, with the memory of this one.

        If that fails, this one is unchanged; otherwise it must not be used again.
        """
        return self._line.giving_way()

    def _add_first_rows(self, stop: Stop) -> None:
        """Add the initial row of every message, one step's worth at a time. Source: docs/method.md §3.8."""
        arcs, some = 2 * len(self._problem.edge_node), max(STEP // (2 * self._dims.stride), 1)
        for begin in range(0, arcs, some):
            stop.check()
            end = min(begin + some, arcs)
            add_first_rows(self._problem, self._rows.view, self._state, begin, end, self._work)


def _goes_on(old: BinaryMRF, new: BinaryMRF, reduction: Reduction | None) -> bool:
    """Whether a run of one model can continue as a run of the other."""
    if reduction is not None:
        return reduction.model is old and reduction.reduced is new
    return old is new or old.content_hash() == new.content_hash()


def _whole(mrf: BinaryMRF, start: Arrays | None, reduction: Reduction | None) -> Reduction:
    """From the model that the first run began with to that of this one."""
    if start is None:
        return unreduced(mrf)
    return start.whole if reduction is None else composed(start.whole, reduction)
