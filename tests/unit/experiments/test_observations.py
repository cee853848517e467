"""The paper's observations, on runs constructed so that each holds or fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bender_core.experiments import FinishedRun, Instance, Limits, Outcome, Task
from bender_core.experiments.observations import EVERYWHERE, PAPERS, SUBSTANTIAL_SECONDS, observations
from bender_core.experiments.outcome import SECONDS_REACHED
from bender_core.experiments.report import report

GAP, GROWTH, AHEAD, REVERSE, ALIKE = range(5)
BASELINE_SECONDS = [0.1, 1.0, 10.0, 100.0]
FASTEST = {4: 0.5, 9: 0.6}


def run(variant: int, seed: int, seconds: float, gap: float = 0.0, status: str = "closed") -> FinishedRun:
    instance = Instance("body_pose", (("seed", seed),))
    task = Task(f"{variant}-{seed}", "", instance, 5, "groups", variant, "mplp", Limits())
    return FinishedRun(task, Outcome(status, -1.0, -1.0 + gap, seconds=seconds), "code", "now")


def study(**changes: float) -> list[FinishedRun]:
    """Runs of a study in which all five hold, or with other ``slope``, ``slow``, ``half``, ``gap``, ``fastest``."""
    runs = [run(11, seed, seconds) for seed, seconds in enumerate(BASELINE_SECONDS)]
    for variant in PAPERS:
        factor = FASTEST.get(variant, 1.0) * (changes.get("half", 1.0) if variant in (3, 8) else 1.0)
        if variant == 1:
            factor *= changes.get("fastest", 1.0)
        for seed, seconds in enumerate(BASELINE_SECONDS):
            mine = changes.get("slow", 0.3) * factor * seconds ** changes.get("slope", 0.5)
            runs.append(run(variant, seed, mine, changes.get("gap", 0.0)))
    return runs


def test_all_hold_where_they_do() -> None:
    found = observations(study())
    assert [look.holds for look in found] == [True] * 5
    assert found[GAP].numbers.startswith("100 % of the 40 runs")
    assert "to the power of 0.50 to 0.50" in found[GROWTH].numbers
    assert "on 2 of 4 partitions; there 100 % of the runs are faster" in found[AHEAD].numbers
    assert "on the loosest edge 4: 0.27, 1: 0.53, 2: 0.53," in found[REVERSE].numbers
    assert "on all edges 9: 0.32, 6: 0.53," in found[REVERSE].numbers
    assert found[ALIKE].numbers.endswith("1.00 on the loosest edge, 1.00 on all edges.")
    assert sum(seconds >= SUBSTANTIAL_SECONDS for seconds in BASELINE_SECONDS) == 2


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"gap": 0.02}, GAP),
        ({"slope": 1.1}, GROWTH),
        ({"slow": 50.0}, AHEAD),
        ({"fastest": 0.1}, REVERSE),
        ({"half": 2.0}, ALIKE),
    ],
)
def test_each_fails_where_it_does_not_hold(change: dict[str, float], fails: int) -> None:
    assert not observations(study(**change))[fails].holds


def test_the_fastest_of_each_kind_of_edge_may_be_slower_than_one_of_the_other() -> None:
    """The sentence says no more than what is tested: 9 need not be faster than 2."""
    runs = [
        replace(r, outcome=replace(r.outcome, seconds=3 * r.outcome.seconds)) if r.task.variant in EVERYWHERE else r
        for r in study()
    ]
    found = observations(runs)[REVERSE]
    assert found.holds
    assert found.claim.startswith("Of the variants on the loosest edge and of those on all edges, the one with ")


def test_a_baseline_at_its_limit_proves_nothing_about_gaps() -> None:
    runs = [r for r in study() if r.task.key != "11-3"]
    runs.append(run(11, 3, 100.0, gap=0.5, status=SECONDS_REACHED))
    assert observations(runs)[GAP].numbers.startswith("100 % of the 30 runs")


def test_only_partitions_with_all_variants_count() -> None:
    runs = [r for r in study() if r.task.key != "7-2"]
    assert "of 3 partitions" in observations(runs)[AHEAD].numbers
    assert observations([r for r in study() if r.task.variant != 7]) == []
    assert "What the paper observed" not in report([r for r in study() if r.task.variant != 7])


def test_the_report_lists_them() -> None:
    said = report(study(slope=1.1))
    assert "holds: The gap hardly depends on the variant" in said
    assert "does not hold: The longer the baseline takes" in said
