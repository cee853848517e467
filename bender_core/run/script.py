"""A run as a Python script that repeats it. Source: docs/formats.md §8."""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Callable

from bender_core.run.engine import Engine

# Settings of the engine that affect results; those that differ from their defaults are written.
_SETTINGS: dict[str, Callable[[float], float]] = {
    "tolerance": float,
    "max_sweeps": int,
    "deepest": int,
    "improving": bool,
}


def as_script(engine: Engine, model: str, max_size: int) -> str:
    """A script that makes the model and the partition, runs up to the engine's position, and prints the results.

    Parameters
    ----------
    engine : Engine
    model : str
        The expression that makes the model, using ``bc`` and ``synth``.
    max_size : int
        The requested M.
    """
    part = engine.partition
    if part.strategy == "manual":
        groups = ", ".join(str(group.tolist()) for group in part.groups)
        labels = ", ".join(map(repr, part.labels))
        cut = f"bc.manual(mrf, [{groups}], [{labels}])"
    else:
        seed = f", seed={part.seed}" if part.seed else ""
        cut = f"bc.partition(mrf, max_size={max_size}, strategy={part.strategy!r}{seed})"
    variant, schedule = engine.variant, engine.schedule
    defaults = inspect.signature(Engine).parameters
    chosen = {name: kind(getattr(engine, name)) for name, kind in _SETTINGS.items()}
    settings = "".join(
        f", {name}={_literal(value)}" for name, value in chosen.items() if value != defaults[name].default
    )
    return textwrap.dedent(
        f'''\
        """Repeats a run of Bender Lab; needs the folder bender_core next to it, or on the path."""

        import bender_core as bc
        from bender_core import synth

        mrf = {model}
        part = {cut}
        # Variant {variant.number}: {variant.sentence}.
        engine = bc.Engine(mrf, part, variant={variant.number}, schedule={schedule!r}{settings})
        engine.run(max_events={engine.position})

        print("lower bound", engine.lower_bound)
        print("upper bound", engine.upper_bound)
        print("sweeps", engine.sweep)
        print("rows", engine.n_rows)
        print("labeling", "".join(map(str, engine.labeling)))
        '''
    )


def _literal(value: float) -> str:
    return repr(value) if math.isfinite(value) else f'float("{value}")'
