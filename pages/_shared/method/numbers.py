"""The numbers of Method: values of symbols and examples of formulas, from a moment of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind
from pages._shared.app.text import label
from pages._shared.method.formulas import Formula
from pages._shared.method.notation import Here, Symbol
from pages._shared.method.scene import Scene
from pages._shared.method.tex import rounded


class Numbers(NamedTuple):
    """What the page shows of a moment of a run.

    Attributes
    ----------
    moment : str
        In words.
    values : dict of str
        Of symbols, as text.
    examples : dict of str
        Of formulas by their titles, in TeX.
    """

    moment: str
    values: dict[str, str]
    examples: dict[str, str]


class View(NamedTuple):
    """The formulas and symbols that a view of the page shows."""

    formulas: Sequence[Formula]
    symbols: Sequence[Symbol]


def numbers_of(
    engine: bc.Engine,
    max_size: int,
    arc: int,
    view: View,
    stop: bc.Stop,
    last: int | None = None,
) -> Numbers:
    """The numbers at the end of the receiver's last update, or of its first; none if the run ends before.

    Parameters
    ----------
    engine : Engine
        It returns to its position.
    max_size : int
        M of its groups.
    arc : int
        A message.
    view : View
    stop : Stop
    last : int, optional
        The last position that is shown of the run.

    Raises
    ------
    Stopped
        If ``stop`` says so; then the run is where it was stopped.
    TooLargeError
        If the message does not fit into memory with the run.
    """
    position, (p, q) = engine.position, engine.graph.ends(arc)
    try:
        if not to_update(engine, p, stop) or (last is not None and engine.position > last):
            found = Numbers(f"{label(engine.partition.labels[p])} is not updated", {}, {})
        else:
            found = _at_update(Scene(engine, max_size, p, q, stop), view)
    except bc.TooLargeError:
        engine.seek(position)
        raise
    engine.seek(position)
    return found


def _at_update(scene: Scene, view: View) -> Numbers:
    here = Here(scene)
    values = {symbol.latex: _shown(here[symbol.latex]) for symbol in view.symbols}
    return Numbers(moment_of(scene), values, {each.title: each.example(here).latex for each in view.formulas})


def to_update(engine: bc.Engine, p: int, stop: bc.Stop) -> bool:
    """Go to the end of the last update of p so far, or of its first; False if the run ends before."""
    kinds, nodes = (engine.trace.until(engine.position).column(name) for name in ("kind", "node"))
    ends = np.flatnonzero((kinds == Kind.MESSAGE) & (nodes == p))
    if len(ends):
        engine.seek(int(ends[-1]) + 1, lambda _: stop())
    else:
        while not (_has_updated(engine, p) or engine.finished or stop()):
            engine.step("node", lambda _: stop())
    stop.check()
    return _has_updated(engine, p)


def _has_updated(engine: bc.Engine, p: int) -> bool:
    last = looking.last_event(engine)
    return last is not None and last.kind == Kind.MESSAGE and last.node == p


def moment_of(scene: Scene) -> str:
    """The message, and the event, in words."""
    engine, (receiver, sender) = scene.engine, (label(scene.engine.partition.labels[k]) for k in (scene.p, scene.q))
    event = looking.last_event(engine)
    assert event is not None
    return (
        f"message {sender} → {receiver}, where the update of {receiver} in sweep {event.sweep + 1} ends "
        f"(event {engine.position:,})"
    )


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else rounded(value)
