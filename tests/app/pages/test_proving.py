"""Prove it, on Watch: the library's proof, followed, stopped, and of the model that is open."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from functools import partial
from itertools import pairwise
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core.forms.reduction import OPEN
from bender_core.looking.decided import decided, proves
from bender_core.looking.words import number
from bender_core.trying.proof import Descent
from pages._shared.app import proof as proofs
from pages._shared.app.branches import group_owners
from pages._shared.app.permalink import made_by
from pages._shared.app.requests import BranchRequest
from pages._shared.app.session import Lab, chapter_of, linked
from pages._shared.running import background
from pages._shared.running.watched import WatchedRun
from pages._shared.watch.event_frames import Encoder
from pages._shared.watch.stage import stage_data, turn
from pages._shared.watch.stage_views import chapters_view
from tests.app.pages.test_pages import app, complaints, lab, press, ran
from tests.labs import sample, take_model
from tests.models import loose
from tests.unit.engines import fingerprint

GRID = {"rows": 6, "columns": 6, "torus": True, "coupling": "pm1", "field": 0.0, "seed": 0, "layers": 1}

PROVE = bc.Change(prove=True)

pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture
def by_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs rest on groups alone, so that grids take several rounds."""
    monkeypatch.setattr(proofs, "Descent", partial(Descent, method="groups"))


def rounds(test: AppTest) -> dict[str, list]:
    (found,) = [frame.value for frame in test.dataframe if "tied" in frame.value]
    return found.to_dict("list")


def proven(test: AppTest) -> AppTest:
    """Press, and wait for the end."""
    begun(test)
    lab(test).proof.thread.join()
    return ran(test.run())


def begun(test: AppTest) -> None:
    """Press, and wait until the proof has its first run."""
    press(test, "Prove it")
    while lab(test).proof is None:
        ran(test.run())


def librarys(mine: Lab, event: int, change: bc.Change = PROVE) -> Descent:
    """The proof that the library makes from a run of the lab's kind, at an event."""
    watched = bc.Engine(mine.mrf, next(iter(mine.branches)).lineage.partition, variant=9, excluding=True)
    watched.run(max_events=event)
    descent = Descent(mine.mrf, first=change.fork(watched), method="groups")
    descent.run()
    return descent


def test_the_proof_is_the_librarys_and_the_run_stays_as_it_is() -> None:
    test = app("watch")
    mine = lab(test)
    mine.run.step("sweep", backward=False)
    run, position = mine.run, mine.run.position
    proven(test)
    expected = librarys(mine, position).end()
    (said,) = [box.value for box in test.success]
    cost = number(expected.upper_bound)
    assert said.startswith(f"Optimal, proven: the best labelling costs {cost}, and no other costs less (")
    shown = rounds(test)
    for column, name in {"variables": "variables", "fixed": "fixed", "sweeps": "sweeps", "largest": "largest"}.items():
        assert shown[column] == [getattr(each, name) for each in expected.rounds]
    assert shown["lower bound"] == [number(each.lower_bound) for each in expected.rounds]
    assert (next(iter(mine.branches)).run, run.position) == (run, position)
    # The proof that is taken away is that of the library.
    (download,) = [each for each in test.get("download_button") if each.proto.label == "Proof"]
    assert download.proto.deferred_file_id
    bc.check_proof(mine.mrf, mine.proof.certificate.proof)
    # What was on the way: bounds never step back.
    points = mine.proof.points
    for before, after in pairwise(points):
        assert after.work >= before.work
        assert after.lower >= before.lower
        assert after.upper <= before.upper
        assert after.undecided <= before.undecided
    assert (points[-1].lower, points[-1].undecided) == (pytest.approx(points[-1].upper), 0)
    # Another partition has the same optimum, another model has not.
    mine.repartition(bc.partition(mine.mrf, 4), 4, 9, "mplp")
    assert mine.proof is not None
    take_model(mine, bc.synth.ising_grid(4, 4), {})
    ran(test.run())
    assert mine.proof is None
    assert not test.success


@pytest.mark.usefixtures("by_groups")
def test_its_runs_are_chapters_of_one_line_that_an_address_opens() -> None:
    test = app("watch")
    mine = lab(test)
    take_model(mine, bc.synth.generate("ising_grid", rows=6, columns=6, torus=True), made_by("ising_grid", GRID))
    mine.run.step("node", backward=False)
    event = mine.run.position
    proven(test)
    chapters = mine.branches.chapters
    descent = librarys(mine, event)
    assert [branch.variables for branch in chapters[1:]] == [each.variables for each in descent.rounds]
    # They are numbered as on the stage, where the run that the proof goes on from is the first.
    assert rounds(test)["chapter"] == list(range(2, 1 + len(chapters)))
    (said,) = [box.value for box in test.success]
    last = len(chapters)
    assert f", {f'chapters 2 to {last}' if last > 2 else 'chapter 2'})" in said
    assert len(stage_data(mine)["chapters"]) == last
    assert (mine.branches.shown, chapters[1].event) == (chapters[-1], event)
    # Bounds never step back, neither within a chapter nor from one to the next, unless one is cut anew.
    for before, after in pairwise(chapters[1:]):
        engine, fork = after.run.engine, after.lineage.forks[-1]
        known = before.run.engine.trace[after.event - 1]
        if fork.change.by_strategy is None:
            assert engine.trace[0].lower_bound >= known.lower_bound - 1e-9
        assert engine.trace[0].upper_bound <= known.upper_bound + 1e-9
    # Back and forth: a chapter ends where the next one begins, and its address shows it with those after it.
    turn(mine, 1, 10**6)
    assert mine.run.position == mine.run.end == chapters[2].event
    mine.run.step("sweep", backward=False)
    assert mine.run.position == chapters[2].event
    turn(mine, 2, 3)
    assert (mine.branches.shown, mine.run.position) == (chapters[2], 3)
    data = stage_data(mine)
    assert (data["chapter"], len(data["chapters"])) == (2, len(chapters))
    assert [each["length"] for each in data["chapters"]][:-1] == [each.event for each in chapters[1:]]
    opened = linked(dict(parse_qsl(f"{mine.address}&at=3")))
    opened.replay.thread.join()
    opened.replay.finish(opened)
    assert (opened.branches.shown.depth, opened.run.position) == (2, 3)
    assert len(opened.branches.chapters) == len(chapters)
    assert fingerprint(at(opened.run, 3)) == fingerprint(at(mine.run, 3))
    for odd in ("0000999", "99", "x", "-1"):
        # Of a chapter that there is not, the last one is shown.
        assert chapter_of({"chapter": odd}, mine.branches) is chapters[-1]
    # A chapter whose memory was let go is made again.
    chapters[1].let_go()
    chapters[1].position = 2
    test.session_state.branch_request = BranchRequest("turn", chapters[1])
    while mine.branches.shown is not chapters[1]:
        ran(test.run())
    assert mine.run.position == 2


def field_grid(seed: int) -> tuple[bc.BinaryMRF, dict]:
    """A model whose proof may end by what the last messages decide, before the bound proves it."""
    said = GRID | {"torus": False, "coupling": "gaussian", "field": 0.5, "seed": seed}
    return bc.synth.generate("ising_grid", **said), made_by("ising_grid", said)


@pytest.mark.usefixtures("by_groups")
@pytest.mark.parametrize("seed", [23, 1])
def test_the_end_of_a_proof_is_shown_as_such_also_when_its_address_is_opened(seed: int) -> None:
    test = app("watch")
    mine = lab(test)
    take_model(mine, *field_grid(seed))
    proven(test)
    end = mine.run.end
    assert mine.proof.certificate.optimal
    assert mine.run.position == end
    assert Encoder(mine.run).last_event()["columns"]["proven"] == [True]
    # The proof does not say so before its end: the bound alone does not, nor what was struck off meanwhile.
    assert not proves(mine.run.engine)
    assert (decided(mine.run.engine).value == OPEN).any()
    lengths = [each["length"] for each in chapters_view(mine.branches)]
    turn(mine, 1, 0)
    for said in (mine.address, mine.address.partition("&chapter")[0]):
        opened = linked(dict(parse_qsl(f"{said}&at=0")))
        opened.replay.thread.join()
        opened.replay.finish(opened)
        assert [each["length"] for each in chapters_view(opened.branches)] == lengths
        assert opened.run.position == 0
        turn(opened, len(lengths) - 1, 10**6)
        assert opened.run.position == opened.run.end == end
        assert Encoder(opened.run).last_event()["columns"]["proven"] == [True]


def test_a_proof_that_is_broken_off_claims_the_next_possible_energy() -> None:
    """All energies are 2 apart: if the bound is a little below −21, no labelling costs less than that."""
    mrf = sample("frustrated-cycle")
    found = bc.certify(mrf, method="groups")
    engine = bc.Engine(mrf, bc.partition(mrf, 4), variant=12, excluding=True)
    branches = Lab(mrf, 4, engine.partition, 12, "mplp", WatchedRun(engine)).branches
    proof, upper = proofs.ProofInProgress([next(iter(branches))]), found.upper_bound
    for below, least in ((4 + 1e-7, upper - 4), (3.6, upper - 2), (2.0, upper - 2)):
        broken = replace(found, optimal=False, status="stopped", lower_bound=upper - below)
        test = AppTest.from_function(said_of, default_timeout=60)
        test.session_state.said_of = mrf, proof, broken
        (said,) = [box.value for box in ran(test.run()).info]
        assert f"none costs less than {number(least)}, which leaves a gap of" in said
        gap = 100 * (upper - least) / max(abs(upper), abs(least))
        assert float(re.search(r"gap of (\S+) %", said)[1]) == pytest.approx(gap, rel=1e-4)


def said_of() -> None:
    import streamlit as st

    from pages._shared.watch.proving import outcome

    outcome(*st.session_state.said_of)


def test_the_best_bound_of_all_chapters_is_kept() -> None:
    test = app("watch")
    mine = lab(test)
    proven(test)
    found, chapters, lowers = chapters_view(mine.branches), mine.branches.chapters, []
    assert found[0]["kept"] is None
    for said, (branch, following) in zip(found[1:], pairwise(chapters), strict=True):
        trace, event = branch.run.engine.trace, following.event
        lowers.append(trace[event - 1].lower_bound if event else branch.run.opening[0])
        least = branch.run.engine.margin.lattice.raised(max(lowers), branch.run.engine.upper_bound)
        kept = said["kept"]
        # The lattices of two chapters have other offsets.
        assert kept.pop("least") == pytest.approx(least, rel=1e-12)
        assert kept == {"lower": max(lowers), "by": f"chapter {1 + int(np.argmax(lowers))}"}


@pytest.mark.usefixtures("by_groups")
def test_where_memory_is_short_earlier_chapters_are_let_go_and_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    test = app("watch")
    mine = lab(test)
    take_model(mine, bc.synth.generate("ising_grid", **GRID), made_by("ising_grid", GRID))
    expected = librarys(mine, 0, bc.Change.read("prove_cut-5-groups"))
    monkeypatch.setattr(type(mine.account), "free", property(lambda account: account.limit // 2 - 1))
    proven(test)
    chapters = mine.branches.chapters
    assert [branch.variables for branch in chapters[1:]] == [each.variables for each in expected.rounds]
    assert [branch.run is not None for branch in chapters] == [False] * (len(chapters) - 1) + [True]
    assert mine.proof.certificate.optimal
    curves = [branch.curve for branch in chapters]
    for branch, following in pairwise(chapters):
        assert branch.curve.events[-1] >= following.event
    test.session_state.branch_request = BranchRequest("turn", chapters[1])
    while mine.branches.shown is not chapters[1]:
        ran(test.run())
    assert chapters[1].run.end == chapters[2].event
    assert chapters[1].look().lower[-1] == pytest.approx(curves[1].lower[-1])


def test_where_there_is_no_memory_for_a_round_the_bounds_so_far_count(monkeypatch: pytest.MonkeyPatch) -> None:
    mrf = bc.synth.generate("ising_grid", **GRID)

    def refuse(*_: object, **__: object) -> None:
        raise bc.TooLargeError("no room", 2, 1)

    first = bc.Change(prove=True).fork(bc.Engine(mrf, bc.partition(mrf, 4)))
    descent = Descent(mrf, first=first, method="groups")
    monkeypatch.setattr(bc.Change, "fork", refuse)
    descent.run()
    found = descent.end()
    assert (found.optimal, found.status) == (False, "no memory for another run")
    assert len(found.rounds) == 1
    # Less what it may be wrong by.
    assert found.lower_bound == pytest.approx(first.lower_bound, abs=1e-9)
    assert found.lower_bound <= first.lower_bound
    assert found.upper_bound == mrf.energy(found.labeling)


def test_a_proof_whose_first_run_is_stopped_can_be_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.0)
    test, fork, waits = app("watch"), bc.Change.fork, threading.Event()

    def slowly(change: bc.Change, engine: bc.Engine, stop: bc.Stop, *known: object) -> bc.Engine:
        while not waits.is_set():
            stop.check()
        return fork(change, engine, stop, *known)

    monkeypatch.setattr(bc.Change, "fork", slowly)
    press(test, "Prove it")
    test.session_state.findings.give_up()
    ran(test.run())
    assert test.session_state.proof_requested is None
    assert lab(test).proof is None
    waits.set()
    proven(test)
    assert lab(test).proof.certificate.optimal


def holders(old: bc.Engine, new: bc.Engine) -> list[int]:
    """Of each group of one run the group of the next one that holds its variables, by name; -1 if these have left."""
    place = {new.mrf.names[i]: p for p, group in enumerate(new.partition.groups) for i in group}
    found = [{place[old.mrf.names[i]] for i in group if old.mrf.names[i] in place} for group in old.partition.groups]
    return [min(each, default=-1) for each in found]


def test_a_group_goes_on_in_the_one_that_has_what_is_left_of_it() -> None:
    mrf = bc.sample("pose-small")
    runs = [bc.Change(prove=True).fork(bc.Engine(mrf, bc.partition(mrf, 4)))]
    Descent(mrf, first=runs[0], on_round=lambda _, engine: runs.append(engine)).run()
    assert len(runs) > 3
    for old, new in pairwise(runs):
        assert group_owners(old, new).tolist() == holders(old, new)


def at(run: WatchedRun, position: int) -> bc.Engine:
    run.halt()
    run.engine.seek(position)
    return run.engine


def test_a_proof_is_stopped_with_the_bounds_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.0)
    test = app("watch")
    mine = lab(test)
    # Too hard for any time that a test has.
    take_model(mine, bc.synth.ising_grid(7, 7, torus=True, layers=7, seed=1), {})
    begun(test)
    while not mine.proof.points:
        mine.proof.thread.join(0.01)
    press(test, "Stop")
    mine.proof.thread.join()
    ran(test.run())
    (said,) = [box.value for box in test.info if box.value.startswith("Not proven")]
    found = mine.proof.certificate
    assert said.startswith("Not proven (stopped, ")
    assert number(found.upper_bound) in said
    assert found.lower_bound <= found.upper_bound == pytest.approx(mine.mrf.energy(found.labeling))
    assert any(button.label == "Prove it again" for button in test.button)


def test_what_prevents_a_proof_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise bc.TooLargeError("2 GB are needed, 1 GB are free")

    monkeypatch.setattr(proofs, "Descent", refuse)
    test = app("watch")
    proven(test)
    assert complaints(test) == ["There is no proof: 2 GB are needed, 1 GB are free."]


def test_a_time_in_which_nothing_changes_is_kept_by_its_two_ends() -> None:
    mrf = bc.synth.ising_grid(2, 2)
    engine = bc.Engine(mrf, bc.partition(mrf, 2), variant=12, excluding=True)
    branches = Lab(mrf, 2, engine.partition, 12, "mplp", WatchedRun(engine)).branches
    descent, proof = proofs.Descent(mrf), proofs.ProofInProgress([next(iter(branches))])
    for work, lower in ((0, -5.0), (10, -4.0), (20, -4.0), (30, -4.0), (40, -4.0), (50, -3.0)):
        descent.known.work, descent.known.lower_bound = work, lower
        proof._tell(descent)
    assert [(stand.work, stand.lower) for stand in proof.points] == [(0, -5.0), (10, -4.0), (40, -4.0), (50, -3.0)]


def test_a_proof_that_cycles_end_is_one_more_chapter_that_an_address_opens() -> None:
    """It has their bound and their labelling, and no event; the chapter before it stays as it is."""
    test = app("watch")
    mine = lab(test)
    take_model(mine, bc.synth.generate("ising_grid", **GRID), made_by("ising_grid", GRID))
    mine.run.step("node", backward=False)
    event = mine.run.position
    proven(test)
    upper = mine.proof.certificate.upper_bound
    (said,) = [box.value for box in test.success]
    assert said.endswith(", chapter 2).")
    shown = rounds(test)
    assert (shown["chapter"], shown["made by"], shown["fixed"]) == ([2], ["cycles"], [36])
    assert [link.proto.label for link in test.get("page_link") if link.proto.page == "cycles"] == [
        "Watch the cycles of the chapter on the stage →"
    ]
    opened = linked(dict(parse_qsl(mine.address)))
    opened.replay.thread.join()
    opened.replay.finish(opened)
    for each in (mine, opened):
        _, last = each.branches.chapters
        assert (last.event, last.end, each.branches.shown, each.run.position) == (event, 0, last, 0)
        assert last.run.engine.lower_bound < upper == pytest.approx(last.run.engine.upper_bound)
        view = chapters_view(each.branches)
        assert [chapter["cycles"] for chapter in view] == [False, True]
        assert (view[1]["kept"]["lower"], view[1]["kept"]["by"]) == (pytest.approx(upper), "cycles")
        before = Encoder(each.run).last_event()["before"]
        assert (before["proven"], before["why"]) == (True, "frustrated cycles prove it")
        opening = stage_data(each)["graph"]["opening"]
        assert " of cycles, the best labelling known. Cycles have proven that no labelling costs less than" in opening
        assert opening.endswith("the best one is optimal.")


def test_where_memory_is_short_a_proof_that_cycles_end_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    test = app("watch")
    mine = lab(test)
    take_model(mine, bc.synth.generate("ising_grid", **GRID), made_by("ising_grid", GRID))
    monkeypatch.setattr(type(mine.account), "free", property(lambda account: account.limit // 2 - 1))
    proven(test)
    assert mine.proof.certificate.optimal
    assert len(mine.branches.chapters) == 2
    assert [box.value for box in test.success]


def test_cycles_begin_chapters_of_a_proof_by_groups() -> None:
    """What they decide leaves the model; their rows in the table have the chapter that begins with it."""
    test = app("watch")
    mine = lab(test)
    take_model(mine, loose(5), {})
    proven(test)
    shown, chapters = rounds(test), mine.branches.chapters
    assert "cycles" in shown["made by"][:-1]
    begun = [k for k, chapter in enumerate(chapters_view(mine.branches), 1) if chapter["cycles"]]
    by_cycles = [chapter for chapter, by in zip(shown["chapter"], shown["made by"], strict=True) if by == "cycles"]
    assert begun == by_cycles
    assert shown["chapter"][-1] == len(chapters)
    for k in begun:
        before, after = chapters[k - 2], chapters[k - 1]
        fork = after.lineage.forks[-1]
        assert fork.change.reduce == (after.variables < before.variables)
        assert "of cycles" in after.cause
        assert after.proven <= mine.proof.certificate.upper_bound + 1e-9


def test_the_page_of_cycles_shows_those_of_the_chapter_on_the_stage() -> None:
    test = app("watch")
    mine = lab(test)
    take_model(mine, loose(5), {})
    proven(test)
    at = next(k for k, chapter in enumerate(chapters_view(mine.branches)) if chapter["cycles"])
    turn(mine, at, 0)
    left = mine.run.engine.mrf
    assert left.n < mine.mrf.n
    ran(test.switch_page("pages/cycles.py").run())
    packed = test.session_state.packing
    assert (packed.mrf, packed.left.whole) == (left, mine.run.engine.whole)
    turn(mine, at - 1, 0)
    ran(test.run())
    assert test.session_state.packing.mrf is mine.run.engine.mrf
