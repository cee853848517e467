"""Reading and writing model files.

Files are recognised by content; the ending decides the format that ``save`` writes, and the format of a file whose
content fits several.
Source: docs/formats.md §1, §2.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from bender_core.files import write_whole
from bender_core.io._source import NUMBER, PACKED, Source, default_limit, pack, read, shown
from bender_core.io.errors import FormatError
from bender_core.io.evidence import load_evidence, observed
from bender_core.io.formats import FORMATS, native
from bender_core.io.formats._format import Format
from bender_core.io.formats.sparse import MINIMISED
from bender_core.io.labeling import dump_labeling, load_labeling
from bender_core.model import BinaryMRF, ModelError, require_model

__all__ = [
    "FORMATS",
    "MINIMISED",
    "Format",
    "FormatError",
    "default_limit",
    "dump_labeling",
    "dumps",
    "format_of",
    "load",
    "load_evidence",
    "load_labeling",
    "observed",
    "recognise",
    "save",
    "without_unheld_constant",
]

# Rows at the beginning of a file tell what the others are.
_FIRST_LINES = 100


def load(
    path_or_bytes: str | os.PathLike[str] | bytes,
    name: str | None = None,
    max_bytes: int | None = None,
    format: str | None = None,
    evidence: str | os.PathLike[str] | bytes | None = None,
    maximize: bool = False,
) -> BinaryMRF:
    r"""Read a model in any known format, plain or packed by gzip or xz.

    Source: docs/formats.md §1.1, §1.2, §1.5.

    Parameters
    ----------
    path_or_bytes : str, path or bytes
        The path of the file, or its content.
    name : str, optional
        The file's name if the content is given (an upload).
    max_bytes : int, optional
        Size limit in bytes, packed and unpacked; by default ``BENDER_MAX_UPLOAD_MB`` of the environment, else 20 MB.
    format : str, optional
        Name of a format in ``FORMATS``; by default recognised by content, and by the ending if the content fits
        several. ``"orlib:3"`` is the third model of a file with several.
    evidence : str, path or bytes, optional
        A UAI evidence file, which conditions the model (see ``BinaryMRF.condition``).
    maximize : bool
        Whether the file's objective is meant to be maximised, for formats that do not state it and are taken to be
        minimised.

    Returns
    -------
    BinaryMRF
        With energies to be minimised; its ``objective`` gives the file's own terms. If neither content nor ending
        decides between several formats, its ``readings`` name them; its ``notes`` say what else could be meant
        otherwise.

    Raises
    ------
    FormatError
        If the content is not a supported model, or states that it is minimised and is to be maximised: one sentence
        saying where, what, and how to fix it.
    OSError
        If a path cannot be read.

    Examples
    --------
    >>> mrf = load(b"2 1\n1 2 3\n", name="two.rud")
    >>> mrf.objective.name, mrf.objective.value(mrf.energy([0, 1]))
    ('cut weight', 3.0)
    >>> load(b"MARKOV 1 3 0")
    Traceback (most recent call last):
    bender_core.io.errors.FormatError: line 1: variable 0 has 3 states; only binary variables are supported
    """
    chosen, which = _chosen(format)
    possible = FORMATS if chosen is None else (chosen,)
    binary = tuple(form.magic for form in possible if form.magic)
    source = read(path_or_bytes, name, max_bytes, binary=binary)
    form = chosen or recognise(source)
    with model_errors_as_format_errors():
        mrf = form.parse(replace(source, which=which))
        others = (
            () if format is not None or form.length_of_ending(source.ending) else _also_taken_by(form.alike, source)
        )
        if others:
            mrf = replace(mrf, readings=(form.name, *others))
        if maximize:
            mrf = _maximized(mrf, form)
        return mrf if evidence is None else observed(mrf, load_evidence(evidence, mrf.n))


def recognise(source: Source) -> Format:
    """The format of a text.

    Raises
    ------
    FormatError
        If there is none, or it may be one that is not read.
    """
    by_content = [form for form in FORMATS if form.recognises(source)]
    longest = max(form.length_of_ending(source.ending) for form in FORMATS)
    by_ending = [form for form in FORMATS if longest and form.length_of_ending(source.ending) == longest]
    fitting = [form for form in by_ending if form in by_content]
    # A mark of its own weighs more than the ending, and the ending more than rows that fit several formats.
    for form in fitting or [form for form in by_content if form.is_marked] or by_ending or by_content:
        if form not in by_ending:
            form.doubt(source)
        return form
    if _has_rows_only(source.text):
        raise FormatError(
            1,
            "rows i j value do not say what they are",
            'add "# vartype=BINARY" or "# vartype=SPIN" to an energy, the line "vertices edges" to a graph to be cut, '
            "or name the format",
        )
    known = ", ".join(form.title for form in FORMATS)
    raise FormatError(1, "the file is in no known format", f"known are: {known}")


def _has_rows_only(text: str) -> bool:
    """Whether the first lines are rows of two whole numbers and a number."""
    lines = (line.partition("#")[0].split() for line in text.split("\n", _FIRST_LINES)[:_FIRST_LINES])
    rows = [words for words in lines if words]
    return bool(rows) and all(
        len(words) == 3 and words[0].isdecimal() and words[1].isdecimal() and NUMBER.fullmatch(words[2])
        for words in rows
    )


def _maximized(mrf: BinaryMRF, form: Format) -> BinaryMRF:
    """The model of the same objective, to be maximised.

    Raises
    ------
    FormatError
        If its file states that it is minimised.
    """
    if mrf.objective.sense == "max":
        return mrf
    if not form.is_minimised:
        raise FormatError(
            None, f"a file in the format {form.title} states what is minimised", "read it without maximising"
        )
    objective = replace(mrf.objective, sense="max", scale=-mrf.objective.scale)
    negated = {name: 0.0 - getattr(mrf, name) for name in ("unary", "pairwise", "constant")}
    notes = tuple(note for note in mrf.notes if note != MINIMISED)
    return replace(mrf, **negated, objective=objective, notes=notes)


def _also_taken_by(names: Iterable[str], source: Source) -> tuple[str, ...]:
    """The formats, of those named, in which a text is a model."""
    taken = []
    for name in names:
        with suppress(FormatError, ModelError):
            _named(name).parse(source)
            taken.append(name)
    return tuple(taken)


def _chosen(format: str | None) -> tuple[Format | None, int]:
    """The format that a name selects, and which model of a file with several, 0 if that is not said."""
    if format is None:
        return None, 0
    name, colon, number = format.partition(":")
    form = _named(name)
    if not colon:
        return form, 0
    if not form.has_several:
        raise FormatError(None, f"files of the format {name!r} have one model", f"write {name!r} alone")
    if not (number.isascii() and number.isdecimal() and len(number) < 10 and int(number)):
        raise FormatError(None, f"{shown(number)} is no number of a model", f'write a number from 1, like "{name}:3"')
    return form, int(number)


def _named(name: str) -> Format:
    for form in FORMATS:
        if form.name == name:
            return form
    known = ", ".join(form.name for form in FORMATS)
    raise FormatError(None, f"there is no format {name!r}", f"choose one of: {known}")


@contextmanager
def model_errors_as_format_errors() -> Iterator[None]:
    """Raise errors of a model as errors of its file."""
    try:
        yield
    except ModelError as error:
        what, _, mend = str(error).partition("; ")
        raise FormatError(None, what, mend or "correct the file") from error


def dumps(mrf: BinaryMRF, format: str = native.FORMAT.name) -> bytes:
    """A model as the bytes of a file.

    Parameters
    ----------
    mrf : BinaryMRF
    format : str
        Name of a format in ``FORMATS``.

    Raises
    ------
    FormatError
        If there is no such format to write, or it cannot represent the model.
    """
    require_model(mrf)
    form = _named(format)
    if form.write is None:
        writable = ", ".join(form.name for form in FORMATS if form.write is not None)
        raise FormatError(None, f"{form.title} is only read", f"choose one of: {writable}")
    if not mrf.n:
        raise FormatError(None, "the model has no variables", "write a model of at least one")
    constant = form.unheld_constant(mrf)
    if constant:
        raise FormatError(
            None,
            f"the model has the constant {constant:.6g}, which {form.title} cannot store",
            "drop it (convert --drop-constant), or write bqpjson or native",
        )
    with model_errors_as_format_errors():
        content = form.write(mrf)
    return content if isinstance(content, bytes) else content.encode()


def without_unheld_constant(mrf: BinaryMRF, format: str) -> BinaryMRF:
    """The model without the part of its constant that a format cannot represent; the order of labellings is the same.

    Parameters
    ----------
    mrf : BinaryMRF
    format : str
        Name of a format in ``FORMATS``.

    Raises
    ------
    FormatError
        If there is no such format.
    """
    return replace(mrf, constant=mrf.constant - _named(format).unheld_constant(mrf))


def format_of(path: str | os.PathLike[str]) -> str:
    """The name of the format with the ending of a path, else native."""
    ending = PACKED.sub("", Path(path).name.lower())
    # ".bqm.json" says more than ".json".
    best = max(FORMATS, key=lambda form: form.length_of_ending(ending))
    return best.name if best.length_of_ending(ending) else native.FORMAT.name


def save(mrf: BinaryMRF, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write a model to a file, completely or not at all; the same model gives the same bytes.

    Source: docs/formats.md §1.3.

    Parameters
    ----------
    mrf : BinaryMRF
    path : str or path
        A path that ends in ``.gz`` or ``.xz`` is packed.
    format : str, optional
        Name of a format in ``FORMATS``; by default the one with the path's ending, else native.

    Raises
    ------
    FormatError
        If there is no such format to write, or it cannot represent the model. Nothing is written then.
    OSError
        If the path cannot be written; what was there stays.
    """
    path = Path(path)
    data = dumps(mrf, format or format_of(path))
    write_whole(path, pack(data, path.name))
