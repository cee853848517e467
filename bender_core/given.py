"""Checks of inputs: numbers of things, arrays, and texts of a model."""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# Far above practical energies, and far enough below the largest float that no sum of energies overflows.
LARGEST_ENERGY = 1e100
_SMALLER = f"write one of size up to {LARGEST_ENERGY:g}"
_MODERATE = f"scale the model so that all energies stay below {LARGEST_ENERGY:g}"


class ModelError(ValueError):
    """The given arrays do not describe a binary pairwise model; the message says where and how to fix it."""


# -- numbers of things: an array would take -1 for the last one, and 1.5 for 1 ---------------------------------


def require_index(index: SupportsIndex, count: int, what: str) -> int:
    """The number of one of several things.

    Parameters
    ----------
    index : int
    count : int
        How many there are.
    what : str
        What they are, in the singular.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If there is none of that number, or it is no integer.

    Examples
    --------
    >>> require_index(-1, 3, "group")
    Traceback (most recent call last):
    ValueError: there is no group -1; groups are numbered 0 to 2
    """
    try:
        found = None if isinstance(index, (bool, np.bool_)) else operator.index(index)
    except TypeError:
        found = None
    if found is None or not 0 <= found < count:
        many = f"{what}s are numbered 0 to {count - 1}" if count else f"there are no {what}s"
        raise ValueError(f"there is no {what} {reprlib.repr(index if found is None else found)}; {many}")
    return found


# -- a model ----------------------------------------------------------------------------------------------------


def floats(values: ArrayLike, what: str, shape: tuple[int, ...]) -> FloatArray:
    """A fresh C-contiguous float64 copy of the required shape (-1: any length), without NaN or -inf."""
    try:
        array = np.array(values, dtype=np.float64, order="C", ndmin=1)
    except OverflowError:
        raise ModelError(f"{what} contains a number that is too large; {_SMALLER}") from None
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} is not an array of numbers: {error}") from None
    if array.size == 0 and (-1 in shape or 0 in shape):
        array = array.reshape([max(s, 0) for s in shape])
    if array.ndim != len(shape) or any(want not in (-1, got) for want, got in zip(shape, array.shape, strict=True)):
        expected = ", ".join("n" if s == -1 else str(s) for s in shape)
        raise ModelError(f"{what} has shape {array.shape}; it must be ({expected})")
    bad = np.argwhere(np.isnan(array) | np.isneginf(array))
    if len(bad):
        where = ", ".join(map(str, bad[0]))
        raise ModelError(f"{what}[{where}] is {array[tuple(bad[0])]}; energies must be numbers (+inf forbids a state)")
    return array


def finite(constant: object) -> float:
    """A constant energy."""
    try:
        number = float(constant)  # type: ignore[arg-type]
    except OverflowError:
        raise ModelError(f"the constant is too large a number; {_SMALLER}") from None
    except (TypeError, ValueError):
        raise ModelError(f"the constant is {constant!r}; give a number") from None
    if not np.isfinite(number):
        raise ModelError(f"the constant is {number}; it must be a finite number")
    return number


def pairs(values: ArrayLike, n: int) -> IntArray:
    """The edges of a model of n variables, a fresh array of shape (m, 2)."""
    try:
        array = np.array(values, dtype=np.int64, order="C")
        whole = np.array_equal(array, np.asarray(values))
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole:
        raise ModelError("edges are not pairs of whole numbers; give the numbers of the two variables of each")
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ModelError(f"edges has shape {array.shape}; it must be (m, 2)")
    outside = array[((array < 0) | (array >= n)).any(axis=1)]
    if len(outside):
        i, j = outside[0]
        raise ModelError(f"an edge names variables {i} and {j}, but variables run from 0 to {n - 1}")
    loops = array[array[:, 0] == array[:, 1], 0]
    if len(loops):
        raise ModelError(f"an edge joins variable {loops[0]} to itself; put that energy into its unary table")
    return array


def texts(values: Sequence[str], what: str, n: int, usual: str = "") -> tuple[str, ...]:
    """One text for every variable; if there are none, the usual one with its number."""
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise ModelError(f"{what} is {values!r}; give a list of texts, one for each variable")
    if not len(values) and usual:
        return tuple(f"{usual}{i}" for i in range(n))
    if len(values) != n:
        raise ModelError(f"{what} has {len(values)} entries; there are {n} variables")
    return tuple(text(str(value), f"{what}[{k}]") for k, value in enumerate(values))


def text(given: str, what: str) -> str:
    """A text that can be encoded in every file."""
    if not isinstance(given, str):
        raise ModelError(f"{what} is {given!r}; give a text")
    if not given.isascii():
        try:
            given.encode()
        except UnicodeEncodeError:
            raise ModelError(f"{what} contains half of a surrogate pair; write the character itself") from None
    return given


def require_moderate(*tables: FloatArray) -> None:
    """Refuse energies so large that sums of them would overflow, and look like hard constraints; infinity is allowed.

    Raises
    ------
    ModelError
    """
    largest = max(float(np.abs(np.where(np.isinf(table), 0.0, table)).max(initial=0.0)) for table in tables)
    if not largest < LARGEST_ENERGY:
        raise ModelError(f"an energy is {largest:.3g} in size; {_MODERATE}")
