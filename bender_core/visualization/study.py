"""The pictures of a study: the paper's figure of times, profiles, distances over time, and pairs of contenders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from bender_core.experiments.contenders import CLOSED, Contender, Study, Target, first_choice, solves_most
from bender_core.experiments.profiles import (
    LEAST,
    OverTime,
    Pair,
    Steps,
    distance_over_time,
    pairs,
    performance_profile,
    solved_over_time,
)
from bender_core.experiments.store import FinishedRun
from bender_core.experiments.tables import BASELINE, Timing, fitted_line, timings
from bender_core.units import counted
from bender_core.variants import VARIANTS
from bender_core.visualization.picture import Axis, Panel, Picture, Series
from bender_core.visualization.styles import COLOURS, LINE_WIDTHS, MOST_LINES, OF_METHODS, STYLES, Style

# A distance below this share is drawn as this: there is no zero on a logarithmic axis.
NO_DISTANCE = 1e-6
# The largest relative gap between two finite energies: where a quartile has no bound yet, its area ends there.
LARGEST_GAP = 2.0
# How far lines go on beyond the last step.
BEYOND = 1.15
# The most contenders whose areas can be told apart in one panel.
MOST_TOGETHER = 4
_SECONDS = Axis("seconds", is_log=True)


def pictures(study: Study) -> dict[str, Picture]:
    """The pictures that a study is exported with, by the names of their files; those that have something to show.

    If there are several families of instances, there are those of each, too, in a folder of their own.
    """
    contenders = first_choice(list(study.by_contender), MOST_LINES)
    # The same in all families, and in the tables.
    reference = solves_most(study, contenders, CLOSED) if contenders else None
    found = _pictures(study, reference)
    for family in study.families if len(study.families) > 1 else ():
        folder = re.sub(r"[^\w.]+", "-", family.replace("×", "x")).strip("-.")
        for name, picture in _pictures(study.of(family), reference).items():
            found[f"{folder}/{name}"] = replace(picture, caption=f"{family}: {picture.caption}")
    return found


def _pictures(study: Study, reference: Contender | None) -> dict[str, Picture]:
    contenders = first_choice(list(study.by_contender), MOST_LINES)
    found: dict[str, Picture] = {}
    if study.shared(contenders):
        found |= {
            "profile": profile(study, contenders, CLOSED),
            "solved": solved(study, contenders, CLOSED),
            "distance": distance(study, contenders),
        }
    if len(contenders) > 1 and reference in contenders:
        found["pairs"] = against(study, contenders, reference, CLOSED)
    left_out = len(study.by_contender) - len(contenders)
    if left_out:
        some = f" Of {len(study.by_contender)} contenders, {left_out} with other settings are left out."
        found = {name: replace(each, caption=each.caption + some) for name, each in found.items()}
    return found | _times_by_schedule(study)


def _times_by_schedule(study: Study) -> dict[str, Picture]:
    """`times` of every schedule with a baseline; its name says which, if there are several."""
    by_schedule: dict[str, list[FinishedRun]] = {}
    for timing in timings(study.runs):
        by_schedule.setdefault(timing.run.task.schedule, []).append(timing.run)
    return {f"times-{name}" if len(by_schedule) > 1 else "times": times(runs) for name, runs in by_schedule.items()}


def times(runs: Sequence[FinishedRun]) -> Picture:
    """The paper's figure "Timing comparison": seconds of every run against the baseline's on the same groups.

    Colours and symbols are the paper's. A point is faint if one of the two runs reached its time limit; the lines of
    best fit exclude these.

    Parameters
    ----------
    runs : sequence of FinishedRun
        All of one schedule; runs without a baseline are left out.
    """
    timed: dict[int, list[Timing]] = {}
    for timing in timings(runs):
        timed.setdefault(timing.run.task.variant, []).append(timing)
    drawn = [variant for variant in VARIANTS if variant in timed]
    return Picture(
        "Time of a run against the baseline's",
        Axis(f"baseline, variant {BASELINE} (seconds)", is_log=True),
        _SECONDS,
        [Panel([*(_points(each, timed[each]) for each in drawn), *(_fit(each, timed[each]) for each in drawn)])],
        "Each point is a run, each line a best fit; runs below the baseline's line were faster. Colours and symbols "
        "are the paper's: colours for α, o and solid lines for rows on the loosest edge, x and dotted lines on all "
        "loose edges. Faint: a run reached its time limit, so its true time is longer.",
        "M %{customdata[2]}, %{customdata[1]}<br>%{y:.3g} s, baseline %{x:.3g} s",
        has_labels=True,
    )


def profile(study: Study, contenders: Sequence[Contender], target: Target) -> Picture:
    """`performance_profile`."""
    lines = performance_profile(study, contenders, target)
    count = len(study.shared(contenders))
    return Picture(
        "Performance profile",
        Axis("multiple of the fastest contender's seconds", is_log=True, least=1.0),
        Axis(f"share of {counted(count, 'instance')} solved ({target.name})", is_share=True, least=0.0, most=1.0),
        [Panel(_steps(study, lines, BEYOND * max((line.x[-1] for line in lines), default=1.0)))],
        f"The share of {counted(count, 'instance')} that a contender solves within a multiple of the time of the "
        f"fastest one; solved: {target.meaning}. At 1: how often it is the fastest; at the right: how many it solves "
        f"at all. Times below {1000 * LEAST:g} ms count as that.",
    )


def solved(study: Study, contenders: Sequence[Contender], target: Target) -> Picture:
    """`solved_over_time`."""
    lines = solved_over_time(study, contenders, target)
    count = len(study.shared(contenders))
    return Picture(
        "Instances solved over time",
        _SECONDS,
        Axis(f"instances solved ({target.name}), of {count}", least=0.0, most=float(max(count, 1))),
        [Panel(_steps(study, lines, BEYOND * max((line.x[-1] for line in lines if len(line.x)), default=1.0)))],
        f"How many of {counted(count, 'instance')} a contender solves within some seconds each; solved: "
        f"{target.meaning}. Times below {1000 * LEAST:g} ms count as that.",
    )


def distance(study: Study, contenders: Sequence[Contender]) -> Picture:
    """`distance_over_time`; more than `MOST_TOGETHER` contenders have a panel each, with the others in grey."""
    found = distance_over_time(study, contenders)
    lines = [_median(line, study.labels, _width(line.contender, contenders)) for line in found]
    without = ", ".join(line.label for line in lines if not len(line.x))
    lines = [line for line in lines if len(line.x)]
    apart = len(lines) > MOST_TOGETHER
    panels = [Panel([*(_in_grey(other) for other in lines if other is not line), line], line.name) for line in lines]
    areas = "each with the other medians in grey" if apart else "the areas lie between the quartiles"
    return Picture(
        "Distance of the bound to the best labelling over time",
        _SECONDS,
        Axis("distance to the best labelling: median and quartiles", is_log=True, is_share=True, floor=NO_DISTANCE),
        panels if apart else [Panel(lines)],
        f"Medians over {counted(len(study.shared(contenders)), 'instance')}, {areas}: how far the bound is below the "
        "energy of the best labelling of all runs, relative to the larger of the two in size, constants included. A "
        f"line begins when half of the runs have a bound. Distances below {100 * NO_DISTANCE:.4f} % are drawn as that."
        + f" Half of the runs of {without} have none."
        * bool(without),
    )


def against(study: Study, contenders: Sequence[Contender], reference: Contender, target: Target) -> Picture:
    """`pairs`, a panel for each."""
    labels = study.labels
    limits = {run.task.limits.seconds for each in contenders for run in study.by_contender[each].values()}
    limit = limits.pop() if len(limits) == 1 else None
    panels = [
        Panel([_pair(study, pair, labels)], _name(pair.contender, labels), has_diagonal=True, limit=limit)
        for pair in pairs(study, contenders, reference, target)
    ]
    return Picture(
        f"Every contender against {labels[reference]}",
        Axis(f"{_name(reference, labels)}: seconds until {target.name}", is_log=True),
        Axis(f"contender: seconds until {target.name}", is_log=True),
        panels,
        f"Each point is an instance: seconds until {target.meaning}. Below the diagonal the contender was faster. "
        "Faint: at least one did not solve the instance, and is drawn at its time limit"
        + " (dotted)" * (limit is not None)
        + f". Times below {1000 * LEAST:g} ms count as that.",
        "%{customdata[1]}<br>%{y:.3g} s, reference %{x:.3g} s",
    )


def _median(line: OverTime, labels: Mapping[Contender, str], width: float) -> Series:
    """The median, and the quartiles as a band, where they are finite."""
    low, middle, high = np.maximum(line.quartiles, NO_DISTANCE)
    known = np.isfinite(middle)
    band = low[known], np.minimum(high, LARGEST_GAP)[known]
    name = _name(line.contender, labels)
    return Series(
        labels[line.contender], _style(line.contender), line.seconds[known], middle[known], "line", name, width, band
    )


def _in_grey(series: Series) -> Series:
    look = Style(COLOURS["neutral"], series.style.symbol, "solid")
    return replace(series, style=look, name="", width=0.6, band=None)


def _points(variant: int, timed: Sequence[Timing]) -> Series:
    return Series(
        str(variant),
        STYLES[variant],
        np.array([timing.baseline.outcome.seconds for timing in timed]),
        np.array([timing.run.outcome.seconds for timing in timed]),
        "points",
        VARIANTS[variant].title,
        faint=np.array([timing.cut_short for timing in timed]),
        about=[(t.run.task.key, t.run.task.instance.title, t.run.task.max_size) for t in timed],
    )


def _fit(variant: int, timed: Sequence[Timing]) -> Series:
    """The line of best fit over the range of the points."""
    slope, intercept = fitted_line(timed)
    seconds = [timing.baseline.outcome.seconds for timing in timed]
    ends = np.array([min(seconds), max(seconds)])
    return Series(str(variant), STYLES[variant], ends, 10 ** (intercept + slope * np.log10(ends)))


def _steps(study: Study, lines: Sequence[Steps], end: float) -> list[Series]:
    """Lines that all go on to the same end."""
    contenders, labels = [line.contender for line in lines], study.labels
    return [
        Series(
            labels[line.contender],
            _style(line.contender),
            np.append(line.x, end) if len(line.x) else line.x,
            np.append(line.y, line.y[-1]) if len(line.y) else line.y,
            "steps",
            _name(line.contender, labels),
            _width(line.contender, contenders),
        )
        for line in lines
    ]


def _pair(study: Study, pair: Pair, labels: Mapping[Contender, str]) -> Series:
    runs = study.by_contender[pair.contender]
    return Series(
        labels[pair.contender],
        _style(pair.contender),
        pair.reference,
        pair.seconds,
        "points",
        faint=~(pair.reached & pair.reference_reached),
        about=[(runs[i].task.key, i.title, runs[i].task.max_size) for i in pair.instances],
    )


def _style(contender: Contender) -> Style:
    return OF_METHODS[contender.kind] if contender.method else STYLES[int(contender.kind)]


def _width(contender: Contender, contenders: Sequence[Contender]) -> float:
    """Contenders that differ by M, strategy or schedule alone have lines of different widths."""
    settings = list(dict.fromkeys(each[1:] for each in contenders if each.max_size))
    return LINE_WIDTHS[settings.index(contender[1:]) % len(LINE_WIDTHS) if contender.max_size else 0]


def _name(contender: Contender, labels: Mapping[Contender, str]) -> str:
    """A contender in the legend: the short name, and what it means if that does not say it."""
    meaning = contender.title if contender.method is None else contender.label
    return meaning + labels[contender].removeprefix(contender.label)
