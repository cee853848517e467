"""Pictures of studies: on screen and on paper they show the same lines and points."""

from __future__ import annotations

import itertools
import math
import re
from xml.etree import ElementTree

import numpy as np
import plotly.graph_objects as go
import pytest

from bender_core.experiments.contenders import CLOSED, NEARLY, Study, Target
from bender_core.experiments.profiles import distance_over_time, performance_profile
from bender_core.variants import VARIANTS
from bender_core.visualization.on_paper import LETTERS, _drawing, files, on_paper
from bender_core.visualization.on_screen import on_screen
from bender_core.visualization.picture import Axis, Panel, Picture, Series, apart
from bender_core.visualization.study import LARGEST_GAP, MOST_TOGETHER, against, distance, pictures, profile
from bender_core.visualization.styles import STYLES
from tests.unit.experiments.studies import run_of, solved_in

TIMES = {
    4: [0.1, 1.0, 3.0, math.inf],
    9: [0.2, 0.5, math.inf, math.inf],
    11: [1.0, 9.0, 20.0, math.inf],
    "highs": [5.0] * 4,
}


@pytest.fixture
def study() -> Study:
    return Study(solved_in(TIMES))


def marked(figure: go.Figure, mode: str) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.mode == mode]


def test_the_lines_of_a_profile_are_its_steps_and_end_together(study: Study) -> None:
    contenders = list(study.by_contender)
    figure = on_screen(profile(study, contenders, CLOSED))
    lines = marked(figure, "lines")
    for line, steps in zip(lines, performance_profile(study, contenders, CLOSED), strict=True):
        assert line.x[:-1].tolist() == steps.x.tolist()
        assert line.y[:-1].tolist() == steps.y.tolist()
        assert line.line.shape == "hv"
    assert len({line.x[-1] for line in lines}) == 1
    # The names of Compare.
    assert [line.name for line in lines] == [*(VARIANTS[variant].title for variant in (4, 9, 11)), "HiGHS"]
    assert len({(line.line.color, line.line.dash) for line in lines}) == len(lines)


def test_few_contenders_share_a_panel_and_more_have_one_each() -> None:
    table = {kind: [1.0, 2.0, 4.0] for kind in (1, 2, 3, 4, 5)}
    study = Study(solved_in(table))
    contenders = list(study.by_contender)
    together = distance(study, contenders[:MOST_TOGETHER])
    assert [len(panel.series) for panel in together.panels] == [MOST_TOGETHER]
    apart_ = distance(study, contenders)
    assert [panel.title for panel in apart_.panels] == [s.name for p in apart_.panels for s in p.series if s.name]
    for panel in apart_.panels:
        assert [series.band is not None for series in panel.series] == [False] * 4 + [True]
    found = distance_over_time(study, contenders)[0]
    own = apart_.panels[0].series[-1]
    known = np.isfinite(found.quartiles[1])
    assert own.x.tolist() == found.seconds[known].tolist()


def test_points_of_pairs_know_their_runs_and_are_faint_where_one_did_not_solve(study: Study) -> None:
    contenders = list(study.by_contender)
    reference = next(each for each in contenders if each.kind == "11")
    picture = against(study, contenders, reference, CLOSED)
    figure = on_screen(picture)
    points = marked(figure, "markers")
    assert len(points) == len(picture.panels) == len(contenders) - 1
    assert points[0].x.tolist() == [1.0, 9.0, 20.0, 60.0]
    assert points[0].y.tolist() == [0.1, 1.0, 3.0, 60.0]
    assert points[0].marker.opacity.tolist() == [1.0, 1.0, 1.0, 0.5]
    runs = study.by_contender[contenders[0]]
    assert [key for key, _, _ in points[0].customdata] == [run.task.key for run in runs.values()]
    axes = [(trace.xaxis, trace.yaxis) for trace in points]
    assert axes == [("x", "y"), ("x2", "y2"), ("x3", "y3")]
    assert figure.layout.xaxis2.matches == "x"


def small_multiples() -> list[Picture]:
    """Pairs and distances of six contenders, with the smallest distances and with wide ranges of seconds."""
    times = [0.016, 0.04, 0.15, 4.0, math.inf]
    study = Study(solved_in({kind: [each * scale for each in times] for scale, kind in enumerate((4, 9, 1, 2, 3), 1)}))
    contenders = list(study.by_contender)
    return [against(study, contenders, contenders[0], CLOSED), distance(study, contenders)]


def with_many_names() -> Picture:
    """A profile whose legend has twelve names, and HiGHS."""
    study = Study(solved_in({kind: [0.1, 2.0] for kind in (*VARIANTS, "highs")}))
    return profile(study, list(study.by_contender), CLOSED)


@pytest.mark.parametrize("picture", [*small_multiples(), with_many_names()], ids=lambda picture: picture.title)
def test_texts_are_whole_and_do_not_cross_on_paper(picture: Picture) -> None:
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with mpl.rc_context({"font.size": LETTERS}):
        drawing = _drawing(picture)
        FigureCanvasAgg(drawing).draw()
    places = [place for place in drawing.axes if place.get_visible()]
    assert [place.get_title(loc="left") for place in places] == ["\n".join(panel.lines) for panel in picture.panels]
    ticks = [tick for place in places for axis in (place.xaxis, place.yaxis) for tick in axis._update_ticks()]
    texts = [place._left_title for place in places] + [tick.label1 for tick in ticks] + drawing.texts
    texts += [text for legend in drawing.legends for text in legend.get_texts()]
    boxes = {text: text.get_window_extent() for text in texts if text.get_visible() and text.get_text()}
    for one, other in itertools.combinations(boxes, 2):
        assert not boxes[one].overlaps(boxes[other]), (one.get_text(), other.get_text())
    for text, box in boxes.items():
        assert drawing.bbox.count_contains(box.corners()) == 4, text.get_text()


@pytest.mark.parametrize("which", [0, 1])
def test_small_multiples_have_each_title_once_on_screen(which: int) -> None:
    """And panels keep a distance, with numbers at the left and below the last panel of each column alone."""
    picture = small_multiples()[which]
    figure = on_screen(picture)
    texts = [annotation.text for annotation in figure.layout.annotations]
    assert (texts.count(picture.x.title), texts.count(picture.y.title)) == (1, 1)
    axes = [figure.layout[f"xaxis{k or ''}"] for k in (0, *range(2, len(picture.panels) + 1))]
    assert not any(axis.title.text for axis in axes)
    assert [axis.showticklabels for axis in axes] == [False] * (len(axes) - 3) + [True] * 3
    assert axes[0].domain[1] < axes[1].domain[0]


def test_both_axes_of_pairs_have_the_same_numbers() -> None:
    """Those of all times and of the limit, so that the diagonal is one."""
    (pairs, _) = small_multiples()
    assert pairs.numbers("x") == pairs.numbers("y")
    assert pairs.values("x").max() == 60.0


def test_a_narrow_logarithmic_axis_has_numbers_too() -> None:
    axis = Axis("seconds", is_log=True)
    assert list(axis.numbers(np.array([0.3, 0.9])).values()) == ["0.2", "0.4", "0.6", "0.8", "1"]
    assert list(axis.numbers(np.array([1.0, 1.13])).values()) == ["1", "1.05", "1.1", "1.15"]
    assert list(axis.numbers(np.array([0.3, 9.0])).values()) == ["0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50"]
    assert list(axis.numbers(np.array([1e-3, 90.0])).values()) == ["0.001", "0.01", "0.1", "1", "10", "100"]
    assert len(axis.numbers(np.array([1e-12, 1e9]))) <= 10
    assert next(iter(axis.numbers(np.array([])).values())) == "1"
    share = Axis("distance", is_log=True, is_share=True)
    assert next(iter(share.numbers(np.array([1e-6, 0.5])).values())) == "0.0001 %"


def test_labels_are_moved_apart_and_no_further() -> None:
    assert apart([0.0, 5.0], 1.0).tolist() == [0.0, 5.0]
    moved = apart([1.0, 1.0, 1.0, 4.0], 0.5)
    assert np.diff(np.sort(moved)).min() >= 0.5 - 1e-12
    assert moved[3] == 4.0
    assert apart([], 1.0).tolist() == []


@pytest.mark.slow
def test_equal_pictures_give_equal_files(study: Study) -> None:
    found = files(pictures(study))
    assert found == files(pictures(Study(solved_in(TIMES))))
    assert {content[:5] for name, content in found.items() if name.endswith("pdf")} == {b"%PDF-"}
    assert found["captions.txt"].startswith(b"profile: Performance profile. The share of 4 instances")


def test_paper_shows_the_same_lines_as_the_screen(study: Study) -> None:
    """As text that can be found, in the same colours, with a step for each of theirs."""
    picture = profile(study, list(study.by_contender), CLOSED)
    drawn = ElementTree.fromstring(on_paper(picture, "svg"))
    texts = {"".join(element.itertext()).strip() for element in drawn.iter() if element.tag.endswith("text")}
    assert {series.name for series in picture.series} | {picture.x.title, picture.y.title} <= texts
    paths = [element for element in drawn.iter() if element.tag.endswith("path")]
    vertices = {
        (found[1].lower(), len(re.findall("[ML]", path.get("d") or "")))
        for path in paths
        for found in [re.search(r"stroke: (#\w+)", path.get("style") or "")]
        if found
    }
    for series in picture.series:
        # A step is a corner and an end; matplotlib leaves out those that lie on a line.
        counts = [count for colour, count in vertices if colour == series.style.colour.lower()]
        assert any(len(np.unique(series.x)) <= count <= 2 * len(series.x) for count in counts)


def test_a_quartile_without_a_bound_is_beyond_the_largest_distance() -> None:
    """The area must not end at the median, as if all runs had about that distance."""
    runs = [run_of(9, k, [(0.1, -2.5, -2.0)], closed=False) for k in range(3)] + [run_of(9, 3, [], closed=False)]
    runs += [run_of(9, 4, [], closed=False)]
    study = Study([*runs, *(run_of("tabu", k, [(0.1, -math.inf, -2.0)], closed=False) for k in range(5))])
    (panel,) = distance(study, list(study.by_contender)[:1]).panels
    assert panel.series[0].band is not None
    assert panel.series[0].y[-1] == pytest.approx(0.2)
    assert panel.series[0].band[1][-1] == LARGEST_GAP


def test_an_unfinished_study_has_no_empty_pictures() -> None:
    runs = [run_of(9, 0, [(1.0, -2.0, -2.0)]), run_of(11, 1, [(1.0, -2.0, -2.0)])]
    assert set(pictures(Study(runs))) == {"pairs", "times"}


@pytest.mark.parametrize("target", [CLOSED, NEARLY])
def test_where_nothing_is_solved_pictures_are_empty_and_not_wrong(target: Target) -> None:
    study = Study([run_of(kind, 0, [], closed=False) for kind in (9, 11)])
    contenders = list(study.by_contender)
    for picture in (profile(study, contenders, target), distance(study, contenders), *pictures(study).values()):
        on_screen(picture)
        on_paper(picture, "svg")
        heights = np.concatenate([[0.0], *(series.y for series in picture.series if series.form == "steps")])
        assert heights.max() == 0.0


def test_many_points_are_drawn_as_pixels() -> None:
    few = Series("9", STYLES[9], np.ones(10), np.ones(10), "points", about=[("k", "t", 5)] * 10)
    many = Series("9", STYLES[9], np.ones(4000), np.ones(4000), "points", about=[("k", "t", 5)] * 4000)
    axis = Axis("seconds", is_log=True)
    kinds = [on_screen(Picture("p", axis, axis, [Panel([each])])).data[0].type for each in (few, many)]
    assert kinds == ["scatter", "scattergl"]


def test_pairs_have_the_same_reference_in_every_family() -> None:
    """Also where another contender is better in one of them."""
    runs = [
        run_of(kind, 0, [(1.0, -2.0, -2.0)], closed=(kind, rows) != (9, 6), rows=rows)
        for kind in (9, 11)
        for rows in (5, 6, 7)
    ] + [run_of(kind, 1, [(1.0, -2.0, -2.0)], closed=kind == 9, rows=5) for kind in (9, 11)]
    found = pictures(Study(runs))
    titles = {name: picture.x.title for name, picture in found.items() if name.endswith("pairs")}
    assert len(titles) == 4
    assert len(set(titles.values())) == 1


def test_every_family_has_pictures_of_its_own() -> None:
    runs = [run_of(kind, 0, [(1.0, -2.0, -2.0)], rows=rows) for kind in (9, 11) for rows in (5, 6)]
    found = pictures(Study(runs))
    names = {name for name in found if "/" not in name}
    assert set(found) == {f"{folder}{name}" for folder in ("", "ising_grid-5/", "ising_grid-6/") for name in names}
    assert found["ising_grid-5/profile"].caption.startswith("ising_grid 5: The share of 1 instance ")
