"""Terms explain themselves: under the pointer, at a tap, and to whoever walks from one to another by keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypedDict

import pytest
from playwright.sync_api import Locator, Page, expect

from pages._shared.app import explaining
from pages._shared.app.glossary import GLOSSARY
from tests.chromium import VIEWPORT
from tests.component.mounting import Mounted

pytestmark = pytest.mark.browser

DARK = {"--st-text-color": "#f0f4f8", "--st-background-color": "#12181f", "--st-secondary-background-color": "#1d2630"}
PALETTE: Any = explaining._component.code["palette"]
# Marks in the page, one in a label, and one in a component.
MARKS = """() => {
    const page = document.createElement('div');
    page.innerHTML = `<p style="margin: 300px 0 0 40px">Watch <dfn>LB</dfn> and the
        <dfn data-term="Benders row">rows</dfn>. <dfn>nothing known</dfn></p>
        <label><dfn>M</dfn> <input type="checkbox"></label> <button>elsewhere</button>
        <input type="text">`;
    document.body.append(page);
    const host = document.createElement('div');
    host.attachShadow({ mode: 'open' }).innerHTML =
        '<svg width="200" height="40"><text y="30" data-term="floor">floor</text></svg>';
    page.append(host);
}"""

TAP = """(target) => {
    const touch = { pointerType: 'touch', bubbles: true, composed: true };
    for (const name of ['pointermove', 'pointerdown', 'pointerup']) target.dispatchEvent(new PointerEvent(name, touch));
    target.dispatchEvent(new PointerEvent('click', { ...touch, cancelable: true }));
}"""


class Nothing(TypedDict):
    pass


class Terms(Mounted):
    """The component, and marks for it to explain."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, explaining._component, Nothing)
        self.receive({})
        page.evaluate(MARKS)
        self.tip = page.get_by_role("tooltip")

    def mark(self, text: str) -> Locator:
        return self.page.locator("dfn, [data-term]").get_by_text(text, exact=True)

    def tap(self, target: Locator) -> None:
        """As a finger does."""
        target.evaluate(TAP)

    def explains(self, name: str, mark: Locator) -> None:
        """Expect the tip of a term at its mark, and not on it."""
        expect(self.tip).to_be_visible()
        expect(self.tip).to_contain_text(GLOSSARY[name].meaning)
        expect(mark).to_have_accessible_description(re.compile(re.escape(GLOSSARY[name].meaning)))
        tip, place = self.tip.bounding_box(), mark.bounding_box()
        assert tip
        assert place
        assert tip["y"] >= place["y"] + place["height"] or tip["y"] + tip["height"] <= place["y"]
        size = self.page.viewport_size
        assert size
        assert 0 <= tip["x"] <= size["width"] - tip["width"]


@pytest.fixture
def terms(page: Page) -> Iterator[Terms]:
    mounted = Terms(page)
    yield mounted
    page.evaluate("document.querySelector('main').nextElementSibling?.remove()")


@pytest.mark.parametrize(
    ("text", "name"), [("LB", "lower bound"), ("rows", "Benders row"), ("M", "M"), ("floor", "floor")]
)
def test_a_mark_under_the_pointer_explains_itself(terms: Terms, text: str, name: str) -> None:
    terms.mark(text).hover()
    terms.explains(name, terms.mark(text))
    expect(terms.tip.locator("svg")).to_be_visible()
    # The pointer may go to the tip, to read it at leisure.
    terms.tip.hover()
    terms.explains(name, terms.mark(text))
    terms.page.get_by_role("button", name="elsewhere").hover()
    expect(terms.tip).to_have_count(0)
    assert terms.mark(text).get_attribute("aria-describedby") is None


def test_a_word_that_is_no_term_has_no_tip(terms: Terms) -> None:
    terms.mark("nothing known").click()
    expect(terms.tip).to_have_count(0)


def test_escape_closes_it_and_nothing_else_hears_of_that(terms: Terms) -> None:
    terms.page.evaluate("window.heard = []; addEventListener('keydown', ({ key }) => heard.push(key))")
    terms.mark("LB").hover()
    expect(terms.tip).to_be_visible()
    terms.page.keyboard.press("Escape")
    expect(terms.tip).to_have_count(0)
    terms.page.keyboard.press("Escape")
    assert terms.page.evaluate("heard") == ["Escape"]


def test_keys_walk_from_term_to_term_and_back_to_where_they_began(terms: Terms) -> None:
    page = terms.page
    button = page.get_by_role("button", name="elsewhere")
    button.focus()
    page.keyboard.press("w")
    for text, name in (("LB", "lower bound"), ("rows", "Benders row"), ("M", "M"), ("floor", "floor")):
        expect(terms.mark(text)).to_be_focused()
        terms.explains(name, terms.mark(text))
        page.keyboard.press("ArrowRight")
    terms.explains("lower bound", terms.mark("LB"))
    page.keyboard.press("ArrowLeft")
    terms.explains("floor", terms.mark("floor"))
    page.keyboard.press("Escape")
    expect(terms.tip).to_have_count(0)
    expect(button).to_be_focused()


def test_a_letter_that_is_typed_is_no_key(terms: Terms) -> None:
    field = terms.page.get_by_role("textbox")
    field.focus()
    terms.page.keyboard.press("w")
    expect(field).to_have_value("w")
    expect(terms.tip).to_have_count(0)


def test_marks_are_no_stops_of_the_keyboard_but_one_button_leads_to_them(terms: Terms) -> None:
    page = terms.page
    page.keyboard.press("Tab")
    walk = page.get_by_role("button", name="explain the terms here")
    expect(walk).to_be_focused()
    page.keyboard.press("Enter")
    terms.explains("lower bound", terms.mark("LB"))
    page.keyboard.press("Tab")
    expect(terms.tip).to_have_count(0)
    expect(page.get_by_role("checkbox")).to_be_focused()


def test_a_tap_opens_it_and_a_tap_elsewhere_closes_it(terms: Terms) -> None:
    for text, name in (("LB", "lower bound"), ("M", "M"), ("floor", "floor")):
        terms.tap(terms.mark(text))
        terms.explains(name, terms.mark(text))
    expect(terms.page.get_by_role("checkbox")).not_to_be_checked()
    terms.tap(terms.page.get_by_role("button", name="elsewhere"))
    expect(terms.tip).to_have_count(0)


def test_its_colours_are_those_of_the_page(terms: Terms) -> None:
    drawn = terms.tip.locator("path.floor")
    for theme, back in (("light", "#fff"), ("dark", "#12181f")):
        if theme == "dark":
            for name, value in DARK.items():
                terms.page.evaluate("([n, v]) => document.documentElement.style.setProperty(n, v)", [name, value])
        terms.mark("floor").hover()
        expect(drawn).to_have_css("stroke", rgb(PALETTE[theme]["floor"]))
        expect(terms.tip).to_have_css("background-color", rgb(back))
        terms.page.keyboard.press("Escape")
        terms.page.mouse.move(0, 0)


def test_in_a_lecture_nothing_opens(terms: Terms) -> None:
    terms.page.evaluate("document.documentElement.toggleAttribute('data-lecture', true)")
    terms.mark("LB").click()
    terms.page.keyboard.press("w")
    expect(terms.tip).to_have_count(0)
    terms.page.evaluate("document.documentElement.removeAttribute('data-lecture')")
    terms.mark("LB").click()
    terms.explains("lower bound", terms.mark("LB"))


def test_at_the_lower_edge_of_a_narrow_window_it_is_above(terms: Terms) -> None:
    terms.page.set_viewport_size({"width": 260, "height": 380})
    terms.mark("LB").click()
    terms.explains("lower bound", terms.mark("LB"))
    tip, place = terms.tip.bounding_box(), terms.mark("LB").bounding_box()
    assert tip
    assert place
    assert tip["y"] < place["y"]
    terms.page.set_viewport_size(VIEWPORT)


def rgb(colour: str) -> str:
    """A colour as a browser gives it."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    return f"rgb({', '.join(str(int(digits[k : k + 2], 16)) for k in (0, 2, 4))})"
