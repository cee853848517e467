"""The events of a cycle pursuit as the picture draws them."""

from __future__ import annotations

import math

import numpy as np

import bender_core as bc
from bender_core.cycles.pursuit import BeliefParts, PursuitEvent
from bender_core.cycles.signed import SignedGraph
from bender_core.cycles.triplets import Pursued
from pages._shared.cycles import protocol, pursuit_words
from pages._shared.cycles.encoding import Encoding, least
from pages._shared.cycles.words import size

# Parts of the gap that are sent; a pane shows fewer.
PARTS = 40


class PursuitEncoder(Encoding):
    """Encodes the events of a cycle pursuit.

    Parameters
    ----------
    pursuit : CyclePursuit
        At its beginning.
    graph : SignedGraph
        Of its model.
    """

    def __init__(self, pursuit: bc.CyclePursuit, graph: SignedGraph) -> None:
        super().__init__(pursuit, graph, pursuit_words.opening(pursuit), _gap(pursuit))
        self._pursuit, self._done = pursuit, 0
        self._last = pursuit.lower_bound, pursuit.upper_bound  # at the end of the last round
        self._number = {(i, j): edge for edge, (i, j) in enumerate(graph.ends.tolist())}
        self._pairs = set(map(tuple, pursuit.mrf.edges.tolist()))  # of these, some may have no weight

    def go_on(self) -> list[protocol.Pursued | protocol.Passed]:
        pursuit, encoded = self._pursuit, list[protocol.Pursued | protocol.Passed]()
        for number in range(self._done, len(pursuit.events)):
            event = pursuit.events[number]
            if event.found is not None:
                encoded.append(self._found(event, event.found))
            else:
                pursuit.seek(number + 1)
                encoded.append(self._passed(event))
        self._done = len(pursuit.events)
        return encoded

    def _found(self, event: PursuitEvent, found: Pursued) -> protocol.Pursued:
        walk = found.cycle.tolist()
        pairs = [(min(pair), max(pair)) for pair in zip(walk, walk[1:] + walk[:1], strict=True)]
        has_chords = any(pair not in self._pairs for pair in pairs)
        return {
            "round": event.round,
            "walk": walk,
            "edges": [self._number.get(pair) for pair in pairs],
            "preferences": (found.preference if found.used is None else found.preference * ~found.used).tolist(),
            "strength": found.strength,
            "behind": event.behind,
            "triplets": [v for triple in found.triples for v in triple],
            "lower": event.lower_bound,
            "upper": event.upper_bound,
            "work": event.work - self._before,
            "sentence": pursuit_words.found(event, found, has_chords, self._names),
        }

    def _passed(self, event: PursuitEvent) -> protocol.Passed:
        """The end of the round after which the pursuit is shown."""
        before = self._last
        self._last = event.lower_bound, event.upper_bound
        return {
            "round": event.round,
            "gap": _gap(self._pursuit),
            "better": self._better(self._pursuit.labeling),
            "lower": event.lower_bound,
            "upper": event.upper_bound,
            "work": event.work - self._before,
            "sentence": pursuit_words.passed(event, *before, size(self._graph)),
        }

    def ending(self) -> protocol.Ending:
        pursuit = self._pursuit
        sentence = pursuit_words.ending(pursuit)
        return {"proven": pursuit.is_proven, "best": False, "least": least(pursuit), "sentence": sentence}


def _gap(pursuit: bc.CyclePursuit) -> protocol.Gap:
    """Where the gap lies, the largest parts first."""
    parts = pursuit.parts
    assert parts is not None
    values = np.concatenate([parts.variables, parts.edges, parts.triplets])
    order = np.argsort(-values, kind="stable")
    order = order[values[order] > 0.0]
    largest: list[protocol.Part] = [
        {"of": _of(parts, number), "value": float(values[number])} for number in order[:PARTS].tolist()
    ]
    rest = math.fsum(values[order[PARTS:]].tolist())
    return {"largest": largest, "others": max(len(order) - PARTS, 0), "rest": rest}


def _of(parts: BeliefParts, number: int) -> list[int]:
    """The variables of a part."""
    variables, edges = len(parts.variables), len(parts.edges)
    if number < variables:
        return [number]
    of: list[int] = (
        parts.ends[number - variables] if number < variables + edges else parts.triples[number - variables - edges]
    ).tolist()
    return of
