"""How freely the groups of a model choose their states: what decides how many rows their envelopes take.

All of it comes from a model and a partition alone, by looking at random labellings; nothing is allocated that grows
with the states of a group.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bender_core.model import BinaryMRF, FloatArray
from bender_core.partition import Partition
from bender_core.partition.groups import find

# Random labellings, and rounds in which every variable, with probability 1/2, takes its better value.
LABELINGS, ROUNDS = 64, 12


class Spins(NamedTuple):
    """A model as an Ising model: ``sum h_i s_i + sum J_ij s_i s_j`` over spins of -1 (state 0) and 1."""

    field: FloatArray  # (n,)
    coupling: FloatArray  # (m,)


def to_spins(mrf: BinaryMRF) -> Spins:
    """Fields and couplings of a model, energies; the constant is left out."""
    t = mrf.pairwise
    field = 0.5 * (mrf.unary[:, 1] - mrf.unary[:, 0])
    change = t[:, 1, :] - t[:, 0, :], t[:, :, 1] - t[:, :, 0]
    for side in (0, 1):
        field += 0.25 * np.bincount(mrf.edges[:, side], change[side].sum(axis=1), minlength=mrf.n)
    return Spins(field, 0.25 * mrf.coupling())


@lru_cache(maxsize=8)
def frustration(mrf: BinaryMRF) -> float:
    """The share of all coupling that a labelling leaves unsatisfied which satisfies the strongest first.

    Couplings are satisfied in the order of their strength as long as none before them decides otherwise; 0 on trees and
    where no cycle is frustrated.
    """
    coupling = mrf.coupling()
    # Every variable twice, as it is and flipped: a coupling joins what it wants to be alike.
    root = list(range(2 * mrf.n))
    left = 0.0
    for e in np.argsort(-np.abs(coupling), kind="stable").tolist():
        i, j = mrf.edges[e].tolist()
        apart = mrf.n if coupling[e] > 0 else 0
        if find(root, i) == find(root, j + mrf.n - apart):
            left += abs(float(coupling[e]))
            continue
        root[find(root, i)] = find(root, j + apart)
        root[find(root, i + mrf.n)] = find(root, j + mrf.n - apart)
    return left / max(float(np.abs(coupling).sum()), np.finfo(float).tiny)


@lru_cache(maxsize=8)
def _local_minima(mrf: BinaryMRF) -> FloatArray:
    """Labellings, as spins, that random ones descend to, shape (n, LABELINGS)."""
    spins, rng = to_spins(mrf), np.random.default_rng(0)
    return _relaxed(mrf, spins.coupling, spins.field[:, None], rng)


def _relaxed(mrf: BinaryMRF, coupling: FloatArray, field: FloatArray, rng: np.random.Generator) -> FloatArray:
    """What random labellings become when their variables follow their fields; (n, LABELINGS)."""
    from scipy.sparse import csr_array  # slow to import, and needed here only

    ends = mrf.edges.T
    matrix = csr_array((np.tile(coupling, 2), (ends.reshape(-1), ends[::-1].reshape(-1))), shape=(mrf.n, mrf.n))
    spins = rng.choice([-1.0, 1.0], (mrf.n, LABELINGS))
    for _ in range(ROUNDS):
        force = matrix @ spins + field
        turned = (force * spins > 0) & (rng.random(spins.shape) < 0.5)
        spins = np.where(turned, -spins, spins)
    return spins


def diversity(mrf: BinaryMRF, part: Partition) -> FloatArray:
    """In how many states groups are found in local minima of the model, in bits (entropy), shape (G,)."""
    return _entropy(_local_minima(mrf), part)


def response(mrf: BinaryMRF, part: Partition) -> FloatArray:
    """In how many states groups answer random labellings of all others, in bits (entropy), shape (G,)."""
    spins, rng, owner = to_spins(mrf), np.random.default_rng(0), part.group_of()
    inside = owner[mrf.edges[:, 0]] == owner[mrf.edges[:, 1]]
    others = rng.choice([-1.0, 1.0], (mrf.n, LABELINGS))
    field = spins.field[:, None].repeat(LABELINGS, axis=1)
    for side in (0, 1):
        ends, weight = mrf.edges[~inside], spins.coupling[~inside]
        np.add.at(field, ends[:, side], weight[:, None] * others[ends[:, 1 - side]])
    return _entropy(_relaxed(mrf, spins.coupling * inside, field, rng), part)


def _entropy(spins: FloatArray, part: Partition) -> FloatArray:
    """The entropy of the states of every group over some labellings, bits, shape (G,)."""
    code = np.zeros((len(part), spins.shape[1]))
    # A random number for every member: states that differ have different sums.
    value = np.random.default_rng(1).normal(size=len(spins))
    np.add.at(code, part.group_of(), value[:, None] * (spins > 0))
    code.sort(axis=1)
    # Where a state is not that of the labelling before; a new group begins with a new state.
    fresh = np.diff(code, axis=1, prepend=np.nan) != 0
    begin = np.flatnonzero(fresh)
    share = np.diff(begin, append=code.size) / spins.shape[1]
    return np.bincount(begin // spins.shape[1], -share * np.log2(share), minlength=len(part)).astype(np.float64)
