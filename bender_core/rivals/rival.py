"""An external solver in a process of its own: it can be held, and killed, at any moment, and its memory is limited.

What it claims is checked as far as that is possible: energies are those of its labellings, computed here, and a bound
above one of them ends its run.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import NamedTuple

import numpy as np

from bender_core.account import Account
from bender_core.checking.certificate import STOPPED
from bender_core.child_process import Child
from bender_core.engine.memory_needed import TooLargeError
from bender_core.forms.polynomial import polynomial
from bender_core.forms.scale import visible_scale
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.rivals.clock import own_seconds, processor_seconds
from bender_core.rivals.excess import above_floor, capped, descent, floor
from bender_core.rivals.report import BUILT, FAILED, MEMORY, PROVEN, READY, Report, Search

# Seconds of a turn; and within which its process has to start.
TURN_SECONDS, START_SECONDS = 0.05, 60.0
# Of a turn: a process that uses less of it waits, for something else or for ever, and then the wall clock counts.
LEAST_SHARE = 0.01
# Bytes: of an interpreter with its packages; and what a search needs at least besides the model.
OF_PROCESS, OF_SEARCH = 128 << 20, 32 << 20
# By what a bound may be above an energy of which it is a bound, or below one that it proves, relative to the energy at
# stake.
ROUNDING = 1e-9
# … and of energies, whose constants may be large, by their last digits.
DIGITS = 2.0**-48

TOO_SLOW = "it did not start"


class Stamped(NamedTuple):
    """An answer of a process, and what it had used of the processor until then; None where the system cannot say.

    The process itself says so: whoever reads it later would count what it has done meanwhile.
    """

    seconds: float | None
    answer: object


class Rival:
    """A search by an external solver, turn by turn.

    Parameters
    ----------
    mrf : BinaryMRF
    search : Search
    account : Account
        Charged with all the memory that is free there, for the interpreter and for the search, which is limited to it.

    Attributes
    ----------
    labeling : ndarray of int64, shape (n,)
        Its best one; all zeros before the first.
    upper_bound : float
        The energy of that; infinite before the first.
    lower_bound : float
        As it claims; minus infinity before the first.
    sweep : int
        Its reports of better bounds or labellings.
    n_rows : int
        Benders rows in use: none.
    seconds : float
        The processor time that its process has used since that was ready, as of its latest news: neither the start of
        the process counts nor the time in which it is held between turns, but building its form of the model does.
        Turns in which it waits count by the wall clock, as do all where the system does not know its processor time.
    building : float
        Those of ``seconds`` in which the model was built.
    is_built : bool
        Whether that has been done, and the search has begun.
    finished : bool
    status : str
        How it ended, as in `rivals.report`; "stopped" until then.

    Raises
    ------
    TooLargeError
        If a process has no room in the account.
    """

    n_rows = 0

    def __init__(self, mrf: BinaryMRF, search: Search, account: Account) -> None:
        self.mrf = mrf
        self.labeling: IntArray = np.zeros(mrf.n, np.int64)
        self.upper_bound, self.lower_bound = math.inf, -math.inf
        self.sweep, self.seconds, self.building = 0, 0.0, 0.0
        self.finished, self.status = False, STOPPED
        self._is_ready = self.is_built = self._is_timed = False
        # Of the wall clock: how long it was awake, and how much of that counts though it used no processor; then what
        # its clock showed when it was ready.
        self._awake = self._idle = self._zero = 0.0
        self._least, self._scale = floor(mrf), visible_scale(np.concatenate(polynomial(mrf)))
        room = account.free
        charges = account.open("process", {"process": room}) if room >= OF_PROCESS + OF_SEARCH else None
        if charges is None:
            raise TooLargeError("there is no memory for the process of a solver")
        limit = room - OF_PROCESS
        with ExitStack() as stack:
            stack.callback(charges.close)
            # Once it has started, it waits for its turn.
            child = Child(_stamped, search, mrf.unary, mrf.edges, mrf.pairwise, limit, rests=True)
            try:
                self._child = stack.enter_context(child)
            except (OSError, RuntimeError) as error:
                raise TooLargeError(f"the process of a solver cannot be started: {error}") from None
            # Also where nobody closes it.
            self.close = weakref.finalize(self, stack.pop_all().close)

    def run(self, most: int | None = None, /, *, on_progress: Callable[[Rival], bool | None] | None = None) -> bool:
        """Let it work until it ends, or has reported often enough.

        Parameters
        ----------
        most : int, optional
            The most reports, those before included.
        on_progress : callable, optional
            Called about every 50 ms, and after every report; returning True pauses.

        Returns
        -------
        bool
            Whether it has ended.
        """
        while not self.finished and (most is None or self.sweep < most):
            self._turn()
            if on_progress is not None and on_progress(self):
                break
        return self.finished

    def _turn(self) -> None:
        """Let it work for some time, or up to its next news; or let it start."""
        begun = last = time.perf_counter()
        known, before = (self.sweep, self._is_ready), self.seconds
        if self._is_ready:
            self._child.go_on()
        while not self.finished and (self.sweep, self._is_ready) == known and last < begun + TURN_SECONDS:
            answers = self._child.receive(begun + TURN_SECONDS - last)
            last = time.perf_counter()
            for answer in answers:
                self._hear(answer, self._awake + last - begun)
            if self._child.ended and not self.finished:
                self._count(processor_seconds(self._child.number), self._awake + last - begun)
                self._end(f"{FAILED}: {self._child.failure()}")
        if self._is_ready and not self.finished:
            self._child.hold()
        awake = time.perf_counter() - begun
        self._awake += awake
        if (self.sweep, self._is_ready) == known and not self.finished:
            self._count_silence(before, awake)

    def _count_silence(self, before: float, awake: float) -> None:
        """Count a turn without news, of some seconds of the wall clock; there were some seconds before it."""
        if not self._is_ready:
            if self._awake > START_SECONDS:
                self._end(f"{FAILED}: {TOO_SLOW} within {START_SECONDS:g} s")
            return
        self._count(processor_seconds(self._child.number), self._awake)
        # A process that it has started and waited for is missing in what was read.
        self.seconds = max(self.seconds, before)
        if self.seconds - before < LEAST_SHARE * awake and self._child.runs:
            self._idle += awake
            self.seconds += awake

    def _count(self, used: float | None, awake: float) -> None:
        """Set its seconds from its clock: what it has used of the processor, or how long it was awake."""
        clock = used if self._is_timed else awake
        # Of a process that is gone nothing can be read; before one is ready, nothing counts.
        if clock is not None and self._is_ready:
            self.seconds = self._idle + clock - self._zero

    def _hear(self, stamped: object, awake: float) -> None:
        """Take over what it reports, if that can be true, when it was awake for some seconds."""
        used, report = stamped if isinstance(stamped, Stamped) else (None, stamped)
        wrong = self._objection(report) if isinstance(report, Report) else "its answer is no report"
        if wrong or not isinstance(report, Report):
            self._end(f"{FAILED}: {wrong}")
            return
        if report.status == READY and not self._is_ready:
            self._is_ready, self._is_timed = True, used is not None
            self._zero = awake if used is None else used
        self._count(used, awake)
        if report.status == BUILT and not self.is_built:
            self.is_built, self.building = True, self.seconds
        before = self.upper_bound, self.lower_bound
        if report.labeling is not None:
            energy = self.mrf.energy(report.labeling)
            if energy < self.upper_bound:
                self.labeling, self.upper_bound = report.labeling, energy
        if report.bound is not None:
            self.lower_bound = min(max(self.lower_bound, report.bound + self._least), self.upper_bound)
        self.sweep += before != (self.upper_bound, self.lower_bound)
        if report.status not in (None, READY, BUILT):
            self._end(report.status)

    def _objection(self, report: Report) -> str:
        """Why a report cannot be true; empty if it can."""
        labeling, bound = report.labeling, report.bound
        if labeling is not None and (np.shape(labeling) != (self.mrf.n,) or not np.isin(labeling, (0, 1)).all()):
            return "its labelling does not give every variable 0 or 1"
        energy = self.upper_bound if labeling is None else min(self.upper_bound, self.mrf.energy(labeling))
        lower = self.lower_bound if bound is None else bound + self._least
        leeway = ROUNDING * self._scale + DIGITS * (abs(self._least) + (abs(energy) if math.isfinite(energy) else 0.0))
        if not lower <= energy + leeway:
            return f"its bound {lower:.9g} is above the energy {energy:.9g} of its own labelling"
        if report.status == PROVEN and not energy - lower <= leeway:
            return f"its bound {lower:.9g} does not prove the energy {energy:.9g} of its labelling"
        return ""

    def _end(self, status: str | None) -> None:
        assert status is not None
        self.finished, self.status = True, status
        if status == PROVEN:
            self.lower_bound = self.upper_bound
        self.close()


def _stamped(search: Search, unary: FloatArray, edges: IntArray, pairwise: FloatArray, limit: int) -> Iterator[Stamped]:
    """The answers of a process, each with its clock at that moment."""
    for answer in _reports(search, unary, edges, pairwise, limit):
        yield Stamped(own_seconds(), answer)


def _reports(search: Search, unary: FloatArray, edges: IntArray, pairwise: FloatArray, limit: int) -> Iterator[Report]:
    """The reports of a process on a model, without its floor and without costs that no optimum has."""
    excess = above_floor(BinaryMRF(unary=unary, edges=edges, pairwise=pairwise))
    energy = excess.energy(descent(excess, excess.unary.argmin(axis=1)))
    try:
        # A labelling that pays the cap costs more than the known one, so it is not mistaken for an optimum.
        yield from search(capped(excess, 2.0 * energy) if energy else excess, limit)
    except MemoryError:
        yield Report(status=MEMORY)
    except Exception as error:  # of others: its reason is part of the result
        yield Report(status=f"{FAILED}: {error}")
