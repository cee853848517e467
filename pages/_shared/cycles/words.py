"""The events of a packing in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import bender_core as bc
from bender_core.cycles.log import CycleEvent
from bender_core.cycles.packing import decoded
from bender_core.cycles.signed import SignedGraph
from bender_core.looking.words import at_least, bounded, number, optimal

# The most variables of a cycle that a sentence names.
NAMED = 6
# Of the energies that are summed up to a bound: a difference that may be rounding.
ROUNDING = 1e-13


def opening(packing: bc.Packing) -> str:
    """The state before the first event."""
    graph = packing.graph
    if not len(graph.cost):
        return "Nothing in this model depends on its variables: every labelling has the same energy."
    if not graph.broken(decoded(graph, np.zeros(len(graph.cost)))).any():
        return f"A labelling that breaks no coupling costs {number(graph.base)}. There is one: no cycle is frustrated."
    return (
        f"A labelling that breaks no coupling would cost {at_least(graph.base)}: the first LB. But a cycle with an odd "
        "number of couplings that want opposite ends is frustrated: every labelling breaks at least one of them. Press "
        "Play, or step cycle by cycle: each raises LB by what its couplings can lend."
    )


def found(graph: SignedGraph, event: CycleEvent, walk: Sequence[int], spent: int, names: Sequence[str]) -> str:
    """A cycle that was found.

    Parameters
    ----------
    graph : SignedGraph
    event : CycleEvent
    walk : sequence of int
        Its vertices in order.
    spent : int
        The edge that has least left.
    names : sequence of str
        Of the variables.
    """
    assert event.cycle is not None
    odd, count = int(graph.opposite[event.cycle].sum()), len(event.cycle)
    edges = "couplings and fields" if graph.n in walk else "couplings"
    some = f"all its {count} {edges} want" if odd == count else f"{odd} of its {count} {edges} want{'s' * (odd == 1)}"
    where = f"Round {event.round + 1}: the cycle {around(walk, graph.n, names)} is frustrated: {some} opposite ends"
    coupling = edge_name(graph, spent, names)
    if event.share == 0.0:
        then = "at the end of the round all shares are chosen anew"
        return f"{where}. It takes nothing yet, as {coupling} has lent all that it costs; {then}."
    return (
        f"{where}, so every labelling breaks at least one. It takes {number(event.share)} from each, all that "
        f"{coupling} has left, and LB rises by that, to {rounded_down(event.lower_bound, event.upper_bound)}."
    )


def shared(graph: SignedGraph, event: CycleEvent, before: CycleEvent, count: int) -> str:
    """The end of a round.

    Parameters
    ----------
    graph : SignedGraph
    event, before : CycleEvent
        It, and the last cycle that was found.
    count : int
        Of cycles that take a share.
    """
    bounds = [(each.lower_bound, each.upper_bound) for each in (before, event)]
    risen = rise(bounds[0], bounds[1], size(graph))
    cycles = f"{count:,} cycle{'s take' if count != 1 else ' takes'} a share"
    if risen:
        what = f"the linear program chooses all shares of the cycles known so far anew. LB rises {risen}"
    else:
        what = "the linear program finds no better shares of the cycles known so far, and LB stays as it is"
    is_better = event.upper_bound < before.upper_bound
    better = f" A better labelling was found: UB falls to {number(event.upper_bound)}." * is_better
    return f"Round {event.round + 1} ends: {what}; {cycles}.{better}"


def rounded_down(lower: float, upper: float) -> str:
    """The lower bound, rounded down unless it meets the upper one."""
    return number(lower) if math.isclose(lower, upper, rel_tol=1e-9) else at_least(lower)


def size(graph: SignedGraph) -> float:
    """That of the energies that are summed up to bounds."""
    return abs(graph.base) + float(graph.cost.sum())


def rise(before: tuple[float, float], after: tuple[float, float], scale: float) -> str:
    """How the lower one of two bounds has risen; empty if it has not, or only by rounding.

    Parameters
    ----------
    before, after : tuple of float
        The bounds, energies.
    scale : float
        The size of the energies that are summed up to them.
    """
    difference = after[0] - before[0]
    if difference <= ROUNDING * scale:
        return ""
    was, now = rounded_down(*before), rounded_down(*after)
    return f"from {was} to {now}" if was != now else f"by {number(difference)}, to {now}"


def ending(packing: bc.Packing) -> str:
    """Why a finished packing ends, and what is left of the gap."""
    margin = packing.margin
    if packing.is_proven:
        meet = packing.upper_bound - packing.lower_bound <= margin.negligible
        why = optimal(bounded(meet, margin.step))
        pays = " Every cycle that takes a share pays exactly once, and what is broken has lent all that it costs."
        return why + pays * (meet and len(packing.cycles) > 0)
    if packing.has_failed:
        return "The linear program could not be solved: LB holds, but cycles might raise it further."
    if len(packing.cycles) == 0:
        return "There is no frustrated cycle to be found."
    parts = packing.parts()
    twice, unlent = number(float(parts.cycles.sum())), number(float(parts.edges.sum()))
    return (
        f"No frustrated cycle is left that could raise LB. The gap lies in cycles that pay more than once, {twice}, "
        f"and in couplings that are broken and have not lent all that they cost, {unlent}."
    )


def edge_name(graph: SignedGraph, edge: int, names: Sequence[str]) -> str:
    """An edge by the names of its ends; one to the ghost is the field of a variable."""
    i, j = graph.ends[edge].tolist()
    return f"the field of {names[i]}" if j == graph.n else f"{names[i]} – {names[j]}"


def around(walk: Sequence[int], n: int, names: Sequence[str]) -> str:
    """The variables around a cycle; vertex n is the ghost."""
    variables = [names[v] for v in walk if v < n]
    through = " and its fields" if len(variables) < len(walk) else ""
    if len(variables) > NAMED:
        return f"of {len(variables)} variables through {', '.join(variables[:NAMED])}, …{through}"
    return " – ".join(variables) + through
