"""The solver, compiled in the background from the moment the server starts: whether it is ready, and how far it is.

Code that was compiled before is on disk: loading it takes about a second, and a page waits for it. What has to be
compiled takes a minute, and no page waits: what needs no solver is shown at once.
"""

from __future__ import annotations

from bender_core.stopping import Stop, Stopped
from bender_core.warming import Once, compiled, warm_up
from pages._shared.running.garbage import set_aside


def _prepare() -> None:
    warm_up()
    set_aside()


_solver = Once(_prepare)


def begin() -> None:
    """Begin to load or compile it."""
    _solver.begin()


def is_compiling() -> bool:
    """Whether some of it was not on disk."""
    return compiled().anew


def is_ready() -> bool:
    """Whether it can be used; waits as long as it is only loaded."""
    try:
        _solver.wait(Stop(requested=is_compiling))
    except Stopped:
        return False
    return True
