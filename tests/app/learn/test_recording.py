"""What Learn shows and does not compute itself: it is the engine's, and it is as its sentences say."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from pages._shared.app.session import sample
from pages._shared.learn import timing
from pages._shared.learn.record import VARIANT, record
from pages._shared.learn.recorded import world
from pages._shared.learn.rows import ALPHAS, Between
from tests import naive


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal up to rounding, which machines do differently."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == (pytest.approx(other, rel=1e-9, abs=1e-7) if isinstance(one, float) else other))


def test_it_is_made_again() -> None:
    assert same(world(), json.loads(json.dumps(record()))), "make opening records it anew"


def test_the_cheapest_evening_is_the_cheapest_of_all() -> None:
    mrf, found = sample("friends"), world()["optimum"]
    assert mrf.energy(found["labeling"]) == found["energy"] == naive.optimum(mrf)


def test_larger_groups_know_more_and_two_of_them_all() -> None:
    bounds = [each["lower"] for each in world()["sizes"]]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[2] < bounds[3] == world()["optimum"]["energy"]
    # Merging one pair of tables alone leaves a ring.
    assert world()["merged"]["lower"] == bounds[2]


def test_tensions_add_up_to_the_gap_at_every_sweep() -> None:
    for sweep in world()["climb"]["sweeps"]:
        parts = [*sweep["groups"], *sweep["edges"]]
        assert min(parts) >= -1e-9
        assert sum(parts) == pytest.approx(world()["optimum"]["energy"] - sweep["lower"])


def test_what_is_above_the_next_lower_energy_is_what_a_run_excludes() -> None:
    mrf, best = sample("friends"), world()["optimum"]["energy"]
    groups = world()["climb"]["groups"]
    run = bc.Engine(mrf, bc.manual(mrf, groups), variant=VARIANT, excluding=True)
    run.run()
    for table, least in enumerate(world()["least"]):
        assert (np.array(least) <= best - 1).tolist() == looking.alive(run, table).tolist()
        assert min(least) == pytest.approx(world()["climb"]["sweeps"][-1]["lower"])


def test_every_loop_that_lends_raises_the_bound_until_whole_numbers_close_the_gap() -> None:
    found, best = world()["cycles"], world()["optimum"]["energy"]
    lowers = found["lowers"]
    assert len(lowers) == len(found["loops"]) + 1
    assert lowers == sorted(lowers)
    assert lowers[-1] <= naive.cycle_bound(sample("friends")) + 1e-6
    assert best - 1 < lowers[-1] < best


def test_rows_of_every_alpha_are_valid_and_the_last_charges_least() -> None:
    found, tables = world()["spread"], Between(sample("friends"))
    states = np.arange(8)
    nu = np.array([tables.answers(int(state)).min() for state in states])
    bits = states[:, None] >> np.arange(3) & 1
    away = bits & ~bits[found["anchor"]]
    for charges in (found["reverse"], *(row["charges"] for row in found["rows"])):
        values = nu[found["anchor"]] - away @ np.array(charges)
        assert (values <= nu + 1e-9).all()
        assert np.less_equal(charges, np.array(found["reverse"]) + 1e-9).all()
    assert [row["alpha"] for row in found["rows"]] == pytest.approx(ALPHAS.tolist())
    totals = [sum(row["charges"]) for row in found["rows"]]
    assert totals[-1] == pytest.approx(min(totals))


def test_an_update_asks_few_states_and_ends_where_exact_messages_would() -> None:
    found = world()["update"]
    asked = {each["y"] for each in found["rounds"]}
    assert len(asked) < 16
    floors, ceilings = ([each[side] for each in found["rounds"]] for side in ("floor", "ceiling"))
    assert floors == sorted(floors)
    assert ceilings == sorted(ceilings, reverse=True)
    assert floors[-1] == pytest.approx(ceilings[-1])
    assert found["lower"][1] == pytest.approx(floors[-1])
    for each in found["rounds"]:
        assert min(each["ground"]) == pytest.approx(each["floor"], abs=1e-5)


def test_the_body_that_won_is_optimal() -> None:
    mrf, found = sample("pose-small"), world()["pose"]
    best = bc.reference(mrf)
    assert mrf.energy(found["labeling"]) == pytest.approx(best.energy)
    assert found["lower"] == pytest.approx(found["energy"])


def test_times_are_measured_where_that_is_quick_and_otherwise_extrapolated(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if enumeration took a microsecond a pair of states, and rows a millisecond."""
    monkeypatch.setattr(timing, "_seconds", lambda size, variant: 1e-6 * 4**size if variant == 11 else 1e-3)
    exact, rows = timing._by_size(11), timing._by_size(9)
    assert [each["seconds"] for each in exact] == pytest.approx([1e-6 * 4**size for size in timing.SIZES])
    extrapolated = [each["words"].startswith("about") for each in exact]
    assert extrapolated == [4 * 1e-6 * 4 ** (size - 1) > timing.WAITING_SECONDS for size in timing.SIZES]
    assert {each["words"] for each in rows} == {"1 ms"}
