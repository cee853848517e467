"""Names of any script and length, and texts with Markdown, are shown verbatim."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bender_core as bc
from pages._shared.app.text import inert, label, labels, markdown
from tests.app.pages.test_pages import PAGES, app, complaints, go, html, lab, ran, tables
from tests.labs import take_model

NASTY = [
    "<b>bold</b><script>alert(1)</script>",
    "$x^2$ and $y$",
    ":red[red] :material/home: :smile:",
    "*a* _b_ `c` [link](https://example.com)",
    "first\nsecond\n\n# third",
    "\u0645\u0631\u062d\u0628\u0627 1",
    "\u202eturned around",
    "\U0001f469\u200d\U0001f467 \U0001f388",
    "without an end" * 20,
    "\x00",
    "",
    "&amp; \\ | ~~x~~",
]


@given(st.text())
def test_an_inert_text_is_one_line_and_keeps_the_direction_of_its_surroundings(text: str) -> None:
    found = inert(text)
    assert not any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in found)
    assert not set(found) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    # What people see is all there.
    assert [c for c in found if c.isalnum()] == [c for c in text if c.isalnum()]


def test_a_name_from_right_to_left_is_isolated_from_its_surroundings() -> None:
    assert label("\u05d0\u05d1 1") == "\u2068\u05d0\u05d1 1\u2069"
    assert label("x" * 30, 10) == "xxxxxxxxx…"
    assert label("plain", 10) == "plain"


def test_short_names_on_an_axis_stay_apart() -> None:
    assert labels(["a" * 30 + "b", "a" * 30 + "c", "d"], 5) == ["aaaa…", "aaaa… (2)", "d"]


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_markdown_in_a_text_is_shown_verbatim(text: str) -> None:
    found = markdown(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[$:*_`\[\]<>#|~&!@.-]", found)
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", found).replace("\u2060", "") == label(text).replace("\u2060", "")


@pytest.mark.parametrize("page", PAGES)
def test_a_model_of_nasty_names_is_shown_on_every_page(page: str) -> None:
    n = len(NASTY)
    edges = [(k, (k + 1) % n) for k in range(n)]
    kinds = [NASTY[k // 2] for k in range(n)]
    mrf = bc.BinaryMRF(
        np.ones((n, 2)),
        edges,
        np.tile([[0.0, 1.0], [1.5, 0.0]], (n, 1, 1)),
        names=NASTY,
        groups=kinds,
        name=NASTY[8] + NASTY[2],
        description=NASTY[0] + NASTY[4],
    )
    test = app("watch")
    take_model(lab(test), mrf, {})
    lab(test).run.step("sweep", backward=False)
    go(test, page)
    assert complaints(test) == []
    # Nothing of it where Streamlit reads Markdown.
    read = [element.value for element in (*test.markdown, *test.caption, *test.info, *test.subheader)]
    read += [metric.label for metric in test.metric] + [button.label for button in test.button]
    assert not any(name in text for text in read for name in NASTY[:4])
    if page == "instance":
        test.session_state.model_view = "Normal form"
        ran(test.run())
        assert "moved to <b>bold</b><script>aler…" in tables(test)
        assert any(piece.text == NASTY[8] + NASTY[2] for piece in html(test))
