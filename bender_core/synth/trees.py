"""Random trees, where message passing is exact, and trees with a few cycles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bender_core.model import BinaryMRF, FloatArray, IntArray, ModelError
from bender_core.seeds import generator
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth.spins import ising_fields, ising_tables


def random_tree(n: int = 25, strength: float = 1.0, seed: int = 0) -> BinaryMRF:
    """A random recursive tree: the parent of i is uniform among 0 … i−1; couplings and fields are normal.

    Parameters
    ----------
    n : int
        Number of variables, at least 2.
    strength : float
        Standard deviation of the couplings; that of the fields is 1.
    seed : int

    Returns
    -------
    BinaryMRF
        Variables are at (place among the leaves, depth).
    """
    rng = generator(seed)
    parent, h, coupling = _draw_tree(rng, n, strength)
    return BinaryMRF(
        unary=ising_fields(h),
        edges=_tree_edges(parent),
        pairwise=ising_tables(coupling),
        positions=_layout(parent),
        name=f"tree of {n}",
        description="A tree has no cycles, so the bound of message passing reaches the optimum at every group size.",
        source=stated("random_tree", n=n, strength=strength, seed=seed),
    )


def tree_plus(n: int = 25, extra: int = 8, strength: float = 3.0, seed: int = 0) -> BinaryMRF:
    """The random tree of the same parameters, with extra edges between pairs that it does not join.

    Parameters
    ----------
    n : int
        Number of variables.
    extra : int
        The number of additional edges, and so of independent cycles; at most (n − 1)(n − 2)/2.
    strength : float
        Standard deviation of the couplings; that of the fields is 1.
    seed : int

    Returns
    -------
    BinaryMRF
        The edges of the tree come first, and variables have its positions.

    Raises
    ------
    ModelError
        If there are fewer pairs left.
    """
    rng = generator(seed)
    parent, h, coupling = _draw_tree(rng, n, strength)
    tree = _tree_edges(parent)
    i, j = np.triu_indices(n, 1)
    apart = np.ones((n, n), dtype=bool)
    apart[tree[:, 0], tree[:, 1]] = False
    left = np.column_stack([i, j])[apart[i, j]]
    if extra > len(left):
        raise ModelError(
            f"a tree of {n} variables leaves {len(left)} pairs unjoined; give at most that many extra edges"
        )
    closing = left[rng.choice(len(left), extra, replace=False)]
    return BinaryMRF(
        unary=ising_fields(h),
        edges=np.concatenate([tree, closing]),
        pairwise=ising_tables(np.concatenate([coupling, strength * rng.standard_normal(extra)])),
        positions=_layout(parent),
        name=f"tree of {n} plus {extra}",
        description="A tree with a few extra edges: only the cycles they close can keep the bound below the optimum.",
        source=stated("tree_plus", n=n, extra=extra, strength=strength, seed=seed),
    )


def _draw_tree(rng: np.random.Generator, n: int, strength: float) -> tuple[IntArray, FloatArray, FloatArray]:
    """The parents of variables 1 … n−1, the fields of all, and the couplings to the parents."""
    parent = rng.integers(0, np.arange(1, n))
    return parent, rng.standard_normal(n), strength * rng.standard_normal(n - 1)


def _tree_edges(parent: IntArray) -> IntArray:
    return np.column_stack([parent, np.arange(1, len(parent) + 1)])


def _layout(parent: IntArray) -> FloatArray:
    """Depth downwards; leaves side by side in depth-first order, every parent above the middle of its children.

    ``parent[k]`` is the parent of variable k + 1, and smaller than k + 1.
    """
    n = len(parent) + 1
    children: list[list[int]] = [[] for _ in range(n)]
    depth = np.zeros(n)
    for node, above in enumerate(parent.tolist(), 1):
        children[above].append(node)
        depth[node] = depth[above] + 1
    across = np.zeros(n)
    leaves = 0
    stack = [0]
    while stack:
        node = stack.pop()
        stack.extend(reversed(children[node]))
        if not children[node]:
            across[node] = leaves
            leaves += 1
    for node in range(n - 1, -1, -1):
        if children[node]:
            across[node] = (across[children[node][0]] + across[children[node][-1]]) / 2
    return np.column_stack([across, depth])


STRENGTH = Parameter("strength", "Strength of the couplings", 1.0, 0.0, 10.0)

FAMILIES = (
    Family(
        name="random_tree",
        title="Random tree",
        shows="Without cycles the bound reaches the optimum for any groups.",
        generate=random_tree,
        parameters=(Parameter("n", "Variables", 25, 2, 2000), STRENGTH, SEED),
    ),
    Family(
        name="tree_plus",
        title="Tree with a few cycles",
        shows="Only frustrated cycles loosen the bound, and here they are few: groups that contain them close the gap.",
        generate=tree_plus,
        parameters=(
            Parameter("n", "Variables", 25, 4, 2000),
            Parameter("extra", "Extra edges", 8, 1, 100),
            replace(STRENGTH, default=3.0),
            SEED,
        ),
    ),
)
