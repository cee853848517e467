"""The tree of runs: where the groups of a run stand that has forked from another."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bender_core as bc
from bender_core.looking.words import number
from bender_core.model import FloatArray
from bender_core.trying.change import Fork, forked
from bender_core.visualization.layout import hypergraph_layout
from pages._shared.app import branches
from pages._shared.app.branches import Branch, branch_of, counterpart, passage, places_of, same_message
from pages._shared.app.session import Lab
from pages._shared.watch.stage_views import graph_view, opening_words
from tests.labs import lab, proven_lab

BEGINS = 20  # the event of the first run at which the proof begins
NEAR = 0.35  # of the picture's side: how far a group is pushed at most


@pytest.fixture
def mine() -> Lab:
    """At the end of a proof in several chapters."""
    return proven_lab("pose-small", 4, 9, BEGINS)


def began(mine: Lab, before: Branch, after: Branch) -> tuple[FloatArray, list[int]]:
    """Where each group begins by the names of its variables, and how many groups before it comes from."""
    assert before.run is not None
    assert after.run is not None
    old, new, places = before.run.engine, after.run.engine, places_of(before)
    home = {name: p for p, group in enumerate(old.partition.groups) for name in (old.mrf.names[i] for i in group)}
    from_ = [[home[new.mrf.names[i]] for i in group] for group in new.partition.groups]
    return np.array([places[owners].mean(axis=0) for owners in from_]), [len(set(owners)) for owners in from_]


def test_groups_go_on_where_those_stood_that_they_come_from(mine: Lab) -> None:
    chapters, united = mine.branches.chapters, 0
    assert len(chapters) > 3
    for before, after in itertools.pairwise(chapters):
        start, sources = began(mine, before, after)
        places = places_of(after)
        assert ((places >= 0) & (places <= 1)).all()
        moved = np.hypot(*(places - start).T)
        if max(sources) == 1:
            assert moved == pytest.approx(np.zeros(len(moved)))
        assert moved.max() < NEAR
        assert np.median(moved) < NEAR / 5
        united += max(sources) > 1
        apart = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))[np.triu_indices(len(places), 1)]
        assert apart.min() > 0.6 / np.sqrt(len(places)) or max(sources) == 1
    assert united > 1


@pytest.mark.slow
def test_the_same_message_of_another_run_is_found_at_one_look(mine: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """In either direction, as if every message of the other run were asked which one it has become."""
    engines = [branch.run.engine for branch in mine.branches.chapters if branch.run is not None]
    engines += [engines[0].fork(schedule="srmp"), engines[0].fork(merge=[(0, 1), (2, 3)])]
    mrf = engines[0].mrf
    engines.append(engines[0].fork(partition=bc.partition(mrf, 3, "random")))
    expected, looked = dict[tuple[int, int, int], int | None](), list[object]()
    arcs = [range(2 * len(engine.graph.edges)) for engine in engines]
    pairs = list(itertools.permutations(range(len(engines)), 2))
    for a, b in pairs:
        back = [same_message(engines[b], each, engines[a]) for each in arcs[b]]
        for arc in arcs[a]:
            united = [each for each in arcs[b] if back[each] == arc]
            found = same_message(engines[a], arc, engines[b])
            expected[a, b, arc] = found if found is not None else united[0] if len(united) == 1 else None
    owners = branches.group_owners
    monkeypatch.setattr(branches, "group_owners", lambda *given: looked.append(given) or owners(*given))
    for (a, b, arc), message in expected.items():
        looked.clear()
        assert counterpart(engines[a], arc, engines[b]) == message
        assert len(looked) <= 2
    only_back = [
        key for key, message in expected.items() if message != same_message(engines[key[0]], key[2], engines[key[1]])
    ]
    assert only_back
    assert None in expected.values()
    assert counterpart(engines[0], len(arcs[0]), engines[-2]) is None


def test_an_address_opened_afresh_gives_the_same_places(mine: Lab) -> None:
    afresh = lab("pose-small", 4, 9)
    for fork in mine.branches.tip.lineage.forks:
        engine = forked(afresh.run.engine, fork)
        afresh.run.show(fork.event)
        afresh.fork(fork.change, engine)
    for one, other in zip(mine.branches.chapters, afresh.branches.chapters, strict=True):
        assert places_of(one) == pytest.approx(places_of(other), abs=0)


def test_the_stage_draws_these_places_also_when_the_first_run_was_let_go(mine: Lab) -> None:
    first, last = next(iter(mine.branches)), mine.branches.shown
    assert places_of(first) == pytest.approx(hypergraph_layout(mine.mrf, first.lineage.partition))
    first.let_go()
    view = graph_view(mine.branches, mine.branches.shown)
    points = np.array([[node["x"], node["y"]] for node in view["nodes"]])
    assert points == pytest.approx(places_of(last), abs=1e-4)
    # A variable is where it was in the model as a whole.
    assert last.run is not None
    whole = dict(zip(mine.mrf.names, mine.branches.variable_places, strict=True))
    drawn = view["variables"]
    expected = np.array([whole[name] for name in last.run.engine.mrf.names])
    assert np.column_stack([drawn["x"], drawn["y"]]) == pytest.approx(expected, abs=1e-4)


def deciders(engine: bc.Engine) -> list[int]:
    """Of every variable of the whole model the one of a run that flips it, or -1: read off labellings."""
    n = engine.mrf.n
    base, found = engine.whole.restored(np.zeros(n, int)), np.full(len(engine.whole.home), -1)
    for j in range(n):
        found[engine.whole.restored(np.eye(n, dtype=int)[j]) != base] = j
    return found.tolist()


def test_what_leaves_its_group_is_decided_or_follows_another_variable(mine: Lab) -> None:
    names, followers = list(mine.mrf.names), 0
    for before, after in itertools.pairwise(mine.branches.chapters):
        assert before.run is not None
        assert after.run is not None
        old, new = before.run.engine, after.run.engine
        way, decides, group_of = passage(old, new), deciders(new), new.partition.group_of()
        groups = new.partition.groups
        leaving = set()
        for p, group in enumerate(old.partition.groups):
            stay = [new.mrf.names.index(old.mrf.names[i]) for i in group if old.mrf.names[i] in new.mrf.names]
            assert {way.owner[p]} == ({int(group_of[i]) for i in stay} or {-1})
            for k, i in enumerate(group):
                if old.mrf.names[i] not in new.mrf.names:
                    j = decides[names.index(old.mrf.names[i])]
                    q = -1 if j < 0 else int(group_of[j])
                    leaving.add((p, k, q, 0 if j < 0 else groups[q].tolist().index(j)))
                    followers += j >= 0
        assert set(way.leaving) == leaving
        assert len(way.leaving) == old.mrf.n - new.mrf.n
    assert followers > 0


def test_a_chapter_says_where_its_bound_begins_and_why(mine: Lab) -> None:
    for before, after in itertools.pairwise(mine.branches.chapters):
        begins, change = after.run.opening[0], after.lineage.forks[-1].change
        ended = before.run.engine.trace[after.event - 1].lower_bound
        said, texts = opening_words(after), (number(ended, 6), number(begins, 6))
        assert f"goes on from chapter {before.depth + 1}, after its event {after.event}: " in said
        if texts[0] == texts[1]:
            assert said.endswith(f"LB is {texts[0]}, as before.")
            continue
        assert f"LB rises from {texts[0]} to {texts[1]}" in said
        assert ("excluded states" in said) == (after.variables < before.variables)
        assert ("at least the sum of the minima" in said) == (change.pack is not None)
    assert "excluded states" in said


def test_groups_cut_anew_begin_at_a_lower_bound_and_say_so(mine: Lab) -> None:
    first = next(iter(mine.branches))
    first.run.engine.run(max_sweeps=3)
    change = bc.Change.read("cut-2-greedy")
    begun = branch_of(first, Fork(first.run.engine.position, change), change.fork(first.run.engine))
    before, now = (number(lower, 6) for lower in (first.run.engine.lower_bound, begun.run.opening[0]))
    assert opening_words(begun).endswith(f"LB restarts at {now} with the new groups; {before} remains proven.")


def test_groups_that_unite_raise_the_bound_where_nothing_leaves_the_model() -> None:
    first = next(iter(lab("pose-small", 4, 9).branches))
    change = bc.Change.read("reduce_pack-8")
    begun = branch_of(first, Fork(0, change), change.fork(first.run.engine))
    said = opening_words(begun)
    assert begun.variables == first.variables
    assert "no variable leaves the model" in said
    assert "LB rises" in said
    assert said.endswith(": the minimum of a sum is at least the sum of the minima.")


def test_a_variable_is_decided_by_the_last_chapter_that_has_it(mine: Lab) -> None:
    chapters = mine.branches.chapters
    decided = [0] * mine.mrf.n
    for before, after in itertools.pairwise(chapters):
        for i, home in enumerate(after.run.engine.whole.home):
            if home < 0 and not decided[i]:
                decided[i] = before.depth + 1
        assert after.decided_in.tolist() == decided
    assert len(set(decided)) > 2
    solution = graph_view(mine.branches, mine.branches.shown)["solution"]
    assert solution["chapter"] == decided
    assert solution["names"] == list(mine.mrf.names)


def test_a_group_that_is_cut_anew_sends_its_variables_to_several(mine: Lab) -> None:
    first = next(iter(mine.branches)).lineage.partition
    engine = bc.Engine(mine.mrf, first)
    anew = bc.Change.read("cut-3-greedy-5").fork(engine)
    way, group_of = passage(engine, anew), anew.partition.group_of()
    for p, group in enumerate(first.groups):
        to = {int(group_of[i]) for i in group}
        assert way.owner[p] == (to.pop() if len(to) == 1 else -1)
        left = {(k, q, bit) for each, k, q, bit in way.leaving if each == p}
        went = [(int(group_of[i]), i) for i in group]
        expected = {(k, q, anew.partition.groups[q].tolist().index(i)) for k, (q, i) in enumerate(went)}
        assert left == (expected if to else set())
    assert -1 in way.owner


def test_a_run_goes_on_where_a_forgotten_one_forked() -> None:
    """The stage gets the line anew, without the chapter that is gone, at the same place."""
    mine = lab("pose-small", 8, 9)
    mine.run.step("node", backward=False)
    event, parent, change = mine.run.position, mine.branches.shown, bc.Change(variant=5)
    mine.fork(change, change.fork(mine.run.engine))
    child = mine.branches.shown
    mine.turn(parent, event)
    number = mine.number
    mine.forget(child)
    assert mine.branches.chapters == [parent]
    assert (mine.run.position, mine.run.until) == (event, None)
    assert mine.number > number
    mine.run.step("node", backward=False)
    assert mine.run.position > event
