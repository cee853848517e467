"""All pages are run by app.py, even the first one opened after the server starts, and have their names as addresses."""

from __future__ import annotations

import streamlit as st
from starlette.requests import Request
from starlette.responses import RedirectResponse
from streamlit.runtime.pages_manager import PagesManager


def through_app() -> None:
    """Hand over to app.py if Streamlit runs this page by itself.

    Until ``st.navigation`` was called once, Streamlit takes a folder named ``pages`` for its older kind of
    multi-page app, and a fresh server that is first opened at a page's own address runs that file alone.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def to_the_first_page(request: Request) -> RedirectResponse:
    """Lead from the first page's name to its address, which has no name: Streamlit knows no page at the other."""
    return RedirectResponse(f"./?{request.url.query}")
