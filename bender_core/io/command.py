"""Arguments that name a model, and how it is read: shared by the commands and the checker."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bender_core.io import FORMATS, MINIMISED, load
from bender_core.model import BinaryMRF


def model_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the file of a model, and the options for reading it."""
    readable = ", ".join(form.name for form in FORMATS)
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--format",
        metavar="NAME",
        help=f"{readable}; by default from the content; orlib:3 is the third model of a file with several",
    )
    parser.add_argument("--evidence", type=Path, metavar="FILE", help="UAI evidence: values of observed variables")
    parser.add_argument(
        "--maximize", action="store_true", help="the file's objective is maximised; for formats that do not say so"
    )


def requested_model(options: argparse.Namespace) -> BinaryMRF:
    """The requested model; notes on ambiguities of its file go to standard error.

    Raises
    ------
    FormatError
        If the content is not a supported model.
    OSError
        If the file cannot be read.
    """
    mrf = load(options.file, format=options.format, evidence=options.evidence, maximize=options.maximize)
    if mrf.readings:
        taken, *others = (next(form for form in FORMATS if form.name == name) for name in mrf.readings)
        ways = ", ".join(f"to read it as {form.title} say --format {form.name}" for form in others)
        print(f"{options.file}: read as {taken.title}; {ways}", file=sys.stderr)
    for note in mrf.notes:
        turn = ": --maximize" if note == MINIMISED else ""
        print(f"{options.file}: {note}{turn}", file=sys.stderr)
    return mrf
