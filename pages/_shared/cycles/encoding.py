"""The events of a packing as the picture draws them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

import bender_core as bc
from bender_core.cycles.shares import SPENT, rests
from bender_core.cycles.signed import SignedGraph
from bender_core.model import FloatArray, IntArray
from bender_core.visualization.layout import variable_layout
from pages._shared.app.text import label
from pages._shared.cycles import protocol, words

# The most variables that are drawn.
VARIABLES = 2000


def graph_view(mrf: bc.BinaryMRF, graph: SignedGraph) -> protocol.Graph:
    """The signed graph with the places of its variables."""
    points = variable_layout(mrf) if mrf.n <= VARIABLES else np.zeros((0, 2))
    return {
        "x": points[:, 0].round(4).tolist(),
        "y": points[:, 1].round(4).tolist(),
        "names": [label(name) for name in mrf.names],
        "ends": graph.ends.ravel().tolist(),
        "opposite": graph.opposite.tolist(),
        "cost": graph.cost.tolist(),
        "base": graph.base,
        "scale": float(graph.cost.sum()),
    }


class Encoding(ABC):
    """Encodes the events of what raises a bound, one round after the other.

    Parameters
    ----------
    engine : Packing or CyclePursuit
        At its beginning.
    graph : SignedGraph
        Of its model.
    opening : str
        Its state in words.
    gap : Gap, optional
        Where it lies, if that does not follow from shares.
    """

    def __init__(
        self, engine: bc.Packing | bc.CyclePursuit, graph: SignedGraph, opening: str, gap: protocol.Gap | None = None
    ) -> None:
        self._graph, self._labeling = graph, engine.labeling
        self._names = [label(name) for name in engine.mrf.names]
        self._before = engine.work  # of the first labelling
        self.start: protocol.Start = {
            "best": self._labelling(engine.labeling),
            "gap": gap,
            "lower": engine.lower_bound,
            "upper": engine.upper_bound,
            "sentence": opening,
        }

    @abstractmethod
    def go_on(self) -> Sequence[protocol.Event]:
        """The events that have been computed since the last call."""

    @abstractmethod
    def ending(self) -> protocol.Ending:
        """That of what has finished."""

    def _better(self, labeling: IntArray) -> protocol.Labelling | None:
        """The best labelling if it is another one than before."""
        is_known, self._labeling = labeling is self._labeling, labeling
        return None if is_known else self._labelling(labeling)

    def _labelling(self, labeling: IntArray) -> protocol.Labelling:
        broken = self._graph.broken(labeling)
        return {"values": labeling.tolist(), "broken": np.flatnonzero(broken).tolist()}


class Encoder(Encoding):
    """Encodes the events of a packing.

    Parameters
    ----------
    packing : Packing
        At its beginning.
    """

    def __init__(self, packing: bc.Packing) -> None:
        super().__init__(packing, packing.graph, words.opening(packing))
        self._packing, self._done = packing, 0
        self._number = dict[bytes, int]()  # of cycles, by their edges

    def go_on(self) -> list[protocol.Found | protocol.Shared]:
        # The packing is shown at the last of them.
        packing, encoded = self._packing, list[protocol.Found | protocol.Shared]()
        while self._done < len(packing.events):
            event = packing.events[self._done]
            if event.cycle is None:
                encoded.append(self._shared())
                self._done += 1
            else:
                encoded += self._round_of(packing.events.stop_after(self._done, "round"))
        return encoded

    def _round_of(self, end: int) -> list[protocol.Found | protocol.Shared]:
        """The cycles of a round from the next one on, as far as it has been computed."""
        packing, begin = self._packing, self._done
        packing.seek(begin)
        rest = rests(packing.graph, packing.cycles, packing.shares)
        encoded: list[protocol.Found | protocol.Shared] = []
        for number in range(begin, end):
            if packing.events[number].cycle is None:
                break
            encoded.append(self._found(number, rest))
            self._done += 1
        return encoded

    def _found(self, number: int, rest: FloatArray) -> protocol.Found:
        event, graph = self._packing.events[number], self._packing.graph
        assert event.cycle is not None
        self._number.setdefault(event.cycle.tobytes(), number)
        walk, edges = walk_of(graph, event.cycle)
        spent = spent_edge(graph.cost, rest, event.cycle)
        rest[event.cycle] -= event.share
        return {
            "round": event.round,
            "walk": walk,
            "edges": edges,
            "share": event.share,
            "lower": event.lower_bound,
            "upper": event.upper_bound,
            "work": event.work - self._before,
            "sentence": words.found(graph, event, walk, spent, self._names),
        }

    def _shared(self) -> protocol.Shared:
        packing = self._packing
        event, before = packing.events[self._done], packing.events[self._done - 1]
        packing.seek(self._done + 1)
        return {
            "round": event.round,
            "cycles": [self._number[cycle.tobytes()] for cycle in packing.cycles],
            "shares": packing.shares.tolist(),
            "better": self._better(packing.labeling),
            "lower": event.lower_bound,
            "upper": event.upper_bound,
            "work": event.work - self._before,
            "sentence": words.shared(packing.graph, event, before, len(packing.cycles)),
        }

    def ending(self) -> protocol.Ending:
        packing = self._packing
        return {
            "proven": packing.is_proven,
            "best": not packing.has_failed,
            "least": least(packing),
            "sentence": words.ending(packing),
        }


def least(engine: bc.Packing | bc.CyclePursuit) -> float:
    """The least energy possible by the lower bound."""
    return engine.margin.lattice.raised(engine.lower_bound, engine.upper_bound)


def walk_of(graph: SignedGraph, cycle: IntArray) -> tuple[list[int], list[int]]:
    """The vertices of a cycle in order, and its edges: each joins a vertex and the next one."""
    edges_at: dict[int, list[int]] = {}
    for edge in cycle.tolist():
        for v in graph.ends[edge].tolist():
            edges_at.setdefault(v, []).append(edge)
    edge = int(cycle[0])
    start, v = graph.ends[edge].tolist()
    walk, edges = [start], [edge]
    while v != start:
        walk.append(v)
        edge = next(other for other in edges_at[v] if other != edge)
        edges.append(edge)
        v = int(graph.ends[edge].sum()) - v
    return walk, edges


def spent_edge(cost: FloatArray, rest: FloatArray, cycle: IntArray) -> int:
    """The edge that says how much a cycle takes: one that has lent all, or else the one that has least left."""
    share, left = rest[cycle] / cost[cycle], rest[cycle]
    return int(cycle[share.argmin() if share.min() <= SPENT else left.argmin()])
