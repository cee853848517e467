"""What other pages draw figures and tables with, loaded while a tab has nothing else to do."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages._shared.app.frontend import Component

_component = Component("ahead")
# Streamlit's own scripts, by the names it gives them; each is followed by a hash.
_SCRIPTS = Path(st.__file__).parent / "static/static/js"
SCRIPTS = [path.name for name in ("PlotlyChart", "DataFrame") for path in _SCRIPTS.glob(f"{name}.*.js")]


def load_ahead() -> None:
    """Have a tab load, when it is calm, the scripts that it would load with its first figure and its first table."""
    with st.container(key="loaded_ahead"):
        _component.mount({"scripts": SCRIPTS})
