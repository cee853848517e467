"""Exact min-marginals: each of the three methods against enumeration (docs/method.md §5; §7, 5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bender_core import BinaryMRF, Engine, Partition, looking, manual
from bender_core.engine import memory
from bender_core.kernels import layout
from bender_core.kernels.layout import STEP, Method
from bender_core.kernels.min_marginals import exact
from tests.models import JIT, between_groups, examples

pytestmark = pytest.mark.jitless
LARGEST = 11 if JIT else 6


class Message:
    """One message between two groups, to compute by any method."""

    def __init__(self, mrf: BinaryMRF, part: Partition, arc: int = 0) -> None:
        self.engine = Engine(mrf, part, variant=12)
        self.problem = self.engine.graph.problem
        self.arc = arc

    def send(self, lam: np.ndarray) -> None:
        """Let the sender bring a table over its states."""
        start = self.problem.lam_first[self.arc ^ 1]
        self.engine.arrays.state.lam[start : start + len(lam)] = lam

    @property
    def sender_states(self) -> int:
        return 1 << int(self.problem.size[self.engine.graph.ends(self.arc)[1]])

    def by(self, method: Method, limit: int = STEP) -> np.ndarray:
        """The min-marginals, a number of entries at a time."""
        bits, couplings, methods = self.problem.bits, self.problem.couplings, self.problem.methods
        methods.method[:] = method
        # The room that an elimination needs is known when it is planned.
        cost = exact.plan_elimination(bits, couplings.first, couplings.bit, self.arc, methods.order[self.arc])
        methods.largest[self.arc] = cost[0]
        work = memory.workspace(memory.dimensions(self.engine.graph), 1, exact=True, deepest=1)
        work.progress.limit = limit
        if method == Method.PRUNE:
            self.work = work
        nu = np.full(1 << self.problem.bits[self.arc], np.nan)
        message = layout.Message(self.arc, looking.incoming(self.engine, self.arc), nu)
        exact.begin_exact(work)
        while work.progress.next >= 0:
            before = work.progress.copy()
            exact.exact_min_marginals(self.problem, message, work)
            assert work.progress != before
        return nu


def agree(message: Message) -> None:
    """All three methods give the result of a pass over both groups' states."""
    truth = message.by(Method.ENUMERATE)
    scale = 1e-13 * max(1.0, np.abs(truth).max(), np.abs(message.engine.arrays.state.lam).max())
    np.testing.assert_allclose(message.by(Method.PRUNE), truth, rtol=0, atol=scale)
    np.testing.assert_allclose(message.by(Method.ELIMINATE), truth, rtol=0, atol=scale)
    for method in Method:
        # A step may be as small as can be: it is gone on with, to the same bits.
        assert np.array_equal(message.by(method, limit=1), message.by(method))


@settings(max_examples=examples(200))
@given(
    seed=st.integers(0, 1 << 20),
    sizes=st.tuples(st.integers(1, LARGEST), st.integers(1, LARGEST)),
    density=st.sampled_from([0.0, 0.1, 0.3, 1.0]),
    arc=st.integers(0, 1),
    spikes=st.sampled_from(["none", "few", "many"]),
    ties=st.booleans(),
)
def test_all_methods_agree(
    seed: int, sizes: tuple[int, int], density: float, arc: int, spikes: str, ties: bool
) -> None:
    rng = np.random.default_rng(seed)
    mrf, part = between_groups(rng, list(sizes), [(0, 1)], density)
    if ties:
        mrf = BinaryMRF(np.round(mrf.unary), mrf.edges, np.round(mrf.pairwise))
    message = Message(mrf, part, arc if len(Message(mrf, part).problem.bits) else 0)
    if not len(message.problem.bits):
        return
    lam = np.round(rng.normal(size=message.sender_states)) if ties else rng.normal(size=message.sender_states)
    if spikes != "none":
        share = 0.05 if spikes == "few" else 0.5
        lam += np.where(rng.random(len(lam)) < share, rng.choice([-1e6, 1e6], size=len(lam)), 0.0)
    message.send(lam)
    agree(message)


@pytest.mark.parametrize(
    "sizes", [(1, 1), (1, 9), (9, 1), (8, 8), (9, 9), (10, 8)] if JIT else [(1, 1), (1, 5), (5, 1)]
)
@pytest.mark.parametrize("equal", [False, True])
def test_ties_everywhere(sizes: tuple[int, int], equal: bool) -> None:
    """The sender's table is constant, or zero: every candidate ties with others."""
    mrf, part = between_groups(3, list(sizes), [(0, 1)], 1.0)
    message = Message(BinaryMRF(0 * mrf.unary, mrf.edges, np.sign(mrf.pairwise)), part)
    message.send(np.full(message.sender_states, 2.5 if equal else 0.0))
    agree(message)


@pytest.mark.skipif(not JIT, reason="takes groups of ten")
def test_pruning_is_given_up_where_it_costs_more_than_enumerating() -> None:
    """Couplings +1 and -1 between all pairs leave next to nothing to prune."""
    rng = np.random.default_rng(0)
    edges = np.column_stack(np.triu_indices(20, 1))
    strength = rng.choice([-1.0, 1.0], len(edges))[:, None, None]
    mrf = BinaryMRF(np.zeros((20, 2)), edges, strength * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    message = Message(mrf, manual(mrf, [range(10), range(10, 20)]))
    message.engine.run(max_sweeps=1)
    agree(message)
    assert not message.work.progress.worthwhile
