"""Talks: files, links and the ready one, whose notes say what the engine finds."""

from __future__ import annotations

import base64
import json
import zlib
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bender_core as bc
from bender_core.kernels.layout import Kind
from bender_core.looking.decided import proves
from bender_core.looking.update import open_update
from bender_core.trying.clock import entries_read
from pages._shared.app.fields import WATCH, passed_over
from pages._shared.app.session import Lab, linked
from pages._shared.watch.recorded import recording
from pages._shared.watch.talk import MOST_MOMENTS, Moment, Talk, TalkError, read, ready, unpack
from pages._shared.watch.talking import describe

PAPER = read(ready()["paper"])


def opened(number: int) -> Lab:
    """The run of a moment of the ready talk, at that moment."""
    found = linked(PAPER.moments[number].fields)
    found.run.work.wait()
    found.run.settle()
    return found


def second(number: int) -> bc.Engine:
    """The run beside that of a moment."""
    fields = PAPER.moments[number].fields
    found = linked(fields | dict(parse_qsl(fields["beside"])))
    found.run.work.wait()
    found.run.settle()
    return found.run.engine


@given(
    st.text(min_size=1, max_size=120),
    st.lists(st.builds(Moment, st.sampled_from(["sample=tiny&at=3", "M=4&view=both"]), st.text()), min_size=1),
)
def test_a_talk_is_read_as_it_was_written(title: str, moments: list[Moment]) -> None:
    talk = Talk(title, moments)
    assert read(talk.text) == talk
    if talk.packed:
        assert unpack(talk.packed) == talk


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("[]", "no list of moments"),
        ('{"moments": {}}', "no list of moments"),
        ('{"moments": [{"address": 3}]}', "moment 1 has no address"),
        ('{"moments": [{"address": "at=1"}, "x"]}', "moment 2 has no address"),
        ('{"moments": [{"address": "javascript:alert(1)"}]}', "moment 1 is no address of Watch"),
        ('{"moments": [{"address": "evil=1"}]}', "moment 1 is no address of Watch"),
        (json.dumps({"moments": [{"address": "at=1"}] * (MOST_MOMENTS + 1)}), f"more than {MOST_MOMENTS}"),
        (json.dumps({"moments": [{"address": "at=1", "note": "x" * 5000}]}), "moment 1 is too long"),
    ],
)
def test_what_is_no_talk_is_refused_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(TalkError, match=why):
        read(text)


@pytest.mark.parametrize("text", ["papers", "%%", Talk(moments=[Moment("at=1")]).packed[:-9], "eA=="])
def test_a_link_that_is_not_whole_is_refused(text: str) -> None:
    with pytest.raises(TalkError):
        unpack(text)


def test_a_link_cannot_fill_the_memory() -> None:
    bomb = base64.urlsafe_b64encode(zlib.compress(b"[" * 10**8)).decode()
    with pytest.raises(TalkError):
        unpack(bomb)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("", "event 3 – to say"),
        ("&forks=2.variant-4", "event 3 of a fork – to say"),
        ("&forks=2.variant-4&end=9", "event 3 of a proof – to say"),
        ("&forks=2.variant-4&chapter=0", "event 3 – to say"),
        ("&beside=variant%3D4", "event 3, two runs – to say"),
    ],
)
def test_a_moment_is_listed_with_what_it_shows(more: str, line: str) -> None:
    moment = Moment(f"sample=tiny&M=3&variant=9&at=3{more}", "to\nsay")
    assert describe(1, moment).replace("\\", "") == f"2. tiny, M 3, variant 9, {line}"


def test_an_uploaded_model_is_not_in_a_link() -> None:
    assert Talk(moments=[Moment("upload=key&at=3")]).packed == ""


def test_moments_are_gone_through_and_moved() -> None:
    talk = Talk("t", [Moment(f"at={k}") for k in range(3)])
    assert [talk.go(k) for k in (-4, 1, 9)] == [talk.moments[0], talk.moments[1], talk.moments[2]]
    assert (talk.at, talk.turn) == (2, 3)
    assert talk.move(2, -1) == 1
    assert [moment.address for moment in talk.moments] == ["at=0", "at=2", "at=1"]
    assert talk.move(0, -1) == 0
    assert Talk().go(0) is None


@pytest.mark.parametrize("number", range(len(PAPER.moments)))
def test_every_moment_of_the_ready_talk_opens_as_it_says(number: int) -> None:
    fields = PAPER.moments[number].fields
    assert passed_over(WATCH, fields) == []
    assert opened(number).run.position == int(fields["at"])


def test_the_notes_of_the_ready_talk_say_what_is_so() -> None:
    """The facts that the speaker states, one after the other."""
    assert len(PAPER.moments) == 15
    assert (opened(0).mrf.n, round(opened(0).run.engine.lower_bound)) == (84, -581)
    assert proves(opened(1).run.engine)
    ring = opened(2).run.engine
    ring.run()
    assert (ring.mrf.n, len(ring.mrf.edges), round(ring.lower_bound, 6), ring.upper_bound) == (9, 9, -21, -17)
    groups = opened(3).run.engine
    assert (len(groups.partition), groups.lower_bound, groups.upper_bound) == (2, -17, -17)
    pose = opened(4).run.engine
    assert {len(group) for group in pose.partition.groups} == {6}
    assert len(pose.partition) == 14
    shoulder = [opened(k).run.engine for k in range(5, 9)]
    last = [int(engine.trace.column("kind")[-1]) for engine in shoulder]
    assert last == [Kind.NODE_OPENED, Kind.ORACLE, Kind.ROW, Kind.MESSAGE]
    promised, asked, row = shoulder[0].trace[-1], shoulder[1].trace[-1], open_update(shoulder[2])
    assert promised.floor < promised.lower_bound
    assert (round(promised.floor, 2), round(asked.ceiling, 2)) == (-36.66, -35.46)
    assert row is not None
    assert row.floor > asked.lower_bound
    assert recording().answer["frames"]["columns"]["detail"][381]["lifted"] == 4
    assert [round(engine.lower_bound, 2) for engine in shoulder[2:]] == [-36.45, -36.22]
    update = shoulder[3].trace.column("kind")[379:385]
    assert (list(update).count(Kind.ORACLE), list(update).count(Kind.ROW)) == (2, 2)
    neck = opened(9).run.engine.trace.column("kind")[4:70]
    assert (list(neck).count(Kind.ORACLE), neck[-1]) == (5, Kind.MESSAGE)
    assert len(pose.graph.neighbours(1)) == 13
    rows, exact = opened(10).run.engine, second(10)
    assert rows.lower_bound == pytest.approx(exact.lower_bound, abs=1e-9)
    assert round(entries_read(exact) / entries_read(rows)) == pytest.approx(30, abs=2)
    assert opened(11).run.engine.trace.column("kind")[-1] == Kind.SWEEP
    one, both = opened(12).run.engine, second(12)
    assert {int(engine.trace.column("kind")[-1]) for engine in (one, both)} == {Kind.SWEEP}
    assert one.lower_bound > both.lower_bound
    assert one.n_rows < both.n_rows
    assert entries_read(one) < entries_read(both)
    torus = opened(13).run.engine
    assert (torus.mrf.n, round(torus.lower_bound, 2), round(torus.upper_bound, 2)) == (100, -135.87, -122.71)
    end = opened(14).run.engine
    assert (round(end.lower_bound, 2), end.n_rows, len(end.trace.stops("sweep"))) == (-31.04, 423, 8)
