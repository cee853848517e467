"""A gap is closed when the engine says so, and equally on all pages."""

from __future__ import annotations

import numpy as np
import pytest

import bender_core as bc
from bender_core.engine.gap import gap_between, is_closed, relative_gap
from bender_core.forms.scale import energy_scale
from bender_core.kernels.layout import Kind, Status
from pages._shared.app.session import Lab, sample
from pages._shared.running.watched import WatchedRun
from pages._shared.watch.stage import stage_data


def ring() -> bc.BinaryMRF:
    return sample("frustrated-cycle")


@pytest.mark.parametrize("constant", [0.0, 17.0, -3.0e6])
def test_a_gap_closed_by_the_engine_is_closed_for_any_added_constant(constant: float) -> None:
    mrf = ring()
    shifted = bc.BinaryMRF(unary=mrf.unary, edges=mrf.edges, pairwise=mrf.pairwise, constant=mrf.constant + constant)
    for size in (4, 5):
        pieces = [list(range(first, min(first + size, mrf.n))) for first in range(0, mrf.n, size)]
        found = bc.Engine(shifted, bc.manual(shifted, pieces))
        found.run()
        bounds = found.lower_bound, found.upper_bound
        assert is_closed(*bounds, energy_scale(shifted)) == (found.status == Status.GAP_CLOSED) == (size == 5)


def test_a_constant_does_not_close_a_gap() -> None:
    assert not is_closed(1e12, 1e12 + 5, 20.0)
    assert gap_between(1e12, 1e12 + 5, 20.0) == pytest.approx(5e-12)
    assert is_closed(1e12, 1e12 + 5, 1e9)


def test_bounds_that_differ_only_by_rounding_are_equal() -> None:
    assert gap_between(-1e-14, 1e-14, 20.0) == 0
    assert gap_between(0.0, 0.0, 0.0) == 0
    assert gap_between(3.0, 3.0 - 1e-9, 20.0) == 0
    assert gap_between(-np.inf, np.inf, 20.0) == np.inf
    assert gap_between(-2.0, -1.0, 20.0) == relative_gap(-2.0, -1.0) == 0.5


def test_a_run_that_stops_just_short_of_the_optimum_is_not_advised_to_take_larger_groups() -> None:
    """Pairs across the ring reach the optimum up to 2e-9 of it: no sweep gains that much any more."""
    mrf = ring()
    part = bc.manual(mrf, [[0], *([k, mrf.n - k] for k in range(1, (mrf.n + 1) // 2))])
    mine = Lab(mrf, 2, part, 9, "mplp", WatchedRun(bc.Engine(mrf, part, variant=9)))
    engine = mine.run.engine
    engine.run()
    assert engine.status == Status.GAP_CLOSED
    assert engine.upper_bound > engine.lower_bound
    mine.run.show(engine.position)
    data = stage_data(mine)
    assert data["status"] == "closed"
    kind, sentence = (data["frames"]["columns"][name][-1] for name in ("kind", "sentence"))
    assert kind == Kind.FINISHED
    assert "it is optimal" in sentence
    assert "arger groups" not in sentence
