"""Compile everything before it is needed, and say how far that is."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache

import numpy as np

from bender_core import looking
from bender_core.child_process import Child
from bender_core.cycles.mplp import CyclePursuit
from bender_core.cycles.packing import Packing
from bender_core.engine.engine import Engine
from bender_core.engine.rows import RowAt
from bender_core.groups import Partition
from bender_core.kernels import messages, primal, update
from bender_core.kernels._cache import Compiled, DiskCache
from bender_core.kernels._jit import typed
from bender_core.kernels.layout import RowKind
from bender_core.labelings.searching import search
from bender_core.looking.decided import common
from bender_core.looking.what_if import what_if
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.variants import VARIANTS

# Enough for the search for labellings to begin with both of its methods.
SEARCHED = 1 << 18
# Seconds between two checks for a stop.
LOOK_SECONDS = 0.02


class Once:
    """Work that is done once, for all callers. A caller that stops waiting does not stop the work.

    Parameters
    ----------
    work : callable
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._done = False
        self._error: BaseException | None = None

    @property
    def done(self) -> bool:
        """Whether it is done."""
        return self._done

    @property
    def error(self) -> BaseException | None:
        """Why the last attempt failed; None if none has, or another one has begun."""
        return self._error

    def wait(self, stop: Stop = never) -> None:
        """Wait until it is done; raises the error of a failed attempt, and the next call tries again.

        Raises
        ------
        Stopped
            If ``stop`` says so; the work continues.
        """
        while not self._done:
            thread = self.begin()
            error = self._error
            if not thread.is_alive() and error is not None:
                self._thread = None
                raise error
            stop.check()
            thread.join(LOOK_SECONDS)

    def begin(self) -> threading.Thread:
        """Begin it if nobody has; returns the thread that does it."""
        with self._lock:
            if self._thread is None:
                self._error = None
                self._thread = threading.Thread(target=self._do, daemon=True)
                self._thread.start()
            return self._thread

    def _do(self) -> None:
        try:
            self._work()
            self._done = True
        except BaseException as error:  # raised in the thread that waits
            self._error = error


def warm_up(stop: Stop = never) -> None:
    """Compile every kernel, or load it from the disk cache, by solving a model of three variables.

    Parameters
    ----------
    stop : Stop
        Checked about fifty times a second while waiting.

    Raises
    ------
    Stopped
        If ``stop`` says so; compilation continues in the background, and the next caller waits for it.
    """
    for variant in VARIANTS:
        ready(variant).wait(stop)
    _LOOKING.wait(stop)


def compiled() -> Compiled:
    """How much of the code of all kernels this process has, compiled or loaded from the disk cache."""
    return DiskCache.compiled()


@lru_cache
def ready(variant: int) -> Once:
    """The preparation for runs of a variant; call its ``wait``."""

    def work() -> None:
        # What another process may be compiling comes last.
        _ASIDE.begin()
        engine = _engine(variant)
        engine.fork(rows=[RowAt(0, 1, 0, RowKind.RMC)] if engine.n_rows else [])
        _HAS_EXACT.wait()
        engine.run()
        looking.excess(_engine(variant, engine), 0)
        common(np.ones(2, bool), 1)
        search(_model(), work=SEARCHED)

    return Once(work)


def _compile_aside() -> None:
    """Let another process compile a part, if the disk cache is empty and can be filled."""
    try:
        if (os.cpu_count() or 1) > 1 and DiskCache.is_to_be_filled():
            # Where no process can be started, this one compiles everything.
            with suppress(OSError), Child(_compile_part) as child:
                while not child.ended:
                    if child.receive(LOOK_SECONDS):
                        _HAS_EXACT.set()
    finally:
        _HAS_EXACT.set()


def _compile_part() -> Iterator[None]:
    """Compile exact min-marginals, a third of all, then what a run needs last, and what it does not need."""
    engine = _engine(next(iter(VARIANTS)))
    looking.tightness(engine)
    yield
    run = engine.arrays.run
    typed(messages.pass_messages, run.problem, run.rule, run.state, 0, run.work)
    typed(primal.follow, run.problem, run.rule, run.state, 0, run.work)
    typed(primal.begin_search, run.problem, run.work)
    typed(primal.search, run.problem, run.work)
    typed(update.sum_up, run, 0)
    common(np.ones(2, bool), 1)
    search(_model(), work=SEARCHED)
    looking.excess(engine, 0)
    looking.tension(engine)
    looking.answers(engine, 0, 0)


_ASIDE = Once(_compile_aside)
# Whether the other process has compiled exact min-marginals, or will not.
_HAS_EXACT = threading.Event()


def _model() -> BinaryMRF:
    return BinaryMRF(
        unary=np.array([[0.0, 1.0]] * 3),
        edges=np.array([[0, 1], [1, 2]]),
        pairwise=np.array([[[0.0, 0.0], [0.0, -3.0]]] * 2),
    )


def _ring() -> BinaryMRF:
    """A frustrated cycle: cycles are looked for, and found."""
    return BinaryMRF(
        unary=np.array([[0.0, 0.5]] * 4),
        edges=np.array([[0, 1], [1, 2], [2, 3], [0, 3]]),
        pairwise=np.array([[[2.0, 0.0], [0.0, 2.0]]] * 3 + [[[0.0, 2.0], [2.0, 0.0]]]),
    )


def _engine(variant: int, start: Engine | None = None) -> Engine:
    part = Partition(tuple(np.array([k]) for k in range(3)), ("a", "b", "c"))
    return Engine(_model(), part, variant=variant, start=start)


def _look() -> None:
    for variant in VARIANTS:
        before = _engine(variant)
        before.run()
        engine = _engine(variant, before)
        looking.certified_bound(engine)
        looking.min_marginal(engine, 0, 1, [0])
        looking.tightness(engine)
        looking.rows(engine, 0, 1)
        looking.tension(engine)
        looking.edge_tension(engine, 0, 1)
        looking.answers(engine, 0, 0)
        what_if(engine, 0, 1, 0)
        engine.fork(merge=[(0, 1)])
        engine.step("round")
        looking.step_ended(engine, "round")
        looking.open_update(engine)
        if engine.n_rows:
            looking.row(engine, 0)
    Packing(_ring()).run()
    CyclePursuit(_ring()).run()


_LOOKING = Once(_look)
