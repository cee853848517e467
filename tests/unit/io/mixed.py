"""Random models whose energies have mixed scales, and their energies in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from bender_core.model import BinaryMRF, ModelError
from bender_core.objective import Objective

# Every finite float64 is a multiple of its inverse.
_UNIT = 2**1100
KINDS = ("tables", "bits", "spins", "cut", "of one scale")


def exact(value: float) -> int:
    """A float64 in units in which all of them are whole."""
    return int(Fraction(float(value)) * _UNIT)


def energies(mrf: BinaryMRF, labels: np.ndarray) -> list[int]:
    """The sums of the tables at labellings, exact; penalties count as the energies that they are."""
    unary = [list(map(exact, row)) for row in mrf.unary]
    pairs = [[list(map(exact, row)) for row in table] for table in mrf.pairwise]
    edges, constant = mrf.edges.tolist(), exact(mrf.constant)
    return [
        constant
        + sum(unary[i][bit] for i, bit in enumerate(x))
        + sum(table[x[i]][x[j]] for (i, j), table in zip(edges, pairs, strict=True))
        for x in labels.tolist()
    ]


def float_of(units: int) -> float:
    """The float64 next to an exact number."""
    return float(Fraction(units, _UNIT))


def coefficients(mrf: BinaryMRF, domain: str) -> tuple[list[float], list[float]]:
    """The linear coefficients and those of the pairs, of bits or spins: exact sums, each rounded once."""
    signs, unit = (((-1, 1), (-1, 1)), 1) if domain == "bits" else (((-2, 2), (-1, 1)), 4)
    linear = [sum(s * exact(e) for s, e in zip(signs[0], row, strict=True)) for row in mrf.unary]
    quadratic = []
    for (i, j), table in zip(mrf.edges.tolist(), mrf.pairwise, strict=True):
        t = [list(map(exact, row)) for row in table]
        # Of bits at the other variable's 0, of spins at both of its values.
        at = (0,) if domain == "bits" else (0, 1)
        linear[i] += sum(t[1][b] - t[0][b] for b in at)
        linear[j] += sum(t[a][1] - t[a][0] for a in at)
        quadratic.append(t[1][1] - t[0][1] - t[1][0] + t[0][0])
    return [float_of(term) / unit for term in linear], [float_of(term) / unit for term in quadratic]


def labelings(mrf: BinaryMRF, rng: np.random.Generator, count: int = 200) -> np.ndarray:
    return rng.integers(0, 2, (count, mrf.n))


def models(count: int, seed: int) -> Iterator[BinaryMRF]:
    """Models of every kind in turn."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        found = None
        while found is None:
            found = _model(rng, KINDS[k % len(KINDS)])
        yield found


def _model(rng: np.random.Generator, kind: str) -> BinaryMRF | None:
    n = int(rng.integers(2, 8))
    pairs = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.5]
    m = len(pairs)
    scales = rng.choice([1e-8, 1e-3, 1.0, 1e3, 1e8, 1e16], size=int(rng.integers(1, 4)))
    if kind == "of one scale":
        scales = scales[:1]
    unary, pairwise = _numbers(rng, scales, 2 * n).reshape(n, 2), _numbers(rng, scales, 4 * m).reshape(m, 2, 2)
    constant = float(rng.choice([0.0, *_numbers(rng, scales, 1)]))
    if kind in ("bits", "spins"):
        value = np.array([0.0, 1.0]) if kind == "bits" else np.array([-1.0, 1.0])
        unary, pairwise = unary[:, :1] * value, pairwise[:, :1, :1] * np.outer(value, value)
    elif kind == "cut":
        unary, pairwise = 0.0 * unary, pairwise[:, :1, :1] * np.array([[0.0, 1.0], [1.0, 0.0]])
    elif rng.random() < 0.3:
        unary[rng.random((n, 2)) < 0.1] = np.inf
        pairwise[rng.random((m, 2, 2)) < 0.1] = np.inf
    if rng.random() < 0.5:
        constant = 0.0
    domain = "spins" if kind == "spins" or rng.random() < 0.3 else "bits"
    try:
        return BinaryMRF(unary, pairs, pairwise, constant, objective=Objective(domain=domain))
    except ModelError:
        # Too far apart for penalties.
        return None


def _numbers(rng: np.random.Generator, scales: Sequence[float], count: int) -> np.ndarray:
    """Decimals, dyadic numbers, whole numbers, and any, of these scales; a tenth of them 0."""
    kinds = (
        lambda: round(float(rng.uniform(-9, 9)), 2),
        lambda: float(rng.integers(-64, 65)) / 8,
        lambda: float(rng.integers(-9, 10)),
        lambda: float(rng.normal()),
        lambda: 0.0,
    )
    weights = (0.3, 0.25, 0.15, 0.2, 0.1)
    return np.array([kinds[rng.choice(5, p=weights)]() * rng.choice(scales) for _ in range(count)])
