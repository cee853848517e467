"""The app in Chromium: ``python -m benchmarks.ui``. Time from a click to the picture, frames per second while
playing, bytes per step, and time until a run stops.

Wall milliseconds, browser and server on this machine; next to every figure is the time of the same page for an empty
request (an event that is already shown), which separates a slow machine from a slow app.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import bender_core as bc
from benchmarks.common import table
from tests.browser.server import serve
from tests.chromium import found

SIZES = (8, 12, 16)
STEPS, BOTH_STEPS = 20, 60
OPENINGS = 20
PLAYED_SECONDS = 4
# What is played, and how many frames a second there should be: 21, 1 736 and 7 056 edges.
PLAYED = (("pose-small", 8, 58), ("pose", 2, 50), ("pose", 1, 30))

# What is watched alone and beside another run.
BESIDE = {
    "pose M 12": "sample=pose&M=12&strategy=groups&variant=9&schedule=mplp",
    "torus 20×20": "make=ising_grid&rows=20&columns=20&torus=True&M=4&strategy=greedy&variant=9&schedule=mplp",
}
BOTH = "([stage, runs]) => stage.stage.pair.stages.length === runs"
# Steps all runs by a group; milliseconds until a frame is drawn of every answer. The way is then cut short.
STEP_BOTH = """(stage) => new Promise((done) => {
    const { pair } = stage.stage, began = performance.now();
    stage.querySelector("[data-step=node]").click();
    const is = (...states) => pair.stages.every(({ status, questions }) =>
        states.includes(status.stateOf()) && (status.stateOf() !== "idle" || !questions.waiting));
    let passed = 0;
    const look = () => requestAnimationFrame(is("moving", "idle") ? () => {
        passed = performance.now() - began;
        for (const { player } of pair.stages) player.stop();
        rest();
    } : look);
    const rest = () => (is("idle") ? done(passed) : requestAnimationFrame(rest));
    look();
})"""

# Acts on the stage and waits until a frame is drawn of what came of it: of the answer, or of the way there. The way is
# then cut short.
ANSWER = """([stage, action]) => new Promise((done) => {
    const { player, questions } = stage.stage;
    const began = performance.now();
    (new Function("stage", action))(stage);
    let passed = 0;
    const isShown = () => stage.dataset.state === "moving" || (stage.dataset.state === "idle" && !questions.waiting);
    const look = () => requestAnimationFrame(isShown() ? () => {
        passed = performance.now() - began;
        player.stop();
        rest();
    } : look);
    const rest = () => (stage.dataset.state === "idle" && !questions.waiting ? done(passed)
        : requestAnimationFrame(rest));
    look();
})"""
ACTIONS = {
    "round step": "stage.querySelector('[data-step=round]').click()",
    "node step": "stage.querySelector('[data-step=node]').click()",
    "sweep step": "stage.querySelector('[data-step=sweep]').click()",
    "edge pick": "stage.stage.select((stage.stage.arc + 2) % (2 * stage.stage.graph.edges.length))",
    "empty question": "stage.stage.questions.ask('show')",
}
RESET = "stage.stage.player.show(0)"
# From the link to the figure of the message, and to the page with all its figures and both its tables.
OPEN = """() => new Promise((done) => {
    const began = performance.now();
    [...document.querySelectorAll("a")].find((link) => link.innerText.trim().endsWith("Edge")).click();
    let message = 0;
    const look = () => requestAnimationFrame(() => {
        const passed = performance.now() - began;
        const charts = [...document.querySelectorAll(".stPlotlyChart")];
        const drawn = charts.filter((one) => one.querySelector(".js-line, .bars path")).length;
        if (drawn) message ||= passed;
        if (drawn && drawn === charts.length && document.querySelector("[data-testid=stDataFrame] canvas")
            && document.querySelector("table.plain td")) done([message, passed]);
        else look();
    });
    look();
})"""
# From a press on an edge to its message in the drawer, and to the rows that could be added there.
DOCK = """([stage, edge]) => new Promise((done) => {
    const { drawer, player, graph } = stage.stage;
    drawer.turn(false);
    drawer.view = null;
    const began = performance.now();
    stage.stage.arc = 2 * (edge % graph.edges.length);
    drawer.turn(true);
    let message = 0;
    const look = () => requestAnimationFrame(() => {
        const passed = performance.now() - began;
        if (drawer.isOf(player.position) && stage.querySelector("svg.stems .nu")) message ||= passed;
        if (message && drawer.view.cuts) done([message, passed]);
        else look();
    });
    look();
})"""
FRAMES = """([stage, seconds]) => new Promise((done) => {
    const lasted = [], from = Number(stage.dataset.position);
    let [began, before] = [performance.now(), performance.now()];
    const look = (now) => {
        lasted.push(now - before);
        before = now;
        const passed = (now - began) / 1000;
        if (passed < seconds) requestAnimationFrame(look);
        else done([lasted.slice(1), (Number(stage.dataset.position) - from) / passed]);
    };
    requestAnimationFrame(look);
})"""
# Each frame another piece of the list is scrolled to; once in a while it is sorted by another column.
SCROLL = """([stage, seconds]) => new Promise((done) => {
    const lasted = [], { list } = stage.stage, { frame } = list.table;
    let [began, before] = [performance.now(), performance.now()];
    const look = (now) => {
        lasted.push(now - before);
        before = now;
        frame.scrollTop = (frame.scrollTop + 300) % (frame.scrollHeight - frame.clientHeight);
        const passed = (now - began) / 1000;
        if (passed < seconds) requestAnimationFrame(look);
        else done(lasted.slice(1));
    };
    requestAnimationFrame(look);
})"""
SORTED = ("name", "work", "rows", "gained", "tension")
# Milliseconds until the list is sorted by a column, and laid out.
SORT = """([stage, column]) => {
    const began = performance.now(), { list } = stage.stage;
    list.sort(list.columns.find(({ key }) => key === column));
    stage.getBoundingClientRect();
    return performance.now() - began;
}"""
STOP = """(stage) => new Promise((done) => {
    const began = performance.now();
    stage.querySelector('[data-act=run]').click();
    const look = () => (stage.dataset.state === 'idle' ? done(performance.now() - began) : requestAnimationFrame(look));
    requestAnimationFrame(look);
})"""


def main() -> None:
    """Print the tables."""
    chromium = found()
    if chromium is None:
        sys.exit("Chromium is not installed: apt-get install chromium-headless-shell")
    bc.warm_up()
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder) / "log.txt") as url, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        _clicks(browser, url)
        _playing(browser, url)
        _beside(browser, url)
        _listing(browser, url)
        _stopping(browser, url)
        browser.close()


@contextmanager
def _stage(browser: Browser, url: str, link: str) -> Iterator[tuple[Page, list[int]]]:
    """A page opened at a link, and the bytes of every frame that it has received."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page, received = context.new_page(), list[int]()
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    page.goto(f"{url}/?{link}")
    page.wait_for_selector(".stage[data-state=idle]", timeout=120_000)
    yield page, received
    context.close()


def _clicks(browser: Browser, url: str) -> None:
    print(f"From a click to the picture, milliseconds; {STEPS} of each, pose, variant 9")
    row = table({"": -16, "M": 3, "p50": 7, "p95": 7, "aim p95": 8, "kB p50": 7, "kB max": 7})
    for size in SIZES:
        aim = 300 if size <= 12 else 1000
        with _stage(browser, url, f"sample=pose&M={size}&strategy=groups&variant=9&schedule=mplp") as (page, received):
            stage = page.query_selector(".stage")
            for name, action in ACTIONS.items():
                times, sizes = [], []
                page.evaluate(ANSWER, [stage, RESET])
                for _ in range(STEPS if name != "sweep step" else 2):
                    before = len(received)
                    times.append(page.evaluate(ANSWER, [stage, action]))
                    sizes.append(sum(received[before:]) / 1e3)
                row(name, size, *_summary(times), f"≤ {aim}", f"{statistics.median(sizes):.1f}", f"{max(sizes):.1f}")
            docked = [page.evaluate(DOCK, [stage, edge]) for edge in range(OPENINGS)]
            for name, passed in zip(("drawer", "  its rows"), zip(*docked, strict=True), strict=True):
                row(name, size, *_summary(list(passed)), f"≤ {aim}", "", "")
            for name, times in _edge_page(page).items():
                row(name, size, *_summary(times), f"≤ {aim}", "", "")
    print()


def _edge_page(page: Page) -> dict[str, list[float]]:
    """Times of the Edge page to open, and to answer what-if at another class."""
    opened = []
    for _ in range(1 + OPENINGS):
        opened.append(page.evaluate(OPEN))
        page.get_by_role("link", name="Watch").click()
        page.wait_for_selector(".stage[data-state=idle]")
    page.evaluate(OPEN)
    asked = []
    for k in range(10):
        pill = page.get_by_role("toolbar").get_by_role("button").nth(k % 4)
        before = page.locator("table.plain").inner_text()

        begin = page.evaluate("performance.now()")
        pill.click()
        page.wait_for_function(
            "(before) => document.querySelector('table.plain')?.innerText.trim() !== before.trim()", arg=before
        )
        asked.append(page.evaluate("performance.now()") - begin)
    message, whole = zip(*opened, strict=True)
    return {
        "edge page, first": list(whole[:1]),
        "edge page, again": list(whole[1:]),
        "  its message": list(message[1:]),
        "what-if": asked,
    }


def _playing(browser: Browser, url: str) -> None:
    print(f"Playing for {PLAYED_SECONDS} s at ×4, variant 9: frames a second")
    row = table({"": -12, "edges": 6, "p5": 6, "p50": 6, "aim p50": 8, "events/s": 9})
    for name, size, aim in PLAYED:
        with _stage(browser, url, f"sample={name}&M={size}") as (page, _):
            stage = page.query_selector(".stage")
            page.locator("[data-act=speed]").select_option("4")
            page.get_by_role("button", name="Play").click()
            page.wait_for_selector(".stage[data-state=playing]")
            lasted, events = page.evaluate(FRAMES, [stage, PLAYED_SECONDS])
            slow, usual = _rates(lasted)
            edges = page.evaluate("stage => stage.stage.graph.edges.length", stage)
            row(f"{name} M {size}", edges, f"{slow:.1f}", f"{usual:.1f}", f"≥ {aim}", f"{events:.0f}")
    print()


def _beside(browser: Browser, url: str) -> None:
    print(f"Alone, and two runs side by side (variants 9 and 11): frames a second in {PLAYED_SECONDS} s of Play at ×4;")
    print(f"milliseconds from a press to the picture of both, {BOTH_STEPS} steps by group")
    row = table({"": -12, "runs": 5, "edges": 6, "p5": 6, "p50": 6, "step p50": 9, "p95": 6, "aim": 6})
    for name, link in BESIDE.items():
        for runs, more in ((1, ""), (2, "&beside=variant%3D11%26at%3D0")):
            with _stage(browser, url, link + more) as (page, _):
                stage = page.query_selector(".stage")
                page.wait_for_function(BOTH, arg=[stage, runs])
                times = [page.evaluate(STEP_BOTH, stage) for _ in range(BOTH_STEPS)]
                page.locator("[data-act=speed]").first.select_option("4")
                page.get_by_role("button", name="Play").click()
                page.wait_for_selector(".stage[data-state=playing]")
                slow, usual = _rates(page.evaluate(FRAMES, [stage, PLAYED_SECONDS])[0])
                edges = page.evaluate("stage => stage.stage.graph.edges.length", stage)
                row(name, runs, edges, f"{slow:.1f}", f"{usual:.1f}", *_summary(times), "≤ 300")
    print()


def _listing(browser: Browser, url: str) -> None:
    print(f"The list of messages, {PLAYED_SECONDS} s each: frames a second, scrolled and played; milliseconds to sort")
    row = table({"": -12, "messages": 9, "p5": 6, "p50": 6, "played p5": 10, "p50 ": 6, "aim p50": 8, "sort": 6})
    for name, size, _ in PLAYED:
        with _stage(browser, url, f"sample={name}&M={size}") as (page, _):
            stage = page.query_selector(".stage")
            page.keyboard.press("l")
            page.wait_for_selector(".table .line")
            scrolled = _rates(page.evaluate(SCROLL, [stage, PLAYED_SECONDS]))
            sorted_in = [
                page.evaluate(SORT, [stage, column]) for column in ("name", "work", "rows", "gained", "tension")
            ]
            page.locator("[data-act=speed]").select_option("4")
            page.get_by_role("button", name="Play").click()
            page.wait_for_selector(".stage[data-state=playing]")
            played = _rates(page.evaluate(FRAMES, [stage, PLAYED_SECONDS])[0])
            messages = page.evaluate("stage => stage.stage.list.order.length", stage)
            rates = [f"{rate:.1f}" for rate in (*scrolled, *played)]
            row(f"{name} M {size}", messages, *rates, "≥ 50", f"{max(sorted_in):.0f}")
    print()


def _rates(lasted: list[float]) -> tuple[float, float]:
    """Frames a second: of the slowest in twenty, and as usual."""
    slow, usual = (1000 / statistics.quantiles(lasted, n=20)[k] for k in (18, 9))
    return slow, usual


def _stopping(browser: Browser, url: str) -> None:
    print("From Stop to the picture, milliseconds; 30×30 torus, M = 12, variant 11: a message takes long; aim ≤ 500")
    link = "make=ising_grid&rows=30&columns=30&torus=True&M=12&strategy=greedy&variant=11"
    times = []
    with _stage(browser, url, link) as (page, _):
        stage = page.query_selector(".stage")
        for _ in range(3):
            page.locator("[data-act=run]").click()
            page.wait_for_selector(".stage[data-state=running]")
            page.wait_for_timeout(600)
            times.append(page.evaluate(STOP, stage))
    print(f"median {statistics.median(times):.0f}, largest {max(times):.0f}\n")


def _summary(times: list[float]) -> tuple[str, str]:
    ranked = sorted(times)
    return f"{statistics.median(ranked):.0f}", f"{ranked[math.ceil(0.95 * len(ranked)) - 1]:.0f}"


if __name__ == "__main__":
    main()
