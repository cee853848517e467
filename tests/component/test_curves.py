"""The chart of Compare in a bare page: its switches, axes, zoom and tip, by mouse and keyboard."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from bender_core.experiments.outcome import CURVE, NOT_COUNTED, record
from bender_core.visualization.styles import STYLES
from pages._shared.app import pictures
from pages._shared.app.frontend import FRONTEND
from pages._shared.compare.curves import Curve, full_name
from tests.component.mounting import Curves
from tests.component.test_pictures import ADD
from tests.labs import is_shown, lab

pytestmark = pytest.mark.browser

FIELD = (4, 9, 11, 12)
NAME = "pose, small"


@cache
def raced(variant: int) -> np.ndarray:
    """The records of a run after every sweep, a hundredth of a second each."""
    engine = lab("pose-small", 8, variant).run.engine
    records = [record(engine, 0.0)]
    while not engine.finished:
        engine.step("sweep")
        records.append(record(engine, 0.01 * len(records)))
    return np.array(records, CURVE)


def race(*variants: int) -> list[Curve]:
    scale = lab("pose-small", 8, 9).run.engine.graph.problem.scale
    return [Curve(f"v{k}", k, 8, "groups", "mplp", "gap closed", raced(k), None, scale) for k in variants]


@pytest.fixture
def drawn(curves: Curves) -> Curves:
    curves.show(NAME, race(*FIELD))
    return curves


def test_before_a_race_the_chart_says_what_to_press(curves: Curves) -> None:
    curves.show(NAME, [])
    expect(curves.svg).to_contain_text("Press Race")
    curves.show(NAME, race(*FIELD))
    expect(curves.lines).to_have_count(len(FIELD))
    expect(curves.svg).not_to_contain_text("Press Race")


def test_before_a_race_the_chart_fills_the_window(curves: Curves) -> None:
    tall = "(svg) => svg.getBoundingClientRect().height / innerHeight"
    curves.show(NAME, [])
    assert curves.svg.evaluate(tall) > 0.55
    # Then there is a result below it.
    curves.show(NAME, race(*FIELD))
    assert curves.svg.evaluate(tall) < 0.55


def test_axes_are_named_by_what_is_chosen(drawn: Curves) -> None:
    title, x_name, y_name = (drawn.root.locator(part) for part in ("figcaption", ".x-name", ".y-name"))
    expect(title).to_have_text("pose, small: bounds on the energy against sweeps")
    expect(x_name).to_have_text("sweeps")
    expect(y_name).to_have_text("energy")
    drawn.switch("seconds")
    drawn.switch("log")
    drawn.switch("LB to best UB (log)")
    expect(x_name).to_have_text("seconds of the run's computing time (log)")
    expect(y_name).to_have_text("best UB − LB, energy (log)")
    expect(drawn.root.locator(".upper")).to_have_count(0)
    drawn.switch("linear")
    drawn.switch("work")
    expect(x_name).to_have_text("work: table entries read")
    expect(drawn.root.locator(".tick").last).to_have_text(re.compile(r"^[\d.]+ M$|^\d{1,3}( \d{3})+$"))
    drawn.switch("sweeps")
    drawn.switch("LB")
    expect(title).to_have_text("pose, small: lower bounds on the energy against sweeps")
    expect(drawn.root.locator(".upper")).to_have_count(0)
    drawn.switch("both bounds")
    expect(drawn.root.locator(".upper")).to_have_count(len(FIELD))


def test_exact_runs_have_no_rows_to_be_drawn_against(drawn: Curves) -> None:
    drawn.switch("rows")
    expect(drawn.lines).to_have_count(2)
    expect(drawn.root.locator(".how")).to_contain_text("Exact runs have no rows")
    for variant in (4, 9):
        drawn.key(re.compile(f"^{variant}")).click()
    expect(drawn.svg).to_contain_text("These runs take no rows")


def test_rounds_are_called_so_and_have_no_rows(curves: Curves) -> None:
    scale = lab("pose-small", 8, 9).run.engine.graph.problem.scale
    cycles = Curve("c", 0, 0, "cycles", "", "gap closed", raced(9), None, scale)
    curves.show(NAME, race(9))
    expect(curves.root.locator("figcaption")).to_have_text(re.compile("against sweeps$"))
    curves.show(NAME, [*race(9), cycles])
    expect(curves.root.locator("figcaption")).to_have_text(re.compile("against sweeps, or rounds$"))
    expect(curves.key(re.compile("^cycles"))).to_have_text("cycles: each cycle pays once")
    curves.key(re.compile("^9")).click()
    curves.svg.hover(position={"x": 200, "y": 100})
    tip = curves.root.locator(".tip")
    expect(tip).to_contain_text("cycles: each cycle pays once")
    expect(tip).to_contain_text(re.compile(r"round \d+ · [\d.]+ s"))


def test_points_are_where_the_ticks_say(drawn: Curves) -> None:
    """A run that ended within a sweep ends half way through it."""
    line = drawn.root.locator(".lower[data-run=v11]").get_attribute("d")
    x = float(re.findall(r"L(\S+) ", line)[-1])
    places = "(all) => all.map((tick) => [Number(tick.textContent), Number(tick.getAttribute('x'))])"
    ticks = drawn.root.locator(".tick").evaluate_all(places)
    (a, left), (b, right) = ticks[0], ticks[-1]
    *_, before, last = raced(11)["sweep"]
    assert before == last
    assert a + (b - a) * (x - left) / (right - left) == pytest.approx(last + 0.5, abs=0.05)


@pytest.mark.slow
def test_zoom_and_hidden_runs_stay_when_new_data_arrive(page: Page, drawn: Curves) -> None:
    whole = drawn.ticks()
    drawn.svg.hover(position={"x": 200, "y": 100})
    for _ in range(4):
        page.mouse.wheel(0, -100)
    expect(drawn.root.locator(".tick").last).not_to_have_text(whole[-1])
    zoomed = drawn.ticks()
    nine = drawn.key(re.compile("^9"))
    nine.press("Enter")
    expect(nine).to_have_attribute("aria-pressed", "false")
    expect(drawn.lines).to_have_count(len(FIELD) - 1)
    nine.evaluate("(button) => { button.marked = true }")
    drawn.show(NAME, race(*FIELD), code=False)
    assert drawn.ticks() == zoomed
    expect(drawn.lines).to_have_count(len(FIELD) - 1)
    assert nine.evaluate("(button) => button.marked"), "a button must not vanish under the finger"
    drawn.svg.dblclick(position={"x": 200, "y": 100})
    expect(drawn.root.locator(".tick").last).to_have_text(whole[-1])
    nine.click()
    expect(drawn.lines).to_have_count(len(FIELD))


@pytest.mark.slow
def test_the_wheel_zooms_around_the_pointer(page: Page, drawn: Curves) -> None:
    """The value under the pointer stays there."""
    drawn.root.evaluate("({ curves }) => { window.chart = curves }")
    drawn.svg.hover(position={"x": 300, "y": 100})
    at = (
        "() => { const { box, range } = chart.frame; const u = (300 - box.left) / (box.right - box.left);"
        " return [range[0] + (range[1] - range[0]) * u, range[1] - range[0]]; }"
    )
    value, length = page.evaluate(at)
    page.mouse.wheel(0, -100)
    page.mouse.wheel(0, -100)
    page.wait_for_function("() => chart.zoom.range !== null")
    page.wait_for_function("(before) => chart.frame.range[1] - chart.frame.range[0] < 0.7 * before", arg=length)
    closer, shorter = page.evaluate(at)
    assert closer == pytest.approx(value, abs=0.02 * length)
    assert shorter == pytest.approx(0.64 * length)


def test_the_tip_describes_the_nearest_run(page: Page, drawn: Curves) -> None:
    place = drawn.svg.evaluate(
        """(svg) => {
            const { left, top } = svg.getBoundingClientRect();
            const line = svg.querySelector('.lower[data-run=v9]').getAttribute('d');
            const [, x, y] = [...line.matchAll(/L([^ ]+) ([^L]+)/g)].at(-3);
            return [left + Number(x), top + Number(y)];
        }"""
    )
    page.mouse.move(*place)
    title, bounds, where = drawn.tip.locator("div").all_inner_texts()
    assert title == f"variant 9: {bc.VARIANTS[9].name} · M 8 · groups · mplp"
    reached = raced(9)[-3]
    assert where.startswith(f"sweep {reached['sweep']} · {reached['rows']} rows · ")
    lower, upper = re.fullmatch(r"LB (\S+) · UB (\S+) · gap .*", bounds).groups()
    assert is_shown(reached["lower_bound"], lower)
    assert is_shown(reached["upper_bound"], upper)
    page.mouse.move(2, 2)
    expect(drawn.tip).to_be_hidden()


@pytest.mark.slow
def test_the_tip_stays_within_the_figure(page: Page, drawn: Curves) -> None:
    box = drawn.root.locator("figure").bounding_box()
    inner = drawn.svg.bounding_box()
    for share in (0.2, 0.5, 0.8):
        for height in (0.1, 0.85):
            page.mouse.move(inner["x"] + share * inner["width"], inner["y"] + height * inner["height"])
            tip = drawn.tip.bounding_box()
            assert box["x"] <= tip["x"]
            assert tip["x"] + tip["width"] <= box["x"] + box["width"]
            assert tip["y"] + tip["height"] <= box["y"] + box["height"]


def test_the_chart_works_with_the_keyboard(page: Page, drawn: Curves) -> None:
    drawn.root.locator(".menu summary").focus()
    page.keyboard.press("Tab")
    expect(drawn.svg).to_be_focused()
    expect(drawn.tip).to_contain_text("variant 4: ")
    told = drawn.tip.inner_text()
    page.keyboard.press("ArrowLeft")
    expect(drawn.tip).not_to_have_text(told, use_inner_text=True)
    page.keyboard.press("ArrowDown")
    expect(drawn.tip).to_contain_text("variant 9: ")
    whole = drawn.ticks()
    page.keyboard.press("+")
    expect(drawn.root.locator(".tick")).not_to_have_text(whole)
    page.keyboard.press("0")
    expect(drawn.root.locator(".tick")).to_have_text(whole)
    page.keyboard.press("Tab")
    expect(drawn.tip).to_be_hidden()


def test_lines_have_the_styles_of_the_library(drawn: Curves) -> None:

    for variant in FIELD:
        line = drawn.root.locator(f".lower[data-run=v{variant}]")
        expect(line).to_have_attribute("stroke", STYLES[variant].colour)
        dashed = bool(line.get_attribute("stroke-dasharray"))
        assert dashed == (STYLES[variant].dash != "solid")


@pytest.mark.slow
def test_names_of_lines_do_not_cover_each_other(curves: Curves) -> None:
    every = tuple(bc.VARIANTS)
    curves.show(NAME, race(*every))
    names = curves.root.locator("text.name")
    heights = names.evaluate_all("(all) => all.map((text) => Number(text.getAttribute('y')))")
    assert len(heights) == len(every)
    assert np.diff(sorted(heights)).min() >= 16


# -- external solvers ----------------------------------------------------------------------------------------


def of_solver(kind: str, reports: list[tuple[float, int, float, float, int]]) -> Curve:
    records = [(*each, NOT_COUNTED) for each in reports]
    return Curve(kind, 0, 0, kind, "", "gap closed", np.array(records, CURVE), None, 100.0)


SOLVERS = [
    of_solver("highs", [(0.1, 1, -np.inf, -30.0, 0), (0.2, 2, -60.0, -30.0, 0), (0.8, 3, -35.0, -31.0, 0)]),
    of_solver("toulbar2", [(0.3, 1, -50.0, np.inf, 0), (0.5, 2, -40.0, -31.0, 0), (1.0, 3, -31.0, -31.0, 0)]),
    of_solver("tabu", [(0.1, 1, -np.inf, -29.0, 0), (0.9, 2, -np.inf, -31.0, 0)]),
]


def test_bounds_and_labellings_that_are_missing_are_not_drawn(curves: Curves) -> None:
    curves.show(NAME, SOLVERS)
    expect(curves.svg).to_contain_text("These runs have no sweeps")
    curves.switch("seconds")
    points = "(line) => line.getAttribute('d').match(/[ML]/g).length"
    lines = curves.root.locator("figure .run").all()
    drawn = {line.get_attribute("data-mark"): line.evaluate(points) for line in lines}
    assert drawn == {"lower highs": 2, "upper highs": 3, "lower toulbar2": 3, "upper toulbar2": 2, "upper tabu": 2}
    curves.switch("LB")
    expect(curves.lines).to_have_count(2)
    expect(curves.root.locator("text.name")).to_have_text(["HiGHS", "toulbar2"])
    curves.switch("LB to best UB (log)")
    expect(curves.lines).to_have_count(2)


def test_without_a_labelling_there_is_no_distance_to_the_best(curves: Curves) -> None:
    curves.show(NAME, [of_solver("highs", [(0.2, 1, -60.0, np.inf, 0), (0.8, 2, -35.0, np.inf, 0)])])
    curves.switch("seconds")
    expect(curves.lines).to_have_count(1)
    curves.switch("LB to best UB (log)")
    expect(curves.lines).to_have_count(0)


def test_the_tip_says_what_is_not_known(curves: Curves) -> None:
    curves.show(NAME, SOLVERS)
    curves.switch("seconds")
    curves.key("highs").click()
    curves.key("toulbar2").click()
    curves.svg.focus()
    curves.page.keyboard.press("ArrowLeft")
    expect(curves.tip).to_contain_text("LB – · UB −29 · gap –")
    expect(curves.tip).to_contain_text("report 1 · 0.1 s")


def test_solvers_have_no_sweeps(curves: Curves) -> None:
    curves.show(NAME, [*race(9), *SOLVERS])
    expect(curves.lines).to_have_count(1)
    expect(curves.root.locator(".how")).to_contain_text("External solvers have no sweeps")
    curves.switch("work")
    expect(curves.lines).to_have_count(1)
    expect(curves.root.locator(".how")).to_contain_text("That of external solvers is not counted")
    curves.switch("seconds")
    expect(curves.lines).to_have_count(3)


def test_the_strip_at_the_top_says_who_leads_when(curves: Curves) -> None:
    curves.show(NAME, SOLVERS)
    curves.switch("seconds")
    strip = curves.root.locator(".leads")
    expect(strip).to_have_count(4)
    ends = "(line) => line.getAttribute('x2') - line.getAttribute('x1')"
    led = [(each.get_attribute("data-run"), each.evaluate(ends)) for each in strip.all()]
    assert [name for name, _ in led] == ["highs", "toulbar2", "highs", "toulbar2"]
    # From 0.2 to 0.3, to 0.8, and from there to the end, 1.
    widths = np.array([width for _, width in led])
    assert widths / widths.sum() == pytest.approx([0.125, 0.625, 0.25, 0.0], abs=0.01)
    curves.key("toulbar2").click()
    expect(strip).to_have_count(1)
    curves.key("tabu").click()
    expect(strip).to_have_count(0)


def test_the_strip_tells_runs_of_one_colour_apart_and_ties_by_time(curves: Curves) -> None:
    """Both reach their bound in their first sweep; the later one in the list was sooner."""
    scale = lab("pose-small", 8, 9).run.engine.graph.problem.scale
    four, nine = (
        Curve(f"v{variant}", variant, 8, "groups", "mplp", "gap closed", np.array(records, CURVE), None, scale)
        for variant, records in (
            (4, [(0.1, 0, -8.0, -1.0, 0, 5), (0.4, 1, -1.0, -1.0, 2, 9)]),
            (9, [(0.1, 0, -9.0, -1.0, 0, 5), (0.2, 1, -1.0, -1.0, 2, 9)]),
        )
    )
    curves.show(NAME, [four, nine])
    strip = curves.root.locator(".leads")
    looks = "(all) => all.map((line) => [line.dataset.run, line.getAttribute('stroke-dasharray') || ''])"
    expect(strip).to_have_count(2)
    assert strip.evaluate_all(looks) == [["v4", ""], ["v9", "2 4"]]
    assert STYLES[4].colour == STYLES[9].colour
    how = curves.root.locator(".how")
    expect(how).to_contain_text("goes by seconds of computing time, whatever the axis")
    curves.switch("seconds")
    expect(how).not_to_contain_text("whatever the axis")


def test_a_run_that_ended_within_a_sweep_is_said_to_be_drawn_further(curves: Curves) -> None:
    how = curves.root.locator(".how")
    curves.show(NAME, race(11))
    expect(how).to_contain_text("drawn half a sweep further; the table counts complete ones")
    curves.switch("seconds")
    expect(how).not_to_contain_text("half a sweep")


def test_a_chart_below_the_window_comes_into_view_when_a_race_begins(page: Page, curves: Curves) -> None:
    curves.show(NAME, [])
    # As on a phone, where what is chosen comes first.
    curves.root.evaluate("(root) => { root.style.marginTop = '2000px'; }")
    top = "(svg) => svg.getBoundingClientRect().top"
    assert curves.svg.evaluate(top) > 1000
    curves.show(NAME, race(*FIELD))
    assert 0 <= curves.svg.evaluate(top) < 400
    # Once: whoever scrolls away is left alone while it goes on.
    page.evaluate("scrollTo(0, 0)")
    curves.show(NAME, race(*FIELD))
    assert curves.svg.evaluate(top) > 1000


def test_the_choice_of_axes_is_reported_and_outlives_the_chart(curves: Curves) -> None:
    curves.show(NAME, race(*FIELD))
    for choice in ("seconds", "log", "LB"):
        curves.switch(choice)
    assert curves.axes == {"x": "seconds", "scale": "log", "y": "lower"}
    # Another chart in its place.
    empty = "part.replaceChildren()"
    parts = "root.querySelectorAll('.drawn, .pointed').forEach"
    curves.root.evaluate(f"(root) => {{ delete root.curves; {parts}((part) => {empty}); }}")
    curves.show(NAME, race(*FIELD))
    expect(curves.root.locator(".x-name")).to_have_text("seconds of the run's computing time (log)")
    expect(curves.root.locator("figcaption")).to_have_text(re.compile("lower bounds on the energy against seconds"))
    expect(curves.root.locator(".bar [aria-pressed=true]")).to_have_text(["seconds", "log", "LB"])


def test_an_answer_to_an_earlier_press_does_not_undo_a_later_one(curves: Curves) -> None:
    """Python answers one press after the other, and a race sends data meanwhile."""
    curves.show(NAME, race(*FIELD))
    pressed = curves.root.locator(".bar [aria-pressed=true]")
    curves.root.evaluate("({ curves }) => { curves.send = () => {}; }")
    curves.switch("seconds")
    before = curves.axes
    curves.switch("log")
    for known in (before, {**before, "x": "seconds"}):
        curves.axes = known
        curves.show(NAME, race(*FIELD), code=False)
        expect(pressed).to_have_text(["seconds", "log", "both bounds"])
    # Once Python has answered all of them, it may bring others: those of an address.
    for known in ({"x": "seconds", "scale": "log", "y": "bounds"}, {"x": "rows", "scale": "linear", "y": "gap"}):
        curves.axes = known
        curves.show(NAME, race(*FIELD), code=False)
    expect(pressed).to_have_text(["rows", "linear", "LB to best UB (log)"])


# -- the range of energies, and what is pointed at ------------------------------------------------------------


def levels(curves: Curves) -> list[float]:
    """The energies at the left."""
    texts = curves.root.locator(".drawn text:not(.tick, .x-name, .y-name, .name)").all_text_contents()
    return [float(text.replace("−", "-")) for text in texts]


def test_poor_labellings_do_not_take_the_room_of_the_bounds(curves: Curves) -> None:
    """Those of HiGHS are far above the rest for most of the time; where its line leaves the frame there is a mark."""
    poor = [
        (0.1, 1, -60.0, 9000.0, 0),
        (0.7, 2, -35.0, 9000.0, 0),
        (0.8, 3, -35.0, -31.0, 0),
        (1.0, 4, -34.0, -31.0, 0),
    ]
    curves.show(NAME, [of_solver("highs", poor)])
    curves.switch("seconds")
    assert -61 < min(levels(curves)) < max(levels(curves)) < 0
    cuts = curves.root.locator(".cut")
    expect(cuts).to_have_count(1)
    expect(cuts).to_have_attribute("data-run", "highs")
    expect(curves.root.locator(".how")).to_contain_text("at ▾ and ▴ a line goes on beyond it")
    # It crosses the edge between its labellings, and is not drawn beyond.
    heights = [float(y) for y in re.findall(r"[ML]\S+ ([-\d.]+)", curves.root.locator(".upper").get_attribute("d"))]
    assert min(heights) >= 4
    curves.switch("LB")
    expect(cuts).to_have_count(0)
    expect(curves.root.locator(".how")).not_to_contain_text("▾")


def faint(curves: Curves) -> set[str]:
    return set(curves.root.locator(".drawn [data-faint]").evaluate_all("(all) => all.map((e) => e.dataset.run)"))


def test_what_is_pointed_at_stands_out(page: Page, drawn: Curves) -> None:
    """By its line, its name or its button, also when new data arrive."""
    others = {f"v{variant}" for variant in FIELD if variant != 9}
    assert faint(drawn) == set()
    drawn.key(re.compile("^9")).hover()
    assert faint(drawn) == others
    drawn.show(NAME, race(*FIELD), code=False)
    assert faint(drawn) == others
    page.mouse.move(2, 2)
    assert faint(drawn) == set()
    drawn.root.locator("text.name[data-run=v9]").hover()
    assert faint(drawn) == others
    drawn.svg.hover(position={"x": 200, "y": 100})
    assert len(faint(drawn)) == len(FIELD) - 1
    page.mouse.move(2, 2)
    assert faint(drawn) == set()


def test_runs_whose_rows_are_selected_stand_out(page: Page, drawn: Curves) -> None:
    four, nine, *_ = race(*FIELD)
    drawn.chosen = [four, nine]
    drawn.show(NAME, race(*FIELD), code=False)
    assert faint(drawn) == {"v11", "v12"}
    drawn.key(re.compile("^11")).hover()
    assert faint(drawn) == {"v4", "v9", "v12"}
    page.mouse.move(2, 2)
    assert faint(drawn) == {"v11", "v12"}


@pytest.mark.parametrize(("width", "named"), [(390, 0), (1280, 24)])
def test_many_runs_have_room(page: Page, curves: Curves, width: int, named: int) -> None:
    """Names have lines of their own, or leave the room to the lines; nothing is cut off."""
    page.set_viewport_size({"width": width, "height": 700})
    scale = lab("pose-small", 8, 9).run.engine.graph.problem.scale
    many = [Curve(f"{v} {m}", v, m, "groups", "mplp", "", raced(9), None, scale) for v in bc.VARIANTS for m in (5, 8)]
    curves.show(NAME, many)
    names = curves.root.locator("text.name")
    expect(names).to_have_count(named)
    expect(curves.lines).to_have_count(24)
    inside = """(svg) => [...svg.querySelectorAll('text')].every((text) => {
        const [inner, outer] = [text, svg].map((each) => each.getBoundingClientRect());
        return inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.bottom <= outer.bottom + 1;
    })"""
    assert curves.svg.evaluate(inside)
    heights = names.evaluate_all("(all) => all.map((text) => Number(text.getAttribute('y')))")
    assert named == 0 or np.diff(sorted(heights)).min() >= 14
    frame = "({ curves }) => (curves.frame.box.right - curves.frame.box.left) / curves.svg.clientWidth"
    assert curves.root.evaluate(frame) > 0.6


# -- the figure ----------------------------------------------------------------------------------------------


def test_the_figure_stands_on_its_own_on_white_paper(page: Page, curves: Curves, tmp_path: Path) -> None:
    html = (FRONTEND / "pictures/pictures.html").read_text(encoding="utf-8")
    page.evaluate(ADD, [html, json.dumps({"code": pictures._component.code})])
    runs = race(*FIELD)
    curves.show(NAME, runs)
    night = {"--st-text-color": "#e6ebf0", "--st-background-color": "#12181f"}
    for name, colour in night.items():
        page.evaluate("([name, colour]) => document.documentElement.style.setProperty(name, colour)", [name, colour])
    curves.switch("work")
    curves.key(re.compile("^9")).click()
    curves.root.get_by_text("save the figure", exact=True).click()
    with page.expect_download() as download:
        curves.root.locator("[data-save=svg]").click()
    assert download.value.suggested_filename == "bender-lab-pose-small-bounds-against-work.svg"
    download.value.save_as(tmp_path / "figure.svg")
    figure = ElementTree.parse(tmp_path / "figure.svg").getroot()
    texts = [text.text for text in figure.iter("{http://www.w3.org/2000/svg}text")]
    for expected in ("pose, small: bounds on the energy against work: table entries read", "energy"):
        assert expected in texts
    words = " ".join(texts)
    shown = [full_name(run) for run in runs if run.variant != 9]
    assert all(name in words for name in shown)
    assert full_name(runs[1]) not in words
    ground = figure.find("{http://www.w3.org/2000/svg}rect")
    assert ground is not None
    assert ground.get("fill") == "#ffffff"
    inks = {text.get("fill", "") for text in figure.iter("{http://www.w3.org/2000/svg}text")}
    assert all(max(map(int, re.findall(r"\d+", ink)[:3])) < 128 for ink in inks), "dark type"
    # The page is as it was.
    assert "copied" not in page.evaluate("document.querySelector('main').shadowRoot.firstElementChild.className")
