"""Binary files of dimod, ``.bqm``: what ``bqm.to_file()`` writes, versions 1 and 2.

The mark ``DIMODBQM``, two bytes for the version, the length of the header in four bytes, and the header in JSON; then
the offset, for each variable where its neighbours start and its linear bias, and for each variable its neighbours with
the quadratic biases, so that each pair is there twice. All is little-endian, in the types that the header names.
Version 1 has the labels in the header, version 2 in a section ``VARS`` at the end.

Source: docs/formats.md §2.17; https://docs.dwavequantum.com (dimod, BinaryQuadraticModel.to_file)
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from bender_core.io._json import parse_json, read_json, shown_value
from bender_core.io._labels import label_of, names_of
from bender_core.io._source import SMALLER, Source, shown
from bender_core.io.errors import FormatError
from bender_core.io.formats._coefficients import coefficients, rounding_of_source
from bender_core.io.formats._format import Format
from bender_core.io.formats._quadratic import DOMAINS, from_coefficients
from bender_core.model import LARGEST_ENERGY, BinaryMRF, FloatArray, IntArray

TITLE = "dimod BQM"
MAGIC, LABELS = b"DIMODBQM", b"VARS"
_NEEDED = ("shape", "dtype", "itype", "ntype", "vartype", "variables")
_WHOLE = tuple(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64))
_NUMBERS = ("float32", "float64", *_WHOLE)
# dimod aligns what it writes.
_ALIGNED = 64
_MEND = "write the file again, by bqm.to_file()"


def parse(source: Source) -> BinaryMRF:
    """Read a binary file of dimod.

    Raises
    ------
    FormatError
        If the file is damaged, of a newer version, or a bias is not finite.
    """
    if not source.data.startswith(MAGIC):
        raise FormatError(None, "the file does not start with DIMODBQM", "give a file that bqm.to_file() wrote")
    reader = _Reader(source.data, len(MAGIC))
    version, _ = reader.take(2, "its version")
    if version not in (1, 2):
        raise FormatError(None, f"the file has version {version}", "write version 1 or 2, by bqm.to_file(version=2)")
    header = _header(reader.text("its header"))
    n, m = header["shape"]
    number, index, start = (np.dtype(header[key]).newbyteorder("<") for key in ("dtype", "itype", "ntype"))
    offset = reader.array(1, number, "its offset").astype(float)
    alone = reader.array(
        n, np.dtype([("start", start), ("bias", number)]), f"the biases of its {shown_value(n)} variables"
    )
    pairs = reader.array(
        2 * m, np.dtype([("other", index), ("bias", number)]), f"the biases of its {shown_value(m)} pairs"
    )
    labels = _labels(reader, header, version)
    reader.require_end()
    i, j, quadratic = _pairs(alone["start"], pairs["other"], pairs["bias"].astype(float))
    everyone, linear = np.arange(n), alone["bias"].astype(float)
    ends, values = (np.append(everyone, i), np.append(everyone, j)), np.append(linear, quadratic)
    names = names_of(labels)
    _require_finite(values, ends, names)
    if not abs(offset[0]) <= LARGEST_ENERGY:
        raise FormatError(None, f"the offset is {offset[0]:g}", f"give a number, {SMALLER}")
    found = from_coefficients(ends, values, n, DOMAINS[header["vartype"]], offsets=offset.tolist())
    return found.model(source, TITLE, names=names)


class _Reader:
    """Reads parts of the file, none of which is longer than what is left."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data = data
        self._at = start

    def take(self, count: int, what: str) -> bytes:
        """The next bytes."""
        left = len(self._data) - self._at
        if count > left:
            raise FormatError(None, f"the file ends {left} bytes into {what}", _MEND)
        self._at += count
        return self._data[self._at - count : self._at]

    def text(self, what: str) -> str:
        """The next text, after its length in four bytes."""
        (length,) = struct.unpack("<I", self.take(4, what))
        try:
            return self.take(length, what).decode("ascii")
        except UnicodeDecodeError:
            raise FormatError(None, f"{what} is no JSON in ASCII", _MEND) from None

    def array(self, count: int, kind: np.dtype[Any], what: str) -> np.ndarray[Any, Any]:
        """The next numbers."""
        return np.frombuffer(self.take(count * kind.itemsize, what), kind)

    def require_end(self) -> None:
        """Refuse what follows."""
        left = len(self._data) - self._at
        if left:
            raise FormatError(None, f"{left} more bytes follow the model", _MEND)


def _header(text: str) -> dict[str, Any]:
    """The header, whose shape and types are possible."""
    header = read_json(text)
    for key in _NEEDED:
        if key not in header:
            raise FormatError(None, f'"{key}" is missing in the header', _MEND)
    shape = header["shape"]
    if not (isinstance(shape, list) and len(shape) == 2 and all(type(k) is int and k >= 0 for k in shape)):
        raise FormatError(None, f'"shape" is {shown_value(shape)}', "it must be the numbers of variables and pairs")
    if not shape[0]:
        raise FormatError(None, "the model has no variables", "give a model of at least one")
    for key, known in (("dtype", _NUMBERS), ("itype", _WHOLE), ("ntype", _WHOLE), ("vartype", tuple(DOMAINS))):
        if header[key] not in known:
            raise FormatError(None, f'"{key}" is {shown_value(header[key])}', f"known are: {', '.join(known)}")
    return header


def _labels(reader: _Reader, header: dict[str, Any], version: int) -> list[Any]:
    """The labels of the variables, which are their numbers if the file has none."""
    n, labels = header["shape"][0], header["variables"]
    if version > 1 and labels:
        if reader.take(len(LABELS), "its labels") != LABELS:
            raise FormatError(None, "the labels do not follow the biases", _MEND)
        labels = parse_json(reader.text("its labels"))
    if not labels:
        return list(range(n))
    if not isinstance(labels, list) or len(labels) != n:
        count = f"{len(labels)} labels" if isinstance(labels, list) else f"the labels {shown_value(labels)}"
        raise FormatError(None, f"the file has {count}", f"give a list of {n}, one for each variable")
    found = [label_of(each) for each in labels]
    if len(set(found)) < n:
        raise FormatError(None, "the labels are not distinct", "label every variable differently")
    return found


def _pairs(starts: IntArray, others: IntArray, biases: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Every pair once, with its bias; both lists of neighbours must say the same."""
    n = len(starts)
    bounds = np.append(starts.astype(np.int64), len(others))
    if bounds[0] or (np.diff(bounds) < 0).any():
        raise FormatError(None, "the lists of neighbours do not follow each other", _MEND)
    i, j = np.arange(n).repeat(np.diff(bounds)), others.astype(np.int64)
    for wrong, what in (((j < 0) | (j >= n), "which does not exist"), (i == j, "itself")):
        if wrong.any():
            k = int(np.flatnonzero(wrong)[0])
            raise FormatError(None, f"variable {i[k]} has variable {others[k]} for a neighbour, {what}", _MEND)
    below, above = np.flatnonzero(j < i), np.flatnonzero(i < j)
    # Bits, as a bias may be no number.
    bits = biases.view(np.int64)
    below = below[np.lexsort((bits[below], j[below], i[below]))]
    above = above[np.lexsort((bits[above], i[above], j[above]))]
    if not all(map(np.array_equal, (i[below], j[below], bits[below]), (j[above], i[above], bits[above]))):
        raise FormatError(None, "two neighbours disagree on their bias", _MEND)
    return j[below], i[below], biases[below]


def _require_finite(values: FloatArray, ends: tuple[IntArray, IntArray], names: tuple[str, ...]) -> None:
    """Refuse biases that are no energies."""
    bad = np.flatnonzero(~(np.abs(values) <= LARGEST_ENERGY))
    if len(bad):
        k = int(bad[0])
        variables = " and ".join(dict.fromkeys(shown(names[end[k]]) for end in ends))
        raise FormatError(None, f"the bias of {variables} is {values[k]:g}", f"give a number, {SMALLER}")


def write(mrf: BinaryMRF) -> bytes:
    """The model as dimod would write it, of spins where its source has spins and of bits otherwise."""
    found = coefficients(mrf, mrf.objective.domain)
    numbered = tuple(map(str, range(mrf.n)))
    is_labelled = mrf.names != numbered and len(set(mrf.names)) == mrf.n
    header = {
        "dtype": "float64",
        "itype": "int32",
        "ntype": "int32",
        "shape": [mrf.n, mrf.n_edges],
        "type": "BinaryQuadraticModel",
        "variables": is_labelled,
        "vartype": next(word for word, domain in DOMAINS.items() if domain == found.domain),
    }
    i, j = (found.edges.T[order].reshape(-1) for order in ([0, 1], [1, 0]))
    order = np.lexsort((j, i))
    alone = np.empty(mrf.n, [("start", "<i4"), ("bias", "<f8")])
    alone["start"], alone["bias"] = np.searchsorted(i[order], np.arange(mrf.n)), found.linear
    pairs = np.empty(2 * mrf.n_edges, [("other", "<i4"), ("bias", "<f8")])
    pairs["other"], pairs["bias"] = j[order], np.tile(found.quadratic, 2)[order]
    start = MAGIC + bytes([2, 0])
    parts = [_section(start, json.dumps(header) + "\n"), struct.pack("<d", found.constant), alone.tobytes()]
    labels = [_section(LABELS, json.dumps(mrf.names))] if is_labelled else []
    return b"".join([*parts, pairs.tobytes(), *labels])


def _section(mark: bytes, text: str) -> bytes:
    """A text after its mark and its length, with the blanks that dimod appends."""
    length = len(text) + -(len(mark) + 4 + len(text)) % _ALIGNED
    return mark + struct.pack("<I", length) + text.ljust(length).encode("ascii")


FORMAT = Format(
    name="bqm",
    title=TITLE,
    endings=(".bqm",),
    recognises=lambda source: source.data.startswith(MAGIC),
    parse=parse,
    write=write,
    loses="groups and positions",
    is_minimised=True,
    rounding=rounding_of_source,
    magic=MAGIC,
)
