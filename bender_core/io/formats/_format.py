"""The description of a file format for the registry in ``bender_core.io.formats``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bender_core.io._source import Source
from bender_core.model import BinaryMRF


@dataclass(frozen=True)
class Format:
    """One file format: its recogniser, reader and writer.

    Attributes
    ----------
    name : str
        Its name in ``load(..., format=name)`` and ``save(..., format=name)``.
    title : str
        Its title in messages.
    endings : tuple of str
        File endings; they decide the format to write, and the format to read if the content fits several.
    recognises : callable
        Whether a text could be in this format, by its first words.
    parse : callable
        Text to model; raises FormatError or ModelError.
    write : callable or None
        Model to text, or to the bytes of a binary file; None if the format is only read. Raises FormatError if the
        format cannot represent the model.
    loses : str
        The parts of a model that are lost although every energy is kept; "" if nothing is lost.
    alike : tuple of str
        Names of formats that may read the same text as another model, where only the ending distinguishes them.
    forbids : bool
        Whether hard constraints are written as such; otherwise their penalties become ordinary energies.
    is_marked : bool
        Whether what `recognises` looks for is in no file of another format.
    doubt : callable
        Refuses a text that `recognises` takes and that may be of a format that is not read; asked unless the ending
        or the caller decides.
    is_minimised : bool
        Whether files say nothing of what is optimised, so that it is taken to be minimised.
    unheld_constant : callable
        The part of a model's constant that the format cannot represent.
    rounding : callable
        By how much the rounding of what is written, of this model, changes an energy at most.
    magic : bytes
        The first bytes of binary files; empty if files are text.
    has_several : bool
        Whether a file may have several models, of which ``load(..., format="name:3")`` reads the third.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    recognises: Callable[[Source], bool]
    parse: Callable[[Source], BinaryMRF]
    write: Callable[[BinaryMRF], str | bytes] | None
    loses: str = "names, groups and positions"
    alike: tuple[str, ...] = ()
    forbids: bool = False
    is_marked: bool = True
    doubt: Callable[[Source], None] = lambda source: None
    is_minimised: bool = False
    unheld_constant: Callable[[BinaryMRF], float] = lambda mrf: 0.0
    rounding: Callable[[BinaryMRF], float] = lambda mrf: 0.0
    magic: bytes = b""
    has_several: bool = False

    def length_of_ending(self, name: str) -> int:
        """The length of the longest ending of this format that a file name has; 0 if it has none."""
        return max((len(ending) for ending in self.endings if name.endswith(ending)), default=0)
