"""The events of a cycle pursuit in words."""

from __future__ import annotations

from collections.abc import Sequence

import bender_core as bc
from bender_core.cycles.pursuit import PursuitEvent
from bender_core.cycles.triplets import Pursued
from bender_core.looking.words import at_least, bounded, number, optimal
from pages._shared.cycles.words import around, rise


def opening(pursuit: bc.CyclePursuit) -> str:
    """The state before the first event."""
    return (
        f"The least energies of all variables and couplings, each for itself, sum to {at_least(pursuit.lower_bound)}: "
        "the first LB. Messages move energy between them, so that this sum rises and every labelling keeps its energy. "
        "Where couplings around a cycle cannot all have what they prefer, messages over triplets of variables follow."
    )


def found(event: PursuitEvent, pursued: Pursued, has_chords: bool, names: Sequence[str]) -> str:
    """A cycle that was found.

    Parameters
    ----------
    event : PursuitEvent
    pursued : Pursued
        Its cycle.
    has_chords : bool
        Whether some of its edges are no couplings.
    names : sequence of str
        Of the variables.
    """
    odd, count = int((pursued.preference > 0.0).sum()), len(pursued.cycle)
    edges = "couplings and chords" if has_chords else "couplings"
    prefer = "preferred" if pursued.is_tied else "prefers" if odd == 1 else "prefer"
    some = f"{f'all its {count}' if odd == count else f'{odd} of its {count}'} {edges} {prefer}"
    new, cut = len(pursued.triples), count - 2
    if cut == 1:
        into = "It is a triplet itself"
    else:
        into = f"It is cut into {cut} triplets" + f", {new} of them new" * (new < cut)
    if pursued.is_tied:
        gain = "Some prefer nothing any more: alone it gains nothing, but together with other triplets it may"
    else:
        gain = (
            f"Every labelling goes against a preference, by {number(pursued.strength)} at least: messages over this "
            "cycle alone could gain that"
        )
        if number(event.behind) != "0":
            gain += f"; the bound by the present messages is {number(event.behind)} below LB"
    return (
        f"Round {event.round + 1}: the cycle {around(pursued.cycle.tolist(), len(names), names)} is frustrated: {some} "
        f"opposite ends{' at first' * pursued.is_tied}. {gain}. {into}."
    )


def passed(event: PursuitEvent, lower: float, upper: float, scale: float) -> str:
    """The end of a round.

    Parameters
    ----------
    event : PursuitEvent
    lower, upper : float
        The bounds at the end of the round before.
    scale : float
        The size of the energies that are summed up to bounds.
    """
    count = event.n_triplets
    over = f"over {count:,} triplet{'s' * (count != 1)}" if count else "between variables and couplings"
    soft = ", at first with soft minima, as minima were stuck," * event.is_soft
    risen = rise((lower, upper), (event.lower_bound, event.upper_bound), scale)
    rises = f"raise LB {risen}" if risen else "leave LB as it is"
    better = f" A better labelling was found: UB falls to {number(event.upper_bound)}." * (event.upper_bound < upper)
    return f"Round {event.round + 1} ends: messages {over}{soft} {rises}.{better}"


def ending(pursuit: bc.CyclePursuit) -> str:
    """Why a finished pursuit ends."""
    margin, gap = pursuit.margin, pursuit.upper_bound - pursuit.lower_bound
    if pursuit.is_proven:
        return optimal(bounded(gap <= margin.negligible, margin.step))
    left = f"the messages end, with a gap of {number(gap)}"
    return f"All temperatures of soft minima together have gained almost nothing: {left}."
