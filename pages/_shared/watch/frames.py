"""Events as the stage plays them: the encoder of ``frames`` in ``pages/_shared/frontend/protocol.json``."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from bender_core import Engine
from bender_core.kernels.layout import Kind
from bender_core.run.explain import explain
from pages._shared.app.text import inert

# Computing ahead must not keep the person waiting.
AHEAD_SECONDS = 0.15
COLUMNS = (
    *("kind", "node", "arc", "sweep", "total_rows", "lower", "upper", "sentence", "formula"),
    *("changed_arcs", "changed_slack"),
)


def frames(engine: Engine, first: int, last: int) -> dict[str, Any]:
    """Events ``first`` to ``last``, or as far as they can be computed in time, and the state they start from."""
    engine.seek(min(first, len(engine.trace)))
    known = len(engine.trace)
    chunk = _chunk(engine)
    slack = engine.slack
    deadline = time.perf_counter() + AHEAD_SECONDS
    while engine.position < last and not engine.finished:
        if engine.position > known and time.perf_counter() > deadline:
            break
        engine.step("event")
        now = engine.slack
        changed = np.flatnonzero((now != slack) & ~np.isnan(now))
        _append(chunk, engine, changed, now[changed])
        slack = now
    return chunk


def last_frame(engine: Engine) -> dict[str, Any]:
    """As `frames`, of the last event alone: nothing has to be computed again, which after a long run takes long."""
    chunk = _chunk(engine)
    if engine.position:
        event = engine.trace[engine.position - 1]
        chunk["first"] -= 1
        if event.kind == Kind.ROW:
            chunk["before"]["rows"][event.arc // 2] -= 1
        _append(chunk, engine, np.zeros(0, int), np.zeros(0))
    return chunk


def _chunk(engine: Engine) -> dict[str, Any]:
    """No events yet, and the state where the engine is."""
    rows = np.bincount(engine.row_edges(), minlength=len(engine.graph.edges))
    before = {"slack": rounded(engine.slack), "rows": rows.tolist()}
    return {"first": engine.position, "before": before, "columns": {name: [] for name in COLUMNS}}


def _append(chunk: dict[str, Any], engine: Engine, arcs: np.ndarray, slack: np.ndarray) -> None:
    """Add the engine's last event, after which some arcs have another slack."""
    event = engine.trace[engine.position - 1]
    said = explain(event, engine.graph, engine.variant, engine.schedule)
    values = {
        "kind": int(event.kind),
        "node": event.node,
        "arc": event.arc,
        "sweep": event.sweep,
        "total_rows": event.rows,
        "lower": event.lower_bound,
        "upper": event.upper_bound,
        "sentence": inert(said.sentence),
        "formula": said.formula,
        "changed_arcs": arcs.tolist(),
        "changed_slack": rounded(slack, 4),
    }
    for name, value in values.items():
        chunk["columns"][name].append(value)


def rounded(values: np.ndarray, digits: int = 6) -> list[float | None]:
    """Six digits are plenty on a screen and a third of the bytes; NaN becomes null."""
    return [None if np.isnan(v) else float(f"{v:.{digits}g}") for v in values]
