"""What holds the most of the gap where a run stands, whether a row can lift it, and what merging would gain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bender_core import Change, Engine, Stop, TooLargeError, looking
from bender_core.groups import LARGEST_GROUP
from bender_core.looking.words import ROUNDING, number
from pages._shared.app.text import label
from pages._shared.watch import protocol


def verdict(engine: Engine, largest_slack: Sequence[float | None], stop: Stop) -> protocol.Verdict | None:
    """The edge of most tension, in a sentence; None if there is no gap, or no edge holds any of it.

    Parameters
    ----------
    engine : Engine
    largest_slack : sequence of float or None
        Of both messages of that edge, which is `tensest`; None where it is not known.
    stop : Stop

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    edge, gap = tensest(engine), engine.upper_bound - engine.lower_bound
    if edge is None:
        return None
    p, q = (int(end) for end in engine.graph.edges[edge])
    names = " – ".join(label(engine.partition.labels[end]) for end in (p, q))
    share = 100 * float(looking.tension(engine).edges[edge]) / gap
    gain = _gain_of_merging(engine, p, q, stop)
    words = f"{names} holds {share:.0f} % of the gap; {_rows(engine, largest_slack)}; {_merging(engine, gain)}."
    return {"edge": edge, "words": words, "merges": isinstance(gain, float)}


def tensest(engine: Engine) -> int | None:
    """The edge of most tension; None if there is no gap, or no edge holds any of it."""
    tension = looking.tension(engine).edges
    if engine.gap == 0.0 or not len(tension) or tension.max() <= ROUNDING * engine.graph.problem.scale:
        return None
    return int(tension.argmax())


def _rows(engine: Engine, largest_slack: Sequence[float | None]) -> str:
    """Whether a row can help."""
    if engine.variant.exact:
        return "its messages are exact, so no row can help"
    if None in largest_slack:
        return "there is no memory to look at its rows"
    if any(largest_slack):
        return "its rows are loose at some states, where another may help"
    return "its rows are tight at all states, so no other can help"


def _gain_of_merging(engine: Engine, p: int, q: int, stop: Stop) -> float | str:
    """How far LB rises at once if two groups are merged, energy; or why they cannot be."""
    size = sum(len(engine.partition.groups[end]) for end in (p, q))
    if size > LARGEST_GROUP:
        return f"its groups are too large to be merged: {size} variables, and {LARGEST_GROUP} is the most"
    try:
        merged = Change(merge=((p, q),)).fork(engine, stop)
    except TooLargeError:
        return "there is no memory to merge its groups"
    return float(np.maximum(merged.lower_bound - engine.lower_bound, 0.0))


def _merging(engine: Engine, gain: float | str) -> str:
    if isinstance(gain, str):
        return gain
    if gain <= ROUNDING * engine.graph.problem.scale:
        return "merging its groups raises LB by nothing at once, but later sweeps may gain more"
    return f"merging its groups raises LB by {number(gain, 3)} at once"
