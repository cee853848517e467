"""Proofs beside runs: in a race, in a plan, and in tables."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core.account import Account
from bender_core.experiments import FinishedRun, Limits, Store, curve_of, deciding, execute, perform
from bender_core.experiments.lane import Entry, Lane
from bender_core.experiments.outcome import GAP_CLOSED, MEMORY_REACHED, SECONDS_REACHED
from bender_core.experiments.plan import FIRST_ROUND, Plan, Task, plan_of
from bender_core.experiments.race import Race
from bender_core.experiments.report import report
from bender_core.experiments.tables import by_other_code, gaps, of_plan, proofs, timings
from bender_core.trying.policy import SMALL
from tests.unit.experiments.plans import here
from tests.unit.trying.test_certifying import frustrated

MODEL = bc.synth.body_pose(candidates=8, seed=1)
LIMITS = Limits(sweeps=1, seconds=1e9)


def lane(mrf: bc.BinaryMRF = MODEL, most: int = 16, account: Account | None = None) -> Lane:
    """A proof of which every turn takes a second."""
    entry = Entry(mrf, bc.partition(mrf, min(SMALL, most)), most, *FIRST_ROUND, proves=True)
    return Lane(entry, LIMITS, itertools.count(0.0, 1.0).__next__, account)


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
    for column, sign in (("sweep", 1), ("lower_bound", 1), ("upper_bound", -1)):
        assert (np.diff(sign * curve[column]) >= 0).all()
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
    chosen = {"sizes": [3, 6], "variants": [9, 11], "strategies": ["greedy", "proof"], **runs}
    made = {"family": "ising_grid", "rows": 3, "columns": 3, "seed": [0, 1]}
    return plan_of({"instances": [made], "runs": chosen, "limits": {"sweeps": 1}}, Path(), "proofs")


def test_a_proof_is_one_run_for_every_size_whatever_the_variants() -> None:
    mine = plan(schedules=["mplp", "srmp"])
    tasks = mine.tasks()
    asked = [task for task in tasks if task.proves]
    assert len(mine) == len(tasks) == 2 * 2 * (2 * 2 + 1)
    assert [(task.max_size, task.title) for task in asked[:2]] == [
        (size, f"ising_grid 0, M {size}, proof") for size in (3, 6)
    ]
    assert all(task.load()[1].largest <= min(task.max_size, SMALL) for task in asked)
    assert len({task.key for task in tasks}) == len(tasks), "its groups may be those of a run"


def test_a_key_says_what_decides_a_proof_and_nothing_else() -> None:
    mrf = bc.BinaryMRF(unary=[[0.0, 1.0]] * 6, positions=np.zeros((6, 2)), groups=["a"] * 6)

    def key(mrf: bc.BinaryMRF, most: int = 6, limits: Limits = LIMITS) -> str:
        return Entry(mrf, bc.partition(mrf, 5, "greedy"), most, *FIRST_ROUND, proves=True).task(limits).key

    assert key(mrf) == key(mrf, most=20) == key(mrf, limits=replace(LIMITS, sweeps=9))
    others = [key(mrf, most=3), key(mrf, limits=replace(LIMITS, seconds=9.0))]
    # Strategies that cut anew look at these.
    others += [key(replace(mrf, positions=np.ones((6, 2)))), key(replace(mrf, groups=["a"] * 5 + ["b"]))]
    assert len({key(mrf), *others}) == 5


def test_a_proof_that_does_not_fit_has_not_begun() -> None:
    one = lane(account=Account(100))
    one.advance()
    one.advance()
    with pytest.raises(bc.TooLargeError):
        one.advance()
    one.end()
    assert (one.outcome, one.records) == (None, [])


def test_a_key_says_what_code_and_size_decide_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def keys() -> dict[tuple[int, bool], str]:
        return {(task.max_size, task.proves): task.key for task in plan(variants=[12]).tasks()}

    before = keys()
    monkeypatch.setattr(deciding, "OF_PROOFS", ())
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
    small, large = proofs(runs)
    mine = [run.outcome for run in runs if run.task.proves and run.task.max_size == 6]
    assert (small.max_size, large.max_size, large.count, large.proven) == (3, 6, 2, 2)
    assert large.seconds == np.median([one.seconds for one in mine])
    assert math.isnan(large.gap)
    assert {row.variant for row in gaps(runs)} == {9, 11}
    assert not any(timing.run.task.proves for timing in timings(runs))
    assert "Proofs with groups of up to 6: 2 of 2 models proven, median " in report(runs)
    alone = report([run for run in runs if run.task.proves])
    assert "variant" not in alone


def test_a_proof_without_room_has_an_outcome() -> None:
    task: Task = plan().tasks()[-1]
    assert task.proves
    assert perform(task).status == GAP_CLOSED
    tight = Task(**{**vars(task), "limits": Limits(megabytes=0)})
    found = perform(tight)
    assert found.status == MEMORY_REACHED
    assert report([FinishedRun(tight, found, tight.code, "")]).endswith("of up to 6: 0 of 1 models proven")
