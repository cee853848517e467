"""Looking changes nothing: functions of an engine that describe its present state.

Source: docs/method.md §12.
"""

from bender_core.looking.anatomy import anatomy
from bender_core.looking.attribution import attribution, row_gains
from bender_core.looking.bounds import (
    bound_terms,
    certified_bound,
    decoded_bound,
    edge_tension,
    opening_bound,
    rounded_bound,
    tension,
    work,
)
from bender_core.looking.classes import classes
from bender_core.looking.decided import decided, proves, settled
from bender_core.looking.history import history
from bender_core.looking.message import (
    envelope,
    incoming,
    is_tight,
    message,
    messages,
    min_marginal,
    reduced_cost,
    reparametrized,
    slack,
    tightness,
)
from bender_core.looking.rows import row, row_edges, row_support, rows, rows_made
from bender_core.looking.update import (
    alive,
    answers,
    exact_costs,
    excess,
    ground,
    ground_parts,
    last_event,
    open_node,
    open_update,
    step_ended,
    whereabouts,
)
from bender_core.looking.what_if import what_if

__all__ = [
    "alive",
    "anatomy",
    "answers",
    "attribution",
    "bound_terms",
    "certified_bound",
    "classes",
    "decided",
    "decoded_bound",
    "edge_tension",
    "envelope",
    "exact_costs",
    "excess",
    "ground",
    "ground_parts",
    "history",
    "incoming",
    "is_tight",
    "last_event",
    "message",
    "messages",
    "min_marginal",
    "open_node",
    "open_update",
    "opening_bound",
    "proves",
    "reduced_cost",
    "reparametrized",
    "rounded_bound",
    "row",
    "row_edges",
    "row_gains",
    "row_support",
    "rows",
    "rows_made",
    "settled",
    "slack",
    "step_ended",
    "tension",
    "tightness",
    "what_if",
    "whereabouts",
    "work",
]
