"""Views behind tabs, of which only the open one is computed and sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st


def tabs(key: str, views: Mapping[str, Callable[[], None]]) -> str:
    """Draw the open view; returns its name, which the session keeps under `key`."""
    if st.session_state.get(key) not in views:
        st.session_state.pop(key, None)  # of what was shown before
    for tab, (name, draw) in zip(st.tabs(list(views), key=key, on_change="rerun"), views.items(), strict=True):
        if tab.open:
            opened = name
            with tab:
                draw()
    return opened
