"""Types of the values that Python and the browser exchange, with their bounds.

mypy checks the types. Tests make a schema of types and bounds, and check the data sent: `tests/protocol.py`.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias


class Bounds(NamedTuple):
    """Conditions on a value beside its type; None: no condition.

    Attributes
    ----------
    least, most : float or None
        Of a number.
    among : tuple of int
        All numbers that are allowed, if they are listed.
    pattern : str or None
        Of a whole text, with the same meaning in both languages.
    shortest, longest : int or None
        The entries of a list.
    """

    least: float | None = None
    most: float | None = None
    among: tuple[int, ...] = ()
    pattern: str | None = None
    shortest: int | None = None
    longest: int | None = None


Count: TypeAlias = Annotated[int, Bounds(least=0)]
# In the units of the model.
Energy: TypeAlias = float
# An energy that is not negative.
Excess: TypeAlias = Annotated[float, Bounds(least=0)]
Share: TypeAlias = Annotated[float, Bounds(least=0, most=1)]
Colour: TypeAlias = Annotated[str, Bounds(pattern="#[0-9A-F]{6}")]
