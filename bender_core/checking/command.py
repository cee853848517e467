"""Check a proof without the solver."""

from __future__ import annotations

import argparse
from pathlib import Path

from bender_core.checking.checker import check_proof
from bender_core.checking.proof import load_proof
from bender_core.io.command import model_arguments, requested_model
from bender_core.io.terminal import exit_code
from bender_core.model import BinaryMRF


def main(arguments: list[str] | None = None) -> int:
    """Check one proof; returns the exit code, 2 if it is refused."""
    parser = argparse.ArgumentParser(prog="python bender_core/checking", description=__doc__)
    model_arguments(parser)
    parser.add_argument("proof", type=Path)

    def run() -> int:
        options = parser.parse_args(arguments)
        print(verified(requested_model(options), options.proof))
        return 0

    return exit_code(run)


def verified(mrf: BinaryMRF, path: Path) -> str:
    """Check a proof in a file.

    Parameters
    ----------
    mrf : BinaryMRF
    path : Path

    Returns
    -------
    str
        The proven claim, in a sentence.

    Raises
    ------
    RefusedError
        If it proves less than it claims.
    FormatError
        If it is no file of a proof.
    OSError
        If the file cannot be read.
    """
    found = load_proof(path)
    negligible = check_proof(mrf, found)
    but = f", up to {negligible:.2g}" if negligible else ""
    steps = f"{len(found.steps)} step{'' if len(found.steps) == 1 else 's'}"
    if found.lower_bound == found.upper_bound:
        return f"verified, {steps}: energy {found.upper_bound!r} is optimal{but}"
    return f"verified, {steps}: no energy is below {found.lower_bound!r}{but}"
