"""The picture of the cycles gets the values of a cycle pursuit, in the words of its events."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

import bender_core as bc
from bender_core import synth
from bender_core.cycles.pursuit import beliefs_of
from bender_core.cycles.signed import signed_graph
from pages._shared.cycles import protocol
from pages._shared.cycles import pursuit_words as words
from pages._shared.cycles.encoding import graph_view
from pages._shared.cycles.pursuit_encoding import PARTS, PursuitEncoder
from tests.models import examples, mrfs
from tests.protocol import check


def encoded(pursuit: bc.CyclePursuit) -> tuple[PursuitEncoder, list[protocol.Pursued | protocol.Passed]]:
    encoder = PursuitEncoder(pursuit, signed_graph(pursuit.mrf))
    events = list[protocol.Pursued | protocol.Passed]()
    while not pursuit.finished:
        pursuit.step("round")
        events += encoder.go_on()
        pursuit.seek(len(pursuit.events))
    return encoder, events


def sentences(mrf: bc.BinaryMRF) -> list[str]:
    encoder, events = encoded(bc.CyclePursuit(mrf))
    return [encoder.start["sentence"], *(event["sentence"] for event in events), encoder.ending()["sentence"]]


@settings(max_examples=examples(60), deadline=None)
@given(mrfs(7))
def test_events_have_the_values_of_the_pursuit(mrf: bc.BinaryMRF) -> None:
    pursuit, graph = bc.CyclePursuit(mrf), signed_graph(mrf)
    encoder, events = encoded(pursuit)
    assert len(events) == len(pursuit.events)
    couplings = {frozenset(pair): edge for edge, pair in enumerate(graph.ends.tolist())}
    best = encoder.start["best"]
    for number, event in enumerate(events, 1):
        pursuit.seek(number)
        assert (event["lower"], event["upper"]) == (pursuit.lower_bound, pursuit.upper_bound)
        found = pursuit.events[number - 1].found
        assert event["work"] == pursuit.events[number - 1].work
        if "walk" in event:
            assert found is not None
            assert event["walk"] == found.cycle.tolist()
            assert event["preferences"] == found.preference.tolist()
            assert event["strength"] == min(map(abs, event["preferences"]))
            assert event["behind"] == max(pursuit.lower_bound - pursuit.events[number - 1].present, 0.0)
            assert event["triplets"] == np.ravel(found.triples).tolist()
            pairs = zip(event["walk"], np.roll(event["walk"], -1).tolist(), strict=True)
            assert event["edges"] == [couplings.get(frozenset(pair)) for pair in pairs]
        else:
            assert found is None
            gap, parts = event["gap"], pursuit.parts
            assert parts is not None
            values = np.sort(np.concatenate([parts.variables, parts.edges, parts.triplets]))[::-1]
            values = values[values > 0.0]
            assert [part["value"] for part in gap["largest"]] == values[:PARTS].tolist()
            assert gap["others"] == max(len(values) - PARTS, 0)
            assert gap["rest"] == math.fsum(values[PARTS:])
            best = event["better"] or best
        assert best["values"] == pursuit.labeling.tolist()
        assert best["broken"] == np.flatnonzero(graph.broken(pursuit.labeling)).tolist()
    ending = encoder.ending()
    assert ending["proven"] == pursuit.is_proven
    check(protocol.Graph, graph_view(mrf, graph))
    sent = {"by": "messages", "start": encoder.start, "first": 0, "events": events, "ending": ending}
    check(protocol.Half, {**sent, "working": "", "failure": ""})


def test_parts_are_named_by_their_variables() -> None:
    """One, two or three, whose beliefs are those of the engine."""
    pursuit = bc.CyclePursuit(synth.ising_grid(6, 6, torus=True, coupling="gaussian", field=0.3, seed=1))
    _, events = encoded(pursuit)
    kinds = set[int]()
    for number, event in enumerate(events, 1):
        if "gap" not in event:
            continue
        pursuit.seek(number)
        parts = pursuit.parts
        assert parts is not None
        value = dict(zip(map(tuple, parts.ends.tolist()), parts.edges.tolist(), strict=True))
        value |= dict(zip(map(tuple, parts.triples.tolist()), parts.triplets.tolist(), strict=True))
        value |= {(i,): of for i, of in enumerate(parts.variables.tolist())}
        assert all(value[tuple(part["of"])] == part["value"] for part in event["gap"]["largest"])
        kinds |= {len(part["of"]) for part in event["gap"]["largest"]}
    assert kinds >= {2, 3}


def test_sentences_say_what_happens_and_why_it_is_over() -> None:
    opening, first, found, passed, soft, ending = sentences(bc.sample("frustrated-cycle"))
    assert "each for itself, sum to −21: the first LB" in opening
    assert first.startswith("Round 1 ends: messages between variables and couplings leave LB as it is.")
    assert "UB falls to −17" in first
    assert "5 of its 9 couplings prefer opposite ends" in found
    assert "by 4 at least: messages over this cycle alone could gain that. It is cut into 7 triplets." in found
    assert passed == "Round 2 ends: messages over 7 triplets leave LB as it is."
    assert "over 7 triplets, at first with soft minima, as minima were stuck, raise LB from −21 to −17.3" in soft
    assert "none lies between LB and UB: the best labelling is optimal." in ending


def test_a_triplet_and_chords_are_named_as_such() -> None:
    pairs = np.column_stack(np.triu_indices(5, 1))
    pursuit = bc.CyclePursuit(bc.BinaryMRF(0.01 * np.arange(10.0).reshape(5, 2), pairs, [np.eye(2)] * len(pairs)))
    encoder = PursuitEncoder(pursuit, signed_graph(pursuit.mrf))
    pursuit.run(2)
    shown = [event["sentence"] for event in encoder.go_on()]
    assert any("all its 3 couplings prefer opposite ends" in sentence for sentence in shown)
    assert any("It is a triplet itself" in sentence for sentence in shown)
    assert "soft minima together have gained almost nothing: the messages end, with a gap of" in words.ending(pursuit)
    shown = sentences(synth.ising_grid(8, 8, torus=True, coupling="gaussian", seed=3))
    assert any("couplings and chords prefer" in sentence for sentence in shown)
    assert any(" of them new." in sentence for sentence in shown)


def test_a_gain_of_messages_below_the_best_bound_is_said_to_begin_there() -> None:
    """After soft minima. The gain is that of the bound by the present messages, which a sum of minima gives."""
    mrf = synth.ising_grid(9, 9, torus=True, coupling="gaussian", seed=10)
    _, events = encoded(bc.CyclePursuit(mrf))
    found = [event for event in events if "walk" in event]
    behind = [event for event in found if event["behind"] > 1e-6]
    assert behind
    assert all("the bound by the present messages is" in event["sentence"] for event in behind)
    assert all("below LB" not in event["sentence"] for event in found if event["behind"] == 0.0)
    pursuit = bc.CyclePursuit(mrf)
    for _ in range(12):
        pursuit.step("round")
        next_ones = (pursuit.events[k] for k in range(pursuit.position, len(pursuit.events)))
        (present,) = {event.present for event in next_ones}
        clusters = pursuit._clusters
        tables = (clusters.of_variables, clusters.of_edges, beliefs_of(clusters).of_triplets)
        naive = sum(table.reshape(len(table), -1).min(axis=1).sum() for table in tables) + mrf.constant
        assert present == pytest.approx(naive)


def test_a_coupling_without_weight_is_no_chord() -> None:
    """All pairs are coupled, some without weight: no cycle has a chord."""
    pairs = np.column_stack(np.triu_indices(6, 1))
    weights = np.random.default_rng(109).integers(-2, 3, len(pairs)).astype(float)
    pursuit = bc.CyclePursuit(bc.BinaryMRF(np.zeros((6, 2)), pairs, weights[:, None, None] * np.eye(2)))
    encoder = PursuitEncoder(pursuit, signed_graph(pursuit.mrf))
    pursuit.run(30)
    found = [event for event in encoder.go_on() if "walk" in event]
    assert any(None in event["edges"] for event in found)
    assert not any("chords" in event["sentence"] for event in found)


def test_models_without_variables_or_cycles_have_no_cycle_to_show() -> None:
    for mrf in (bc.BinaryMRF(np.zeros((0, 2))), bc.BinaryMRF(np.zeros((3, 2)), [[0, 1], [1, 2]], [np.eye(2)] * 2)):
        encoder, events = encoded(bc.CyclePursuit(mrf))
        assert all("walk" not in event for event in events)
        assert encoder.ending()["proven"]
        assert encoder.start["upper"] == pytest.approx(encoder.start["lower"], abs=2.0)
