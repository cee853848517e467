"""Compile everything before it is needed, and measure how fast it is."""

from __future__ import annotations

import numpy as np

from bender_core.engine import Engine
from bender_core.model import BinaryMRF
from bender_core.partition import Partition
from bender_core.speed import speed
from bender_core.what_if import what_if


def warm_up() -> None:
    """Compile every kernel, or load it from the disk cache, by solving a model of two variables; measure `speed`."""
    mrf = BinaryMRF(
        unary=np.array([[0.0, 1.0], [0.0, 1.0]]),
        edges=np.array([[0, 1]]),
        pairwise=np.array([[[0.0, 0.0], [0.0, -3.0]]]),
    )
    part = Partition((np.array([0]), np.array([1])), ("a", "b"))
    for which in (5, 11, 12):
        engine = Engine(mrf, part, which)
        engine.run()
        engine.certificate()
        engine.min_marginal(0, 1, [0])
        engine.tightness()
        engine.rows(0, 1)
        what_if(engine, 0, 1, 0)
    speed()
