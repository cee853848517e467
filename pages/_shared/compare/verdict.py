"""Who leads a race, and by how much: the remarks in Compare's table, and the sentences above it.

Runs are compared by their computing time, building included, whatever the chart is drawn against.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bender_core.engine.gap import gap_between
from bender_core.experiments.outcome import GAP_CLOSED, MEMORY_REACHED
from bender_core.looking.words import number
from bender_core.units import duration
from pages._shared.compare.curves import Curve, labels

# Bounds of two runs this close are equal, relative to the energy at stake; and to their size.
SAME = 1e-8
DIGITS = 2.0**-48
# Times of two runs that differ by less than either are a tie: in a second race the other one may be first.
FACTOR, MOMENT = 1.25, 0.01


@dataclass(frozen=True)
class RunComparison:
    """How runs compare.

    Attributes
    ----------
    order : list of int
        The runs, the best first: by when they reached the best bound, then by their own.
    lower_bound, upper_bound, gap : float
        The best of all runs, and the gap between them.
    best, labelled : list of bool
        Of every run, whether it has the best lower bound, and the best labelling.
    reached : list of float
        The time at which a run reached the best bound, seconds; infinite if it did not.
    own : list of float
        The time at which a run reached its own bound.
    tied : list of int
        The first run, and those that reached the best bound so soon after it that one race cannot tell them apart.
    """

    order: list[int]
    lower_bound: float
    upper_bound: float
    gap: float
    best: list[bool]
    labelled: list[bool]
    reached: list[float]
    own: list[float]
    tied: list[int]


def compared(curves: Sequence[Curve]) -> RunComparison:
    """Compare runs that have begun."""
    lower = max(curve.lower_bound for curve in curves)
    upper = min(curve.upper_bound for curve in curves)
    size = max([abs(bound) for bound in (lower, upper) if math.isfinite(bound)], default=0.0)
    # A constant makes no bounds equal, but hides their last digits.
    leeway = SAME * min(size, curves[0].scale) + DIGITS * size
    reached = [_when(curve, lower - leeway) for curve in curves]
    order = sorted(range(len(curves)), key=lambda k: (reached[k], -curves[k].lower_bound))
    latest = max(FACTOR * reached[order[0]], reached[order[0]] + MOMENT)
    return RunComparison(
        order=order,
        lower_bound=lower,
        upper_bound=upper,
        gap=gap_between(lower, upper, curves[0].scale),
        best=[curve.lower_bound >= lower - leeway for curve in curves],
        labelled=[curve.upper_bound <= upper + leeway for curve in curves],
        reached=reached,
        own=[_when(curve, curve.lower_bound - leeway) for curve in curves],
        tied=[k for k in order if reached[k] < latest],
    )


def _when(curve: Curve, bound: float) -> float:
    """The time at which a run reached a bound, seconds; infinite if it did not."""
    known = curve.records["lower_bound"]
    there = np.flatnonzero((known >= bound) & np.isfinite(known))
    return float(curve.records["seconds"][there[0]]) if len(there) else np.inf


def remarks(table: RunComparison) -> list[str]:
    """For every run the respects in which it is best; none that all runs share."""
    texts = []
    for k in range(len(table.order)):
        stars = ["tie" if len(table.tied) > 1 else "first"] * (k in table.tied and sum(table.best) > 1)
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
    called = dict(zip((curve.key for curve in curves), labels(curves), strict=True))
    if math.isinf(table.lower_bound):
        return f"No run has a lower bound. {_best_labeling(begun, table, called)}"
    text = _of_bounds(begun, table, called, going)
    if math.isinf(table.upper_bound):
        return f"{text} No labelling is known yet."
    if table.gap == 0:
        # That bounds meet within the tolerance of a run proves nothing finer; methods end where they prove it.
        proofs = [k for k, curve in enumerate(begun) if curve.status == GAP_CLOSED and not curve.is_on_groups]
        is_proven = any(table.best[k] and table.labelled[k] for k in proofs)
        return f"{text} The best labelling has this energy: {'it is optimal' if is_proven else 'the gap is closed'}."
    return f"{text} The best labelling has energy {number(table.upper_bound)}; the gap is {100 * table.gap:.3g} %."


def _of_bounds(begun: Sequence[Curve], table: RunComparison, called: Mapping[str, str], going: bool) -> str:
    """Who has the best lower bound, since when, and by how much sooner than the next one."""
    first, ties = table.order[0], sum(table.best)
    bound, so_far = number(table.lower_bound), " so far" * going
    if len(called) == 1:
        return f"Lower bound {bound}."
    name, when = _named(begun[first], called), duration(table.reached[first])
    if ties == 1:
        quicker = _quicker(begun, table, called)
        return f"{_opening(name)} has the best lower bound{so_far}, {bound}, after {when} of computing time.{quicker}"
    bounded = sum(math.isfinite(curve.lower_bound) for curve in begun)
    of_all = f"{ties} of {bounded}" if ties < bounded else "both" if ties == 2 else f"all {ties}"
    who = f"{of_all} runs{' with a bound' * (bounded < len(called))} reach it"
    if len(table.tied) > 1:
        names = _listed([_named(begun[k], called) for k in table.tied])
        if all(begun[k].method is None for k in table.tied):
            names = f"variants {names.replace('variant ', '')}"
        last = duration(table.reached[table.tied[-1]])
        times = when if last == when else f"{when} to {last}"
        return (
            f"{_opening(names)} tie{so_far}: they reach the best lower bound, {bound}, in {times} of "
            f"computing time, and one race cannot tell apart times within {duration(MOMENT)} or a factor of "
            f"{FACTOR:g}; {who}."
        )
    second = table.order[1]
    # A clock that is coarse may show no time at all.
    ahead = table.reached[second] / table.reached[first] if table.reached[first] else math.inf
    times = "many" if math.isinf(ahead) else f"{ahead:.2g}" if ahead < 10 else f"{ahead:,.0f}"
    return (
        f"{_opening(name)} is first{so_far}: it reaches the best lower bound, {bound}, in {when} of computing time, "
        f"{times} times as fast as {_named(begun[second], called)}; {who}."
    )


def cut_short(curves: Sequence[Curve]) -> str:
    """Which runs ended because the memory was full, in sentences; empty if none did."""
    called = dict(zip((curve.key for curve in curves), labels(curves), strict=True))
    full = [curve for curve in curves if curve.status == MEMORY_REACHED]
    if not full:
        return ""
    begun = [curve for curve in full if len(curve.records)]
    sentences = []
    if never := [_named(curve, called) for curve in full if not len(curve.records)]:
        sentences.append(f"{_opening(_listed(never))} did not begin: there was no room in memory.")
    if begun:
        names = _listed([f"{_named(curve, called)} after {duration(curve.last('seconds'))}" for curve in begun])
        sentences.append(
            f"{_opening(names)} ended because the memory was full: what more time would have brought is not known."
        )
    return " ".join([*sentences, "Race fewer runs, or a smaller M, or raise the limit (BENDER_MEMORY_MB)."])


def _best_labeling(begun: Sequence[Curve], table: RunComparison, called: Mapping[str, str]) -> str:
    """Who was first to have the best labelling."""
    if math.isinf(table.upper_bound):
        return "No labelling is known yet."
    found = [k for k, has_it in enumerate(table.labelled) if has_it]
    when = [
        float(begun[k].records["seconds"][begun[k].records["upper_bound"] <= begun[k].upper_bound][0]) for k in found
    ]
    first = min(range(len(found)), key=when.__getitem__)
    name = _named(begun[found[first]], called)
    energy = number(table.upper_bound)
    return f"{_opening(name)} was the first with the best labelling, of energy {energy}, after {duration(when[first])}."


def _named(curve: Curve, called: Mapping[str, str]) -> str:
    """A run within a sentence: its kind, the settings that distinguish it, and its remark."""
    _, *settings = called[curve.key].removesuffix(f" · {curve.note}" if curve.note else "").split(" · ")
    subject = f"variant {curve.variant}" if curve.method is None else curve.method.subject
    if subject.startswith(("The ", "Simulated ", "Tabu ")):
        subject = subject[0].lower() + subject[1:]
    about = [*settings, curve.note] if curve.note else settings
    return subject + f" ({', '.join(about)})" * bool(about)


def _opening(name: str) -> str:
    """A name at the beginning of a sentence; a solver that is written small stays so."""
    return name if name.startswith("toulbar2") else name[0].upper() + name[1:]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _quicker(begun: Sequence[Curve], table: RunComparison, called: Mapping[str, str]) -> str:
    """The best of the runs that reached their own bounds sooner than the one with the best bound, if there is one."""
    first = table.order[0]
    known = [k for k, curve in enumerate(begun) if math.isfinite(curve.lower_bound)]
    sooner = [k for k in known if table.own[k] < table.reached[first]]
    if not sooner:
        return ""
    best = max(sooner, key=lambda k: (begun[k].lower_bound, -table.own[k]))
    bound, ahead = (number(value) for value in (begun[best].lower_bound, table.lower_bound - begun[best].lower_bound))
    when = duration(table.own[best])
    name = _opening(_named(begun[best], called))
    return f" {name} reached its own bound, {bound}, which is {ahead} lower, after only {when}."
