"""Moments to go to, against a look at every event of the run."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from pages._shared.watch import moments
from pages._shared.watch.moments import find
from tests.labs import lab
from tests.models import random_mrf

RUNS = [("mplp", 9), ("srmp", 9), ("mplp", 1)]


def engine(schedule: str, variant: int) -> bc.Engine:
    mrf = random_mrf(np.random.default_rng(5), 10, 0.6)
    return bc.Engine(mrf, bc.partition(mrf, 3), variant=variant, schedule=schedule, max_sweeps=6, tolerance=0.0)


def becomes_tight(run: bc.Engine, arc: int) -> list[bool]:
    """Whether a message becomes tight with every event."""
    p, q = run.graph.ends(arc)
    tight = []
    for position in range(len(run.trace) + 1):
        run.seek(position)
        tight.append(
            bool(looking.is_tight(run, arc, looking.min_marginal(run, p, q), looking.envelope(run, p, q)).all())
        )
    return [now and not before for before, now in pairwise(tight)]


def first(found: list[bool], after: int) -> int | None:
    """The first position after one, of those of all events."""
    return next((k + 1 for k in range(after, len(found)) if found[k]), None)


@pytest.mark.parametrize(("schedule", "variant"), RUNS)
def test_the_next_event_of_every_kind_is_found(schedule: str, variant: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a run that has to go on for it, too."""
    monkeypatch.setattr(moments, "AT_A_TIME", 7)
    whole = engine(schedule, variant)
    whole.run()
    events = list(whole.trace)
    bounds = [(event.lower_bound, event.upper_bound) for event in events]
    whole.seek(0)
    bounds.insert(0, (whole.lower_bound, whole.upper_bound))
    arc, became, rows = next(
        (arc, became, rows)
        for arc in range(2 * len(whole.graph.edges))
        if any(rows := [event.kind == Kind.ROW and event.arc // 2 == arc // 2 for event in events])
        and any(became := becomes_tight(whole, arc))
    )
    for after in range(0, len(events) + 1, 5):
        lower, upper = bounds[after]
        rises = [event.kind == Kind.MESSAGE and event.value - event.before > 0.05 * (upper - lower) for event in events]
        better = [event.upper_bound < upper for event in events]
        fresh = engine(schedule, variant)
        fresh.run(max_events=after)
        wanted = {"rise": rises, "row": rows, "labeling": better, "tight": became}
        for goal, are in wanted.items():
            found = find(fresh, goal, after, arc, 0.05, bc.Stop())
            assert found == first(are, after), (goal, after)


def test_an_exact_variant_has_no_rows_to_be_found() -> None:
    exact = engine("mplp", 11)
    for goal in ("row", "tight"):
        assert find(exact, goal, 0, 3, 0.0, bc.Stop()) is None
    assert len(exact.trace) == 0, "it has looked for them"


def test_no_message_has_no_moments() -> None:
    assert find(engine("mplp", 9), "row", 0, -1, 0.0, bc.Stop()) is None


def test_a_search_that_is_stopped_finds_nothing() -> None:
    run = lab("pose-small", 8, 9).run.engine
    with pytest.raises(bc.Stopped):
        find(run, "labeling", 0, 0, 0.0, bc.Stop(requested=lambda: True))
