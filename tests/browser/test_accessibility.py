"""What axe-core finds on every page, in both themes: nothing serious, nothing critical."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.lab import Lab

pytestmark = pytest.mark.browser

PAGES = ("", "instance", "partition", "edge", "compare", "experiments", "learn", "method")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_nothing_keeps_anybody_out(path: str, scheme: str, page: Page, settle: Callable[[Page], None]) -> None:
    page.emulate_media(color_scheme=scheme)
    Lab(page, settle).open(f"/{path}")
    found = Axe().run(page).response["violations"]
    assert [
        f"{violation['id']}: {node['html']} {node['failureSummary']}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ] == []
