"""The figure of a proof: its values are those reached, and it shows where rounds have ended."""

from __future__ import annotations

import math

import pytest

from bender_core.visualization.proof import ProofPoint, plot_proof

STANDS = [
    ProofPoint(0, -math.inf, 4.0, 9, 0),
    ProofPoint(10, -8.0, 3.0, 9, 0),
    ProofPoint(20, -5.0, 3.0, 6, 1),
    ProofPoint(40, 1.0, 1.0, 0, 2),
]


def test_bounds_and_variables_are_those_reached() -> None:
    lower, upper, undecided = plot_proof(STANDS).data
    assert (list(lower.x), list(lower.y)) == ([10, 20, 40], [-8.0, -5.0, 1.0])
    assert (list(upper.x), list(upper.y)) == ([0, 10, 20, 40], [4.0, 3.0, 3.0, 1.0])
    assert list(undecided.y) == [9, 9, 6, 0]
    assert undecided.yaxis == "y2"


def test_rounds_end_where_they_ended_and_all_since_the_first_is_in_view() -> None:
    drawing = plot_proof(STANDS)
    assert [line.x0 for line in drawing.layout.shapes] == [20, 40]
    low, high = drawing.layout.yaxis.range
    assert low < -5.0 < 3.0 < high


@pytest.mark.parametrize("known", [1, 2])
def test_before_the_first_round_has_ended_all_is_in_view(known: int) -> None:
    assert plot_proof(STANDS[:known]).layout.yaxis.range is None
