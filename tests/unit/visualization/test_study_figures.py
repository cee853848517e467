"""The timing scatter: positions and styles of points, and the lines through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bender_core.experiments import FinishedRun, Instance, Limits, Outcome, Task
from bender_core.experiments.outcome import SECONDS_REACHED
from bender_core.variants import VARIANTS
from bender_core.visualization.on_screen import LABEL_SHARE, on_screen
from bender_core.visualization.study import times
from bender_core.visualization.styles import STYLES


def run(variant: int, seed: int, seconds: float, status: str = "closed", name: str = "ising_grid") -> FinishedRun:
    instance = Instance(name, (("seed", seed),))
    task = Task(f"{variant}-{seed}", "", instance, 5, "groups", variant, "mplp", Limits())
    return FinishedRun(task, Outcome(status, -1.0, -1.0, seconds=seconds), "code", "now")


def traces(runs: list[FinishedRun], mode: str) -> dict[str, Any]:
    return {trace.legendgroup: trace for trace in on_screen(times(runs)).data if trace.mode == mode}


def test_every_variant_looks_as_in_the_paper() -> None:
    colours = [STYLES[variant].colour for variant in range(1, 6)]
    assert len(set(colours)) == 5
    assert [STYLES[variant].colour for variant in range(6, 11)] == colours
    assert {STYLES[variant][1:] for variant in range(1, 6)} == {("circle-open", "solid")}
    assert {STYLES[variant][1:] for variant in range(6, 11)} == {("x-thin-open", "dot")}
    assert len(set(STYLES.values())) == len(VARIANTS)


def test_points_are_at_the_times_and_know_their_runs() -> None:
    runs = [run(v, seed, 10.0**seed / (v - 8)) for seed in range(3) for v in (9, 11)]
    points = traces(runs, "markers")
    assert points.keys() == {"9", "11"}
    for variant in (9, 11):
        mine = points[str(variant)]
        found = {(key, x, y) for (key, *_), x, y in zip(mine.customdata, mine.x, mine.y, strict=True)}
        expected = {
            (r.task.key, b.outcome.seconds, r.outcome.seconds)
            for r in runs
            for b in runs
            if r.task.variant == variant and b.task.variant == 11 and r.task.instance == b.task.instance
        }
        assert found == expected
        assert (mine.marker.symbol, mine.marker.color) == (STYLES[variant].symbol, STYLES[variant].colour)
    drawing = on_screen(times(runs))
    assert (drawing.layout.xaxis.type, drawing.layout.yaxis.type) == ("log", "log")


def test_lines_fit_and_are_named_by_their_variant() -> None:
    runs = [run(11, seed, 10.0**seed) for seed in range(4)] + [run(9, seed, 3 * 10 ** (seed / 2)) for seed in range(4)]
    lines = traces(runs, "lines")
    assert np.allclose(lines["9"].y, [3, 3 * 10**1.5])
    assert np.allclose(lines["11"].x, lines["11"].y)
    labels = on_screen(times(runs)).data[-1]
    assert dict(zip(labels.text, np.log10(labels.y), strict=True)) == pytest.approx(
        {"<b>9</b>": 2, "<b>11</b>": 3}, 0.02
    )
    assert lines["9"].line.dash == STYLES[9].dash


@pytest.mark.parametrize("apart", [0.0, 1e-12, 1e-9, 1e-5])
def test_where_the_baseline_takes_equal_times_no_line_is_drawn(apart: float) -> None:
    """A slope of millions would be that of chance, and too large a power of ten."""
    runs = [run(v, seed, 0.002 * (1 + apart * seed) * (1 + seed * (v == 9))) for seed in range(2) for v in (9, 11)]
    assert all(np.isnan(line.y).all() for line in traces(runs, "lines").values())
    assert [len(points.x) for points in traces(runs, "markers").values()] == [2, 2]


def test_steep_lines_end_at_their_points() -> None:
    runs = [run(v, seed, 0.002 * 1.2**seed if v == 11 else 10.0 ** (150 * seed)) for seed in range(2) for v in (9, 11)]
    assert np.allclose(traces(runs, "lines")["9"].y, [1, 1e150])


def test_labels_of_lines_that_end_side_by_side_are_moved_apart() -> None:
    runs = [run(variant, seed, 10.0**seed) for seed in range(3) for variant in (*range(1, 11), 11)]
    heights = np.sort(np.log10(on_screen(times(runs)).data[-1].y))
    assert np.diff(heights).min() >= LABEL_SHARE * 2 - 1e-9, "the axis has two decades"


def test_times_at_a_limit_are_faint() -> None:
    runs = [run(11, 0, 1.0), run(9, 0, 0.5), run(11, 1, 60.0, SECONDS_REACHED), run(9, 1, 2.0)]
    assert list(traces(runs, "markers")["9"].marker.opacity) == [1.0, 0.5]


def test_names_of_files_are_shown_verbatim() -> None:
    runs = [run(v, 0, 1.0, name="<b>&amp;") for v in (9, 11)]
    assert traces(runs, "markers")["9"].customdata[0][1] == "&lt;b&gt;&amp;amp; seed 0"


@pytest.mark.parametrize("runs", [[], [run(9, 0, 1.0)]])
def test_without_a_baseline_nothing_is_drawn(runs: list[FinishedRun]) -> None:
    assert len(on_screen(times(runs)).data) == 0
