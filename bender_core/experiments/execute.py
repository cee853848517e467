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

from bender_core.experiments.outcome import WORKER_DIED, Outcome
from bender_core.experiments.perform import perform
from bender_core.experiments.plan import Task, distinct
from bender_core.experiments.store import Store, StoreError

# Tasks submitted at a time, per worker: enough to keep it busy, few enough for a quick stop.
AHEAD = 2
# The longest interval, in seconds, between two reports of progress and checks for a stop.
GLANCE_SECONDS = 0.05

# Entering gives workers; leaving abandons their tasks.
Workers = Callable[[], AbstractContextManager[Executor]]


@dataclass(frozen=True)
class PlanProgress:
    """The progress of an experiment.

    Attributes
    ----------
    done, total : int
        Tasks of the plan; a run that counts for several of them completes all of them at once.
    failed : int
        Of those done, the tasks whose worker died.
    seconds : float
        Since this execution began.
    last : Task or None
        The latest finished run.
    """

    done: int
    total: int
    failed: int
    seconds: float
    last: Task | None

    def seconds_left(self, begun_with: int) -> float | None:
        """Predicted seconds for the rest at the pace so far; None before the first run."""
        finished = self.done - begun_with
        return self.seconds / finished * (self.total - self.done) if finished else None


def local(workers: int | None = None) -> Workers:
    """Processes of this machine, as many as it has cores by default."""
    count = workers or os.cpu_count() or 1
    # Forked processes would inherit locks of threads that do not exist in them.
    context = multiprocessing.get_context("spawn")

    @contextmanager
    def pool() -> Iterator[Executor]:
        executor = ProcessPoolExecutor(count, mp_context=context, initializer=_end_with_parent)
        try:
            yield executor
        finally:
            # The pool forgets them when it is shut down.
            processes = list((executor._processes or {}).values())
            executor.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()

    return pool


def _end_with_parent() -> None:
    """End this worker when its parent process is gone, for any reason."""
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
        import distributed  # needed only with a cluster

        connect: Any = distributed.Client  # untyped
        with connect(address) as client:
            executor = client.get_executor(pure=False)
            try:
                yield _Cluster(executor)
            finally:
                executor.shutdown(wait=False)

    return cluster


class _Cluster(Executor):
    """A Dask cluster: its workers continue cancelled tasks unless they check for cancellation themselves."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._executor.submit(_while_running, fn, *args, **kwargs)


def _while_running(fn: Callable[..., Any], *args: Any) -> Any:
    """Call a function on a Dask worker with ``unwanted``: whether its task is cancelled, or its client gone."""
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
    on_progress: Callable[[PlanProgress], bool | None] | None = None,
) -> bool:
    """Do all tasks that are not in the store yet, those of one key once.

    A task whose worker dies is tried once more, alone; if its worker dies again, it is recorded as
    failed, and retried on the next execution.

    Parameters
    ----------
    tasks : sequence of Task
    store : Store
    workers_of : callable
        `local(...)` or `dask(...)`; called again after a worker has died.
    workers : int
        The number of parallel tasks.
    on_progress : callable, optional
        Called with the `PlanProgress` after every run and at least every `GLANCE_SECONDS`; execution ends if it returns
        True. Finished runs are kept, and unfinished ones are repeated next time.

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
    """The progress, and whether to continue."""

    def __init__(
        self,
        store: Store,
        tasks: Sequence[Task],
        todo: Sequence[Task],
        on_progress: Callable[[PlanProgress], bool | None] | None,
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
        progress = PlanProgress(self._done, self._total, self._failed, time.perf_counter() - self._begin, last)
        if self._on_progress is not None and self._on_progress(progress):
            self.stopped = True


def _drain(todo: Sequence[Task], workers_of: Workers, workers: int, state: _State) -> list[Task]:
    """Do tasks until none is left or a stop is requested; returns those that were running when a worker died."""
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
                # The tasks submitted first were running, and one of them killed the worker; the others only waited.
                suspects += unfinished[:workers]
                waiting += reversed(unfinished[workers:])
    return suspects


def _keep_finished(running: dict[Future[Outcome], Task], state: _State) -> list[Task]:
    """Store the finished runs; returns the others."""
    unfinished = []
    for future, task in running.items():
        if future.done() and not future.cancelled() and future.exception() is None:
            state.keep(task, future.result())
        else:
            unfinished.append(task)
    return unfinished


def _is_death(error: Exception) -> bool:
    """Whether an error means that a worker died; Dask, which is optional, has a separate error for it."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"
