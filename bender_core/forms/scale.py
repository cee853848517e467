"""How much energy is at stake in a model: what tolerances are relative to. Source: docs/method.md §9.3."""

from __future__ import annotations

import numpy as np

from bender_core.forms.polynomial import terms_of
from bender_core.model import BinaryMRF
from bender_core.sums import exact_sums

# A labelling is optimal if none is better by more than this share of the energy at stake, or by more than an energy
# that floats hold with few digits only.
NEGLIGIBLE, FEW_DIGITS = 1e-9, 1e-300


def energy_scale(mrf: BinaryMRF) -> float:
    """The energy at stake: the sum of all preferences and couplings, each counted only as much as it can matter.

    A preference counts only up to the couplings of its variable, and a coupling only up to everything else at either of
    its ends: any excess fixes a variable, or ties two, in every case. So one huge cost does not make differences
    elsewhere look small. Source: docs/method.md §9.3.
    """
    coupling = 0.5 * np.abs(mrf.coupling())
    # On average over the neighbours' values.
    _, variables, linear = terms_of(mrf)
    halves = 0.5 * np.concatenate([mrf.coupling(), mrf.coupling()])
    ends = np.concatenate([variables, *mrf.edges.T])
    preference = np.abs(exact_sums(ends, np.concatenate([linear, halves]), mrf.n))
    coupled = np.bincount(mrf.edges.reshape(-1), coupling.repeat(2), minlength=mrf.n)
    # Only the strongest coupling of a variable can exceed everything else there. It is left out of the sum rather than
    # subtracted, which would lose digits of the others.
    strongest = np.full(mrf.n, -1)
    order = np.argsort(coupling, kind="stable")
    strongest[mrf.edges[order].reshape(-1)] = order.repeat(2)  # of repeated entries the last one stays
    is_strongest = strongest[mrf.edges] == np.arange(mrf.n_edges)[:, None]
    others = np.bincount(
        mrf.edges.reshape(-1), np.where(is_strongest, 0.0, coupling[:, None]).reshape(-1), minlength=mrf.n
    )
    leeway = np.where(is_strongest, (preference + others)[mrf.edges], np.inf).min(axis=1, initial=np.inf)
    return float(np.minimum(preference, coupled).sum() + np.minimum(coupling, leeway).sum())


def negligible_gain(scale: float) -> float:
    """The largest gain of a labelling that does not count.

    Source: docs/method.md §15.1.

    Parameters
    ----------
    scale : float
        The energy at stake (`energy_scale`).
    """
    return max(NEGLIGIBLE * scale, FEW_DIGITS)
