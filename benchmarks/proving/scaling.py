"""How the time and the memory of a proof grow with the model: body poses with more and more candidates."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.common import Options, table
from benchmarks.proving.models import poses
from bender_core.stopping import Stop
from bender_core.trying.proof import Descent

CANDIDATES = (10, 14, 20, 28, 40, 56, 80, 100)
LIMIT = 120.0
# Proofs that take less are left out of the fit: their memory is looked at too seldom.
LEAST = 0.3


def run(options: Options) -> None:
    """Print one table, and the exponents fitted to it."""
    limit = options.seconds(LIMIT)
    print("Processor seconds to the proof, and the most that its runs take; the last line: the exponents of n that fit")
    row = table({"model": -22, "n": 5, "couplings": 9, "rounds": 6, "seconds": 9, "MB": 8, "proven": 6})
    measured = []
    for name, mrf in poses(*CANDIDATES):
        begin, most = time.process_time(), [0]

        def watch(descent: Descent, most: list[int] = most) -> bool:
            most.append(descent.account.used)
            return False

        found = Descent(mrf, stop=Stop(limit))
        found.run(on_progress=watch)
        spent, certificate = time.process_time() - begin, found.end()
        figures = (f"{spent:.2f}", f"{max(most) / 1e6:.1f}")
        row(name, mrf.n, mrf.n_edges, len(certificate.rounds), *figures, "yes" if certificate.optimal else "no")
        if certificate.optimal and spent > LEAST:
            measured.append((mrf.n, spent, max(most)))
    n, *logs = np.log(np.array(measured)).T
    exponents = (np.polyfit(n, values, 1)[0] for values in logs)
    row("exponent of n", "", "", "", *(f"{each:.2f}" for each in exponents), "")
    print()
