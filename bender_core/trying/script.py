"""A run as a Python script that repeats it. Source: docs/formats.md §8."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields

from bender_core.engine.settings import Settings
from bender_core.groups import Partition
from bender_core.trying.change import Fork
from bender_core.trying.lineage import Lineage
from bender_core.variants import variant as variant_of


def as_script(lineage: Lineage, model: str, events: int) -> str:
    """A script that makes the model and the partition, repeats the forks up to an event, and prints the results.

    The printed labelling is of the whole model, even if the run is of a reduced one.

    Parameters
    ----------
    lineage : Lineage
        The lineage of the run.
    model : str
        The expression that makes the model, using ``bc``, ``synth`` and ``Path``.
    events : int
        The number of events of the last run.
    """
    settings, variant = lineage.settings, variant_of(lineage.settings.variant)
    others = "".join(f", {name}={_literal(value)}" for name, value in _unusual(settings))
    lines = [
        '"""Repeats a run of Bender Lab; needs the folder bender_core next to it, or on the path."""',
        "",
        "from pathlib import Path",
        "",
        "import bender_core as bc",
        "from bender_core import synth",
        "",
        f"mrf = {model}",
        f"part = {partition_expression(lineage.partition, lineage.max_size)}",
        f"# Variant {variant.number}: {variant.sentence}.",
        f"engine = bc.Engine(mrf, part, variant={variant.number}, schedule={settings.schedule!r}{others})",
        *(step for fork in lineage.forks for step in _fork(fork)),
        f"engine.run(max_events={events})",
        "",
        'print("lower bound", engine.lower_bound)',
        *(['print("lower bound by cycles", engine.arrays.proven.lower_bound)'] if _rests_on_cycles(lineage) else []),
        'print("upper bound", engine.upper_bound)',
        'print("sweeps", engine.sweep)',
        'print("rows", engine.n_rows)',
        'print("labeling", "".join(map(str, engine.whole.restored(engine.labeling))))',
        "",
    ]
    return "\n".join(lines)


def _rests_on_cycles(lineage: Lineage) -> bool:
    return any(fork.change.cycles is not None for fork in lineage.forks)


def _unusual(settings: Settings) -> Iterator[tuple[str, float]]:
    """The settings other than variant and schedule that are not the default."""
    usual = Settings(variant=settings.variant, schedule=settings.schedule)
    for field in fields(settings):
        value = getattr(settings, field.name)
        if value != getattr(usual, field.name):
            yield field.name, value


def partition_expression(part: Partition, max_size: int) -> str:
    """The Python expression that makes some groups again, for a model ``mrf``; ``max_size`` is the requested M."""
    if part.strategy == "manual":
        groups = ", ".join(str(group.tolist()) for group in part.groups)
        labels = ", ".join(map(repr, part.labels))
        return f"bc.manual(mrf, [{groups}], [{labels}])"
    seed = f", seed={part.seed}" if part.seed else ""
    return f"bc.partition(mrf, max_size={max_size}, strategy={part.strategy!r}{seed})"


def _fork(fork: Fork) -> Iterator[str]:
    yield f"engine.run(max_events={fork.event})"
    yield f'engine = bc.Change.read("{fork.change}").fork(engine)'


def _literal(value: float) -> str:
    return repr(value) if math.isfinite(value) else f'float("{value}")'
