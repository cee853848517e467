"""Kinds of models in which penalties, constants and scales could hide what matters; their least energies are at hand.

All are narrow: few variables, or couplings between near ones only. So `Exact.least` finds their least energies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

import bender_core as bc

Array = NDArray[np.float64]
Make = Callable[[np.random.Generator], bc.BinaryMRF]
WAYS = ("whole", "decimal", "dyadic", "irrational")


@dataclass(frozen=True)
class Kind:
    """A kind of models.

    Attributes
    ----------
    make : callable
        A model of this kind.
    share : int
        How often it is drawn, relative to the others.
    counts : float
        Differences of energies that are larger count, whatever the penalties: all of them (0) if coefficients are whole
        or decimal, or else a billionth of what the energies without penalties are made of.
    """

    make: Make
    share: int
    counts: float


def numbers(rng: np.random.Generator, way: str, spread: float, shape: tuple[int, ...]) -> Array:
    """Numbers from 0 to a spread of at least 1."""
    drawn: Array = spread * rng.random(shape)
    match way:
        case "whole":
            return np.round(drawn)
        case "decimal":
            return np.round(drawn, int(rng.integers(1, 7)))
        case "dyadic":
            scale = 2.0 ** rng.integers(1, 11)
            return np.round(drawn * scale) / scale
        case _:
            return drawn


def as_meant(way: str, values: Array) -> Array:
    """Sums and products of decimals are not always the floats next to what is meant; those returned are."""
    return np.round(values, 6) if way == "decimal" else values


def near(n: int, width: int, density: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Some of the pairs of variables whose distance is at most a width, always those of neighbours."""
    i, j = np.triu_indices(n, 1)
    kept = (j - i <= width) & ((j - i == 1) | (rng.random(len(i)) < density))
    return np.column_stack([i[kept], j[kept]])


def independent_set(n: int, width: int, weight: float, penalty: float, rng: np.random.Generator) -> bc.BinaryMRF:
    """The heaviest independent set of a band: weights that differ by up to 9, and no two ends of an edge."""
    edges = near(n, width, float(rng.choice([0.3, 0.6, 1.0])), rng)
    unary, pairwise = np.zeros((n, 2)), np.zeros((len(edges), 2, 2))
    unary[:, 1] = -(weight + rng.integers(0, 10, n))
    pairwise[:, 1, 1] = penalty
    return bc.BinaryMRF(unary, edges, pairwise)


def one_hot(items: int, states: int, penalty: float, way: str, rng: np.random.Generator) -> bc.BinaryMRF:
    """A chain of items, each in exactly one of its states: any other number of states costs a penalty at least.

    Where that is infinite, it forbids two states of an item; none costs 100, which is more than any state saves.
    """
    i, j = np.triu_indices(states, 1)
    within = np.concatenate([states * p + np.column_stack([i, j]) for p in range(items)])
    i, j = np.indices((states, states)).reshape(2, -1)
    between = np.concatenate([states * p + np.column_stack([i, states + j]) for p in range(items - 1)])
    unary, pairwise = np.zeros((items * states, 2)), np.zeros((len(within) + len(between), 2, 2))
    is_hard = np.isinf(penalty)
    unary[:, 1] = as_meant(way, numbers(rng, way, 1.0, (len(unary),)) - (100.0 if is_hard else penalty))
    pairwise[: len(within), 1, 1] = penalty if is_hard else 2 * penalty
    pairwise[len(within) :, 1, 1] = numbers(rng, way, 1.0, (len(between),))
    constant = items * (100.0 if is_hard else penalty)
    return bc.BinaryMRF(unary, np.concatenate([within, between]), pairwise, constant)


def excluding(n: int, exponents: tuple[int, int], way: str, rng: np.random.Generator) -> bc.BinaryMRF:
    """A few variables worth up to 100 each, couplings, and pairs that exclude each other by one penalty or hard."""
    edges = near(n, n, 0.6, rng)
    spread = float(rng.choice([1.0, 10.0, 100.0]))
    unary = -numbers(rng, way, spread, (n, 2))
    pairwise = np.zeros((len(edges), 2, 2))
    coupled = rng.random(len(edges)) < 0.5
    pairwise[coupled] = numbers(rng, way, spread, (int(coupled.sum()), 2, 2))
    is_hard = exponents[1] < 20 and rng.random() < 0.25
    pairwise[~coupled, 1, 1] = np.inf if is_hard else 10.0 ** rng.integers(exponents[0], exponents[1] + 1)
    constant = float(rng.choice([0.0, 0.0, 1e6, -1e9, 1e12]))
    return bc.BinaryMRF(unary, edges, pairwise, constant)


def three(rng: np.random.Generator) -> bc.BinaryMRF:
    """Three variables worth little, of which every pair costs 1e20."""
    unary, pairwise = np.zeros((3, 2)), np.zeros((3, 2, 2))
    unary[:, 1] = rng.permutation([-1.25, -1.5, -1.375])
    pairwise[:, 1, 1] = 1e20
    return bc.BinaryMRF(unary, np.array([[0, 1], [0, 2], [1, 2]]), pairwise)


def one_huge(rng: np.random.Generator) -> bc.BinaryMRF:
    """A variable of 1e12 beside few others of 5: energies 0 and 5 differ."""
    n = int(rng.integers(2, 9))
    edges = near(n, 2, 0.5, rng)
    unary, pairwise = np.zeros((n, 2)), np.zeros((len(edges), 2, 2))
    unary[:, 1] = rng.choice([-5.0, 5.0], n)
    unary[rng.integers(n), 1] = rng.choice([-1.0, 1.0]) * 1e12
    is_coupled = (np.abs(unary[edges, 1]) < 1e12).all(axis=1)
    pairwise[is_coupled, 1, 1] = rng.choice([-5.0, 0.0, 5.0], int(is_coupled.sum()))
    return bc.BinaryMRF(unary, edges, pairwise)


def scales(way: str, rng: np.random.Generator) -> bc.BinaryMRF:
    """Energies of up to 1, of which each table multiplies its own by 1 to 1e9."""
    n = int(rng.integers(3, 11))
    edges = near(n, n, 0.5, rng)
    unary = numbers(rng, way, 1.0, (n, 2)) * 10.0 ** rng.integers(0, 10, (n, 1))
    pairwise = numbers(rng, way, 1.0, (len(edges), 2, 2)) * 10.0 ** rng.integers(0, 10, (len(edges), 1, 1))
    return bc.BinaryMRF(as_meant(way, unary), edges, as_meant(way, pairwise))


# Beside penalties, and of scales that mix.
_OF_COSTS = dict.fromkeys(WAYS, 0.0) | {"irrational": 1e-5}
_OF_SCALES = dict.fromkeys(WAYS, 0.0) | {"irrational": 100.0}
KINDS = {
    "independent sets 300, 1e4 + 0…9, inf": Kind(partial(independent_set, 300, 8, 1e4, np.inf), 5, 0.0),
    "independent sets 300, 1e4 + 0…9, 6e6": Kind(partial(independent_set, 300, 8, 1e4, 6e6), 5, 0.0),
    "independent sets 400, 1e6 + 0…9, inf": Kind(partial(independent_set, 400, 6, 1e6, np.inf), 5, 0.0),
    "independent sets 150, 1e5 + 0…9, inf": Kind(partial(independent_set, 150, 8, 1e5, np.inf), 5, 0.0),
    "one-hot 10×5, 1e9": Kind(partial(one_hot, 10, 5, 1e9, "decimal"), 20, 0.0),
    "one-hot 8×5, 1e7": Kind(partial(one_hot, 8, 5, 1e7, "irrational"), 20, 1e-5),
    "one-hot 6×4, inf": Kind(partial(one_hot, 6, 4, np.inf, "decimal"), 20, 0.0),
    "three variables, 1e20": Kind(three, 20, 0.0),
    "one huge unary": Kind(one_huge, 60, 0.0),
    **{
        f"six variables, 1e10…1e16, {way}": Kind(partial(excluding, 6, (10, 16), way), 120, counts)
        for way, counts in _OF_COSTS.items()
    },
    **{
        f"ten variables, 1e3…1e16, {way}": Kind(partial(excluding, 10, (3, 16), way), 120, counts)
        for way, counts in _OF_COSTS.items()
    },
    **{f"mixed scales, {way}": Kind(partial(scales, way), 60, counts) for way, counts in _OF_SCALES.items()},
}
