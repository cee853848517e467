"""How freely the groups of a model choose their states, which determines the number of rows in their envelopes.

Everything is computed from a model and a partition alone, by sampling random labellings; no allocation grows with the
states of a group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from bender_core.groups import Partition
from bender_core.kernels.forest import Closes, spanning_forest
from bender_core.model import BinaryMRF, FloatArray
from bender_core.stopping import Stop, never

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# The number of random labellings, and of rounds in which every variable takes its better value with probability 1/2.
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


class Freedom(NamedTuple):
    """Features of a model and a partition that predict the groups' states."""

    frustration: float  # see `frustration`
    response: FloatArray  # (G,), see `response`
    diversity: FloatArray  # (G,), see `diversity`


def freedom(mrf: BinaryMRF, part: Partition, stop: Stop = never) -> Freedom:
    """All features.

    Raises
    ------
    Stopped
        If ``stop`` says so; it is asked a few times a second in models of 200 000 couplings.
    """
    return Freedom(frustration(mrf), response(mrf, part, stop), diversity(mrf, part, stop))


def frustration(mrf: BinaryMRF) -> float:
    """The share of coupling that stays unsatisfied when the strongest couplings are satisfied first.

    Couplings are satisfied in the order of their strength unless earlier ones imply the opposite; 0 on trees and where
    no cycle is frustrated.
    """
    coupling = mrf.coupling()
    strength = np.abs(coupling)
    order = np.argsort(-strength, kind="stable")
    closes = spanning_forest(mrf.n, mrf.edges[order], coupling[order] > 0)
    left = float(strength[order][closes == Closes.FRUSTRATED].sum())
    return left / max(float(strength.sum()), np.finfo(float).tiny)


# Cached per model, as they are the same for all partitions.
_MINIMA: WeakKeyDictionary[BinaryMRF, NDArray[np.bool_]] = WeakKeyDictionary()


def _local_minima(mrf: BinaryMRF, stop: Stop) -> NDArray[np.bool_]:
    """The local minima reached from random labellings, shape (n, LABELINGS)."""
    if mrf not in _MINIMA:
        spins, rng = to_spins(mrf), np.random.default_rng(0)
        _MINIMA[mrf] = _relaxed(mrf, spins.coupling, spins.field[:, None], rng, stop)
    return _MINIMA[mrf]


def _relaxed(
    mrf: BinaryMRF, coupling: FloatArray, field: FloatArray, rng: np.random.Generator, stop: Stop
) -> NDArray[np.bool_]:
    """Random labellings after rounds in which variables follow their fields; (n, LABELINGS)."""
    matrix = _matrix(mrf, coupling)
    spins = rng.choice([-1.0, 1.0], (mrf.n, LABELINGS))
    for _ in range(ROUNDS):
        stop.check()
        force = matrix @ spins + field
        turned = (force * spins > 0) & (rng.random(spins.shape) < 0.5)
        spins = np.where(turned, -spins, spins)
    return spins > 0


def _matrix(mrf: BinaryMRF, coupling: FloatArray) -> csr_array:
    """The couplings as a symmetric matrix."""
    from scipy.sparse import csr_array  # slow to import, and needed only here

    ends = mrf.edges.T
    return csr_array((np.tile(coupling, 2), (ends.reshape(-1), ends[::-1].reshape(-1))), shape=(mrf.n, mrf.n))


def diversity(mrf: BinaryMRF, part: Partition, stop: Stop = never) -> FloatArray:
    """Entropy of the groups' states over local minima of the model, bits, shape (G,)."""
    return _entropy(_local_minima(mrf, stop), part)


def response(mrf: BinaryMRF, part: Partition, stop: Stop = never) -> FloatArray:
    """Entropy of the groups' best responses to random labellings of all others, bits, shape (G,)."""
    spins, rng, owner = to_spins(mrf), np.random.default_rng(0), part.group_of()
    inside = owner[mrf.edges[:, 0]] == owner[mrf.edges[:, 1]]
    others = rng.choice([-1.0, 1.0], (mrf.n, LABELINGS))
    field = spins.field[:, None] + _matrix(mrf, spins.coupling * ~inside) @ others
    return _entropy(_relaxed(mrf, spins.coupling * inside, field, rng, stop), part)


def _entropy(labelings: NDArray[np.bool_], part: Partition) -> FloatArray:
    """The entropy of the states of every group over some labellings, bits, shape (G,)."""
    code = np.zeros((len(part), LABELINGS))
    # A random number for every member: different states have different sums.
    value = np.random.default_rng(1).normal(size=len(labelings))
    np.add.at(code, part.group_of(), value[:, None] * labelings)
    code.sort(axis=1)
    # Where a state differs from that of the previous labelling; a new group begins with a new state.
    fresh = np.diff(code, axis=1, prepend=np.nan) != 0
    begin = np.flatnonzero(fresh)
    share = np.diff(begin, append=code.size) / LABELINGS
    return np.bincount(begin // LABELINGS, -share * np.log2(share), minlength=len(part)).astype(np.float64)
