"""A picture of a study on the page: drawn, opened by a click on a point, and saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import NamedTuple
from urllib.parse import quote

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bender_core.experiments import FinishedRun
from bender_core.experiments.comparison import Table
from bender_core.visualization.document import document
from bender_core.visualization.on_paper import on_paper
from bender_core.visualization.on_screen import on_screen
from bender_core.visualization.picture import Picture, Series
from pages._shared.app.naming import file_name, slug
from pages._shared.app.text import table
from pages._shared.experiments.opening import watch
from pages._shared.running.kept import Kept

# Of points and lines in the legend.
_SHAPES = {
    "circle": "<circle cx='8' cy='7' r='4.5'/>",
    "x": "<path d='M4 3l8 8M4 11l8-8'/>",
    "square": "<path d='M4 3h8v8H4z'/>",
    "diamond": "<path d='M8 2l5 5-5 5-5-5z'/>",
}
_DASHES = {"solid": "none", "dot": "2 2", "dash": "7 4"}
# The family of instances that is shown.
_SHOWN = Kept[tuple[str, str]]("study_shown")


class Drawn(NamedTuple):
    """A picture, and its figure."""

    picture: Picture
    figure: go.Figure


@st.cache_resource(show_spinner=False, max_entries=16)
def drawn(which: str, _make: Callable[[], Picture]) -> Drawn:
    """A picture, made once; ``which`` tells it from all others."""
    picture = _make()
    figure = on_screen(picture)
    # Plotly's own takes half of a phone.
    figure.layout.showlegend = False
    return Drawn(picture, figure)


def show(name: str, made: Drawn, runs: Sequence[FinishedRun]) -> None:
    """Show a picture, with its caption, and the buttons that save it.

    Parameters
    ----------
    name : str
        Of its files.
    made : Drawn
    runs : sequence of FinishedRun
        Those that its points open.
    """
    picture, drawing = made
    has_points = any(series.form == "points" for series in picture.series)
    with st.container(key="multiples" if len(picture.panels) > 1 else None):
        picked = st.plotly_chart(
            drawing,
            key=f"picture-{name}",
            height=drawing.layout.height,
            on_select="rerun" if has_points else "ignore",
            selection_mode="points",
            alt=f"{picture.title}; the tables have the numbers",
        )
    if len(picture.panels) == 1:
        _legend(picture)
    caption = picture.caption.replace("α", "<dfn>α</dfn>", 1)
    st.caption(caption + " Click a point to open its run." * has_points, unsafe_allow_html=True)
    points = [] if isinstance(picked, DeltaGenerator) else picked.selection.points
    if points:
        key, _, size = points[0]["customdata"]
        # A point stays selected where the runs shown are others by now.
        for run in runs:
            if (run.task.key, run.task.max_size) == (key, size):
                watch(run.task)
                break
    _save(name, picture)


def _save(name: str, picture: Picture) -> None:
    """The buttons that save a picture. Files are made on a click: a browser would fetch them at every visit."""
    forms = {
        "SVG": (partial(on_paper, picture, "svg"), "image/svg+xml"),
        "PDF": (partial(on_paper, picture, "pdf"), "application/pdf"),
        "HTML": (partial(_page, picture), "text/html"),
    }
    with st.container(horizontal=True):
        for form, (content, mime) in forms.items():
            st.download_button(
                f"Save the figure ({form})",
                content,
                saved_as(f"{name}.{form.lower()}"),
                mime,
                on_click="ignore",
                key=f"{name}-{form}",
            )


def _page(picture: Picture) -> bytes:
    figure = on_screen(picture)
    # With room for its legend.
    figure.layout.height = max(figure.layout.height, 620)
    return document(picture.title, {picture.caption: figure}).encode()


def _legend(picture: Picture) -> None:
    """The names of lines and points, each behind a sample of its look."""
    named = [(_sample(series), escape(series.name)) for series in picture.series if series.name]
    entries = "".join(f"<span>{sample} {name}</span> " for sample, name in named)
    st.html(f"<div style='display: flex; flex-wrap: wrap; gap: 0.1rem 1rem'>{entries}</div>")


def _sample(series: Series) -> str:
    """A line or a symbol, as it is drawn."""
    colour = series.style.colour
    if series.form == "points":
        shape = _SHAPES[series.style.symbol.partition("-")[0]]
        return _image(f"<g fill='none' stroke='{colour}' stroke-width='2'>{shape}</g>", 16)
    dash = f"stroke-dasharray='{_DASHES[series.style.dash]}'"
    return _image(f"<path d='M0 7h26' stroke='{colour}' stroke-width='{series.width}' {dash}/>", 26)


def _image(shapes: str, width: int) -> str:
    """An image: Streamlit removes SVG from HTML."""
    drawn = f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='14'>{shapes}</svg>"
    return f'<img alt="" src="data:image/svg+xml,{quote(drawn)}" style="display: inline; vertical-align: middle">'


def tabulate(name: str, shown: Table) -> None:
    """Show a table, with the buttons that save it; ``name``: of its files."""
    table(shown.header, shown.rows)
    forms = {"CSV": (shown.csv, "csv", "text/csv"), "LaTeX": (shown.latex, "tex", "application/x-tex")}
    with st.container(horizontal=True):
        for form, (content, ending, mime) in forms.items():
            file = saved_as(f"{name}.{ending}")
            key = f"{name}-{form}"
            st.download_button(f"Save the table ({form})", content, file, mime, on_click="ignore", key=key)


def saved_as(name: str) -> str:
    """The name of a file about the chosen instances of the chosen plan."""
    study, family = _SHOWN.get() or ("", "")
    return file_name(study, *([slug(family)] if family else []), name)


def shows(study: str, family: str) -> None:
    """Say which study everything is shown of, and which family of its instances; all if that has no name."""
    _SHOWN.set((study, family))
