"""The arrays of a run, allocated and charged to an account before the first event."""

from __future__ import annotations

import math
import operator
import weakref
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bender_core.account import Account
from bender_core.engine import memory
from bender_core.engine.carrying import carry, decode_to
from bender_core.engine.gap import Margin, margin
from bender_core.engine.memory_needed import FIRST_EVENTS, Bytes, TooLargeError, charge_run, largest_fit
from bender_core.engine.rows import cut_kind
from bender_core.engine.settings import Settings
from bender_core.engine.snapshots import Snapshots
from bender_core.forms.lattice import lattice, lattice_left
from bender_core.forms.reduction import Left, Reduction, composed, unreduced
from bender_core.forms.scale import negligible_gain
from bender_core.groups import Partition
from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import STEP, Goal, Phase, Rule, Run, Workspace
from bender_core.kernels.rows.pool import add_first_rows
from bender_core.labelings.comparing import costs_less
from bender_core.model import BinaryMRF, require_model
from bender_core.stopping import Stop
from bender_core.units import storage
from bender_core.variants import Variant
from bender_core.variants import variant as variant_of


class Start(NamedTuple):
    """The start of a run.

    Attributes
    ----------
    run : Arrays or None
        Of a run of the same model to continue from, with any settings. Its best labelling is taken over. So are its
        messages if each of its groups lies within one group of the new run, which then begins at the old bound or
        above. If edges are united, `looking.certified_bound` may be even higher until they are updated.
    reduction : Reduction or None
        From the model of that run to the model of this one. The messages are taken over if the rest of each group lies
        within one group, and adapted to the normal form of this model. The rows are not taken over
        (docs/method.md §15.3).
    labeling : array_like of {0, 1}, shape (n,), or None
        The best labelling known; used if it costs less than that of the run.
    left : Left or None
        In a proof, what the model is of the whole one, if there is no run to continue.
    """

    run: Arrays | None = None
    reduction: Reduction | None = None
    labeling: ArrayLike | None = None
    left: Left | None = None

    def require(self, mrf: BinaryMRF) -> None:
        """Refuse a start that belongs to another model.

        Parameters
        ----------
        mrf : BinaryMRF
            The model of the new run.

        Raises
        ------
        ValueError
            If the run is one of another model.
        ModelError
            If the labelling is not one of the model.
        """
        if self.run is not None and not self._fits(self.run.mrf, mrf):
            raise ValueError(f"start is a run of {self.run.mrf!r}, another model; continue a run of this one")
        if self.labeling is not None:
            mrf.violations(self.labeling)  # refuses what is not a labelling

    def _fits(self, old: BinaryMRF, new: BinaryMRF) -> bool:
        if self.reduction is not None:
            return self.reduction.model is old and self.reduction.reduced is new
        return old is new or old.content_hash() == new.content_hash()

    def whole(self, mrf: BinaryMRF) -> Reduction:
        """The reduction of the first run's model to the model of this run.

        Parameters
        ----------
        mrf : BinaryMRF
            The model of the new run.

        Returns
        -------
        Reduction
        """
        if self.run is None:
            return unreduced(mrf) if self.left is None else self.left.whole
        return self.run.whole if self.reduction is None else composed(self.run.whole, self.reduction)


class Proven(NamedTuple):
    """What has been proven about a model before a run.

    Attributes
    ----------
    lower_bound : float
        Energy; minus infinity if nothing has been proven.
    is_optimal : bool
        Whether no labelling is better, by more than is negligible, than the one that the run begins with.
    """

    lower_bound: float
    is_optimal: bool

    def joined(self, other: Proven) -> Proven:
        """What both prove.

        Parameters
        ----------
        other : Proven

        Returns
        -------
        Proven
        """
        return Proven(max(self.lower_bound, other.lower_bound), self.is_optimal or other.is_optimal)


class Arrays:
    """All state of a run of message passing.

    Parameters
    ----------
    mrf, partition, settings, start, stop
        As for `Engine`.
    account : Account
        Charged with all memory before it is allocated.

    Attributes
    ----------
    graph : HyperGraph
    whole : Reduction
    margin : Margin
        As of `Engine`.
    problem, rule, state, work, goal
        As the kernels take them (`kernels.layout`).
    rows, events : memory.GrowingArrays
        Arrays that grow.
    charges : Charges
        The charges of the run.
    past : Snapshots
    proven : Proven
        What cycles have proven about the model before, as a `Change` notes it. Forks have it too.
    """

    def __init__(
        self, mrf: BinaryMRF, partition: Partition, settings: Settings, account: Account, start: Start, stop: Stop
    ) -> None:
        require_model(mrf)
        start.require(mrf)
        self.mrf, self.partition, self.settings, self.account = mrf, partition, settings, account
        self.proven = Proven(-math.inf, False)
        self._looking_bytes: dict[Bytes, int] = {}
        self._nearest: dict[Bytes, int | None] = {}
        self.charges = charge_run(mrf, partition, settings, account)
        weakref.finalize(self, self.charges.close)
        try:
            self._build(start, stop)
        except BaseException:
            self.charges.close()
            raise

    @property
    def variant(self) -> Variant:
        """The variant of the run."""
        return variant_of(self.settings.variant)

    def _build(self, start: Start, stop: Stop) -> None:
        """Allocate the arrays of the start."""
        self.graph = HyperGraph(self.mrf, self.partition, stop)
        self.whole = start.whole(self.mrf)
        self.margin = self._margin(start)
        self.problem, self.rule = self.graph.problem, self._rule()
        dims = self.dims = memory.dimensions(self.graph)
        self.work = memory.workspace(dims, dims.degree, self.rule.exact and not self.rule.enumerated, self.rule.deepest)
        self.events = memory.GrowingArrays(memory.events, "events", memory.event_bytes(), FIRST_EVENTS, self.charges)
        first_rows = memory.first_rows(dims, len(self.rule.cuts), self.rule.exact)
        self.rows = memory.GrowingArrays(
            lambda capacity: memory.pool(dims, capacity), "rows", memory.row_bytes(dims), first_rows, self.charges
        )
        self.state = memory.start(self.problem, self.rule.excluding, stop)
        self.goal = Goal.zeros()
        self._gathered: Run | None = None
        if start.run is not None:
            if self.settings.snapshot_bytes:
                self._charge("start", memory.nbytes(self.state), "of its initial messages")
            carry(start.run.graph, start.run.state, self.graph, self.state, start.reduction, stop)
        self._decode_to(start)
        if not self.rule.exact:
            self._add_first_rows(stop)
        self.past = Snapshots(self.state, self.settings.snapshot_bytes, self.charges, carried=start.run is not None)

    def _margin(self, start: Start) -> Margin:
        """The margin of the first run or of the proof, so that all agree on which labellings count as better."""
        if start.run is None and start.left is None:
            points = lattice(self.mrf)
            return margin(self.graph.normal_form.rounding, points, negligible_gain(self.mrf, points))
        before = start.left if start.run is None else start.run.margin
        assert before is not None
        negligible = before.negligible
        points = lattice_left(self.whole, negligible)
        return margin(self.graph.normal_form.rounding, points, negligible)

    def _rule(self) -> Rule:
        settings, variant = self.settings, self.variant
        alternating = settings.schedule == "srmp"
        order = self.graph.sweep_order() if alternating else np.arange(self.graph.n_groups)
        return Rule(
            order=np.concatenate([order, order[::-1]]) if alternating else order,
            rank=np.argsort(order),
            alternating=alternating,
            forest=self.graph.cycles() == 0,
            exact=variant.exact,
            enumerated=variant.enumerated,
            everywhere=variant.everywhere,
            cuts=np.array([cut_kind(alpha) for alpha in variant.alphas], np.int64),
            deepest=1 if variant.exact else settings.deepest,
            improving=settings.improving,
            tolerance=settings.tolerance,
            max_sweeps=settings.max_sweeps,
            constant=self.graph.normal_form.constant,
            excluding=settings.excluding,
            margin=self.margin.limit,
        )

    def _decode_to(self, start: Start) -> None:
        """Decode to the given labelling, if there is no run to continue or it is better than that of the run."""
        if start.labeling is None:
            return
        given = np.asarray(start.labeling, np.int64)
        if start.run is None or costs_less(self.mrf, given, self.graph.labeling(self.state.best)):
            decode_to(self.graph, self.state, given)

    def _add_first_rows(self, stop: Stop) -> None:
        """Add the initial row of every message, in slices. Source: docs/method.md §3.8."""
        arcs, some = 2 * len(self.problem.edge_node), max(STEP // (2 * self.dims.stride), 1)
        for begin in range(0, arcs, some):
            stop.check()
            end = min(begin + some, arcs)
            add_first_rows(self.problem, self.rows.view, self.state, begin, end, self.work)

    def _charge(self, item: str, needed: int, what: str) -> None:
        """Charge memory that only some runs need at the start."""
        if not self.charges.charge(item, needed):
            sentence = f"the run leaves no room for the {storage(needed)} {what}; raise the limit"
            raise TooLargeError(sentence, needed, self.account.free)

    @property
    def run(self) -> Run:
        """All arrays, as arguments of the compiled loop; growing ones at their present size."""
        run = Run(self.problem, self.rule, self.rows.view, self.state, self.work, self.events.view, self.goal)
        # A kernel is called faster with the same tuple as before.
        if self._gathered is None or any(map(operator.is_not, run, self._gathered)):
            self._gathered = run
        return self._gathered

    @property
    def between_updates(self) -> bool:
        """Whether no group is being updated."""
        cursor = self.state.cursor
        return int(cursor.phase) == Phase.OPEN and int(cursor.slot) == 0 and int(cursor.begun) == 0

    @property
    def message_size(self) -> float:
        """The sum over all messages of the largest absolute value in each."""
        lam, first = self.state.lam, self.problem.lam_first
        if not len(lam):
            return 0.0
        # Without a table of absolute values, which would take as much memory as the messages.
        return float(np.maximum(np.maximum.reduceat(lam, first), -np.minimum.reduceat(lam, first)).sum())

    @property
    def bound_excess(self) -> float:
        """The lower bound less the upper bound, energy; computed without the model's constant, for accuracy."""
        return float(self.state.bounds.lower - self.state.bounds.upper)

    # -- memory for looking -------------------------------------------------------------------------------

    @cached_property
    def probe(self) -> Workspace:
        """Scratch for looking, separate so that an open update is not disturbed.

        Raises
        ------
        TooLargeError
            If it does not fit into memory with the run.
        """
        self.charge_looking(memory.certifying_bytes, "computing the certificate of the bound")
        return memory.looking(self.dims)

    def charge_looking(self, looking: Bytes, doing: str) -> None:
        """Charge the memory for looking at the run, unless already charged; snapshots make room.

        Parameters
        ----------
        looking : callable
            `memory.looking_bytes` or `memory.certifying_bytes`.
        doing : str
            The purpose, in words.

        Raises
        ------
        TooLargeError
            If it does not fit into memory with the run.
        """
        if looking not in self._looking_bytes:
            self._looking_bytes[looking] = looking(self.dims)
        needed = self._looking_bytes[looking]
        while (more := needed - self.charges.items.get(memory.LOOKING, 0)) > 0:
            if self.charges.charge(memory.LOOKING, more):
                return
            if not self.past.thin_out():
                raise self._no_looking(looking, needed, doing)

    def _alive_bytes(self, dims: memory.Dimensions) -> int:
        return memory.alive_bytes(dims) if self.settings.excluding else 0

    def _no_looking(self, looking: Bytes, needed: int, doing: str) -> TooLargeError:
        if looking not in self._nearest:
            # Cached: it makes many partitions, and is called at every step.
            room = self.account.free + self.charges.used
            self._nearest[looking] = largest_fit(
                self.mrf, self.partition, self.variant, room, more=lambda dims: looking(dims) + self._alive_bytes(dims)
            )
        fits = self._nearest[looking]
        advice = f"M = {fits} would leave room" if fits else "raise the limit"
        limit = storage(self.account.limit)
        sentence = f"{doing} takes {storage(needed)}, more than the run leaves of the limit of {limit}; {advice}"
        return TooLargeError(sentence, needed, self.account.free, fits)
