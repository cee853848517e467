"""What the first page sends to a browser that has never seen the app."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Route

from tests.chromium import new_profile

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MEGABYTE = 1_000_000
# Compressed, until the stage is ready, and until what draws figures and tables has been loaded as well.
READY, ALL = 1.6 * MEGABYTE, 3.3 * MEGABYTE

SENT = "performance.getEntries().reduce((sum, entry) => sum + (entry.transferSize ?? 0), 0)"
LOADED = """[/PlotlyChart/, /DataFrame/].every((name) =>
    performance.getEntriesByType("resource").some((entry) => name.test(entry.name) && entry.responseEnd))"""


def test_the_first_load_is_small_and_prepares_the_next_page(browser: Browser, app_url: str) -> None:
    page = new_profile(browser, app_url).new_page()
    later: list[Route] = []
    page.route(re.compile("PlotlyChart|DataFrame"), lambda route: later.append(route))
    page.goto("/")
    page.wait_for_selector(".stage[data-state=idle]")
    assert 0 < page.evaluate(SENT) < READY
    page.unroute_all()
    for route in later:
        route.continue_()
    page.wait_for_function(LOADED)
    assert READY < page.evaluate(SENT) < ALL
    page.context.close()
