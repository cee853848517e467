"""Record what the engine computes for Learn, which is there before the solver is compiled: ``make opening``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

import bender_core as bc
from bender_core import looking
from bender_core.cycles.shares import bound
from bender_core.kernels.layout import Kind
from bender_core.model import FloatArray, IntArray
from bender_core.synth.pose import PARTS
from pages._shared.app.session import sample
from pages._shared.learn.recorded import PATH
from pages._shared.learn.rows import spread_rows

# Of the groups in the picture of the climbing bound: one table each.
TABLE = 3
# Groups of friends by their largest size: alone, in pairs, one table, two tables, all.
GROUPINGS: dict[int, list[list[int]]] = {
    1: [[k] for k in range(12)],
    2: [[0, 1], [2], [3, 4], [5], [6, 7], [8], [9, 10], [11]],
    3: [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]],
    6: [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]],
    12: [list(range(12))],
}
# A and B merged, the other tables as they were.
MERGED = [[0, 1, 2, 3, 4, 5], [6, 7, 8], [9, 10, 11]]
VARIANT, EXACT = 9, 11
# The update of a pose that is shown: the sweep, and the part of the body.
SWEEP, PART = 1, "left elbow"
# More than pictures show.
DIGITS = 9


def record() -> dict[str, Any]:
    """All that the page shows and does not compute itself."""
    mrf = sample("friends")
    return {
        **example(mrf),
        "loop": {"lp": rounded(solved(first_table(mrf), [[0], [1], [2]]))},
        "sizes": [
            {"size": size, "groups": groups, "lower": rounded(solved(mrf, groups)), "certified": certified(mrf, groups)}
            for size, groups in GROUPINGS.items()
        ],
        "merged": {"groups": MERGED, "lower": rounded(solved(mrf, MERGED))},
        "climb": climb(mrf),
        "least": least(mrf),
        "cycles": cycles(mrf),
        "spread": spread_rows(mrf),
        "update": update(),
        "pose": pose(),
    }


def example(mrf: bc.BinaryMRF) -> dict[str, Any]:
    """The friends, and the cheapest of all evenings."""
    best = optimum(mrf)
    tables = zip(mrf.edges.tolist(), mrf.pairwise.tolist(), strict=True)
    return {
        "names": list(mrf.names),
        "own": (mrf.unary[:, 1] - mrf.unary[:, 0]).tolist(),
        # Positive: it costs if they differ; negative: if they do the same.
        "wishes": [[*ends, table[0][1] or -table[0][0]] for ends, table in tables],
        "places": positions(mrf).tolist(),
        "optimum": {"energy": mrf.energy(best), "labeling": best.tolist()},
    }


def optimum(mrf: bc.BinaryMRF) -> IntArray:
    found = bc.reference(mrf).labeling
    assert found is not None
    return found


def positions(mrf: bc.BinaryMRF) -> FloatArray:
    assert mrf.positions is not None
    return mrf.positions


def first_table(mrf: bc.BinaryMRF) -> bc.BinaryMRF:
    inside = mrf.edges.max(axis=1) < TABLE
    return bc.BinaryMRF(mrf.unary[:TABLE], mrf.edges[inside], mrf.pairwise[inside])


def solved(mrf: bc.BinaryMRF, groups: Sequence[Sequence[int]]) -> float:
    """The bound that messages between some groups reach."""
    return bc.solve(mrf, bc.manual(mrf, groups), variant=EXACT).lower_bound


def certified(mrf: bc.BinaryMRF, groups: Sequence[Sequence[int]]) -> float:
    """The bound recomputed from the messages alone."""
    engine = bc.Engine(mrf, bc.manual(mrf, groups), variant=EXACT)
    engine.run()
    return rounded(looking.certified_bound(engine))


def rounded(energy: float) -> float:
    """Energies of whole numbers and halves, which a run reaches up to its tolerance."""
    near = round(2 * energy) / 2
    assert abs(near - energy) < 1e-4
    return near


def climb(mrf: bc.BinaryMRF) -> dict[str, Any]:
    """A run on tables, sweep by sweep, and where its gap is against the best labelling of all."""
    engine = bc.Engine(mrf, bc.manual(mrf, GROUPINGS[TABLE], list("ABCD")), variant=VARIANT)
    best = optimum(mrf)
    sweeps: list[dict[str, Any]] = []
    while True:
        parts = looking.tension(engine, best)
        sweeps.append(
            {
                "lower": round(engine.lower_bound, DIGITS),
                "upper": engine.upper_bound,
                "groups": parts.groups.round(DIGITS).tolist(),
                "edges": parts.edges.round(DIGITS).tolist(),
            }
        )
        if engine.finished:
            break
        engine.step("sweep")
    return {
        "groups": GROUPINGS[TABLE],
        "labels": list(engine.partition.labels),
        "edges": engine.graph.edges.tolist(),
        "sweeps": sweeps,
    }


def least(mrf: bc.BinaryMRF) -> list[list[float]]:
    """What an evening costs at least that gives a table a state, by the messages at which the bound on tables stops."""
    engine = bc.Engine(mrf, bc.manual(mrf, GROUPINGS[TABLE]), variant=VARIANT)
    engine.run()
    energies = (engine.upper_bound + looking.excess(engine, table) for table in range(len(engine.partition)))
    return [each.round(DIGITS).tolist() for each in energies]


def cycles(mrf: bc.BinaryMRF) -> dict[str, Any]:
    """The frustrated loops that lend, and the bound before and after each."""
    packing = bc.Packing(mrf)
    packing.run()
    order = np.argsort(-packing.shares, kind="stable")
    order = order[packing.shares[order] > 0]
    used = [packing.cycles[k] for k in order]
    lowers = [bound(packing.graph, used[:count], packing.shares[order[:count]]) for count in range(len(used) + 1)]
    return {"loops": [{"wishes": packing.graph.ends[cycle].tolist()} for cycle in used], "lowers": lowers}


def update() -> dict[str, Any]:
    """An update of a body part, round by round, and what it reads with rows and by enumeration."""
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 6, "groups"), variant=VARIANT)
    group, labels = PARTS.index(PART), engine.partition.labels
    for _ in range(SWEEP):
        engine.step("sweep")
    while not (looking.open_node(engine) == group and looking.open_update(engine)):
        engine.step("event")
    before, lower = int(looking.work(engine).messages.sum()), engine.lower_bound
    rounds: list[dict[str, Any]] = []
    while True:
        event = engine.step("event")[-1]
        if event.kind == Kind.MESSAGE:
            break
        if event.kind == Kind.ORACLE and (not rounds or rounds[-1]["y"] != event.state):
            rounds.append({"y": event.state, "ground": looking.ground(engine, group).round(6).tolist()})
        if event.kind == Kind.ORACLE:
            rounds[-1] |= {"floor": event.floor, "ceiling": event.ceiling}
    neighbours = [int(q) for q in engine.graph.neighbours(group)]
    return {
        "part": labels[group],
        "neighbours": [labels[q] for q in neighbours],
        "lower": [lower, engine.lower_bound],
        "rounds": rounds,
        "read": {
            "rows": int(looking.work(engine).messages.sum()) - before,
            "exact": sum(
                1 << len(engine.partition.groups[group]) + len(engine.partition.groups[q]) for q in neighbours
            ),
        },
    }


def pose() -> dict[str, Any]:
    """The candidates of a small pose, and the body that won."""
    mrf = sample("pose-small")
    result = bc.solve(mrf, bc.partition(mrf, 8, "groups"), variant=VARIANT)
    return {
        "parts": list(PARTS),
        "group": [PARTS.index(name) for name in mrf.groups or ()],
        "places": positions(mrf).tolist(),
        "labeling": result.labeling.tolist(),
        "energy": result.upper_bound,
        "lower": result.lower_bound,
        "sweeps": result.sweeps,
    }


def main() -> None:
    """Write the recording to where the app reads it."""
    text = json.dumps(record(), separators=(",", ":")).encode()
    PATH.write_bytes(gzip.compress(text, mtime=0))


if __name__ == "__main__":
    main()
