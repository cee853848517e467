"""Carrying out a plan on any `concurrent.futures` executor: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import errno
import multiprocessing
import os
import pickle
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from bender_core.experiments.deciding import difference, packages
from bender_core.experiments.outcome import WORKER_DIED, Outcome
from bender_core.experiments.perform import perform
from bender_core.experiments.plan import Task, distinct
from bender_core.experiments.store import Store, StoreError
from bender_core.units import duration

# Tasks submitted at a time, per worker: enough to keep it busy, few enough for a quick stop.
AHEAD = 2
# The longest interval, in seconds, between two reports of progress and checks for a stop.
GLANCE_SECONDS = 0.05
# The longest wait, in seconds, for a scheduler that does not answer: enough to start its machine again.
AWAY_SECONDS = 300.0
# Of these, the time of one attempt, after which a stop is noticed.
ATTEMPT_SECONDS = 10.0

# What to do about a worker that cannot do a run.
_REMEDY = "install the same version there or end that worker, then run the same command again"

# Entering gives workers; leaving abandons their tasks. Entering raises `AwayError` where it may be tried again.
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
    waiting : str
        What the runs wait for, like "the scheduler at tcp://host:8786"; empty while they go on.
    """

    done: int
    total: int
    failed: int
    seconds: float
    last: Task | None
    waiting: str = ""

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


class AwayError(ConnectionError):
    """The scheduler of a cluster does not answer; the message says where, and how to resume."""

    def __init__(self, address: str) -> None:
        reason = (
            f"no scheduler has answered for {duration(AWAY_SECONDS)}; finished runs are kept: start it, or correct the"
        )
        super().__init__(errno.ETIMEDOUT, f"{reason} address, and run the same command again to resume", address)


def dask(address: str) -> Workers:
    """The workers of a Dask cluster whose scheduler is at an address like ``tcp://host:8786``."""

    @contextmanager
    def cluster() -> Iterator[Executor]:
        attempt = _connected(address)
        try:
            client = attempt.result(ATTEMPT_SECONDS)
        except OSError as error:
            attempt.cancel()
            raise AwayError(address) from error
        # A client that has lost its scheduler is left: were it to connect again under its name, the scheduler could
        # notice the loss later, and drop the tasks of the new connection.
        with client:
            yield _Cluster(client)

    return cluster


def _connected(address: str) -> Future[Any]:
    """A client of a cluster. It is made in a thread, since it waits for ever if the scheduler accepts it in silence."""
    import distributed  # needed only with a cluster

    make: Any = distributed.Client  # untyped
    client: Future[Any] = Future()

    def connect() -> None:
        try:
            made = make(address, timeout=ATTEMPT_SECONDS, set_as_default=False)
        except Exception as error:
            if not client.cancelled():
                client.set_exception(error)
        else:
            if client.set_running_or_notify_cancel():
                client.set_result(made)
            else:
                made.close()

    threading.Thread(target=connect, daemon=True).start()
    return client


class _Cluster(Executor):
    """The workers of a Dask cluster, as a client of it sees them.

    The error of a future whose connection is lost is `CancelledError`; of one whose task has seen workers die,
    `KilledWorker`. (Those of `Client.get_executor` are never done if it is lost while a result is fetched.)
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self._client.status != "running":
            raise CancelledError
        call = pickle.dumps((_while_running, fn, args))

        def on_worker() -> Any:
            # Being local, it is sent itself, not by its name: a worker that lacks our code runs it, too, and says so.
            # Otherwise that worker would end, and the next one that gets the task.
            import distributed

            worker: Any = distributed.get_worker()
            try:
                run, *given = pickle.loads(call)
            except Exception as error:
                raise ValueError(f"the worker {worker.address} cannot load a run: {error}; {_REMEDY}") from None
            return run(worker, *given)

        future: Future[Any] = Future()
        self._client.loop.add_callback(self._settle, self._client.submit(on_worker, pure=False), future)
        return future

    @property
    def threads(self) -> int:
        """The number of runs at a time, as the scheduler said a moment ago."""
        return int(self._client._scheduler_identity.get("total_threads", 0))

    async def _settle(self, theirs: Any, future: Future[Any]) -> None:
        """Pass on the result of a task; where it cannot be fetched, the connection is lost."""
        try:
            result = await theirs
            if not self.threads:
                # Its worker has joined since the scheduler was asked.
                await self._client._update_scheduler_info()
            future.set_result(result)
        except Exception as error:
            future.set_exception(error if theirs.status == "error" else CancelledError())


def _while_running(worker: Any, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call a function on a Dask worker with ``unwanted``: whether its task is cancelled, its client or the worker gone.

    Workers continue cancelled tasks unless these check for cancellation themselves.
    """
    key = worker.get_current_task()

    def unwanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled" or worker.status.name in ("closing", "closed")

    return fn(*args, unwanted=unwanted, worker=worker.address)


def _perform(
    task: Task,
    code: str,
    versions: Mapping[str, str],
    unwanted: Callable[[], bool] = lambda: False,
    worker: str = "of this machine",
) -> Outcome:
    """Do a run by the code, and the versions of packages, by which it will be stored.

    Raises
    ------
    ValueError
        If this worker has others.
    """
    differing = difference(code, versions, task.code)
    if differing:
        raise ValueError(f"the worker {worker} {differing}; {_REMEDY}")
    return perform(task, unwanted)


def execute(
    tasks: Sequence[Task],
    store: Store,
    workers_of: Workers,
    workers: int | None,
    on_progress: Callable[[PlanProgress], bool | None] | None = None,
) -> bool:
    """Do all tasks that are not in the store yet, those of one key once.

    A task whose worker dies is tried once more, alone; if its worker dies again, it is recorded as
    failed, and retried on the next execution. If the connection to a cluster is lost, the unfinished tasks
    are submitted again as soon as its scheduler answers, within `AWAY_SECONDS`.

    Parameters
    ----------
    tasks : sequence of Task
    store : Store
    workers_of : callable
        `local(...)` or `dask(...)`; called again after a worker has died, or the connection was lost.
    workers : int or None
        The number of parallel tasks; None for the threads of a cluster, also of those that join later.
    on_progress : callable, optional
        Called with the `PlanProgress` after every run and at least every `GLANCE_SECONDS`; execution ends if it returns
        True. Finished runs are kept, and unfinished ones are repeated next time.

    Returns
    -------
    bool
        Whether all tasks are done.

    Raises
    ------
    AwayError
        If the scheduler of a cluster stays away.
    ValueError
        If a worker has other code, or other versions of packages, than this process.
    StoreError
        If a run cannot be stored.
    """
    with store.kept_open():
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
        is_stored = self._store.add(task, outcome)
        self._done += self._weight[task.key]
        # Another execution may have finished it.
        self._failed += self._weight[task.key] * (is_stored and outcome.status == WORKER_DIED)
        self.tell(task)

    def tell(self, last: Task | None, waiting: str = "") -> None:
        seconds = time.perf_counter() - self._begin
        progress = PlanProgress(self._done, self._total, self._failed, seconds, last, waiting)
        if self._on_progress is not None and self._on_progress(progress):
            self.stopped = True


def _drain(todo: Sequence[Task], workers_of: Workers, workers: int | None, state: _State) -> list[Task]:
    """Do tasks until none is left or a stop is requested; returns those that may have killed a worker."""
    suspects: list[Task] = []
    waiting = list(reversed(todo))
    while waiting and not state.stopped:
        running: dict[Future[Outcome], Task] = {}
        with ExitStack() as stack:
            try:
                executor = _reached(workers_of, stack, state)
                while (waiting or running) and not state.stopped:
                    while waiting and len(running) < AHEAD * (workers or _threads(executor)):
                        running[_submitted(executor, waiting[-1])] = waiting[-1]
                        # Not before: submitting fails where the workers are gone.
                        waiting.pop()
                    finished, _ = wait(running, GLANCE_SECONDS, FIRST_COMPLETED)
                    for future in [each for each in running if each in finished]:
                        if _has_killed(future):
                            suspects.append(running.pop(future))
                        else:
                            outcome = future.result()
                            state.keep(running.pop(future), outcome)
                    state.tell(None, _shortage(executor) if waiting or running else "")
                _keep_finished(running, state)
            except (BrokenExecutor, CancelledError) as error:
                unfinished = _keep_finished(running, state)
                # The tasks submitted first were running, and one of them killed the worker; the others only waited. If
                # the connection was lost, all of them only waited.
                killed = (workers or 1) if isinstance(error, BrokenExecutor) else 0
                suspects += unfinished[:killed]
                waiting += reversed(unfinished[killed:])
            except StoreError:
                raise
            except Exception:
                _keep_finished(running, state)
                raise
    return suspects


def _reached(workers_of: Workers, stack: ExitStack, state: _State) -> Executor:
    """Enter workers into a stack of contexts; waits for a scheduler that is away.

    Raises
    ------
    AwayError
        If it stays away.
    CancelledError
        After a stop.
    """
    begin = time.monotonic()
    while not state.stopped:
        try:
            return stack.enter_context(workers_of())
        except AwayError as error:
            if time.monotonic() - begin >= AWAY_SECONDS:
                raise
            state.tell(None, f"the scheduler at {error.filename}, at most {duration(AWAY_SECONDS)}")
    raise CancelledError


def _submitted(executor: Executor, task: Task) -> Future[Outcome]:
    method = task.method
    versions = packages(method is not None, method.package if method is not None else "")
    return executor.submit(_perform, task, task.code, versions)


def _threads(executor: Executor) -> int:
    """The number of tasks at a time where none is requested."""
    return max(executor.threads, 1) if isinstance(executor, _Cluster) else 1


def _shortage(executor: Executor) -> str:
    """What tasks wait for, if nobody does them."""
    return "workers: the scheduler has none" if isinstance(executor, _Cluster) and not executor.threads else ""


def _keep_finished(running: dict[Future[Outcome], Task], state: _State) -> list[Task]:
    """Store the finished runs; returns the others."""
    unfinished = []
    for future, task in running.items():
        if future.done() and not future.cancelled() and future.exception() is None:
            state.keep(task, future.result())
        else:
            unfinished.append(task)
    return unfinished


def _has_killed(future: Future[Outcome]) -> bool:
    """Whether a task of a Dask cluster, which goes on, has seen several workers die."""
    return type(future.exception()).__name__ == "KilledWorker"
