"""A program on a terminal: the line that says how far its work is, and how it ends."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from bender_core.stopping import INTERRUPTED

# Back to the beginning of the line, which is erased.
_CLEAR = "\r\x1b[K"
REFUSED = 2
UNREAD = 141  # the exit code that a shell expects after SIGPIPE


@contextmanager
def following() -> Iterator[Callable[[str], None]]:
    """A function that puts a text in place of the one before, on standard error if that is a terminal.

    Nothing of it is left at the end.
    """
    seen = sys.stderr.isatty()

    def tell(text: str) -> None:
        if seen:
            # A line that does not fit would be followed by another instead of being replaced.
            print(_CLEAR + text[: shutil.get_terminal_size().columns - 1], end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if seen:
            print(_CLEAR, end="", file=sys.stderr, flush=True)


def exit_code(command: Callable[[], int]) -> int:
    """Run a command; what goes wrong becomes one line on standard error.

    Parameters
    ----------
    command : callable
        Returns its exit code.

    Returns
    -------
    int
        That; or `REFUSED` for bad input, `INTERRUPTED` after Ctrl-C, and `UNREAD`, without a line, if nobody reads the
        output any more, as behind ``head``.
    """
    try:
        try:
            return command()
        finally:
            # Here rather than when Python ends, which would add a traceback.
            sys.stdout.flush()
    except ValueError as error:
        return _failed(str(error))
    except OSError as error:
        if error.filename is None:
            # Python would try once more to write the rest.
            _print_to_nowhere()
            if isinstance(error, BrokenPipeError):
                return UNREAD
        return _failed(f"{'the output' if error.filename is None else error.filename}: {error.strerror or error}")
    except KeyboardInterrupt:
        return _failed("interrupted", INTERRUPTED)


def _failed(sentence: str, code: int = REFUSED) -> int:
    # Who does not read errors has the exit code.
    with suppress(OSError):
        print(sentence if code == INTERRUPTED else f"error: {sentence}", file=sys.stderr, flush=True)
    return code


def _print_to_nowhere() -> None:
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
