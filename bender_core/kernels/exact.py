"""Exact min-marginals, each by the cheapest of three ways (method.md, section 5).

Enumerating needs 2^(a + b) entries whatever the couplings are; eliminating as many as its tables have, which is
known in advance; pruning about 2^a + a 2^b where few candidates matter, and never much more than enumerating.
"""

from __future__ import annotations

from bender_core.kernels._jit import inlined, kernel
from bender_core.kernels.eliminate import eliminate, plan_elimination
from bender_core.kernels.layout import Method, Progress
from bender_core.kernels.prune import begin_box, halve_box, prepare_frame
from bender_core.kernels.rows import enumerate_min_marginals

# What the three ways cost beside and per entry, in entries enumerated; measured (`make bench` prints the times).
STATE = 400
ELIMINATED, ELIMINATION = 12, 4000
PRUNED, PRUNING = 4, 60000
# Pruning may need more than its least; a way whose cost is known is preferred up to this multiple.
CERTAINTY = 8
# The tables of an elimination may have so many times the states of the larger group.
WIDEST = 4
# A box is halved so often, if too many candidates survive in it, before its states are enumerated.
HALVINGS = 6


@kernel
def plan_exact(problem, begin, end):
    """Choose for some arcs how their min-marginals are computed: fills ``method``, ``elimination`` and ``front``."""
    method = problem.method
    for arc in range(begin, end):
        bits, sender_bits = problem.bits[arc], problem.bits[arc ^ 1]
        peak, entries = plan_elimination(problem, arc, problem.elimination[arc])
        method[arc], cost = Method.ENUMERATE, 2.0**bits * (STATE + 2.0**sender_bits)
        pruning = PRUNING + PRUNED * (2.0**bits + bits * 2.0**sender_bits)
        if pruning < cost:
            method[arc], cost = Method.PRUNE, CERTAINTY * pruning
        if peak <= WIDEST << max(bits, sender_bits) and ELIMINATION + ELIMINATED * entries < cost:
            method[arc] = Method.ELIMINATE
        problem.front[arc] = peak if method[arc] == Method.ELIMINATE else 0.0


@kernel
def begin_exact(work):
    """Prepare for a message of which nothing is known."""
    limit = work.progress[Progress.LIMIT]
    work.progress[:] = 0
    work.progress[Progress.LIMIT] = limit


@kernel
def exact_min_marginals(problem, arc, sent, nu, work):
    """Go on computing the min-marginals of the receiver's active states, after `begin_exact` until NEXT is -1.

    Returns the entries read.
    """
    if problem.method[arc] == Method.ELIMINATE:
        return ELIMINATED * eliminate(problem, arc, problem.elimination[arc], sent, nu, work)
    if problem.method[arc] == Method.PRUNE:
        return _prune(problem, arc, sent, nu, work)
    return enumerate_some(problem, arc, sent, len(nu), nu, work)


@kernel
def enumerate_some(problem, arc, sent, limit, nu, work):
    """Enumerate some of the states before a limit; NEXT is -1 once no state is left. Returns the entries read."""
    sender_states = 1 << problem.bits[arc ^ 1]
    begin = work.progress[Progress.NEXT]
    end = min(limit, begin + max(4, work.progress[Progress.LIMIT] // sender_states))
    for t in range(end - begin):
        work.found[t] = begin + t
    enumerate_min_marginals(problem, sent, arc, work.found[: end - begin], nu[begin:end], work)
    _go_to(end, nu, work)
    return (end - begin) * (sender_states + STATE)


@kernel
def _go_to(end, nu, work):
    """Note that the min-marginals of the states before ``end`` are known."""
    work.progress[Progress.NEXT] = end if end < len(nu) else -1
    work.progress[Progress.SPENT] = 0


@inlined
def _prune(problem, arc, sent, nu, work):
    """Prune in the largest box at NEXT in which that works; where none does, enumerate."""
    progress = work.progress
    bits, sender_bits = problem.bits[arc], problem.bits[arc ^ 1]
    begin = progress[Progress.NEXT]
    if begin == 0 and progress[Progress.PART] == 0:
        prepare_frame(problem, arc, work.frame)
        work.worthwhile[0] = True
    if not work.worthwhile[0]:
        return enumerate_some(problem, arc, sent, len(nu), nu, work)
    smallest = max(bits - HALVINGS, 0)
    spent = 0
    if progress[Progress.PART] == 0:
        open_bits = bits
        while begin & ((1 << open_bits) - 1):
            open_bits -= 1
        while open_bits >= smallest:
            spent += PRUNED * ((open_bits + 1) << sender_bits)
            if begin_box(problem, arc, sent, begin, open_bits, nu, work):
                progress[Progress.PART] = 1 + open_bits
                break
            open_bits -= 1
    if progress[Progress.PART] == 0:
        return spent + enumerate_some(problem, arc, sent, ((begin >> smallest) + 1) << smallest, nu, work)
    open_bits = progress[Progress.PART] - 1
    spent += PRUNED * halve_box(problem, begin, open_bits, nu, work)
    progress[Progress.SPENT] += spent
    if progress[Progress.DEPTH] < 0:
        work.worthwhile[0] = progress[Progress.SPENT] < (STATE + (1 << sender_bits)) << open_bits
        progress[Progress.PART] = 0
        _go_to(begin + (1 << open_bits), nu, work)
    return spent
