"""A `Picture` as SVG or PDF, at the size of a page: for papers and slides."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from bender_core.visualization.picture import COLUMNS, Axis, Panel, Picture, Series, apart
from bender_core.visualization.styles import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INCH = 2.54  # centimetres
# Of a page with one column of text, centimetres; and the share of it that a single picture is high.
WIDTH, HEIGHT = 17.0, 0.55
HEIGHT_OF_ROW = 4.6
# The size of letters, points.
LETTERS = 8
# Room about the panels for numbers and titles: left, right, below and above, and between them, centimetres.
_LEFT, _RIGHT, _BELOW, _ABOVE, _BETWEEN = 2.7, 0.6, 1.1, 0.9, 1.2
# Of a legend; and the room above it, centimetres.
_MOST_COLUMNS, _ABOVE_LEGEND = 4, 0.2
Form = Literal["svg", "pdf"]
_MARKERS = {"circle": "o", "x": "x", "square": "s", "diamond": "D"}
_DASHES = {"solid": "-", "dot": ":", "dash": "--"}
_FAINT, _LABEL_SHARE = 0.5, 0.04
# Beyond the least and the largest of the times on both axes, as a factor.
_MARGIN = 1.3


def on_paper(picture: Picture, form: Form) -> bytes:
    """Draw a picture as vectors, with letters that can be selected.

    Parameters
    ----------
    picture : Picture
    form : str

    Returns
    -------
    bytes
        A file. Equal pictures give equal files.
    """
    return _saved(picture, [form])[form]


def _saved(picture: Picture, forms: Iterable[Form]) -> dict[Form, bytes]:
    """The files of a picture, which is drawn once."""
    import matplotlib as mpl

    look: Any = {"font.size": LETTERS, "svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "bender"}
    found: dict[Form, bytes] = {}
    with mpl.rc_context(look):
        drawing = _drawing(picture)
        for form in forms:
            out = io.BytesIO()
            drawing.savefig(out, format=form, metadata={"CreationDate" if form == "pdf" else "Date": None})
            found[form] = out.getvalue()
    return found


def _drawing(picture: Picture) -> Figure:
    from matplotlib.figure import Figure

    count = len(picture.panels)
    columns = min(count, COLUMNS) or 1
    rows = math.ceil(count / columns) or 1
    height = HEIGHT * WIDTH if count <= 1 else rows * HEIGHT_OF_ROW
    drawing = Figure(figsize=(WIDTH / INCH, height / INCH))
    places = list(drawing.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).flat)
    for place, panel in zip(places, picture.panels, strict=False):
        _draw(place, picture, panel)
    for place in places[count:]:
        place.set_visible(False)
    # Numbers are below the last panel of every column.
    for place in places[max(count - columns, 0) : count]:
        place.tick_params(labelbottom=True)
    # The titles of several panels name what they show.
    named = count == 1 and any(series.name for series in picture.series)
    below = _legend(drawing) + _ABOVE_LEGEND if named else 0.0
    drawing.set_figheight((height + below) / INCH)
    _arrange(drawing, picture, rows, below)
    return drawing


def _legend(drawing: Figure) -> float:
    """Put a legend at the lower edge, in as many columns as fit; returns its height, centimetres."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(drawing)
    for columns in range(_MOST_COLUMNS, 0, -1):
        legend = drawing.legend(
            loc="lower right", bbox_to_anchor=(1, 0), ncols=columns, frameon=False, fontsize=LETTERS - 1
        )
        box = legend.get_window_extent(canvas.get_renderer())
        if box.width <= drawing.bbox.width or columns == 1:
            break
        legend.remove()
    return float(box.height / drawing.dpi * INCH)


def _arrange(drawing: Figure, picture: Picture, rows: int, below: float) -> None:
    """Give the panels, and the titles that they share, their places; so much room at the lower edge is kept free."""
    height = drawing.get_figheight() * INCH
    bottom, of_panels = below + _BELOW, height - below - _BELOW - _ABOVE
    drawing.subplots_adjust(_LEFT / WIDTH, bottom / height, 1 - _RIGHT / WIDTH, 1 - _ABOVE / height)
    drawing.subplots_adjust(wspace=0.12, hspace=_BETWEEN * rows / (of_panels - (rows - 1) * _BETWEEN))
    drawing.supxlabel(
        picture.x.title, x=(_LEFT + WIDTH - _RIGHT) / 2 / WIDTH, y=(below + 0.1) / height, fontsize=LETTERS
    )
    drawing.supylabel(picture.y.title, x=0.1 / WIDTH, y=(bottom + of_panels / 2) / height, fontsize=LETTERS)


def files(pictures: Mapping[str, Picture]) -> dict[str, bytes]:
    """Pictures in every form, and their captions, by the names of their files."""
    found = {
        f"{name}.{form}": content
        for name, each in pictures.items()
        for form, content in _saved(each, get_args(Form)).items()
    }
    captions = "\n\n".join(f"{name}: {each.title}. {each.caption}" for name, each in pictures.items())
    return found | {"captions.txt": f"{captions}\n".encode()}


def _draw(place: Axes, picture: Picture, panel: Panel) -> None:
    place.spines[["top", "right"]].set_visible(False)
    place.grid(linewidth=0.3, color="#cccccc")
    place.set_title("\n".join(panel.lines), loc="left", fontsize=LETTERS)
    _scale(place, picture, "x")
    _scale(place, picture, "y")
    if panel.has_diagonal:
        place.axline((1, 1), (2, 2), color=COLOURS["neutral"], linewidth=0.6)
    if panel.limit is not None:
        for draw in (place.axhline, place.axvline):
            draw(panel.limit, color=COLOURS["neutral"], linewidth=0.6, linestyle=":")
    for series in panel.series:
        (_points if series.form == "points" else _line)(place, series)
    for name in ("x", "y"):
        axis = getattr(picture, name)
        values = picture.values(name)
        if panel.has_diagonal and len(values):
            getattr(place, f"set_{name}lim")(values.min() / _MARGIN, values.max() * _MARGIN)
        if axis.least is not None:
            getattr(place, f"set_{name}lim")(axis.least, None if axis.most is None else 1.03 * axis.most)
    if picture.has_labels:
        _label(place, picture, [series for series in panel.series if series.form != "points" and len(series.x)])


def _scale(place: Axes, picture: Picture, name: Literal["x", "y"]) -> None:
    axis: Axis = getattr(picture, name)
    drawn = getattr(place, f"{name}axis")
    if axis.is_log:
        getattr(place, f"set_{name}scale")("log")
        numbers = picture.numbers(name)
        drawn.set_ticks(list(numbers), list(numbers.values()))
        drawn.set_minor_formatter("")
        if len(picture.panels) > 1:
            # They take half of the time, and are too many for small panels.
            place.minorticks_off()
    elif not axis.is_share:
        drawn.get_major_locator().set_params(integer=True)
    else:
        drawn.set_major_formatter(lambda value, _: axis.text(value))


def _points(place: Axes, series: Series) -> None:
    faint = np.zeros(len(series.x), bool) if series.faint is None else series.faint
    symbol = series.style.symbol.partition("-")[0]
    look: dict[str, Any] = {"s": 14, "marker": _MARKERS[symbol], "linewidths": 0.7}
    look |= (
        {"color": series.style.colour} if symbol == "x" else {"facecolors": "none", "edgecolors": series.style.colour}
    )
    for these, opacity, name in ((~faint, 1.0, series.name), (faint, _FAINT, "")):
        if these.any() or name:
            place.scatter(series.x[these], series.y[these], alpha=opacity, label=name or None, **look)


def _line(place: Axes, series: Series) -> None:
    look: dict[str, Any] = {"color": series.style.colour, "linewidth": 0.6 * series.width}
    steps = "steps-post" if series.form == "steps" else "default"
    dashes = _DASHES[series.style.dash]
    place.plot(series.x, series.y, dashes, drawstyle=steps, label=series.name or None, **look)
    if series.band is not None:
        place.fill_between(series.x, *series.band, color=series.style.colour, alpha=0.12, linewidth=0)


def _label(place: Axes, picture: Picture, lines: list[Series]) -> None:
    """Label lines at their ends, moved apart where the labels would overlap."""
    ends = np.array([line.y[-1] for line in lines])
    heights = np.log10(ends) if picture.y.is_log else ends
    low, high = np.log10(place.get_ylim()) if picture.y.is_log else place.get_ylim()
    moved = apart(heights, _LABEL_SHARE * (high - low))
    for line, height in zip(lines, 10**moved if picture.y.is_log else moved, strict=True):
        if np.isfinite(height):
            where: Any = {"xytext": (3, 0), "textcoords": "offset points", "va": "center", "fontsize": LETTERS - 1}
            place.annotate(line.label, (line.x[-1], height), color=line.style.colour, **where)
