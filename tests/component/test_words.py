"""Words that the browser says itself, against Python."""

from __future__ import annotations

from itertools import product

import pytest
from playwright.sync_api import Page

from bender_core.visualization.message import values_in_words

pytestmark = pytest.mark.browser


def test_a_class_is_said_as_on_all_pages(page: Page) -> None:
    classes = [(list("abcd"[:count]), bits) for count in range(1, 5) for bits in product((0, 1), repeat=count)]
    told = page.evaluate(
        """async (classes) => {
            const { valuesText } = await import('/stage/drawer/values.js');
            return classes.map(([names, bits]) => valuesText(names, bits));
        }""",
        [(names, "".join(map(str, bits))) for names, bits in classes],
    )
    assert told == [values_in_words(names, bits) for names, bits in classes]
