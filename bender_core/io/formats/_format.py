"""What a file format is to those who read and write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bender_core.io._source import Source
from bender_core.model import BinaryMRF


@dataclass(frozen=True)
class Format:
    """One file format: how it is recognised, read and written.

    Attributes
    ----------
    name : str
        The word for it in ``load(..., format=name)`` and ``save(..., format=name)``.
    title : str
        What people call it.
    endings : tuple of str
        File endings; they decide what to write, and which of several formats that a text could be in it is read as.
    recognises : callable
        Whether a text could be in this format, by its first words.
    parse : callable
        Text to model; raises FormatError or ModelError.
    write : callable or None
        Model to text; None where the format is only read. Raises FormatError where the format cannot hold the model.
    loses : str
        What of a model the format cannot hold although it keeps every energy; "" if it keeps all.
    alike : tuple of str
        Names of formats that may take the same text for another model, where nothing but the ending tells them apart.
    forbids : bool
        Whether hard constraints are written as such; elsewhere their penalties become ordinary energies.
    unheld_constant : callable
        The part of a model's constant that the format has no place for.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    recognises: Callable[[Source], bool]
    parse: Callable[[Source], BinaryMRF]
    write: Callable[[BinaryMRF], str] | None
    loses: str = "names, groups and positions"
    alike: tuple[str, ...] = ()
    forbids: bool = False
    unheld_constant: Callable[[BinaryMRF], float] = lambda mrf: 0.0

    def owns(self, ending: str) -> bool:
        """Whether a file's name ends like files of this format."""
        return ending.endswith(self.endings)
