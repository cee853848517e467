"""The speed of this machine at the basic steps of a run, measured once, in a fraction of a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bender_core.engine import memory
from bender_core.groups import Partition
from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import LOW_BITS, Message, Method, Scan
from bender_core.kernels.min_marginals.enumerate import enumerate_min_marginals
from bender_core.kernels.min_marginals.exact import begin_exact, exact_min_marginals
from bender_core.kernels.tables.affine import affine_max4
from bender_core.model import BinaryMRF, FloatArray

# Bits of a table that fits into the cache of one core, and of one that does not.
CACHED, LARGE = 12, 20
# A table of more entries than this counts as large: 1 MB.
CACHE = 1 << 17
# Members of the groups of the elimination, coupled in pairs; and of those of the enumeration, which is all overhead.
ELIMINATED, TINY = 10, 3
# Short and long measurements are repeated, and the best is taken.
SHORT, LONG = 60, 4


class Speed(NamedTuple):
    """Processor seconds of the basic steps; all other costs are multiples of these."""

    entry: float  # reading an entry in a pass over a table in the cache
    streamed: float  # adding an entry to another in a pass over tables too large for the cache
    eliminated: float  # making an entry of a table of an elimination
    overhead: float  # enumerating a state where everything is overhead: branches, short loops, calls

    def passing(self, states: FloatArray) -> FloatArray:
        """Seconds of a pass over tables of these numbers of states."""
        seconds: FloatArray = states * np.where(states > CACHE, self.streamed, self.entry)
        return seconds


@lru_cache(maxsize=1)
def speed() -> Speed:
    """The speed of this machine; the first call measures it, in a tenth of a second."""
    return Speed(entry=_pass(), streamed=_stream(), eliminated=_elimination(), overhead=_overhead())


def _best(action: Callable[[], object], repeats: int) -> float:
    """The least processor time of an action in this thread, seconds; other load on the machine does not count."""
    least = np.inf
    for _ in range(repeats):
        begin = time.thread_time()
        action()
        least = min(least, time.thread_time() - begin)
    return least


def _pass() -> float:
    lam, scan = np.zeros(1 << CACHED), Scan(np.empty((4, 1 << LOW_BITS)), np.empty(1 << LOW_BITS))
    four = tuple(np.zeros((4, (1 << LOW_BITS) + (1 << (CACHED - LOW_BITS)))))

    def action() -> None:
        affine_max4(lam, CACHED, four, scan)

    return _best(action, SHORT) / (4 << CACHED)


def _stream() -> float:
    total, nu = np.ones((2, 1 << LARGE))
    return _best(lambda: np.add(total, nu, out=total), LONG) / (1 << LARGE)


def _elimination() -> float:
    graph, message = _pairs(ELIMINATED)
    work = memory.workspace(memory.dimensions(graph), 1, exact=True, deepest=1)
    entries = (1 + ELIMINATED) * float(graph.problem.methods.largest[0])

    def action() -> None:
        begin_exact(work)
        exact_min_marginals(graph.problem, message, work)

    return _best(action, SHORT) / entries


def _overhead() -> float:
    graph, message = _pairs(TINY)
    work = memory.workspace(memory.dimensions(graph), 1, exact=True, deepest=1)
    # Enough states for the call itself not to count.
    states = np.tile(np.arange(1 << TINY), 64)
    all_of_them = message._replace(nu=np.empty(len(states)))
    return _best(lambda: enumerate_min_marginals(graph.problem, all_of_them, states, work), SHORT) / len(states)


def _pairs(members: int) -> tuple[HyperGraph, Message]:
    """Two groups whose members are coupled one to one, and the message from one to the other."""
    first = np.arange(members)
    mrf = BinaryMRF(
        unary=np.zeros((2 * members, 2)),
        edges=np.stack([first, first + members], axis=1),
        pairwise=np.tile(np.eye(2), (members, 1, 1)),
    )
    graph = HyperGraph(mrf, Partition((first, first + members), ("a", "b")))
    assert graph.problem.methods.method[0] == Method.ELIMINATE or members < ELIMINATED
    return graph, Message(0, np.zeros(1 << members), np.empty(1 << members))
