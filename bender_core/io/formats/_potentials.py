"""Networks of potentials ψ, whose product is maximised: energies are −ln ψ."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from bender_core.io._source import NUMBER, Source, shown
from bender_core.io.errors import FormatError
from bender_core.io.formats._costs import CostFunctions
from bender_core.model import BinaryMRF
from bender_core.objective import Objective

OBJECTIVE = Objective(name="log potential", sense="max", scale=-1.0)
# A number that is not zero, although float64 may round it to zero.
NOT_ZERO = re.compile(r"[+0.]*[1-9]")
UNSUPPORTED = "only tables of one or two variables are supported"


def energy_of(word: str, refuse: Callable[[str, str], FormatError]) -> float:
    """The energy of a potential, infinite for 0, which forbids.

    Parameters
    ----------
    word : str
        The potential, as the file writes it.
    refuse : callable
        Makes an error of this place, from what is wrong and how to mend it.

    Raises
    ------
    FormatError
        If it is no number, negative or not finite, or rounds to 0.
    """
    if not NUMBER.fullmatch(word):
        raise refuse(f"{shown(word)} is not a number", "write a number like 0.25 or 1e-3")
    potential = float(word)
    if not 0.0 <= potential < math.inf:
        raise refuse(f"a potential is {shown(word).strip(chr(39))}", "potentials are finite and not negative")
    if potential == 0.0:
        if NOT_ZERO.match(word):
            raise refuse(f"a potential is {shown(word).strip(chr(39))}, too small a number", "write 0 to forbid")
        return math.inf
    return -math.log(potential)


def require_possible(energies: Sequence[float], refuse: Callable[[str, str], FormatError]) -> None:
    """Refuse the table of no variables whose potential is 0.

    Raises
    ------
    FormatError
    """
    if list(energies) == [math.inf]:
        raise refuse("a table of no variables is 0, which forbids every labelling", "remove it")


def model_of(
    functions: CostFunctions, source: Source, title: str, names: Sequence[str], notes: tuple[str, ...] = ()
) -> BinaryMRF:
    """The model of energies of potentials, with the names of its variables."""
    mrf = functions.model(1.0, math.inf, source, title, source.stem, tuple(names))
    return replace(mrf, objective=OBJECTIVE, notes=notes)
