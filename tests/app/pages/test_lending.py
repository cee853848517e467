"""The lesson on frustrated cycles: what couplings lend to a ring, and to loops that share them, and what stops LB."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.learn import loop
from pages._shared.learn.lending import Lending, ring, strip
from tests.app.pages.test_learn_page import learn, titles
from tests.app.pages.test_pages import ran, tables

SHARES = list(product(np.arange(0.0, 6.5, 0.5), repeat=3))


def energies(lending: Lending) -> list[float]:
    return [lending.mrf.energy(x) for x in product((0, 1), repeat=lending.mrf.n)]


@pytest.mark.parametrize("lending", [ring(), strip()], ids=["ring", "strip"])
def test_every_labelling_breaks_a_coupling_of_every_loop(lending: Lending) -> None:
    for x in product((0, 1), repeat=lending.mrf.n):
        broken = lending.graph.broken(x)
        assert all(broken[cycle].sum() % 2 == 1 for cycle in lending.cycles)
    assert lending.best == lending.optimum == min(energies(lending))


def test_the_loops_reach_the_optimum_by_one_choice_of_shares_and_no_choice_exceeds_it() -> None:
    lending = strip()
    found = np.array([lending.lower(shares) for shares in SHARES])
    assert found.max() == lending.optimum
    ((best,),) = [np.flatnonzero(found == lending.optimum)]
    assert min(SHARES[best]) > 0, "every loop takes part"
    assert lending.limit(SHARES[best]) == "LB is as high as shares can make it, and is the optimum"


def test_what_couplings_lend_too_much_lowers_the_bound() -> None:
    lending = strip()
    for shares in SHARES[::7]:
        left = lending.graph.cost.copy()
        for share, cycle in zip(shares, lending.cycles, strict=True):
            left[cycle] -= share
        assert lending.lower(shares) == lending.graph.base + sum(shares) + left[left < 0].sum()
        assert (lending.left(shares) == left).all()


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ((0, 0, 0), "Loop A can take 2 more: its couplings have something left"),
        ((2, 0.5, 1), "Loop B can take 0.5 more: its couplings have something left"),
        ((2, 1, 0), "Loop C can take 2 more: its couplings have something left"),
        ((1.5, 1.5, 1.5), "Couplings b–c and c–d have lent all they have: loops A, B and C share them"),
        ((2, 2, 0), "Coupling b–c lends 1 more than it has: loops A and B share it; LB loses that again"),
        ((3, 0, 0), "Coupling a–c lends 1 more than it has; LB loses that again"),
        (
            (2, 2, 2),
            "Couplings b–c and c–d lend 2 more than they have: loops A, B and C share them; LB loses that again",
        ),
        ((6, 6, 6), "7 couplings lend 31 more than they have; LB loses that again"),
    ],
)
def test_a_sentence_says_what_stops_the_bound(shares: tuple[float, ...], sentence: str) -> None:
    assert strip().limit(shares) == sentence


def test_the_ring_is_the_case_of_one_loop() -> None:
    assert ring().limit([0.0]) == "The ring can take 4 more: its couplings have something left"
    assert ring().limit([4.0]) == "LB is as high as shares can make it, and is the optimum"
    assert ring().limit([5.0]) == "6 couplings lend 6 more than they have; LB loses that again"


def test_a_coupling_that_lends_too_much_has_another_colour_in_both_figures() -> None:
    lending, shares = strip(), (2.0, 2.0, 0.0)
    lent, left, beyond = loop.plot_lent(lending, shares).data
    assert (lent.y + left.y == lending.graph.cost).all()
    over = [name == "b–c" for name in lending.names]
    assert (beyond.y > 0).tolist() == over
    assert lent.x[over.index(True)] == "b–c<br>A, B"
    lines = loop.plot_loops(lending, shares).data[: len(lending.names)]
    assert [line.line.color == beyond.marker.color for line in lines] == over


def drag(test: AppTest, name: str, share: float) -> AppTest:
    return ran(test.slider(f"learn-cycles-share-{name}").set_value(share).run())


def test_loops_that_share_couplings_are_dragged_to_the_optimum() -> None:
    test = learn("cycles")
    drag(test, "The ring", 4.0)
    assert "LB −17, at best −17. " in titles(test)
    ran(test.segmented_control("learn-cycles-which").set_value(loop.SEVERAL).run())
    assert len(test.get("plotly_chart")) == 2
    drag(test, "B", 3.0)
    assert "LB 3, at best 5. Couplings b–c and c–d have lent all they have" in titles(test)
    drag(test, "A", 2.0)
    assert "LB 3, at best 5. Coupling b–c lends 2 more than it has: loops A and B share it; LB loses" in titles(test)
    drag(test, "B", 1.0)
    drag(test, "C", 2.0)
    assert "LB 5, at best 5. LB is as high as shares can make it, and is the optimum." in titles(test)
    assert "0, closed" in tables(test)
