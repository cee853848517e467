"""The objective of a model's source, in whose terms results are reported."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal


@dataclass(frozen=True)
class Objective:
    """The objective of a model's source: ``value = scale * energy + offset``.

    Source: docs/formats.md §1.4.

    Attributes
    ----------
    name : str
        The source's name for the value ("energy", "log potential", "cut weight").
    sense : {"min", "max"}
        Whether the source minimises or maximises it.
    scale, offset : float
        The affine map from energy to the source's value.
    domain : {"bits", "spins"}
        Whether the source's variables are ``x`` or spins ``2 x - 1``.

    Examples
    --------
    >>> Objective("cut weight", sense="max", scale=-1.0).value(-7.0)
    7.0
    """

    name: str = "energy"
    sense: Literal["min", "max"] = "min"
    scale: float = 1.0
    offset: float = 0.0
    domain: Literal["bits", "spins"] = "bits"

    def value(self, energy: float) -> float:
        """The source's value of an energy, rounded once.

        Parameters
        ----------
        energy : float

        Returns
        -------
        float
            In the source's unit.
        """
        plain = self.scale * energy + self.offset
        if not math.isfinite(plain):
            return plain
        return float(Fraction(self.scale) * Fraction(energy) + Fraction(self.offset))
