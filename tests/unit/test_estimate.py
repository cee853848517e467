"""Predicted memory against what an engine really holds, and what is refused."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core.estimate import ROWS_KEPT, SNAPSHOTS, largest_fit, memory_limit, required_bytes

SAMPLES = Path(__file__).parents[2] / "sample_instances"
GB = 1 << 30


def sample(name: str) -> bc.BinaryMRF:
    return bc.load(SAMPLES / f"{name}.mrf.json")


def size(arrays: Iterable[object]) -> int:
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


@pytest.mark.parametrize(
    ("name", "max_size"),
    [("pose-small", 6), ("pose", 8), ("pose", 12), ("pose", 16), ("torus-10x10", 10), ("karate", 12)],
)
def test_the_bytes_of_the_tables(name: str, max_size: int) -> None:
    mrf = sample(name)
    part = bc.partition(mrf, max_size)
    engine = bc.Engine(mrf, part, 11)
    held = size(engine._problem) + (1 + SNAPSHOTS) * size(engine._state) + size(engine._work)
    assert required_bytes(mrf, part, 11) == pytest.approx(held, rel=0.25)


@pytest.mark.parametrize("max_size", [6, 8, 10, 12])
def test_the_bytes_of_a_row(max_size: int) -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, max_size)
    engine = bc.Engine(mrf, part, 9)
    rows = ROWS_KEPT * part.max_size * len(engine.graph.edges)
    predicted = (required_bytes(mrf, part, 9) - required_bytes(mrf, part, 11)) / rows
    assert predicted == pytest.approx(size(engine._pool) / len(engine._pool.edge), rel=0.25)


def test_the_bytes_of_a_whole_run_at_full_size() -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 16)
    engine = bc.Engine(mrf, part, 9)
    engine.run()
    kept = size(engine._pool) * engine.n_rows / len(engine._pool.edge)
    held = size(engine._problem) + (1 + SNAPSHOTS) * size(engine._state) + size(engine._work) + kept
    assert required_bytes(mrf, part, 9) == pytest.approx(held, rel=0.25)


@pytest.mark.parametrize("variant", [4, 9, 11])
@pytest.mark.parametrize("strategy", ["groups", "greedy"])
def test_a_refusal_names_the_largest_group_size_that_fits(strategy: str, variant: int) -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 12, strategy)
    limit = required_bytes(mrf, part, variant) - 1
    with pytest.raises(bc.TooLargeError, match="more than the limit of") as refusal:
        bc.Engine(mrf, part, variant, limit=limit)
    named = int(re.search(r"M = (\d+) would fit", str(refusal.value))[1])
    assert named == largest_fit(mrf, part, variant, limit) < part.max_size
    bc.Engine(mrf, bc.partition(mrf, named, strategy), variant, limit=limit)
    for larger in range(named + 1, part.max_size + 1):
        assert required_bytes(mrf, bc.partition(mrf, larger, strategy), variant) > limit


def test_groups_of_24_are_refused_before_anything_is_allocated() -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 24, "greedy")
    with pytest.raises(bc.TooLargeError, match=r"groups of up to 24 variables need \S+ GB.*; M = \d+ would fit"):
        bc.Engine(mrf, part, 9, limit=GB)


def test_where_nothing_fits_the_advice_is_to_cut() -> None:
    mrf = sample("tiny")
    with pytest.raises(bc.TooLargeError, match="cut it into smaller groups"):
        bc.Engine(mrf, bc.partition(mrf, 3), 9, limit=1)


def test_groups_made_by_hand_are_measured_too() -> None:
    mrf = sample("pose")
    part = bc.manual(mrf, [range(0, 28), *([i] for i in range(28, mrf.n))])
    with pytest.raises(bc.TooLargeError, match=r"up to 28 variables .* M = \d+ would fit"):
        bc.Engine(mrf, part, 9, limit=GB)


def test_the_limit_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BENDER_MEMORY_MB", raising=False)
    assert memory_limit() == GB
    monkeypatch.setenv("BENDER_MEMORY_MB", "5")
    assert memory_limit() == 5 << 20
    mrf = sample("pose")
    with pytest.raises(bc.TooLargeError, match="more than the limit"):
        bc.Engine(mrf, bc.partition(mrf, 12), 9)


@pytest.mark.parametrize("variant", [4, 9, 11])
def test_larger_groups_are_predicted_to_cost_more(variant: int) -> None:
    mrf = sample("torus-10x10")
    predicted = [bc.estimate(mrf, bc.partition(mrf, max_size, "greedy"), variant) for max_size in (4, 8, 12, 16)]
    assert [p.states for p in predicted] == [1 << 4, 1 << 8, 1 << 12, 1 << 16]
    for smaller, larger in itertools.pairwise(predicted):
        assert 0 < smaller.bytes < larger.bytes
        assert 0 < smaller.seconds_per_sweep < larger.seconds_per_sweep


def test_enumeration_is_predicted_to_lose_at_the_papers_size() -> None:
    mrf = sample("pose")
    part = bc.partition(mrf, 16)
    assert bc.estimate(mrf, part, 11).seconds_per_sweep > 50 * bc.estimate(mrf, part, 9).seconds_per_sweep
