"""Events in words: what happened and why, and the formula behind it with the event's numbers.

Rows bound the cost of a state from below (*at least*), oracles give it (*exactly*), both in units of the lower bound.
Source: docs/method.md §3.9, §12.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import combinations
from typing import NamedTuple

from bender_core.engine.trace import Event
from bender_core.forms.lattice import Lattice, lattice
from bender_core.hypergraph import HyperGraph
from bender_core.kernels.layout import Kind, RowKind, Status
from bender_core.units import counted
from bender_core.variants import Variant


class Explanation(NamedTuple):
    """A sentence, and a formula (plain text with the usual symbols; may be empty)."""

    sentence: str
    formula: str


def number(value: float, digits: int = 5) -> str:
    """A number for display: five significant digits, but all before the point; a proper minus sign."""
    if not math.isfinite(value):
        return "unknown"
    if value == 0 or abs(value) < 1e-12:
        return "0"
    text = f"{value:.0f}" if 10**digits <= abs(value) < 1e12 else f"{value:.{digits}g}"
    return text.replace("-", "−")


def decides(values: Sequence[str], within: float = 0.0) -> str:
    """The decisions of an event, each given as "x = 1", and their reason; may be empty. Source: docs/method.md §15.1.

    ``within``: the energy that another labelling may still save.
    """
    if not values:
        return ""
    named = list(values) if len(values) <= MOST_DECIDED else [*values[: MOST_DECIDED - 1], f"{len(values) - 2} more"]
    listed = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
    but = f", to within {at_most(within)}" if within else ""
    return f"That decides {listed}: with any other value, a labelling costs no less than the best one{but}."


DECIDED = "every variable is decided"
BY_CYCLES = "frustrated cycles prove it"


def bounded(meet: bool, step: float) -> str:
    """Why a bound proves the best labelling: the bounds meet, or none of the energies, a step apart, lies between."""
    return "the bounds meet" if meet else f"{apart(step)}, and none lies between LB and UB"


def optimal(why: str) -> str:
    """The statement that the best labelling is optimal, with the reason."""
    return f"{why[0].upper()}{why[1:]}: the best labelling is optimal."


def apart(step: float) -> str:
    """The lattice of energies in words."""
    return f"energies differ by {'whole numbers' if step == 1 else f'multiples of {number(step)}'}"


def at_least(bound: float) -> str:
    """A lower bound in a sentence: rounded down."""
    return _rounded(bound, ROUND_FLOOR)


def at_most(bound: float) -> str:
    """An upper bound in a sentence: rounded up."""
    return _rounded(bound, ROUND_CEILING)


def _rounded(value: float, direction: str) -> str:
    nearest = number(value)
    if not math.isfinite(value) or math.isclose(float(nearest.replace("−", "-")), value, rel_tol=ROUNDING):
        return nearest
    # The place of the last digit that is shown.
    place = math.floor(math.log10(abs(value))) - 4
    place = min(max(place, -12), 0) if abs(value) < 1e12 else place
    return number(float(Decimal(value).quantize(Decimal(1).scaleb(place), direction)))


def decimals(bound: float) -> int:
    """Digits after the point of a bound: five digits in all, and at most four unless it is small."""
    place = _place(bound)
    return max(4 - max(place, 0 if place >= -3 else place), 0)


def _place(value: float) -> int:
    """The place of the first digit: 0 for ones, −1 for tenths."""
    return math.floor(math.log10(abs(value))) if value and math.isfinite(value) else 0


def _fixed(value: float, places: int) -> str:
    """A number with some digits after the point; zeros at its end are left out if it is exact without them."""
    if not math.isfinite(value) or abs(value) >= LARGE:
        return number(value)
    text = f"{value:.{places}f}"
    bare = text.rstrip("0").rstrip(".") if places else text
    if math.isclose(float(bare), value, rel_tol=NEAR, abs_tol=10.0**-MOST_DECIMALS):
        text = bare
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


MOST_DECIMALS, NEAR, LARGE = 12, 1e-9, 1e12
MOST_DECIDED = 3  # variables that a sentence names
# Differences below this share of the energies are rounding error.
ROUNDING = 1e-12


def explain(
    event: Event,
    graph: HyperGraph,
    variant: Variant,
    schedule: str = "mplp",
    loose: int | None = None,
    floor: tuple[float, float] | None = None,
    points: Lattice | None = None,
    proven: bool = False,
    within: float = 0.0,
) -> Explanation:
    """Explain the effect of an event and its reason.

    Parameters
    ----------
    event : Event
    graph : HyperGraph
        The hyper-graph of the run, for the names of groups.
    variant : Variant
    schedule : {"mplp", "srmp"}
    loose : int, optional
        For an oracle, the number of messages on which the rows were too low.
    floor : (float, float), optional
        For a row, the floor at the beginning of its round, and now.
    points : Lattice, optional
        The lattice of energies known to the run; by default that of its model.
    proven : bool
        Whether the run proves that no labelling is better (`decided.proves`); bounds alone do not show it.
    within : float
        The energy that another labelling may still save (`Margin.gain`, where energies lie on no lattice).

    Returns
    -------
    Explanation
    """
    place = f"Sweep {event.sweep + 1}, {graph.partition.labels[event.node]}: " if event.node >= 0 else ""
    explanation = _WRITERS[event.kind](_Context(event, graph, variant, schedule, loose, floor, points, proven, within))
    return Explanation(place + explanation.sentence, explanation.formula)


class _Context(NamedTuple):
    """The facts from which an event is explained; see `explain`."""

    event: Event
    graph: HyperGraph
    variant: Variant
    schedule: str
    loose: int | None
    floor: tuple[float, float] | None
    points: Lattice | None
    proven: bool
    within: float

    @property
    def y(self) -> str:
        """The state in words, with its rank if it is not the minimiser."""
        y = f"y* = {self.graph.partition.describe(self.event.node, self.event.state)}"
        return y if self.event.depth == 0 else f"the {_ordinal(1 + self.event.depth)} best state, {y},"

    def numbers(self, *values: float) -> list[str]:
        """Energies side by side: with the digits of the lower bound, so that all that is said of an event fits.

        There are more where these would be fewer than two, or would not tell different energies apart.
        """
        begun = self.event.before if self.event.kind == Kind.MESSAGE else self.event.lower_bound
        fewest = max(decimals(begun), 1 - _place(max(map(abs, values))))
        for places in range(fewest, MOST_DECIMALS):
            texts = [f"{value:.{places}f}" for value in values]
            pairs = combinations(zip(values, texts, strict=True), 2)
            if all(one != other or math.isclose(a, b, rel_tol=NEAR) for (a, one), (b, other) in pairs):
                return [_fixed(value, places) for value in values]
        return [_fixed(value, MOST_DECIMALS) for value in values]

    def number(self, value: float) -> str:
        """An energy, or a difference of two."""
        return self.numbers(value)[0]

    @property
    def degree(self) -> int:
        first = self.graph.problem.arc_first
        return int(first[self.event.node + 1] - first[self.event.node])

    @property
    def sender(self) -> str:
        return self.graph.partition.labels[self.graph.ends(self.event.arc)[1]]

    @property
    def lattice(self) -> Lattice:
        return self.points or lattice(self.graph.mrf)

    @property
    def least(self) -> float:
        """The least energy that the lower bound leaves possible."""
        return self.lattice.raised(self.event.lower_bound, self.event.upper_bound)

    def is_more(self, value: float, than: float) -> bool:
        """Whether an energy is more than another, beyond rounding."""
        return value - than > ROUNDING * max(abs(value), abs(than), self.graph.problem.scale)


def _ordinal(k: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th") if k // 10 % 10 != 1 else "th"
    return f"{k}{ending}"


def _opened(context: _Context) -> Explanation:
    event, floor = context.event, context.number(context.event.floor)
    if context.variant.exact:
        return Explanation(
            f"the update starts. With {counted(context.degree, 'message')} in, every cost is exact: its cheapest state "
            f"is {context.y}, which costs {floor}.",
            f"min g = LB − λ_p − Σ λ_pq + min(φ + Σ ν) = {floor}  at y*",
        )
    if context.is_more(event.lower_bound, event.floor):
        against = "less than the lower bound, so its rows are too low there, as no exact cost is below that bound"
    elif context.is_more(event.floor, event.lower_bound):
        against = "more than the lower bound, which would rise to this value if messages were passed now"
    else:
        against = "the lower bound"
    return Explanation(
        f"the update starts. By the rows of its {counted(context.degree, 'message')} its cheapest state is "
        f"{context.y}. It costs at least {floor}: {against}.",
        f"floor = min g = LB − λ_p − Σ λ_pq + min(φ + Σ ν⁻) = {floor}  at y*",
    )


def _oracle(context: _Context) -> Explanation:
    event = context.event
    if event.depth:
        return _deeper(context)
    # The rest of the bound is the same in both.
    exact = event.floor + event.value - event.before
    if event.arc < 0:
        return Explanation(
            f"{context.y} costs exactly the lower bound of its rows, {context.number(exact)}. {_suspects(event)}",
            f"g(y*) = {context.number(event.floor)} = exact cost",
        )
    costs, least, best = context.numbers(exact, event.floor, event.ceiling)
    is_beaten = context.is_more(exact, event.ceiling)
    floor, more = context.numbers(event.floor, event.value - event.before)
    known = f"beaten by {best}" if is_beaten else "the best so far"
    return Explanation(
        f"{context.y} costs exactly {costs}, {known}; its rows gave at least {least}. {_too_low(context)} "
        f"{_suspects(event, is_beaten)}",
        f"exact cost = g(y*) + Σ (ν − ν⁻)(y*) = {floor} + {more} = {context.number(exact)}",
    )


def _deeper(context: _Context) -> Explanation:
    event = context.event
    value, before = context.numbers(event.value, event.before)
    if event.arc < 0:
        state = context.graph.partition.describe(event.node, event.state)
        states = f"state too, {state}" if event.depth == 1 else f"{event.depth} states too, the last of them {state}"
        return Explanation(
            f"the rows are exact at the next {states}. Floor and ceiling do not change.",
            f"φ(y) + Σ ν⁻(y) = φ(y) + Σ ν(y) = {value}",
        )
    return Explanation(
        f"{context.y} costs {context.number(event.value - event.before)} more than its rows gave. {_too_low(context)}",
        f"φ(y) + Σ ν(y) = {value} > φ(y) + Σ ν⁻(y) = {before}",
    )


def _too_low(context: _Context) -> str:
    if context.degree == 1:
        return f"They were too low on the message from {context.sender}."
    if context.loose is None:
        return f"They were too low, most on the message from {context.sender}."
    return f"They were too low on {context.loose} of {context.degree} messages, most on that from {context.sender}."


def _suspects(event: Event, is_beaten: bool = False) -> str:
    if event.suspects == 0:
        return f"No state is cheaper{' than the best so far' * is_beaten}."
    return f"{counted(event.suspects, 'suspect')} left: {'a state' if event.suspects == 1 else 'states'} " + (
        "that may be cheaper than the best so far."
    )


def _row(context: _Context) -> Explanation:
    event, cut = context.event, _CUTS[RowKind(context.event.cut)]
    known, exact = context.numbers(event.before, event.value)
    if event.value <= event.before:
        lift = f"touches the exact value {exact} at {context.y} like another row, and may lift other states"
    else:
        lift = f"lifts {context.y} from at least {known} to exactly {exact}"
    formula = f"ν⁻(y*): {known} → β⁰ − Σ uᵢ(y*ᵢ) = {exact} = ν(y*)"
    sentence = f"on the message from {context.sender} a {cut} row {lift}."
    if context.floor is None or event.depth:
        return Explanation(sentence, formula)
    before, now = context.floor
    if context.is_more(now, before):
        low, high = context.numbers(before, now)
        return Explanation(f"{sentence} The floor has risen from {low} to {high} in this round.", formula)
    return Explanation(f"{sentence} The floor has stayed at {context.number(now)} in this round.", formula)


def _message(context: _Context) -> Explanation:
    event, d = context.event, context.degree
    y = context.graph.partition.describe(event.node, event.state)
    met = (
        "every cost is exact, so floor = ceiling from the start"
        if context.variant.exact
        else "floor and ceiling have met"
    )
    before, after = context.numbers(event.before, event.value)
    if context.is_more(event.value, event.before):
        moved = f"rises from {before} to this cost"
    else:
        moved = "does not change: it already includes this cost"
    nu = "ν" if context.variant.exact else "ν⁻"
    own = "this cost, less the rest of the bound"
    if not d:
        shared, share = f"keeps {own}", "φ"
    elif context.schedule == "mplp":
        shared = f"shares {own}, in {counted(1 + d, 'equal part')}, one for itself and one for each edge"
        share = f"(φ + Σ {nu}) / {1 + d}"
    else:
        shared = f"shares {own}, by weights, only with edges to groups updated later"
        share = f"w · (φ + Σ {nu}) ahead, {nu} behind"
    return Explanation(
        f"{met}: no state is cheaper than y = {y}, at {after}. The group takes it into the "
        f"labelling and {shared}. The lower bound {moved}.",
        f"λ ← {nu} − {share};  LB: {before} → {after}",
    )


def _sweep(context: _Context) -> Explanation:
    event = context.event
    gain = max(event.value - event.before, 0.0)
    deep = f" As the bound rises slowly, rows are made exact at the best {event.depth} states of a group."
    return Explanation(
        f"Sweep {event.sweep + 1} is complete: the lower bound rose by {context.number(gain)}. "
        f"The best labelling costs {context.number(event.upper_bound)}; {_left(context)}." + deep * (event.depth > 1),
        f"LB = {context.number(event.lower_bound)} ≤ optimum ≤ UB = {context.number(event.upper_bound)}",
    )


def _finished(context: _Context) -> Explanation:
    event, known = context.event, _known(context)
    met = "the bounds meet" if context.proven else "the bounds meet within the tolerance of the run"
    sentence = {
        Status.GAP_CLOSED: f"Finished: {met}. {known}",
        Status.NO_PROGRESS: f"Finished: a sweep brought no progress. {known}"
        + " Larger groups may close the gap." * (not context.proven),
        Status.SWEEP_LIMIT: f"Stopped: that was the last allowed sweep. {known}",
        Status.MEMORY_LIMIT: f"Stopped: no memory is left for more rows or events. {known}",
    }[Status(event.depth)]
    gap = context.number(max(event.upper_bound - event.lower_bound, 0.0))
    return Explanation(sentence, f"UB − LB = {gap}{', optimal' * context.proven}")


def _known(context: _Context) -> str:
    """The knowledge about the optimum at the end of a run."""
    event, least = context.event, context.least
    upper, lower = context.number(event.upper_bound), context.number(event.lower_bound)
    if context.proven:
        # After rounding, the bound itself may exceed the optimum.
        but = f", to within {at_most(context.within)}" if context.within else ""
        return f"The best labelling found costs {upper}, and no other costs less{but}: it is optimal."
    rest = f"o labelling costs less than {at_least(least)}; the best one found costs {upper}."
    if context.number(least) == lower:
        return f"N{rest}"
    return f"The lower bound is {lower}, and {apart(context.lattice.step)}: n{rest}"


def _left(context: _Context) -> str:
    """The most that another labelling may still gain, in words."""
    upper, least = context.event.upper_bound, context.least
    if context.proven:
        return "it is optimal"
    if not context.is_more(upper, least):
        return "the bounds are equal up to rounding"
    return f"no other can be better by more than {at_most(upper - least)}"


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
