"""Clicks in charts."""

from __future__ import annotations

from typing import Any

import streamlit as st


def clicked_point(key: str) -> dict[str, Any] | None:
    """The clicked point of a chart.

    None if there is none, or if the chart is gone: a click may arrive just as its page is left.
    """
    chart = st.session_state.get(key)
    points: list[dict[str, Any]] = chart.selection.points if chart is not None else []
    return points[0] if points else None
