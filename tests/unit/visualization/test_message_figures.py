"""Figures of a message: what they draw, without looking at the drawing."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import RowKind
from bender_core.looking.anatomy import anatomy
from bender_core.looking.classes import Classes, classes
from bender_core.looking.history import history
from bender_core.looking.rows import row_values
from bender_core.visualization import message as view
from bender_core.visualization.anatomy import plot_anatomy
from bender_core.visualization.styles import ROW_LOOKS
from tests.unit.engines import sample


def run(name: str = "pose-small", max_size: int = 8, variant: int = 9) -> bc.Engine:
    mrf = sample(name)
    engine = bc.Engine(mrf, bc.partition(mrf, max_size), variant=variant)
    engine.run(max_sweeps=1)
    return engine


@pytest.fixture(scope="module")
def engine() -> bc.Engine:
    return run()


@pytest.fixture(scope="module")
def shown(engine: bc.Engine) -> Classes:
    return classes(engine, 0, 1)


@pytest.fixture(scope="module")
def many() -> Classes:
    engine = run("pose", 12)
    return classes(engine, *engine.graph.ends(0))


def names_of(shown: Classes) -> list[str]:
    return [f"m{k}" for k in shown.members]


def drawn_as(figure: go.Figure, name: str) -> list[Any]:
    return [trace for trace in figure.data if trace.name == name]


def points(figure: go.Figure, name: str) -> dict[int, float]:
    """Heights by place, of all traces of a name."""
    return {int(x): y for trace in drawn_as(figure, name) for x, y in zip(trace.x, trace.y, strict=True)}


@pytest.mark.parametrize("order", view.ORDERS)
def test_few_classes_are_all_drawn_in_the_order_asked_for(shown: Classes, order: str) -> None:
    drawn = view.stems(shown, order, (1, 64))
    key = {"cost": shown.least, "nu": shown.nu, "slack": -shown.slack}[order]
    assert drawn.all
    assert sorted(drawn.classes.tolist()) == list(range(len(shown)))
    assert (np.diff(key[drawn.classes]) >= 0).all()


@pytest.mark.parametrize("between", [(1, 64), (1, 5), (100, 1500), (4000, 4096)])
def test_of_many_classes_those_between_two_ranks_are_drawn(many: Classes, between: tuple[int, int]) -> None:
    last = int(many.least.argmax())
    drawn = view.stems(many, "cost", between, [last])
    ranks = np.argsort(np.argsort(many.least, kind="stable"), kind="stable")[drawn.classes] + 1
    assert not drawn.all
    assert (np.diff(ranks) > 0).all()
    assert last in drawn.classes
    inside = ranks[(ranks >= between[0]) & (ranks <= between[1])]
    assert (inside[0], inside[-1]) == between
    assert len(ranks) - len(inside) <= 1
    assert len(inside) <= view.MOST + 1
    assert np.ptp(np.diff(inside[inside != ranks[drawn.classes == last]])) <= 1


def test_the_ribbon_summarises_the_slack_of_all_classes(many: Classes) -> None:
    drawn = view.stems(many, "nu", (1, 64))
    slack = many.slack[drawn.ranked]
    found = view.ribbon(slack)
    assert (found.rank[0], found.rank[-1]) == (1, len(slack) + 1)
    for k in range(len(found.rank) - 1):
        part = sorted(slack[found.rank[k] - 1 : found.rank[k + 1] - 1])
        assert (found.slack[0, k], found.slack[4, k]) == (part[0], part[-1])
        assert found.slack[2, k] == pytest.approx(np.median(part))
    figure = view.plot_classes(many, drawn, names_of(many))
    lines = [trace for trace in figure.data if trace.xaxis == "x2"]
    for line, values in zip(lines, (found.slack[k] for k in (0, 4, 1, 3, 2)), strict=True):
        np.testing.assert_array_equal(line.y[::2], values)
        np.testing.assert_array_equal([line.x[0], line.x[-1]], [1, len(slack) + 1])
    assert len(figure.to_json()) < 100_000


def test_a_stem_is_the_class_below_it(engine: bc.Engine, shown: Classes) -> None:
    drawn = view.stems(shown, "cost", (1, 64))
    figure = view.plot_classes(shown, drawn, names_of(shown), selected=5)
    nu, envelope = looking.min_marginal(engine, 0, 1), looking.envelope(engine, 0, 1)
    states = shown.states[drawn.classes]
    dots = points(figure, "ν true")
    assert [dots[k] for k in range(len(states))] == nu[states].tolist()
    bars = {x: y for kind in RowKind for x, y in points(figure, f"ν⁻ by {ROW_LOOKS[kind].name}").items()}
    assert [bars[k] for k in range(len(states))] == envelope[states].tolist()
    (stems,) = drawn_as(figure, "slack")
    np.testing.assert_array_equal(np.reshape(stems.y, (-1, 3))[:, :2], np.column_stack([envelope, nu])[states])
    # Filled below a stem: its members that are 1.
    ones = {
        (int(x), int(y)) for trace in figure.data if trace.yaxis == "y2" and "= 1" in trace.hovertemplate
        for x, y in zip(trace.x, trace.y, strict=True)
    }  # fmt: skip
    assert ones == {
        (x, k) for x, state in enumerate(states) for k, member in enumerate(shown.members) if state >> member & 1
    }
    (band,) = figure.layout.shapes
    assert drawn.classes[round((band.x0 + band.x1) / 2)] == 5
    (star,) = figure.layout.annotations
    assert (star.text, drawn.classes[star.x]) == ("y*", shown.at_oracle)
    low, high = figure.layout.yaxis.range
    assert low < envelope.min() <= nu.max() < high


def test_a_bar_has_the_colour_of_the_row_that_supports_it() -> None:
    engine = run("torus-10x10", 5, 5)
    kinds = set()
    for arc in range(0, 2 * len(engine.graph.edges), 7):
        shown = classes(engine, *engine.graph.ends(arc))
        drawn = view.stems(shown, "nu", (1, 64))
        figure = view.plot_classes(shown, drawn, names_of(shown))
        for kind in RowKind:
            for trace in drawn_as(figure, f"ν⁻ by {ROW_LOOKS[kind].name}"):
                assert trace.marker.line.color == ROW_LOOKS[kind].colour
                for x, index in zip(trace.x, trace.customdata, strict=True):
                    row = shown.rows[shown.support[drawn.classes[x]]]
                    assert (row.kind, row.index) == (kind, index)
                    kinds.add(kind)
    assert len(kinds) > 1


def test_rows_that_are_chosen_are_drawn_and_dim_what_they_do_not_support(shown: Classes) -> None:
    drawn = view.stems(shown, "cost", (1, 64))
    figure = view.plot_classes(shown, drawn, names_of(shown), rows=[1])
    row = shown.rows[1]
    (crosses,) = drawn_as(figure, f"row {row.index}, {ROW_LOOKS[row.kind].name}")
    np.testing.assert_allclose(crosses.y, row_values(row)[shown.states[drawn.classes]], rtol=0, atol=1e-12)
    assert crosses.marker.line.color == ROW_LOOKS[row.kind].colour
    near = row_values(row)[shown.states] >= shown.envelope - 1e-9 * (1 + np.abs(shown.envelope))
    lit = {int(x) for trace in drawn_as(figure, "ν true") if trace.marker.opacity == 1 for x in trace.x}
    assert 0 < len(lit) < len(shown)
    assert lit == set(np.flatnonzero(near[drawn.classes]).tolist())
    assert len(points(figure, "ν true")) == len(shown)


def test_an_exact_message_has_no_bars() -> None:
    engine = run(variant=12)
    shown = classes(engine, 0, 1)
    figure = view.plot_classes(shown, view.stems(shown, "cost", (1, 64)), names_of(shown))
    assert not [trace for trace in figure.data if (trace.name or "").startswith("ν⁻")]


def test_what_if_draws_the_lift_of_every_row_before_the_slack(engine: bc.Engine, shown: Classes) -> None:
    drawn = view.stems(shown, "slack", (1, 64))
    cuts = bc.what_if(engine, 0, 1, int(shown.states[3]))
    figure = view.plot_what_if(shown, drawn, cuts, 3)
    states = shown.states[drawn.classes]
    for k, cut in enumerate(cuts):
        (bars,) = drawn_as(figure, ROW_LOOKS[cut.kind].name)
        lift = np.maximum(cut.values, looking.envelope(engine, 0, 1)) - looking.envelope(engine, 0, 1)
        np.testing.assert_allclose(bars.y, lift[states], rtol=0, atol=1e-12)
        assert bars.yaxis == ("y" if k == 0 else f"y{k + 1}")
        slack = [trace for trace in drawn_as(figure, "slack") if trace.yaxis == bars.yaxis]
        np.testing.assert_array_equal(slack[0].y, shown.slack[drawn.classes])
    assert len({tuple(axis.range) for axis in figure.select_yaxes()}) == 1


def test_the_anatomy_draws_what_a_row_charges_on_either_side(engine: bc.Engine) -> None:
    part = engine.partition
    names = [[engine.mrf.names[i] for i in part.groups[group]] for group in (0, 1)]
    for row in looking.rows(engine, 0, 1):
        found = anatomy(engine, 0, 1, row)
        figure, links = plot_anatomy(found, *names), found.couplings
        left, right = [
            {name.partition("<br>")[0]: y for name, y in zip(trace.text, trace.y, strict=True)}
            for trace in figure.data
            if trace.mode == "text"
        ]
        drawn = {"u, charged to the receiver": [], "v, charged to the sender": []}
        for trace in figure.data:
            if trace.mode == "lines" and trace.x[0] is not None:
                ends = np.column_stack([trace.x, trace.y]).reshape(-1, 3, 2)[:, :2]
                drawn[trace.legendgroup] += [(*end.ravel(), trace.opacity == 1) for end in ends]
        wanted: dict[str, list[Any]] = {name: [] for name in drawn}
        for k in range(len(links.weight)):
            share, taken = row.paid[k] / links.weight[k], bool(found.taken[k])
            at, to = left[names[0][links.receiving[k]]], right[names[1][links.sending[k]]]
            middle = at + share * (to - at)
            if share > 0:
                wanted["u, charged to the receiver"].append((0, at, share, middle, taken))
            if share < 1:
                wanted["v, charged to the sender"].append((share, middle, 1, to, taken))
        for name in drawn:
            np.testing.assert_allclose(sorted(drawn[name]), sorted(wanted[name]), atol=1e-12)
        (answer,) = drawn_as(figure, "the sender's answer")
        assert list(answer.customdata) == found.answer[np.unique(links.sending)].tolist()


def test_figures_show_names_as_they_are(engine: bc.Engine, shown: Classes) -> None:
    nasty = "<b>x</b> &amp; $y$"
    names = [nasty] * len(shown.members)
    drawn = view.stems(shown, "nu", (1, 64))
    members = [[nasty] * len(engine.partition.groups[group]) for group in (0, 1)]
    figures = [
        view.plot_classes(shown, drawn, names, 0, [0]),
        plot_anatomy(anatomy(engine, 0, 1, shown.rows[0]), *members),
        view.plot_what_if(shown, drawn, bc.what_if(engine, 0, 1, 3), 3),
        view.plot_slack_history(history(engine, 0, 1, 5, 9.0), 3),
    ]
    for figure in figures:
        assert "<b>x" not in str(figure.to_dict())
    for figure in figures[:2]:
        assert "&lt;b&gt;x&lt;/b&gt; &amp;amp;" in str(figure.to_dict())


def test_a_state_is_said_by_its_members_that_are_1() -> None:
    names = ["a", "b", "c"]
    assert view.values_in_words(names, [1, 0, 1]) == "a, c = 1, the other 0"
    assert view.values_in_words(names, [0, 1, 0]) == "b = 1, others 0"
    assert view.values_in_words(names, [0, 0, 0]) == "all 0"
    assert view.values_in_words(names, [1, 1, 1]) == "all 1"
