"""The numbers of Method: both sides of every example agree, in every run; and they are those of a slow twin."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from scipy.optimize import linprog

import bender_core as bc
from bender_core.cycles.packing import needed_bytes
from bender_core.stopping import never
from pages._shared.method.formulas import FORMULAS, Formula
from pages._shared.method.live import FIRST, friends
from pages._shared.method.notation import NOTATION, Here, symbols_of, unexplained
from pages._shared.method.numbers import View, numbers_of, to_update
from pages._shared.method.record import record
from pages._shared.method.recorded import recorded
from pages._shared.method.scene import Scene, packed
from pages._shared.method.tex import extreme, plus, tex, total
from tests import naive
from tests.models import random_mrf
from tests.tiers import thinned

ALL = [step for chapter in FORMULAS.values() for step in chapter]
# Samples with their M: trees, cycles, groups of unequal sizes, and groups without all couplings.
MODELS = [("tiny", 3), ("friends", 3), ("frustrated-cycle", 2), ("tree", 3), ("karate", 4), ("torus-10x10", 5)]
RULES = [(1, "mplp"), (2, "srmp"), (3, "mplp"), (5, "srmp"), (9, "mplp"), (11, "mplp"), (12, "srmp")]


def scene(engine: bc.Engine, arc: int) -> Scene:
    p, q = engine.graph.ends(arc)
    assert to_update(engine, p, never)
    return Scene(engine, engine.partition.largest, p, q, never)


@pytest.fixture(scope="module")
def first() -> Here:
    """The scene that the page shows at first."""
    return Here(scene(friends(), FIRST))


def disagreeing(here: Here, scale: float) -> list[str]:
    """The formulas whose sides differ by more than rounding."""
    found = []
    for step in ALL:
        for side in step.example(here).sides:
            off = side.right - side.left if side.is_bound else abs(side.left - side.right)
            if not off <= 1e-9 * (scale + abs(side.left)):
                found.append(f"{step.title}: {side}")
    return found


@pytest.mark.parametrize("step", ALL, ids=lambda step: step.title)
def test_every_symbol_of_a_formula_is_explained(step: Formula) -> None:
    assert unexplained(step.latex) == ()
    assert symbols_of(step.latex)


def test_what_is_no_symbol_is_found() -> None:
    assert unexplained(r"\zeta_{pq} = \sum_q \nu_{pq}(y_p) + z \; \text{for all}") == (r"\zeta", "z")
    assert [each.latex for each in symbols_of(r"\nu^-_{pq} \le \lambda_{pq \to q}(y_q)")] == [
        "p, q",
        "y_q",
        r"\lambda_{pq \to q}",
        r"\nu^-_{pq}",
    ]


def test_every_symbol_but_one_of_the_page_watch_stands_in_a_formula() -> None:
    used = {each.latex for step in ALL for each in symbols_of(step.latex)}
    assert {each.latex for each in NOTATION} - used == {"q^*"}


@pytest.mark.parametrize(("name", "max_size"), MODELS)
@pytest.mark.parametrize("rules", thinned(RULES, 3))
def test_both_sides_of_every_example_agree(name: str, max_size: int, rules: tuple[int, str]) -> None:
    mrf = bc.sample(name)
    engine = bc.Engine(mrf, bc.partition(mrf, max_size), variant=rules[0], schedule=rules[1])
    arcs = 2 * len(engine.graph.edges)
    for sweeps in (0, 1, 3):
        engine.run(max_sweeps=sweeps)
        for arc in sorted({0, arcs // 2, arcs - 1}):
            position = engine.position
            assert disagreeing(Here(scene(engine, arc)), engine.graph.problem.scale) == []
            engine.seek(position)


@pytest.mark.parametrize("seed", range(4))
def test_they_agree_on_random_models(seed: int) -> None:
    mrf = random_mrf(seed, 9, constant=2.5, integers=seed % 2 == 1)
    engine = bc.Engine(mrf, bc.manual(mrf, [[0, 4, 2], [1, 8], [3, 5, 6, 7]]), variant=5)
    engine.run(max_sweeps=seed)
    for arc in range(2 * len(engine.graph.edges)):
        assert disagreeing(Here(scene(engine, arc)), engine.graph.problem.scale) == []


def test_the_values_of_the_friends_are_those_of_a_slow_twin(first: Here) -> None:
    engine = first.scene.engine
    twin = naive.NaiveEngine(engine.mrf, engine.partition.groups, 9)
    for p in (0, 1):
        before = {q: twin.min_marginal(p, q) for q in twin.model.neighbours(p)}
        twin.update(p)
    y, z = twin.states[1], int((twin.model.coupling(1, 0)[twin.states[1]] - twin.lam[0, 1]).argmin())
    phi, coupling = twin.model.phi[1][y], twin.model.coupling(1, 0)[y, z]
    assert (first["y_p"], first["y_q"]) == tuple("".join(str(state >> k & 1) for k in range(3)) for state in (y, z))
    expected = {
        r"\phi_p": phi,
        r"\phi_{pq}": coupling,
        r"\lambda_{pq \to q}": twin.lam[0, 1][z],
        r"\lambda_{pq \to p}": twin.lam[1, 0][y],
        r"\nu_{pq}": before[0][y],
        r"\nu^-_{pq}": before[0][y],
        r"\nu_p": (phi + sum(values[y] for values in before.values())) / 3,
        r"\deg p": 2,
        "M": 3,
        "c'": twin.model.constant,
        "LB": twin.lower_bound(),
        "f(x)": naive.energy(engine.mrf, engine.labeling.tolist()),
    }
    assert {latex: first.number(latex) for latex in expected} == pytest.approx(expected)


def test_no_row_charges_less_than_the_magnanti_wong_row(first: Here) -> None:
    """Its payments, by a linear program over all states of the sender."""
    seen = first.scene
    assert first.number(r"\alpha") == 1
    bits = naive.bits(3)
    rest = np.zeros(8)
    for _, member, theta in naive.GroupModel(seen.engine.mrf, seen.engine.partition.groups).theta[seen.p, seen.q]:
        rest -= theta.min() * (bits[:, member] == np.argwhere(theta)[0][1])
    needed = seen.claimed + first.number(r"\nu_{pq}") + rest
    chosen = np.zeros((8, 6))
    chosen[np.arange(8)[:, None], 2 * np.arange(3) + bits] = 1
    bounds = [(0, most) for most in seen.cut.capacity.ravel()]
    least = linprog(np.ones(6), A_ub=-chosen, b_ub=-needed, bounds=bounds)
    assert least.status == 0
    assert seen.cut.payments.sum() == pytest.approx(least.fun)
    assert 0 < least.fun < seen.cut.capacity.sum()


def test_the_coupling_shown_is_one_that_the_reverse_row_charges(first: Here) -> None:
    assert not first.scene.taken.all()
    assert first[r"\beta^1_{ij}, \beta^2_{ij}"] == "4, 0"
    assert first["i, j"] == "Dan, Ann"


def test_looking_changes_nothing() -> None:
    engine = friends()
    engine.run(max_events=40)
    before, events = engine.lower_bound, len(engine.trace)
    found = numbers_of(engine, 3, FIRST, View(ALL, NOTATION), never)
    # B was updated last in the first sweep.
    assert found.moment.endswith("sweep 1 ends (event 10)")
    assert (engine.position, engine.lower_bound, len(engine.trace)) == (40, before, events)


def test_a_run_that_ends_before_an_update_has_no_numbers() -> None:
    mrf = bc.sample("pose-small")
    part = bc.partition(mrf, 8, "groups")
    whole = bc.Engine(mrf, part, variant=5)
    # Its rows do not fit.
    engine = bc.Engine(mrf, part, variant=5, limit=whole.account.limit - whole.account.free)
    arc = engine.graph.arc(len(part) - 1, engine.graph.neighbours(len(part) - 1)[0])
    found = numbers_of(engine, 8, arc, View(ALL, NOTATION), never)
    assert (found.values, found.examples) == ({}, {})
    assert found.moment == f"{part.labels[-1]} is not updated"
    assert engine.position == 0


def test_the_recording_is_made_again() -> None:
    assert recorded() == record(), "make opening records it anew"


def test_long_sums_and_minima_are_shortened() -> None:
    assert plus(1, -2.5, 3) == "1 - 2.5 + 3"
    assert total([1, 2, 3, 4]) == "1 + 2 + 3 + 4"
    assert total([1, 2, 3, 4, 5]) == r"1 + 2 + 3 + \dots"
    assert extreme("min", [4, -1, 3, 2]) == r"\min\{-1, 2, \dots\}"
    assert extreme("max", [4, -1]) == r"\max\{4, -1\}"
    assert (tex(-1 / 3), tex(2.5e-7), tex(0.0)) == ("-0.3333", r"2.5 \cdot 10^{-7}", "0")


def test_a_negative_number_after_a_sign_is_in_parentheses(first: Here) -> None:
    filled = first.fill("‹a› + ‹a› - «a|x»\n‹LB›", a=-2.0)
    assert r"-2 + (-2) - \underbrace{(-2)}_{x} \\" in filled
    assert "\n-4.333\n" in filled


def test_cycles_are_charged_to_the_account_of_the_run_and_are_refused_where_they_do_not_fit() -> None:
    mrf, account = bc.sample("torus-10x10"), bc.Account(1 << 30)
    packing = packed(mrf, account, never)
    whole = bc.Packing(mrf)
    whole.run()
    assert packing.lower_bound == whole.lower_bound
    assert account.used >= packing.nbytes > needed_bytes(mrf)
    needed = account.used
    del packing
    gc.collect()
    assert account.used == 0
    for limit, words in [(needed_bytes(mrf) - 1, "for the cycles"), (needed - 1, "for more cycles")]:
        small = bc.Account(limit)
        with pytest.raises(bc.TooLargeError, match=words):
            packed(mrf, small, never)
        gc.collect()
        assert small.used == 0
