"""The coupling of an arc as functions of bits, prepared once.

``phi_pq(y_p, y_q) = -sum_c weight_c [y_p takes its entry] [y_q takes its entry]`` over the couplings of the edge
(normal form, docs/method.md §1.3). For a fixed state of the receiver, ``-phi_pq(y_p, .)`` is affine in the bits of the
sender. Its constant and slopes are sums of one term per bit of the receiver, so they are kept for all values of the
receiver's low bits and of its high bits; any state's are then one addition away, however many couplings the edge has.
"""

from __future__ import annotations

from bender_core.kernels._jit import entry, inner, small
from bender_core.kernels.layout import LOW_BITS
from bender_core.kernels.tables.affine import assign, high_states, low_states, tabulate
from bender_core.kernels.tables.projection import active_state, energies, receiver_of

# Of `_add_couplings`: no bit, but all bits off.
ALL_OFF = -1


@entry
def prepare_forms(bits, couplings, forms, begin, end):
    """Fill the forms of some arcs: the (constant, slopes) of each low state, then what each high state adds."""
    for arc in range(begin, end):
        width = bits[arc ^ 1] + 1
        n_low, n_high = low_states(bits[arc]), high_states(bits[arc])
        high_first = forms.first[arc] + n_low * width
        low = forms.table[forms.first[arc] : high_first]
        high = forms.table[high_first : high_first + n_high * width]
        high[:width] = 0.0
        low[:width] = 0.0
        _add_couplings(couplings, arc, ALL_OFF, low[:width])
        for k in range(bits[arc]):
            block = low if k < LOW_BITS else high
            first = 1 << (k if k < LOW_BITS else k - LOW_BITS)
            for state in range(first):
                fresh = block[(first + state) * width : (first + state + 1) * width]
                assign(fresh, block[state * width :])
                _add_couplings(couplings, arc, k, fresh)


@inner
def _add_couplings(couplings, arc, bit, form):
    """Add what switching one bit of the receiver on changes, or what all bits off amount to."""
    edge, side = arc // 2, arc % 2
    for c in range(couplings.first[edge], couplings.first[edge + 1]):
        if bit != ALL_OFF and couplings.bit[c, side] != bit:
            continue
        takes_one = couplings.entry[c, side] == 1
        if bit == ALL_OFF and takes_one:
            continue
        amount = couplings.weight[c] if takes_one or bit == ALL_OFF else -couplings.weight[c]
        if couplings.entry[c, 1 - side] == 1:
            form[1 + couplings.bit[c, 1 - side]] += amount
        else:
            form[1 + couplings.bit[c, 1 - side]] -= amount
            form[0] += amount


@small
def coupling_form(problem, arc, state, slope):
    """``-phi_pq(state, .)`` as a function of the sender's active bits: fills the slopes, returns the constant."""
    bits = problem.bits[arc ^ 1]
    width, n_low = bits + 1, low_states(problem.bits[arc])
    first, table = problem.forms.first[arc], problem.forms.table
    a = first + (state & (n_low - 1)) * width
    b = first + (n_low + (state >> LOW_BITS)) * width
    for k in range(bits):
        slope[k] = table[a + 1 + k] + table[b + 1 + k]
    return table[a] + table[b]


@inner
def tabulate_coupling(problem, arc, state, slope, g):
    """``-phi_pq(state, .)`` over the sender's states, which is the v of the reverse row at that state."""
    constant = coupling_form(problem, arc, state, slope)
    tabulate(constant, slope, problem.bits[arc ^ 1], g)


@entry
def tabulate_group(unary, inside, node, slope, g, phi):
    """Energies of all states of a group: its unaries, and what the couplings inside it (negative weights) pay.

    A bit that is switched on changes the energy by an affine function of the bits below it.
    """
    bits = len(unary)
    phi[0] = 0.0
    for k in range(bits):
        phi[0] += unary[k, 0]
    for c in range(inside.first[node], inside.first[node + 1]):
        if inside.entry[c, 0] == 0 and inside.entry[c, 1] == 0:
            phi[0] += inside.weight[c]
    for k in range(bits):
        constant = _switched_on(unary, inside, node, k, slope)
        tabulate(constant, slope, k, g)
        _add_affine(phi, k, g)


@inner
def _switched_on(unary, inside, node, k, slope):
    """What switching bit k on changes, as a function of the bits below: fills the slopes, returns the constant."""
    constant = unary[k, 1] - unary[k, 0]
    slope[:k] = 0.0
    for c in range(inside.first[node], inside.first[node + 1]):
        side = 0 if inside.bit[c, 0] == k else 1
        if inside.bit[c, side] != k:
            continue
        amount = inside.weight[c] if inside.entry[c, side] == 1 else -inside.weight[c]
        other, entry = inside.bit[c, 1 - side], inside.entry[c, 1 - side]
        if other > k:
            # Bits above are still off.
            constant += amount * (1 - entry)
        elif entry == 1:
            slope[other] += amount
        else:
            slope[other] -= amount
            constant += amount
    return constant


@inner
def _add_affine(phi, bits, g):
    """The energies with the next bit on: those with it off plus an affine function."""
    n_low = low_states(bits)
    low, high = g[:n_low], g[n_low:]
    for h in range(high_states(bits)):
        shift = high[h]
        known = phi[h * n_low : (h + 1) * n_low]
        fresh = phi[(1 << bits) + h * n_low : (1 << bits) + (h + 1) * n_low]
        for t in range(n_low):
            fresh[t] = known[t] + (shift + low[t])


@entry
def coupling_energy(problem, edge, states):
    """``phi_pq`` at a joint state of all groups."""
    couplings = problem.couplings
    yp = active_state(problem, 2 * edge, states[problem.edge_node[edge, 0]])
    yq = active_state(problem, 2 * edge + 1, states[problem.edge_node[edge, 1]])
    energy = 0.0
    for c in range(couplings.first[edge], couplings.first[edge + 1]):
        p_takes = (yp >> couplings.bit[c, 0]) & 1 == couplings.entry[c, 0]
        q_takes = (yq >> couplings.bit[c, 1]) & 1 == couplings.entry[c, 1]
        if p_takes and q_takes:
            energy -= couplings.weight[c]
    return energy


@entry
def coupling_minimum(problem, arc, begin, end, slope):
    """``min phi_pq`` over some states of the receiver and all of the sender, which separate into the sender's bits."""
    best = 0.0
    for y in range(begin, end):
        most = coupling_form(problem, arc, y, slope)
        for k in range(problem.bits[arc ^ 1]):
            most += max(slope[k], 0.0)
        best = min(best, -most)
    return best


@entry
def total_energy(problem, states):
    """The energy of a joint state of all groups, without the model's constant, rounded once."""
    return exact_energy(problem, states)[0]


@inner
def exact_energy(problem, states):
    """The same as a sum of two numbers, the second of which is what rounding took from the first."""
    energy, rest = 0.0, 0.0
    for p in range(len(states)):
        energy, rest = add_exactly(energy, rest, energies(problem, p)[states[p]])
    for edge in range(len(problem.edge_node)):
        energy, rest = add_exactly(energy, rest, coupling_energy(problem, edge, states))
    return add_exactly(energy, 0.0, rest)


@inner
def add_local_energy(problem, states, node, sign, energy, rest):
    """Add the part of an energy that the state of one group decides, or take it away; the energy as of `exact_energy`.

    Only what is added term by term leaves nothing behind when it is taken away, however large it was.
    """
    energy, rest = add_exactly(energy, rest, sign * energies(problem, node)[states[node]])
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        edge = problem.node_arcs[a] // 2
        energy, rest = add_exactly(energy, rest, sign * coupling_energy(problem, edge, states))
    return add_exactly(energy, 0.0, rest)


@inner
def add_exactly(total, rest, term):
    """Add a term to a sum, and what rounding takes from it to the rest (D. E. Knuth, TAOCP 2, §4.2.2)."""
    fresh = total + term
    part = fresh - total
    return fresh, rest + ((total - (fresh - part)) + (term - part))


@inner
def local_energy(problem, states, node):
    """The part of it that the state of one group decides."""
    energy = energies(problem, node)[states[node]]
    for a in range(problem.arc_first[node], problem.arc_first[node + 1]):
        energy += coupling_energy(problem, problem.node_arcs[a] // 2, states)
    return energy


@inner
def add_slopes(problem, arc, state, sign, total, slope):
    """Add to every member's slope what a state of the sender makes it pay for being 1; returns the constant."""
    back = arc ^ 1
    constant = coupling_form(problem, back, active_state(problem, back, state), slope)
    k = 0
    for position in range(problem.size[receiver_of(problem, arc)]):
        if active_state(problem, arc, 1 << position) != 0:
            total[position] -= sign * slope[k]
            k += 1
    return -sign * constant
