"""Random numbers from a seed."""

from __future__ import annotations

import numpy as np


def generator(seed: int) -> np.random.Generator:
    """The generator of random numbers with this seed.

    Raises
    ------
    ValueError
        If the seed is negative, or no whole number.
    """
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"the seed is {seed!r}; choose a whole number from 0")
    return np.random.default_rng(seed)
