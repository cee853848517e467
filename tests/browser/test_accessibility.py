"""What axe-core finds on every page, in both themes: nothing serious, nothing critical."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.lab import Lab

pytestmark = pytest.mark.browser

PAGES = ("Watch", "Instance", "Partition", "Edge", "Compare", "Experiments", "Learn", "Method")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_anybody_out(scheme: str, page: Page, settle: Callable[[Page], None]) -> None:
    page.emulate_media(color_scheme=scheme)
    lab = Lab(page, settle).open()
    found = []
    for title in PAGES:
        lab.go(title)
        found += [
            f"{title}: {violation['id']}: {node['html']} {node['failureSummary']}"
            for violation in Axe().run(page).response["violations"]
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]
    assert found == []
