"""The kernels against tables over all states (tests/naive.py), one kernel at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bender_core import BinaryMRF, Engine, looking, manual
from bender_core.kernels import messages
from bender_core.kernels.layout import LOW_BITS, Message, RowKind, Scan
from bender_core.kernels.min_marginals.enumerate import enumerate_min_marginals, oracle
from bender_core.kernels.rows import pool
from bender_core.kernels.tables import affine, coupling, projection
from tests import naive
from tests.models import JIT, between_groups, examples
from tests.tiers import thinned

LOW_LENGTH = 1 << LOW_BITS
STRIDE = LOW_LENGTH + 8  # room for functions of up to 11 bits
# Sizes of two groups: one and several high tables of either side, equal and not.
PAIRS = [(1, 1), (1, 4), (4, 1), (2, 3), (3, 2), (5, 5), (2, 9), (9, 2)]
if JIT:
    PAIRS += [(1, 11), (11, 1), (2, 10), (10, 2), (3, 9), (9, 3), (4, 8), (8, 4), (6, 6), (7, 7), (9, 9), (11, 5)]

pytestmark = pytest.mark.jitless


class Rig:
    """The arrays of a model of two groups, on which kernels are called, and its twin."""

    def __init__(self, seed: int, sizes: tuple[int, int], density: float = 0.6) -> None:
        self.rng = np.random.default_rng(seed)
        mrf, part = between_groups(self.rng, list(sizes), [(0, 1)], density)
        self.engine = Engine(mrf, part, variant=9)
        assert self.engine.arrays.rows.grow(16, lambda: False)
        self.problem, self.state, self.pool = (
            self.engine.arrays.problem,
            self.engine.arrays.state,
            self.engine.arrays.rows.view,
        )
        self.work = self.engine.arrays.work
        self.twin = naive.NaiveEngine(mrf, part.groups, 9)
        self.model = self.twin.model

    def n(self, side: int) -> int:
        return 1 << int(self.problem.size[side])

    def active(self, side: int) -> np.ndarray:
        """The state of the active bits for every state of a side."""
        return self.engine.graph.active_states(side)

    def incoming(self, side: int) -> np.ndarray:
        """The other side's term, over its active states."""
        return looking.incoming(self.engine, side)

    def draw_lam(self, spikes: bool = False) -> None:
        """New messages in both directions; with spikes, some entries are a million up or down."""
        for side in (0, 1):
            lam = self.rng.normal(size=self.n(side))
            if spikes:
                lam += self.rng.choice([-1e6, 0.0, 0.0, 1e6], size=len(lam))
            start = self.problem.lam_first[side]
            self.state.lam[start : start + len(lam)] = lam
            self.twin.lam[side, 1 - side] = lam

    def add_row(self, side: int, anchor: int) -> None:
        """The reverse row at a state, in use, in the arrays and in the twin."""
        row = self.write_row(side, anchor)
        pool.append_row(self.pool, self.state, row)
        self.state.cursor.rows = row + 1
        self.twin.rows[0, 1].append(self.model.reverse_row(side, 1 - side, anchor))

    def write_row(self, side: int, anchor: int) -> int:
        """The reverse row at a state, not in use."""
        row = int(self.state.cursor.rows)
        assert row < len(self.pool.edge)
        pool.describe_row(self.pool, row, side, self.active(side)[anchor], int(RowKind.RMC), 0.0)
        pool.write_reverse_row(self.problem, self.pool, row, self.work)
        return row

    def recycle(self, side: int, nu: np.ndarray, limit: int) -> None:
        """Build an envelope, a number of entries at a time."""
        progress = self.work.progress
        progress.limit = limit
        message = Message(side, self.incoming(side), nu)
        pool.begin_recycling(self.state, message, self.work)
        while progress.next >= 0:
            before = progress.next
            assert pool.recycle(self.problem, self.pool, self.state, message, self.work) > 0
            assert progress.next != before

    def table(self, row: int, side: int) -> np.ndarray:
        """The charges of a stored row on one side, over all states."""
        g, bits = self.pool.table[row, side], int(self.problem.bits[side])
        return np.array([affine.affine_value(g, bits, y) for y in self.active(side)])


def scan() -> Scan:
    return Scan(np.empty((4, LOW_LENGTH)), np.empty(LOW_LENGTH))


def tabulated(rng: np.random.Generator, bits: int, count: int = 1) -> tuple[np.ndarray, list[np.ndarray]]:
    """Random affine functions as the kernels store them, and over all states."""
    table = np.full((count, STRIDE), np.nan)
    full = []
    for k in range(count):
        constant, slope = rng.normal(), rng.normal(size=bits)
        affine.tabulate(constant, slope, bits, table[k])
        full.append(naive.affine(constant, slope))
    return table, full


# --- affine tables -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", range(1, 12))
def test_tabulate_and_affine_value(bits: int) -> None:
    table, (full,) = tabulated(np.random.default_rng(bits), bits)
    values = [affine.affine_value(table[0], bits, y) for y in range(1 << bits)]
    np.testing.assert_allclose(values, full, rtol=0, atol=1e-13)


@pytest.mark.parametrize("bits", range(1, 12))
@pytest.mark.parametrize("spikes", [False, True])
def test_affine_max(bits: int, spikes: bool) -> None:
    rng = np.random.default_rng([bits, spikes])
    start = 5
    for _ in range(4):
        table, full = tabulated(rng, bits, 4)
        lam = rng.normal(size=start + (1 << bits) + 3)
        if spikes:
            lam += rng.choice([-1e6, 0.0, 1e6], size=len(lam))
        # What lies before and after the table must not count.
        lam[:start] = lam[start + (1 << bits) :] = 1e9
        expected = [(lam[start : start + (1 << bits)] + g).max() for g in full]
        found = [affine.affine_max(lam[start:], bits, g, scan()) for g in table]
        np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-13)
        together = affine.affine_max4(lam[start:], bits, tuple(table), scan())
        assert together == tuple(found), "rows that share a pass must come out to the last bit as alone"


@pytest.mark.parametrize("bits", range(1, 12))
def test_affine_max_finds_the_maximum_wherever_it_is(bits: int) -> None:
    table, full = tabulated(np.random.default_rng(bits), bits, 4)
    for y in {0, 1, (1 << bits) - 1, (1 << bits) // 2, (1 << bits) * 2 // 3, (1 << bits) // 3}:
        lam = np.zeros(1 << bits)
        lam[y] = 100.0
        expected = [100.0 + g[y] for g in full]
        assert [affine.affine_max(lam, bits, g, scan()) for g in table] == pytest.approx(expected)
        assert affine.affine_max4(lam, bits, tuple(table), scan()) == pytest.approx(expected)


@pytest.mark.parametrize("bits", range(1, 12))
def test_raising_an_envelope(bits: int) -> None:
    rng = np.random.default_rng(bits)
    table, full = tabulated(rng, bits, 4)
    intercepts = rng.normal(size=4)
    start = rng.normal(size=1 << bits) * 3
    start[rng.random(len(start)) < 0.3] = -np.inf
    expected = np.maximum(start, np.max([c - g for c, g in zip(intercepts, full, strict=True)], axis=0))

    together = start.copy()
    affine.raise_envelope4(together, bits, tuple(table), tuple(intercepts.tolist()))
    np.testing.assert_allclose(together, expected, rtol=0, atol=1e-13)

    alone = start.copy()
    for row, c in zip(table, intercepts, strict=True):
        affine.raise_envelope(alone, bits, row, c)
    assert np.array_equal(alone, together)


@pytest.mark.parametrize("bits", range(1, 12))
def test_raising_an_envelope_raises_the_total_by_as_much(bits: int) -> None:
    rng = np.random.default_rng(bits)
    table, (g,) = tabulated(rng, bits)
    nu, total = rng.normal(size=1 << bits), rng.normal(size=1 << bits)
    raised = np.maximum(nu, 0.5 - g)
    expected = total + (raised - nu)
    affine.raise_with_total(nu, total, bits, table[0], 0.5)
    np.testing.assert_allclose(nu, raised, rtol=0, atol=1e-13)
    np.testing.assert_allclose(total, expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("bits", range(1, 12))
@pytest.mark.parametrize("values", [1, 2, 5, 1 << 30])
def test_argmin_takes_the_lowest_state_on_ties(bits: int, values: int) -> None:
    rng = np.random.default_rng([bits, values])
    for _ in range(10):
        total = rng.integers(values, size=1 << bits).astype(float)
        # np.argmin returns the first of equal minima, too; a larger array has other things behind.
        padded = np.append(total, [-1.0] * 7)
        assert affine.argmin(padded, bits, scan()) == int(np.argmin(total))


@settings(max_examples=examples(200))
@given(st.integers(1, 11), st.data())
def test_argmin_of_two_minima(bits: int, data: st.DataObject) -> None:
    state = st.integers(0, (1 << bits) - 1)
    one, other = data.draw(state), data.draw(state)
    total = np.zeros(1 << bits)
    total[[one, other]] = -1.0
    assert affine.argmin(total, bits, scan()) == min(one, other)


@pytest.mark.parametrize("bits", range(12))
@pytest.mark.parametrize("values", [2, 5, 1 << 30])
def test_affine_argmax_finds_where_affine_max_is(bits: int, values: int) -> None:
    rng = np.random.default_rng([bits, values])
    table = np.full(STRIDE, np.nan)
    for _ in range(10):
        slope = rng.integers(-2, 3, size=bits).astype(float)
        affine.tabulate(1.0, slope, bits, table)
        total = rng.integers(values, size=1 << bits).astype(float)
        # What lies behind the table must not count.
        state = affine.affine_argmax(np.append(total, [1e10] * 7), bits, table, scan())
        total += naive.affine(1.0, slope)
        assert total[state] == total.max() == affine.affine_max(total - naive.affine(1.0, slope), bits, table, scan())


# --- rows ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", PAIRS)
def test_a_stored_row_is_the_papers(sizes: tuple[int, int]) -> None:
    rig = Rig(1, sizes)
    for side in (0, 1):
        for anchor in {0, rig.n(side) - 1, int(rig.rng.integers(rig.n(side)))}:
            row = rig.write_row(side, anchor)
            expected = rig.model.reverse_row(side, 1 - side, anchor)
            for s in (0, 1):
                np.testing.assert_allclose(rig.table(row, s), expected[s], rtol=0, atol=1e-12)
            u, v = rig.table(row, 0), rig.table(row, 1)
            assert (rig.model.coupling(0, 1) + u[:, None] + v[None, :] >= -1e-12).all()


@pytest.mark.parametrize("spikes", [False, True])
@pytest.mark.parametrize("sizes", PAIRS)
def test_oracle(sizes: tuple[int, int], spikes: bool) -> None:
    rig = Rig(2, sizes)
    rig.draw_lam(spikes)
    for side in (0, 1):
        exact = rig.twin.min_marginal(side, 1 - side)
        for y in {0, rig.n(side) - 1, *rig.rng.integers(rig.n(side), size=6).tolist()}:
            value = oracle(rig.problem, side, rig.incoming(side), rig.active(side)[y], rig.work)
            assert value == pytest.approx(exact[y], rel=1e-14, abs=1e-12)


@pytest.mark.parametrize("spikes", [False, True])
@pytest.mark.parametrize("sizes", thinned(PAIRS, 3))
def test_recycle(sizes: tuple[int, int], spikes: bool) -> None:
    """From two to ten rows of either side: full passes of four and the remainder."""
    rig = Rig(3, sizes)
    for count in range(2, 11):
        rig.draw_lam(spikes)
        for side in (0, 1):
            active = rig.active(side)
            nu = np.full(active.max() + 1, -np.inf)
            rig.state.written[:] = count  # the messages are new, which the run would note
            rig.recycle(side, nu, limit=int(rig.rng.choice([1, 100, 1 << 20])))
            assert all(pool.has_intercept(rig.pool, rig.state, row, side) for row in range(count))
            nu = nu[active]
            np.testing.assert_allclose(nu, rig.twin.envelope(side, 1 - side), rtol=1e-14, atol=1e-12)
            intercepts = [(-rig.twin.lam[1 - side, side] - row[1 - side]).min() for row in rig.twin.rows[0, 1]]
            np.testing.assert_allclose(rig.pool.intercept[:count, side], intercepts, rtol=1e-14, atol=1e-12)
            exact = rig.twin.min_marginal(side, 1 - side)
            assert (nu <= exact + 1e-13 * (1 + np.abs(exact))).all()
            for row in range(count):
                value = [pool.row_at(rig.problem, rig.pool, row, side, y) for y in active[:64]]
                expected = rig.twin.row_value(rig.twin.rows[0, 1][row], side, 1 - side)[:64]
                np.testing.assert_allclose(value, expected, rtol=1e-14, atol=1e-12)
                if rig.pool.side[row] == side:
                    at = active == rig.pool.anchor[row]
                    np.testing.assert_allclose(nu[at], exact[at], rtol=1e-14, atol=1e-12, err_msg="for every lambda")
        side = count % 2
        rig.add_row(side, int(rig.rng.integers(rig.n(side))))


def test_a_row_is_found_by_its_anchor_and_side() -> None:
    rig = Rig(4, (3, 3), density=1.0)
    taken = {(side, int(rig.pool.anchor[side])) for side in (0, 1)}
    for side, anchor in [(0, 5), (1, 2)]:
        rig.add_row(side, anchor)
        taken.add((side, anchor))
    for side in (0, 1):
        found = [pool.anchored_row(rig.pool, rig.state, side, state) for state in range(8)]
        assert found == [-1] * 8, "no intercept is of the present messages yet"
        rig.recycle(side, np.empty(8), limit=1)
        for state in range(8):
            row = pool.anchored_row(rig.pool, rig.state, side, state)
            assert (row >= 0) == ((side, state) in taken)
            if row >= 0:
                assert (rig.pool.side[row], rig.pool.anchor[row]) == (side, state)
        rig.state.written[side ^ 1] += 1
        assert all(pool.anchored_row(rig.pool, rig.state, side, state) < 0 for state in range(8))


@pytest.mark.parametrize("spikes", [False, True])
@pytest.mark.parametrize("sizes", thinned(PAIRS, 3))
def test_enumerate_min_marginals(sizes: tuple[int, int], spikes: bool) -> None:
    rig = Rig(5, sizes)
    rig.draw_lam(spikes)
    for side in (0, 1):
        expected = rig.twin.min_marginal(side, 1 - side)
        active = rig.active(side)
        states = np.arange(active.max() + 1)
        nu = np.empty(len(states))
        incoming = rig.incoming(side)
        enumerate_min_marginals(rig.problem, Message(side, incoming, nu), states, rig.work)
        np.testing.assert_allclose(nu[active], expected, rtol=1e-14, atol=1e-12)
        some = rig.rng.permutation(states)[: 1 + len(states) // 2]
        picked = np.empty(len(some))
        enumerate_min_marginals(rig.problem, Message(side, incoming, picked), some, rig.work)
        assert np.array_equal(picked, nu[some]), "a state's value must not depend on its company"


# --- couplings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", PAIRS)
def test_a_coupling_is_affine_in_the_sender(sizes: tuple[int, int]) -> None:
    rig = Rig(6, sizes)
    for side in (0, 1):
        slope = np.empty(sizes[1 - side])
        for y in {0, rig.n(side) - 1, *rig.rng.integers(rig.n(side), size=6).tolist()}:
            constant = coupling.coupling_form(rig.problem, side, rig.active(side)[y], slope)
            expected = -rig.model.coupling(side, 1 - side)[y]
            form = naive.affine(constant, slope[: rig.problem.bits[1 - side]])[rig.active(1 - side)]
            np.testing.assert_allclose(form, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sizes", PAIRS)
def test_energies_of_joint_states(sizes: tuple[int, int]) -> None:
    rig = Rig(7, sizes)
    table = rig.model.coupling(0, 1)
    assert min(
        coupling.coupling_minimum(rig.problem, arc, y, y + 1, rig.work.slope)
        for arc in (0, 1)
        for y in range(1 << rig.problem.bits[arc])
    ) == pytest.approx(table.min(), abs=1e-12)
    for _ in range(10):
        joint = np.array([rig.rng.integers(rig.n(0)), rig.rng.integers(rig.n(1))])
        assert coupling.coupling_energy(rig.problem, 0, joint) == pytest.approx(table[tuple(joint)], abs=1e-12)
        energy = coupling.total_energy(rig.problem, joint) + rig.model.constant
        assert energy == pytest.approx(rig.model.energy(joint), rel=1e-13, abs=1e-12)


# --- messages ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 5, 9])
@pytest.mark.parametrize("degree", [0, 1, 3])
def test_pass_messages(size: int, degree: int) -> None:
    """The update of Alg. 1, from any table of min-marginals."""
    rng = np.random.default_rng([size, degree])
    mrf, part = between_groups(rng, [size, 2, 1, 3][: degree + 1], [(0, q) for q in range(1, degree + 1)])
    engine = Engine(mrf, part, variant=9)
    state, work, n = engine.arrays.state, engine.arrays.work, 1 << size
    nu = rng.normal(size=(degree, n))
    for slot, arc in enumerate(engine.arrays.problem.node_arcs[:degree]):
        # An arc with idle bits gets the same min-marginal wherever only those differ.
        active = engine.graph.active_states(int(arc))
        nu[slot] = nu[slot][np.unique(active, return_index=True)[1]][active]
        work.nu[slot, active] = nu[slot]
    total = engine.arrays.problem.phi[:n] + nu.sum(axis=0)
    work.total[:n] = total
    state.decoded[0] = total.argmin()
    state.node_bound[0] = -3.0
    state.edge_bound[:] = rng.normal(size=degree)
    before = -3.0 + state.edge_bound.sum()
    gain = messages.pass_messages(engine.arrays.problem, engine.arrays.rule, state, 0, work)
    share = total / (1 + degree)
    for slot, q in enumerate(engine.graph.neighbours(0)):
        np.testing.assert_allclose(looking.message(engine, 0, q), nu[slot] - share, rtol=0, atol=1e-13)
        assert not looking.message(engine, q, 0).any()
        assert state.edge_bound[slot] == pytest.approx(share.min())
    assert state.node_bound[0] == pytest.approx(share.min())
    assert gain == pytest.approx(total.min() - before)


# --- compilation ---------------------------------------------------------------------------------------------

SIGNATURES = """
import importlib, json, pkgutil, sys
import numba
import numpy as np
import bender_core as bc

def used():
    names = [m.name for m in pkgutil.walk_packages(bc.__path__, "bender_core.") if not m.name.endswith("__main__")]
    modules = {name: importlib.import_module(name) for name in names}
    compiled = {f"{name}.{key}": (value, ".kernels." not in name) for name, module in modules.items()
                for key, value in vars(module).items() if isinstance(value, numba.core.dispatcher.Dispatcher)}
    # A kernel called with a literal number is compiled for it; that is still the same kind of argument.
    kinds = {name: {tuple(map(numba.types.unliteral, s)) for s in f.signatures} for name, (f, _) in compiled.items()}
    return {name: (len(kinds[name]), outside) for name, (f, outside) in compiled.items()}

bc.warm_up()
warm = used()
rng = np.random.default_rng(0)
for n, m in ((1, 0), (5, 6), (12, 40)):
    edges = rng.permutation(np.argwhere(np.tri(n, k=-1)))[:m]
    mrf = bc.BinaryMRF(rng.normal(size=(n, 2)), edges, rng.normal(size=(len(edges), 2, 2)))
    for max_size in (1, 3, 11):
        part = bc.partition(mrf, max_size, "greedy")
        bc.required_bytes(mrf, part)
        for variant in bc.VARIANTS:
            engine = bc.Engine(mrf, part, variant=variant)
            engine.run()
            engine.seek(len(engine.trace) // 2)
            bc.looking.certified_bound(engine), bc.looking.tightness(engine)
            [(bc.looking.rows(engine, p, q), bc.looking.envelope(engine, q, p)) for p, q in engine.graph.edges.tolist()]
    bc.Packing(mrf).run()
    bc.CyclePursuit(mrf).run()
json.dump({"warm": warm, "used": used()}, sys.stdout)
"""


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_every_kernel_is_compiled_for_one_signature() -> None:
    """A second signature would mean arrays of two kinds, and a compilation in the middle of a run."""
    root = Path(__file__).parents[3]
    environment = os.environ | {"PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", SIGNATURES], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert len(report["used"]) > 20
    for name, (signatures, called_by_python) in report["used"].items():
        # What only other kernels call is compiled into them, for all that they call it with.
        assert signatures == 1 or not called_by_python, name
        warm, _ = report["warm"][name]
        assert warm == signatures, f"{name} was not warmed up"


# --- idle bits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 5, 9, 10])
def test_projection_keeps_what_the_edge_touches(size: int) -> None:
    """A group of which one edge touches some members, low and high bits among them, and another all."""
    rng = np.random.default_rng(size)
    touched = np.sort(rng.choice(size, max(1, size // 2), replace=False))
    edges = [(int(i), size) for i in touched] + [(i, size + 1) for i in range(size)]
    mrf = random_pairs(rng, size + 2, edges)
    graph = Engine(mrf, manual(mrf, [range(size), [size], [size + 1]]), variant=9).graph
    problem, n = graph.problem, 1 << size
    for q, members in ((1, touched), (2, np.arange(size))):
        arc = graph.arc(0, q)
        assert graph.active_members(arc).tolist() == members.tolist()
        expected = sum(((np.arange(n) >> int(k)) & 1) << place for place, k in enumerate(members))
        assert np.array_equal(graph.active_states(arc), expected)
        assert [projection.active_state(problem, arc, y) for y in range(n)] == expected.tolist()
        table, nu, total = rng.normal(size=n), rng.normal(size=1 << len(members)), rng.normal(size=n)
        out = np.empty(1 << len(members))
        projection.project_max(problem, arc, table, out)
        assert np.array_equal(out, [table[expected == v].max() for v in range(len(out))])
        added, lam = total.copy(), np.empty(n)
        projection.add_spread(problem, arc, nu, added)
        assert np.array_equal(added, total + nu[expected])
        projection.write_message(problem, arc, nu, total, 0.25, lam)
        assert np.array_equal(lam, nu[expected] - 0.25 * total)


def random_pairs(rng: np.random.Generator, n: int, edges: list[tuple[int, int]]) -> BinaryMRF:
    return BinaryMRF(rng.normal(size=(n, 2)), np.array(edges), rng.normal(size=(len(edges), 2, 2)))
