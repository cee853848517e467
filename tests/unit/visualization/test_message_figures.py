"""Figures of a message: what they draw, without looking at the drawing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core.kernels.layout import RowKind
from bender_core.run.rows import row_values
from bender_core.visualization import message as view
from bender_core.visualization.styles import CUTS

SAMPLES = Path(__file__).parents[3] / "sample_instances"


@pytest.fixture(scope="module")
def engine() -> bc.Engine:
    mrf = bc.load(SAMPLES / "pose-small.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 8), 9)
    engine.run(max_sweeps=1)
    return engine


def wide() -> bc.Engine:
    mrf = bc.load(SAMPLES / "pose.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 12), 9)
    engine.run(max_sweeps=1)
    return engine


@pytest.mark.parametrize("order", view.ORDERS)
def test_states_are_drawn_in_the_order_asked_for(engine: bc.Engine, order: str) -> None:
    shown = view.message(engine, 0, 1, order)
    key = {"nu": engine.min_marginal(0, 1), "cost": engine.reduced_cost(0), "code": np.arange(len(shown.nu))}[order]
    assert sorted(shown.shown.tolist()) == list(range(len(shown.nu)))
    assert (np.diff(key[shown.shown]) >= 0).all()
    assert shown.bands is None
    assert shown.minimiser == next(event.state for event in reversed(list(engine.trace)) if event.node == 0)
    assert shown.cost == pytest.approx(engine.reduced_cost(0))
    np.testing.assert_array_equal(shown.slack, np.maximum(engine.min_marginal(0, 1) - engine.envelope(0, 1), 0.0))
    np.testing.assert_array_equal(shown.tight, shown.slack <= 1e-9 * (1 + np.abs(shown.nu)))


@pytest.mark.parametrize("order", view.ORDERS)
def test_the_best_of_many_states_are_drawn_and_the_rest_summarised(order: str) -> None:
    engine = wide()
    p, q = engine.graph.edges[0].tolist()
    shown = view.message(engine, p, q, order)
    cost = engine.reduced_cost(p)
    assert len(shown.shown) == view.DRAWN
    rest = np.setdiff1d(np.arange(len(cost)), shown.shown)
    assert cost[shown.shown].max() <= cost[rest].min()
    assert shown.bands is not None
    assert shown.bands.each * view.BANDS == len(rest)
    for bands, values in ((shown.bands.nu, shown.nu), (shown.bands.envelope, shown.envelope)):
        assert bands.shape == (3, view.BANDS)
        assert (np.diff(bands, axis=0) >= 0).all()
        assert (bands.min(), bands.max()) == (values[rest].min(), values[rest].max())
    figure = view.plot_message(shown, [str(y) for y in shown.shown], order, [])
    assert len(figure.to_json()) < 200_000
    assert "bands of 26 states" in figure.layout.xaxis.title.text
    low, high = figure.layout.yaxis.range
    assert low <= shown.bands.nu[1].min()
    assert shown.bands.nu[1].max() <= high


def test_tight_states_are_marked_and_said(engine: bc.Engine) -> None:
    p, q = engine.graph.edges[0].tolist()
    shown = view.message(engine, p, q)
    figure = view.plot_message(shown, [str(y) for y in shown.shown], "nu", [])
    tight = shown.tight[shown.shown]
    assert 0 < tight.sum() < len(tight)
    (marks,) = (trace for trace in figure.data if trace.name.startswith("tight"))
    np.testing.assert_allclose(np.array(marks.x).reshape(-1, 3)[:, :2].mean(axis=1), np.flatnonzero(tight))
    np.testing.assert_array_equal(np.array(marks.y)[::3], shown.nu[shown.shown][tight])
    (truth,) = (trace for trace in figure.data if trace.name == "ν true")
    assert [text.endswith("tight") for text in truth.text] == tight.tolist()


def test_rows_say_where_they_are_the_envelope(engine: bc.Engine) -> None:
    p, q = engine.graph.edges[0].tolist()
    for receiver, sender in ((p, q), (q, p)):
        shown = view.message(engine, receiver, sender)
        uses = view.row_uses(engine, receiver, sender, shown)
        assert [use.row.index for use in uses] == [row.index for row in engine.rows(receiver, sender)]
        values = np.array([row_values(use.row) for use in uses])
        np.testing.assert_allclose(values.max(axis=0), shown.envelope, rtol=0, atol=1e-9)
        for use, own in zip(uses, values, strict=True):
            assert use.maximal == pytest.approx((own >= shown.envelope - 1e-8).mean())
            # A reverse row stays tight where it was made, whatever the messages do.
            assert use.tight


def test_other_rows_may_come_loose_where_they_were_made() -> None:
    mrf = bc.load(SAMPLES / "torus-10x10.mrf.json")
    engine = bc.Engine(mrf, bc.partition(mrf, 5), 6)
    engine.run(max_sweeps=8)
    told = set()
    for p, q in engine.graph.edges.tolist():
        for receiver, sender in ((p, q), (q, p)):
            uses = view.row_uses(engine, receiver, sender, view.message(engine, receiver, sender))
            for use in uses:
                made = use.row.made_for
                (row,) = (r for r in engine.rows(made, p + q - made) if r.index == use.row.index)
                truth = engine.min_marginal(made, p + q - made)[row.anchor]
                assert use.tight == (truth - row_values(row)[row.anchor] <= 1e-9 * (1 + abs(truth)))
                told.add((use.tight, use.row.kind))
    assert {(False, RowKind.MWC_1), (True, RowKind.RMC)} <= told
    assert (False, RowKind.RMC) not in told


def test_couplings_between_two_groups_are_those_of_the_model(engine: bc.Engine) -> None:
    for p, q in engine.graph.edges.tolist():
        for receiver, sender in ((p, q), (q, p)):
            found = view.couplings(engine.graph, receiver, sender)
            states = np.arange(1 << found.weight.shape[0])[:, None], np.arange(1 << found.weight.shape[1])[None, :]
            total = np.zeros((states[0].size, states[1].size))
            for i, j in np.argwhere(found.weight > 0):
                a, b = map(int, found.entry[i, j])
                total -= found.weight[i, j] * (((states[0] >> i) & 1) == a) * (((states[1] >> j) & 1) == b)
            zero = bc.Engine(engine.mrf, engine.partition, 12)
            np.testing.assert_allclose(zero.min_marginal(receiver, sender), total.min(axis=1), rtol=0, atol=1e-9)


def test_slack_over_time_is_that_of_the_run_and_leaves_it_where_it_stands(engine: bc.Engine) -> None:
    p, q = engine.graph.edges[1].tolist()
    here = engine.position
    history = view.slack_history(engine, p, q, points=9, seconds=60.0)
    assert engine.position == here
    assert history.complete
    assert (history.event[0], history.event[-1]) == (0, len(engine.trace))
    for position, mean, largest in zip(history.event, history.mean, history.largest, strict=True):
        engine.seek(int(position))
        slack = np.maximum(engine.min_marginal(p, q) - engine.envelope(p, q), 0.0)
        assert (mean, largest) == (slack.mean(), slack.max())
    engine.seek(here)
    assert not view.slack_history(engine, p, q, points=9, seconds=0.0).complete


def test_a_row_has_the_colour_and_dashes_of_its_kind_and_two_of_a_kind_differ_in_width(engine: bc.Engine) -> None:
    p, q = engine.graph.edges[0].tolist()
    shown = view.message(engine, p, q)
    row = engine.rows(p, q)[0]
    rows = [replace(row, kind=kind, index=k) for k, kind in enumerate([*reversed(RowKind), RowKind.RMC])]
    names = [str(y) for y in shown.shown]
    drawn = view.plot_message(shown, names, "nu", rows).data[-len(rows) :]
    for line, row in zip(drawn, rows, strict=True):
        cut = CUTS[row.kind]
        assert (line.line.color, line.line.dash) == (cut.colour, cut.dash)
        assert line.name == f"row {row.index}, {cut.name}"
        np.testing.assert_array_equal(line.y, row_values(row)[shown.shown])
    assert drawn[-1].line.width > drawn[-2].line.width == drawn[0].line.width


def test_figures_show_names_as_they_are(engine: bc.Engine) -> None:
    p, q = engine.graph.edges[0].tolist()
    shown = view.message(engine, p, q)
    nasty = "<b>x</b> &amp; $y$"
    names = [nasty] * len(shown.shown)
    row = engine.rows(p, q)[0]
    cuts = bc.what_if(engine, p, q, 3)
    members = [nasty] * len(engine.partition.groups[p])
    found = view.couplings(engine.graph, p, q)
    drawn = [
        view.plot_message(shown, names, "nu", [row]),
        view.plot_terms(row.u, members, "u"),
        view.plot_couplings_between(found, members, [nasty] * found.weight.shape[1]),
        view.plot_what_if(shown, cuts, 3, "nu"),
        view.plot_slack_histogram(shown),
        view.plot_slack_history(view.slack_history(engine, p, q, 5, 9.0), 3),
    ]
    for figure in drawn:
        assert "<b>x" not in str(figure.to_dict())
    for figure in drawn[:3]:
        assert "&lt;b&gt;x&lt;/b&gt; &amp;amp;" in str(figure.to_dict())
