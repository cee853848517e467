"""Methods beside runs: in a race, in a plan, in a store, and in tables."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core.account import Account
from bender_core.experiments import FinishedRun, Limits, Outcome, Store, curve_of, deciding, execute, perform
from bender_core.experiments.contenders import CLOSED, Study
from bender_core.experiments.lane import Entry, Lane, entry_by
from bender_core.experiments.methods import METHODS
from bender_core.experiments.outcome import GAP_CLOSED, MEMORY_REACHED, SECONDS_REACHED
from bender_core.experiments.plan import Plan, PlanError, Task, plan_of
from bender_core.experiments.profiles import summaries
from bender_core.experiments.race import Race
from bender_core.experiments.report import report
from bender_core.experiments.tables import by_other_code, columns, gaps, of_plan, timings, to_csv
from bender_core.trying.policy import SMALL
from bender_core.trying.proof import Descent
from bender_core.units import figures
from tests.unit.experiments.plans import here
from tests.unit.trying.test_certifying import frustrated

MODEL = bc.synth.body_pose(candidates=8, seed=1)
LIMITS = Limits(sweeps=1, seconds=1e9)


def lane(
    mrf: bc.BinaryMRF = MODEL,
    most: int = 16,
    account: Account | None = None,
    method: str = "proof",
    limits: Limits = LIMITS,
) -> Lane:
    """A run of a method of which every turn takes a second."""
    how = METHODS[method]
    entry = entry_by(how, mrf, most, bc.partition(mrf, min(SMALL, most))) if how.has_groups else entry_by(how, mrf)
    return Lane(entry, limits, itertools.count(0.0, 1.0).__next__, account)


def run_to_the_end(one: Lane) -> Outcome:
    while one.outcome is None:
        one.advance()
    return one.outcome


def test_a_proof_ends_in_a_race_as_it_does_alone() -> None:
    """Between the turns of a run, and whatever the limit of sweeps."""
    proof = lane()
    run = Lane(Entry(MODEL, bc.partition(MODEL, 8), 8, 9, "mplp"), Limits(seconds=1e9), proof.clock)
    race = Race([proof, run])
    while not race.finished:
        race.advance()
    alone, found = bc.certify(MODEL), proof.outcome
    assert found is not None
    assert alone.optimal
    assert (found.status, found.gap) == (GAP_CLOSED, 0.0)
    assert (found.lower_bound, found.upper_bound) == (alone.lower_bound, alone.upper_bound)
    assert found.sweeps == sum(one.sweeps for one in alone.rounds) > 1
    best = np.unpackbits(np.frombuffer(found.labeling, np.uint8), count=MODEL.n)
    assert best.tolist() == alone.labeling.tolist()
    curve = curve_of(found.curve)
    assert np.isfinite(curve["lower_bound"]).all()
    for column, sign in (("sweep", 1), ("lower_bound", 1), ("upper_bound", -1), ("work", 1)):
        assert (np.diff(sign * curve[column]) >= 0).all()
    itself = Descent(MODEL)
    itself.run()
    assert curve["work"][-1] == itself.known.work + itself.cycles.work > itself.known.work > 0
    assert (curve["lower_bound"][-1], curve["lower_bound"][0] < alone.upper_bound) == (alone.upper_bound, True)


@pytest.mark.parametrize("turns", [1, 3, 12])
def test_a_proof_that_is_stopped_frees_its_memory(turns: int) -> None:
    account = Account(1 << 30)
    one = lane(frustrated(14), 3, account)
    for _ in range(turns):
        one.advance()
    assert (account.used > 0) == (turns > 1)
    one.end()
    assert account.used == 0
    assert one.outcome is not None
    assert (one.outcome.status, one.outcome.seconds) == (SECONDS_REACHED, turns)
    assert (one.outcome.lower_bound > -math.inf) == (turns > 1)
    assert one.share == 1.0


def plan(**runs: object) -> Plan:
    chosen = {"sizes": [3, 6], "variants": [9, 11], "strategies": ["greedy"], "methods": ["proof"], **runs}
    chosen = {name: values for name, values in chosen.items() if values is not None}
    made = {"family": "ising_grid", "rows": 3, "columns": 3, "seed": [0, 1]}
    return plan_of({"instances": [made], "runs": chosen, "limits": {"sweeps": 1}}, Path(), "proofs")


def first_of(task: Task) -> bc.Partition:
    part = task.load()[1]
    assert part is not None
    return part


def test_a_proof_is_one_run_for_every_size_whatever_the_variants() -> None:
    mine = plan(schedules=["mplp", "srmp"])
    tasks = mine.tasks()
    proofs = [task for task in tasks if task.method]
    assert len(mine) == len(tasks) == 2 * 2 * (2 * 2 + 1)
    assert [(task.max_size, task.title) for task in proofs[:2]] == [
        (size, f"ising_grid 3×3 seed 0, M {size}, proof") for size in (3, 6)
    ]
    assert all(first_of(task).largest <= min(task.max_size, SMALL) for task in proofs)
    assert len({task.key for task in tasks}) == len(tasks), "its groups may be those of a run"


def test_a_key_says_what_decides_a_proof_and_nothing_else() -> None:
    mrf = bc.BinaryMRF(unary=[[0.0, 1.0]] * 6, positions=np.zeros((6, 2)), groups=["a"] * 6)

    def key(mrf: bc.BinaryMRF, most: int = 6, limits: Limits = LIMITS) -> str:
        return entry_by(METHODS["proof"], mrf, most, bc.partition(mrf, 5, "greedy")).task(limits).key

    assert key(mrf) == key(mrf, most=20) == key(mrf, limits=replace(LIMITS, sweeps=9))
    others = [key(mrf, most=3), key(mrf, limits=replace(LIMITS, seconds=9.0))]
    # Strategies that cut anew look at these.
    others += [key(replace(mrf, positions=np.ones((6, 2)))), key(replace(mrf, groups=["a"] * 5 + ["b"]))]
    assert len({key(mrf), *others}) == 5
    # What makes no groups does not look at them.
    moved = replace(mrf, positions=np.ones((6, 2)), groups=["a"] * 5 + ["b"])
    assert len({entry_by(METHODS["cycles"], each).task(LIMITS).key for each in (mrf, moved)}) == 1


def test_a_proof_that_does_not_fit_has_not_begun() -> None:
    one = lane(account=Account(100))
    while one.outcome is None:
        one.advance()
    assert (one.outcome.status, one.outcome.lower_bound, one.records) == (MEMORY_REACHED, -math.inf, [])


def test_a_key_says_what_code_and_size_decide_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def keys() -> dict[tuple[int, bool], str]:
        return {(task.max_size, task.method is not None): task.key for task in plan(variants=[12]).tasks()}

    before = keys()
    monkeypatch.setattr(deciding, "OF_METHODS", ())
    deciding.code_version.cache_clear()
    after = keys()
    deciding.code_version.cache_clear()
    assert [cut for cut in before if before[cut] != after[cut]] == [(3, True), (6, True)]


def test_tables_have_proofs_apart(tmp_path: Path) -> None:
    tasks, store = plan().tasks(), Store(tmp_path / "a.sqlite")
    execute(tasks, store, here([], {}), 1)
    runs = of_plan(store.runs(), tasks)
    assert [run.task for run in runs] == tasks
    assert by_other_code(runs) == 0
    study = Study([run for run in runs if run.task.method])
    small, large = summaries(study, list(study.by_contender), CLOSED)
    mine = sorted(run.outcome.seconds for run in runs if run.task.method and run.task.max_size == 6)
    assert (small.contender.max_size, large.contender.max_size, large.count, large.reached) == (3, 6, 2, 2)
    assert large.seconds.tolist() == [mine[0], mine[0], mine[1]]
    assert large.gaps.tolist() == [0.0] * 3
    assert {row.variant for row in gaps(runs)} == {9, 11}
    assert not any(timing.run.task.method for timing in timings(runs))
    row = next(line.split() for line in report(runs).splitlines() if line.startswith("proof · M 6"))
    assert row[4:8] == ["2", "2", *[figures(large.seconds[0])] * 2]
    alone = report([run for run in runs if run.task.method])
    assert "variant" not in alone


def test_a_proof_without_room_has_an_outcome() -> None:
    task: Task = plan().tasks()[-1]
    assert task.method
    assert perform(task).status == GAP_CLOSED
    tight = Task(**{**vars(task), "limits": Limits(megabytes=0)})
    found = perform(tight)
    assert found.status == MEMORY_REACHED
    last = report([FinishedRun(tight, found, tight.code, "")]).splitlines()[-1]
    assert last.split() == ["proof", "0", "1", *"–––", "1", *"–––"], "one run at its limit of memory"


# -- methods without groups -----------------------------------------------------------------------------------

TORUS = bc.synth.ising_grid(6, 6, torus=True, coupling="gaussian", seed=2)


OURS = [name for name, method in METHODS.items() if not (method.package or method.schedule)]


@pytest.mark.parametrize("method", OURS)
def test_every_method_ends_in_a_race_with_a_proof_of_the_optimum(method: str) -> None:
    account = Account(1 << 30)
    one, best = lane(TORUS, account=account, method=method), bc.certify(TORUS)
    found = run_to_the_end(one)
    assert best.optimal
    assert found.upper_bound == best.upper_bound
    assert found.lower_bound <= best.upper_bound
    if method != "proof by groups":
        assert (found.status, found.gap, found.lower_bound) == (GAP_CLOSED, 0.0, best.upper_bound)
    curve = curve_of(found.curve)
    assert (np.diff(curve["sweep"]) >= 0).all()
    assert (np.diff(curve["lower_bound"]) >= 0).all()
    assert curve["lower_bound"][-1] == found.lower_bound
    assert account.used == 0, "its memory is free"


@pytest.mark.parametrize(("method", "schedule"), [("mplp", "mplp"), ("trw-s", "srmp")])
def test_messages_between_single_variables_are_those_of_a_run_on_groups_of_one(method: str, schedule: str) -> None:
    found = run_to_the_end(lane(TORUS, method=method))
    engine = bc.Engine(TORUS, bc.partition(TORUS, 1), variant=12, schedule=schedule)
    assert engine.run()
    assert (found.lower_bound, found.upper_bound) == (engine.lower_bound, engine.upper_bound)
    assert (found.sweeps, found.status) == (engine.sweep, "no progress")
    assert METHODS[method].first_groups(TORUS, 16) == (1, "groups")


@pytest.mark.parametrize(("method", "alone"), [("cycles", bc.Packing), ("mplp-cp", bc.CyclePursuit)])
def test_rounds_count_as_sweeps(method: str, alone: type[bc.Packing] | type[bc.CyclePursuit]) -> None:
    """Whatever the limit of sweeps, and as without a race."""
    found, itself = run_to_the_end(lane(TORUS, method=method)), alone(TORUS)
    assert itself.run()
    assert found.sweeps == itself.rounds == itself.sweep > LIMITS.sweeps
    assert curve_of(found.curve)["sweep"].tolist() == list(range(1, itself.rounds + 1))
    assert curve_of(found.curve)["work"][-1] == itself.work > 0
    assert (found.upper_bound, found.rows) == (itself.upper_bound, 0)


def complete(costs: list[float]) -> bc.BinaryMRF:
    """Five variables that all want to differ; cycles bound a third of the couplings, and two fifths must break."""
    edges = [(i, j) for i in range(5) for j in range(i)]
    return bc.BinaryMRF(np.zeros((5, 2)), edges, [[[cost, 0.0], [0.0, cost]] for cost in costs])


@pytest.mark.parametrize("method", ["cycles", "mplp-cp"])
def test_a_bound_that_is_stuck_ends_with_a_gap(method: str) -> None:
    mrf = complete([1.0 + 0.001 * math.sqrt(k) for k in range(10)])
    found = run_to_the_end(lane(mrf, method=method))
    assert found.status == "nothing left to try"
    assert 3.3 < found.lower_bound < 3.5 < 4.0 < found.upper_bound < 4.1


def test_where_no_energy_lies_between_the_bounds_they_meet() -> None:
    found = run_to_the_end(lane(complete([1.0] * 10), method="cycles"))
    assert (found.status, found.lower_bound, found.upper_bound) == (GAP_CLOSED, 4.0, 4.0)
    assert curve_of(found.curve)["lower_bound"][-1] == 4.0


def test_rounds_that_no_longer_fit_end_with_their_bounds() -> None:
    whole = Account(1 << 30)
    first = lane(TORUS, account=whole, method="mplp-cp")
    first.advance()
    needed = whole.used
    tight = Account(needed + 1000)
    one = lane(TORUS, account=tight, method="mplp-cp")
    found = run_to_the_end(one)
    assert (found.status, tight.used, one.share) == (MEMORY_REACHED, 0, 1.0)
    assert -math.inf < found.lower_bound < found.upper_bound
    assert one.limits == LIMITS, "it was not stopped"
    for method in ("cycles", "mplp-cp"):
        assert run_to_the_end(lane(TORUS, account=Account(100), method=method)).status == MEMORY_REACHED


@pytest.mark.parametrize("method", ["cycles", "mplp-cp"])
def test_rounds_end_at_their_time_or_at_a_stop(method: str) -> None:
    timed = run_to_the_end(lane(TORUS, method=method, limits=Limits(seconds=2.0)))
    assert (timed.status, timed.seconds) == (SECONDS_REACHED, 2.0)
    account = Account(1 << 30)
    stopped = lane(TORUS, account=account, method=method)
    for _ in range(3):
        stopped.advance()
    assert account.used > 0
    stopped.end()
    assert stopped.outcome is not None
    assert (account.used, stopped.outcome.status, stopped.limits.seconds) == (0, SECONDS_REACHED, 3.0)


def test_methods_without_groups_are_one_run_for_an_instance() -> None:
    mine = plan(methods=["mplp-cp", "cycles", "proof by groups", "proof by cycles"])
    tasks = [task for task in mine.tasks() if task.method]
    assert len(mine.tasks()) == len(mine) == 2 * (2 * 2 + 3 + 2)
    assert [(task.strategy, task.max_size) for task in tasks[:5]] == [
        ("mplp-cp", 0),
        ("cycles", 0),
        ("proof by groups", 3),
        ("proof by groups", 6),
        ("proof by cycles", 0),
    ]
    assert [task.title for task in tasks[:3]] == [
        "ising_grid 3×3 seed 0, MPLP with cycle pursuit",
        "ising_grid 3×3 seed 0, cycles",
        "ising_grid 3×3 seed 0, M 3, proof by groups",
    ]
    assert len({task.key for task in tasks}) == len(tasks)
    assert {task.load()[1] is None for task in tasks if task.max_size == 0} == {True}
    told: list[str] = []
    mine.tasks(lambda share, doing: told.append(doing))
    assert told[-1].startswith("partition 8 of 8: proof by groups, M 6, ising_grid 3×3 seed 1")


def test_a_plan_of_methods_without_groups_needs_no_sizes() -> None:
    data = {"instances": [{"family": "ising_grid"}], "runs": {"strategies": [], "methods": ["cycles", "mplp-cp"]}}
    mine = plan_of(data, Path(), "p")
    assert [task.strategy for task in mine.tasks()] == ["cycles", "mplp-cp"]
    for runs, sentence in (
        ({"strategies": []}, "[runs] strategies is empty; give at least one"),
        ({"methods": ["cycles"]}, "[runs] has no sizes"),
        ({"strategies": [], "methods": ["proof"]}, "[runs] has no sizes"),
        ({"sizes": [4], "methods": ["both"]}, "[runs] methods contains 'both'; choose from proof, proof by groups"),
    ):
        with pytest.raises(PlanError) as caught:
            plan_of(data | {"runs": runs}, Path(), "p")
        assert sentence in str(caught.value)


def test_plans_of_earlier_versions_name_the_proof_among_strategies() -> None:
    earlier, now = plan(strategies=["greedy", "proof"], methods=None), plan()
    assert (earlier.strategies, earlier.methods) == (("greedy",), ("proof",))
    assert earlier.tasks() == now.tasks()
    assert plan(strategies=["proof"], methods=None).strategies == ()


def test_keys_of_earlier_kinds_of_runs_have_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Computed by the version before there were methods, with the same code."""
    monkeypatch.setattr(
        "bender_core.experiments.plan.code_version", lambda by_method, _: "methods" if by_method else "runs"
    )
    mrf = bc.BinaryMRF(unary=[[0.0, 1.0]] * 6, positions=np.arange(12.0).reshape(6, 2), groups=list("aabbcc"))
    part = bc.manual(mrf, [[0, 1], [2, 3, 4], [5]])
    run = Entry(mrf, part, 3, 9, "mplp").task(Limits(7, 8.0, 9))
    proof = entry_by(METHODS["proof"], mrf, 4, part).task(Limits(7, 8.0, 9))
    assert (run.key, proof.key) == ("32f2bfe463f86dd77751f989d1a089f3", "5c23090c8dc6f99f164368431e71de67")
    assert (proof.variant, proof.schedule, proof.strategy, proof.max_size) == (12, "mplp", "proof", 4)


def test_runs_of_methods_come_back_from_a_store(tmp_path: Path) -> None:
    tasks, store = plan(methods=OURS).tasks(), Store(tmp_path / "a.sqlite")
    execute(tasks, store, here([], {}), 1)
    assert store.missing(tasks) == []
    runs = of_plan(store.runs(), tasks)
    assert [run.task for run in runs] == tasks
    by_contender = Study([run for run in runs if run.task.method]).by_contender
    assert [contender[:2] for contender in by_contender] == [
        ("proof by cycles", 0),
        ("cycles", 0),
        ("mplp-cp", 0),
        ("proof", 3),
        ("proof by groups", 3),
        ("proof", 6),
        ("proof by groups", 6),
    ]
    assert [len(each) for each in by_contender.values()] == [2] * 7
    told = report(runs)
    for name in ("proof by groups · M 3", "proof by cycles", "cycles", "mplp-cp"):
        assert re.search(rf"^{name} +2 +2 ", told, re.MULTILINE), name
    found = columns(run for run in runs if run.task.strategy == "cycles")
    assert [found[name] for name in ("M", "variant", "schedule", "rows")] == [[None, None]] * 4
    assert found["status"] == [GAP_CLOSED] * 2
    assert "\nising_grid 3×3 seed 0,,cycles,,,gap closed," in to_csv(runs)
