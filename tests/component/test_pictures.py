"""What the stage shows as files: pictures, and moving pictures, against the screen and against each other."""

from __future__ import annotations

import io
import json
import re
from base64 import b64decode
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import ElementHandle, Page, expect

from pages._shared.app import pictures
from pages._shared.app.frontend import FRONTEND
from pages._shared.app.session import Lab
from tests.component.mounting import Stage
from tests.labs import beside, lab

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"
STEP, HOLD = 1000 / 12, 2000  # milliseconds, as in film.js
# Within an update.
PLACE = 30

ADD = """async ([html, code]) => {
    const host = document.querySelector('main').appendChild(document.createElement('div'));
    host.attachShadow({ mode: 'open' }).innerHTML = html;
    const { default: load } = await import('/loader.js');
    await load({ parentElement: host.shadowRoot, data: JSON.parse(code) });
}"""

# A picture as it is now, as a file with one pixel for a pixel of the page.
NOW = """async (root) => {
    const { copyOf } = await import('/pictures/copy.js');
    const { raster } = await import('/pictures/raster.js');
    const { canvas } = await raster(copyOf(root.parentElement), 1);
    const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}"""

# The milliseconds that Play takes for each scene from one place to another: it hurries through all but main rounds.
LASTS = """async ({ stage }, [from, to]) => {
    const { following, isMain, resting } = await import('/stage/play/scenes.js');
    const found = [];
    let scene = following(stage.events, resting(stage.events, from), to);
    while (scene) {
        found.push(isMain(stage.events, scene) ? scene.ms : scene.ms / 8);
        scene = following(stage.events, scene, to);
    }
    return found;
}"""

# Pictures as a GIF, given as pixels; one hundred milliseconds each.
ENCODED = """async ([width, height, all]) => {
    const { Gif } = await import('/pictures/gif.js');
    const gif = new Gif();
    for (const each of all) gif.add({ canvas: { width, height }, pixels: Uint32Array.from(each), ms: 100 });
    return [...new Uint8Array(await gif.finish().arrayBuffer())];
}"""

Pixels = NDArray[np.float64]


@pytest.fixture
def showing(watched: Callable[[Lab], Stage]) -> Callable[[Lab], Stage]:
    """Mounts the stage for a lab, and what saves pictures of it."""

    def show(current: Lab) -> Stage:
        stage = watched(current)
        html = (FRONTEND / "pictures/pictures.html").read_text(encoding="utf-8")
        stage.page.evaluate(ADD, [html, json.dumps({"code": pictures._component.code})])
        return stage

    return show


@pytest.fixture
def stage(showing: Callable[[Lab], Stage]) -> Stage:
    stage = showing(lab("pose-small", 8, 9))
    stage.step("sweep")
    stage.jump(PLACE)
    return stage


def open_menu(stage: Stage, span: str = "node") -> None:
    stage.root.get_by_text("share", exact=True).click()
    stage.root.locator("[data-act=span]").select_option(span)


def save(stage: Stage, kind: str, folder: Path, span: str = "node") -> Path:
    """Save a file, and wait until the stage has come to rest."""
    open_menu(stage, span)
    with stage.page.expect_download(timeout=300_000) as download:
        stage.root.locator(f"[data-save={kind}]").click()
    expect(stage.root.locator("[data-out=saving]")).to_contain_text("saved:")
    expect(stage.root.locator("[data-act=unsave]")).to_be_hidden()
    stage.wait("!stage.stage.player.filmed && stage.dataset.state === 'idle'")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def frames(path: Path) -> tuple[list[Pixels], list[int]]:
    """The pictures of a GIF, and their durations in milliseconds."""
    with Image.open(path) as gif:
        assert gif.format == "GIF"
        found, durations = [], []
        for k in range(gif.n_frames):
            gif.seek(k)
            found.append(np.asarray(gif.convert("RGB"), float))
            durations.append(int(gif.info["duration"]))
    return found, durations


def now(stage: Stage) -> Pixels:
    """The picture of the stage, made at once."""
    with Image.open(io.BytesIO(b64decode(stage.root.evaluate(NOW)))) as picture:
        return np.asarray(picture.convert("RGB"), float)


def apart(one: Pixels, other: Pixels) -> float:
    """The mean difference of two pictures, of at most 255."""
    return float(np.abs(one - other).mean())


def kept(stage: Stage) -> Any:
    """All that a film must leave as it was."""
    # What a pointer comes to lie on lights up.
    stage.page.mouse.move(0, 0)
    return stage.root.evaluate(
        """({ stage }) => [stage.marks(), stage.pair.stages.map(({ player, strip }) =>
            [player.position, player.speed, player.mode, player.playing, strip.range]),
            stage.pair.clock.chosen, [...stage.root.querySelectorAll('*')].filter(({ inert }) => inert).length]"""
    )


def test_an_svg_is_of_shapes_and_texts_and_has_all_that_is_said(stage: Stage, tmp_path: Path) -> None:
    path = save(stage, "svg", tmp_path)
    assert path.name == f"bender-lab-pose-small-M8-variant9-event{PLACE}.svg"
    root = ElementTree.parse(path).getroot()
    shapes = {"svg", "g", "defs", "title", "text", "path", "circle", "line", "rect", "polygon", "image"}
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= shapes | {"clipPath", "linearGradient", "stop"}
    texts = " ".join(each.text or "" for each in root.iter(f"{SVG}text"))
    words = " ".join(stage.text("sentence").split())
    assert words in texts
    for name in ("lower", "upper", "gap", "rows", "where", "message", "gap-of"):
        assert stage.text(name) in texts, name
    for each in root.iter(f"{SVG}text"):
        assert each.text not in {"Play", "pin", "look closer", "groups", "both", "share", "side by side", "paused"}
    # Programs that know no newer colours read them.
    paints = {each.get(name) for each in root.iter() for name in ("fill", "stroke")} - {None}
    assert all(re.fullmatch(r"none|rgb\(\d+,\d+,\d+\)|#\w+|url\(#gradient-\d+\)", paint) for paint in paints), paints
    # Every mark of the message is there: a bar a column.
    columns = [mark for mark in stage.marks() if mark["picture"] == "message" and mark["shape"] == "rect"]
    assert len(list(root.iter(f"{SVG}rect"))) > len(columns) > 0


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_a_png_is_what_is_seen_twice_as_fine(stage: Stage, tmp_path: Path, scheme: str) -> None:
    """Each of the pictures, against a picture of the screen."""
    if scheme == "dark":
        stage.page.evaluate(
            """() => Object.entries({ '--st-background-color': '#101820', '--st-text-color': '#e8eef4',
                background: '#101820' }).forEach(
                ([name, colour]) => document.documentElement.style.setProperty(name, colour))"""
        )
        stage.wait("stage.classList.contains('dark')")
    with Image.open(save(stage, "png", tmp_path)) as picture:
        wide, high = picture.size
        half = picture.convert("RGB").resize((wide // 2, high // 2), Image.Resampling.BOX)
    corner = stage.root.evaluate(
        """async (root) => {
            const { copyOf } = await import('/pictures/copy.js');
            const [x, y] = copyOf(root.parentElement).text.match(/viewBox="(\\S+) (\\S+)/).slice(1).map(Number);
            const { left, top } = root.parentElement.getBoundingClientRect();
            return [x + left, y + top];
        }"""
    )
    stage.wait("stage.querySelector('.saving').hidden")
    screen = Image.open(io.BytesIO(stage.page.screenshot(full_page=True))).convert("RGB")
    differences = {}
    for selector in ("svg.hyper", "svg.ground", "svg.fan", "svg.message", "svg.gaps", ".sentence"):
        box = stage.root.locator(selector).bounding_box()
        left, top, width, height = (round(box[name]) for name in ("x", "y", "width", "height"))
        seen = np.asarray(screen.crop((left, top, left + width, top + height)), float)
        x, y = round(left - corner[0]), round(top - corner[1])
        drawn = np.asarray(half.crop((x, y, x + width, y + height)), float)
        differences[selector] = apart(seen, drawn) / max(seen.std(), 1)
    # Letters are smoothed in another way; a picture that lacks something differs by far more.
    assert max(differences.values()) < 0.15, differences


@pytest.mark.slow
def test_a_moving_picture_has_the_moments_that_play_shows(stage: Stage, tmp_path: Path) -> None:
    """Who wants no motion sees the end of every scene: one picture each, for as long as the scene lasts."""
    before = kept(stage)
    path = save(stage, "gif", tmp_path)
    assert kept(stage) == before
    start, end = stage.root.evaluate(
        """({ stage }) => { const { updates } = stage.history; const { position } = stage.player;
            return [updates.findLast((at) => at < position) ?? 0, updates.find((at) => at >= position)]; }"""
    )
    assert start < PLACE < end
    assert re.fullmatch(r"bender-lab-pose-small-M8-variant9-sweep1-update\d+\.gif", path.name)
    found, durations = frames(path)
    lasts = stage.root.evaluate(LASTS, [start, end])
    count = int(np.ceil(sum(lasts) / STEP - 1e-9))
    assert abs(sum(durations) - (count * STEP + HOLD)) <= 10
    # What stays the same is one picture, and none follows another that is the same.
    assert 1 < len(found) <= len(lasts) + 1
    assert max(durations[:-1]) > 2 * STEP
    assert all(apart(one, other) > 0 for one, other in pairwise(found))


@pytest.mark.slow
def test_a_picture_of_a_film_is_that_of_the_stage_at_the_event(stage: Stage, tmp_path: Path) -> None:
    found, _ = frames(save(stage, "gif", tmp_path))
    updates = stage.root.evaluate("({ stage }) => stage.history.updates")
    start = max(at for at in updates if at < PLACE)
    end = min(at for at in updates if at >= PLACE)
    stage.jump(end)
    shown = now(stage)
    assert shown.shape == found[-1].shape
    assert apart(shown, found[-1]) < 0.2
    # It begins with the group that is opened, not with what was before.
    stage.jump(start)
    assert apart(now(stage), found[0]) > 0.5
    # Those of other events differ.
    stage.jump(PLACE)
    assert min(apart(now(stage), frame) for frame in (found[0], found[-1])) > 0.5


@pytest.mark.slow
def test_what_moves_is_filmed_in_between(stage: Stage, tmp_path: Path) -> None:
    stage.page.emulate_media(reduced_motion="no-preference")
    before = kept(stage)
    act = stage.root.evaluate("({ stage }) => { const { act, ms } = stage.moment().scene; return [act, ms]; }")
    path = save(stage, "gif", tmp_path, "act")
    assert kept(stage) == before
    assert path.stem.endswith(f"event{PLACE}-{act[0]}")
    found, durations = frames(path)
    count = 1 + int(np.ceil(act[1] / STEP - 1e-9))
    assert 4 < len(found) <= count
    assert abs(sum(durations) - (count * STEP + HOLD)) <= 10
    assert apart(now(stage), found[-1]) < 0.2


@pytest.mark.slow
def test_a_long_film_is_played_faster(showing: Callable[[Lab], Stage], tmp_path: Path) -> None:
    stage = showing(lab("frustrated-cycle", 4, 9))
    stage.root.get_by_label("What Play lingers on").select_option("rounds")
    stage.step("sweep")
    found, durations = frames(save(stage, "gif", tmp_path, "sweep"))
    assert len(found) > 5
    assert abs(sum(durations) - (240 * STEP + HOLD)) <= 2 * STEP
    expect(stage.root.locator("[data-out=saving]")).to_have_text(re.compile(r"saved: .* pictures, ×\d"))


@pytest.mark.slow
def test_a_video_is_one(stage: Stage, tmp_path: Path) -> None:
    assert save(stage, "webm", tmp_path, "act").read_bytes().startswith(b"\x1aE\xdf\xa3")


@pytest.mark.slow
def test_a_film_can_be_stopped(stage: Stage) -> None:
    stage.page.emulate_media(reduced_motion="no-preference")
    before = kept(stage)
    files: list[Any] = []
    stage.page.on("download", lambda file: files.append(file))
    open_menu(stage)
    stage.root.locator("[data-save=gif]").click()
    said = stage.root.locator("[data-out=saving]")
    expect(said).to_have_text(re.compile(r"picture [2-9] of \d+"))
    # Meanwhile nothing else can be pressed.
    stage.page.keyboard.press("ArrowRight")
    stage.root.locator("[data-act=unsave]").click()
    expect(said).to_have_text("stopped: nothing is saved")
    stage.wait("!stage.stage.player.filmed && stage.dataset.state === 'idle'")
    assert kept(stage) == before
    assert not files


def test_keys_do_nothing_to_a_film_but_escape_stops_it(stage: Stage) -> None:
    before = stage.position
    open_menu(stage, "sweep")
    stage.root.locator("[data-save=gif]").click()
    stage.wait("stage.stage.player.filmed && stage.querySelector('.run').inert")
    for key in ("p", "?", "c", "ArrowRight"):
        stage.page.keyboard.press(key)
    expect(stage.root.locator("dialog")).to_be_hidden()
    assert not stage.page.evaluate("document.documentElement.hasAttribute('data-lecture')")
    stage.page.keyboard.press("Escape")
    expect(stage.root.locator("[data-out=saving]")).to_have_text("stopped: nothing is saved")
    stage.wait("!stage.stage.player.filmed && stage.dataset.state === 'idle'")
    assert stage.position == before


def test_leaving_the_page_during_a_film_restores_the_stage(stage: Stage) -> None:
    before = stage.position
    open_menu(stage, "sweep")
    stage.root.locator("[data-save=gif]").click()
    stage.wait("stage.stage.player.filmed && stage.stage.player.position !== argument", before)
    stage.root.evaluate("({ stage }) => stage.leaving.leaveFilm()")
    assert stage.root.evaluate("({ stage: { player } }) => [player.position, player.speed]") == [before, 1]
    expect(stage.root.locator("[data-out=saving]")).to_have_text("stopped: nothing is saved")


@pytest.mark.slow
def test_at_the_start_there_is_a_first_update(stage: Stage, tmp_path: Path) -> None:
    stage.jump(0)
    path = save(stage, "gif", tmp_path)
    assert path.stem.endswith("sweep1-update1")
    assert stage.position == 0
    found, _ = frames(path)
    first = stage.root.evaluate("({ stage }) => stage.history.updates[0]")
    stage.jump(first)
    assert apart(now(stage), found[-1]) < 0.2


@pytest.mark.slow
def test_two_runs_are_in_one_picture(showing: Callable[[Lab], Stage], tmp_path: Path) -> None:
    stage = showing(beside(lab("pose-small", 8, 9), 11))
    stage.step_both("sweep")
    stage.step_both("node")
    before = kept(stage)
    root = ElementTree.parse(save_first(stage, "svg", tmp_path)).getroot()
    texts = " ".join(each.text or "" for each in root.iter(f"{SVG}text"))
    for sentence in stage.page.locator(".sentence").all_inner_texts():
        # What has no room ends as on the page.
        words = " ".join(sentence.split())
        assert words in texts or f"{words[:200]}" in texts
    assert texts.count("…") >= sum(map(is_cut, stage.page.locator(".sentence").element_handles()))
    path = save_first(stage, "gif", tmp_path)
    assert path.name == "bender-lab-pose-small-M8-variant9-beside-variant-11-sweep2-update1.gif"
    assert kept(stage) == before
    found, _ = frames(path)
    assert apart(now(stage), found[-1]) < 0.2


def is_cut(text: ElementHandle) -> bool:
    """Whether a text is longer than its room."""
    found: bool = text.evaluate("(text) => text.scrollHeight > text.clientHeight + 1")
    return found


def save_first(stage: Stage, kind: str, folder: Path) -> Path:
    first = Stage.__new__(Stage)
    first.__dict__.update(stage.__dict__, root=stage.page.locator(".stage:not(.second)"))
    return save(first, kind, folder)


@pytest.mark.parametrize("colours", [2, 200, 9000])
def test_a_gif_is_read_as_it_was_drawn(page: Page, colours: int, tmp_path: Path) -> None:
    """Few colours are exact, many nearly; what does not change is as before."""
    rng = np.random.default_rng(colours)
    palette = rng.integers(0, 256, (colours, 3))
    width, height = 131, 97
    pictures = [palette[rng.integers(0, colours, (height, width))]]
    for top in (0, 50):
        changed = pictures[-1].copy()
        changed[top : top + 40, 10:90] = palette[rng.integers(0, colours, (40, 80))]
        pictures.append(changed)
    pictures.append(pictures[-1])
    packed = [(np.uint32(255) << 24 | p[..., 2] << 16 | p[..., 1] << 8 | p[..., 0]).ravel().tolist() for p in pictures]
    path = tmp_path / "drawn.gif"
    path.write_bytes(bytes(page.evaluate(ENCODED, [width, height, packed])))
    found, durations = frames(path)
    assert durations == [100] * len(pictures)
    for drawn, read in zip(pictures, found, strict=True):
        assert apart(drawn.astype(float), read) <= (0 if colours <= 200 else 16)
