"""Changes of a run as text: what is written is read, and what cannot be read is refused in a sentence."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.kernels.layout import RowKind
from bender_core.looking.decided import reduced
from bender_core.strategies import STRATEGIES
from bender_core.trying.change import (
    PROVING,
    ByCycles,
    ByStrategy,
    Change,
    ChangeError,
    Fork,
    digits,
    forked,
    forks_text,
    read_forks,
)
from bender_core.trying.lineage import Lineage
from bender_core.variants import SCHEDULES, VARIANTS
from tests.models import examples, random_mrf
from tests.unit.engines import fingerprint, sample

GROUPS = st.integers(0, 10**6)
OWNERS = st.lists(st.integers(0, 5), min_size=6, max_size=12).map(tuple)
CUTS = st.builds(ByStrategy, st.integers(1, 30), st.sampled_from(list(STRATEGIES)), st.integers(0, 10**15 - 1))


@st.composite
def changes(draw: st.DrawFn) -> Change:
    kinds = st.sampled_from(RowKind)
    made = draw(st.sampled_from(["", "cut", "groups", "pack"]))
    return Change(
        rows=tuple(draw(st.lists(st.builds(bc.RowAt, GROUPS, GROUPS, st.integers(0, 2**30 - 1), kinds), max_size=3))),
        merge=tuple(draw(st.lists(st.tuples(GROUPS, GROUPS), max_size=3))),
        variant=draw(st.none() | st.sampled_from(list(VARIANTS))),
        schedule=draw(st.none() | st.sampled_from(list(SCHEDULES))),
        by_strategy=draw(CUTS) if made == "cut" else None,
        groups=draw(OWNERS) if made == "groups" else None,
        pack=draw(st.integers(1, 30)) if made == "pack" else None,
        prove=draw(st.booleans()),
        reduce=draw(st.booleans()),
        cycles=draw(st.none() | st.builds(ByCycles, st.integers(0, 10**15 - 1), st.integers(0, 10**15 - 1))),
        deepest=draw(st.none() | st.integers(1, 2**30)),
        labeling=draw(st.none() | st.lists(st.integers(0, 2**48 - 1), min_size=1, max_size=3).map(tuple)),
    )


@settings(max_examples=examples(300))
@given(st.lists(st.builds(Fork, st.integers(0, 10**15 - 1), changes()), max_size=4))
def test_what_is_written_is_read_and_needs_no_escape_in_an_address(forks: list[Fork]) -> None:
    for _, change in forks:
        assert Change.read(str(change)) == change
    text = forks_text(forks)
    assert read_forks(text) == tuple(forks)
    assert quote(text) == text


@settings(max_examples=examples(300))
@given(st.text(st.sampled_from("rowmergvaintschduleplcugk0123456789-_.~ "), max_size=40) | st.text(max_size=20))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        found = read_forks(text)
    except ChangeError as error:
        refused = str(error)
    else:
        assert read_forks(forks_text(found)) == found
        return
    assert 10 < len(refused) < 250
    assert "\n" not in refused


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is no change of a run; it begins with one of prove, reduce, cycles, cut, groups, merge"),
        ("mrege-1-2", "'mrege-1-2' is no change of a run"),
        ("merge-1", "'merge-1' cannot be read; after its name it has 2 whole numbers"),
        ("merge-1-x", "2 whole numbers"),
        ("merge-1--2", "2 whole numbers"),
        ("row-1-2-3", "'row-1-2-3' is no row; write its receiver, sender, state, and one of rmc, mwc0, mwchalf, mwc1"),
        ("row-1-2-3-abc", "is no row"),
        ("row-1-b-3-rmc", "3 whole numbers"),
        ("variant-99", "there is no variant 99; choose one of 1, 2"),
        ("variant-9_variant-4", "it changes the variant twice"),
        ("schedule-x", "'schedule-x' names no schedule; choose one of mplp, srmp"),
        ("deepest-0", "deepest is 0; an envelope can be tight at 1 to"),
        ("cut-8", "'cut-8' is no partition; write M and one of"),
        ("cut-31-greedy", "M is 31; choose a whole number from 1 to 30"),
        ("cut-8-greedy-x", "a whole number"),
        ("cycles", "'cycles' cannot be read; after its name it has a whole number"),
        ("cycles-3-1-1", "after its name it has 2 whole numbers"),
        ("cut-8-greedy_groups-0-0", "it says cut and groups; one of them makes the partition"),
        ("pack-8_cut-8-greedy", "it says cut and pack"),
        ("pack-0", "M is 0; choose a whole number from 1 to 30"),
        ("prove-1", "'prove-1' cannot be read; write prove alone"),
        ("labeling", "'labeling' cannot be read; after its name it has whole numbers"),
        ("reduce_reduce", "it changes the reduce twice"),
        ("groups-0-7", "it puts a variable into group 7; number the groups of 2 from 0"),
        ("deepest-" + "9" * 16, "after its name it has a whole number"),
    ],
)
def test_a_wrong_text_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ChangeError) as caught:
        Change.read(text)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["120", "merge-1-2", "-3.on", "x.on", "5.on~"])
def test_a_fork_names_its_event(text: str) -> None:
    with pytest.raises(ChangeError, match="is no fork; write the event, a dot, and the change"):
        read_forks(text)


@pytest.mark.parametrize("n", [1, 47, 48, 49, 100])
def test_a_fork_goes_on_with_the_labelling_that_is_said(n: int) -> None:
    labeling = np.random.default_rng(n).integers(0, 2, n)
    mrf = bc.BinaryMRF(unary=np.column_stack([labeling, 1 - labeling]).astype(float))
    engine = bc.Engine(mrf, bc.partition(mrf, 5), start=bc.Start(labeling=1 - labeling))
    change = Change(labeling=digits(labeling))
    assert Change.read(str(change)) == change
    assert change.words(engine.partition) == "a better labelling"
    assert change.fork(engine).labeling.tolist() == labeling.tolist()
    for other in (np.append(labeling, 1), np.ones(n + 48, int)):
        with pytest.raises(ChangeError, match="another number of variables than the"):
            Change(labeling=digits(other)).fork(engine)


def test_a_change_makes_the_fork_that_the_engine_makes() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 6), variant=9)
    engine.run(max_events=90)
    row = bc.RowAt(0, 1, 5, RowKind.MWC_1)
    assert fingerprint(Change(rows=(row,)).fork(engine)) == fingerprint(engine.fork(rows=[row]))
    changed = Change.read("merge-3-1_variant-4_schedule-srmp_deepest-64").fork(engine)
    assert fingerprint(changed) == fingerprint(engine.fork((), [(3, 1)], variant=4, schedule="srmp", deepest=64))
    cut = Change.read("cut-4-greedy_merge-0-1").fork(engine)
    assert fingerprint(cut) == fingerprint(engine.fork(merge=[(0, 1)], partition=bc.partition(mrf, 4, "greedy")))
    owner = (np.arange(mrf.n) % 30).tolist()
    by_hand = Change(groups=tuple(owner)).fork(engine)
    assert by_hand.partition.group_of().tolist() == owner
    assert engine.position == 90


def test_a_change_takes_out_what_is_decided() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 6), variant=9, excluding=True)
    engine.run(max_sweeps=3)
    found = reduced(engine)
    assert 0 < found.reduced.n < mrf.n
    left = Change.read("reduce").fork(engine)
    assert (left.mrf.n, left.lower_bound >= engine.lower_bound - 1e-9) == (found.reduced.n, True)
    assert left.whole.restored(left.labeling).tolist() == engine.labeling.tolist()
    packed = Change.read("reduce_pack-8_variant-12").fork(engine)
    assert len(packed.partition) < len(left.partition)
    assert max(map(len, packed.partition.groups)) <= 8
    again = Change.read("reduce_cut-7-greedy-3").fork(engine)
    assert fingerprint(again) == fingerprint(
        engine.fork(partition=bc.partition(found.reduced, 7, "greedy", 3), reduction=found)
    )
    with pytest.raises(ValueError, match="does not exclude states"):
        Change.read("reduce").fork(bc.Engine(mrf, bc.partition(mrf, 6), variant=9))


def test_where_all_is_decided_no_run_goes_on() -> None:
    mrf = sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 16), **PROVING)
    engine.run()
    assert reduced(engine).reduced.n == 0
    with pytest.raises(bc.PartitionError, match="all variables are decided: the best labelling is optimal"):
        Change.read("reduce_pack-8").fork(engine)


def test_where_a_run_has_ended_it_cannot_fork_later() -> None:
    mrf = random_mrf(3, 6)
    engine = bc.Engine(mrf, bc.partition(mrf, 2), max_sweeps=2)
    with pytest.raises(ChangeError, match=r"the run ends at event \d+, and cannot fork at event 100000"):
        forked(engine, *read_forks("100000.on"))
    stopped = bc.Stop(requested=lambda: True)
    with pytest.raises(bc.Stopped):
        forked(bc.Engine(mrf, bc.partition(mrf, 2)), *read_forks("3.on"), stopped)


def test_a_run_forks_where_it_was_though_it_has_gone_on() -> None:
    mrf = sample("pose-small")
    ahead, engine = (bc.Engine(mrf, bc.partition(mrf, 6), variant=9) for _ in range(2))
    ahead.run(max_sweeps=4)
    forks = read_forks("50.merge-0-1~20.schedule-srmp")
    for fork in forks:
        ahead, engine = forked(ahead, fork), forked(engine, fork)
        assert fingerprint(ahead) == fingerprint(engine)
    assert Lineage.of(engine, 6).forked(50, forks[0].change).forked(20, forks[1].change).forks == forks


def test_of_a_line_only_the_latest_run_is_kept() -> None:
    mrf = sample("pose-small")
    account, line = bc.Account(), Lineage.of(bc.Engine(mrf, bc.partition(mrf, 6), variant=9), 6)
    line = replace(line, forks=read_forks("50.on~20.on~20.on"))
    for engine in line.runs(mrf, account):
        assert account.used == engine.arrays.charges.used


def test_changes_in_words() -> None:
    part = bc.Partition(tuple(np.array([k]) for k in range(8)), tuple("abcdefgh"))
    assert Change().words(part) == "more sweeps"
    assert Change.read("merge-0-1_merge-1-2_merge-4-5").words(part) == "a, b and c merged, e and f merged"
    assert Change.read("merge-0-1_merge-2-3_merge-4-5_merge-6-7").words(part) == "4 sets of groups merged"
    assert Change.read("variant-4_schedule-srmp_deepest-64").words(part) == (
        "variant 4, the schedule srmp, envelopes up to 64 states deep"
    )
    assert Change.read("row-0-1-1-rmc").words(part) == "a row from b into a at 1"
    assert Change.read("merge-0-1_row-0-1-3-rmc").words(part) == (
        "a and b merged, a row from group 1 into group 0 at state 3"
    )
    assert Change.read("cut-8-greedy_merge-0-1").words(part) == "groups of M 8 by greedy, group 0 and group 1 merged"
    assert Change.read("groups-0-1").words(part) == "other groups by hand"


def test_a_labelling_beside_a_reduction_by_messages_is_of_what_is_left() -> None:
    """The whole model has more numbers of 48 values than what is left of it."""
    mrf = sample("pose-small")
    engine = Change(prove=True).fork(bc.Engine(mrf, bc.partition(mrf, 5)))
    while (left := reduced(engine)).reduced.n > 48:
        engine.step("sweep")
    change = Change(reduce=True, pack=10, labeling=digits(left.reduce(engine.labeling)))
    assert len(change.labeling or ()) < len(digits(engine.labeling))
    assert change.fork(engine).mrf.n == left.reduced.n
