"""Showing text that comes from files and addresses: any script, any length, and never as Markdown or HTML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape

import streamlit as st

# The longest names, in characters: in narrow places, and within a sentence.
SHORT, MEDIUM = 24, 60
# Characters that change the direction of the text around them, and line breaks.
_TURNING = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSEEN = re.compile(rf"[\x00-\x1f\x7f-\x9f\u2028\u2029{_TURNING}\s]+")
# A name written from right to left is isolated from the text around it.
_ISOLATE, _END = "\u2068", "\u2069"
_JOINER = "\u2060"


def inert(text: str) -> str:
    """Text in one line, without invisible characters that change the direction of their neighbours."""
    return _UNSEEN.sub(" ", text).strip()


def label(text: str, most: int | None = None) -> str:
    """A name shown verbatim inside other text: inert, isolated if it runs from right to left.

    Parameters
    ----------
    text : str
    most : int, optional
        Characters; longer names end in an ellipsis.
    """
    found = inert(text)
    if most is not None and len(found) > most:
        found = f"{found[: most - 1].rstrip()}…"
    turned = any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in found)
    return f"{_ISOLATE}{found}{_END}" if turned else found


def labels(texts: Sequence[str], most: int = SHORT) -> list[str]:
    """Short names for an axis; equal ones are numbered."""
    short, seen = [label(text, most) for text in texts], dict[str, int]()
    for k, text in enumerate(short):
        seen[text] = seen.get(text, 0) + 1
        if seen[text] > 1:
            short[k] = f"{text} ({seen[text]})"
    return short


def markdown(text: str) -> str:
    """Text shown verbatim where Streamlit reads Markdown, with its formulas, colours and icons."""
    escaped = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", label(text))
    # Addresses, arrows and emoji are recognised after the backslashes are removed: an invisible character splits them.
    return re.sub(r"(\\[-:@<>]|www)", f"\\1{_JOINER}", escaped, flags=re.IGNORECASE)


def heading(text: str) -> None:
    """A heading that shows any text verbatim, in at most two lines; its tip is the full text."""
    shown = escape(inert(text))
    st.html(f"<h3 class='cut two' style='margin:0;padding:0' dir='auto' title='{shown}'>{shown}</h3>")


def paragraph(text: str) -> None:
    """A paragraph that shows any text verbatim; a long one in a box that scrolls."""
    if inert(text):
        st.html(f"<p class='boxed' dir='auto' style='margin:0'>{escape(inert(text))}</p>")


def paragraphs(texts: Iterable[str]) -> None:
    """Many paragraphs as one element, which is as fast as one."""
    body = "".join(f"<p style='margin:0'>{escape(text)}</p>" for text in texts)
    if body:
        st.html(body)


def complaint(error: Exception | str) -> None:
    """One sentence about bad input."""
    st.html(f"<div class='complaint boxed' role='alert'>{escape(inert(str(error)))}</div>")


def table(header: list[str], rows: list[list[str]], terms: Mapping[str, str] | None = None) -> None:
    """A small table of plain text; ``terms``: the terms of the glossary that explain cells with some texts."""

    def shown(cell: str) -> str:
        term = (terms or {}).get(cell)
        return escape(cell) if term is None else f"<dfn data-term='{term}'>{escape(cell)}</dfn>"

    head = "".join(f"<th>{shown(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{shown(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    st.html(f"<table class='plain'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
