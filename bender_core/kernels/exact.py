"""Exact min-marginals, each by the cheapest of three ways (method.md, section 5).

Enumerating needs 2^(a + b) entries whatever the couplings are; eliminating as many as its tables have, which is
known in advance; pruning about 2^a + a 2^b where few candidates matter, and never much more than enumerating.
"""

from __future__ import annotations

from bender_core.kernels._jit import inlined, kernel
from bender_core.kernels.eliminate import eliminate, plan_elimination
from bender_core.kernels.layout import Method
from bender_core.kernels.prune import prepare_frame, prune_box
from bender_core.kernels.rows import enumerate_min_marginals

# Entries enumerated in one go.
BLOCK = 1 << 24
# What the three ways cost beside and per entry, in entries enumerated; measured (`make bench` prints the times).
STATE = 400
ELIMINATED, ELIMINATION = 12, 4000
PRUNED, PRUNING = 4, 60000
# Pruning may need more than its least; a way whose cost is known is preferred up to so many times that.
CERTAINTY = 8
# The tables of an elimination may have so many times the states of the larger group.
WIDEST = 4
# A box is halved so often, if too many candidates survive in it, before its states are enumerated.
HALVINGS = 6


@kernel
def plan_exact(problem):
    """Choose for every arc how its min-marginals are computed: fills ``method``, ``elimination`` and ``front``."""
    method = problem.method
    for arc in range(len(method)):
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
def exact_min_marginals(problem, arc, sent, begin, nu, work):
    """Compute min-marginals of the receiver's active states from ``begin`` on, as many as one go is good for.

    Returns the first state not done, and the entries read.
    """
    if problem.method[arc] == Method.ELIMINATE:
        eliminate(problem, arc, problem.elimination[arc], sent, nu, work)
        return len(nu), ELIMINATED << max(problem.bits[arc], problem.bits[arc ^ 1])
    if problem.method[arc] == Method.PRUNE:
        return _prune(problem, arc, sent, begin, nu, work)
    return enumerate_some(problem, arc, sent, begin, len(nu), nu, work)


@kernel
def enumerate_some(problem, arc, sent, begin, limit, nu, work):
    """Enumerate the states from ``begin`` on, about BLOCK entries; returns as `exact_min_marginals`."""
    sender_states = 1 << problem.bits[arc ^ 1]
    end = min(limit, begin + max(4, BLOCK // sender_states))
    for t in range(end - begin):
        work.found[t] = begin + t
    enumerate_min_marginals(problem, sent, arc, work.found[: end - begin], nu[begin:end], work)
    return end, (end - begin) * (sender_states + STATE)


@inlined
def _prune(problem, arc, sent, begin, nu, work):
    """Prune in the largest box at ``begin`` in which that works; where none does, enumerate."""
    bits, sender_bits = problem.bits[arc], problem.bits[arc ^ 1]
    if begin == 0:
        prepare_frame(problem, arc, work.frame)
        work.worthwhile[0] = True
    if not work.worthwhile[0]:
        return enumerate_some(problem, arc, sent, begin, len(nu), nu, work)
    smallest = max(bits - HALVINGS, 0)
    open_bits = bits
    while begin & ((1 << open_bits) - 1):
        open_bits -= 1
    spent = 0
    while open_bits >= smallest:
        done, entries = prune_box(problem, arc, sent, begin, open_bits, nu, work)
        spent += PRUNED * entries
        if done:
            work.worthwhile[0] = spent < (STATE + (1 << sender_bits)) << open_bits
            return begin + (1 << open_bits), spent
        open_bits -= 1
    end, more = enumerate_some(problem, arc, sent, begin, ((begin >> smallest) + 1) << smallest, nu, work)
    return end, spent + more
