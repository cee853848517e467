"""Types of what Python and the browser send to each other, with the bounds of their values.

mypy checks the types. Tests make a schema of types and bounds, and check what is sent: `tests/protocol.py`.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias


class Bounds(NamedTuple):
    """What is so of a value beside its type; None: nothing is asked.

    Attributes
    ----------
    least, most : float or None
        Of a number.
    among : tuple of int
        All numbers that it may be, if there are any.
    pattern : str or None
        Of a whole text, as both languages read it.
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
# Energy that is not negative.
Excess: TypeAlias = Annotated[float, Bounds(least=0)]
Share: TypeAlias = Annotated[float, Bounds(least=0, most=1)]
Colour: TypeAlias = Annotated[str, Bounds(pattern="#[0-9A-F]{6}")]
