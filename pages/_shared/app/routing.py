"""All pages are run by app.py, even the first one opened after the server starts, and have their names as addresses."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def through_app() -> None:
    """Hand over to app.py if Streamlit runs this page by itself.

    Until ``st.navigation`` was called once, Streamlit takes a folder named ``pages`` for its older kind of
    multi-page app, and a fresh server that is first opened at a page's own address runs that file alone.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def to_the_first_page() -> None:
    """A page that leads from the first page's name to its address, which has no name: Streamlit knows no page there."""
    st.session_state.page_before = ""  # it is the page's own address that goes on
    st.switch_page("pages/watch.py", query_params=st.query_params.to_dict())
