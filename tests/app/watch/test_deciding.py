"""What the stage is sent of the bound's decisions: states ruled out for good, members with one value left, proofs."""

from __future__ import annotations

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind, Status
from bender_core.looking.decided import decided, proves, settled
from bender_core.looking.words import decides
from pages._shared.running.watched import WatchedRun
from pages._shared.watch import stage
from pages._shared.watch.event_frames import Encoder
from pages._shared.watch.stage_answers import ending
from tests import naive
from tests.labs import SessionState, command, lab
from tests.models import random_mrf, random_partition
from tests.tiers import quick, thinned


@pytest.mark.parametrize(
    ("model", "size", "variant", "events"),
    quick(
        [("pose-small", 4, 12, 1000), ("pose-small", 8, 4, 1700), ("tiny", 3, 4, 1700)],
        [("tiny", 3, 4, 1700)],
        several=True,
    ),
)
def test_what_is_decided_is_told_at_every_event(model: str, size: int, variant: int, events: int) -> None:
    sent, plain = (lab(model, size, variant).run.engine for _ in range(2))
    sent.run(max_events=events)
    last = sent.position
    chunk = Encoder(WatchedRun(sent)).frames(0, last, last, more=True)
    columns = chunk["columns"]
    out, known, earlier, proven = 0, list(chunk["before"]["decided"]), 0, False
    values, members_of = None, list[str]()
    for k in range(last):
        plain.step("event")
        detail, moved = columns["detail"][k], columns["moved"][k]
        if columns["kind"][k] in (Kind.NODE_OPENED, Kind.ROW):
            p = columns["node"][k]
            excess, alive = looking.excess(plain, p), looking.alive(plain, p)
            best = int(plain.graph.states(plain.labeling)[p])
            dead = ~alive | plain.margin.excludes(excess, plain.arrays.message_size)
            dead[best] = False
            near = np.abs(excess - plain.margin.limit) <= 1e-7 * plain.graph.problem.scale
            assert abs(detail["dead"]["count"] - dead.sum()) <= near.sum()
            for state in detail["dead"]["states"]:
                assert dead[state] or near[state]
            out += detail["dead"]["count"]
            # What was struck off stays so, though its bound may be lower now.
            earlier += int((~alive & (excess < plain.margin.limit) & ~near).sum())
        new = []
        for p, members in ({} if moved is None else moved["decided"]).items():
            each = zip(plain.partition.groups[int(p)].tolist(), known[int(p)], members, strict=True)
            new += [f"{plain.mrf.names[i]} = {value}" for i, was, value in each if was != value]
            known[int(p)] = members
        sentence = columns["sentence"][k]
        assert ("That decides" in sentence) == bool(new)
        assert all(said in sentence for said in new[:2])
        assert decides(new, 0.0 if plain.margin.step else plain.margin.negligible) in sentence
        assert sentence.endswith("labelling is optimal.") == (
            columns["proven"][k] and (k == 0 or not columns["proven"][k - 1])
        )
        before, values = values, decided(plain).value
        if not np.array_equal(values, before):
            members_of = ["".join("?" if v < 0 else str(v) for v in values[group]) for group in plain.partition.groups]
        assert known == members_of
        if columns["kind"][k] >= Kind.MESSAGE:
            # Struck off at moments of any kind is not enough: the present messages must leave nothing.
            proven = proven or proves(plain) or ("?" not in "".join(known) and settled(plain))
        assert columns["proven"][k] == proven
    assert out > 0
    assert earlier > 0 or size < 8
    assert any("?" not in members for members in known) or model != "tiny"


@pytest.mark.parametrize("constant", thinned([1e12, 1e14, -1e14], 3))
def test_no_state_of_a_better_labelling_is_out_beside_a_large_constant(constant: float) -> None:
    """Beside a constant of 1e14 energies are a hundredth apart at least, and all of these differ by less."""
    out = 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        plain = random_mrf(rng, int(rng.integers(4, 9)), 0.7, scale=0.02)
        part, energies = random_partition(rng, plain.n, 4), naive.energies(plain)
        mrf = bc.BinaryMRF(plain.unary, plain.edges, plain.pairwise, constant)
        engine = bc.Engine(mrf, part, variant=9, schedule=("mplp", "srmp")[seed % 2], excluding=True)
        engine.run(max_sweeps=10)
        last = len(engine.trace)
        columns = Encoder(WatchedRun(engine)).frames(0, last, last, more=True)["columns"]
        for k, detail in enumerate(columns["detail"]):
            if detail is None or "dead" not in detail:
                continue
            engine.seek(k + 1)
            states = naive.states(naive.bits(plain.n), part.groups[columns["node"][k]])
            best = naive.energy(plain, engine.labeling)
            for state in detail["dead"]["states"]:
                assert energies[states == state].min() >= best - 1e-9
                out += 1
        engine.seek(last)
        if columns["proven"][-1]:
            assert naive.energy(plain, engine.labeling) <= energies.min() + 1e-9
    assert out > 0


def test_states_that_are_out_since_different_moments_are_no_proof_before_the_messages_confirm_it() -> None:
    mrf = random_mrf(393, 9, 0.5)
    engine = bc.Engine(mrf, random_partition(393, 9, 4), variant=9, excluding=True)
    engine.run()
    last = len(engine.trace)
    run = WatchedRun(engine)
    columns = Encoder(run).frames(0, last, last, more=True)["columns"]
    first, open_members = columns["proven"].index(True), 0
    for k in range(first + 1):
        engine.seek(k + 1)
        open_members += columns["kind"][k] >= Kind.MESSAGE and not (decided(engine).value < 0).any()
    assert open_members > 1, "all is decided before it is proven"
    assert proves(engine) or settled(engine)
    # Where it has been seen to be proven, it is so at all later events, wherever they are opened.
    for event in range(first + 1, last, 5):
        assert all(Encoder(run).frames(event, event, event + 1, more=True)["columns"]["proven"][-1:])


def test_why_a_labelling_is_optimal_is_what_the_engine_has_found() -> None:
    found = set()
    for seed in range(12):
        mrf = random_mrf(seed, 9, 0.5, integers=seed % 2 == 0)
        engine = bc.Engine(mrf, random_partition(seed, 9, 4), variant=12, excluding=True)
        engine.run()
        last = len(engine.trace)
        columns = Encoder(WatchedRun(engine)).frames(0, last, last, more=True)["columns"]
        if not any(columns["proven"]):
            assert set(columns["why"]) == {""}
            continue
        first = columns["proven"].index(True)
        engine.seek(first + 1)
        why = columns["why"][first]
        apart = engine.upper_bound - engine.lower_bound
        if why == "the bounds meet":
            assert apart <= engine.margin.negligible
        elif why == "every variable is decided":
            assert settled(engine)
            assert not proves(engine)
        else:
            assert (
                why
                == f"energies differ by {'whole numbers' if engine.margin.lattice.step == 1 else 'multiples of 2'}, "
                + ("and none lies between LB and UB")
            )
            assert 0 < apart < engine.margin.lattice.step
        assert columns["sentence"][first].endswith(f" {why[0].upper()}{why[1:]}: the best labelling is optimal.")
        found.add(why[:8])
    assert len(found) >= 2


def test_once_proven_a_run_stays_so_at_whatever_event_it_is_opened() -> None:
    mrf = bc.synth.ising_grid(5, 5, torus=True, seed=3)
    run = WatchedRun(bc.Engine(mrf, bc.partition(mrf, 8), variant=9, excluding=True))
    columns = Encoder(run).frames(0, 340, 340, more=True)["columns"]
    (since, *_), last = np.flatnonzero(columns["proven"]), len(columns["proven"])
    assert 0 < since < last - 40
    assert any(columns["kind"][k] < Kind.MESSAGE for k in range(since, last))
    assert all(columns["proven"][since:])
    for event in range(since - 20, last - 10, 7):
        chunk = Encoder(run).frames(event, event, event + 5, more=True)
        begin, proven = chunk["first"], chunk["columns"]["proven"]
        assert chunk["before"]["proven"] == (begin > since)
        assert proven == columns["proven"][begin : begin + len(proven)]


def test_where_a_run_is_opened_after_its_proof_the_event_shown_says_why_it_is_over() -> None:
    mrf = bc.synth.ising_grid(5, 5, torus=True, seed=3)
    run = WatchedRun(bc.Engine(mrf, bc.partition(mrf, 8), variant=9, excluding=True))
    columns = Encoder(run).frames(0, 340, 340, more=True)["columns"]
    since = int(np.flatnonzero(columns["proven"])[0])
    (sentence,) = [said for said in columns["sentence"] if said.endswith("labelling is optimal.")]
    assert sentence == columns["sentence"][since]
    while run.engine.position < since + 1 or run.engine.trace[run.engine.position - 1].kind < Kind.MESSAGE:
        run.engine.step("event")
    told = Encoder(run).last_event()["columns"]
    assert (told["proven"], told["sentence"][0].endswith("labelling is optimal.")) == ([True], True)


def test_a_gap_within_the_tolerance_is_closed_and_proves_nothing() -> None:
    mrf = bc.synth.ising_grid(5, 5, torus=True, seed=3)
    engine = bc.Engine(mrf, bc.partition(mrf, 3), variant=9, tolerance=0.5, excluding=True)
    engine.run()
    assert engine.status == Status.GAP_CLOSED
    assert engine.upper_bound - engine.lower_bound > 1
    assert ending(engine) == "closed within the tolerance"
    last = len(engine.trace)
    columns = Encoder(WatchedRun(engine)).frames(0, last, last, more=True)["columns"]
    assert not any(columns["proven"])
    assert not any("optimal" in sentence for sentence in columns["sentence"])
    assert columns["sentence"][-1].startswith("Finished: the bounds meet within the tolerance of the run. ")
    closed = lab("tiny", 3, 9).run.engine
    closed.run()
    assert (ending(closed), proves(closed)) == ("closed", True)


def test_a_run_with_a_known_end_is_not_run_beyond_it(monkeypatch: pytest.MonkeyPatch) -> None:
    mine, asked = lab("tiny", 3, 9), list[int | None]()
    monkeypatch.setattr(WatchedRun, "start", lambda _, until=None: asked.append(until))
    for mine.run.until in (None, 12):
        stage.obey(mine.run, command("run", run=mine.number, arc=-1, at=0))
    assert asked == [None, 12]


def test_a_run_that_strikes_nothing_off_has_decided_nothing() -> None:
    mine = lab("tiny", 3, 9)
    engine = bc.Engine(mine.mrf, mine.partition, variant=9)
    engine.run()
    chunk = Encoder(WatchedRun(engine)).frames(0, len(engine.trace), len(engine.trace), more=True)
    assert all(set(members) == {"?"} for members in chunk["before"]["decided"])
    opened = [each for each in chunk["columns"]["detail"] if each and "dead" in each]
    assert opened
    assert all(each["dead"] == {"count": 0, "states": []} for each in opened)


def test_a_proof_that_is_asked_for_again_is_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage says a command again until it hears an answer."""
    monkeypatch.setattr(stage.st, "session_state", SessionState())
    state, mine = stage.st.session_state, lab("tiny", 3, 9)
    state.lab, state.stage = mine, {"command": command("prove", run=mine.number, arc=-1)}
    stage._on_command()
    assert state.proof_requested is True
    state.proof_requested = begun = object()
    stage._on_command()
    assert state.proof_requested is begun
    answers = stage._ANSWERS.of(mine.run)
    assert answers.serial == state.stage["command"]["serial"], "the command is answered"
