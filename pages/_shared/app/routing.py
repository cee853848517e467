"""All pages are run by app.py, even the first one opened after the server starts, and have their names as addresses."""

from __future__ import annotations

import streamlit as st
from starlette.requests import Request
from starlette.responses import RedirectResponse
from streamlit.runtime.pages_manager import PagesManager


def run_through_app() -> None:
    """Let app.py name and run the pages, from the first session of a server on.

    Until ``st.navigation`` was called once, Streamlit takes a folder named ``pages`` for its older kind of multi-page
    app: it names the pages after their files, and a page that is opened at its own address is run alone.
    """
    PagesManager.uses_pages_directory = False


def own_path(name: str) -> str:
    """The path of a route on this server, which may be told to serve the app below a path."""
    below = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"/{below}/{name}" if below else f"/{name}"


def to_the_first_page(request: Request) -> RedirectResponse:
    """Redirect from the first page's name to its address, which has no name: Streamlit knows no page at the former."""
    return RedirectResponse(f"./?{request.url.query}")
