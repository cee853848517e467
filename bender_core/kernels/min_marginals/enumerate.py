"""Min-marginals of chosen states: one pass over what the sender brings for each (docs/method.md §3.2 and §5.1)."""

from __future__ import annotations

from bender_core.kernels._jit import entry, small
from bender_core.kernels.tables.affine import affine_argmax, affine_max, affine_max4, affine_value
from bender_core.kernels.tables.coupling import tabulate_coupling
from bender_core.kernels.tables.projection import active_state, dual_table, fetch, incoming_table


@small
def oracle(problem, arc, incoming, y, work):
    """The true min-marginal ``nu_pq(y*)`` of one active state: a single pass over what the sender brings.

    With y* fixed the coupling is affine in y_q: it is minus the v of the reverse row at y*, so the value is
    also the intercept of that row.
    """
    tabulate_coupling(problem, arc, y, work.slope, work.table[0])
    return -affine_max(incoming, problem.bits[arc ^ 1], work.table[0], work.scan)


@entry
def answer(problem, lam, arc, state, work):
    """The oracle at one state of the receiver, idle members included: the sender's best state, and the min-marginal.

    Ties go to the lowest active state, and then to the lowest state.
    """
    fetch(problem, lam, arc, work.incoming[0])
    incoming = incoming_table(problem, lam, arc, work.incoming[0])
    bits, table = problem.bits[arc ^ 1], work.table[0]
    tabulate_coupling(problem, arc, active_state(problem, arc, state), work.slope, table)
    seen = affine_argmax(incoming, bits, table, work.scan)
    value = -(incoming[seen] + affine_value(table, bits, seen))
    brought, best = dual_table(problem, lam, arc ^ 1), -1
    for y in range(len(brought)):
        if active_state(problem, arc ^ 1, y) == seen and (best < 0 or brought[y] > brought[best]):
            best = y
    return best, value


@entry
def enumerate_min_marginals(problem, message, states, work):
    """``nu[k] = min_{y_q} phi_pq(states[k], y_q) - incoming(y_q)``: a pass over what the sender brings per state."""
    arc, incoming, nu, table = message.arc, message.incoming, message.nu, work.table
    bits = problem.bits[arc ^ 1]
    count = len(states)
    k = 0
    while k + 4 <= count:
        for j in range(4):
            tabulate_coupling(problem, arc, states[k + j], work.slope, table[j])
        m0, m1, m2, m3 = affine_max4(incoming, bits, (table[0], table[1], table[2], table[3]), work.scan)
        nu[k], nu[k + 1], nu[k + 2], nu[k + 3] = -m0, -m1, -m2, -m3
        k += 4
    while k < count:
        tabulate_coupling(problem, arc, states[k], work.slope, table[0])
        nu[k] = -affine_max(incoming, bits, table[0], work.scan)
        k += 1
