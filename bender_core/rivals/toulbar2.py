"""toulbar2, with its defaults, in an interpreter of its own: it holds Python's lock while it searches.

What it prints is read line by line. Its costs are decimals of a fixed number of places.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bender_core.child_process import limit_memory
from bender_core.model import BinaryMRF
from bender_core.resources import environment
from bender_core.rivals.report import BUILT, FAILED, MEMORY, PROVEN, READY, Report

# Decimal places of costs; the largest sum of costs as a whole number, which decides by what they are multiplied unless
# fewer places are exact.
DECIMALS, LARGEST = 9, 1e18
# Of a power of two that is a float.
LARGEST_SHIFT = 1000
# The script that asks it.
SCRIPT = Path(__file__).with_name("asking_toulbar2.py")

_BOUND = re.compile(r"(?:Optimality gap:|Initial lower and upper bounds:) \[([-+.\de]+),")
_OPTIMUM = re.compile(r"Optimum: ([-+.\de]+) ")
_VALUES = re.compile(r"(?: [01])+")


def search(mrf: BinaryMRF, limit: int) -> Iterator[Report]:
    """The search for the optimum of a model, as a `Search`."""
    with subprocess.Popen(
        [sys.executable, "-P", str(SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines = [process.stdout.readline().strip()]
        shift, rounding = 0, 0.0
        if lines == [READY]:
            limit_memory(limit)
            limit_memory(limit, process.pid)
            yield Report(status=READY)
            text, shift, rounding = _model(mrf)
            with contextlib.suppress(BrokenPipeError):  # its last lines say why
                process.stdin.write(text)
                process.stdin.close()
            del text
        for line in process.stdout:
            lines = [*lines[-2:], line.strip()] if line.strip() else lines
            # One that is cut off is the last of a process that was killed.
            report = read(line.rstrip("\n")) if line.endswith("\n") else None
            if report is None:
                continue
            if report.bound is not None:
                report = report._replace(bound=float(np.ldexp(report.bound, -shift)) - rounding)
            yield report
            if report.status == PROVEN:
                return
        yield Report(status=_failure(lines, process.wait()))


def _model(mrf: BinaryMRF) -> tuple[str, int, float]:
    """What the script reads, with the shift of costs and their rounding."""
    places, shift, rounding = precision(mrf)
    unary, pairwise = (np.ldexp(costs, shift).tolist() for costs in (mrf.unary, mrf.pairwise.reshape(-1, 4)))
    model = {"places": places, "unary": unary, "edges": mrf.edges.tolist(), "pairwise": pairwise}
    return json.dumps(model), shift, rounding


def precision(mrf: BinaryMRF) -> tuple[int, int, float]:
    """How costs become decimals: their places, and the power of two by which they are multiplied before.

    Parameters
    ----------
    mrf : BinaryMRF

    Returns
    -------
    places, shift : int
    rounding : float
        By what that may change the energy of a labelling.
    """
    costs = np.concatenate([mrf.unary.ravel(), mrf.pairwise.ravel()])
    total = float(np.abs(costs).sum())
    for places in range(DECIMALS):
        if total * 10.0**places <= LARGEST and (costs == costs.round(places)).all():
            return places, 0, 0.0
    # The smallest sums are beyond the range of powers of two.
    shift = min(math.floor(math.log2(LARGEST / 10.0**DECIMALS) - math.log2(total)), LARGEST_SHIFT)
    return DECIMALS, shift, math.ldexp((mrf.n + mrf.n_edges) * 10.0**-DECIMALS, -shift)


def read(line: str) -> Report | None:
    """What a line says, in the costs of toulbar2; None if it says nothing new."""
    if line in (READY, BUILT):
        return Report(status=line)
    if found := _BOUND.match(line):
        return Report(bound=float(found[1]))
    if _VALUES.fullmatch(line):
        return Report(labeling=np.array(line.split(), np.int64))
    if found := _OPTIMUM.match(line):
        return Report(bound=float(found[1]), status=PROVEN)
    return None


def _failure(lines: list[str], code: int) -> str:
    """Why it ended without a proof, from its last lines and its exit code."""
    text = " ".join(lines)
    if "bad_alloc" in text or "MemoryError" in text:
        return MEMORY
    if code < 0:
        return f"{FAILED}: its process was ended by {signal.Signals(-code).name}"
    return f"{FAILED}: {lines[-1]}" if lines[-1] else f"{FAILED} with exit code {code}"
