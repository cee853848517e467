"""The picture of the cycles gets the packing's own values, in the words of its events."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import synth
from bender_core.cycles.signed import signed_graph
from pages._shared.cycles import protocol, words
from pages._shared.cycles.encoding import Encoder, graph_view, walk_of
from tests.models import examples, mrfs
from tests.protocol import check


def encoded(packing: bc.Packing) -> tuple[Encoder, list[protocol.Found | protocol.Shared]]:
    encoder, events = Encoder(packing), list[protocol.Found | protocol.Shared]()
    while not packing.finished:
        packing.step("round")
        events += encoder.go_on()
        packing.seek(len(packing.events))
    return encoder, events


@settings(max_examples=examples(60), deadline=None)
@given(mrfs(7), st.integers(0, 3))
def test_events_have_the_values_of_the_packing(mrf: bc.BinaryMRF, seed: int) -> None:
    packing = bc.Packing(mrf, seed)
    start = packing.work
    encoder, events = encoded(packing)
    assert len(events) == len(packing.events)
    for number, event in enumerate(events, 1):
        packing.seek(number)
        assert (event["lower"], event["upper"]) == pytest.approx((packing.lower_bound, packing.upper_bound))
        found = packing.events[number - 1]
        assert event["work"] == found.work - start
        if "walk" in event:
            assert sorted(event["edges"]) == found.cycle.tolist()
            assert event["share"] == found.share
            # Every edge joins a vertex and the next one.
            pairs = zip(event["walk"], np.roll(event["walk"], -1).tolist(), strict=True)
            assert [sorted(pair) for pair in pairs] == packing.graph.ends[event["edges"]].tolist()
        else:
            edges = [events[cycle]["edges"] for cycle in event["cycles"]]
            assert [sorted(each) for each in edges] == [cycle.tolist() for cycle in packing.cycles]
            assert event["shares"] == packing.shares.tolist()
            if event["better"] is not None:
                assert event["better"]["values"] == packing.labeling.tolist()
    best = next((event["better"] for event in reversed(events) if event.get("better")), encoder.start["best"])
    packing.seek(len(packing.events))
    assert best["values"] == packing.labeling.tolist()
    assert best["broken"] == np.flatnonzero(packing.graph.broken(packing.labeling)).tolist()
    ending = encoder.ending()
    assert ending["proven"] == packing.is_proven
    check(protocol.Graph, graph_view(mrf, packing.graph))
    sent = {"by": "program", "start": encoder.start, "first": 0, "events": events, "ending": ending}
    check(protocol.Half, {**sent, "working": "", "failure": ""})


def test_a_round_is_encoded_as_far_as_it_has_been_computed() -> None:
    """As after a stop while the linear program is solved."""
    packing = bc.Packing(bc.sample("torus-10x10"))
    encoder = Encoder(packing)
    packing.step("cycle")
    begun = encoder.go_on()
    assert len(begun) == len(packing.events) > 1
    packing.seek(len(packing.events))
    packing.step("cycle")
    (end,) = encoder.go_on()
    assert "shares" in end


def test_sentences_say_what_happens_and_why_it_is_over() -> None:
    packing = bc.Packing(bc.sample("frustrated-cycle"))
    encoder, (found, shared) = encoded(packing)
    assert "-21".replace("-", "−") in encoder.start["sentence"]
    assert "5 of its 9 couplings want opposite ends" in found["sentence"]
    assert "It takes 4 from each, all that" in found["sentence"]
    assert "LB rises by that, to −17" in found["sentence"]
    assert (
        "the linear program finds no better shares of the cycles known so far, and LB stays as it is"
        in shared["sentence"]
    )
    assert "The bounds meet: the best labelling is optimal" in encoder.ending()["sentence"]


def test_what_is_left_of_the_gap_is_said() -> None:
    """Five variables that all want to differ: every labelling breaks four couplings, and the cycles count 10 / 3."""
    pairs = np.column_stack(np.triu_indices(5, 1))
    packing = bc.Packing(bc.BinaryMRF(0.01 * np.arange(10.0).reshape(5, 2), pairs, [np.eye(2)] * len(pairs)))
    encoder, _ = encoded(packing)
    assert not packing.is_proven
    assert "No frustrated cycle is left that could raise LB" in encoder.ending()["sentence"]


def test_the_coupling_is_named_that_has_lent_all() -> None:
    """With costs of many sizes, another one may have less left."""
    ends = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]
    costs = [1e12, 3e12, 0.4, 1e12 - 0.5, 0.3]
    packing = bc.Packing(bc.BinaryMRF(np.zeros((4, 2)), ends, np.array([cost * np.eye(2) for cost in costs])))
    _, events = encoded(packing)
    idle = [event["sentence"] for event in events if event.get("share") == 0.0]
    assert idle
    assert all("as x0 – x1 has lent all that it costs" in sentence for sentence in idle)


def test_a_small_rise_of_the_bound_is_said_by_itself() -> None:
    assert words.rise((-2.0, 1.0), (-1.5, 1.0), 100.0) == "from −2 to −1.5"
    assert words.rise((-109.58883, 0.0), (-109.58820, 0.0), 100.0) == "by 0.00063, to −109.59"
    assert words.rise((-109.58883, 0.0), (-109.58883 + 3e-14, 0.0), 100.0) == ""
    assert words.rise((-1.0, 1.0), (-1.0, 1.0), 100.0) == ""
    # Near 0, a sum of large energies is rounded too.
    assert words.rise((0.0, 1.0), (1e-6, 1.0), 1e9) == ""


def test_models_without_couplings_and_without_cycles_are_said_to_be_so() -> None:
    flat = bc.Packing(bc.BinaryMRF(np.zeros((3, 2))))
    assert words.opening(flat) == "Nothing in this model depends on its variables: every labelling has the same energy."
    encoder, events = encoded(bc.Packing(bc.BinaryMRF(np.zeros((3, 2)), [[0, 1], [1, 2]], [np.eye(2)] * 2)))
    assert not events
    assert (
        encoder.start["sentence"]
        == "A labelling that breaks no coupling costs 0. There is one: no cycle is frustrated."
    )
    assert encoder.ending()["proven"]


def test_fields_are_named_as_such() -> None:
    graph = signed_graph(bc.BinaryMRF([[2, 0], [2, 0]], [[0, 1]], [[[4, 0], [0, 4]]]))
    assert [words.edge_name(graph, edge, ("a", "b")) for edge in range(3)] == [
        "a – b",
        "the field of a",
        "the field of b",
    ]
    walk, edges = walk_of(graph, np.arange(3))
    assert (walk, edges) == ([0, 1, 2], [0, 2, 1])


def test_a_model_that_is_too_large_is_not_drawn() -> None:
    mrf = synth.ising_grid(50, 41, seed=1)
    assert graph_view(mrf, signed_graph(mrf))["x"] == []
