"""Showing text that comes from files: never through Markdown, never as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import streamlit as st


def heading(text: str) -> None:
    """A heading that shows any text as it is."""
    st.html(f"<h3 style='margin:0;padding:0'>{escape(text)}</h3>")


def paragraph(text: str) -> None:
    """A paragraph that shows any text as it is."""
    paragraphs([text] if text else [])


def paragraphs(texts: Iterable[str]) -> None:
    """Many paragraphs as one element, which takes no longer than one."""
    body = "".join(f"<p style='margin:0'>{escape(text)}</p>" for text in texts)
    if body:
        st.html(body)


def complaint(error: Exception | str) -> None:
    """One sentence about bad input."""
    st.html(f"<div class='complaint' role='alert'>{escape(str(error))}</div>")


def table(header: list[str], rows: list[list[str]]) -> None:
    """A small table of plain text."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    st.html(f"<table class='plain'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
