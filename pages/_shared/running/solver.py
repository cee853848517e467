"""The solver, compiled in the background from the moment the server starts: its readiness and progress.

Code compiled earlier is on disk: loading it takes about a second, and a page waits for it. Compiling takes a minute,
and no page waits for it: everything that needs no solver is shown immediately.
"""

from __future__ import annotations

from bender_core.stopping import Stop, Stopped
from bender_core.warming import Once, compiled, warm_up
from pages._shared.running.garbage import allocate_together, set_aside


def _prepare() -> None:
    warm_up()
    set_aside()


_solver = Once(_prepare)


def begin() -> None:
    """Begin to load or compile it, when the server starts."""
    allocate_together()
    _solver.begin()


def is_compiling() -> bool:
    """Whether some of it was not on disk."""
    return compiled().anew


def state() -> tuple[str, bool]:
    """How far it is, in words, and whether it is ready or can become so; does not wait."""
    if _solver.done:
        return "compiled", True
    if _solver.error is not None:
        return f"not compiled: {_solver.error}", False
    ready, functions, anew = compiled()
    return f"{'compiling' if anew else 'loading'}, {ready} of {functions} functions", True


def is_ready() -> bool:
    """Whether it can be used; waits while it is only being loaded."""
    try:
        _solver.wait(Stop(requested=is_compiling))
    except Stopped:
        return False
    return True
