"""External solvers: what they say is checked, they are held and killed, and none stops the others."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given, settings

import bender_core as bc
import tests.naive as naive
from bender_core.account import Account
from bender_core.experiments import FinishedRun, Limits, Outcome, Store, Task, deciding, execute
from bender_core.experiments.lane import Lane, entry_by
from bender_core.experiments.methods import METHODS, Method
from bender_core.experiments.outcome import GAP_CLOSED, MEMORY_REACHED, SECONDS_REACHED
from bender_core.experiments.plan import PlanError, plan_of
from bender_core.experiments.race import Race
from bender_core.experiments.tables import by_other_code
from bender_core.forms.normal_form import to_normal_form
from bender_core.rivals import milp, rival, samplers, toulbar2
from bender_core.rivals.clock import own_seconds, processor_seconds
from bender_core.rivals.report import INEXACT, MEMORY, PROVEN, READY, Report, Search
from bender_core.rivals.rival import Rival
from tests.models import examples, mrfs, random_mrf
from tests.unit.experiments.plans import here
from tests.unit.rivals import searches

MODEL = random_mrf(3, 8, 0.6)
LINUX = Path("/proc/self/statm").exists()
HAS = {name: importlib.util.find_spec(name) is not None for name in ("pytoulbar2", "dwave")}
by_toulbar2 = pytest.mark.skipif(not HAS["pytoulbar2"], reason="toulbar2 is not installed")
by_dwave = pytest.mark.skipif(not HAS["dwave"], reason="the samplers are not installed")


def asked(search: Search, mrf: bc.BinaryMRF = MODEL, most: float = math.inf, limit: int = 1 << 29) -> Rival:
    """A rival that has ended, or worked for some seconds."""
    found = Rival(mrf, search, Account(limit))
    found.run(on_progress=lambda one: one.seconds >= most)
    found.close()
    return found


def least_of(mrf: bc.BinaryMRF) -> float:
    """The sum of the least energies of all tables, below which searches count."""
    return float(mrf.constant + mrf.unary.min(axis=1).sum() + mrf.pairwise.min(axis=(1, 2)).sum())


# -- what cannot be true --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Report(labeling=np.zeros(3, np.int64)), "does not give every variable 0 or 1"),
        (Report(labeling=np.full(MODEL.n, 2)), "does not give every variable 0 or 1"),
        (Report(labeling=np.full(MODEL.n, np.nan)), "does not give every variable 0 or 1"),
        (Report(bound=math.nan), "is above the energy"),
        (Report(bound=math.inf), "is above the energy"),
        (Report(bound=1e6), "is above the energy"),
        (Report(status=PROVEN), "does not prove the energy"),
        ("good news", "its answer is no report"),
        (None, "its answer is no report"),
    ],
)
def test_an_answer_that_cannot_be_true_ends_the_run_with_what_was_known(answer: Any, why: str) -> None:
    found = asked(partial(searches.answering, answer=answer))
    assert found.finished
    assert found.status.startswith("the solver gave up: ")
    assert why in found.status
    assert found.lower_bound == pytest.approx(least_of(MODEL) - 1.0)
    assert found.upper_bound == MODEL.energy(np.zeros(MODEL.n, int))


def test_a_proof_by_highs_holds_within_its_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of a model with thousands of couplings is wider than rounding; it was refused as a claim that is wrong."""
    monkeypatch.setattr(milp, "FEASIBILITY", 1e-2)
    form = to_normal_form(MODEL)
    *_, before, last = milp.reports(form)
    assert last.status == PROVEN
    assert last.labeling is not None
    assert last.bound == pytest.approx(form.energy(last.labeling), rel=1e-12)
    assert before.bound is None or before.bound < form.energy(last.labeling) - 0.5 * milp.tolerance_of(form)


def decimals(constant: float = 0.0) -> bc.BinaryMRF:
    """Tables whose sums differ in their last bits: 0.1 + 0.2 is not 0.3."""
    rng = np.random.default_rng(4)
    edges = np.array([(i, j) for i in range(9) for j in range(i + 1, 9) if rng.random() < 0.5])
    tables = rng.integers(-9, 10, (len(edges), 2, 2)) / 10
    return bc.BinaryMRF(rng.integers(-9, 10, (9, 2)) / 10, edges, tables, constant=constant)


@pytest.mark.parametrize("constant", [0.0, 1e12])
@pytest.mark.parametrize("name", ["highs", pytest.param("toulbar2", marks=by_toulbar2)])
def test_proofs_hold_with_decimals_and_with_large_constants(name: str, constant: float) -> None:
    """The last bits of sums are no costs beside which all others would be penalties."""
    mrf = decimals(constant)
    found = METHODS[name].begin(mrf, 0, Account(1 << 29))
    assert isinstance(found, Rival)
    found.run()
    assert found.status == PROVEN
    assert found.upper_bound == pytest.approx(naive.optimum(mrf), rel=1e-15, abs=1e-12)
    assert found.lower_bound == found.upper_bound


def test_highs_proves_nothing_where_penalties_hide_the_costs() -> None:
    """One of three penalties must be paid, so they cannot be lowered: HiGHS cannot see the costs beside them."""
    penalty = np.array([[1e9, 0.0], [0.0, 1e9]])
    unary = np.array([[0.0, -0.001], [0.0, 0.001], [0.0, 0.0]])
    mrf = bc.BinaryMRF(unary, np.array([(0, 1), (0, 2), (1, 2)]), np.array([penalty] * 3))
    found = asked(milp.search, mrf)
    assert found.status == INEXACT
    assert found.lower_bound <= naive.optimum(mrf) == pytest.approx(999999999.999, rel=1e-15)


def test_without_memory_highs_knows_no_bound() -> None:
    """It reports that of nothing, 0, which may be far above the optimum."""

    empty = SimpleNamespace(
        cbMipImprovingSolution=SimpleNamespace(subscribe=lambda _: None),
        cbMipInterrupt=SimpleNamespace(subscribe=lambda _: None),
        run=lambda: None,
        getSolution=lambda: SimpleNamespace(value_valid=False),
        getModelStatus=lambda: SimpleNamespace(name="kMemoryLimit"),
        getInfo=lambda: SimpleNamespace(valid=False, mip_dual_bound=0.0),
    )
    (last,) = milp.solved(empty)
    assert last.bound == -math.inf


@pytest.mark.parametrize("power", [-1060, -1020, -300, 300])
def test_the_smallest_and_largest_costs_have_decimals(power: int) -> None:
    mrf = bc.BinaryMRF(np.ldexp(np.array([[0.0, 1.5], [2.75, 0.0]]), power), np.zeros((0, 2), int), np.zeros((0, 2, 2)))
    _, shift, rounding = toulbar2.precision(mrf)
    assert math.isfinite(math.ldexp(1.0, shift))
    assert rounding >= 0.0


def test_a_killed_toulbar2_is_reported_by_its_signal() -> None:
    """And neither by its last line of progress nor by a labelling that is cut off."""
    assert (
        toulbar2._failure(["New solution: 3", " 0 1 1"], -9) == "the solver gave up: its process was ended by SIGKILL"
    )


def test_a_proof_without_a_labelling_is_none() -> None:
    found = asked(searches.claiming_a_proof_first)
    assert "does not prove the energy inf" in found.status
    assert found.upper_bound == math.inf


# -- processes that fail --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("search", "why"),
    [
        (searches.failing, "there is no licence"),
        (searches.killed, "its process was ended by SIGKILL"),
        (searches.leaving, "its process gave no result"),
        (searches.ending, "its process gave no result"),
    ],
)
def test_a_process_that_fails_leaves_its_reason_and_what_was_known(search: Search, why: str) -> None:
    found = asked(search)
    assert found.finished
    assert why in found.status
    assert found.lower_bound == pytest.approx(least_of(MODEL) - 1.0)
    assert found.upper_bound == MODEL.energy(found.labeling)


def test_noise_between_reports_ends_the_run_or_waits_for_the_limit_of_time() -> None:
    found = asked(searches.writing_noise, most=0.5)
    assert (found.finished, found.status == "stopped") in ((True, False), (False, True))
    assert found.lower_bound == pytest.approx(least_of(MODEL) - 1.0)
    assert found.upper_bound == MODEL.energy(found.labeling)


@pytest.mark.skipif(not LINUX, reason="limits memory where the system can")
def test_a_process_that_eats_memory_ends_at_its_limit() -> None:
    found = asked(searches.eating, limit=rival.OF_PROCESS + (64 << 20))
    assert (found.finished, found.status) == (True, MEMORY)
    assert found.upper_bound < math.inf


def test_a_process_that_hangs_ends_at_the_limit_of_time() -> None:
    one = Lane(entry_by(_method(searches.hanging), MODEL), Limits(seconds=0.3))
    while one.outcome is None:
        one.advance()
    assert one.outcome.status == SECONDS_REACHED
    assert one.outcome.seconds >= 0.3
    assert one.outcome.upper_bound == MODEL.energy(np.zeros(MODEL.n, int))


def test_a_process_that_does_not_start_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rival, "START_SECONDS", 0.2)
    found = asked(searches.not_starting)
    assert found.status == "the solver gave up: it did not start within 0.2 s"
    assert found.seconds == 0.0


@pytest.mark.parametrize("error", [OSError("no more processes"), RuntimeError("can't start new thread")])
def test_a_process_that_cannot_be_started_is_an_error_of_memory(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise error

    account = Account(1 << 29)
    monkeypatch.setattr(rival.Child, "__enter__", refuse)
    with pytest.raises(bc.TooLargeError, match=str(error)):
        Rival(MODEL, searches.hanging, account)
    assert account.used == 0
    tight = Account(rival.OF_PROCESS)
    with pytest.raises(bc.TooLargeError, match="there is no memory for the process"):
        Rival(MODEL, searches.hanging, tight)
    assert tight.used == 0


@pytest.mark.skipif(not LINUX, reason="looks at processes as Linux does")
def test_what_a_process_has_started_ends_with_it() -> None:
    found = Rival(MODEL, searches.with_a_child, Account(1 << 28))
    found.run(1)
    other = round(least_of(MODEL) - found.lower_bound)
    assert Path(f"/proc/{other}").exists()
    found.close()
    deadline = time.monotonic() + 30.0
    while _runs(other) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _runs(other)


def _runs(process: int) -> bool:
    """Whether a process runs: one that has ended may wait for whoever is its parent now."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="holds processes where the system can")
def test_between_its_turns_a_process_is_held() -> None:
    found = Rival(MODEL, searches.counting_time, Account(1 << 28))
    found.run(5)
    for _ in range(3):
        before, until = found.lower_bound, time.monotonic() + 0.3
        time.sleep(0.3)
        # What it said before it was held comes first.
        while (told := found.lower_bound - least_of(MODEL) + 1e9) < until - 0.25:
            found.run(found.sweep + 1)
        assert found.lower_bound > before
        assert told >= until - 0.1, "it told no time in which it was held"
    found.close()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="holds processes where the system can")
def test_what_is_done_before_the_first_turn_is_counted() -> None:
    """A process that is ready does not go on before it may."""
    found = Rival(MODEL, searches.building, Account(1 << 28))
    while not found._is_ready:
        found.run(on_progress=lambda _: True)
    time.sleep(0.6)
    found.run(1)
    found.close()
    assert 0.28 <= found.building <= found.seconds


# -- what is charged ------------------------------------------------------------------------------------------


@contextlib.contextmanager
def busy_thread() -> Iterator[None]:
    """A thread that works in this process meanwhile, as in a server that draws a page."""
    is_over = threading.Event()

    def spin() -> None:
        while not is_over.is_set():
            pass

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


by_clock = pytest.mark.skipif(processor_seconds(os.getpid()) is None, reason="reads the clocks of other processes")


@by_clock
@pytest.mark.parametrize("around", [contextlib.nullcontext, busy_thread], ids=["idle", "busy"])
def test_a_process_is_charged_what_it_has_used(around: Callable[[], Any]) -> None:
    """Neither a parent that is busy nor the pauses between turns change that, at any point of its curve."""
    one, told = Lane(entry_by(_method(searches.telling_its_clock), MODEL), Limits(seconds=60.0)), list[float]()
    with around():
        while one.outcome is None:
            one.advance()
            if one.records and (bound := one.records[-1][2]) > -math.inf:
                told.append(bound - least_of(MODEL) + searches.FAR)
            time.sleep(0.01)
    first, found = one.records[0], next(record for record in one.records if record[3] < math.inf)
    least, most, least_found, most_found = (clock % 100.0 for clock in dict.fromkeys(told))
    assert 0.02 <= least <= first[0] <= most
    assert 0.14 <= least_found <= found[0] <= most_found
    assert one.outcome.building == pytest.approx(first[0])
    assert [record[0] for record in one.records] == sorted(record[0] for record in one.records)
    assert most_found <= one.outcome.seconds + 0.01


def test_news_that_arrive_late_replace_what_was_recorded_meanwhile() -> None:
    one = Lane(entry_by(METHODS["highs"], MODEL), Limits())
    one.records = [(0.01, 0, -math.inf, math.inf, 0, -1), (0.05, 0, -math.inf, math.inf, 0, -1)]
    one.seconds = 0.03
    one._note(SimpleNamespace(lower_bound=-2.0, upper_bound=-1.0, sweep=1, n_rows=0, status="stopped"))  # type: ignore[arg-type]
    assert one.records == [(0.01, 0, -math.inf, math.inf, 0, -1), (0.03, 1, -2.0, -1.0, 0, -1)]


WORKING = "import time\nwhile time.process_time() < 0.5: pass\nprint(flush=True)\ninput()"


@by_clock
def test_what_a_process_has_started_is_charged_to_it() -> None:
    """While it goes on, and once it has ended."""
    before, begun = processor_seconds(os.getpid()), own_seconds()
    assert before is not None
    assert begun is not None
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", WORKING], stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        going_on = processor_seconds(os.getpid())
        process.communicate(b"\n")
    own, ended = processor_seconds(os.getpid()), own_seconds()
    assert going_on is not None
    assert own is not None
    assert ended is not None
    assert going_on - before >= 0.5
    assert ended - begun >= 0.5 + own - before


@pytest.mark.usefixtures("no_process")
def test_where_the_system_knows_no_processor_time_the_wall_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rival, "own_seconds", lambda: None)
    monkeypatch.setattr(rival, "processor_seconds", lambda _: None)
    found = Rival(MODEL, searches.building, Account(1 << 28))
    found.run(1)
    assert 0.28 <= found.building <= found.seconds


def test_a_process_that_is_gone_has_no_clock() -> None:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    assert processor_seconds(done.pid) is None


# -- a race ---------------------------------------------------------------------------------------------------


def _method(search: Search) -> Method:
    return Method("highs", "", "", "", lambda mrf, _, account: Rival(mrf, search, account), package="highspy")


def test_those_that_fail_do_not_stop_the_others() -> None:
    account = Account(1 << 30)
    wrong = (searches.failing, searches.killed, partial(searches.answering, answer="good news"))
    limits = Limits(seconds=60.0, megabytes=200)
    lanes = [Lane(entry_by(_method(search), MODEL), limits, account=account) for search in wrong]
    lanes.append(Lane(entry_by(METHODS["highs"], MODEL), limits, account=account))
    race = Race(lanes)
    while not race.finished:
        race.advance()
    *failed, good = [lane.outcome for lane in lanes]
    assert all(outcome is not None and outcome.status.startswith("the solver gave up: ") for outcome in failed)
    assert good is not None
    assert (good.status, good.upper_bound) == (GAP_CLOSED, pytest.approx(naive.optimum(MODEL)))
    assert account.used == 0
    assert good.building > 0.0


def test_a_run_that_is_ended_frees_its_memory_and_its_process() -> None:
    account = Account(1 << 28)
    one = Lane(entry_by(_method(searches.hanging), MODEL), Limits(), account=account)
    while not one.records:
        one.advance()
    assert account.used > 0
    child = one._run._child  # type: ignore[union-attr]
    one.end()
    assert account.used == 0
    assert child._process.poll() is not None


@pytest.mark.skipif(not LINUX, reason="limits memory where the system can")
@pytest.mark.parametrize("name", ["highs", pytest.param("toulbar2", marks=by_toulbar2)])
def test_a_solver_without_memory_says_so(name: str) -> None:
    large = bc.synth.ising_grid(150, 150, torus=True, coupling="gaussian", seed=1)
    one = Lane(entry_by(METHODS[name], large), Limits(megabytes=160))
    while one.outcome is None:
        one.advance()
    assert one.outcome.status == MEMORY_REACHED


# -- the solvers ----------------------------------------------------------------------------------------------


class Here:
    """A child in the same process."""

    def __init__(self, generator: Callable[..., Iterator[Any]], *job: Any, rests: bool) -> None:
        self.ended, self.number, self.runs = False, os.getpid(), True
        self._values = generator(*job)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._values.close()  # type: ignore[attr-defined]

    def hold(self) -> None:
        pass

    go_on = hold

    def receive(self, timeout: float) -> list[Any]:
        for value in self._values:
            return [value]
        self.ended = True
        return []


@pytest.fixture
def no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rival, "Child", Here)
    for module in (milp, samplers, toulbar2):
        monkeypatch.setattr(module, "limit_memory", lambda *_: None)


def check(mrf: bc.BinaryMRF, search: Search) -> None:
    """The solver proves the optimum, or ends without a proof; its bounds hold on the way."""
    found, optimum = Rival(mrf, search, Account(1 << 29)), naive.optimum(mrf)
    slack = 1e-9 * max(1.0, abs(optimum)) + 1e-12 * float(np.abs(mrf.pairwise).sum() + np.abs(mrf.unary).sum())
    while not found.finished:
        found.run(on_progress=lambda _: True)
        assert found.lower_bound <= optimum + slack
        assert found.upper_bound >= optimum - slack
    if found.status == PROVEN:
        assert found.upper_bound == pytest.approx(optimum, abs=slack)
        assert found.upper_bound == mrf.energy(found.labeling)


PENALTY = bc.BinaryMRF(
    [[0.0, -1.0], [0.0, -1.5], [0.0, -1.25]],
    [[0, 1], [1, 2]],
    [[[0.0, 0.0], [0.0, 1e12]], [[0.0, 0.0], [0.0, 1e12]]],
    constant=7.5,
)
CASES = [
    MODEL,
    PENALTY,
    bc.BinaryMRF([[3.0, 1.0]]),
    bc.sample("tiny"),
    bc.BinaryMRF(np.zeros((4, 2)), [[0, 1]], np.zeros((1, 2, 2))),
]


@pytest.mark.usefixtures("no_process")
@pytest.mark.parametrize("mrf", CASES, ids=range(len(CASES)))
@pytest.mark.parametrize(
    "search", [milp.search, pytest.param(toulbar2.search, marks=by_toulbar2)], ids=["highs", "toulbar2"]
)
def test_solvers_prove_the_optimum(mrf: bc.BinaryMRF, search: Search) -> None:
    found = Rival(mrf, search, Account(1 << 29))
    found.run()
    assert found.status == PROVEN
    assert found.lower_bound == found.upper_bound == mrf.energy(found.labeling) == pytest.approx(naive.optimum(mrf))
    assert 0.0 < found.building <= found.seconds


@pytest.mark.slow
@pytest.mark.usefixtures("no_process")
def test_highs_is_right_on_all_models() -> None:
    @settings(max_examples=examples(60), deadline=None)
    @given(mrfs(max_n=9))
    def ask(mrf: bc.BinaryMRF) -> None:
        check(mrf, milp.search)

    ask()


@by_toulbar2
@pytest.mark.slow
@pytest.mark.usefixtures("no_process")
def test_toulbar2_is_right_on_all_models() -> None:
    @settings(max_examples=examples(12), deadline=None)
    @given(mrfs(max_n=9))
    def ask(mrf: bc.BinaryMRF) -> None:
        check(mrf, toulbar2.search)

    ask()


@by_dwave
@pytest.mark.usefixtures("no_process")
@pytest.mark.parametrize("search", [samplers.annealing, samplers.tabu], ids=["annealing", "tabu"])
@pytest.mark.parametrize("mrf", [MODEL, PENALTY], ids=["random", "penalty"])
def test_samplers_find_labellings_and_no_bound(mrf: bc.BinaryMRF, search: Search) -> None:
    found, optimum = Rival(mrf, search, Account(1 << 29)), naive.optimum(mrf)
    found.run(on_progress=lambda one: one.upper_bound <= optimum + 1e-9)
    found.close()
    assert found.upper_bound == mrf.energy(found.labeling) == pytest.approx(optimum)
    assert (found.lower_bound, found.status) == (-math.inf, "stopped")


@pytest.mark.parametrize("costs", [[1.0, 2.0], [0.25, 0.5], [1e15, 3e15], [1e-5, 0.125]])
def test_costs_of_few_places_are_exact(costs: list[float]) -> None:
    places, shift, rounding = toulbar2.precision(bc.BinaryMRF([costs, [0.0, 0.0]], [[0, 1]], np.zeros((1, 2, 2))))
    assert (shift, rounding) == (0, 0.0)
    assert np.array_equal(np.round(costs, places), costs)


@pytest.mark.parametrize("scale", [1e-30, 1e-8, 1.0, 1e30])
def test_other_costs_have_eighteen_digits_together(scale: float) -> None:
    costs = np.array([scale / 3, scale / 7])
    places, shift, rounding = toulbar2.precision(bc.BinaryMRF([costs, [0.0, 0.0]], [[0, 1]], np.zeros((1, 2, 2))))
    whole = np.ldexp(costs, shift).sum() * 10.0**places
    assert 0.4 * toulbar2.LARGEST <= whole <= toulbar2.LARGEST
    assert 0.0 < rounding <= 1e-16 * scale


@pytest.mark.parametrize(
    ("line", "bound", "status", "labeling"),
    [
        ("ready", None, READY, None),
        ("Initial lower and upper bounds: [-32.5, 32.6] 200.000%", -32.5, None, None),
        ("Optimality gap: [-28.25, -26.3] 6.403 % (8 backtracks, 19 nodes, 0.003 seconds)", -28.25, None, None),
        ("Optimum: -26.25 in 9 backtracks and 23 nodes and 0.003 seconds.", -26.25, PROVEN, None),
        (" 0 1 1", None, None, [0, 1, 1]),
    ],
)
def test_lines_of_toulbar2(line: str, bound: float | None, status: str | None, labeling: list[int] | None) -> None:
    report = toulbar2.read(line)
    assert report is not None
    assert (report.bound, report.status) == (bound, status)
    assert (None if report.labeling is None else report.labeling.tolist()) == labeling


@pytest.mark.parametrize(
    "line", ["", "Preprocessing time: 0.001 seconds.", "New solution: -26.3 (0 backtracks)", "0 1"]
)
def test_other_lines_of_toulbar2_say_nothing(line: str) -> None:
    assert toulbar2.read(line) is None


# -- in plans -------------------------------------------------------------------------------------------------


def _plan(methods: list[str]) -> Any:
    made = {"family": "ising_grid", "rows": 3, "columns": 3, "seed": [0]}
    runs = {"strategies": [], "methods": methods}
    return plan_of({"instances": [made], "runs": runs, "limits": {"seconds": 30.0}}, Path(), "rivals")


def test_a_plan_names_rivals_and_their_runs_are_kept(tmp_path: Path) -> None:
    tasks, store = _plan(["highs", "trw-s"]).tasks(), Store(tmp_path / "runs.sqlite")
    assert execute(tasks, store, here([], {}), 1)
    found = {run.task.strategy: run.outcome for run in store.runs()}
    assert found["highs"].status == GAP_CLOSED
    assert found["highs"].building > 0.0 == found["trw-s"].building
    assert found["trw-s"].lower_bound <= found["highs"].lower_bound


def test_the_version_of_a_solver_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run by another version is no run by the current one."""
    task_of = {method.name: _task(method) for method in (METHODS["proof"], METHODS["toulbar2"])}
    runs = [FinishedRun(task, Outcome(GAP_CLOSED), task.code, "") for task in task_of.values()]
    assert by_other_code(runs) == 0
    monkeypatch.setattr(deciding, "_installed", lambda name: "0.0" if name == "pytoulbar2" else version(name))
    deciding.code_version.cache_clear()
    try:
        assert {name for name, task in task_of.items() if _task(METHODS[name]).key != task.key} == {"toulbar2"}
        assert by_other_code(runs) == 1
    finally:
        deciding.code_version.cache_clear()


def _task(method: Method) -> Task:
    part = bc.partition(MODEL, max_size=2) if method.has_groups else None
    return entry_by(method, MODEL, 2 * method.has_groups, part).task(Limits())


def test_a_solver_that_is_not_installed_is_refused_with_the_way_to_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(METHODS["toulbar2"].__class__, "version", "")
    with pytest.raises(PlanError, match="'toulbar2', which is not installed; pip install pytoulbar2"):
        _plan(["toulbar2"])
