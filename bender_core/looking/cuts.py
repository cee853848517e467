"""Magnanti-Wong rows of any alpha, at any messages of the sender: the loop makes those of three.

Source: docs/method.md §3.4.
"""

from __future__ import annotations

import numpy as np

from bender_core.engine.engine import Engine
from bender_core.kernels.rows.magnanti_wong import CutStatus, Sender, begin_cut, continue_cut
from bender_core.looking.anatomy import couplings
from bender_core.looking.classes import bits_of
from bender_core.model import FloatArray

# More passes over the sender's states than a cut takes.
PASSES = 100_000


def magnanti_wong(engine: Engine, p: int, q: int, sent: FloatArray, anchor: int, alpha: float) -> FloatArray:
    """What a Magnanti-Wong row of the message from q into p charges p for each coupling.

    Parameters
    ----------
    engine : Engine
        Of whose messages nothing is used.
    p, q : int
        Receiving and sending group.
    sent : ndarray, shape (2^|Y_q|,)
        The messages of q other than that to p: minus what each of its states costs; energy.
    anchor : int
        The state of p at which the row is tight.
    alpha : float
        From 0, least squares, to 1, the least sum.

    Returns
    -------
    ndarray, shape (couplings,)
        Energy, at most the weight of a coupling; 0 for those that the anchor takes.
    """
    found, cut = couplings(engine.graph, p, q), engine.arrays.probe.cut
    # The scratch has room for the members of the sender that are coupled.
    active, place = np.unique(found.sending, return_inverse=True)
    bits = len(active)
    states = bits_of(np.arange(sent.size), 1 + int(active.max()))[:, active] @ (1 << np.arange(bits))
    projected = np.full(1 << bits, -np.inf)
    np.maximum.at(projected, states, sent)
    taken = anchor >> found.receiving & 1 == found.entry[:, 0]
    spare = np.where(taken, 0.0, found.weight)
    at = place, found.entry[:, 1]
    weight, capacity = np.zeros((bits, 2)), np.zeros((bits, 2))
    np.add.at(weight, at, found.weight)
    np.add.at(capacity, at, spare)
    granted = bits_of(np.arange(1 << bits), bits)[:, place] == found.entry[:, 1]
    oracle = float((-projected - granted @ (found.weight - spare)).min())
    sender = Sender(bits, projected, weight, capacity)
    begin_cut(sender, oracle, alpha, cut)
    _, status = continue_cut(sender, PASSES, cut)
    assert status == CutStatus.OPTIMAL
    share = np.divide(cut.payment[:bits], capacity, out=np.zeros_like(capacity), where=capacity > 0)
    charged: FloatArray = spare * share[at]
    return charged
