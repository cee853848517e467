"""Spins ``s = 2x − 1``: energy tables of couplings and fields, and how couplings are drawn."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bender_core.model import FloatArray
from bender_core.synth._family import Parameter

Coupling = Literal["pm1", "gaussian"]

COUPLING = Parameter("coupling", "Couplings", "pm1", choices=("pm1", "gaussian"))
FIELD = Parameter("field", "Strength of the field", 0.0, 0.0, 10.0)


def draw_couplings(rng: np.random.Generator, m: int, coupling: Coupling) -> FloatArray:
    """Couplings J, shape (m,): −1 or +1 with equal chance ("pm1"), or standard normal ("gaussian")."""
    return rng.choice([-1.0, 1.0], m) if coupling == "pm1" else rng.standard_normal(m)


def ising_tables(strength: FloatArray) -> FloatArray:
    """Energy tables of ``−J s_i s_j``, shape (m, 2, 2), from the couplings J, shape (m,)."""
    tables: FloatArray = strength[:, None, None] * np.array([[-1.0, 1.0], [1.0, -1.0]])
    return tables


def ising_fields(h: FloatArray) -> FloatArray:
    """Energy tables of ``−h_i s_i``, shape (n, 2), from the fields h, shape (n,)."""
    return np.column_stack([h, -h])
