"""From a path or bytes to bounded text, and from text to numbers that remember their lines."""

from __future__ import annotations

import gzip
import io
import lzma
import math
import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bender_core.io.errors import FormatError
from bender_core.model import LARGEST_ENERGY, FloatArray, IntArray

DEFAULT_LIMIT_MB = 20.0
GZIP_MAGIC, XZ_MAGIC = b"\x1f\x8b", b"\xfd7zXZ"
# Their endings.
PACKED = re.compile(r"\.(gz|xz)$", re.IGNORECASE)
# Of xz: memory for a dictionary, of which its strongest setting takes half; streams in a file; bytes read at once.
_DICTIONARY, _MOST_STREAMS, _PIECE = 128 << 20, 1000, 1 << 16
# The first bytes of other packed formats.
_OTHER_MAGIC = {
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"7z\xbc\xaf": "7z",
    b"\x28\xb5\x2f\xfd": "zstd",
}

# The numbers that float() accepts, without digit groups and non-ASCII digits.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(inf|infinity|nan)", re.ASCII | re.IGNORECASE)
SMALLER = f"write one of size up to {LARGEST_ENERGY:g}"
# ASCII white space; Python's split would also cut at exotic blanks.
_WORD = re.compile(r"[^\x00-\x20]+")
_WORDS_AT_ONCE = 1 << 15

# A line that is a comment in some format, and one that ends in a comment.
_COMMENT_LINE, _COMMENT_AFTER = re.compile(rb"[ \t]*(#|//|%|c[ \t])"), re.compile(rb"[\x00-\x7f]*#")
# Comments at the beginning of a file end before that.
_FIRST_LINES = 1000

# A file that announces more variables without describing them is a mistake or an attack.
_IDLE_VARIABLES, _BYTES_A_VARIABLE = 20_000, 16


@dataclass(frozen=True)
class Source:
    """The content of a model file.

    Attributes
    ----------
    text : str
        The content, unpacked, with newlines alone between lines; "" if it is binary.
    filename : str
        The file's name without its folder, "" if unknown.
    data : bytes
        The content, unpacked, if it is binary.
    which : int
        Which model is meant, from 1, of a file with several; 0 if that is not said.
    """

    text: str
    filename: str = ""
    data: bytes = b""
    which: int = 0

    @property
    def stem(self) -> str:
        """The file's name without its endings, "model" if unknown: the name of models whose format has none."""
        return PACKED.sub("", self.filename).rsplit(".", 1)[0] or "model"

    def first_line(self, comment: str = "#[^\n]*") -> str:
        """The first non-empty line, without comments; "" if there is none."""
        skipped = re.compile(comment)
        for line in self.text.split("\n", _FIRST_LINES)[:_FIRST_LINES]:
            left = skipped.sub("", line).strip()
            if left:
                return left
        return ""

    def require_variables(self, n: int, line: int | None) -> None:
        """Refuse a number of variables that is impossible for the file's size: a model takes memory for each.

        Raises
        ------
        FormatError
        """
        if n == 0:
            raise FormatError(line, "the file has no variables", "give a model of at least one")
        if n > _IDLE_VARIABLES + len(self.text) / _BYTES_A_VARIABLE:
            promised = f"the file promises {n:.4g} variables in {len(self.text)} bytes"
            raise FormatError(line, promised, "correct the count or complete the file")

    @property
    def ending(self) -> str:
        """The file's name in lower case without ``.gz`` or ``.xz``, for comparing endings."""
        return PACKED.sub("", self.filename.lower())


def read(
    path_or_bytes: str | os.PathLike[str] | bytes,
    name: str | None,
    max_bytes: int | None,
    kind: str = "a model file",
    binary: tuple[bytes, ...] = (),
) -> Source:
    """Read a file, plain or packed, within the size limit: of text, unless its first bytes say otherwise.

    Parameters
    ----------
    path_or_bytes, name, max_bytes
        As for `read_bytes`.
    kind
        As for `decode`.
    binary : tuple of bytes
        The first bytes of binary files.

    Raises
    ------
    FormatError
        If the file is too large, empty, damaged, or not text.
    OSError
        If the path cannot be read.
    """
    data, filename = read_bytes(path_or_bytes, name, max_bytes)
    if data.startswith(binary):
        return Source("", filename, data)
    text = decode(data, kind)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError(line, "the file is not text", f"give {kind} in UTF-8 or ASCII")
    return Source(text.replace("\r\n", "\n").replace("\r", "\n"), filename)


def read_bytes(
    path_or_bytes: str | os.PathLike[str] | bytes, name: str | None, max_bytes: int | None
) -> tuple[bytes, str]:
    """Read a file, plain or packed, within the size limit; also its name without its folder, "" if unknown.

    Parameters
    ----------
    path_or_bytes : str, path or bytes
        The path of the file, or its content.
    name : str or None
        The file's name, if the content is given.
    max_bytes : int or None
        Limit in bytes, packed and unpacked alike; by default ``BENDER_MAX_UPLOAD_MB`` of the environment, else 20 MB.

    Raises
    ------
    FormatError
        If the file is too large, damaged, or packed otherwise.
    OSError
        If the path cannot be read.
    """
    limit = default_limit() if max_bytes is None else max_bytes
    if isinstance(path_or_bytes, bytes):
        data = path_or_bytes
        filename = name or ""
    else:
        try:
            path = Path(path_or_bytes)
        except TypeError:
            what = f"the file is of type {type(path_or_bytes).__name__}"
            raise FormatError(None, what, "give a path, or the content as bytes") from None
        filename = name or path.name
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    _check_size(data, limit, "the file")
    if data.startswith((GZIP_MAGIC, XZ_MAGIC)):
        data = _unpack(data, limit)
    for magic, packer in _OTHER_MAGIC.items():
        if data.startswith(magic):
            raise FormatError(None, f"the file is packed by {packer}", "unpack it, or pack it by gzip or xz")
    # A path that is not UTF-8 contains characters that cannot be written.
    return data, filename.encode(errors="replace").decode()


def default_limit() -> int:
    """The default size limit in bytes."""
    return int(float(os.environ.get("BENDER_MAX_UPLOAD_MB", DEFAULT_LIMIT_MB)) * 1_000_000)


def _check_size(data: bytes, limit: int, what: str) -> None:
    if len(data) > limit:
        raise FormatError(
            None, f"{what} is larger than {limit / 1e6:g} MB", "give a smaller model or raise BENDER_MAX_UPLOAD_MB"
        )


def _unpack(data: bytes, limit: int) -> bytes:
    packer, unpack = ("gzip", _from_gzip) if data.startswith(GZIP_MAGIC) else ("xz", _from_xz)
    try:
        # Reading at most one byte more than the limit stops a decompression bomb.
        unpacked = unpack(data, limit + 1)
    except lzma.LZMAError as error:
        if "Memory usage" in str(error):
            memory = f"more than {_DICTIONARY >> 20} MB of memory"
            raise FormatError(None, f"the xz data takes {memory} to unpack", "pack it by xz -6") from None
        raise FormatError(None, f"the xz data is damaged ({error})", "pack or copy the file again") from None
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(None, f"the {packer} data is damaged ({error})", "pack or copy the file again") from None
    _check_size(unpacked, limit, "the unpacked file")
    if unpacked.startswith((GZIP_MAGIC, XZ_MAGIC)):
        raise FormatError(None, "the file is packed twice", "unpack it once")
    return unpacked


def _from_gzip(data: bytes, most: int) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        return stream.read(most)


def _from_xz(data: bytes, most: int) -> bytes:
    """All streams, one after the other, piece by piece: what is left of one is copied for every stream."""
    parts, size, streams, stream = list[bytes](), 0, 1, _stream()
    for begin in range(0, len(data), _PIECE):
        piece = data[begin : begin + _PIECE]
        while piece and size < most:
            if stream.eof:
                piece = piece.lstrip(b"\0")  # between streams there may be padding
                streams, stream = streams + bool(piece), _stream() if piece else stream
                if streams > _MOST_STREAMS:
                    raise EOFError(f"it has more than {_MOST_STREAMS:,} streams")
                continue
            parts.append(stream.decompress(piece, most - size))
            size += len(parts[-1])
            piece = stream.unused_data if stream.eof else b""
    if size < most and not stream.eof:
        raise EOFError("it ends before its end mark")
    return b"".join(parts)


def _stream() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, _DICTIONARY)


def pack(data: bytes, path: str) -> bytes:
    """The content of a file, packed if the ending of its path says so; the same content gives the same bytes."""
    ending = PACKED.search(path)
    if ending is None:
        return data
    return lzma.compress(data) if ending[1].lower() == "xz" else gzip.compress(data, mtime=0)


def decode(data: bytes, kind: str = "a model file") -> str:
    """The text of a file.

    Parameters
    ----------
    data : bytes
    kind : str
        The expected kind of file, for messages.

    Raises
    ------
    FormatError
        If it is empty, or not UTF-8; lines that are comments may be Latin-1.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = _with_latin_comments(data, kind)
    if not text.strip():
        raise FormatError(None, "the file is empty", f"give {kind}")
    return text


def _with_latin_comments(data: bytes, kind: str) -> str:
    """The text of a file some of whose comments are in Latin-1, as those of old ones may be."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return "\n".join(_line(line, number, kind) for number, line in enumerate(lines, 1))


def _line(line: bytes, number: int, kind: str) -> str:
    """A line in UTF-8, or whose comment is in Latin-1."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        comment = _COMMENT_LINE.match(line) or _COMMENT_AFTER.match(line)
        if comment is None:
            raise FormatError(number, "the file is not text", f"give {kind} in UTF-8 or ASCII") from None
        return line.decode("latin-1")


class Tokens:
    """The words of a text between white space, without comments.

    Words are not stored as strings, which would take twenty times the memory: only the start of each is stored.

    Parameters
    ----------
    text : str
    comment : str
        Regular expression of comments, which are skipped line by line.
    """

    def __init__(self, text: str, comment: str = "#[^\n]*") -> None:
        self.text = re.sub(comment, "", text, flags=re.MULTILINE) if re.search(comment, text, re.MULTILINE) else text
        # One byte per character, whatever it is: only the positions of white space matter.
        blank = np.frombuffer(self.text.encode("ascii", "replace"), np.uint8) <= ord(" ")
        self.starts = np.flatnonzero(~blank & np.concatenate([[True], blank[:-1]]))

    def __len__(self) -> int:
        return len(self.starts)

    def word(self, index: int) -> str:
        """One word; "" beyond the last."""
        if index >= len(self):
            return ""
        found = _WORD.match(self.text, int(self.starts[index]))
        return found.group() if found else ""

    def line(self, index: int) -> int:
        """The line of a word, from 1; that of the last word if the index is too large."""
        if not len(self):
            return 1
        return self.text.count("\n", 0, int(self.starts[min(index, len(self) - 1)])) + 1

    def row_lengths(self) -> tuple[IntArray, IntArray]:
        """For every non-empty line the index of its first word, and its number of words."""
        ends = np.flatnonzero(np.frombuffer(self.text.encode("ascii", "replace"), np.uint8) == ord("\n"))
        line = np.searchsorted(ends, self.starts)
        first = np.flatnonzero(np.diff(line, prepend=-1))
        return first, np.diff(first, append=len(self))

    def numbers(self, start: int) -> FloatArray:
        """All words from ``start`` on as float64.

        Raises
        ------
        FormatError
            If one is not a number, or too large.
        """
        numbers = np.empty(max(len(self) - start, 0))
        odd = "_" in self.text or not self.text.isascii()
        for begin in range(start, len(self), _WORDS_AT_ONCE):
            end = min(begin + _WORDS_AT_ONCE, len(self))
            stop = int(self.starts[end]) if end < len(self) else len(self.text)
            words = self.text[int(self.starts[begin]) : stop].split()
            try:
                if odd:
                    raise ValueError
                numbers[begin - start : end - start] = np.fromiter(map(float, words), np.float64, end - begin)
            except ValueError:
                for index in range(begin, end):
                    word = self.word(index)
                    if not NUMBER.fullmatch(word):
                        raise FormatError(
                            self.line(index), f"{shown(word)} is not a number", "write a number like 0.25 or 1e-3"
                        ) from None
                    numbers[index - start] = float(word)
        for index in (start + np.flatnonzero(np.isinf(numbers))).tolist():
            if overflows(self.word(index)):
                raise FormatError(self.line(index), f"{shown(self.word(index))} is too large a number", SMALLER)
        return numbers


def overflows(word: str) -> bool:
    """Whether a finite number is too large for float64, and would become infinite."""
    return math.isinf(float(word)) and "inf" not in word.lower()


def shown(word: str, most: int = 24) -> str:
    """A word of the file for an error message: quoted, escaped and abbreviated."""
    return repr(word if len(word) <= most else word[: most - 3] + "...")
