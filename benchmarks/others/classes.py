"""How far the states of a message collapse: its classes against the states of its receiver."""

from __future__ import annotations

import numpy as np

import bender_core as bc
from benchmarks.common import Options, table
from bender_core.hypergraph import HyperGraph
from bender_core.resources import SAMPLES

SIZES = (8, 12, 16)


def run(options: Options) -> None:
    """Print a line a model and M: of all messages, how many states and how many classes there are."""
    print("Classes of a message against the states of its receiver, default partition; halves: 2^-k of the states")
    row = table(
        {"model": -24, "M": 3, "messages": 9, "states": 8, "classes p50": 12, "p95": 7, "max": 7}
        | {"halvings p50": 13, "fewer": 7}
    )
    files = sorted(SAMPLES.glob("*.json"))
    if options.instances.is_dir():
        files += [path for path in sorted(options.instances.iterdir()) if path.suffix != ".md"]
    for path in files:
        mrf = bc.load(path)
        for size in SIZES:
            graph = HyperGraph(mrf, bc.partition(mrf, size))
            arcs = range(2 * len(graph.edges))
            if not len(arcs):
                continue
            every = np.array([graph.problem.size[graph.ends(arc)[0]] for arc in arcs])
            coupled = np.array([len(graph.active_members(arc)) for arc in arcs])
            p50, p95, most = (1 << int(q) for q in np.quantile(coupled, (0.5, 0.95, 1), method="higher"))
            fewer = f"{100 * np.mean(coupled < every):.0f} %"
            halvings = f"{np.median(every - coupled):g}"
            row(path.name.split(".")[0], size, len(arcs), 1 << int(every.max()), p50, p95, most, halvings, fewer)
    print()
