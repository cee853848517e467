"""Penalties so large that rounding hides smaller energies, lowered to a value that no better labelling pays.

Where an entry of a table exceeds the least one by more than the best labelling exceeds the sum of all least entries, no
better labelling takes it: a smaller penalty does as well. Lowering entries lowers energies, so a bound on the energies
of the capped model is one on those of the model, whatever the cap. Source: docs/method.md §15.7.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from bender_core.forms.lattice import Lattice, lattice
from bender_core.forms.normal_form import ROUNDING
from bender_core.forms.polynomial import polynomial
from bender_core.forms.scale import negligible_gain
from bender_core.model import BinaryMRF, FloatArray, IntArray

# The cap is larger than need be, as bounds are better beside larger penalties.
_ROOM = 4.0
# The share of a better labelling's gain that rounding may take.
_SHARE = 0.8


def capped(mrf: BinaryMRF, cap: float) -> BinaryMRF:
    """A model in which no entry of a table exceeds the least one by more than the cap.

    Parameters
    ----------
    mrf : BinaryMRF
    cap : float
        Energy; infinite: the model is unchanged.

    Returns
    -------
    BinaryMRF
    """
    if math.isinf(cap):
        return mrf
    least, _, _ = _excess(mrf)
    return replace(
        mrf,
        unary=np.minimum(mrf.unary, least[0] + cap),
        pairwise=np.minimum(mrf.pairwise, least[1] + cap),
        hard=None,
    )


def cap_beside(mrf: BinaryMRF, labeling: IntArray) -> float:
    """The cap of a model in which rounding hides differences of energies; infinite if there is no penalty to lower.

    Parameters
    ----------
    mrf : BinaryMRF
    labeling : ndarray of {0, 1}, shape (n,)
        It, and all better ones, cost as much in the capped model as in this one.

    Returns
    -------
    float
        Energy.
    """
    least, unary, pairwise = _excess(mrf)
    i, j = mrf.edges.T
    x = np.asarray(labeling)
    paid = math.fsum([*unary[np.arange(mrf.n), x].tolist(), *pairwise[np.arange(len(i)), x[i], x[j]].tolist()])
    if not 0.0 < paid < max(unary.max(initial=0.0), pairwise.max(initial=0.0)):
        return math.inf
    # The remaining energies may lie on a lattice: the cap is one of its steps.
    usual = replace(
        mrf,
        unary=np.where(unary > paid, least[0], mrf.unary),
        pairwise=np.where(pairwise > paid, least[1], mrf.pairwise),
        hard=None,
    )
    step = lattice(usual).step or 1.0
    cap = math.ldexp(step, math.ceil(math.log2(_ROOM * paid / step)))
    # Beside a huge least entry, its sum with the cap is rounded: perhaps to nothing.
    model = capped(mrf, cap)
    is_apart = [
        ((table == given) | (table - lowest > 2.0 * paid)).all()
        for table, given, lowest in zip((model.unary, model.pairwise), (mrf.unary, mrf.pairwise), least, strict=True)
    ]
    return cap if all(is_apart) else math.inf


def is_clear(mrf: BinaryMRF, points: Lattice) -> bool:
    """Whether rounding is small relative to the least gain of a better labelling.

    Parameters
    ----------
    mrf : BinaryMRF
    points : Lattice
        Of its energies.
    """
    of_variables, of_edges = polynomial(mrf)
    # In the normal form a coupling may be counted twice.
    size = float(np.abs(of_variables).sum() + 2.0 * np.abs(of_edges).sum())
    return ROUNDING * size <= _SHARE * (points.step or negligible_gain(mrf, points))


def _excess(mrf: BinaryMRF) -> tuple[tuple[FloatArray, FloatArray], FloatArray, FloatArray]:
    """The least entries of unary and of pairwise tables, and the excess of all entries over them."""
    least = mrf.unary.min(axis=1, keepdims=True), mrf.pairwise.min(axis=(1, 2), keepdims=True)
    return least, mrf.unary - least[0], mrf.pairwise - least[1]
