"""A proof that a labelling is optimal, or bounds: the function that is called for it."""

from __future__ import annotations

from bender_core.checking.certificate import Certificate
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.trying.policy import LARGEST
from bender_core.trying.proof import Descent, OnProgress


def certify(
    mrf: BinaryMRF,
    max_size: int = LARGEST,
    time_limit: float | None = None,
    on_progress: OnProgress | None = None,
    seed: int = 0,
    stop: Stop = never,
) -> Certificate:
    """Prove that a labelling is optimal, or come as close as possible.

    Source: docs/method.md §15.

    Parameters
    ----------
    mrf : BinaryMRF
    max_size : int
        M, the largest number of variables in a group.
    time_limit : float, optional
        Seconds.
    on_progress : callable, optional
        Called about every 50 ms with the `Descent`; it ends if it returns True.
    seed : int
        Of the strategies that depend on one, and of the search for labellings.
    stop : Stop
        Checked about every 50 ms.

    Returns
    -------
    Certificate
        Without a time limit it depends only on the model, M and the seed.

    Raises
    ------
    ValueError
        If the time limit is not a number, or the seed is negative.
    PartitionError
        If there are no groups of that size.
    TooLargeError
        If not even small groups fit into memory.

    Examples
    --------
    >>> import bender_core as bc
    >>> certificate = certify(bc.load("sample_instances/frustrated-cycle.mrf.json"))
    >>> certificate.optimal, certificate.upper_bound
    (True, -17.0)
    """
    descent = Descent(mrf, max_size, seed, Stop(time_limit, stop))
    descent.run(on_progress=on_progress)
    return descent.end()
