"""Executions on a Dask cluster of real processes, which are killed, slow, or have other code."""

from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path

import pytest
from dask.config import config

from bender_core import io, synth
from bender_core.__main__ import main
from bender_core.experiments import Instance, Limits, Plan, PlanProgress, Store, Task, dask, execute, plan
from bender_core.experiments.outcome import WORKER_DIED
from tests.unit.experiments.clusters import Gate, Network, Operator, free_port, kill_group, until
from tests.unit.experiments.plans import ROOT

# The package has a function of that name.
executing = importlib.import_module("bender_core.experiments.execute")
distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds the workers in /proc"),
]


@pytest.fixture(scope="module")
def shared_operator() -> Iterator[Operator]:
    operator = Operator()
    yield operator
    operator.end()


@pytest.fixture
def operator(shared_operator: Operator) -> Operator:
    """A cluster that is up; starting one takes seconds, so the tests share it."""
    shared_operator.keep_up()
    return shared_operator


class Execution(threading.Thread):
    """An execution beside the test, and all that it says."""

    def __init__(self, tasks: Sequence[Task], store: Store, address: str) -> None:
        super().__init__(daemon=True)
        self.arguments = tasks, store, dask(address)
        self.progress: list[PlanProgress] = []
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            assert execute(*self.arguments, None, lambda progress: self.progress.append(progress))
        except BaseException as error:
            self.error = error

    def finish(self) -> None:
        self.join(60)
        assert not self.is_alive()
        if self.error is not None:
            raise self.error


def short_tasks(count: int, first: int = 0) -> list[Task]:
    values = (("rows", 4), ("columns", 4), ("torus", False), ("coupling", "gaussian"))
    instances = tuple(Instance("ising_grid", (*values, ("seed", seed))) for seed in range(first, first + count))
    return Plan("short", instances, (3,), (9,), ("blocks",), limits=Limits(seconds=30)).tasks()


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """The model of a run that lasts as long as the test lets it."""
    path = tmp_path / "plain.uai"
    io.save(synth.generate("ising_grid", rows=3, columns=3), path)
    return Gate(tmp_path / "gate.uai", path.read_text())


@pytest.fixture
def gated(gate: Gate) -> Task:
    """Its run."""
    opened = threading.Thread(target=gate.let_through)
    opened.start()
    (task,) = Plan("gated", (Instance(str(gate.path)),), (3,), (9,), ("layers",), limits=Limits(seconds=30)).tasks()
    opened.join()
    return task


def assert_each_is_counted_once(tasks: Sequence[Task], store: Store, progress: Sequence[PlanProgress]) -> None:
    """Every run is stored, and the count went up by one for each."""
    assert [run.task.key for run in store.runs()] == sorted(task.key for task in tasks)
    assert [each.done for each in progress if each.last is not None] == list(range(1, len(tasks) + 1))
    assert Counter(each.last.key for each in progress if each.last is not None) == Counter(task.key for task in tasks)


def test_a_killed_worker_takes_no_other_run_with_it(
    operator: Operator, gate: Gate, gated: Task, tmp_path: Path
) -> None:
    tasks, store = [gated, *short_tasks(5)], Store(tmp_path / "a.sqlite")
    execution = Execution(tasks, store, operator.address)
    # The runs that wait behind it at the worker are suspects, too; it is tried again alone.
    gate.kill()
    gate.kill()
    execution.finish()
    assert_each_is_counted_once(tasks, store, execution.progress)
    assert execution.progress[-1].failed == 1
    assert [run.task.key for run in store.runs() if run.outcome.status == WORKER_DIED] == [gated.key]
    # The next execution tries it again.
    execution = Execution(tasks, store, operator.address)
    gate.let_through()
    execution.finish()
    assert execution.progress[0].done == 5
    assert not [run for run in store.runs() if run.outcome.status == WORKER_DIED]


def test_an_execution_waits_for_its_scheduler(
    operator: Operator, gate: Gate, gated: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks, store = [*short_tasks(3), gated, *short_tasks(3, 3)], Store(tmp_path / "a.sqlite")
    # What the scheduler says of its workers is old, unless it is asked.
    monkeypatch.setitem(config["distributed"]["client"], "scheduler-info-interval", "1h")
    execution = Execution(tasks, store, operator.address)
    gate.wait()
    monkeypatch.setattr(executing, "ATTEMPT_SECONDS", 0.5)
    operator.kill_scheduler()
    # Its worker gives up the run, and ends.
    gate.let_through()
    operator.worker_ends()
    until(lambda: execution.progress[-1].waiting)
    assert execution.progress[-1].waiting == f"the scheduler at {operator.address}, at most 5 min"
    monkeypatch.setattr(executing, "ATTEMPT_SECONDS", 10.0)
    operator.keep_up_scheduler()
    until(lambda: execution.progress[-1].waiting == "workers: the scheduler has none")
    operator.keep_up()
    gate.let_through()
    execution.finish()
    assert_each_is_counted_once(tasks, store, execution.progress)
    assert execution.progress[-1].failed == 0
    # From its first run on, the worker is known.
    waited = [bool(each.waiting) for each in execution.progress]
    again = next(place for place, each in enumerate(execution.progress) if each.last == gated)
    assert not any(waited[again:])
    # In their order: none is a suspect, which would be tried alone, after all others.
    assert [each.last for each in execution.progress if each.last is not None] == tasks


def test_resets_of_a_slow_network_lose_and_repeat_nothing(
    operator: Operator, gate: Gate, gated: Task, tmp_path: Path
) -> None:
    tasks, store = [*short_tasks(2), gated, *short_tasks(6, 2)], Store(tmp_path / "a.sqlite")
    network = Network(operator.port)
    execution = Execution(tasks, store, network.address)
    try:
        gate.wait()
        network.reset()
        # The worker finishes it, or gives it up, when it has been submitted again.
        until(lambda: len(clients(operator)) == 2)
        gate.let_through()
        until(lambda: execution.progress[-1].done >= 5)
        network.reset()
        execution.finish()
    finally:
        network.close()
    assert_each_is_counted_once(tasks, store, execution.progress)
    assert execution.progress[-1].failed == 0


def test_a_result_that_cannot_be_fetched_is_a_lost_connection() -> None:
    class Unfetched:
        """A future of Dask whose task is done, but whose worker and scheduler are out of reach."""

        status = "finished"

        def __await__(self) -> Iterator[None]:
            yield
            raise OSError("Stream is closed")

    future: Future[object] = Future()
    # In a thread of its own: that of a browser test before may still have a loop.
    settling = threading.Thread(target=asyncio.run, args=[executing._Cluster(None)._settle(Unfetched(), future)])
    settling.start()
    settling.join()
    with pytest.raises(CancelledError):
        future.result()


def clients(operator: Operator) -> list[str]:
    """The clients of a scheduler, this one among them."""
    with distributed.Client(operator.address, set_as_default=False) as client:
        found: list[str] = client.run_on_scheduler(lambda dask_scheduler: [*dask_scheduler.clients])
        return [name for name in found if name.startswith("Client-")]


def test_a_killed_client_leaves_the_workers_to_the_next(operator: Operator, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        "[[instances]]\nfamily = 'ising_grid'\nrows = 3\ncolumns = 3\n"
        "[[instances]]\nfamily = 'body_pose'\ncandidates = 16\n"
        "[[instances]]\nfamily = 'ising_grid'\nrows = 3\ncolumns = 4\n"
        "[runs]\nsizes = [14]\nvariants = [11]\n"
    )
    command = [sys.executable, "-m", "bender_core", "experiment", "run", str(path), "--scheduler", operator.address]
    store = Store(path.with_suffix(".sqlite"))
    with distributed.Client(operator.address, set_as_default=False) as client:

        def computing() -> bool:
            return any(client.run(lambda dask_worker: dask_worker.state.executing_count).values())

        first = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        # The second run takes minutes.
        until(lambda: store.runs() and computing())
        first.kill()
        first.wait()
        until(lambda: not computing())
    (done,) = store.runs()
    tasks = [task for task in plan.read_plan(path).tasks() if task.instance.source == "ising_grid"]
    execution = Execution(tasks, store, operator.address)
    execution.finish()
    assert execution.progress[0].done == 1
    assert [run.task.key for run in store.runs()] == sorted(task.key for task in tasks)
    assert done in store.runs()


@pytest.mark.whole
@pytest.mark.parametrize(
    ("versions", "code", "differing"),
    [
        ({"numpy": "0.9"}, None, "has numpy .* where the runs are planned with 0.9"),
        ({"a-solver": "1.2"}, None, "has no a-solver where the runs are planned with 1.2"),
        (None, "another", "has other code of Bender Lab than the runs are planned with"),
    ],
)
def test_a_worker_with_other_code_is_refused(
    versions: dict[str, str] | None,
    code: str | None,
    differing: str,
    operator: Operator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As the worker is a process of its own, it does not notice what changes here."""
    tasks, store = short_tasks(2), Store(tmp_path / "a.sqlite")
    if versions is not None:
        monkeypatch.setattr(executing, "packages", lambda by_method, external: versions)
    if code is not None:
        monkeypatch.setattr(plan, "code_version", lambda *_: code)
    execution = Execution(tasks, store, operator.address)
    with pytest.raises(ValueError, match=f"^the worker tcp://127.0.0.1:[0-9]+ {differing}; install the same version"):
        execution.finish()
    assert store.runs() == []


def test_a_worker_without_our_code_is_refused(tmp_path: Path) -> None:
    operator = Operator()
    worker = operator.worker("--no-nanny", folder=tmp_path, PYTHONPATH="")
    try:
        operator.keep_up_scheduler()
        execution = Execution(short_tasks(2), Store(tmp_path / "a.sqlite"), operator.address)
        with pytest.raises(
            ValueError, match=r"^the worker .* cannot load a run: No module named 'bender_core'; install"
        ):
            execution.finish()
    finally:
        kill_group(worker)
        operator.end()


@pytest.mark.parametrize("when", ["from the start", "in the middle"])
def test_a_scheduler_that_stays_away_ends_the_execution(
    when: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        "[[instances]]\nfamily = 'ising_grid'\nrows = 3\ncolumns = 3\nseed = {from = 0, to = 2}\n"
        "[[instances]]\nfamily = 'body_pose'\ncandidates = 16\n"  # a run of minutes
        "[runs]\nsizes = [14]\nvariants = [11]\n"
    )

    def wait_less() -> None:
        monkeypatch.setattr(executing, "ATTEMPT_SECONDS", 0.5)
        monkeypatch.setattr(executing, "AWAY_SECONDS", 1.0)

    def kill() -> None:
        operator.kill_scheduler()
        wait_less()

    if when == "in the middle":
        operator = request.getfixturevalue("operator")
        address = operator.address
        monkeypatch.setattr(Store, "add", ending_after(3, kill))
    else:
        address = f"tcp://127.0.0.1:{free_port()}"
        wait_less()
    assert main(["experiment", "run", str(path), "--scheduler", address, "--workers", "1"]) == 2
    done = 0 if when == "from the start" else 3
    said = capsys.readouterr()
    assert said.out.splitlines()[-1] == f"{done} of 4, waiting for the scheduler at {address}, at most 1 s"
    assert said.err == (
        f"error: {address}: no scheduler has answered for 1 s; finished runs are kept: start it, or correct the "
        "address, and run the same command again to resume\n"
    )
    assert len(Store(path.with_suffix(".sqlite")).runs()) == done
    if when == "in the middle":
        # Dask waits for half a minute for a run that does not give up.
        operator.worker_ends()


def ending_after(count: int, end: Callable[[], None]) -> Callable[..., bool]:
    """`Store.add` that ends something after some runs."""
    add, stored = Store.add, []

    def adding(*arguments: object) -> bool:
        stored.append(add(*arguments))
        if len(stored) == count:
            end()
        return stored[-1]

    return adding
