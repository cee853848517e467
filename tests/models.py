"""Models and partitions that several tests share, at random and as hypothesis strategies."""

from __future__ import annotations

import numba
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from bender_core.groups import Partition
from bender_core.model import BinaryMRF

# Without compilation the interpreter runs the kernels a thousand times slower.
JIT = not numba.config.DISABLE_JIT


def examples(count: int) -> int:
    """The number of examples where ``count`` is usual: as the profile has it, and few without compilation."""
    wanted = count * settings().max_examples // settings.get_profile("usual").max_examples
    return max(wanted if JIT else wanted // 10, 3)


def random_mrf(
    rng: int | np.random.Generator,
    n: int,
    density: float = 0.5,
    scale: float = 1.0,
    constant: float = 0.0,
    integers: bool = False,
) -> BinaryMRF:
    """A model of n variables; each pair is an edge with probability ``density``. Integers make many ties."""
    rng = np.random.default_rng(rng)
    i, j = np.triu_indices(n, 1)
    kept = rng.random(len(i)) < density

    def tables(*shape: int) -> np.ndarray:
        return scale * (rng.integers(-2, 3, shape) if integers else rng.normal(size=shape))

    edges = np.column_stack([i[kept], j[kept]])
    return BinaryMRF(unary=tables(n, 2), edges=edges, pairwise=tables(len(edges), 2, 2), constant=constant)


def between_groups(
    rng: int | np.random.Generator, sizes: list[int], pairs: list[tuple[int, int]], density: float = 1.0
) -> tuple[BinaryMRF, Partition]:
    """Groups of given sizes, dense inside, coupled in given pairs with chance ``density`` a variable pair."""
    rng = np.random.default_rng(rng)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    i, j = np.triu_indices(len(owner), 1)
    joined = np.eye(len(sizes), dtype=bool)
    for p, q in pairs:
        joined[p, q] = joined[q, p] = True
    kept = joined[owner[i], owner[j]] & ((owner[i] == owner[j]) | (rng.random(len(i)) < density))
    for p, q in pairs:
        # At least one edge, so that the pair is always coupled.
        kept |= (i == np.flatnonzero(owner == min(p, q))[0]) & (j == np.flatnonzero(owner == max(p, q))[-1])
    # Members are scattered over the variables, in no order.
    shuffled = rng.permutation(len(owner))
    edges = np.column_stack([shuffled[i[kept]], shuffled[j[kept]]])
    mrf = BinaryMRF(unary=rng.normal(size=(len(owner), 2)), edges=edges, pairwise=rng.normal(size=(len(edges), 2, 2)))
    groups = tuple(shuffled[owner == p] for p in range(len(sizes)))
    return mrf, Partition(groups, tuple(f"g{p}" for p in range(len(sizes))))


def random_partition(rng: int | np.random.Generator, n: int, max_size: int) -> Partition:
    """Variables in random order, cut into groups of random sizes."""
    rng = np.random.default_rng(rng)
    order = rng.permutation(n)
    groups = []
    while len(order):
        size = int(rng.integers(1, max_size + 1))
        groups.append(order[:size])
        order = order[size:]
    return Partition(tuple(groups), tuple(f"g{p}" for p in range(len(groups))))


@st.composite
def mrfs(draw: st.DrawFn, max_n: int = 8) -> BinaryMRF:
    """Models of a few variables: sparse and dense, with and without ties, of different scales and constants."""
    return random_mrf(
        draw(st.integers(0, 1 << 16)),
        draw(st.integers(1, max_n)),
        density=draw(st.sampled_from([0.0, 0.3, 0.6, 1.0])),
        scale=draw(st.sampled_from([1.0, 1e-3, 1e3])),
        constant=draw(st.sampled_from([0.0, -7.5, 1e3])),
        integers=draw(st.booleans()),
    )


@st.composite
def cut_mrfs(draw: st.DrawFn, max_n: int = 8, max_size: int = 3) -> tuple[BinaryMRF, Partition]:
    """A model with a partition of its variables."""
    mrf = draw(mrfs(max_n))
    return mrf, random_partition(draw(st.integers(0, 1 << 16)), mrf.n, draw(st.integers(1, max_size)))


def loose(tail: int, seed: int = 0) -> BinaryMRF:
    """Six variables that all want to differ, where cycles leave a gap, and a chain of strong couplings behind them."""
    rng = np.random.default_rng(seed)
    pairs = np.column_stack(np.triu_indices(6, 1))
    chain = np.column_stack([np.arange(5, 5 + tail), np.arange(6, 6 + tail)])
    weight = np.concatenate([np.ones(len(pairs)), 20.0 * rng.choice([-1, 1], tail)])
    tables = weight[:, None, None] * np.array([[1.0, 0.0], [0.0, 1.0]])
    unary = 0.01 * rng.normal(size=(6 + tail, 2))
    return BinaryMRF(unary, np.concatenate([pairs, chain]), tables)
