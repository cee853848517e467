"""Random trees, where message passing is exact."""

from __future__ import annotations

import numpy as np

from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth.grids import ising_tables


def random_tree(n: int = 25, strength: float = 1.0, seed: int = 0) -> BinaryMRF:
    """A random recursive tree: variable i hangs on one of 0 … i−1, each as likely; couplings and fields are normal.

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
        Variables sit at (place among the leaves, depth).
    """
    rng = np.random.default_rng(seed)
    child = np.arange(1, n)
    parent = rng.integers(0, child)
    h = rng.standard_normal(n)
    return BinaryMRF(
        unary=np.column_stack([h, -h]),
        edges=np.column_stack([parent, child]),
        pairwise=ising_tables(strength * rng.standard_normal(n - 1)),
        positions=_layout(parent),
        name=f"tree of {n}",
        description="A tree has no cycles, so the bound of message passing reaches the optimum at every group size.",
        source=stated("random_tree", n=n, strength=strength, seed=seed),
    )


def _layout(parent: IntArray) -> FloatArray:
    """Depth downwards; leaves side by side in the order of a walk, every parent over the middle of its children.

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


FAMILY = Family(
    name="random_tree",
    title="Random tree",
    shows="Without cycles the bound meets the optimum, whatever the groups.",
    generate=random_tree,
    parameters=(
        Parameter("n", "Variables", 25, 2, 2000),
        Parameter("strength", "Strength of the couplings", 1.0, 0.0, 10.0),
        SEED,
    ),
)
