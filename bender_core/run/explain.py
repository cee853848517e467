"""Events in words: one plain sentence per event, and the formula behind it with the event's numbers.

Source: docs/method.md §12.3.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import Kind, RowKind, Status
from bender_core.lattice import lattice
from bender_core.run.trace import Event
from bender_core.variants import Variant


class Explanation(NamedTuple):
    """A sentence, and a formula (plain text with the usual symbols; may be empty)."""

    sentence: str
    formula: str


def number(value: float) -> str:
    """A number for display: five significant digits, a proper minus sign."""
    if not math.isfinite(value):
        return "unknown"
    if value == 0 or abs(value) < 1e-12:
        return "0"
    text = f"{value:.5g}"
    return text.replace("-", "−")


def explain(event: Event, graph: HyperGraph, variant: Variant, schedule: str = "mplp") -> Explanation:
    """Explain the effect of an event and its reason.

    Parameters
    ----------
    event : Event
    graph : HyperGraph
        The hyper-graph of the run, for the names of groups.
    variant : Variant
    schedule : {"mplp", "srmp"}

    Returns
    -------
    Explanation
    """
    return _WRITERS[event.kind](event, graph, variant, schedule)


def _place(event: Event, graph: HyperGraph) -> str:
    return f"Sweep {event.sweep + 1}, {graph.partition.labels[event.node]}"


def _minimiser(event: Event, graph: HyperGraph) -> str:
    return graph.partition.describe(event.node, event.state)


def _where(event: Event, graph: HyperGraph) -> str:
    """The state in words, with its rank if it is not the minimiser."""
    y = f"y* = {_minimiser(event, graph)}"
    return f"at {y}" if event.depth == 0 else f"at the {_ordinal(1 + event.depth)} best state, {y},"


def _ordinal(k: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th") if k // 10 % 10 != 1 else "th"
    return f"{k}{ending}"


def _degree(event: Event, graph: HyperGraph) -> int:
    first = graph.problem.arc_first
    return int(first[event.node + 1] - first[event.node])


def _opened(event: Event, graph: HyperGraph, variant: Variant, schedule: str) -> Explanation:
    d = _degree(event, graph)
    source = "computed exactly" if variant.exact else "bounded from below by the existing rows, recycled"
    messages = "The message from its 1 neighbour is" if d == 1 else f"The messages from its {d} neighbours are"
    return Explanation(
        f"{_place(event, graph)}: update starts. {messages} {source}; "
        f"by these values its cheapest state is y* = {_minimiser(event, graph)}, at {number(event.before)}.",
        f"min φ + Σ {'ν' if variant.exact else 'ν⁻'} = {number(event.before)}  at y*",
    )


def _oracle(event: Event, graph: HyperGraph, variant: Variant, schedule: str) -> Explanation:
    if event.arc < 0:
        return Explanation(
            f"{_place(event, graph)}: {_where(event, graph)} the envelopes equal the true min-marginals"
            + (", which is enough to pass the messages." if event.depth == 0 else " too."),
            f"φ(y*) + Σ ν⁻(y*) = φ(y*) + Σ ν(y*) = {number(event.value)}",
        )
    _, sender = graph.ends(event.arc)
    return Explanation(
        f"{_place(event, graph)}: {_where(event, graph)} the truth is {number(event.value)}, the envelopes "
        f"say {number(event.before)}. The loosest neighbour is {graph.partition.labels[sender]}.",
        f"φ(y*) + Σ ν(y*) = {number(event.value)} > φ(y*) + Σ ν⁻(y*) = {number(event.before)}",
    )


def _row(event: Event, graph: HyperGraph, variant: Variant, schedule: str) -> Explanation:
    _, sender = graph.ends(event.arc)
    added = (
        f"{_place(event, graph)}: added a {_CUTS[RowKind(event.cut)]} row for the message from "
        f"{graph.partition.labels[sender]}, a sum of one term per variable that nowhere exceeds the true min-marginal."
    )
    where = _where(event, graph).replace("at", "At", 1)
    if event.value <= event.before:
        return Explanation(
            f"{added} {where} another row equals the truth already; this one "
            "touches it there too, and may lift the envelope elsewhere.",
            f"β⁰ − Σ uᵢ(y*ᵢ) = {number(event.value)} = ν(y*)",
        )
    return Explanation(
        f"{added} {where} its envelope rose by {number(event.value - event.before)}, to the truth.",
        f"ν⁻(y*): {number(event.before)} → β⁰ − Σ uᵢ(y*ᵢ) = {number(event.value)} = ν(y*)",
    )


def _message(event: Event, graph: HyperGraph, variant: Variant, schedule: str) -> Explanation:
    gain = event.value - event.before
    scale = max(abs(event.value), 1e-300)
    moved = (
        f"rose by {number(gain)}, to {number(event.value)}: even the cheapest state costs that much more than the "
        "bound accounted for"
        if gain > 1e-13 * scale
        else "did not move: the bound already accounted for the cost of the cheapest state"
    )
    nu = "ν" if variant.exact else "ν⁻"
    share = (
        f"(φ + Σ {nu}) / {1 + _degree(event, graph)}" if schedule == "mplp" else f"w · (φ + Σ {nu}) ahead, {nu} behind"
    )
    return Explanation(
        f"{_place(event, graph)}: passed its messages and took y = {_minimiser(event, graph)} into the labelling. "
        f"The lower bound {moved}.",
        f"λ ← {nu} − {share};  LB: {number(event.before)} → {number(event.value)}",
    )


def _sweep(event: Event, graph: HyperGraph, variant: Variant, schedule: str) -> Explanation:
    gain = max(event.value - event.before, 0.0)
    gap = max(event.upper_bound - event.lower_bound, 0.0)
    deep = f" As the bound rises slowly, envelopes are made tight at the best {event.depth} states of a group."
    return Explanation(
        f"Sweep {event.sweep + 1} is complete: the lower bound rose by {number(gain)}. "
        f"The best labelling costs {number(event.upper_bound)}; "
        f"no other can be better by more than {number(gap)}." + deep * (event.depth > 1),
        f"LB = {number(event.lower_bound)} ≤ optimum ≤ UB = {number(event.upper_bound)}",
    )


def _finished(event: Event, graph: HyperGraph, variant: Variant, schedule: str) -> Explanation:
    lower, upper = number(event.lower_bound), number(event.upper_bound)
    known = f"No labelling costs less than {lower}; the best one found costs {upper}."
    points = lattice(graph.mrf)
    rounded = points.raised(event.lower_bound, event.upper_bound)
    advice = "Larger groups may close the gap."
    if rounded > event.lower_bound:
        step, least = number(points.step), number(rounded)
        known += f" All energies differ by multiples of {step}, so the least possible energy is {least}."
    if rounded == event.upper_bound:
        advice = "So it is optimal."
    sentence = {
        Status.GAP_CLOSED: f"Finished: the bounds meet. No labelling costs less than {lower}, and the best one found "
        "costs exactly that: it is optimal.",
        Status.NO_PROGRESS: f"Finished: a sweep brought no progress. {known} {advice}",
        Status.SWEEP_LIMIT: f"Stopped: that was the last allowed sweep. {known}",
        Status.MEMORY_LIMIT: f"Stopped: no memory is left for more rows or events. {known}",
    }[Status(event.depth)]
    return Explanation(sentence, f"UB − LB = {number(max(event.upper_bound - event.lower_bound, 0.0))}")


_CUTS = {
    RowKind.RMC: "reverse Magnanti-Wong",
    RowKind.MWC_0: "Magnanti-Wong (α = 0)",
    RowKind.MWC_HALF: "Magnanti-Wong (α = ½)",
    RowKind.MWC_1: "Magnanti-Wong (α = 1)",
}

_WRITERS = {
    Kind.NODE_OPENED: _opened,
    Kind.ORACLE: _oracle,
    Kind.ROW: _row,
    Kind.MESSAGE: _message,
    Kind.SWEEP: _sweep,
    Kind.FINISHED: _finished,
}
