"""What a file format is to the registry in ``bender_core.io``."""

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
        The word for it in ``save(..., format=name)``.
    title : str
        What people call it.
    endings : tuple of str
        File endings; they decide only what to write, and what to complain about where the content decides nothing.
    recognises : callable
        Whether a text is in this format, by its first words.
    parse : callable
        Text to model; raises FormatError or ModelError.
    write : callable or None
        Model to text; None where the format is only read.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    recognises: Callable[[str], bool]
    parse: Callable[[Source], BinaryMRF]
    write: Callable[[BinaryMRF], str] | None
