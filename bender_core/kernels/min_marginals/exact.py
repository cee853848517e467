"""Exact min-marginals, each by the cheapest of three ways (docs/method.md §5).

With a active bits of the receiver and b of the sender, enumerating needs 2^(a + b) entries whatever the couplings are;
eliminating as many as its tables have, which is known in advance; pruning about 2^a + a 2^b where few candidates
matter, and never much more than enumerating.
"""

from __future__ import annotations

from bender_core.kernels._jit import entry, inner, small
from bender_core.kernels.costs import ELIMINATED, ELIMINATION, PRUNED, PRUNING, STATE
from bender_core.kernels.layout import Message, Method
from bender_core.kernels.min_marginals.eliminate import eliminate, plan_elimination
from bender_core.kernels.min_marginals.enumerate import enumerate_min_marginals
from bender_core.kernels.min_marginals.prune import begin_box, halve_box, list_candidates
from bender_core.kernels.tables.bits import everything

# Pruning may need more than its least; a way whose cost is known is preferred up to this multiple.
CERTAINTY = 8
# The tables of an elimination may have this many times the states of the larger group.
WIDEST = 4
# How often a box in which too many candidates survive is halved before its states are enumerated.
HALVINGS = 6


@entry
def plan_exact(bits, first, coupled, methods, begin, end):
    """Choose for some arcs how their min-marginals are computed.

    What is chosen depends on which bits are coupled, fields of `Couplings`, not on how strongly.
    """
    for arc in range(begin, end):
        receiver, sender = bits[arc], bits[arc ^ 1]
        largest, entries = plan_elimination(bits, first, coupled, arc, methods.order[arc])
        method, cost = Method.ENUMERATE, 2.0**receiver * (STATE + 2.0**sender)
        pruning = PRUNING + PRUNED * (2.0**receiver + receiver * 2.0**sender)
        if pruning < cost:
            method, cost = Method.PRUNE, CERTAINTY * pruning
        if largest <= WIDEST << max(receiver, sender) and ELIMINATION + ELIMINATED * entries < cost:
            method = Method.ELIMINATE
        methods.method[arc] = method
        methods.largest[arc] = largest if method == Method.ELIMINATE else 0.0


@small
def begin_exact(work):
    """Prepare for a message of which nothing is known."""
    progress = work.progress
    progress.next = progress.part = progress.spent = progress.depth = progress.state = 0


@entry
def exact_min_marginals(problem, message, work):
    """Go on computing the min-marginals of a message, after `begin_exact` until `Progress.next` is -1.

    Returns the entries read.
    """
    method = problem.methods.method[message.arc]
    if method == Method.ELIMINATE:
        return ELIMINATED * eliminate(problem, message, work)
    if method == Method.PRUNE:
        return _prune(problem, message, work)
    return enumerate_some(problem, message, len(message.nu), work)


@inner
def enumerate_some(problem, message, limit, work):
    """Enumerate some of the states before a limit. Returns the entries read."""
    sender_states = 1 << problem.bits[message.arc ^ 1]
    begin = work.progress.next
    end = min(limit, begin + max(4, work.progress.limit // sender_states))
    for t in range(end - begin):
        work.chosen[t] = begin + t
    part = Message(message.arc, message.incoming, message.nu[begin:end])
    enumerate_min_marginals(problem, part, work.chosen[: end - begin], work)
    _go_to(end, message, work)
    return (end - begin) * (sender_states + STATE)


@inner
def _go_to(end, message, work):
    """Note that the min-marginals of the states before ``end`` are known."""
    work.progress.next = end if end < len(message.nu) else -1
    work.progress.spent = 0


@inner
def _prune(problem, message, work):
    """Prune in the largest box at `Progress.next` in which that works; where none does, enumerate."""
    progress = work.progress
    bits, sender_bits = problem.bits[message.arc], problem.bits[message.arc ^ 1]
    begin = progress.next
    if begin == 0 and progress.part == 0:
        list_candidates(problem, message.arc, work.prune)
        progress.worthwhile = True
    if not progress.worthwhile:
        return enumerate_some(problem, message, len(message.nu), work)
    spent = 0
    if progress.part == 0:
        smallest = max(bits - HALVINGS, 0)
        spent = _find_box(problem, message, smallest, work)
        if progress.part == 0:
            return spent + enumerate_some(problem, message, ((begin >> smallest) + 1) << smallest, work)
    open_bits = progress.part - 1
    spent += PRUNED * halve_box(message, open_bits, work)
    progress.spent += spent
    if progress.depth < 0:
        progress.worthwhile = progress.spent < (STATE + (1 << sender_bits)) << open_bits
        progress.part = 0
        _go_to(begin + (1 << open_bits), message, work)
    return spent


@inner
def _find_box(problem, message, smallest, work):
    """Begin with the largest box at `Progress.next` in which few candidates survive; returns the entries read."""
    open_bits, sender_bits, spent = problem.bits[message.arc], problem.bits[message.arc ^ 1], 0
    while work.progress.next & everything(open_bits):
        open_bits -= 1
    while open_bits >= smallest:
        spent += PRUNED * ((open_bits + 1) << sender_bits)
        if begin_box(problem, message, open_bits, work):
            work.progress.part = 1 + open_bits
            return spent
        open_bits -= 1
    return spent
