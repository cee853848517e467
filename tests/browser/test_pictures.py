"""What the stage shows as a file, in as few presses as a person needs."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.lab import Lab

pytestmark = pytest.mark.browser

LARGEST = 5_000_000


@pytest.mark.slow
def test_a_gif_of_an_update_takes_two_clicks(watch: Lab, tmp_path: Path) -> None:
    watch.open("/?sample=pose-small&M=8&strategy=groups&variant=9&schedule=mplp&at=482")
    shown = watch.said()
    page = watch.page
    page.evaluate("() => { window.presses = 0; addEventListener('click', () => { window.presses += 1; }, true); }")
    watch.stage.get_by_text("share", exact=True).click()
    with page.expect_download(timeout=300_000) as download:
        watch.stage.get_by_role("button", name="GIF", exact=True).click()
    assert page.evaluate("window.presses") == 2
    assert download.value.suggested_filename == "bender-lab-pose-small-M8-variant9-sweep2-update11.gif"
    path = tmp_path / "update.gif"
    download.value.save_as(path)
    assert path.stat().st_size <= LARGEST
    with Image.open(path) as gif:
        assert gif.format == "GIF"
        assert gif.n_frames > 5
        frames = [gif.seek(k) or np.asarray(gif.convert("RGB")) for k in range(gif.n_frames)]
    assert all((one != other).any() for one, other in pairwise(frames))
    # The stage shows again what it showed.
    expect(watch.stage.locator("[data-act=unsave]")).to_be_hidden()
    watch.wait("stage.dataset.state === 'idle' && !stage.stage.player.filmed")
    watch.settle()
    assert watch.said() == shown
