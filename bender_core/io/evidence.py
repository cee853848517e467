"""Evidence files of the UAI competitions, ``.evid``: variables whose values are known.

``k`` and then k pairs "variable value"; some files have the number of samples before that, which must be 1, and a
header ``/* Evidence */`` or ``MPE``. The number of words distinguishes the layouts.

Source: docs/formats.md §3; https://uaicompetition.github.io/uci-2022/file-formats/evidence-format/
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from bender_core.io._source import Tokens, read
from bender_core.io.errors import FormatError
from bender_core.model import BinaryMRF


def load_evidence(path_or_bytes: str | os.PathLike[str] | bytes, n: int) -> dict[int, int]:
    """Read an evidence file.

    Parameters
    ----------
    path_or_bytes : str, path or bytes
        The path of the file, or its content.
    n : int
        The number of variables of the model.

    Returns
    -------
    dict
        The value, 0 or 1, of every variable observed.

    Raises
    ------
    FormatError
        If counts and content disagree, or a variable or value does not exist.
    OSError
        If the path cannot be read.
    """
    tokens = Tokens(
        read(path_or_bytes, None, None, "an evidence file").text, comment=r"#[^\n]*|/\*[^*]*\*/|\A\s*MPE(?=\s)"
    )
    numbers = tokens.numbers(0)
    words = len(numbers)
    # An even number of words: one more count comes first.
    start = 1 if words % 2 == 0 and words > 1 else 0
    if start and numbers[0] != 1:
        raise FormatError(
            tokens.line(0), f"the evidence has {tokens.word(0)[:24]} samples", "give a file of one sample"
        )
    if not words or words != start + 1 + 2 * numbers[start]:
        raise FormatError(
            tokens.line(start), "the number of observed variables and the pairs that follow disagree", "correct it"
        )
    found: dict[int, int] = {}
    for k in range(start + 1, words, 2):
        variable, value = numbers[k], numbers[k + 1]
        if not (0 <= variable < n and variable == int(variable)):
            raise FormatError(
                tokens.line(k), f"variable {tokens.word(k)[:24]} is observed", f"variables run from 0 to {n - 1}"
            )
        if value not in (0, 1):
            raise FormatError(tokens.line(k + 1), f"a value is {tokens.word(k + 1)[:24]}", "values are 0 and 1")
        if found.setdefault(int(variable), int(value)) != value:
            raise FormatError(tokens.line(k), f"variable {int(variable)} is observed twice, differently", "keep one")
    return found


def observed(mrf: BinaryMRF, evidence: Mapping[int, int]) -> BinaryMRF:
    """The model given evidence, which names variables by their place, from 0; a note says so where names are others.

    Parameters
    ----------
    mrf : BinaryMRF
    evidence : mapping of int to {0, 1}
        As `load_evidence` returns it.

    Returns
    -------
    BinaryMRF

    Raises
    ------
    ModelError
        If the evidence violates a hard constraint.
    """
    given = mrf.condition(evidence)
    other = next((i for i in evidence if mrf.names[i].isdecimal() and mrf.names[i] != str(i)), None)
    if other is None:
        return given
    note = f"evidence counts variables by place, from 0, not by name: its variable {other} is {mrf.names[other]!r}"
    return replace(given, notes=(*given.notes, note))
