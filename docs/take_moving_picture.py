"""The moving picture of README.md, saved by the stage itself: ``make moving-picture``."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.server import serve
from tests.chromium import found

TO = Path(__file__).parent / "screenshots" / "update.gif"
# An update of a pose in its second sweep, by whose rows the lower bound rises.
LINK = "sample=pose-small&M=8&strategy=groups&variant=9&schedule=mplp&at=482"
LARGEST = 2_000_000
# Milliseconds to compile the solver, and to make the pictures, on a busy machine.
LONGEST = 300_000


def main() -> None:
    """Take it."""
    chromium = found()
    if chromium is None:
        sys.exit("Chromium is not installed: apt-get install chromium-headless-shell")
    with tempfile.TemporaryDirectory() as folder:
        # As a new user finds the app, whatever was kept on this machine.
        os.environ["BENDER_DATA_DIR"] = folder
        with serve(Path(folder) / "log.txt") as url, sync_playwright() as play:
            browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
            page.goto(f"{url}/?{LINK}")
            page.wait_for_selector(".stage[data-state=idle]", timeout=LONGEST)
            page.get_by_text("share", exact=True).click()
            with page.expect_download(timeout=LONGEST) as download:
                page.get_by_role("button", name="GIF", exact=True).click()
            download.value.save_as(TO)
            browser.close()
    if TO.stat().st_size > LARGEST:
        sys.exit(f"{TO.name} has {TO.stat().st_size} bytes, more than {LARGEST}")


if __name__ == "__main__":
    main()
