"""Contenders of a study: who they are, and when they reach what."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bender_core.engine.gap import relative_gap
from bender_core.experiments.contenders import (
    CLOSED,
    LABELLED,
    NEAR,
    NEARLY,
    SAME,
    Contender,
    Study,
    bounds_over_time,
    distances,
    first_choice,
    names,
    solves_most,
)
from tests.unit.experiments.studies import run_of, solved_in

CLIMB = [(0.1, -9.0, 4.0), (0.5, -2.018, -1.0), (1.0, -2.001, -2.0), (2.0, -2.0, -2.0)]


def test_a_contender_is_all_that_decides_a_run_but_the_instance() -> None:
    runs = [run_of(kind, k, CLIMB, size=size) for kind in (9, 11, "highs") for size in (5, 9) for k in range(2)]
    study = Study(runs)
    assert list(study.by_contender) == [
        Contender("9", 5, "", "mplp"),
        Contender("11", 5, "", "mplp"),
        Contender("9", 9, "", "mplp"),
        Contender("11", 9, "", "mplp"),
        Contender("highs", 0),
    ]
    assert names(list(study.by_contender)) == ["9 · M 5", "11 · M 5", "9 · M 9", "11 · M 9", "HiGHS"]
    for contender, by_instance in study.by_contender.items():
        assert [run.task.instance for run in by_instance.values()] == list(by_instance)
        assert all(run.task.max_size == contender.max_size for run in by_instance.values())


def test_strategies_tell_contenders_apart_only_where_an_instance_has_several() -> None:
    """The default strategy differs between the instances of a study: that makes no second contender."""
    apart = [run_of(9, 0, CLIMB, strategy="greedy"), run_of(9, 1, CLIMB, strategy="layers")]
    assert list(Study(apart).by_contender) == [Contender("9", 5, "", "mplp")]
    both = [*apart, run_of(9, 0, CLIMB, strategy="layers")]
    assert [contender.strategy for contender in Study(both).by_contender] == ["greedy", "layers"]
    assert names(list(Study(both).by_contender)) == ["9 · greedy", "9 · layers"]


def test_a_plan_that_is_half_done_has_its_strategies_apart_already() -> None:
    """No instance has runs of both yet, but its tasks say that it will."""
    runs = [run_of(9, 0, CLIMB, strategy="greedy"), run_of(9, 1, CLIMB, strategy="layers")]
    tasks = [run_of(9, k, CLIMB, strategy=name).task for k in range(2) for name in ("greedy", "layers")]
    assert [contender.strategy for contender in Study(runs, tasks).by_contender] == ["greedy", "layers"]


def test_the_families_of_a_study_are_studies_with_the_same_contenders() -> None:
    runs = [run_of(9, k, CLIMB, strategy=name, rows=5 + k) for k in (0, 1, 1) for name in ("greedy", "layers")][:-1]
    study = Study(runs)
    assert study.families == ["ising_grid 5", "ising_grid 6"]
    parts = [study.of(family) for family in study.families]
    assert [run for part in parts for run in part.runs] == runs
    for part in parts:
        assert set(part.by_contender) <= set(study.by_contender)
    assert study.of("ising_grid 5") is parts[0]


def test_others_are_compared_with_the_contender_that_solves_most() -> None:
    study = Study(solved_in({9: [1.0, math.inf], 11: [5.0, 6.0], "highs": [3.0, 4.0]}))
    contenders = list(study.by_contender)
    assert solves_most(study, contenders, CLOSED).kind == "11", "the first of several"
    assert solves_most(study, contenders[:1], CLOSED).kind == "9"


def test_targets_are_reached_when_their_sentences_say() -> None:
    study = Study([run_of(9, 0, CLIMB)])
    (contender,) = study.by_contender
    (instance,) = study.best
    reached = {target: study.seconds(target)[contender][instance] for target in (CLOSED, NEAR, NEARLY, LABELLED)}
    assert reached == {CLOSED: 2.0, NEARLY: 0.5, NEAR: 1.0, LABELLED: 1.0}


def test_distances_are_to_the_best_labelling_of_all_runs() -> None:
    """The energy found by another run counts: a contender's own labelling may be worse."""
    own, other = (
        run_of(9, 0, [(1.0, -2.0, -1.0)], closed=False),
        run_of("tabu", 0, [(0.1, -math.inf, -1.99)], closed=False),
    )
    study = Study([own, other])
    nine, tabu = study.by_contender
    (instance,) = study.best
    assert study.best[instance] == -1.99
    assert study.seconds(NEARLY)[nine][instance] == 1.0
    assert math.isinf(Study([own]).seconds(NEARLY)[nine][instance])
    assert math.isinf(study.seconds(NEARLY)[tabu][instance]), "it has no bound"
    assert study.seconds(LABELLED)[tabu][instance] == pytest.approx(0.1)
    assert math.isinf(study.seconds(LABELLED)[nine][instance])
    assert math.isinf(study.seconds(CLOSED)[nine][instance])


def test_a_run_that_never_began_reaches_nothing() -> None:
    study = Study([run_of(9, 0, [], closed=False), run_of(11, 0, CLIMB)])
    nine, _ = study.by_contender
    (instance,) = study.best
    assert all(math.isinf(study.seconds(target)[nine][instance]) for target in (CLOSED, NEAR, LABELLED))


@given(st.lists(st.floats(-1e9, 1e9) | st.just(-math.inf), max_size=8), st.floats(-1e9, 1e9) | st.just(math.inf))
def test_distances_of_arrays_are_relative_gaps(bounds: list[float], energy: float) -> None:
    found = distances(np.array(bounds, float), energy)
    false = [bound > energy + SAME * max(abs(bound), abs(energy)) for bound in bounds]
    expected = [math.inf if wrong else relative_gap(bound, energy) for bound, wrong in zip(bounds, false, strict=True)]
    assert found.tolist() == pytest.approx(expected)


def test_a_false_claim_solves_nothing() -> None:
    """Another run has found a labelling below the bound that is claimed to be proven."""
    wrong = run_of("highs", 0, [(1.0, -5.0, -5.0)])
    right = run_of("toulbar2", 0, [(2.0, -6.0, -6.0)])
    study = Study([wrong, right])
    highs, toulbar2 = study.by_contender
    (instance,) = study.best
    for target in (CLOSED, NEAR, NEARLY, LABELLED):
        assert math.isinf(study.seconds(target)[highs][instance])
        assert study.seconds(target)[toulbar2][instance] == 2.0


def test_a_bound_that_fell_was_reached_before() -> None:
    study = Study([run_of("highs", 0, [(0.25, -2.0, -2.0), (0.5, -9.0, -2.0)], closed=False)])
    (highs,), (instance,) = study.by_contender, study.best
    assert study.seconds(NEAR)[highs][instance] == 0.25


def test_a_record_is_not_after_the_end_of_its_run() -> None:
    """Seconds of curves are rounded to single precision."""
    run = run_of(9, 0, [(0.1, -2.0, -2.0)])
    assert float(np.float32(0.1)) > 0.1
    assert bounds_over_time(run)[0][-1] == 0.1


def test_shared_instances_are_those_on_which_all_have_run() -> None:
    runs = [run_of(9, k, CLIMB) for k in (0, 1, 2)] + [run_of(11, k, CLIMB) for k in (2, 1, 5)]
    study = Study(runs)
    seeds = [dict(instance.values)["seed"] for instance in study.shared(study.by_contender)]
    assert seeds == [1, 2]


def test_too_many_contenders_begin_with_those_of_the_largest_m() -> None:
    some = [Contender(str(kind), size, "", "mplp") for size in (5, 9) for kind in range(1, 13)]
    assert first_choice(some, 24) == some
    more = [*some, *(Contender(str(kind), 13, "", "mplp") for kind in range(1, 13)), Contender("highs", 0)]
    assert first_choice(more, 24) == more[-13:]
    many = [Contender(str(kind), 9, f"s{strategy}", "mplp") for kind in range(1, 13) for strategy in range(5)]
    highs = Contender("highs", 0)
    assert first_choice([*many, highs], 24) == [*many[::5], highs]
    assert first_choice([], 24) == []


def test_only_what_differs_is_in_a_name() -> None:
    assert names([Contender("9", 5, "greedy", "mplp"), Contender("11", 5, "greedy", "mplp")]) == ["9", "11"]


def test_the_best_energy_is_that_of_all_runs_on_an_instance() -> None:
    study = Study(solved_in({9: [1.0, math.inf], 11: [2.0, 3.0]}))
    assert list(study.best.values()) == [-2.0, -2.0]
