"""Runs side by side: the data of Compare's chart, the remarks in its table, and the winner.

The chart is a component that draws SVG itself: it keeps its DOM between reruns, so that nothing flickers during a
race, and manages its axes, zoom and hidden runs. All else here are pure functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

import bender_core as bc
from bender_core.engine.gap import gap_between
from bender_core.experiments.methods import METHODS, Method
from bender_core.experiments.outcome import GAP_CLOSED, building_of
from bender_core.looking.words import number
from bender_core.units import duration
from bender_core.visualization.styles import OF_METHODS, STYLES
from pages._shared.app.frontend import Component
from pages._shared.app.protocol import Bounds, Colour, Count, Energy, Excess
from pages._shared.app.text import label

# Keeps an answer below 60 kB: a point takes about 50 bytes.
POINTS_IN_ALL, POINTS_EACH = 900, 120
# Bounds of two runs this close, relative to their size, are equal.
SAME = 1e-8
WIDTHS = (2.2, 3.4, 1.4, 4.6)

_component = Component("curves")


class Drawn(TypedDict):
    """A run as the chart draws it. Records are in the order of time, entry k of every column belongs to one record."""

    key: str  # does not change while the run continues
    label: str  # its short name, unlike that of the others
    kind: str  # its variant, or its method
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
    seconds: list[Annotated[float, Bounds(least=0)]]  # the run's own computing
    lower: list[Energy | None]  # none: no bound is known yet
    upper: list[Energy | None]  # none: no labelling is known yet


class Chart(TypedDict):
    """All that the chart of Compare draws."""

    model: str  # its name
    scale: Excess  # the energy at stake, to which gaps are compared
    runs: list[Drawn]


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
        """The seconds in which an external solver built its form of the model; None for our own."""
        return building_of(self.records) if self.method is not None and self.method.package else None

    @property
    def gap(self) -> float:
        return gap_between(self.lower_bound, self.upper_bound, self.scale)

    @property
    def ending(self) -> str:
        """Its status in the table: a run without progress has closed its gap if nothing was left to gain."""
        return GAP_CLOSED if self.status == "no progress" and self.gap == 0 else self.status

    def last(self, column: str) -> float:
        return self.records[column][-1].item() if len(self.records) else 0


# -- names ----------------------------------------------------------------------------------------------------


def labels(curves: Sequence[Curve]) -> list[str]:
    """A short name for every run: its variant or method, and the settings that distinguish it from the others."""
    runs = [curve for curve in curves if curve.method is None]
    several = {what: len({getattr(run, what) for run in runs}) > 1 for what in ("strategy", "schedule")}
    sizes = {curve.max_size for curve in curves if curve.max_size}
    return [
        " · ".join(
            [curve.kind]
            + [f"M {curve.max_size}"] * (len(sizes) > 1 and curve.max_size > 0)
            + [_strategy(curve.strategy)] * (several["strategy"] and curve.method is None)
            + [curve.schedule] * (several["schedule"] and curve.method is None)
            + ([curve.note] if curve.note else [])
        )
        for curve in curves
    ]


def full_name(curve: Curve) -> str:
    """All settings of a run."""
    if curve.method is not None:
        return f"{curve.kind}: {curve.kind_name}" + f" · M up to {curve.max_size}" * curve.method.has_groups
    settings = f"M {curve.max_size} · {_strategy(curve.strategy)} · {curve.schedule}"
    return f"variant {curve.variant}: {curve.kind_name} · {settings}"


def _strategy(name: str) -> str:
    return "by hand" if name == "manual" else name


# -- the chart ------------------------------------------------------------------------------------------------


def chart(model: str, curves: Sequence[Curve]) -> None:
    """Mount the chart."""
    _component.mount(view(model, curves))


def view(model: str, curves: Sequence[Curve]) -> Chart:
    """The data of the component."""
    most = min(POINTS_EACH, POINTS_IN_ALL // max(len(curves), 1))
    return {
        "model": label(model),
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
    return [WIDTHS[number.get(cut, 0) % len(WIDTHS)] for cut in cuts]


def _run(curve: Curve, name: str, width: float, most: int) -> Drawn:
    """A run for the component."""
    known = curve.records[np.isfinite(curve.records["lower_bound"]) | np.isfinite(curve.records["upper_bound"])]
    records = known[picked(known["sweep"], most)]
    style = OF_METHODS[curve.kind] if curve.method else STYLES[curve.variant]
    return {
        "key": curve.key,
        "label": name,
        "kind": curve.kind,
        "meaning": curve.kind_name,
        "name": full_name(curve),
        "colour": style.colour,
        "symbol": style.symbol.partition("-")[0],
        "dash": style.dash,
        "width": width,
        "faded": curve.faded,
        "exact": curve.method is not None or bc.VARIANTS[curve.variant].exact,
        "step": curve.method.step if curve.method else "sweep",
        "sweeps": records["sweep"].tolist(),
        "rows": records["rows"].tolist(),
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


# -- the winner -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunComparison:
    """How runs compare.

    Attributes
    ----------
    order : list of int
        The runs, the best first: by lower bound, then by when they reached it.
    lower_bound, upper_bound, gap : float
        The best of all runs, and the gap between them.
    best, labelled : list of bool
        Of every run, whether it has the best lower bound, and the best labelling.
    reached : list of float
        The time at which a run reached the best bound, seconds; infinite if it did not.
    own : list of float
        The time at which a run reached its own bound.
    """

    order: list[int]
    lower_bound: float
    upper_bound: float
    gap: float
    best: list[bool]
    labelled: list[bool]
    reached: list[float]
    own: list[float]


def compared(curves: Sequence[Curve]) -> RunComparison:
    """Compare runs that have begun."""
    lower = max(curve.lower_bound for curve in curves)
    upper = min(curve.upper_bound for curve in curves)
    leeway = SAME * max([abs(bound) for bound in (lower, upper) if math.isfinite(bound)], default=0.0)
    reached = [_when(curve, lower - leeway) for curve in curves]
    return RunComparison(
        order=sorted(range(len(curves)), key=lambda k: (reached[k], -curves[k].lower_bound)),
        lower_bound=lower,
        upper_bound=upper,
        gap=gap_between(lower, upper, curves[0].scale),
        best=[curve.lower_bound >= lower - leeway for curve in curves],
        labelled=[curve.upper_bound <= upper + leeway for curve in curves],
        reached=reached,
        own=[_when(curve, curve.lower_bound - leeway) for curve in curves],
    )


def _when(curve: Curve, bound: float) -> float:
    """The time at which a run reached a bound, seconds; infinite if it did not."""
    there = np.flatnonzero(curve.records["lower_bound"] >= bound)
    return float(curve.records["seconds"][there[0]]) if len(there) else np.inf


def remarks(table: RunComparison) -> list[str]:
    """For every run the respects in which it is best; none that all runs share."""
    texts = []
    for k in range(len(table.order)):
        stars = ["first"] * (k == table.order[0] and sum(table.best) > 1)
        stars += ["bound"] * (table.best[k] and not all(table.best))
        stars += ["labelling"] * (table.labelled[k] and not all(table.labelled))
        texts.append(f"★ {', '.join(stars)}" if stars else "")
    return texts


def verdict(curves: Sequence[Curve], going: bool) -> str:
    """The outcome in a sentence or two: bounds and times, as the best bound alone wins no race."""
    begun = [curve for curve in curves if len(curve.records)]
    if not begun:
        return ""
    table = compared(begun)
    names = dict(zip((curve.key for curve in curves), labels(curves), strict=True))
    if math.isinf(table.lower_bound):
        return f"No run has a lower bound. {_best_labeling(begun, table, names)}"
    text = _of_bounds(begun, table, names, going)
    if math.isinf(table.upper_bound):
        return f"{text} No labelling is known yet."
    if table.gap == 0:
        # That bounds meet within the tolerance of a run proves nothing finer; methods end where they prove it.
        proofs = [k for k, curve in enumerate(begun) if curve.status == GAP_CLOSED and not curve.is_on_groups]
        is_proven = any(table.best[k] and table.labelled[k] for k in proofs)
        return f"{text} The best labelling has this energy: {'it is optimal' if is_proven else 'the gap is closed'}."
    return f"{text} The best labelling has energy {number(table.upper_bound)}; the gap is {100 * table.gap:.3g} %."


def _of_bounds(begun: Sequence[Curve], table: RunComparison, names: Mapping[str, str], going: bool) -> str:
    """Who has the best lower bound, and since when."""
    first, ties = table.order[0], sum(table.best)
    name = _named(begun[first], names)
    bound, when = number(table.lower_bound), f"{duration(table.reached[first])} of computing time"
    if len(names) == 1:
        return f"Lower bound {bound}."
    if ties == 1:
        return (
            f"{name} has the best lower bound{' so far' * going}, {bound}, after {when}.{_quicker(begun, table, names)}"
        )
    who = f"all {ties} runs reach" if ties == len(names) else f"{ties} of {len(names)} runs reach"
    return (
        f"{name} {'leads' if going else 'wins'}: {who} the best lower bound, {bound}, and it was first, after {when}."
    )


def _best_labeling(begun: Sequence[Curve], table: RunComparison, names: Mapping[str, str]) -> str:
    """Who was first to have the best labelling."""
    if math.isinf(table.upper_bound):
        return "No labelling is known yet."
    found = [k for k, has_it in enumerate(table.labelled) if has_it]
    when = [
        float(begun[k].records["seconds"][begun[k].records["upper_bound"] <= begun[k].upper_bound][0]) for k in found
    ]
    first = min(range(len(found)), key=when.__getitem__)
    name = _named(begun[found[first]], names)
    energy = number(table.upper_bound)
    return f"{name} was the first with the best labelling, of energy {energy}, after {duration(when[first])}."


def _named(curve: Curve, names: Mapping[str, str]) -> str:
    if curve.method is None:
        return f"Variant {names[curve.key]}"
    return curve.method.subject + names[curve.key].removeprefix(curve.kind)


def _quicker(begun: Sequence[Curve], table: RunComparison, names: Mapping[str, str]) -> str:
    """The best of the runs that reached their own bounds sooner than the one with the best bound, if there is one."""
    first = table.order[0]
    sooner = [k for k in range(len(begun)) if table.own[k] < table.reached[first]]
    if not sooner:
        return ""
    best = max(sooner, key=lambda k: (begun[k].lower_bound, -table.own[k]))
    bound, ahead = (number(value) for value in (begun[best].lower_bound, table.lower_bound - begun[best].lower_bound))
    when = duration(table.own[best])
    return f" {_named(begun[best], names)} reached its own bound, {bound}, which is {ahead} lower, after only {when}."
