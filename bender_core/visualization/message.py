"""Figures of one message: the true min-marginal, its envelope, its rows, and the slack.

As in `figures`, each has two parts: the data (arrays, tested without a figure) and the drawing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import RowKind
from bender_core.model import FloatArray, IntArray
from bender_core.run.engine import Engine
from bender_core.run.inspection import CLOSE
from bender_core.run.rows import Row, row_value, row_values
from bender_core.run.what_if import Cut
from bender_core.stopping import Stop, never
from bender_core.visualization.figures import figure, plain
from bender_core.visualization.styles import COLOURS, CUTS, SLACK_AREA, tinted

ORDERS = {"nu": "true value ν", "cost": "reduced cost φ + Σ ν⁻", "code": "code of the state"}
# More states than MOST are not drawn one by one: the best DRAWN are, the rest in bands.
MOST, DRAWN, BANDS = 2000, 1000, 120
# Half the width of the square that marks a tight state, as a share of the figure's width.
TIGHT_REACH = 0.006

# Widths of rows of one kind on top of a message.
WIDTHS = (2.0, 3.5, 5.0)


class Bands(NamedTuple):
    """Many states in a few bands, in their order: the least, the median and the largest value of each."""

    nu: FloatArray  # (3, bands)
    envelope: FloatArray  # (3, bands)
    each: float  # states per band


class Message(NamedTuple):
    """A message over the states of its receiver."""

    nu: FloatArray  # (2^|Y_p|,) the true min-marginal, by code
    envelope: FloatArray  # (2^|Y_p|,)
    shown: IntArray  # the states drawn one by one, in order
    bands: Bands | None  # the others
    cost: FloatArray  # (2^|Y_p|,) phi + sum of nu^-, by code
    minimiser: int  # y* of the receiver's last event; before its first update the cheapest state
    tight: NDArray[np.bool_]  # (2^|Y_p|,)

    @property
    def slack(self) -> FloatArray:
        """The true min-marginal minus the envelope, by code; energy."""
        return np.maximum(self.nu - self.envelope, 0.0)


def message(engine: Engine, p: int, q: int, order: str = "nu", stop: Stop = never) -> Message:
    """The message from q into p at the position of a run.

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.
    order : str
        One of `ORDERS`.
    stop : Stop
        Checked about every 10 ms.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    nu, cost = engine.min_marginal(p, q, stop=stop), engine.reduced_cost(p, stop)
    envelope = nu if engine.variant.exact else engine.envelope(p, q, stop)
    key = {"nu": nu, "cost": cost, "code": np.arange(len(nu))}[order]
    ranked = np.argsort(key, kind="stable")
    drawn = np.ones(len(nu), bool)
    if len(nu) > MOST:
        drawn[np.argsort(cost, kind="stable")[DRAWN:]] = False
    rest = ranked[~drawn[ranked]]
    return Message(
        nu=nu,
        envelope=envelope,
        shown=ranked[drawn[ranked]],
        bands=_bands(nu[rest], envelope[rest]) if len(rest) else None,
        cost=cost,
        minimiser=_state_asked(engine, p, int(cost.argmin())),
        tight=engine.is_tight(engine.graph.arc(p, q), nu, envelope),
    )


def _state_asked(engine: Engine, p: int, cheapest: int) -> int:
    trace = engine.trace.until(engine.position)
    own = np.flatnonzero(trace.column("node") == p)
    return trace[int(own[-1])].state if len(own) else cheapest


def _bands(nu: FloatArray, envelope: FloatArray) -> Bands:
    parts = np.array_split(np.arange(len(nu)), BANDS)

    def summary(values: FloatArray) -> FloatArray:
        return np.array([[f(values[part]) for part in parts] for f in (np.min, np.median, np.max)])

    return Bands(summary(nu), summary(envelope), len(nu) / BANDS)


def plot_message(shown: Message, names: list[str], order: str, rows: list[Row]) -> go.Figure:
    """The true min-marginal, the envelope and the slack between them, with rows on top.

    Parameters
    ----------
    shown : Message
    names : list of str
        The names of the states drawn.
    order : str
        The order of the states, one of `ORDERS`.
    rows : list of Row
        Rows of the message to draw.
    """
    x = np.arange(len(shown.shown))
    nu, envelope = shown.nu[shown.shown], shown.envelope[shown.shown]
    said = [
        plain(name) + " · tight" * tight for name, tight in zip(names, shown.tight[shown.shown].tolist(), strict=True)
    ]
    each = {"type": "scatter", "mode": "lines", "x": x, "text": said}
    traces: list[dict[str, Any]] = [
        each
        | {"y": envelope, "name": "ν⁻ envelope", "line": {"color": COLOURS["envelope"], "dash": "dash", "width": 2}}
        | {"hovertemplate": "%{text}<br>ν⁻ %{y:.5g}<extra></extra>"},
        each
        | {"y": nu, "name": "ν true", "line": {"color": COLOURS["nu"], "width": 2}}
        # Only markers can be clicked. These are invisible, so Plotly need not draw them.
        | {"mode": "lines+markers", "marker": {"opacity": 0, "maxdisplayed": 1}}
        | {"fill": "tonexty", "fillcolor": SLACK_AREA}
        | {"hovertemplate": "%{text}<br>ν %{y:.5g}<extra></extra>"},
    ]
    tight = np.flatnonzero(shown.tight[shown.shown])
    # Squares are short strokes of one path: as markers they would take longer to draw than everything else.
    strokes = tight[:, None] + TIGHT_REACH * len(x) * np.array([-1, 1, np.nan])
    traces.append(
        {
            "type": "scatter",
            "mode": "lines",
            "x": strokes.ravel(),
            "y": np.repeat(nu[tight], 3),
            "name": f"tight ({int(shown.tight.sum())} of {len(shown.nu)})",
            "line": {"color": COLOURS["envelope"], "width": 7},
            "hoverinfo": "skip",
        }
    )
    traces += [each | {"y": row_values(row)[shown.shown], "hoverinfo": "skip"} | look for row, look in _looks(rows)]
    if shown.bands is not None:
        traces += _band_traces(shown.bands, len(x))
    drawing = _over_states(traces, shown, order, shown.minimiser)
    place = np.flatnonzero(shown.shown == shown.minimiser)
    if len(place):
        drawing.add_annotation(
            x=int(place[0]),
            y=0,
            yref="paper",
            yanchor="bottom",
            text=f"y* {plain(names[int(place[0])])}",
            showarrow=False,
            xanchor="left" if 2 * place[0] < len(x) else "right",
        )
    if shown.bands is not None:
        rest = f"; then {BANDS} bands of {shown.bands.each:.0f} states: least, median, largest"
        drawing.update_xaxes(title=f"states by {ORDERS[order]}{rest}")
        low, high = drawing.layout.yaxis.range
        median = shown.bands.nu[1]
        drawing.update_yaxes(range=[min(low, float(median.min())), max(high, float(median.max()))])
    return drawing


def _looks(rows: list[Row]) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Name and line of each row; rows of one kind differ in width."""
    before: Counter[RowKind] = Counter()
    for row in rows:
        cut, width = CUTS[row.kind], WIDTHS[before[row.kind] % len(WIDTHS)]
        before[row.kind] += 1
        line = {"color": cut.colour, "dash": cut.dash, "width": width}
        yield row, {"name": f"row {row.index}, {cut.name}", "line": line}


def _over_states(traces: list[dict[str, Any]], shown: Message, order: str, state: int) -> go.Figure:
    """Energies over the states of a message, with a line at one of them."""
    drawing = figure(traces)
    place = np.flatnonzero(shown.shown == state)
    if len(place):
        drawing.add_vline(x=int(place[0]), line={"dash": "dot", "width": 1.5, "color": COLOURS["nu"]})
    # Fixed margins: to measure them Plotly draws the axes twice, which takes a quarter of the time.
    drawing.update_layout(margin={"l": 74, "b": 56})
    drawing.update_xaxes(title={"text": f"states by {ORDERS[order]}", "standoff": 16}, automargin=False)
    window = _window(shown.nu[shown.shown], shown.envelope[shown.shown])
    drawing.update_yaxes(title="energy", range=window, automargin=False)
    return drawing


def _window(nu: FloatArray, envelope: FloatArray) -> list[float]:
    """The visible range of energies: all of the min-marginal, and the envelope except for a few deep minima."""
    low, high = float(np.quantile(envelope, 0.02)), float(nu.max())
    margin = 0.06 * (high - low) + 1e-12
    return [low - margin, high + margin]


def _band_traces(bands: Bands, begin: int) -> list[dict[str, Any]]:
    x = begin + np.arange(bands.nu.shape[1]) * max(begin / (2 * BANDS), 1.0)
    traces: list[dict[str, Any]] = []
    for name, (least, median, largest), colour in (
        ("ν⁻ envelope", bands.envelope, COLOURS["envelope"]),
        ("ν true", bands.nu, COLOURS["nu"]),
    ):
        line = {"type": "scatter", "mode": "lines", "x": x, "showlegend": False, "hoverinfo": "skip"}
        traces += [
            line | {"y": least, "line": {"width": 0}},
            line | {"y": largest, "line": {"width": 0}, "fill": "tonexty", "fillcolor": tinted(colour, 0.2)},
            line | {"y": median, "name": name, "line": {"color": colour, "width": 1.5, "dash": "dot"}},
        ]
    return traces


def plot_slack_histogram(shown: Message) -> go.Figure:
    """Histogram of the states' slack."""
    slack = shown.slack
    edges = np.histogram_bin_edges(slack[~shown.tight], bins=24) if not shown.tight.all() else np.array([0.0, 1.0])
    counts = np.histogram(slack[~shown.tight], edges)[0]
    bars = [
        {"type": "bar", "x": [0.0], "y": [int(shown.tight.sum())], "width": (edges[1] - edges[0]), "name": "tight"}
        | {"marker": {"color": COLOURS["envelope"]}, "hovertemplate": "%{y} states are tight<extra></extra>"},
        {
            "type": "bar",
            "x": (edges[:-1] + edges[1:]) / 2,
            "y": counts,
            "name": "loose",
            "marker": {"color": COLOURS["slack"]},
        }
        | {"width": edges[1] - edges[0], "hovertemplate": "%{y} states, slack about %{x:.4g}<extra></extra>"},
    ]
    drawing = figure(bars)
    drawing.update_layout(bargap=0, barmode="overlay")
    drawing.update_xaxes(title="slack ν − ν⁻ (energy)")
    drawing.update_yaxes(title="states")
    return drawing


class RowUse(NamedTuple):
    """The use of a row at the position of the run."""

    row: Row
    maximal: float  # share of the states at which it is the envelope
    tight: bool  # whether it still equals the min-marginal at the state and in the direction it was made for


def row_uses(engine: Engine, p: int, q: int, shown: Message, stop: Stop = never) -> list[RowUse]:
    """Every row of a message with its use there, oldest first.

    Raises
    ------
    Stopped
        If ``stop``, checked about every 10 ms, says so.
    """
    near = CLOSE * (np.abs(shown.envelope) + 1.0)
    rows = engine.rows(p, q)
    # A row serves both directions, but was made tight in only one.
    truth, as_made = {p: shown.nu}, {row.index: row for row in rows if row.made_for == p}
    if len(as_made) < len(rows):
        truth[q] = engine.min_marginal(q, p, stop=stop)
        as_made |= {row.index: row for row in engine.rows(q, p) if row.made_for == q}
    found = []
    for row in rows:
        values, made = row_values(row), as_made[row.index]
        arc = engine.graph.arc(made.made_for, q if made.made_for == p else p)
        at = np.array([row_value(made, made.anchor)])
        tight = engine.is_tight(arc, truth[made.made_for][[made.anchor]], at)[0]
        found.append(RowUse(row, float((values >= shown.envelope - near).mean()), bool(tight)))
    return found


class Couplings(NamedTuple):
    """The couplings of a hyper-edge between the members of two groups."""

    weight: FloatArray  # (members of p, members of q) |theta|, 0 where there is none
    entry: NDArray[np.str_]  # the values (x_i x_j) of its entry


def couplings(graph: HyperGraph, p: int, q: int) -> Couplings:
    """The couplings between the members of p and q: the entry and the weight of each pair."""
    problem, arc = graph.problem, graph.arc(p, q)
    edge, side = divmod(arc, 2)
    mine = slice(int(problem.couplings.first[edge]), int(problem.couplings.first[edge + 1]))
    bit, entry = problem.couplings.bit[mine], problem.couplings.entry[mine]
    i = graph.active_members(arc)[bit[:, side]]
    j = graph.active_members(arc ^ 1)[bit[:, 1 - side]]
    shape = (int(problem.size[p]), int(problem.size[q]))
    weight, pays = np.zeros(shape), np.full(shape, "", "<U2")
    np.add.at(weight, (i, j), problem.couplings.weight[mine])
    pays[i, j] = [f"{a}{b}" for a, b in zip(entry[:, side], entry[:, 1 - side], strict=True)]
    return Couplings(weight, pays)


def plot_couplings_between(found: Couplings, receiving: list[str], sending: list[str]) -> go.Figure:
    """A heat map of the couplings of an edge, labelled with their entries."""
    tile = {
        "type": "heatmap",
        "z": -found.weight,
        "x": [plain(name) for name in sending],
        "y": [plain(name) for name in receiving],
        "text": found.entry,
        "colorscale": "Cividis",
        "colorbar": {"title": {"text": "θ"}},
        "hovertemplate": "%{y}, %{x}: θ = %{z:.4g} if they take %{text}<extra></extra>",
    }
    if found.weight.size <= 144:
        tile["texttemplate"] = "%{text}"
    drawing = figure([tile])
    drawing.update_yaxes(autorange="reversed", title="receiver's member", type="category")
    drawing.update_xaxes(title="sender's member", type="category")
    return drawing


def plot_terms(terms: FloatArray, names: list[str], symbol: str) -> go.Figure:
    """The charges of a row for each value of each member of one group."""
    bars = [
        {
            "type": "bar",
            "x": [plain(name) for name in names],
            "y": terms[:, value],
            "name": f"x = {value}",
            "marker": {"color": (COLOURS["nu"], COLOURS["slack"])[value], "pattern": {"shape": ("", "/")[value]}},
            "hovertemplate": f"%{{x}} = {value}: {symbol} = %{{y:.5g}}<extra></extra>",
        }
        for value in (0, 1)
    ]
    drawing = figure(bars)
    drawing.update_layout(barmode="group")
    drawing.update_xaxes(type="category")
    drawing.update_yaxes(title=f"{symbol} (energy)")
    return drawing


def plot_what_if(shown: Message, cuts: list[Cut], state: int, order: str) -> go.Figure:
    """The rows that could be made at a state, with the true min-marginal and the envelope."""
    x = np.arange(len(shown.shown))
    line = {"type": "scatter", "mode": "lines", "x": x, "hoverinfo": "skip"}
    nu, envelope = shown.nu[shown.shown], shown.envelope[shown.shown]
    traces: list[dict[str, Any]] = [
        line | {"y": nu, "name": "ν", "line": {"color": COLOURS["nu"], "width": 2}},
        line | {"y": envelope, "name": "ν⁻", "line": {"color": COLOURS["envelope"], "dash": "dash", "width": 2}},
    ]
    for cut in cuts:
        look = CUTS[cut.kind]
        drawn = {"color": look.colour, "dash": look.dash, "width": 2}
        traces.append(line | {"y": cut.values[shown.shown], "name": look.name, "line": drawn})
    return _over_states(traces, shown, order, state)


class SlackHistory(NamedTuple):
    """The slack of one message at some events of a run; energies."""

    event: IntArray
    mean: FloatArray
    largest: FloatArray
    complete: bool  # whether all requested events were evaluated in time


def slack_history(engine: Engine, p: int, q: int, points: int, seconds: float, stop: Stop = never) -> SlackHistory:
    """The slack of a message at ends of sweeps and events between; the run returns to its position.

    Parameters
    ----------
    engine : Engine
    p, q : int
        Receiving and sending group.
    points : int
        The largest number of events, evenly spread over those computed.
    seconds : float
        The time limit.
    stop : Stop
        Checked about every 10 ms.

    Raises
    ------
    Stopped
        If ``stop`` says so; then the run is where it was stopped.
    """
    here, deadline = engine.position, time.perf_counter() + seconds
    found = []
    wanted = np.unique(np.linspace(0, len(engine.trace), points).astype(np.int64)).tolist()
    for position in wanted:
        engine.seek(position, lambda _: stop())
        stop.check()
        slack = np.maximum(engine.min_marginal(p, q, stop=stop) - engine.envelope(p, q, stop), 0.0)
        found.append((position, slack.mean(), slack.max()))
        if time.perf_counter() > deadline:
            break
    engine.seek(here)
    event, mean, largest = zip(*found, strict=True)
    return SlackHistory(np.array(event), np.array(mean), np.array(largest), len(found) == len(wanted))


def plot_slack_history(history: SlackHistory, now: int) -> go.Figure:
    """Mean and largest slack over the events of a run."""
    lines = [
        {"type": "scatter", "mode": "lines+markers", "x": history.event, "y": values, "name": name}
        # What lies between two markers has not been computed.
        | {"line": {"color": colour, "dash": "dot", "width": 1}, "marker": {"size": 7, "symbol": symbol}}
        for values, name, colour, symbol in (
            (history.mean, "mean", COLOURS["slack"], "circle"),
            (history.largest, "largest", COLOURS["nu"], "diamond"),
        )
    ]
    drawing = figure(lines)
    drawing.add_vline(x=now, line={"dash": "dot", "width": 1.5, "color": COLOURS["nu"]})
    drawing.update_xaxes(title="event")
    drawing.update_yaxes(title="slack (energy)", rangemode="tozero")
    return drawing
