"""Pictures of every page, light and dark, small and large, for README.md and docs/: ``make screenshots``."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.server import serve
from tests.chromium import found

FOLDER = Path(__file__).parent / "screenshots"
SIZES = ((1280, 800), (1920, 1080))
SCHEMES = ("light", "dark")
PAGES = ("Watch", "Edge", "Partition", "Instance", "Compare", "Experiments", "Learn", "Method")
# What every picture shows: a pose in its second sweep, a row just added.
LINK = "sample=pose-small&M=8&strategy=groups&variant=9&schedule=mplp&at=482&arc=19"
LARGEST = 200_000
# The contact sheet of one update, from before it starts until its messages have passed.
ACTS = "sample=pose-small&M=8&strategy=groups&variant=9&schedule=mplp&at=474"
FRAMES, ACROSS, SCALE, LARGEST_SHEET = 12, 3, 0.5, 600_000


def main() -> None:
    """Take them all."""
    chromium = found()
    if chromium is None:
        sys.exit("Chromium is not installed: apt-get install chromium-headless-shell")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # As a new user finds the app, whatever was kept on this machine.
        os.environ["BENDER_DATA_DIR"] = folder
        _take(Path(folder), chromium)


def _take(folder: Path, chromium: str) -> None:
    with serve(folder / "log.txt") as url, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in SCHEMES:
            for width, height in SIZES:
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
                page = context.new_page()
                page.goto(f"{url}/?{LINK}")
                page.wait_for_selector(".stage[data-state=idle]", timeout=120_000)
                for name in PAGES:
                    page.get_by_role("link", name=name, exact=True).click()
                    _settle(page)
                    if name == "Compare":
                        page.get_by_role("button", name="Race", exact=True).click()
                        _settle(page)
                    _save(page.screenshot(), FOLDER / f"{name.lower()}-{scheme}-{width}.png")
                    if name == "Watch":
                        _save(_cockpit(page), FOLDER / f"cockpit-{scheme}-{width}.png")
                context.close()
        page = browser.new_page(viewport={"width": 1280, "height": 760})
        page.goto(f"{url}/?{ACTS}")
        _take_acts(page)
        browser.close()


def _cockpit(page: Page) -> bytes:
    """Watch with the list of messages and the drawer, which are closed again."""
    page.keyboard.press("l")
    page.keyboard.press("d")
    page.locator(".cuts tr").first.wait_for()
    _settle(page)
    picture = page.screenshot()
    page.keyboard.press("d")
    page.keyboard.press("l")
    return picture


def _take_acts(page: Page) -> None:
    """A contact sheet of the motion of one step: a group is updated."""
    stage = page.locator(".stage[data-state=idle]")
    stage.wait_for(timeout=120_000)
    _settle(page)
    moving = page.locator(".stage:not([data-state=idle])")
    frames = [page.screenshot()]
    page.locator("[data-step=node]").click()
    while moving.count():
        frames.append(page.screenshot())
    frames.append(page.screenshot())
    chosen = [frames[round(k * (len(frames) - 1) / (FRAMES - 1))] for k in range(FRAMES)]
    pictures = [Image.open(io.BytesIO(frame)).convert("RGB") for frame in chosen]
    width, height = (int(SCALE * side) for side in pictures[0].size)
    sheet = Image.new("RGB", (ACROSS * width, -(-FRAMES // ACROSS) * height), "white")
    for k, picture in enumerate(pictures):
        sheet.paste(
            picture.resize((width, height), Image.Resampling.LANCZOS), (k % ACROSS * width, k // ACROSS * height)
        )
    png = io.BytesIO()
    sheet.save(png, "PNG")
    _save(png.getvalue(), FOLDER / "watch-acts.png", LARGEST_SHEET)


def _settle(page: Page) -> None:
    """Wait until the page stands still for half a second."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    before = b""
    for _ in range(20):
        page.wait_for_timeout(500)
        now = page.screenshot()
        if now == before:
            return
        before = now


def _save(png: bytes, path: Path, largest: int = LARGEST) -> None:
    """With as few colours as it takes to stay small."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    for colours in (256, 128, 64, 32):
        picture.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size <= largest:
            return


if __name__ == "__main__":
    main()
