"""Numbers that the browser computes itself, against Python."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from bender_core.engine.gap import is_closed, relative_gap
from tests.labs import is_shown

pytestmark = pytest.mark.browser
ENERGIES = [0.0, 1e-14, -1e-14, 1.0, -1.0, -1.0 + 3e-9, -1.0 + 3e-8, -17.000000041, -17.0, 1e12, 1e12 + 5, -581.25]


def test_the_gap_is_that_of_the_library(page: Page) -> None:
    pairs = [(low, high, scale) for low in ENERGIES for high in ENERGIES for scale in (0.0, 20.0)]
    told = page.evaluate(
        """async (pairs) => {
            const { relativeGap, gapText, isClosed } = await import('/gap.js');
            const text = ([low, high, scale]) => gapText(low, high, isClosed(low, high, scale), 3);
            return pairs.map((pair) => [relativeGap(...pair), text(pair)]);
        }""",
        pairs,
    )
    for (low, high, scale), (gap, text) in zip(pairs, told, strict=True):
        assert gap == relative_gap(low, high)
        assert (text == "0, closed") == is_closed(low, high, scale)


def test_numbers_have_the_digits_that_tell_two_bounds_apart(page: Page) -> None:
    """Also where energies are tiny or huge."""
    pairs = [(-123456789.0, -123456788.0), (-1.2345e-9, -1.2344e-9), (-1234.6, -1234.5), (-36.055, -36.054)]
    told = page.evaluate(
        """async (pairs) => {
            const { number } = await import('/text.js');
            return pairs.map((pair) => pair.map((value) => number(value)));
        }""",
        pairs,
    )
    for pair, texts in zip(pairs, told, strict=True):
        assert texts[0] != texts[1]
        assert all(map(is_shown, pair, texts))


def test_a_bound_that_is_claimed_holds_as_it_is_written(page: Page) -> None:
    """Rounded outwards, unless it is a short number up to rounding."""
    values = [103.24, 103.24001, -103.24001, 103.0, 103 - 1e-13, -21 - 1e-8, 123456.78, -1.23456789e-5, 0.0, 2e13 / 3]
    told = page.evaluate(
        """async (values) => {
            const { atLeast, atMost } = await import('/text.js');
            return values.map((value) => [atLeast(value), atMost(value)]);
        }""",
        values,
    )
    for value, texts in zip(values, told, strict=True):
        least, most = (float(text.replace("−", "-")) for text in texts)
        assert least - 1e-11 * abs(value) <= value <= most + 1e-11 * abs(value)
        assert most - least <= 1e-4 * max(abs(value), 1.0)
    assert told[0] == ["103.24", "103.24"]
    assert told[3] == told[4] == ["103", "103"]


@pytest.mark.slow
def test_names_that_are_numbered_are_told_apart_when_they_are_short(page: Page) -> None:
    names = ["left hip (1)", "left hip (2)", "neck", "\u2068" + "א" * 20 + "\u2069"]
    told = page.evaluate(
        """async (names) => {
            const { shortInside } = await import('/text.js');
            return names.map((name) => shortInside(name, 9));
        }""",
        names,
    )
    assert told[:3] == ["left…(1)", "left…(2)", "neck"]
    assert told[3].startswith("\u2068")
    assert told[3].endswith("\u2069")
