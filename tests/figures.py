"""Figures are made unchecked; in tests Plotly checks each of them, and finds nothing to correct."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import plotly.graph_objects as go
import pytest
from plotly.io import to_json

from bender_core.visualization import figures


def check_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every figure compared with what Plotly makes of its parts when it checks them."""

    def checked(data: Any, layout: Any, _validate: bool) -> go.Figure:
        # The check leaves out what is an empty list.
        parts = {"data": data, "layout": {name: part for name, part in layout.items() if part != []}}
        assert _content(go.Figure(parts, _validate=_validate)) == _content(go.Figure(parts))
        return go.Figure(data=data, layout=layout, _validate=_validate)

    monkeypatch.setattr(figures, "go", SimpleNamespace(Figure=checked))


def _content(drawing: go.Figure) -> Any:
    return json.loads(to_json(drawing, validate=False))
