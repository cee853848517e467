"""In which order groups are updated, and how a group shares its total among itself and its edges (docs/method.md §6).

``mplp`` is the paper's: one pass a sweep, everybody gets the same share. ``srmp`` goes forward and back; a group gives
its total to the edges ahead and leaves nothing on those behind.
"""

from __future__ import annotations

from bender_core.kernels._jit import inner
from bender_core.kernels.tables.projection import receiver_of, sender_of


@inner
def is_forward(rule, cursor):
    """Whether the sweep is on its way out (under ``mplp`` it always is)."""
    return cursor.position < len(rule.rank)


@inner
def is_ahead(problem, rule, cursor, arc):
    """Whether the sender of an arc is updated later than its receiver in this direction."""
    if not rule.alternating:
        return True
    receiver, sender = receiver_of(problem, arc), sender_of(problem, arc)
    return (rule.rank[sender] > rule.rank[receiver]) == is_forward(rule, cursor)


@inner
def is_unchanged(problem, rule, cursor, arc):
    """Whether nothing has happened to an incoming min-marginal since the receiver's last update.

    Under ``srmp`` the groups ahead are those that were behind, whose message was left as it came.
    """
    if not rule.alternating or (cursor.sweep == 0 and is_forward(rule, cursor)):
        return False
    return is_ahead(problem, rule, cursor, arc)


@inner
def edge_share(problem, rule, cursor, node):
    """The part of the node's total that each edge ahead is given."""
    first, last = problem.arc_first[node], problem.arc_first[node + 1]
    if not rule.alternating:
        return 1.0 / (1 + last - first)
    ahead = 0
    for a in range(first, last):
        ahead += is_ahead(problem, rule, cursor, problem.node_arcs[a])
    if rule.forest:
        return 1.0 / max(ahead, 1)
    return 1.0 / max(ahead, last - first - ahead, 1)
