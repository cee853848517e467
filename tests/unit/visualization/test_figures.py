"""Layouts and figures: positions, and no text of a model becomes markup."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from plotly.graph_objects import Figure

from bender_core import BinaryMRF, Engine, Partition, looking, manual, partition, synth
from bender_core.groups import coupled_groups
from bender_core.io.samples import sample as load_sample
from bender_core.io.samples import sample_names
from bender_core.visualization.document import document
from bender_core.visualization.figures import (
    LOOSE,
    MOST_EDGES,
    model_svg,
    plain,
    plot_bounds,
    plot_couplings,
    plot_model,
    plot_partition,
    plot_tension,
    plot_tightness,
    text_positions,
)
from bender_core.visualization.layout import CLEARANCE, ROOM, continued_layout, hypergraph_layout, variable_layout
from tests.tiers import thinned

NAMES = sample_names()
NASTY = "<b>&amp;</b> $x^2$ %{y}"


def sample(name: str) -> BinaryMRF:
    return load_sample(name)


def unplaced(mrf: BinaryMRF) -> BinaryMRF:
    """The model without positions, so that it is laid out by force."""
    return BinaryMRF(unary=mrf.unary, edges=mrf.edges, pairwise=mrf.pairwise)


def nearest(points: np.ndarray) -> float:
    """The smallest distance of two points."""
    apart = np.linalg.norm(points[:, None] - points, axis=2) + np.diag(np.full(len(points), np.inf))
    return float(apart.min())


def in_unit_square(points: np.ndarray) -> bool:
    return bool(np.isfinite(points).all() and points.min() > -1e-9 and points.max() < 1 + 1e-9)


@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("max_size", [1, 3, 8, 16])
@pytest.mark.parametrize("name", thinned(NAMES, 3))
def test_hyper_variables_stand_apart_in_the_unit_square(name: str, max_size: int, placed: bool) -> None:
    mrf = sample(name) if placed else unplaced(sample(name))
    part = partition(mrf, max_size)
    points = hypergraph_layout(mrf, part)
    assert points.shape == (len(part), 2)
    assert in_unit_square(points)
    assert nearest(points) > 0.5 * min(CLEARANCE, 0.7 / np.sqrt(len(part)))
    assert (hypergraph_layout(mrf, part) == points).all()


def test_a_pose_is_laid_out_as_a_body() -> None:
    mrf = sample("pose")
    part = partition(mrf, 16)
    where = dict(zip(part.labels, hypergraph_layout(mrf, part), strict=True))
    heights = [where[label][1] for label in ("head", "neck", "left shoulder", "left hip", "left knee", "left ankle")]
    assert heights == sorted(heights)
    for label, (x, _) in where.items():
        if label.startswith("left"):
            assert x < 0.5 < where[label.replace("left", "right")][0]


def test_a_grid_is_laid_out_as_a_grid() -> None:
    mrf = synth.ising_grid(rows=4, columns=6)
    points = hypergraph_layout(mrf, partition(mrf, 1, "singletons")).reshape(4, 6, 2)
    assert (np.diff(points[:, :, 0], axis=1) > 0.15).all()
    assert (np.diff(points[:, :, 1], axis=0) > 0.25).all()


def test_groups_that_are_mixed_are_laid_out_by_their_edges() -> None:
    torus = synth.ising_grid(rows=10, columns=10, torus=True)
    for strategy, mixed in (("random", True), ("layers", True), ("greedy", False), ("blocks", False)):
        part = partition(torus, 8, strategy)
        points = hypergraph_layout(torus, part)
        anywhere = hypergraph_layout(replace(torus, positions=None), part)
        assert np.array_equal(points, anywhere) == mixed
        # They fill the drawing.
        assert (np.ptp(points, axis=0) > 0.9).all()


def test_a_chain_of_groups_is_a_straight_line_in_the_direction_of_the_model() -> None:
    """Also where circles at their members would be crowded (a grid by rows), and for two groups."""
    grid = synth.ising_grid(rows=20, columns=20)
    rows = manual(grid, [list(range(20 * k, 20 * k + 20)) for k in reversed(range(20))])
    points = hypergraph_layout(grid, rows)
    assert (points[:, 0] == 0.5).all()
    assert points[:, 1] == pytest.approx(np.linspace(1, 0, 20))
    path = BinaryMRF(unary=np.zeros((6, 2)), edges=[(0, 3), (3, 1), (1, 5), (5, 2), (2, 4)], pairwise=[np.eye(2)] * 5)
    points = hypergraph_layout(path, partition(path, 1, "singletons"))
    assert (points[:, 1] == 0.5).all()
    assert points[[0, 3, 1, 5, 2, 4], 0] == pytest.approx(np.linspace(0, 1, 6))
    cycle = sample("frustrated-cycle")
    assert (hypergraph_layout(cycle, partition(cycle, 8)) == [(0, 0.5), (1, 0.5)]).all()


def test_a_ring_of_groups_is_a_ring() -> None:
    """Also where the model has its members on a line, as the lines of a torus."""
    torus, cycle = sample("torus-10x10"), sample("frustrated-cycle")
    for points in (hypergraph_layout(torus, partition(torus, 10)), variable_layout(unplaced(cycle))):
        assert np.linalg.norm(points - 0.5, axis=1) == pytest.approx(np.full(len(points), 0.5), abs=1e-4)
        steps = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
        assert steps == pytest.approx(np.full(len(points), steps.mean()), rel=1e-3)


def test_groups_that_unite_stand_at_the_mean_of_their_variables_and_apart_from_others() -> None:
    mrf = BinaryMRF(unary=np.zeros((6, 2)))
    points, before = np.array([[0.0, 0.0], [0.4, 0.0], [1.0, 1.0], [0.9, 1.0]]), np.array([0, 0, 0, 1, 2, 3])
    # Three variables of one and one of the other; none are united: then nothing moves, however near.
    alone = continued_layout(points, before, manual(mrf, [[0, 1, 2], [3], [4], [5]]))
    assert alone == pytest.approx(points)
    united = continued_layout(points, before, manual(mrf, [[0, 1, 2, 3], [4], [5]]))
    assert united[0] == pytest.approx([0.1, 0.0], abs=2e-3)
    assert in_unit_square(united)
    assert nearest(united) == pytest.approx(ROOM / np.sqrt(3), rel=0.05)
    assert united[1] != pytest.approx(united[2])
    # Groups that come from the same places.
    assert nearest(continued_layout(points, before, manual(mrf, [[0, 3], [1, 2], [4, 5]]))) > 0.3


def test_a_tree_stands_in_layers_without_crossings() -> None:
    mrf = sample("tree")
    points, edges = variable_layout(unplaced(mrf)), mrf.edges
    depths = np.unique(points[:, 1].round(2))
    assert len(depths) < 12
    levels = np.searchsorted(depths, points[:, 1].round(2))
    assert (np.abs(np.diff(levels[edges], axis=1)) == 1).all()
    for level in range(len(depths)):
        down = np.array([(a, b) if levels[a] < levels[b] else (b, a) for a, b in edges])
        ends = points[down[levels[down[:, 0]] == level], 0]
        assert (np.diff(ends[np.lexsort(ends.T[::-1])][:, 1]) >= 0).all()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_models_without_positions_or_structure(n: int) -> None:
    for mrf in (BinaryMRF(unary=np.zeros((n, 2))), BinaryMRF(unary=np.zeros((n, 2)), positions=np.ones((n, 2)))):
        points = hypergraph_layout(mrf, partition(mrf, 1, "singletons"))
        assert in_unit_square(points)
        assert n == 1 or nearest(points) > 0.02
        assert in_unit_square(variable_layout(mrf))


@pytest.mark.parametrize("name", NAMES)
def test_variables_are_drawn_where_the_model_says(name: str) -> None:
    mrf = sample(name)
    points = variable_layout(mrf)
    assert in_unit_square(points)
    for axis in (0, 1):
        assert np.corrcoef(points[:, axis], mrf.positions[:, axis])[0, 1] > 1 - 1e-9
    assert (variable_layout(unplaced(mrf)) == variable_layout(unplaced(mrf))).all()
    assert in_unit_square(variable_layout(unplaced(mrf)))


def segments(trace: object) -> set[tuple[float, ...]]:
    """The lines of a trace, each as the coordinates of its ends."""
    x, y = (np.asarray(values).reshape(-1, 3) for values in (trace.x, trace.y))
    assert np.isnan(x[:, 2]).all()
    return {tuple(row) for row in np.float32(np.column_stack([x[:, :2], y[:, :2]]))}


def lines(points: np.ndarray, edges: np.ndarray) -> set[tuple[float, ...]]:
    return {tuple(np.float32([*points[[i, j], 0], *points[[i, j], 1]])) for i, j in edges}


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_drawn_with_its_strongest_couplings(name: str) -> None:
    mrf = sample(name)
    points, coupling = variable_layout(mrf), mrf.coupling()
    attractive, repulsive, variables = plot_model(mrf).data
    drawn = segments(attractive) | segments(repulsive)
    assert len(drawn) == min(mrf.n_edges, MOST_EDGES)
    assert segments(attractive) <= lines(points, mrf.edges[coupling < 0])
    assert segments(repulsive) <= lines(points, mrf.edges[coupling > 0])
    weakest = np.sort(np.abs(coupling))[::-1][: len(drawn)].min()
    assert lines(points, mrf.edges[np.abs(coupling) > weakest]) <= drawn
    assert attractive.line.color != repulsive.line.color
    assert attractive.line.dash != repulsive.line.dash
    assert np.column_stack([variables.x, variables.y]) == pytest.approx(points, abs=1e-6)
    assert list(variables.customdata) == list(mrf.unary[:, 1] - mrf.unary[:, 0])


def test_groups_differ_by_colour_and_shape() -> None:
    mrf = sample("torus-10x10")
    part = partition(mrf, 3)
    marker = plot_model(mrf, part).data[-1].marker
    owner = part.group_of()
    looks = {(p, colour, symbol) for p, colour, symbol in zip(owner, marker.color, marker.symbol, strict=True)}
    assert len(looks) == len(part)
    assert len({(colour, symbol) for _, colour, symbol in looks}) == len(part)


def areas(figure: Figure) -> list[np.ndarray]:
    """The closed outlines in a figure."""
    found = []
    for trace in figure.data:
        if trace.fill == "toself":
            path = np.column_stack([trace.x, trace.y])
            found += [piece[~np.isnan(piece[:, 0])] for piece in np.split(path, np.flatnonzero(np.isnan(path[:, 0])))]
    return [area for area in found if len(area)]


def inside(point: np.ndarray, area: np.ndarray) -> bool:
    """Whether a point lies within a convex outline."""
    side, toward = np.diff(area, axis=0), point - area[:-1]
    turn = side[:, 0] * toward[:, 1] - side[:, 1] * toward[:, 0]
    return bool((turn > 0).all() or (turn < 0).all())


@pytest.mark.parametrize(("name", "max_size"), [("pose-small", 8), ("torus-10x10", 4), ("karate", 3)])
def test_hulls_contain_the_members_of_their_groups(name: str, max_size: int) -> None:
    mrf = sample(name)
    part = partition(mrf, max_size)
    points = variable_layout(mrf)
    several = [group for group in part.groups if len(group) > 1]
    drawn = areas(plot_model(mrf, part))
    assert len(drawn) == len(several)
    for group in several:
        assert any(all(inside(points[i], area) for i in group) for area in drawn)


def test_the_selection_is_ringed_and_its_group_highlighted() -> None:
    mrf = sample("torus-10x10")
    part = partition(mrf, 4)
    before, after = plot_model(mrf, part), plot_model(mrf, part, picked=17)
    assert len(areas(after)) == len(areas(before))
    boldest = max((trace for trace in after.data if trace.fill), key=lambda trace: trace.line.width)
    (area,) = areas(Figure([boldest]))
    points = variable_layout(mrf)
    assert {i for i in range(mrf.n) if inside(points[i], area)} >= set(part.groups[part.group_of()[17]])
    ring = after.data[-2]
    assert (ring.x[0], ring.y[0]) == pytest.approx(tuple(points[17]))
    _, ring, nodes = plot_partition(mrf, part, picked=5).data
    assert (ring.x[0], ring.y[0]) == (nodes.x[5], nodes.y[5])
    assert ring.marker.size > nodes.marker.size[5]


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["random", "star", "apart"])
def test_a_large_graph_is_laid_out_at_once(shape: str) -> None:
    n = 600
    rng = np.random.default_rng(0)
    edges = {
        "random": np.unique(np.sort(rng.permuted(np.tile(np.arange(n), (n, 1)), axis=1)[:, :2], axis=1), axis=0),
        "star": np.column_stack([np.zeros(n - 1, np.int64), np.arange(1, n)]),
        "apart": np.empty((0, 2), np.int64),
    }[shape]
    mrf = BinaryMRF(np.zeros((n, 2)), edges, np.tile(np.eye(2), (len(edges), 1, 1)))
    points = variable_layout(mrf)
    assert in_unit_square(points)
    assert (variable_layout(mrf) == points).all()
    assert np.median(np.linalg.norm(points[:, None] - points, axis=2)) > 0.2
    if shape == "random":
        # Neighbours are nearer to each other than others are.
        assert np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1).mean() < 0.4


@pytest.mark.parametrize("name", NAMES)
def test_the_histogram_counts_every_edge_once(name: str) -> None:
    mrf = sample(name)
    attractive, repulsive = plot_couplings(mrf).data
    assert sum(attractive.y) == (mrf.coupling() <= 0).sum()
    assert sum(repulsive.y) == (mrf.coupling() > 0).sum()
    assert all(x - attractive.width / 2 <= 1e-9 for x, count in zip(attractive.x, attractive.y, strict=True) if count)
    figure = plot_couplings(mrf)
    assert "energy" in figure.layout.xaxis.title.text
    assert figure.layout.yaxis.title.text == "edges"


@pytest.mark.parametrize(("name", "max_size"), [("pose", 16), ("torus-10x10", 1), ("karate", 8)])
def test_a_partition_is_drawn_with_its_coupled_groups(name: str, max_size: int) -> None:
    mrf = sample(name)
    part = partition(mrf, max_size)
    points = hypergraph_layout(mrf, part)
    edges, nodes = plot_partition(mrf, part).data
    assert segments(edges) == lines(points, coupled_groups(mrf, part))
    assert np.column_stack([nodes.x, nodes.y]) == pytest.approx(points, abs=1e-6)
    assert [row[0] for row in nodes.customdata] == [len(group) for group in part.groups]
    assert list(nodes.text) == list(part.labels)
    sizes = [len(group) for group in part.groups]
    assert (np.argsort(nodes.marker.size, kind="stable") == np.argsort(sizes, kind="stable")).all()


def texts(figure: Figure) -> list[str]:
    """All texts of a figure that come from the model."""
    found = [text for trace in figure.data if trace.text is not None for text in trace.text]
    rows = figure.data[-1].customdata
    return found + [cell for row in rows if not np.isscalar(row) for cell in row if isinstance(cell, str)]


def test_names_are_never_markup() -> None:
    mrf = BinaryMRF(
        unary=np.zeros((2, 2)),
        edges=[[0, 1]],
        pairwise=[np.eye(2)],
        names=(NASTY, "x<br>y"),
        groups=(NASTY, "<a href='#'>"),
        name=NASTY,
    )
    part = partition(mrf, 1)
    for figure in (plot_model(mrf), plot_model(mrf, part, 1), plot_partition(mrf, part, 1)):
        told = texts(figure)
        assert len(told) >= 2
        assert not any(set("<>") & set(text) for text in told)
        assert any("&lt;b&gt;&amp;amp;&lt;/b&gt; $x^2$ %{y}" in text for text in told)
    assert "x^2" not in model_svg(mrf)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a & b", "a &amp; b"), ("<b>", "&lt;b&gt;"), ("&lt;", "&amp;lt;"), ("L-hip 2", "L-hip 2"), ("ν⁻", "ν⁻")],
)
def test_plain(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize("name", NAMES)
def test_a_thumbnail_is_a_small_picture_of_all_variables(name: str) -> None:
    mrf = sample(name)
    text = model_svg(mrf, width=150, height=100)
    root = ElementTree.fromstring(text)
    circles = root.findall(".//{*}circle")
    assert len(circles) == mrf.n
    assert all(0 <= float(c.get("cx")) <= 150 and 0 <= float(c.get("cy")) <= 100 for c in circles)
    moves = sum(len(re.findall("M", path.get("d"))) for path in root.findall(".//{*}path"))
    assert moves == min((mrf.coupling() != 0).sum(), 400)
    assert len(text) < 40_000


def test_a_figure_of_the_largest_sample_is_small() -> None:
    mrf = sample("pose")
    for figure in (plot_model(mrf), plot_model(mrf, partition(mrf, 16)), plot_partition(mrf, partition(mrf, 1))):
        assert len(figure.to_json()) <= 200_000


@pytest.mark.parametrize("max_size", [1, 2, 4])
def test_figures_of_a_thousand_variables_are_small(max_size: int) -> None:
    mrf = synth.ising_grid(rows=25, columns=40)
    part = partition(mrf, max_size, "greedy")
    for figure in (plot_model(mrf, part, 7), plot_partition(mrf, part, 7)):
        assert len(figure.to_json()) <= 200_000


def test_a_partition_of_one_group() -> None:
    mrf = BinaryMRF(unary=np.zeros((3, 2)))
    part = Partition((np.arange(3),), ("all",))
    edges, nodes = plot_partition(mrf, part).data
    assert len(edges.x) == 0
    assert list(nodes.text) == ["all"]


def test_bounds_are_drawn_as_the_trace_has_them() -> None:
    mrf = sample("tiny")
    engine = Engine(mrf, partition(mrf, 2))
    engine.run()
    drawing = plot_bounds(engine.trace)
    lower, upper = drawing.data
    # No theme makes room for the axes outside the app.
    assert drawing.layout.xaxis.automargin
    assert drawing.layout.yaxis.automargin
    assert np.array_equal(lower.y, engine.trace.column("lower_bound"))
    assert np.array_equal(upper.y, engine.trace.column("upper_bound"))
    assert list(lower.x) == list(range(1, len(engine.trace) + 1))
    assert lower.line.dash != upper.line.dash


@pytest.mark.parametrize(("variant", "events"), [(9, 60), (12, 60), (9, 0)])
def test_lines_are_drawn_by_the_slack_of_their_envelopes(variant: int, events: int) -> None:
    mrf = sample("pose-small")
    engine = Engine(mrf, partition(mrf, 6), variant=variant)
    engine.run(max_events=events)
    *lines, nodes = plot_tightness(engine).data
    assert len(nodes.x) == len(engine.partition)
    slack = np.array(
        [
            max(
                (looking.min_marginal(engine, *ends) - looking.envelope(engine, *ends)).mean()
                for ends in ((p, q), (q, p))
            )
            for p, q in engine.graph.edges.tolist()
        ]
    )
    counts = [len(line.x) // 3 for line in lines]
    expected = np.histogram(slack[slack > 1e-9], np.linspace(0, max(slack.max(), 1e-9), len(LOOSE) + 1))[0]
    assert counts == [int((slack <= 1e-9).sum()), *expected]
    widths = [line.line.width for line in lines[1:]]
    assert widths == sorted(set(widths))


@pytest.mark.parametrize("events", [0, 200, 10**6])
def test_lines_and_circles_are_drawn_by_the_tension_of_their_parts(events: int) -> None:
    mrf = sample("pose-small")
    engine = Engine(mrf, partition(mrf, 6), variant=9)
    engine.run(max_events=events)
    # What does not count is none.
    groups, edges = (np.where(part > 1e-9 * engine.graph.problem.scale, part, 0.0) for part in looking.tension(engine))
    *lines, nodes = plot_tension(engine).data
    some = edges[edges > 0]
    assert [len(line.x) // 3 for line in lines] == [
        len(edges) - len(some),
        *np.histogram(some, np.linspace(0, edges.max() or 1, len(LOOSE) + 1))[0],
    ]
    darkest = [lines[0].line.color, *LOOSE]
    assert [line.line.color for line in lines] == darkest
    for line, k in zip(lines[1:], range(1, len(LOOSE) + 1), strict=True):
        assert line.name.startswith(f"tension up to {edges.max() * k / len(LOOSE):.3g}")
    assert np.allclose([float(each[3]) for each in nodes.customdata], groups.clip(0), rtol=1e-4, atol=1e-6)
    assert "of the gap" in nodes.hovertemplate
    held = np.array([colour in LOOSE for colour in nodes.marker.color])
    assert np.array_equal(held, groups > 0)


def test_a_graph_without_lines_has_no_slack() -> None:
    mrf = BinaryMRF(unary=np.zeros((3, 2)))
    engine = Engine(mrf, Partition((np.arange(3),), ("all",)))
    *lines, nodes = plot_tightness(engine).data
    assert [len(line.x) for line in lines] == [0] * (1 + len(LOOSE))
    assert list(nodes.text) == ["all"]


def test_a_document_contains_its_code_once() -> None:
    drawing = plot_couplings(sample("tiny"))
    page = document(NASTY, {"first <i>": drawing, "second": drawing})
    assert page.count("<figure>") == page.count('class="plotly-graph-div"') == 2
    assert "<script src" not in page
    assert 4_000_000 < len(page) < 6_000_000
    assert NASTY not in page
    assert "first &lt;i&gt;" in page


def test_names_keep_apart_where_there_is_room() -> None:
    """Two points side by side: one name goes elsewhere; a point alone has its name below."""
    points = np.array([[0.4, 0.5], [0.45, 0.5], [0.9, 0.9]])
    first, second, alone = text_positions(points, ["left shoulder", "right shoulder", "foot"])
    assert first == "bottom center"
    assert second in ("top center", "middle right")
    assert alone == "bottom center"
    # Nor does one begin beyond the rim.
    assert text_positions(np.array([[0.0, 0.5]]), ["a name that is rather long"]) == ["middle right"]
