"""Machine code on disk: named by all that made it, checked before it is used, and never a reason to fail.

Numba's own cache looks at the file of a function only, so a caller keeps running the old code of what it imports; a
damaged file ends the process, and so does a folder that cannot be written. Here the code lives in a folder named by
the hash of all the kernel sources, every file begins with a checksum, and what cannot be kept is compiled again.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import pickle
import shutil
import stat
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numba
from numba.core import config
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from bender_core.files import write_whole
from bender_core.kernels._linking import call_by_name, names_called

# Folders of other sources are removed when unused for this long, and those used longest ago when all
# together take more bytes than that.
UNUSED_SECONDS, LARGEST = 30 * 86_400.0, 512 << 20
# More than the code of any function.
PROBE_BYTES = 1 << 20
_CHECKSUM_BYTES = hashlib.sha256().digest_size
# There is no home folder, or it cannot be read or written.
_NO_PLACE = (OSError, RuntimeError)


class _Entry(NamedTuple):
    """Where the machine code of a name comes from."""

    function: str  # the path of a function of Python
    arguments: tuple[Any, ...]  # the types it was compiled for


class Compiled(NamedTuple):
    """How much of the machine code of all kernels this process has.

    Attributes
    ----------
    ready : int
        Functions whose code is there, of
    all : int
    anew : bool
        Whether some of it was not on disk: then most has to be compiled.
    """

    ready: int
    all: int
    anew: bool


class DiskCache(NullCache):
    """The machine code of one function, for its dispatcher: a file for every signature.

    It may refer to entries by name. A file lists these, and is used only where they have machine code of that name.

    Parameters
    ----------
    dispatcher : Dispatcher
    by_name : bool
        Whether the code of kernels refers to this one by name; otherwise they include it.
    """

    _dispatchers: ClassVar[dict[str, Any]] = {}
    _entries: ClassVar[dict[str, _Entry]] = {}
    _lacked: ClassVar[list[str]] = []

    def __init__(self, dispatcher, by_name):
        function = dispatcher.py_func
        self._by_name = by_name
        self._stem = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._source = Path(function.__code__.co_filename)
        self._path = f"{function.__module__}.{function.__qualname__}"
        self._dispatchers[self._path] = dispatcher

    def load_overload(self, sig, target_context):
        """The compiled function; None if it is not kept, its file is damaged, or what it calls is not what it was."""
        target_context.refresh()
        data = self._kept(target_context, _read(self._name(sig, target_context.codegen())))
        if data is None:
            self._lacked.append(self._path)
        else:
            self._make_known(data)
        return data

    def _kept(self, target_context, content):
        if content is None:
            return None
        called, code = pickle.loads(content)
        if not all(self._has(name, entry) for name, entry in called.items()):
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(code))

    def save_overload(self, sig, data):
        """Keep a compiled function if there is a place for it, and no address in it that holds in this process only."""
        if not data.library.has_dynamic_globals:
            called = {name: self._entries[name] for name in names_called(data) if name in self._entries}
            _write(self._name(sig, data.codegen), dumps((called, dumps(data._reduce()))))
        self._make_known(data)

    @classmethod
    def compiled(cls) -> Compiled:
        """How much of the code of all functions with such a cache this process has."""
        dispatchers = list(cls._dispatchers.values())
        return Compiled(sum(bool(each.overloads) for each in dispatchers), len(dispatchers), bool(cls._lacked))

    @classmethod
    def is_to_be_filled(cls) -> bool:
        """Whether most of that code is not on disk, and can be kept there."""
        files = 0
        for home in (_home, _temporary_home):
            with suppress(*_NO_PLACE):
                files += sum(1 for _ in (home() / _FOLDER).iterdir())
        return 2 * files < len(cls._dispatchers) and _can_keep()

    def _has(self, name, entry):
        """Whether there is machine code of a name, once its function is loaded or compiled."""
        if entry.function in self._dispatchers:
            self._dispatchers[entry.function].compile(entry.arguments)
        return name in self._entries

    def _make_known(self, data):
        if self._by_name:
            self._entries[data.fndesc.llvm_func_name] = _Entry(self._path, data.signature.args)
            call_by_name(data)

    def _name(self, sig, codegen):
        made_by = f"{_hash_of(self._source)} {sig!r} {codegen.magic_tuple()}"
        return f"{self._stem}-{hashlib.sha256(made_by.encode()).hexdigest()[:16]}"


def _read(name: str) -> bytes | None:
    """The code in a file, from the first place that has it whole."""
    for home in (_home, _temporary_home):
        with suppress(*_NO_PLACE):
            content = (home() / _FOLDER / name).read_bytes()
            code = content[_CHECKSUM_BYTES:]
            if hashlib.sha256(code).digest() == content[:_CHECKSUM_BYTES]:
                return code
    return None


def _write(name: str, code: bytes) -> None:
    """Keep code in the first place that can be written; if there is none, say so once."""
    refusals = []
    for home in (_home, _temporary_home):
        try:
            write_whole(_opened(home(make=True)) / name, hashlib.sha256(code).digest() + code)
        except _NO_PLACE as error:
            refusals.append(str(error))
        else:
            return
    _say_unkept(refusals[0])


def _can_keep() -> bool:
    """Whether there is a place with room for code."""
    for home in (_home, _temporary_home):
        with suppress(*_NO_PLACE), tempfile.TemporaryFile(dir=_opened(home(make=True))) as probe:
            probe.write(bytes(PROBE_BYTES))
            probe.flush()
            return True
    return False


@cache
def _say_unkept(reason: str) -> None:
    warnings.warn(
        f"the compiled solver cannot be kept, and every start compiles it anew ({reason}); "
        "make room there, or set BENDER_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=2,
    )


# -- places ---------------------------------------------------------------------------------------------------


@cache
def _hash_of(*sources: Path) -> str:
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


# Numba chooses whether indices are checked by a setting that its signatures do not show.
_SETTINGS = f"{numba.__version__} {sys.implementation.cache_tag} {bool(config.BOUNDSCHECK)}"  # type: ignore[attr-defined]
_SOURCES = _hash_of(*sorted(Path(__file__).parent.rglob("*.py")))
_FOLDER = f"kernels-{hashlib.sha256(f'{_SETTINGS} {_SOURCES}'.encode()).hexdigest()[:16]}"


def _home(make: bool = False) -> Path:
    """Where the user wants it."""
    given = os.environ.get("BENDER_CACHE_DIR")
    home = Path(given) if given else Path.home() / ".cache" / "bender-lab"
    if make:
        home.mkdir(parents=True, exist_ok=True)
    return home


def _temporary_home(make: bool = False) -> Path:
    """A folder of this user alone among the temporary files: what is found there is run."""
    home = Path(tempfile.gettempdir()) / f"bender-lab-{getattr(os, 'getuid', getpass.getuser)()}"
    if make:
        home.mkdir(mode=0o700, exist_ok=True)
    found = home.lstat()
    if hasattr(os, "getuid") and (found.st_uid, stat.S_IMODE(found.st_mode)) != (os.getuid(), 0o700):
        raise PermissionError(f"others can write to {home}")
    return home


def _opened(home: Path) -> Path:
    """The folder of these sources, made if it is not there; those that are no longer used go at that moment."""
    folder = home / _FOLDER
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        remove_unused(home)
    return folder


def remove_unused(home: Path) -> None:
    """Remove the folders unused for `UNUSED_SECONDS`, and the oldest beyond `LARGEST` bytes.

    A process that still runs the old code finds its files gone, compiles what it lacks and makes the folder anew.
    """
    with suppress(OSError):
        folders = sorted(home.glob("kernels-*"), key=lambda folder: -folder.stat().st_mtime)
        room = LARGEST
        for folder in folders:
            room -= sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
            if room < 0 or time.time() - folder.stat().st_mtime > UNUSED_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def mark_used() -> None:
    """Keep this process's folders from being taken for unused."""
    for home in (_home, _temporary_home):
        with suppress(*_NO_PLACE):
            os.utime(home() / _FOLDER)


mark_used()
