"""Names that `Engine` had before looking became functions; each still works, and says what replaces it."""

from __future__ import annotations

import warnings
from functools import partial
from operator import attrgetter
from pkgutil import resolve_name
from typing import Any

# Attributes of an engine, and those of what it consists of.
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
# Functions of an engine that were properties.
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
    """What an attribute of an engine used to be.

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
    # Looked up by name: looking knows the engine, not the other way round.
    found = resolve_name(f"bender_core.looking:{function}")
    return found(engine) if name in _VALUES else partial(found, engine)


def _warn(name: str, now: str) -> None:
    warnings.warn(f"Engine.{name} is {now} now", DeprecationWarning, stacklevel=4)
