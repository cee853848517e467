"""The code that saves what is shown as pictures. It reaches a tab after the component that calls it."""

from __future__ import annotations

import streamlit as st

from pages._shared.app.frontend import Component

_component = Component("pictures")


def load_pictures() -> None:
    """Send it to the tab."""
    with st.container(key="loaded_pictures"):
        _component.mount({})
