"""A proof that a labelling is optimal, or bounds: one descent that reduces, packs and partitions, without branching.

A round is a run of message passing on the reduced model. `policy` chooses the next one; this module spends the work,
keeps the results, and states the outcome. Everything is counted in work, so without a time limit nothing depends on the
clock. Source: docs/method.md §15.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from weakref import ref

from bender_core.account import Account
from bender_core.checking.certificate import (
    EXHAUSTED,
    OPTIMAL,
    OUT_OF_MEMORY,
    OUT_OF_TIME,
    STOPPED,
    Certificate,
    Round,
)
from bender_core.checking.left import minima
from bender_core.checking.proof import Proof
from bender_core.cycles.packing import Packing
from bender_core.engine.engine import Engine
from bender_core.engine.memory_needed import TooLargeError
from bender_core.forms.reduction import Facts, Reduction, reduction
from bender_core.groups import require_size
from bender_core.model import BinaryMRF, IntArray, require_model
from bender_core.stopping import Stop, Stopped, never
from bender_core.trying.change import Fork, change_by
from bender_core.trying.cycles import Cycles
from bender_core.trying.known import Known
from bender_core.trying.policy import BOTH, LARGEST, METHODS, Policy
from bender_core.trying.steps import Evidence, Steps, of_cycles, of_messages
from bender_core.trying.trials import Trial, course

# Seconds between two calls of ``on_progress``.
REPORT_SECONDS = 0.05

OnProgress = Callable[["Descent"], bool | None]
OnRound = Callable[[Fork, Engine], None]


class Descent:
    """A proof in progress.

    Parameters
    ----------
    mrf : BinaryMRF
    max_size, seed
        As for `certify`.
    stop : Stop
        Ends the proof, also at the time limit.
    first : Engine, optional
        The run of the first round, made by a `Change` that proves; by default one on small groups.
    on_round : callable, optional
        Called with the `Fork` and the run of every further round when it begins; earlier runs no longer change.
    account : Account, optional
        For the memory of its runs; by default that of the first run, or a new one.
    method : {"both", "groups", "cycles"}
        What the proof rests on: message passing between groups, frustrated cycles, or both.

    Attributes
    ----------
    rounds : list of Round
        The rounds that have ended.
    finished : bool
        Whether the proof has ended.
    status : str
        As in a `Certificate`; "stopped" until it has ended.
    account : Account
    known : Known
        Bounds, the best labelling, the reduced model, and the work so far, including trials and the search for
        labellings, but not that of cycles.
    cycles : Cycles
        The bound by cycles on what is left.
    round : Trial or None
        The run of this round; None before the first.
    left : Reduction or None
        From the model of that run to the model reduced by its facts; None before it has ended.
    """

    def __init__(
        self,
        mrf: BinaryMRF,
        max_size: int = LARGEST,
        seed: int = 0,
        stop: Stop = never,
        first: Engine | None = None,
        on_round: OnRound | None = None,
        account: Account | None = None,
        method: str = BOTH,
    ) -> None:
        require_model(mrf)
        require_size(max_size)
        if method not in METHODS:
            raise ValueError(f"there is no method {method!r}; choose one of {', '.join(METHODS)}")
        labeling = mrf.unary.argmin(axis=1) if first is None else first.labeling
        self.known = Known(mrf, labeling, seed, 0.0 if first is None else first.margin.negligible)
        self.rounds: list[Round] = []
        self.finished, self.status = False, STOPPED
        self.account = account or (Account() if first is None else first.account)
        self.round: Trial | None = None
        self.left: Reduction | None = None
        self._stop, self._on_round = stop, on_round
        self._begin = time.perf_counter()
        self._sweeps = 0  # of the rounds before this one
        self._steps = Steps(self.account)
        # The trial that ran last; it may have been given up, and then its memory is free.
        self._going_on: Callable[[], Trial | None] = lambda: None
        self.cycles = Cycles(self.known, seed, self.account)
        self._last_packing: Packing | None = None  # of the last round; None if that was a run
        self._course = course(Policy(self, max_size, seed, method, stop).descend(first), self._count)

    @property
    def mrf(self) -> BinaryMRF:
        """The whole model."""
        return self.known.mrf

    @property
    def lower_bound(self) -> float:
        """The lower bound of the whole model, energy."""
        return self.known.lower_bound

    @property
    def upper_bound(self) -> float:
        """The energy of the best labelling."""
        return self.known.upper_bound

    @property
    def labeling(self) -> IntArray:
        """The best labelling of the whole model, shape (n,)."""
        return self.known.labeling

    @property
    def engine(self) -> Engine | None:
        """The run of this round; None before the first."""
        return None if self.round is None else self.round.engine

    @property
    def sweep(self) -> int:
        """Completed sweeps, of all rounds."""
        return self._sweeps + (0 if self.engine is None else self.engine.sweep)

    @property
    def n_rows(self) -> int:
        """The number of rows of this round."""
        return 0 if self.engine is None else self.engine.n_rows

    @property
    def work(self) -> int:
        """Table entries read so far, trials, the search for labellings and cycles included."""
        return self.known.work + self.cycles.work

    def run(self, max_sweeps: int | None = None, on_progress: OnProgress | None = None) -> bool:
        """Continue until it is proven, stopped, or nothing is left to try, or until a limit of this call is reached.

        Parameters
        ----------
        max_sweeps : int, optional
            Pause when at least this number of sweeps are complete; those of a trial count once it becomes a round.
        on_progress : callable, optional
            Called about every 50 ms with the descent, which pauses if it returns True.

        Returns
        -------
        bool
            Whether the proof has ended.

        Raises
        ------
        TooLargeError
            If not even small groups fit into memory.
        """
        reported = -math.inf
        while not self.finished and (max_sweeps is None or self.sweep < max_sweeps):
            self._advance()
            now = time.perf_counter()
            if on_progress is not None and now >= reported + REPORT_SECONDS:
                reported = now
                if on_progress(self):
                    break
        return self.finished

    def end(self) -> Certificate:
        """End the proof now, unless it has ended; returns the outcome."""
        if not self.finished:
            self._conclude(STOPPED)
        optimal, labeling = self.status == OPTIMAL, self.labeling.copy()
        lower = self.upper_bound if optimal else self._claimed
        return Certificate(
            optimal=optimal,
            lower_bound=lower,
            upper_bound=self.upper_bound,
            labeling=labeling,
            feasible=self.mrf.is_feasible(self.upper_bound),
            open_variables=0 if optimal else self.known.whole.reduced.n,
            negligible=self.known.negligible,
            rounding=self._rounding,
            status=self.status,
            # By rounding, a better labelling of a later round may cost less than the bound of an earlier one.
            rounds=tuple(replace(one, lower_bound=min(one.lower_bound, self.upper_bound)) for one in self.rounds),
            seconds=time.perf_counter() - self._begin,
            proof=self._proof(labeling, lower),
        )

    def _proof(self, labeling: IntArray, lower: float) -> Proof | None:
        steps = self._steps.steps
        if steps is None:
            return None
        upper, known = self.upper_bound, self.known
        return Proof(self.mrf.content_hash(), labeling, lower, upper, known.negligible, steps, cap=known.cap)

    @property
    def _rounding(self) -> float:
        """The rounding error of the bounds of the last round and of cycles."""
        engine, packing = self.engine, self.cycles.packing
        of_run = 0.0 if engine is None else engine.margin.rounding_with(engine.arrays.message_size)
        return max(of_run, 0.0 if packing is None else packing.margin.rounding)

    @property
    def _claimed(self) -> float:
        """A bound that rounding cannot have raised, below the upper bound, as equal bounds would claim a proof."""
        lower = max(self._steps.lower_bound, math.fsum(minima(self.known.whole.model)))
        rounded = (1 + len(self.rounds)) * math.ulp(lower)
        # The constant is added to the bound of every round.
        lower -= rounded if rounded > self.known.negligible else 0.0
        return min(lower, math.nextafter(self.upper_bound, -math.inf))

    # -- spending work ------------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Continue for about 50 ms, or to the end of work that cannot be interrupted."""
        try:
            self._stop.check()
            next(self._course)
        except StopIteration as over:
            # None: an error has already ended it.
            self._conclude(STOPPED if over.value is None else OPTIMAL if over.value else EXHAUSTED)
        except Stopped:
            self._conclude(OUT_OF_TIME if self._stop.left == 0.0 else STOPPED)
        except TooLargeError:
            self._conclude(OUT_OF_MEMORY)
            if self.engine is None and self.lower_bound == -math.inf:
                raise

    def _count(self, trial: Trial, work: int) -> None:
        self.known.work += work
        self._going_on = ref(trial)

    def _conclude(self, status: str) -> None:
        trial = self._going_on()
        self._course.close()
        self.finished, self.status = True, status
        if status == OPTIMAL:
            self.known.lower_bound = self.upper_bound
        else:
            if trial is not None:
                self._keep(trial)
            self._end_run()
            self._keep_cycles()
        packing, engine = self._last_packing, self.engine
        if packing is not None and engine is not None and self._on_round is not None:
            with suppress(TooLargeError):
                self._show_cycles(packing, engine, self._on_round)

    def _show_cycles(self, packing: Packing, engine: Engine, on_round: OnRound) -> None:
        """Tell of a last run, which begins with the bound and the labelling of cycles."""
        # A round that was stopped is no part of the change.
        packing.seek(packing.events.stop_before(packing.position + 1, "round"))
        if packing.rounds or packing.is_proven:
            change = change_by(packing)
            on_round(Fork(engine.position, change), change.fork(engine, packing=packing))

    def _keep(self, trial: Trial) -> None:
        """Keep the bounds of an interrupted trial."""
        self.known.note_labeling(trial.engine)
        if trial is self.round:
            self.known.note(trial.engine)
        elif trial.engine.lower_bound > self.lower_bound:
            self.begin(trial)

    # -- rounds -------------------------------------------------------------------------------------------

    def begin(self, trial: Trial) -> None:
        """Begin a round.

        Parameters
        ----------
        trial : Trial
            Its run.
        """
        if self.round is not None and trial.change is not None and self._on_round is not None:
            self._on_round(Fork(self.round.engine.position, trial.change), trial.engine)
        self._sweeps = self.sweep
        self.round, self.left, self._last_packing = trial, None, None
        self.known.note(trial.engine)

    def reduce(self, facts: Facts, by: Packing | None = None) -> int:
        """End the round, and reduce the model by its facts; returns the number of remaining variables.

        Parameters
        ----------
        facts : Facts
        by : Packing, optional
            The cycles that have decided them; by default the run of the round has.
        """
        self.left = reduction(self.known.whole, facts)
        if by is not None:
            self._record(self._evidence(None), None)
        elif self.left.reduced.n < self.left.model.n:
            self._keep_cycles()  # which begin anew
        evidence = self._evidence(by)
        self._record(evidence, self.left)
        self.known.leave(self.left, evidence.labeling)
        # What ran last is of the model before.
        self._going_on = lambda: None
        return self.left.reduced.n

    def end_round(self, proves: bool = False, by: Packing | None = None) -> None:
        """Record a round that has decided nothing, or everything.

        Parameters
        ----------
        proves : bool
            Whether its bound proves that the best labelling is optimal.
        by : Packing, optional
            A round of cycles; by default the run of the round.
        """
        if by is not None:
            self._end_run()
        self._record(self._evidence(by), None, proves)

    def _end_run(self) -> None:
        """Record the run of this round, unless it has ended."""
        if self.round is not None and self.left is None:
            self._record(self._evidence(None), None)

    def _keep_cycles(self) -> None:
        """Record the cycles of what is left if their bound is the best one."""
        packing = self.cycles.packing
        if packing is not None and of_cycles(packing).lower_bound > self._steps.lower_bound:
            self._record(self._evidence(packing), None)

    def _evidence(self, by: Packing | None) -> Evidence:
        self._last_packing = by
        if by is not None:
            return of_cycles(by)
        assert self.round is not None
        return of_messages(self.round)

    def _record(self, evidence: Evidence, found: Reduction | None, proves: bool = False) -> None:
        """Record a round; keep what proves its facts or its bound, and its labelling if that is better."""
        self._steps.add(evidence, self.known.whole, found, proves)
        self.known.keep_better(evidence.labeling)
        fixed, tied = (0, 0) if found is None else map(len, found.decided)
        self.rounds.append(
            Round(
                **evidence.made,
                lower_bound=min(self.lower_bound, self._steps.lower_bound),
                upper_bound=self.upper_bound,
                fixed=self.known.whole.reduced.n if proves else fixed,
                tied=tied,
                seconds=time.perf_counter() - self._begin,
            )
        )
