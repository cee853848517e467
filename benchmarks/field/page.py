"""``docs/benchmarks.md``, from runs."""

from __future__ import annotations

import math
import os
import platform
import textwrap
from collections.abc import Iterable, Iterator, Sequence

import bender_core as bc
from benchmarks.common import times
from benchmarks.field.matches import OURS, Match, building_of, method_of, seconds_of
from benchmarks.field.published import Published
from bender_core.engine.gap import relative_gap
from bender_core.experiments import FinishedRun
from bender_core.experiments.bundle import processor
from bender_core.experiments.methods import METHODS
from bender_core.experiments.outcome import MEMORY_REACHED, WORKER_DIED
from bender_core.experiments.tables import by_other_code
from bender_core.rivals.report import FAILED, INEXACT
from bender_core.units import duration

# Less is rounding.
_NO_PERCENT = 1e-7
_NOTHING = "—"


def page(matches: Sequence[Match], tables: Iterable[Published], left_out: Sequence[str] = ()) -> str:
    """The document.

    Parameters
    ----------
    matches : sequence of Match
        With the same methods each.
    tables : iterable of Published
    left_out : sequence of str
        The names of instances some of whose runs are missing.
    """
    paragraphs = (
        "# Benchmarks",
        where_we_lose(matches),
        *_conditions(matches, left_out),
        "## Seconds to the proof",
        *_seconds(matches),
        "## Bounds and energies",
        *_energies(matches),
        "## Methods",
        *_methods(matches),
        "## Published times",
        *_published(tables),
    )
    return "\n\n".join(map(_wrapped, paragraphs)) + "\n"


def _wrapped(paragraph: str) -> str:
    """Lines of at most 120 characters, but for those of titles and tables."""
    if paragraph[0] in "#|":
        return paragraph
    return textwrap.fill(paragraph, 120, break_long_words=False, break_on_hyphens=False)


# -- where we lose --------------------------------------------------------------------------------------------


def where_we_lose(matches: Sequence[Match]) -> str:
    """The first paragraph: every instance on which another method is better, and by how much."""
    bounds = [_loses_bound(match, run) for match in matches if (run := match.better_bound)]
    energies = [_loses_energy(match, run) for match in matches if (run := match.better_energy)]
    proofs = [f"{match.name} ({_name(run)} in {_time(run)})" for match in matches if (run := match.only_theirs)]
    later = [_loses_time(match, run) for match in matches if (run := match.sooner)]
    count = len(matches)
    if not (bounds or energies or proofs or later):
        return (
            f"**Where we lose.** Nowhere: on none of the {count} instances does another method have a better bound or "
            "a better labelling, or prove sooner."
        )
    sentences = (
        _sentence(
            f"Another method has a better bound on {{}} of {count} instances",
            bounds,
            "No other method has a better bound.",
        ),
        _sentence(
            f"Another finds a better labelling on {{}} of {count} instances", energies, "None finds a better labelling."
        ),
        _sentence("Another proves {} that ours does not", proofs, "None proves an instance that ours does not."),
        _sentence(f"Another proves {{}} of {count} instances sooner", later, "None proves one sooner."),
    )
    return " ".join(["**Where we lose.**", *sentences])


def _sentence(beginning: str, losses: Sequence[str], none: str) -> str:
    return f"{beginning.format(len(losses))}: {'; '.join(losses)}." if losses else none


def _loses_bound(match: Match, run: FinishedRun) -> str:
    ours, theirs = match.bound(match.ours), match.bound(run)
    return f"{match.name} ({_name(run)} {_number(theirs)}, ours {_number(ours)}: {_share(ours, theirs)} below)"


def _loses_energy(match: Match, run: FinishedRun) -> str:
    ours, theirs = match.ours.outcome.upper_bound, run.outcome.upper_bound
    return f"{match.name} ({_name(run)} {_number(theirs)}, ours {_number(ours)}: {_share(theirs, ours)} above)"


def _loses_time(match: Match, run: FinishedRun) -> str:
    ratio = times(seconds_of(match.ours) / seconds_of(run))
    return f"{match.name} ({_name(run)} in {_time(run)}, ours in {_time(match.ours)}: {ratio})"


# -- the runs -------------------------------------------------------------------------------------------------


def _conditions(matches: Sequence[Match], left_out: Sequence[str]) -> Iterator[str]:
    """How it was measured."""
    runs = [run for match in matches for run in match.runs.values()]
    days = sorted(run.finished[:10] for run in runs)
    (limit,) = {run.task.limits.seconds for run in runs}
    yield (
        "`make bench-field` measures this, one run at a time, and writes this page. Every method runs on every "
        f"instance with its default settings, for at most {limit:g} s. Ours is `{OURS}`: what `bc.solve` and "
        "`bc.certify` do by default. The seconds of an external solver are the processor time that its process has "
        "used since its packages were imported; those of other methods are of the wall clock. A solver builds its own "
        "form of a model first: its seconds include that, and how much of them it was is stated apart. Energies are "
        "equal if they differ by no more than rounding."
    )
    yield (
        "A generated instance is named by its function in `bender_core.synth` and by what differs from the defaults of "
        "that. The others are published ones, read from files that are not part of the project (`--instances FOLDER`): "
        "those of UAI14PR from dechterlab/uai-competitions, grid4x4 from opengm/MPLP, bqp50-1, gka2b, pm1s_80.0 and "
        "t2g10_5555 from KULeuven-MICAS/openising, 3r3x from pedromxavier/QUBOLibData.jl, dwig_ran1_i_4 from "
        "lanl-ansi/dwig, and the haplotype model from toulbar2/toulbar2."
    )
    period = f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}"
    by_others = by_other_code(runs)
    versions = f", {by_others} of the {len(runs)} runs by an earlier version of the code" * (by_others > 0)
    yield f"Measured {period}{versions}; {_machine()}."
    if left_out:
        yield f"Left out, as some of their runs are not done yet: {', '.join(left_out)}."


def _seconds(matches: Sequence[Match]) -> Iterator[str]:
    yield (
        "Where a method proves nothing: the gap that is left; if it gives no bounds, by how much its labelling is "
        "worse than the best one. The first proof is in bold. The ratio is that of the fastest other method's time to "
        "ours; with ≥, only ours proves the instance, and with “theirs”, only others do."
    )
    names = list(matches[0].runs)
    columns = ["instance", "n", "couplings", *(f"`{name}`" for name in names), "ratio"]
    yield _table(
        columns,
        [
            (match.name, match.n, match.couplings, *(_cell(match, match.runs[name]) for name in names), _ratio(match))
            for match in matches
        ],
    )
    for match in matches:
        for run in match.runs.values():
            if _has_failed(run):
                yield f"{_name(run)} on {match.name}: {run.outcome.status.splitlines()[0]}."
            if match.is_false(run):
                yield f"{_name(run)} on {match.name}: its bound is above the energy of a labelling, and does not count."


def _cell(match: Match, run: FinishedRun) -> str:
    outcome = run.outcome
    if match.is_proven(run):
        first = min(seconds_of(other) for other in match.runs.values() if match.is_proven(other))
        return f"**{_time(run)}**" if seconds_of(run) == first else _time(run)
    if match.is_false(run):
        return "false"
    if math.isfinite(outcome.gap):
        return _share(outcome.lower_bound, outcome.upper_bound)
    if math.isfinite(outcome.upper_bound):
        return "best" if match.has_best_energy(run) else f"+{_share(match.energy, outcome.upper_bound)}"
    return "failed" if _has_failed(run) else _NOTHING


def _has_failed(run: FinishedRun) -> bool:
    return run.outcome.status in (MEMORY_REACHED, WORKER_DIED, INEXACT) or run.outcome.status.startswith(FAILED)


def _ratio(match: Match) -> str:
    first, ours = match.first_other, match.ours
    if not match.is_proven(ours):
        return _NOTHING if first is None else "theirs"
    if first is None:
        return f"≥ {times(ours.task.limits.seconds / seconds_of(ours))}"
    return times(seconds_of(first) / seconds_of(ours))


def _energies(matches: Iterable[Match]) -> Iterator[str]:
    yield "Ours is in bold where it is the best, or equal to that."

    def row(match: Match) -> tuple[str, ...]:
        bound = _marked(match.bound(match.ours), match.has_best_bound(match.ours))
        energy = _marked(match.ours.outcome.upper_bound, match.has_best_energy(match.ours))
        others = max(map(match.bound, match.others)), min(run.outcome.upper_bound for run in match.others)
        return match.name, bound, _number(others[0]), energy, _number(others[1])

    yield _table(["instance", "our bound", "best of the others", "our energy", "best of the others"], map(row, matches))


def _marked(energy: float, is_best: bool) -> str:
    return f"**{_number(energy)}**" if is_best else _number(energy)


def _methods(matches: Sequence[Match]) -> Iterator[str]:
    yield (
        f"How many of the {len(matches)} instances each method proves, and on how many its bound or its labelling is "
        "the best, or equal to that; how much of its seconds an external solver takes to build its form of the models."
    )

    def row(name: str) -> tuple[object, ...]:
        method, runs = METHODS[name], [(match, match.runs[name]) for match in matches]
        proven = sum(match.is_proven(run) for match, run in runs)
        bounds = sum(match.has_best_bound(run) for match, run in runs)
        energies = sum(match.has_best_energy(run) for match, run in runs)
        building = [building_of(run) for _, run in runs]
        built = f"{duration(sum(building))}, at most {duration(max(building))}" if method.package else ""
        package = f"{method.package} {method.version}" if method.package else f"Bender Lab {bc.__version__}"
        return f"`{name}`", method.title, package, proven, bounds, energies, built

    columns = ["", "method", "version", "proven", "best bound", "best labelling", "building, all together"]
    yield _table(columns, map(row, matches[0].runs))


def _published(tables: Iterable[Published]) -> Iterator[str]:
    yield (
        "**On other machines, in other years.** They say what is within reach of other solvers; a ratio to the times "
        "above would mean nothing."
    )
    for table in tables:
        yield f"{table.date}: {table.instances}. Source: [{table.source}]({table.address}). {table.machine}."
        cells = [
            (name, n, *(_published_time(one, table.limit) for one in seconds)) for name, n, seconds in table.solved
        ]
        yield _table(["instance", "n", *table.solvers], cells)
        if unsolved := len(table.rows) - len(table.solved):
            yield f"None of them solves the other {unsolved} within {table.limit:g} s."


def _published_time(seconds: float, limit: float) -> str:
    return f"{seconds:g} s" if seconds < limit else f"> {limit:g} s"


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


# -- words and numbers ----------------------------------------------------------------------------------------


def _machine() -> str:
    """The processor, and Python."""
    return f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _name(run: FinishedRun) -> str:
    return method_of(run).subject


def _time(run: FinishedRun) -> str:
    return duration(seconds_of(run))


def _number(energy: float) -> str:
    return f"{energy:,.9g}".replace(",", " ").replace("-", "−") if math.isfinite(energy) else _NOTHING


def _share(lower: float, upper: float) -> str:
    """Their distance, relative to the larger one."""
    percent = 100 * relative_gap(lower, upper)
    if math.isinf(percent):
        return "without end"
    if percent < _NO_PERCENT:
        return "0 %"
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"
