"""Quadratic functions of bits or spins, the content of most formats, as models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

import numpy as np

from bender_core.io._source import Source
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.objective import Objective
from bender_core.sums import exact_products, exact_sums

Domain = Literal["bits", "spins"]

# By the names of dimod.
DOMAINS: dict[str, Domain] = {"BINARY": "bits", "SPIN": "spins"}
# The values of a bit and of a spin for x = 0 and x = 1.
_VALUES: dict[Domain, FloatArray] = {"bits": np.array([0.0, 1.0]), "spins": np.array([-1.0, 1.0])}


class Tables(TypedDict):
    """The energies of a model."""

    unary: FloatArray
    edges: IntArray
    pairwise: FloatArray
    constant: float


@dataclass(frozen=True)
class Quadratic:
    """``constant + Σ linear[i] v_i + Σ quadratic[e] v_i v_j`` with ``(i, j) = edges[e]``, to be minimised.

    Attributes
    ----------
    constant : float
    linear : ndarray, shape (n,)
    edges : ndarray of int64, shape (m, 2)
    quadratic : ndarray, shape (m,)
    domain : {"bits", "spins"}
        Whether ``v_i`` is ``x_i`` or ``2 x_i - 1``.
    """

    constant: float
    linear: FloatArray
    edges: IntArray
    quadratic: FloatArray
    domain: Domain

    def model(
        self,
        source: Source,
        title: str,
        objective: Objective | None = None,
        names: tuple[str, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> BinaryMRF:
        """The model of this energy, read from a file of the format ``title``."""
        return BinaryMRF(
            **self.tables(),
            names=names,
            name=source.stem,
            source=f"{title} file {source.filename}".rstrip(),
            objective=objective or Objective(domain=self.domain),
            notes=notes,
        )

    def tables(self) -> Tables:
        """The energies of a model, by the names of its parameters."""
        value = _VALUES[self.domain]
        return {
            "unary": self.linear[:, None] * value,
            "edges": self.edges,
            "pairwise": self.quadratic[:, None, None] * np.outer(value, value),
            "constant": self.constant,
        }


def from_coefficients(
    ends: tuple[IntArray, IntArray],
    value: FloatArray,
    n: int,
    domain: Domain,
    scale: float = 1.0,
    offsets: Sequence[float] = (),
) -> Quadratic:
    """``scale * (Σ offsets + Σ value v_i v_j)``, in which the terms with ``i == j`` are linear.

    Coefficients and the constant are the exact sums, rounded once; but a pair that is given several times stays so,
    since a model adds up what is given for a pair.

    Parameters
    ----------
    ends : pair of ndarrays of int64, shape (k,)
        The two variables of every term, from 0.
    value : ndarray, shape (k,)
    n : int
        The number of variables.
    domain : {"bits", "spins"}
    scale : float
    offsets : sequence of float
    """
    # A product that is rounded is two terms.
    products, remainders = exact_products(scale, value)
    rounded = remainders != 0.0
    i, j = (np.append(end, end[rounded]) for end in ends)
    terms = np.append(products, remainders[rounded])
    alone = i == j
    linear = exact_sums(i[alone], terms[alone], n)
    constant = math.fsum(np.concatenate(exact_products(scale, np.array(offsets, np.float64))))
    return Quadratic(constant, linear, np.column_stack([i, j])[~alone], terms[~alone], domain)
