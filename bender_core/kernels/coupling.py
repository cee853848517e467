"""The coupling of an arc as functions of bits, prepared once.

For a fixed state of the receiver, ``-phi_pq(y_p, .)`` is affine in the bits of the sender. Its constant and
slopes are sums of one term per bit of the receiver, so they are kept for all values of the receiver's low bits
and of its high bits; any state's are then one addition away, however many couplings the edge has.
"""

from __future__ import annotations

from bender_core.kernels._jit import kernel
from bender_core.kernels.affine import assign, tabulate
from bender_core.kernels.layout import LOW_BITS
from bender_core.kernels.projection import active_state


@kernel
def prepare_forms(bits, coupling_start, coupling_bit, coupling_entry, coupling_weight, form_start, form, begin, end):
    """Fill ``form`` for some arcs: the (constant, slopes) of each low state, then what each high state adds."""
    for arc in range(begin, end):
        edge, side = arc // 2, arc % 2
        receiver_bits, sender_bits = bits[arc], bits[arc ^ 1]
        low = min(receiver_bits, LOW_BITS)
        width = sender_bits + 1
        at = form_start[arc]
        high_at = at + (width << low)
        form[high_at : high_at + width] = 0.0
        _add_couplings(edge, side, -1, coupling_start, coupling_bit, coupling_entry, coupling_weight, form, at, width)
        for k in range(receiver_bits):
            block = at if k < low else high_at
            first = 1 << (k if k < low else k - low)
            for state in range(first):
                known = block + state * width
                fresh = block + (first + state) * width
                assign(form[fresh : fresh + width], form[known:])
                _add_couplings(
                    edge, side, k, coupling_start, coupling_bit, coupling_entry, coupling_weight, form, fresh, width
                )


@kernel
def _add_couplings(edge, side, bit, start, coupling_bit, coupling_entry, coupling_weight, form, at, width):
    """Add what switching one bit of the receiver on changes; with bit -1, set what all bits off amount to."""
    if bit < 0:
        form[at : at + width] = 0.0
    for c in range(start[edge], start[edge + 1]):
        if bit >= 0 and coupling_bit[c, side] != bit:
            continue
        takes_one = coupling_entry[c, side] == 1
        if bit < 0 and takes_one:
            continue
        amount = coupling_weight[c] if takes_one or bit < 0 else -coupling_weight[c]
        if coupling_entry[c, 1 - side] == 1:
            form[at + 1 + coupling_bit[c, 1 - side]] += amount
        else:
            form[at + 1 + coupling_bit[c, 1 - side]] -= amount
            form[at] += amount


@kernel
def coupling_form(problem, arc, state, slope):
    """``-phi_pq(state, .)`` as a function of the sender's active bits: fills the slopes, returns the constant."""
    bits = problem.bits[arc ^ 1]
    width = bits + 1
    low = min(problem.bits[arc], LOW_BITS)
    a = problem.form_start[arc] + (state & ((1 << low) - 1)) * width
    b = problem.form_start[arc] + ((1 << low) + (state >> low)) * width
    form = problem.form
    for k in range(bits):
        slope[k] = form[a + 1 + k] + form[b + 1 + k]
    return form[a] + form[b]


@kernel
def tabulate_group(bits, unary, inner_bit, inner_entry, inner_weight, slope, table, low_length, phi):
    """Energies of all states of a group: its unaries, and what its inner couplings pay (negative weights).

    A bit that is switched on changes the energy by an affine function of the bits below it.
    """
    phi[0] = 0.0
    for k in range(bits):
        phi[0] += unary[k, 0]
    for c in range(len(inner_weight)):
        if inner_entry[c, 0] == 0 and inner_entry[c, 1] == 0:
            phi[0] += inner_weight[c]
    for k in range(bits):
        constant = unary[k, 1] - unary[k, 0]
        slope[:k] = 0.0
        for c in range(len(inner_weight)):
            side = 0 if inner_bit[c, 0] == k else 1
            if inner_bit[c, side] != k:
                continue
            amount = inner_weight[c] if inner_entry[c, side] == 1 else -inner_weight[c]
            other, wanted = inner_bit[c, 1 - side], inner_entry[c, 1 - side]
            if other > k:
                # Bits above are still off.
                constant += amount * (1 - wanted)
            elif wanted == 1:
                slope[other] += amount
            else:
                slope[other] -= amount
                constant += amount
        tabulate(constant, slope, k, table, 0, low_length)
        _add_affine(phi, k, table, low_length)


@kernel
def _add_affine(phi, bits, table, low_length):
    """The energies with the next bit on: those with it off plus a tabulated affine function."""
    n_low = 1 << min(bits, LOW_BITS)
    low = table[:n_low]
    for h in range(1 << max(bits - LOW_BITS, 0)):
        shift = table[low_length + h]
        known = phi[h * n_low : (h + 1) * n_low]
        fresh = phi[(1 << bits) + h * n_low : (1 << bits) + (h + 1) * n_low]
        for t in range(n_low):
            fresh[t] = known[t] + (shift + low[t])


@kernel
def coupling_energy(problem, edge, yp, yq):
    """``phi_pq`` at two states of the groups."""
    yp, yq = active_state(problem, 2 * edge, yp), active_state(problem, 2 * edge + 1, yq)
    energy = 0.0
    for c in range(problem.coupling_start[edge], problem.coupling_start[edge + 1]):
        p_takes = (yp >> problem.coupling_bit[c, 0]) & 1 == problem.coupling_entry[c, 0]
        q_takes = (yq >> problem.coupling_bit[c, 1]) & 1 == problem.coupling_entry[c, 1]
        if p_takes and q_takes:
            energy -= problem.coupling_weight[c]
    return energy


@kernel
def coupling_minimum(problem, arc, begin, end, slope):
    """``min phi_pq`` over some states of the receiver and all of the sender, which separate into the sender's bits."""
    best = 0.0
    for y in range(begin, end):
        most = coupling_form(problem, arc, y, slope)
        for k in range(problem.bits[arc ^ 1]):
            most += max(slope[k], 0.0)
        best = min(best, -most)
    return best
