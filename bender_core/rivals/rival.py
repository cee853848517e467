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

import numpy as np

from bender_core.account import Account
from bender_core.checking.certificate import STOPPED
from bender_core.child_process import Child
from bender_core.engine.memory_needed import TooLargeError
from bender_core.forms.scale import energy_scale
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.rivals.excess import above_floor, capped, descent, floor
from bender_core.rivals.report import BUILT, FAILED, MEMORY, PROVEN, READY, Report, Search

# Seconds of a turn; and within which its process has to start.
TURN_SECONDS, START_SECONDS = 0.05, 60.0
# Bytes: of an interpreter with its packages; and what a search needs at least besides the model.
OF_PROCESS, OF_SEARCH = 128 << 20, 32 << 20
# By what a bound may be above an energy of which it is a bound, or below one that it proves, relative to the energy at
# stake.
ROUNDING = 1e-9

TOO_SLOW = "it did not start"


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
        How long it has worked, of the wall clock, with what it took to build its form of the model: its process, which
        is started before that counts, is held between turns.
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
        self._is_ready = self.is_built = False
        self._waited = 0.0
        self._least, self._scale = floor(mrf), energy_scale(mrf)
        room = account.free
        charges = account.open("process", {"process": room}) if room >= OF_PROCESS + OF_SEARCH else None
        if charges is None:
            raise TooLargeError("there is no memory for the process of a solver")
        limit = room - OF_PROCESS
        with ExitStack() as stack:
            stack.callback(charges.close)
            # Once it has started, it waits for its turn.
            child = Child(_reports, search, mrf.unary, mrf.edges, mrf.pairwise, limit, rests=True)
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
        if self._is_ready:
            self._child.go_on()
        begun = last = time.perf_counter()
        known = self.sweep, self._is_ready
        while not self.finished and (self.sweep, self._is_ready) == known and last < begun + TURN_SECONDS:
            reports = self._child.receive(begun + TURN_SECONDS - last)
            now = time.perf_counter()
            self._spend(now - last)
            last = now
            for report in reports:
                self._hear(report)
            if self._child.ended and not self.finished:
                self._end(f"{FAILED}: {self._child.failure()}")
        if self._is_ready and not self.finished:
            self._child.hold()

    def _spend(self, seconds: float) -> None:
        if not self._is_ready:
            self._waited += seconds
            if self._waited > START_SECONDS:
                self._end(f"{FAILED}: {TOO_SLOW} within {START_SECONDS:g} s")
            return
        self.seconds += seconds
        if not self.is_built:
            self.building += seconds

    def _hear(self, report: object) -> None:
        """Take over what it reports, if that can be true."""
        wrong = self._objection(report) if isinstance(report, Report) else "its answer is no report"
        if wrong or not isinstance(report, Report):
            self._end(f"{FAILED}: {wrong}")
            return
        self._is_ready |= report.status == READY
        self.is_built |= report.status == BUILT
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
        if not lower <= energy + ROUNDING * self._scale:
            return f"its bound {lower:.9g} is above the energy {energy:.9g} of its own labelling"
        if report.status == PROVEN and not energy - lower <= ROUNDING * self._scale:
            return f"its bound {lower:.9g} does not prove the energy {energy:.9g} of its labelling"
        return ""

    def _end(self, status: str | None) -> None:
        assert status is not None
        self.finished, self.status = True, status
        if status == PROVEN:
            self.lower_bound = self.upper_bound
        self.close()


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
