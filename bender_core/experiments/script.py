"""A race as a Python script that repeats it. Source: docs/formats.md §8."""

from __future__ import annotations

from collections.abc import Mapping

from bender_core.experiments.lane import Entry
from bender_core.experiments.plan import Limits
from bender_core.trying.script import partition_expression

# The table that the script prints.
_TABLE = """\
    print(f"{'run':{WIDTH}} {'LB':>12} {'UB':>12} {'gap':>9} {'sweeps':>7} {'work':>14} {'seconds':>8}  status")
    for name, lane in zip(runs, race.lanes, strict=True):
        end = lane.outcome
        assert end is not None
        bounds = f"{end.lower_bound:12.6g} {end.upper_bound:12.6g} {end.gap:9.2e}"
        print(f"{name:{WIDTH}} {bounds} {end.sweeps:7} {end.work or '':>14} {end.seconds:8.3g}  {end.status}")
"""


def as_script(runs: Mapping[str, Entry], model: str, limits: Limits) -> str:
    """A script that makes the model and the groups, races the runs on equal terms, and prints their table.

    Parameters
    ----------
    runs : mapping of Entry
        By their names; at least one.
    model : str
        The expression that makes the model, using ``bc``, ``synth`` and ``Path``.
    limits : Limits
        Of every run; the megabytes are those of all together.
    """
    made: dict[str, int] = {}
    written = [f"        {name!r}: {_entry(entry, made)}," for name, entry in runs.items()]
    lines = [
        '"""Repeats a race of Bender Lab; needs bender_core, and for a sample sample_instances, next to it."""',
        "",
        "from pathlib import Path",
        "",
        "import bender_core as bc",
        "from bender_core import synth",
        "from bender_core.experiments import METHODS, Entry, Limits, Race, entry_by",
        "",
        f"LIMITS = Limits(sweeps={limits.sweeps}, seconds={limits.seconds}, megabytes={limits.megabytes})",
        f"WIDTH = {max(map(len, runs))}",
        "",
        "",
        "def main() -> None:",
        "    bc.warm_up()",
        f"    mrf = {model}",
        "    groups = [",
        *(f"        {text}," for text in made),
        "    ]",
        "    runs = {",
        *written,
        "    }",
        "    race = Race.of(runs.values(), LIMITS)",
        "    while not race.finished:",
        "        race.advance()",
        _TABLE,
        "",
        "# External solvers run in processes, which import this file.",
        'if __name__ == "__main__":',
        "    main()",
        "",
    ]
    return "\n".join(lines)


def _entry(entry: Entry, made: dict[str, int]) -> str:
    """The expression that makes a run; ``made`` numbers those that make its groups."""
    if entry.method is not None:
        size = f", {entry.max_size}" * entry.method.has_groups
        return f"entry_by(METHODS[{entry.method.name!r}], mrf{size})"
    assert entry.part is not None
    number = made.setdefault(partition_expression(entry.part, entry.max_size), len(made))
    return f"Entry(mrf, groups[{number}], {entry.max_size}, {entry.variant}, {entry.schedule!r})"
