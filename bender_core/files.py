"""Files written completely or not at all; pipes and devices are written to directly."""

from __future__ import annotations

import errno
import os
import stat
import sys
import uuid
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: others may be reading or writing it, and a full disk leaves no partial file.

    A link stays one, and the file behind it is written; its owner and permissions stay, too. A pipe or a terminal
    receives the content, and so does what this process prints to: ``/dev/stdout`` is a path like any other.

    Parameters
    ----------
    path : Path
    content : bytes

    Raises
    ------
    OSError
        With the path, if it cannot be written; the previous content stays.
    """
    try:
        found = _found(path)
        printing = None if found is None else _printing_to(found)
        if printing is None:
            _write(path, found, content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    if printing is not None:
        _write_through(os.dup(printing), content)


def require_place(path: Path) -> None:
    """Refuse a path at which no file can be, before long work whose result is to be written there.

    Raises
    ------
    OSError
        With the path.
    """
    try:
        found = _found(path)
        if found is None and not Path(os.path.realpath(path)).parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if found is not None and not stat.S_ISREG(found.st_mode):
            _require_stream(found.st_mode)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def require_apart(path: Path, kept: Path, otherwise: str) -> None:
    """Refuse to write to a file that is to be kept, under whatever name or link.

    Parameters
    ----------
    path, kept : Path
    otherwise : str
        What would happen to the file kept.

    Raises
    ------
    ValueError
    """
    # Anything but a regular file (a terminal, a pipe) is written to instead of replaced.
    if path.is_file() and kept.exists() and path.samefile(kept):
        raise ValueError(f"{otherwise} {kept}; give another file")


def _found(path: Path) -> os.stat_result | None:
    """The file at a path or behind a link; None if it does not exist yet."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _printing_to(found: os.stat_result) -> int | None:
    """The standard stream of this process that leads to a file, at whose end other output may stand."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            if os.path.samestat(os.fstat(stream.fileno()), found):
                stream.flush()
                return stream.fileno()
    return None


def _write(path: Path, found: os.stat_result | None, content: bytes) -> None:
    if found is None or stat.S_ISREG(found.st_mode):
        _replace(path, found, content)
    else:
        _require_stream(found.st_mode)
        # Never created: it is there, or has just gone.
        _write_through(os.open(path, os.O_WRONLY), content)


def _require_stream(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        kind = "a socket" if stat.S_ISSOCK(mode) else "a disk"
        raise OSError(errno.EINVAL, f"this is {kind}; give a file or a pipe")


def _write_through(descriptor: int, content: bytes) -> None:
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)


def _replace(path: Path, found: os.stat_result | None, content: bytes) -> None:
    """Put a new file in place of the one behind all links, or where it is to be."""
    place = Path(os.path.realpath(path))
    if found is not None and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    # Short, since the name of the file may have all the letters that a name may have.
    draft = place.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with draft.open("xb") as stream:
            stream.write(content)
        if found is not None:
            _keep_owner(draft, found)
            draft.chmod(stat.S_IMODE(found.st_mode))
        draft.replace(place)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _keep_owner(draft: Path, found: os.stat_result) -> None:
    """As far as this user may; who may write a file of another owner becomes its owner."""
    made = draft.stat()
    if hasattr(os, "chown") and (made.st_uid, made.st_gid) != (found.st_uid, found.st_gid):
        with suppress(PermissionError):
            os.chown(draft, found.st_uid, found.st_gid)
