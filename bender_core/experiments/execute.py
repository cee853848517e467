"""Carrying out a plan on any `concurrent.futures` executor: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from bender_core.experiments.perform import WORKER_DIED, Outcome, perform
from bender_core.experiments.plan import Task, distinct
from bender_core.experiments.store import Store, StoreError

# Tasks handed over at a time, per worker: enough that none waits, few enough that a stop is quick.
AHEAD = 2
# How often progress is told and a stop looked for, at least.
GLANCE_SECONDS = 0.05

# Entering gives workers; leaving abandons what they do.
Workers = Callable[[], AbstractContextManager[Executor]]


@dataclass(frozen=True)
class Progress:
    """How far an experiment has come.

    Attributes
    ----------
    done, total : int
        Tasks of the plan; a run that counts for several is done for all of them at once.
    failed : int
        Of those done, the tasks whose worker died.
    seconds : float
        Since this execution began.
    last : Task or None
        The run finished last.
    """

    done: int
    total: int
    failed: int
    seconds: float
    last: Task | None

    def seconds_left(self, begun_with: int) -> float | None:
        """How long the rest will take at the pace so far; None before there is one."""
        finished = self.done - begun_with
        return self.seconds / finished * (self.total - self.done) if finished else None


def local(workers: int | None = None) -> Workers:
    """Processes of this machine, as many as it has cores by default."""
    count = workers or os.cpu_count() or 1
    # Forked processes would inherit locks of threads that they do not have.
    context = multiprocessing.get_context("spawn")

    @contextmanager
    def pool() -> Iterator[Executor]:
        executor = ProcessPoolExecutor(count, mp_context=context, initializer=_end_with_parent)
        try:
            yield executor
        finally:
            # They are known only until it is shut down.
            processes = list((executor._processes or {}).values())
            executor.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()

    return pool


def _end_with_parent() -> None:
    """End this worker when the process that feeds it is gone, however that came."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def dask(address: str) -> Workers:
    """The workers of a Dask cluster whose scheduler is at an address like ``tcp://host:8786``."""

    @contextmanager
    def cluster() -> Iterator[Executor]:
        import distributed  # only who has a cluster needs it

        connect: Any = distributed.Client  # untyped
        with connect(address) as client:
            executor = client.get_executor(pure=False)
            try:
                yield _Cluster(executor)
            finally:
                executor.shutdown(wait=False)

    return cluster


class _Cluster(Executor):
    """A Dask cluster: its workers go on with what is cancelled unless they look for that themselves."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._executor.submit(_while_wanted, fn, *args, **kwargs)


def _while_wanted(fn: Callable[..., Any], *args: Any) -> Any:
    """Call a function that takes ``unwanted`` on a Dask worker: that its task is cancelled, or its client is gone."""
    import distributed

    worker: Any = distributed.get_worker()
    key = worker.get_current_task()

    def unwanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return fn(*args, unwanted=unwanted)


def execute(
    tasks: Sequence[Task],
    store: Store,
    workers_of: Workers,
    workers: int,
    on_progress: Callable[[Progress], bool | None] | None = None,
) -> bool:
    """Do all tasks that the store does not hold yet, those of one key once.

    A task whose worker dies is tried once more, alone; if its worker dies again, it is recorded as
    failed until the next time.

    Parameters
    ----------
    tasks : sequence of Task
    store : Store
    workers_of : callable
        `local(...)` or `dask(...)`; called anew after a worker has died.
    workers : int
        How many tasks run at a time.
    on_progress : callable, optional
        Called with the `Progress` after every run and at least every `GLANCE_SECONDS`; execution ends if it returns
        True: what is finished is kept, and what is running is done again next time.

    Returns
    -------
    bool
        Whether all tasks are done.
    """
    todo = distinct(store.missing(tasks))
    state = _State(store, tasks, todo, on_progress)
    suspects = _drain(todo, workers_of, workers, state)
    for task in suspects:
        if state.stopped:
            break
        if _drain([task], workers_of, 1, state):
            state.keep(task, Outcome(WORKER_DIED))
    return not state.stopped


class _State:
    """What is done, and whether to go on."""

    def __init__(
        self,
        store: Store,
        tasks: Sequence[Task],
        todo: Sequence[Task],
        on_progress: Callable[[Progress], bool | None] | None,
    ) -> None:
        self._store, self._total, self._failed = store, len(tasks), 0
        self._weight = Counter(task.key for task in tasks)
        self._done = self._total - sum(self._weight[task.key] for task in todo)
        self._on_progress = on_progress
        self._begin = time.perf_counter()
        self.stopped = False
        self.tell(None)

    def keep(self, task: Task, outcome: Outcome) -> None:
        self._store.add(task, outcome)
        self._done += self._weight[task.key]
        self._failed += self._weight[task.key] * (outcome.status == WORKER_DIED)
        self.tell(task)

    def tell(self, last: Task | None) -> None:
        progress = Progress(self._done, self._total, self._failed, time.perf_counter() - self._begin, last)
        if self._on_progress is not None and self._on_progress(progress):
            self.stopped = True


def _drain(todo: Sequence[Task], workers_of: Workers, workers: int, state: _State) -> list[Task]:
    """Do tasks until none is left or a stop is asked for; returns those that were running when a worker died."""
    suspects: list[Task] = []
    waiting = list(reversed(todo))
    while waiting and not state.stopped:
        running: dict[Future[Outcome], Task] = {}
        with workers_of() as executor:
            try:
                while (waiting or running) and not state.stopped:
                    while waiting and len(running) < AHEAD * workers:
                        task = waiting.pop()
                        running[executor.submit(perform, task)] = task
                    finished, _ = wait(running, GLANCE_SECONDS, FIRST_COMPLETED)
                    for future in finished:
                        outcome = future.result()
                        state.keep(running.pop(future), outcome)
                    state.tell(None)
                _keep_finished(running, state)
            except StoreError:
                raise
            except Exception as error:
                unfinished = _keep_finished(running, state)
                if not _is_death(error):
                    raise
                # Those handed over first were running, and one of them did it; the others merely waited.
                suspects += unfinished[:workers]
                waiting += reversed(unfinished[workers:])
    return suspects


def _keep_finished(running: dict[Future[Outcome], Task], state: _State) -> list[Task]:
    """Keep the runs that have come to their end; returns the others."""
    unfinished = []
    for future, task in running.items():
        if future.done() and not future.cancelled() and future.exception() is None:
            state.keep(task, future.result())
        else:
            unfinished.append(task)
    return unfinished


def _is_death(error: Exception) -> bool:
    """Whether an error says that a worker died: Dask has its own, which is not there where Dask is not."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"
