"""Real images shipped with scikit-learn, which is imported only when needed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bender_core.model import FloatArray

DIGITS = 1797
PHOTOGRAPHS = ("flower", "china")
INK = 8  # of 16 shades; this and darker is ink


@lru_cache(maxsize=1)
def digits() -> NDArray[np.bool_]:
    """Where there is ink in the handwritten digits of ``sklearn.datasets.load_digits``, shape (1797, 8, 8)."""
    from sklearn.datasets import load_digits  # slow to import, and needed only here

    ink: NDArray[np.bool_] = load_digits().images >= INK
    ink.setflags(write=False)
    return ink


@lru_cache(maxsize=1)
def digit_labels() -> tuple[int, ...]:
    """The digit that each image shows."""
    from sklearn.datasets import load_digits

    return tuple(load_digits().target.tolist())


@lru_cache(maxsize=8)
def photograph(name: str, columns: int) -> FloatArray:
    """A photograph of ``sklearn.datasets.load_sample_image``, shape (rows, columns, 3), colours from 0 to 1.

    Each pixel is the mean of a square of the original; the remainder at the right and the bottom is cut off.
    """
    from sklearn.datasets import load_sample_image

    original = load_sample_image(f"{name}.jpg") / 255.0
    side = original.shape[1] // columns
    rows = original.shape[0] // side
    squares = original[: rows * side, : columns * side].reshape(rows, side, columns, side, 3)
    pixels: FloatArray = squares.mean(axis=(1, 3)).round(3)
    pixels.setflags(write=False)
    return pixels
