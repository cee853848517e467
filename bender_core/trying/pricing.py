"""How sure a labelling is, variable by variable: the price of another value. Source: docs/method.md §15.8."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bender_core.account import Account
from bender_core.checking.certificate import Certificate
from bender_core.given import require_index
from bender_core.labelings.comparing import difference, flips
from bender_core.model import BinaryMRF, IntArray, ModelError, require_model
from bender_core.stopping import Stop, never
from bender_core.trying.solving import certify


@dataclass(frozen=True, eq=False)
class Price:
    """How much more the best labelling costs in which a variable has its other value than the best of all.

    Attributes
    ----------
    variable : int
    value : int
        The other value.
    at_least, at_most : float
        Bounds on the price, energy; infinite if no feasible labelling has that value. They are equal where the price is
        exact.
    labeling : ndarray of int64, shape (n,)
        The best labelling known with that value.
    """

    variable: int
    value: int
    at_least: float
    at_most: float
    labeling: IntArray

    @property
    def exact(self) -> bool:
        """Whether it is known, except for gains that the proofs neglect (`Certificate.negligible`)."""
        return self.at_least == self.at_most


def price(
    mrf: BinaryMRF,
    variable: int,
    best: Certificate | None = None,
    time_limit: float | None = None,
    on_progress: Callable[[Any], bool | None] | None = None,
    stop: Stop = never,
    account: Account | None = None,
) -> Price:
    """The price of the other value of a variable: a proof of the model in which it has that value.

    Source: docs/method.md §15.8.

    Parameters
    ----------
    mrf : BinaryMRF
    variable : int
    best : Certificate, optional
        Of the model, with the labelling; by default `certify` makes it, without a time limit.
    time_limit : float, optional
        Seconds for the proof of the price.
    on_progress, stop, account : optional
        As for `certify`.

    Returns
    -------
    Price
        Exact if both proofs are complete.

    Raises
    ------
    ModelError, ValueError
        If the certificate is of another number of variables; if there is no such variable.
    TooLargeError
        As for `certify`.

    Examples
    --------
    >>> import bender_core as bc
    >>> mrf = bc.BinaryMRF(unary=[[0, 1], [0, 1]], edges=[[0, 1]], pairwise=[[[0, 0], [0, -3]]])
    >>> found = bc.price(mrf, 0)
    >>> found.exact, found.at_least, found.labeling.tolist()
    (True, 1.0, [0, 0])
    """
    require_model(mrf)
    require_index(variable, mrf.n, "variable")
    best = _certified(mrf, best, stop, account)
    value = 1 - int(best.labeling[variable])
    labeling = best.labeling.copy()
    labeling[variable] = value
    if mrf.hard_masks()[0][variable, value]:
        return Price(variable, value, math.inf, math.inf, labeling)
    how: dict[str, Any] = {"time_limit": time_limit, "on_progress": on_progress, "stop": stop, "account": account}
    other = certify(_with_value(mrf, variable, value), **how)
    labeling = other.labeling.copy()
    labeling[variable] = value
    return Price(variable, value, *_bounds(mrf, best, other, labeling), labeling)


def prices(
    mrf: BinaryMRF,
    best: Certificate | None = None,
    variables: Iterable[int] | None = None,
    time_limit: float | None = None,
    stop: Stop = never,
    account: Account | None = None,
) -> Iterator[Price]:
    """The prices of several variables, one by one; first those of which it costs least to change nothing else.

    Source: docs/method.md §15.8.

    Parameters
    ----------
    mrf : BinaryMRF
    best : Certificate, optional
        As for `price`.
    variables : iterable of int, optional
        By default all.
    time_limit : float, optional
        Seconds for the proof of each price.
    stop : Stop
        Ends them after the present one, which is not exact then.
    account : Account, optional
        As for `certify`.

    Returns
    -------
    iterator of Price
    """
    require_model(mrf)
    best = _certified(mrf, best, stop, account)
    chosen = range(mrf.n) if variables is None else [require_index(i, mrf.n, "variable") for i in variables]
    for i in sorted(chosen, key=flips(mrf, best.labeling).__getitem__):
        yield price(mrf, i, best, time_limit, stop=stop, account=account)
        if stop():
            return


def _certified(mrf: BinaryMRF, best: Certificate | None, stop: Stop, account: Account | None) -> Certificate:
    """A certificate of the model."""
    if best is None:
        return certify(mrf, stop=stop, account=account)
    if best.labeling.shape != (mrf.n,):
        raise ModelError(f"the certificate is of {len(best.labeling)} variables, but the model has {mrf.n}")
    return best


def _with_value(mrf: BinaryMRF, variable: int, value: int) -> BinaryMRF:
    """The model in which both values of a variable cost what one of them does: no energy is rounded."""
    hard_unary, hard_pairwise = mrf.hard_masks()
    unary, pairwise = np.where(hard_unary, np.inf, mrf.unary), np.where(hard_pairwise, np.inf, mrf.pairwise)
    unary[variable] = unary[variable, value]
    first, second = (mrf.edges == variable).T
    pairwise[first] = pairwise[first, value][:, None, :]
    pairwise[second] = pairwise[second, :, value][:, :, None]
    return replace(mrf, unary=unary, pairwise=pairwise, hard=None)


def _bounds(mrf: BinaryMRF, best: Certificate, other: Certificate, labeling: IntArray) -> tuple[float, float]:
    """Bounds on the price, from the proofs of the model and of the one with the other value."""
    if other.optimal and not other.feasible:
        return math.inf, math.inf
    more = max(difference(mrf, labeling, best.labeling), 0.0)
    if best.optimal and other.optimal:
        return more, more
    # Each bound is rounded on its own.
    rounding = math.ulp(other.lower_bound) + math.ulp(best.upper_bound)
    least = max(other.lower_bound - best.upper_bound - rounding, 0.0)
    energy = mrf.energy(labeling)
    most = more if best.optimal else max(energy - best.lower_bound + rounding, 0.0)
    return least, max(most, least) if mrf.is_feasible(energy) else math.inf
