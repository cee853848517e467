"""Every colour keeps its contrast to the pages on which it is drawn."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bender_core.visualization.styles import COLOURS, PALETTE, ROW_LOOKS, STYLES

THEMES = tomllib.loads((Path(__file__).parents[3] / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
PAGE = {theme: THEMES[theme]["backgroundColor"] for theme in ("light", "dark")}
MARK, TEXT = 3.0, 4.5
# Texts have these colours: names, values and formulas.
NAMES = ("lb", "ub", "floor", "proven", "ceiling", "nu", *(f"row-{kind}" for kind in range(len(PALETTE["rows"]))))
# Areas with an outline in a stronger colour.
OUTLINED = ("known-faded", "lifted-earlier")


def luminance(colour: str) -> float:
    """As WCAG 2 defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(luminance(colour) + 0.05 for colour in (one, other))
    return lighter / darker


@pytest.mark.parametrize("theme", PAGE)
def test_marks_and_texts_are_legible(theme: str) -> None:
    for name, colour in PALETTE[theme].items():
        least = TEXT if name in NAMES else 1.0 if name in OUTLINED else MARK
        assert contrast(colour, PAGE[theme]) >= least, name


@pytest.mark.parametrize("theme", PAGE)
def test_figures_are_legible_on_every_page(theme: str) -> None:
    for colour in {*COLOURS.values(), *(style.colour for style in STYLES.values())}:
        assert contrast(colour, PAGE[theme]) >= MARK, colour


def test_both_themes_have_the_same_colours() -> None:
    assert PALETTE["light"].keys() == PALETTE["dark"].keys()
    assert set(NAMES) | set(OUTLINED) <= PALETTE["light"].keys()


@pytest.mark.parametrize("page", ["light", "dark", "figure"])
def test_slack_and_nu_are_like_no_kind_of_row(page: str) -> None:
    """They are drawn among rows of all kinds."""

    def apart(one: str, other: str) -> int:
        return sum(abs(int(one[k : k + 2], 16) - int(other[k : k + 2], 16)) for k in (1, 3, 5))

    kinds = [colour for name, colour in PALETTE[page].items() if name.startswith("row-")]
    for name in ("slack", "nu"):
        assert min(apart(PALETTE[page][name], kind) for kind in kinds) > 60, name


def test_a_variant_has_the_colour_of_its_kind_of_row() -> None:
    kinds = [STYLES[variant].colour for variant in (1, 2, 3, 4)]
    assert len({cut.colour for cut in ROW_LOOKS.values()}) == len(ROW_LOOKS)
    assert set(kinds) == {cut.colour for cut in ROW_LOOKS.values()}
