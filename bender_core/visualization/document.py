"""Figures as a self-contained HTML page that works offline in any browser."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import plotly.graph_objects as go

_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
  body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b2733; }}
  h1 {{ font-size: 1.3rem; }}
  figure {{ margin: 0 0 2rem; }}
</style>
<h1>{title}</h1>
"""


def document(title: str, figures: Mapping[str, go.Figure]) -> str:
    """An HTML page with the figures and the code that draws them.

    Parameters
    ----------
    title : str
    figures : mapping
        By their captions.

    Returns
    -------
    str
        About 5 MB, nearly all of it Plotly itself.
    """
    parts = [_HEAD.format(title=escape(title))]
    for number, (caption, drawing) in enumerate(figures.items()):
        drawn = drawing.to_html(full_html=False, include_plotlyjs=number == 0, default_height="30rem")
        parts.append(f"<figure>{drawn}<figcaption>{escape(caption)}</figcaption></figure>\n")
    return "".join(parts)
