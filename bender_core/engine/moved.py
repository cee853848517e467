"""Former attributes of `Engine` that are now functions of `looking`; each still works, with a warning that names the
replacement.
"""

from __future__ import annotations

import warnings
from functools import partial
from operator import attrgetter
from pkgutil import resolve_name
from typing import Any

# Attributes of an engine, and of its parts.
_PARTS = {
    **{name: f"settings.{name}" for name in ("schedule", "tolerance", "max_sweeps", "deepest", "improving")},
    **{name: f"settings.{name}" for name in ("excluding", "snapshot_bytes")},
    "lattice": "margin.lattice",
    "negligible": "margin.negligible",
    "charged": "arrays.charges.used",
    "message_size": "arrays.message_size",
    "bound_excess": "arrays.bound_excess",
    "message_bytes": "arrays.state.lam.nbytes",
}
# Functions that were properties of an engine.
_VALUES = ("decoded_bound", "last_event", "open_node", "opening_bound", "rounded_bound", "slack", "whereabouts")
_METHODS = (
    *("alive", "answers", "attribution", "certified_bound", "edge_tension", "envelope", "excess", "ground"),
    *("ground_parts", "incoming", "is_tight", "message", "messages", "min_marginal", "reduced_cost", "reparametrized"),
    *("row", "row_edges", "row_gains", "row_support", "rows", "rows_made", "step_ended", "tension", "tightness"),
    "work",
)
_RENAMED = {
    "asked": "exact_costs",
    "certificate": "certified_bound",
    "held": "bound_terms",
    "reckoning": "open_update",
}


def moved(engine: Any, name: str) -> Any:
    """The value of a former attribute of an engine.

    Raises
    ------
    AttributeError
        If an engine never had it.
    """
    if name in _PARTS:
        _warn(name, f"engine.{_PARTS[name]}")
        return attrgetter(_PARTS[name])(engine)
    function = _RENAMED.get(name, name)
    if name not in (*_METHODS, *_VALUES, *_RENAMED):
        raise AttributeError(f"{type(engine).__name__!r} object has no attribute {name!r}", name=name, obj=engine)
    _warn(name, f"bender_core.looking.{function}(engine, …)")
    # Looked up by name: looking imports the engine, not the other way round.
    found = resolve_name(f"bender_core.looking:{function}")
    return found(engine) if name in _VALUES else partial(found, engine)


def _warn(name: str, now: str) -> None:
    warnings.warn(f"Engine.{name} is {now} now", DeprecationWarning, stacklevel=4)
