"""The arrays of a numpy archive, from bytes that may be damaged or malicious.

`numpy.load` trusts the file: it allocates what a header promises, and passes on the errors of several libraries. Here
no more than the limit is allocated, and only plain arrays are read.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bender_core.account import memory_limit
from bender_core.io import FormatError

# The types of numbers and text as numpy writes them, in its first version of headers; others are not needed.
_MAGIC, _LENGTH = b"\x93NUMPY\x01\x00", 2
_HEADER = re.compile(
    rb"\{'descr': '([<>|](?:[iuf][1248]|U[1-9]\d{0,8}))', 'fortran_order': (True|False), 'shape': \(([\d, ]*)\), \} *\n"
)
# Only for these methods zipfile unpacks no more than requested.
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# No byte of deflated data expands to more.
_PACKED_AT_MOST = 1032
_AT_ONCE = 1 << 20


class ArchiveError(ValueError):
    """The bytes are no archive of plain arrays, or damaged."""


class Archive:
    """The arrays of an archive by name.

    Parameters
    ----------
    path : Path

    Raises
    ------
    ArchiveError
        Here and in `array`, if the bytes are damaged or no archive, or there is no such array.
    FormatError
        If the file takes more memory than a run may (`memory_limit`), packed or unpacked.
    OSError
        If the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        limit = memory_limit()
        content = _content(path, limit)
        with _damage_is_one_error():
            self._archive = zipfile.ZipFile(io.BytesIO(content))
            members = self._archive.infolist()
            size = sum(member.file_size for member in members)
            packings = {member.compress_type for member in members}
            if not packings <= set(_PACKINGS) or size > _PACKED_AT_MOST * len(content):
                raise ArchiveError
        _require_room(size, limit)

    def array(self, name: str) -> NDArray[np.generic]:
        """A read-only array."""
        with _damage_is_one_error():
            return _array(self._unpacked(f"{name}.npy"))

    def _unpacked(self, name: str) -> bytes:
        """The bytes of a member, no more than its header promises, with a matching checksum."""
        member = self._archive.getinfo(name)
        with self._archive.open(member) as stream:
            return stream.read(member.file_size)


@contextmanager
def _damage_is_one_error() -> Iterator[None]:
    """Damage raises a dozen kinds of errors in zipfile, zlib and numpy, which none of them documents."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise ArchiveError from error


def _content(path: Path, limit: int) -> bytes:
    """The content of a file or a pipe."""
    content = io.BytesIO()
    with path.open("rb") as stream:
        while part := stream.read(_AT_ONCE):
            content.write(part)
            _require_room(content.tell(), limit)
    return content.getvalue()


def _require_room(size: int, limit: int) -> None:
    if size > limit:
        mend = "raise BENDER_MEMORY_MB if you trust it"
        raise FormatError(None, f"the file takes more than {limit >> 20} MB of memory", mend)


def _array(content: bytes) -> NDArray[np.generic]:
    begin = len(_MAGIC) + _LENGTH
    end = begin + int.from_bytes(content[len(_MAGIC) : begin], "little")
    header = _HEADER.fullmatch(content, begin, end)
    if header is None or not content.startswith(_MAGIC):
        raise ArchiveError
    dtype, by_columns = np.dtype(header[1].decode()), header[2] == b"True"
    shape = tuple(int(length) for length in header[3].replace(b",", b" ").split())
    if math.prod(shape) * dtype.itemsize != len(content) - end:
        raise ArchiveError
    array = np.ndarray(shape, dtype, content, end, order="F" if by_columns else "C")
    if array.dtype.kind == "U":
        array.tolist()  # an error, if a number is no character
    return array
