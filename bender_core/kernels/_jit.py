"""The decorators of all compiled code: no GIL, strict floating point, a disk cache that cannot go stale.

Numba's own cache looks at the file of a function only, so a caller keeps running the old code of what it
imports. Here the cache lives in a folder named by the hash of all the kernel sources.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import numba
from numba.core import config

# Sums are never re-associated (replay and the interpreter must agree to the last bit); without NaN and
# signed zeros in play, minima and maxima still vectorise.
_FASTMATH = {"nnan", "nsz"}


def _cache_folder() -> Path:
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    home = Path(os.environ.get("BENDER_CACHE_DIR") or Path.home() / ".cache" / "bender-lab")
    folder = home / f"kernels-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="bender-lab-kernels-"))
    return folder


_FOLDER = str(_cache_folder())


def kernel(function):
    """Compile a function on its first call, and keep the machine code on disk.

    Kernels neither allocate nor return arrays: there are no reference counts. Those whose name begins with an
    underscore cannot be called from Python; to unpack its arguments would take longer to compile than they do.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = _FOLDER
    try:
        return numba.njit(
            cache=True,
            nogil=True,
            fastmath=_FASTMATH,
            error_model="numpy",
            no_cpython_wrapper=function.__name__.startswith("_"),
            no_cfunc_wrapper=True,
            _nrt=False,
        )(function)
    finally:
        config.CACHE_DIR = before


def inlined(function):
    """Make a function part of the kernels that call it: one that returns arrays, or a phase of a long one."""
    return numba.njit(inline="always")(function)
