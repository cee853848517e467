"""Runs side by side: the data of Compare's chart.

The chart is a component that draws SVG itself: it keeps its DOM between reruns, so that nothing flickers during a
race, and manages its zoom and hidden runs; its axes are in the address, too. All else here are pure functions.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict, cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import bender_core as bc
from bender_core.engine.gap import gap_between
from bender_core.experiments.contenders import Contender, names
from bender_core.experiments.methods import METHODS, Method
from bender_core.experiments.outcome import GAP_CLOSED, NOT_COUNTED, SECONDS_REACHED, SWEEPS_REACHED, building_of
from bender_core.visualization.styles import LINE_WIDTHS, OF_METHODS, STYLES
from pages._shared.app.fields import AGAINST, DRAWN, SCALE
from pages._shared.app.frontend import Component
from pages._shared.app.protocol import Bounds, Colour, Count, Energy, Excess
from pages._shared.app.requests import WHOLE_PAGE
from pages._shared.app.text import label
from pages._shared.running.kept import Kept

# Keeps an answer below 60 kB: a point takes about 60 bytes.
POINTS_IN_ALL, POINTS_EACH = 800, 120

_component = Component("curves", ("menu.css",))


class Drawn(TypedDict):
    """A run as the chart draws it. Records are in the order of time, entry k of every column belongs to one record."""

    key: str  # does not change while the run continues
    label: str  # its short name, unlike that of the others
    kind: str  # its variant, or its method, as its label begins
    meaning: str  # its meaning
    name: str  # all that it is
    colour: Colour
    symbol: Annotated[str, Bounds(pattern="circle|x|square|diamond")]
    dash: Annotated[str, Bounds(pattern="solid|dot|dash")]
    width: Annotated[float, Bounds(least=1)]  # of its line, pixels
    faded: bool  # whether it is shown for comparison only
    exact: bool  # whether it has no rows
    step: Annotated[str, Bounds(pattern="sweep|round|report")]  # what is counted as its sweeps
    sweeps: list[Count]  # complete
    rows: list[Count]  # in use
    work: list[Count] | None  # table entries read; none: nobody counts them
    seconds: list[Annotated[float, Bounds(least=0)]]  # the run's own computing
    lower: list[Energy | None]  # none: no bound is known yet
    upper: list[Energy | None]  # none: no labelling is known yet


class Axes(TypedDict):
    """What the chart draws bounds against, and how; the values of fields of the address."""

    x: Annotated[str, Bounds(pattern=AGAINST.kind.pattern)]
    scale: Annotated[str, Bounds(pattern=SCALE.kind.pattern)]
    y: Annotated[str, Bounds(pattern=DRAWN.kind.pattern)]


class Chart(TypedDict):
    """All that the chart of Compare draws."""

    model: str  # its name
    scale: Excess  # the energy at stake, to which gaps are compared
    runs: list[Drawn]
    axes: Axes
    chosen: list[str]  # keys of runs that stand out


@dataclass(frozen=True, eq=False)
class Curve:
    """A run as shown in chart and table.

    Attributes
    ----------
    key : str
        Does not change while the run continues.
    variant, max_size, strategy, schedule
        Its settings; of a method as in a `Task`.
    status : str
    records : array of `outcome.CURVE`
        Its progress, in the order of time.
    memory : int or None
        Predicted, in bytes; None if unknown.
    scale : float
        The energy at stake in its model (`forms.scale.energy_scale`).
    note : str
        A remark next to its name: pinned, or of an earlier session.
    faded : bool
        Whether it is shown for comparison only.
    """

    key: str
    variant: int
    max_size: int
    strategy: str
    schedule: str
    status: str
    records: NDArray[np.void]
    memory: int | None
    scale: float
    note: str = ""
    faded: bool = False

    @property
    def method(self) -> Method | None:
        """The method that is run; None for message passing on groups."""
        return METHODS.get(self.strategy)

    @property
    def is_on_groups(self) -> bool:
        """Whether it is one run of message passing on groups, which can be stepped through on Watch."""
        return self.method is None or bool(self.method.schedule)

    @property
    def kind(self) -> str:
        """The number of its variant, or the name of its method."""
        return str(self.variant) if self.method is None else self.method.name

    @property
    def step(self) -> str:
        """What is counted as its sweeps."""
        return "sweep" if self.method is None else self.method.step

    @property
    def kind_name(self) -> str:
        """The meaning of its kind."""
        return bc.VARIANTS[self.variant].name if self.method is None else self.method.meaning

    @property
    def lower_bound(self) -> float:
        return float(self.records["lower_bound"][-1]) if len(self.records) else -np.inf

    @property
    def upper_bound(self) -> float:
        return float(self.records["upper_bound"][-1]) if len(self.records) else np.inf

    @property
    def building(self) -> float | None:
        """The seconds in which its groups were chosen, or an external solver built its form of the model; else None."""
        return building_of(self.records) or None

    @property
    def is_counted(self) -> bool:
        """Whether its work is counted: not that of an external solver, nor in runs kept by earlier versions."""
        return bool((self.records["work"] != NOT_COUNTED).all())

    @property
    def gap(self) -> float:
        return gap_between(self.lower_bound, self.upper_bound, self.scale)

    @property
    def ending(self) -> str:
        """Its status in the table: a run that ended just before it noticed has closed its gap, too."""
        is_unnoticed = self.status in ("no progress", SECONDS_REACHED, SWEEPS_REACHED) and self.gap == 0
        return GAP_CLOSED if is_unnoticed else self.status

    def last(self, column: str) -> float:
        return self.records[column][-1].item() if len(self.records) else 0


# -- names ----------------------------------------------------------------------------------------------------


def labels(curves: Sequence[Curve]) -> list[str]:
    """A short name for every run, unlike those of the others, with its remark."""
    short = names([_contender(curve) for curve in curves])
    return [" · ".join([name, curve.note] if curve.note else [name]) for name, curve in zip(short, curves, strict=True)]


def _contender(curve: Curve) -> Contender:
    if curve.method is not None:
        return Contender(curve.kind, curve.max_size)
    return Contender(curve.kind, curve.max_size, _strategy(curve.strategy), curve.schedule)


def full_name(curve: Curve) -> str:
    """All settings of a run."""
    if curve.method is not None:
        return f"{curve.method.label}: {curve.kind_name}" + f" · M up to {curve.max_size}" * curve.method.has_groups
    settings = f"M {curve.max_size} · {_strategy(curve.strategy)} · {curve.schedule}"
    return f"variant {curve.variant}: {curve.kind_name} · {settings}"


def _strategy(name: str) -> str:
    return "by hand" if name == "manual" else name


def as_csv(curves: Sequence[Curve]) -> str:
    """All records of the runs as comma-separated text with a header; what is not known or not counted is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["run", "seconds", "work", "sweeps", "lower", "upper"])
    for curve, name in zip(curves, labels(curves), strict=True):
        for seconds, sweep, lower, upper, _, work in curve.records.tolist():
            bounds = [value if np.isfinite(value) else None for value in (lower, upper)]
            counted = [None if work == NOT_COUNTED else work, None if curve.step == "report" else sweep]
            writer.writerow([name, f"{seconds:.9g}", *counted, *bounds])
    return out.getvalue()


# -- the chart ------------------------------------------------------------------------------------------------


# The axes of a chart for which nobody has chosen any; and those of the session.
USUAL_AXES: Axes = {"x": AGAINST.usual, "scale": SCALE.usual, "y": DRAWN.usual}
AXES = Kept[Axes]("race_axes")


def chart(model: str, curves: Sequence[Curve], chosen: Sequence[Curve]) -> None:
    """Mount the chart, in which some runs may stand out.

    Other axes than before are written into the address, by a run of the whole page.
    """
    if WHOLE_PAGE.take():
        st.rerun()
    _component.mount(view(model, curves, AXES.get() or USUAL_AXES, chosen), on_axes_change=_on_axes)


def _on_axes() -> None:
    axes = st.session_state.get("curves", {}).get("axes")
    if axes:
        AXES.set(cast(Axes, dict(axes)))
        WHOLE_PAGE.set(True)


def view(model: str, curves: Sequence[Curve], axes: Axes = USUAL_AXES, chosen: Sequence[Curve] = ()) -> Chart:
    """The data of the component."""
    most = min(POINTS_EACH, POINTS_IN_ALL // max(len(curves), 1))
    return {
        "model": label(model),
        "axes": axes,
        "chosen": [curve.key for curve in chosen],
        "scale": max((curve.scale for curve in curves), default=0.0),
        "runs": [
            _run(curve, name, width, most)
            for curve, name, width in zip(curves, labels(curves), _widths(curves), strict=True)
        ],
    }


def _widths(curves: Sequence[Curve]) -> list[float]:
    """The widths of lines: those of runs on another partition, or of a method with another M, have another one."""
    on_groups = dict.fromkeys((curve.max_size, curve.strategy, curve.schedule) for curve in curves if not curve.method)
    sizes = dict.fromkeys(curve.max_size for curve in curves if curve.method and curve.method.has_groups)
    number = {cut: k for kinds in (on_groups, sizes) for k, cut in enumerate(kinds)}
    cuts = [curve.max_size if curve.method else (curve.max_size, curve.strategy, curve.schedule) for curve in curves]
    return [LINE_WIDTHS[number.get(cut, 0) % len(LINE_WIDTHS)] for cut in cuts]


def _run(curve: Curve, name: str, width: float, most: int) -> Drawn:
    """A run for the component."""
    known = curve.records[np.isfinite(curve.records["lower_bound"]) | np.isfinite(curve.records["upper_bound"])]
    records = known[picked(known["sweep"], most)]
    style = OF_METHODS[curve.kind] if curve.method else STYLES[curve.variant]
    return {
        "key": curve.key,
        "label": name,
        "kind": curve.method.label if curve.method else curve.kind,
        "meaning": curve.kind_name,
        "name": full_name(curve),
        "colour": style.colour,
        "symbol": style.symbol.partition("-")[0],
        "dash": style.dash,
        "width": width,
        "faded": curve.faded,
        "exact": curve.method is not None or bc.VARIANTS[curve.variant].exact,
        "step": curve.step,
        "sweeps": records["sweep"].tolist(),
        "rows": records["rows"].tolist(),
        "work": records["work"].tolist() if curve.is_counted else None,
        "seconds": [float(f"{value:.4g}") for value in records["seconds"]],
        # As many digits as distinguish a closed gap from an open one.
        "lower": [_energy(value) for value in records["lower_bound"].tolist()],
        "upper": [_energy(value) for value in records["upper_bound"].tolist()],
    }


def _energy(value: float) -> float | None:
    return float(f"{value:.11g}") if np.isfinite(value) else None


def picked(sweeps: NDArray[np.integer[Any]], most: int) -> NDArray[np.intp]:
    """Which records to draw: ends of sweeps before others, more of the early ones, the first and the last."""
    count = len(sweeps)
    if count <= most:
        return np.arange(count)
    is_end = np.concatenate([[True], np.diff(sweeps) > 0])
    ends, within = np.flatnonzero(is_end), np.flatnonzero(~is_end)
    chosen = ends[_spread(len(ends), most - 1)]
    chosen = np.concatenate([chosen, within[_spread(len(within), most - 1 - len(chosen))], [count - 1]])
    return np.unique(chosen)


def _spread(count: int, most: int) -> NDArray[np.intp]:
    """At most ``count`` of consecutive indices, half of them evenly spaced, half of them by powers."""
    if count <= most:
        return np.arange(count)
    if most <= 0:
        return np.arange(0)
    half = max(most // 2, 1)
    evenly = np.linspace(0, count - 1, most - half)
    return np.unique(np.concatenate([evenly, np.geomspace(1, count, half) - 1]).astype(np.intp))
