"""The values of symbols in a scene, where they are more than a look at one of its attributes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bender_core import looking
from bender_core.kernels.layout import Kind
from bender_core.model import FloatArray
from pages._shared.app.text import MEDIUM, label
from pages._shared.method.scene import Scene
from pages._shared.method.tex import rounded

# The most variables whose values are written out.
MOST_VALUES = 24
NONE = "none"


def variables(scene: Scene, chosen: Iterable[int]) -> str:
    """Variables by their names."""
    return label(", ".join(scene.engine.mrf.names[i] for i in chosen), MEDIUM) or NONE


def groups(scene: Scene, chosen: Iterable[int]) -> str:
    """Groups by their names."""
    return label(", ".join(scene.engine.partition.labels[p] for p in chosen), MEDIUM) or NONE


def listed(values: Iterable[float]) -> str:
    """Numbers side by side."""
    return ", ".join(rounded(float(value)) for value in values)


def bits(scene: Scene, group: int, state: int) -> str:
    """The values of the members of a group in a state, the first member first."""
    return "".join(map(str, scene.bits(group, state).tolist()))


def labelling(scene: Scene) -> str:
    """The best labelling so far, group by group."""
    engine = scene.engine
    if engine.mrf.n > MOST_VALUES:
        return f"{engine.mrf.n} values"
    states = engine.graph.states(engine.labeling).tolist()
    return " ".join(bits(scene, group, state) for group, state in enumerate(states))


def unary(scene: Scene) -> str:
    """The unary term of i."""
    return listed(scene.engine.mrf.unary[scene.pair.i])


def pairwise(scene: Scene) -> str:
    """The pairwise term of i and j, before and in the normal form."""
    before, normal = (listed(table.ravel()) for table in (scene.pair.before, scene.pair.normal))
    return f"{before}; in the normal form {normal}"


def coupling(scene: Scene) -> float:
    """The coupling of i and j, from its table."""
    t = scene.pair.before
    return float(t[1, 1] - t[0, 1] - t[1, 0] + t[0, 0])


def share(scene: Scene) -> float:
    """What p keeps at y*, and each of its edges gets, under mplp."""
    return float(scene.total[scene.y]) / (1 + len(scene.neighbours))


def charges(scene: Scene) -> str:
    """What the row shown charges p at y*, and q at its answer."""
    return listed(map(sum, scene.row_at))


def charge_of_each(scene: Scene) -> str:
    """What it charges i and j of that."""
    u, v = scene.row_at
    return listed((u[scene.pair.mine], v[scene.pair.other]))


def split(table: FloatArray, anchor: int) -> tuple[FloatArray, FloatArray]:
    """The parts of a coupling in the reverse row at y*, for each value of its ends; ``anchor``: that of i in y*."""
    first: FloatArray = np.array([0.0 if x == anchor else -table[x].min() for x in (0, 1)])
    second: FloatArray = -(table + first[:, None]).min(axis=0)
    return first, second


def sides(scene: Scene) -> str:
    """The parts of the coupling shown, where it has its energy."""
    pair = scene.pair
    return listed(part[x] for part, x in zip(split(pair.normal, pair.anchor), pair.entry, strict=True))


def ahead(scene: Scene, later: bool) -> list[int]:
    """The neighbours after p, or before it, in the order of srmp."""
    rank = scene.engine.graph.sweep_order().argsort()
    return [q for q in scene.neighbours if bool(rank[q] > rank[scene.p]) == later]


def loosest(scene: Scene) -> int:
    """The neighbour that was the loosest when the oracle answered last; q without an oracle."""
    trace = scene.engine.trace.until(scene.engine.position)
    kinds = trace.column("kind")
    last = int(np.flatnonzero((kinds == Kind.ORACLE) | (kinds == Kind.NODE_OPENED))[-1])
    arc = trace[last].arc
    return scene.q if arc < 0 else scene.engine.graph.ends(arc)[1]


def is_forest(scene: Scene) -> bool:
    """Whether the groups form trees."""
    return scene.engine.graph.cycles() == 0


def is_outward(scene: Scene) -> bool:
    """Whether the update was one of srmp on its way out, the first one of its group in the sweep."""
    kinds = scene.engine.trace.column("kind")[: scene.engine.position]
    begin = np.flatnonzero(np.append(Kind.SWEEP, kinds) == Kind.SWEEP)[-1]
    passed = np.count_nonzero(kinds[begin:] == Kind.MESSAGE)
    return scene.engine.settings.schedule == "srmp" and bool(passed <= scene.engine.graph.n_groups)


def own(scene: Scene) -> float:
    """The energy within p at y*."""
    return float(scene.engine.graph.energies(scene.p)[scene.y])


def forward_share(scene: Scene) -> float:
    """What srmp gives of p's total to each edge ahead, on the way out."""
    before, after = len(ahead(scene, later=False)), len(ahead(scene, later=True))
    return 1 / max(after, 0 if is_forest(scene) else before, 1)


def exact_total(scene: Scene) -> float:
    """The cost of y* with the exact answers of all neighbours."""
    return own(scene) + sum(answer.exact for answer in looking.answers(scene.engine, scene.p, scene.y))


def broken_edge(scene: Scene) -> str:
    """The coupling of cycles that is shown, by its variables; a field has one."""
    loops = scene.loops
    return NONE if loops.edge < 0 else ends(scene, loops.packing.graph.ends[loops.edge])


def cycle(scene: Scene) -> str:
    """The cycle with the largest share, by its variables."""
    loops = scene.loops
    return NONE if loops.largest < 0 else ends(scene, loops.packing.graph.ends[loops.packing.cycles[loops.largest]])


def ends(scene: Scene, vertices: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> str:
    """The variables among vertices of the signed graph."""
    return variables(scene, (int(i) for i in np.unique(vertices) if i < scene.engine.mrf.n))


def of_edge(scene: Scene, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """The entry of the coupling of cycles that is shown."""
    return float(values[scene.loops.edge]) if scene.loops.edge >= 0 else 0.0
