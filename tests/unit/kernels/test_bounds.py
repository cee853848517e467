"""Every kernel on groups of every size, with each access to an array checked against its bounds.

Compiled code does not check them: an index beyond an array corrupts memory and has effects much later, or never.
`make test-all` runs this file with NUMBA_BOUNDSCHECK=1, where such an index raises IndexError.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba.core import config

import bender_core as bc
from bender_core import looking
from bender_core.engine import memory
from bender_core.groups import Partition
from bender_core.kernels.layout import Method
from bender_core.kernels.min_marginals.exact import plan_elimination
from tests import naive

pytestmark = [
    pytest.mark.bounds,
    pytest.mark.skipif(not config.BOUNDSCHECK, reason="NUMBA_BOUNDSCHECK is not set"),
]

ROWS = tuple(number for number, variant in bc.VARIANTS.items() if not variant.exact)
BOTH = ("mplp", "srmp")


def groups(sizes: list[int], touched: int, density: float, seed: int = 0) -> tuple[bc.BinaryMRF, Partition]:
    """Groups in a ring, chains inside; some members of each, the last among them, are coupled to the next group."""
    rng = np.random.default_rng(seed)
    first = np.concatenate([[0], np.cumsum(sizes)])
    edges = [(i, i + 1) for a, b in itertools.pairwise(first) for i in range(a, b - 1)]
    ring = range(len(sizes)) if len(sizes) > 2 else range(len(sizes) - 1)
    for p in ring:
        q = (p + 1) % len(sizes)
        mine, other = (np.arange(first[k + 1] - min(touched, sizes[k]), first[k + 1]) for k in (p, q))
        kept = rng.random((len(mine), len(other))) < density
        kept[-1, -1] = True
        edges += [(int(mine[a]), int(other[b])) for a, b in np.argwhere(kept)]
    n = int(first[-1])
    mrf = bc.BinaryMRF(rng.normal(size=(n, 2)), np.array(edges), rng.normal(size=(len(edges), 2, 2)))
    members = tuple(np.arange(a, b) for a, b in itertools.pairwise(first))
    return mrf, Partition(members, tuple(f"g{p}" for p in range(len(sizes))))


def use(engine: bc.Engine, sweeps: int) -> None:
    """Run, inspect everything, go back, and continue."""
    engine.run(max_events=7)
    engine.run(max_sweeps=sweeps)
    for p, q in engine.graph.edges.tolist():
        last = (1 << len(engine.partition.groups[p])) - 1
        looking.min_marginal(engine, p, q, [0, last])
        looking.min_marginal(engine, q, p)
        looking.envelope(engine, p, q)
        looking.rows(engine, q, p)
    looking.tightness(engine, max_states=16)
    bc.what_if(engine, *engine.graph.edges[0].tolist(), 0)
    assert looking.certified_bound(engine) == pytest.approx(engine.lower_bound, abs=1e-9)
    end = engine.position
    engine.seek(end // 2)
    engine.step("node")
    engine.seek(end)
    assert engine.upper_bound == pytest.approx(naive.energy(engine.mrf, engine.labeling), abs=1e-9)


@pytest.mark.parametrize("schedule", BOTH)
@pytest.mark.parametrize("variant", bc.VARIANTS)
def test_small_groups_of_all_sizes(variant: int, schedule: str) -> None:
    for size in (1, 2, 3, 5, 8, 9):
        for touched, density in ((1, 1.0), (size, 0.3), (size, 1.0)):
            cut = groups([size, max(size - 2, 1), min(size + 1, 9)], touched, density, seed=size)
            use(bc.Engine(*cut, variant=variant, schedule=schedule), 3)


@pytest.mark.parametrize("variant", [4, 9, 12])
@pytest.mark.parametrize("size", range(10, 21))
def test_large_groups_of_which_little_is_coupled(size: int, variant: int) -> None:
    """Decoding tabulates whole groups, even if an edge touches only a few of their members."""
    schedule = BOTH[size % 2]
    cut = groups([size, 3, size - 4], touched=1 + size % 3, density=0.6, seed=size)
    use(bc.Engine(*cut, variant=variant, schedule=schedule), 1)


@pytest.mark.parametrize("variant", [5, 8, 11])
def test_larger_groups_coupled_densely(variant: int) -> None:
    use(bc.Engine(*groups([11, 10, 12], touched=12, density=0.8), variant=variant), 1)


@pytest.mark.parametrize("method", Method)
@pytest.mark.parametrize(("size", "touched", "density"), [(4, 4, 1.0), (9, 9, 0.7), (12, 12, 0.2), (14, 3, 1.0)])
def test_exact_messages_by_every_method(method: Method, size: int, touched: int, density: float) -> None:
    engine = bc.Engine(*groups([size, size, size - 1], touched, density), variant=12)
    problem = engine.graph.problem
    methods, couplings = problem.methods, problem.couplings
    methods.method[:] = method
    for arc in range(len(problem.bits)):
        cost = plan_elimination(problem.bits, couplings.first, couplings.bit, arc, methods.order[arc])
        methods.largest[arc] = cost[0]
    dims = memory.dimensions(engine.graph)
    engine.arrays.work = memory.workspace(dims, dims.degree, exact=True, deepest=1)
    engine.run(max_sweeps=2)
    assert looking.certified_bound(engine) == pytest.approx(engine.lower_bound, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 5, 40])
@pytest.mark.parametrize("density", [0.0, 0.1, 1.0])
def test_searches_on_models_of_all_sizes(n: int, density: float) -> None:
    edges = np.argwhere(np.triu(np.random.default_rng(n).random((n, n)) < density, 1))
    pairwise = np.broadcast_to([[1.0, -1.0], [-1.0, 1.0]], (len(edges), 2, 2))
    mrf = bc.BinaryMRF(np.random.default_rng(1).normal(size=(n, 2)), edges, pairwise)
    found = bc.search(mrf, np.ones(n, int), work=1_000_000)
    assert found.energy == pytest.approx(naive.energy(mrf, found.labeling), abs=1e-9)


def test_compiled_code_is_checked_here() -> None:
    """If it were not, the other tests of this file would prove nothing."""
    engine = bc.Engine(*groups([4, 4], 4, 1.0), variant=9)
    engine.arrays.work = engine.arrays.work._replace(table=engine.arrays.work.table[:0])
    with pytest.raises(IndexError):
        engine.run()
