"""From a path or bytes to bounded text, and from text to numbers that remember their lines."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bender_core.io.errors import FormatError
from bender_core.model import FloatArray

DEFAULT_LIMIT_MB = 20.0
GZIP_MAGIC = b"\x1f\x8b"

# What float() takes, without the digit groups and foreign digits it also takes.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(inf|infinity|nan)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """The text of a model file.

    Attributes
    ----------
    text : str
        The content, unpacked, with newlines alone between lines.
    filename : str
        The file's name without its folder, "" if unknown.
    """

    text: str
    filename: str = ""

    @property
    def stem(self) -> str:
        """The file's name without its endings, "model" if unknown: a name for models whose format has none."""
        return re.sub(r"(\.gz)?$", "", self.filename).rsplit(".", 1)[0] or "model"

    @property
    def ending(self) -> str:
        """The file's name in lower case without ``.gz``, for comparing endings."""
        return self.filename.lower().removesuffix(".gz")


def read(path_or_bytes: str | os.PathLike[str] | bytes, name: str | None, max_bytes: int | None) -> Source:
    """Read a file, plain or gzip, within the size limit.

    Parameters
    ----------
    path_or_bytes : str, path or bytes
        Where the file is, or its content.
    name : str or None
        The file's name, where the content is given.
    max_bytes : int or None
        Limit in bytes, packed and unpacked alike; by default ``BENDER_MAX_UPLOAD_MB`` of the environment, else 20 MB.

    Raises
    ------
    FormatError
        If the file is too large, empty, damaged gzip, or not text.
    OSError
        If the path cannot be read.
    """
    limit = default_limit() if max_bytes is None else max_bytes
    if isinstance(path_or_bytes, bytes):
        data = path_or_bytes
        filename = name or ""
    else:
        path = Path(path_or_bytes)
        filename = name or path.name
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    _check_size(data, limit, "the file")
    if data.startswith(GZIP_MAGIC):
        data = _unpack(data, limit)
    return Source(_decode(data), filename)


def default_limit() -> int:
    """The size limit in bytes where none is given."""
    return int(float(os.environ.get("BENDER_MAX_UPLOAD_MB", DEFAULT_LIMIT_MB)) * 1_000_000)


def _check_size(data: bytes, limit: int, what: str) -> None:
    if len(data) > limit:
        raise FormatError(
            None, f"{what} is larger than {limit / 1e6:g} MB", "give a smaller model or raise BENDER_MAX_UPLOAD_MB"
        )


def _unpack(data: bytes, limit: int) -> bytes:
    try:
        # Asking for one byte more than the limit stops a bomb before it unfolds.
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            unpacked = stream.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(None, f"the gzip data is damaged ({error})", "pack or copy the file again") from None
    _check_size(unpacked, limit, "the unpacked file")
    return unpacked


def _decode(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(line, "the file is not text", "give a model file in UTF-8 or ASCII") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError(line, "the file is not text", "give a model file in UTF-8 or ASCII")
    if not text.strip():
        raise FormatError(None, "the file is empty", "give a model file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Tokens:
    """The words of a text in white space, without ``#`` comments; lines are looked up only when one is asked for."""

    def __init__(self, text: str) -> None:
        self._text = re.sub("#[^\n]*", "", text)
        self.words = self._text.split()

    def line(self, index: int) -> int:
        """The line of a word, from 1; of the last word if there are fewer."""
        index = min(index, len(self.words) - 1)
        words_up_to = itertools.accumulate(len(line.split()) for line in self._text.split("\n"))
        return next(number for number, words in enumerate(words_up_to, 1) if words > index)

    def numbers(self, start: int) -> FloatArray:
        """All words from ``start`` on as float64.

        Raises
        ------
        FormatError
            If one is not a number.
        """
        words = self.words[start:]
        try:
            if "_" in self._text or not self._text.isascii():
                self._refuse_first_non_number(start)
            return np.fromiter(map(float, words), np.float64, len(words))
        except ValueError:
            self._refuse_first_non_number(start)
            raise

    def _refuse_first_non_number(self, start: int) -> None:
        for index in range(start, len(self.words)):
            word = self.words[index]
            if not _NUMBER.fullmatch(word):
                raise FormatError(
                    self.line(index), f"{shown(word)} is not a number", "write a number like 0.25 or 1e-3"
                )


def shown(word: str) -> str:
    """A word of the file as an error message may show it: quoted, escaped and short."""
    return repr(word if len(word) <= 24 else word[:21] + "...")
