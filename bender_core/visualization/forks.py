"""The bounds of runs that forked from one another, on one axis."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Literal

import numpy as np
import plotly.graph_objects as go

from bender_core import looking
from bender_core.engine.engine import Engine
from bender_core.kernels.layout import Kind
from bender_core.looking.history import History
from bender_core.model import FloatArray, IntArray
from bender_core.stopping import Stop, never
from bender_core.visualization.figures import figure, plain
from bender_core.visualization.styles import GROUP_COLOURS

Axis = Literal["events", "sweeps", "work", "seconds"]
TITLES: dict[Axis, str] = {
    "events": "events",
    "sweeps": "sweeps",
    "work": "table entries read",
    "seconds": "seconds at full speed",
}
Measure = Literal["tension", "mean", "largest"]
MEASURES: dict[Measure, str] = {
    "tension": "tension of the edge",
    "mean": "mean slack of the message",
    "largest": "largest slack of the message",
}
# Points of a curve, besides the ends of its sweeps.
POINTS = 500


@dataclass(frozen=True, eq=False)
class Curve:
    """The bounds of a run, as far as computed: at its beginning, at the end of every sweep, and at some other events.

    Attributes
    ----------
    events, sweeps : ndarray, shape (points,)
        The number of events; the number of complete sweeps, with the share of the updates of the next one.
    lower, upper : ndarray, shape (points,)
        Energies.
    ended : bool
        Whether the run has ended there.
    work, seconds : ndarray, shape (points,), or None
        Table entries read and seconds of the clock by then, once they have been measured.
    """

    events: IntArray
    sweeps: FloatArray
    lower: FloatArray
    upper: FloatArray
    ended: bool
    work: FloatArray | None = None
    seconds: FloatArray | None = None

    def has(self, axis: Axis) -> bool:
        """Whether it has values on an axis."""
        return getattr(self, axis) is not None

    def at(self, axis: Axis, event: int) -> float:
        """Where on an axis an event is."""
        return float(np.interp(event, self.events, getattr(self, axis)))

    def after(self, sweeps: int) -> float | None:
        """The lower bound once a number of sweeps is complete, or the run has ended; None if it is not known so far."""
        reached = int(np.searchsorted(self.sweeps, sweeps))
        if reached < len(self.lower):
            return float(self.lower[reached])
        return float(self.lower[-1]) if self.ended else None


def curve_of(engine: Engine, opening: tuple[float, float]) -> Curve:
    """The bounds of a run, as far as computed.

    Parameters
    ----------
    engine : Engine
    opening : pair of float
        The bounds at its beginning.

    Returns
    -------
    Curve
    """
    trace = engine.trace
    kinds = trace.column("kind")
    complete = np.concatenate([[0], np.cumsum(kinds == Kind.SWEEP)])
    updates = np.concatenate([[0], np.cumsum(kinds == Kind.MESSAGE)])
    within = updates - updates[np.searchsorted(complete, complete)]
    # A sweep has its updates and its end.
    sweeps = complete + within / (looking.whereabouts(engine).updates + 1)
    some = np.linspace(0, len(trace), min(len(trace) + 1, POINTS)).astype(np.int64)
    events = np.union1d(some, np.flatnonzero(kinds == Kind.SWEEP) + 1)
    lower, upper = (
        np.concatenate([[first], trace.column(name)])[events]
        for first, name in zip(opening, ("lower_bound", "upper_bound"), strict=True)
    )
    ended = len(kinds) > 0 and bool(kinds[-1] == Kind.FINISHED)
    return Curve(events, sweeps[events], lower, upper, ended)


def clocked(engine: Engine, curve: Curve, stop: Stop = never) -> Curve:
    """A curve with work and seconds, measured by repeating the run at full speed; the engine is moved.

    Parameters
    ----------
    engine : Engine
    curve : Curve
        Of the engine.
    stop : Stop

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    engine.seek(0)
    work, seconds = np.zeros(len(curve.events)), np.zeros(len(curve.events))
    for k, event in enumerate(curve.events[1:].tolist(), start=1):
        begin = time.perf_counter()
        engine.run(max_events=event, on_progress=lambda _: stop())
        stop.check()
        seconds[k] = seconds[k - 1] + time.perf_counter() - begin
        work[k] = work[k - 1] + engine.entries_read
    return replace(curve, work=work, seconds=seconds)


@dataclass(frozen=True, eq=False)
class Drawn:
    """A curve in a figure.

    Attributes
    ----------
    name : str
    curve : Curve
    begins : float
        Where on the axis it begins.
    """

    name: str
    curve: Curve
    begins: float


def plot_forks(curves: Iterable[Drawn], axis: Axis) -> go.Figure:
    """The lower bounds of runs, and dotted the upper ones, each from where it forked.

    Parameters
    ----------
    curves : iterable of Drawn
        The first run comes first. Energies below those at which others forked are reached by scrolling.
    axis : {"events", "sweeps", "work", "seconds"}
    """
    lines, known = [], list(curves)
    for drawn, colour in zip(known, cycle(GROUP_COLOURS), strict=False):
        x = drawn.begins + getattr(drawn.curve, axis)
        for what, y, dash in (("LB", drawn.curve.lower, "solid"), ("UB", drawn.curve.upper, "dot")):
            lines.append(
                {
                    "type": "scatter",
                    "mode": "lines+markers" if len(x) == 1 else "lines",
                    "x": x,
                    "y": y,
                    "name": plain(drawn.name),
                    "legendgroup": drawn.name,
                    "showlegend": what == "LB",
                    "line": {"color": colour, "dash": dash, "width": 2, "shape": "hv"},
                    "hovertemplate": f"{plain(drawn.name)}, {what} %{{y}}<extra></extra>",
                }
            )
    drawing = figure(lines)
    drawing.update_xaxes(title=TITLES[axis])
    drawing.update_yaxes(title="energy", range=_energies([drawn.curve for drawn in known]))
    return drawing


def plot_message(known: Iterable[tuple[Drawn, History]], axis: Axis, measure: Measure) -> go.Figure:
    """One message in several runs, each from where it forked.

    Parameters
    ----------
    known : iterable of (Drawn, History)
        The first run comes first.
    axis : {"events", "sweeps", "work", "seconds"}
    measure : {"tension", "mean", "largest"}
    """
    lines = []
    for (drawn, past), colour in zip(known, cycle(GROUP_COLOURS), strict=False):
        x = drawn.begins + np.array([drawn.curve.at(axis, event) for event in past.event.tolist()])
        line = {"color": colour, "dash": "dot", "width": 1}
        lines.append(
            # Values between two markers have not been computed.
            {"type": "scatter", "mode": "lines+markers", "x": x, "y": getattr(past, measure), "line": line}
            | {"name": plain(drawn.name), "marker": {"size": 6}, "customdata": past.event}
            | {"hovertemplate": f"{plain(drawn.name)}, event %{{customdata}}: %{{y:.5g}}<extra></extra>"}
        )
    drawing = figure(lines)
    drawing.update_xaxes(title=TITLES[axis])
    drawing.update_yaxes(title=f"{MEASURES[measure]} (energy)", rangemode="tozero")
    return drawing


def _energies(curves: list[Curve]) -> list[float] | None:
    """The visible energies: from the forks of runs up to the upper bounds there."""
    forks = curves[1:]
    if not forks:
        return None
    low = min(float(curve.lower[0]) for curve in forks)
    high = max(float(curve.upper[0]) for curve in forks)
    margin = 0.06 * (high - low)
    return [low - margin, high + margin] if margin > 0 else None
