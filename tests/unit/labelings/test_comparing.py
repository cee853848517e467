"""Which of two labellings costs less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import bender_core as bc
from bender_core.labelings.comparing import costs_less
from tests.models import mrfs, random_mrf


@given(mrfs(8), st.integers(0, 1000))
def test_labellings_are_compared_by_their_energies(mrf: bc.BinaryMRF, seed: int) -> None:
    one, other = np.random.default_rng(seed).integers(0, 2, (2, mrf.n))
    difference = mrf.energy(one) - mrf.energy(other)
    assert costs_less(mrf, one, other) == (difference < 0) or abs(difference) < 1e-9
    assert not costs_less(mrf, one, one)


def test_a_difference_that_a_large_constant_hides_is_seen() -> None:
    mrf = replace(random_mrf(3, 6, 0.5, scale=1e-9), constant=1e9)
    one, other = np.zeros(6, int), np.ones(6, int)
    assert mrf.energy(one) == mrf.energy(other)
    assert costs_less(mrf, one, other) != costs_less(mrf, other, one)
