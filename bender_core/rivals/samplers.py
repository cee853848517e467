"""Samplers of dimod: one labelling after another, with new random numbers each time, and no bound."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import partial
from itertools import count

import numpy as np

from bender_core.child_process import limit_memory
from bender_core.model import BinaryMRF
from bender_core.rivals.report import BUILT, READY, Report

MODULE = "dwave.samplers"


def search(mrf: BinaryMRF, limit: int, sampler: str) -> Iterator[Report]:
    """Labellings by a sampler with its defaults, for ever; as a `Search`, all that are better than those before.

    Parameters
    ----------
    mrf : BinaryMRF
    limit : int
        Bytes.
    sampler : str
        The name of its class.
    """
    from bender_core.io.objects import to_bqm

    made = getattr(importlib.import_module(MODULE), sampler)()
    limit_memory(limit)
    yield Report(status=READY)
    model = to_bqm(mrf, range(mrf.n))
    yield Report(status=BUILT)
    best, spins = np.inf, model.vartype.name == "SPIN"
    for seed in count():
        first = made.sample(model, num_reads=1, seed=seed).first
        if first.energy < best:
            best = first.energy
            values = np.array([first.sample[i] for i in range(mrf.n)], np.int64)
            yield Report(labeling=(values + 1) // 2 if spins else values)


annealing, tabu = (partial(search, sampler=name) for name in ("SimulatedAnnealingSampler", "TabuSampler"))
