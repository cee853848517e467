"""Pictures of studies as data, which `on_screen` draws with Plotly and `on_paper` as SVG and PDF."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bender_core.visualization.styles import Style

# The most decades of a logarithmic axis that has numbers at equal distances, that has some between its powers of ten,
# the same in small multiples, and the most with all powers.
PART_OF_DECADE, FEW_DECADES, FEW_IN_SMALL, MANY_DECADES = 0.7, 2.2, 1.2, 9.0
# Between numbers at equal distances.
MOST_STEPS = 4
# The most panels side by side.
COLUMNS = 3
# The most letters of a line above one of several panels.
LETTERS_OF_TITLE = 27


@dataclass(frozen=True)
class Axis:
    """An axis, the same in all panels.

    Attributes
    ----------
    title : str
        With its unit.
    is_log : bool
    is_share : bool
        Whether its values are shares, written in per cent.
    least, most : float or None
        Where it begins and ends; None: with the data.
    floor : float or None
        Values that are less are drawn as this one.
    """

    title: str
    is_log: bool = False
    is_share: bool = False
    least: float | None = None
    most: float | None = None
    floor: float | None = None

    def numbers(self, values: NDArray[np.float64], few: float = FEW_DECADES) -> dict[float, str]:
        """The numbers at a logarithmic axis that shows these values: at powers of ten, and between ``few`` of them."""
        shown = values[np.isfinite(values) & (values > 0)]
        low, high = np.log10([shown.min(), shown.max()]) if len(shown) else (0.0, 1.0)
        if 0 < high - low < PART_OF_DECADE:
            return {value: self.text(value) for value in _round_numbers(10**low, 10**high)}
        decades = range(math.floor(low), math.ceil(high) + 1)
        step = math.ceil(len(decades) / MANY_DECADES)
        digits = (1, 2, 5) if high - low < few else (1,)
        return {
            value: self.text(value) for power in decades[::step] for digit in digits for value in [digit * 10.0**power]
        }

    def text(self, value: float) -> str:
        """A number at the axis, with as many digits as it deserves."""
        less = "≤ " * (self.floor is not None and value <= 1.001 * self.floor)
        digits = f"{100 * value if self.is_share else value:.12f}".rstrip("0").rstrip(".")
        return f"{less}{digits} %" if self.is_share else less + digits


@dataclass(frozen=True)
class Series:
    """Points or a line of one contender.

    Attributes
    ----------
    label : str
        Short; at the end of its line, and the same for all series of a contender.
    style : Style
    x, y : ndarray
    form : str
        Steps stay at a value until the next.
    name : str
        In the legend; empty: it is not named there.
    width : float
        Of its line, pixels.
    band : tuple of ndarray or None
        The lower and the upper edge of an area about the line.
    faint : ndarray of bool or None
        Which points are faint.
    about : sequence of tuple
        Of every point: the key of its run, the instance's title, and M.
    """

    label: str
    style: Style
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    form: Literal["points", "line", "steps"] = "line"
    name: str = ""
    width: float = 1.5
    band: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    faint: NDArray[np.bool_] | None = None
    about: Sequence[tuple[str, str, int]] = ()


@dataclass(frozen=True)
class Panel:
    """One of the small multiples of a picture, or all of it.

    Attributes
    ----------
    series : sequence of Series
    title : str
    has_diagonal : bool
        Whether a line shows where both axes are equal.
    limit : float or None
        Of both axes: a line shows it.
    """

    series: Sequence[Series]
    title: str = ""
    has_diagonal: bool = False
    limit: float | None = None

    @property
    def lines(self) -> list[str]:
        """The title in lines that fit above the panel; its M stays whole."""
        return textwrap.wrap(self.title.replace("· M ", "·\N{NO-BREAK SPACE}M\N{NO-BREAK SPACE}"), LETTERS_OF_TITLE)


@dataclass(frozen=True)
class Picture:
    """A picture.

    Attributes
    ----------
    title : str
    x, y : Axis
    panels : sequence of Panel
    caption : str
        What it shows, in a sentence or two.
    point : str
        What the cursor says of a point, in Plotly's form.
    has_labels : bool
        Whether lines are labelled at their ends.
    """

    title: str
    x: Axis
    y: Axis
    panels: Sequence[Panel]
    caption: str = ""
    point: str = ""
    has_labels: bool = False

    @property
    def series(self) -> Iterator[Series]:
        """Those of all panels."""
        return (series for panel in self.panels for series in panel.series)

    def numbers(self, axis: Literal["x", "y"]) -> dict[float, str]:
        """The numbers at one of its axes, if that is logarithmic; small multiples have room for fewer."""
        few = FEW_DECADES if len(self.panels) <= 1 else FEW_IN_SMALL
        drawn: Axis = getattr(self, axis)
        return drawn.numbers(self.values(axis), few)

    def values(self, axis: Literal["x", "y"]) -> NDArray[np.float64]:
        """All values on an axis that are drawn; where there is a diagonal, both axes have the same."""
        has_diagonal = any(panel.has_diagonal for panel in self.panels)
        found = [getattr(series, name) for series in self.series for name in ("x", "y") if has_diagonal or name == axis]
        found += [np.array([panel.limit]) for panel in self.panels if panel.limit is not None]
        if axis == "y":
            found += [edge for series in self.series if series.band for edge in series.band]
        together = np.concatenate(found) if found else np.empty(0)
        return together[np.isfinite(together)]


def _round_numbers(low: float, high: float) -> list[float]:
    """Numbers at equal distances, a few of them between two values, and one on either side."""
    least = (high - low) / MOST_STEPS
    power = 10.0 ** math.floor(math.log10(least))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least)
    numbers = [count * step for count in range(math.floor(low / step), math.ceil(high / step) + 1)]
    return [number for number in numbers if number > 0]


def apart(positions: ArrayLike, least: float) -> NDArray[np.float64]:
    """Positions moved apart, from the middle one on, until they are at least this far from each other."""
    ends = np.array(positions, float)
    order = np.argsort(ends, kind="stable")
    middle = len(ends) // 2
    for low, high in zip(order[middle:], order[middle + 1 :], strict=False):
        ends[high] = max(ends[high], ends[low] + least)
    for high, low in zip(order[middle::-1], order[:middle][::-1], strict=False):
        ends[low] = min(ends[low], ends[high] - least)
    return ends
