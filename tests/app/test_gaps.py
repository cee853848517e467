"""When a gap is closed: as the engine has it, and the same on all pages."""

from __future__ import annotations

import numpy as np
import pytest

import bender_core as bc
from bender_core.bounds import relative_gap
from bender_core.kernels.layout import Kind, Status
from pages._shared.gaps import ending, gap, is_closed, spread_of
from pages._shared.lessons import ring
from pages._shared.session import Lab, Run, sample, sample_names
from pages._shared.stage import stage_data


@pytest.mark.parametrize("name", sample_names())
def test_the_spread_is_that_which_the_engine_goes_by(name: str) -> None:
    mrf = sample(name)
    assert spread_of(mrf) == pytest.approx(bc.HyperGraph(mrf, bc.partition(mrf, 3)).problem.spread)


@pytest.mark.parametrize("constant", [0.0, 17.0, -3.0e6])
def test_what_the_engine_has_closed_is_closed_whatever_constant_is_added(constant: float) -> None:
    mrf = ring.ring()
    shifted = bc.BinaryMRF(unary=mrf.unary, edges=mrf.edges, pairwise=mrf.pairwise, constant=mrf.constant + constant)
    for size in (4, 5):
        found = bc.Engine(shifted, ring.cut(size))
        found.run()
        bounds = found.lower_bound, found.upper_bound
        assert is_closed(*bounds, spread_of(shifted)) == (found.status == Status.GAP_CLOSED) == (size == 5)


def test_a_constant_closes_no_gap() -> None:
    assert not is_closed(1e12, 1e12 + 5, 20.0)
    assert gap(1e12, 1e12 + 5, 20.0) == pytest.approx(5e-12)
    assert is_closed(1e12, 1e12 + 5, 1e9)


def test_bounds_that_differ_by_rounding_alone_are_the_same() -> None:
    assert gap(-1e-14, 1e-14, 20.0) == 0
    assert gap(0.0, 0.0, 0.0) == 0
    assert gap(3.0, 3.0 - 1e-9, 20.0) == 0
    assert gap(-np.inf, np.inf, 20.0) == np.inf
    assert gap(-2.0, -1.0, 20.0) == relative_gap(-2.0, -1.0) == 0.5


def test_a_run_that_stops_just_short_of_the_optimum_is_not_advised_to_take_larger_groups() -> None:
    """Pairs across the ring reach the optimum but for 2e-9 of it: no sweep brings that much any more."""
    mrf, part = ring.ring(), ring.cut(2, ring.ACROSS)
    mine = Lab(mrf, 2, part, 9, "mplp", Run(bc.Engine(mrf, part, 9)))
    engine = mine.run.engine
    engine.run()
    assert engine.status == Status.NO_PROGRESS
    assert engine.upper_bound > engine.lower_bound
    mine.run.show(engine.position)
    data = stage_data(mine)
    assert data["status"] == "converged: gap closed"
    kind, sentence = data["window"]["frames"][-1][0], data["window"]["frames"][-1][7]
    assert kind == Kind.FINISHED
    assert "it is optimal" in sentence
    assert "arger groups" not in sentence


def test_a_run_that_goes_on_has_not_ended() -> None:
    assert ending(Status.RUNNING, -1.0, -1.0, 20.0) == Status.RUNNING
    assert ending(Status.SWEEP_LIMIT, -2.0, -1.0, 20.0) == Status.SWEEP_LIMIT
