"""The small models of the lessons. Models and partitions are immutable: all sessions share them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import bender_core as bc
from bender_core import synth
from bender_core.kernels.gap import CLOSED
from bender_core.kernels.layout import Kind
from bender_core.model import IntArray
from bender_core.synth.pose import PARTS
from pages._shared.app.fields import SAMPLE
from pages._shared.app.permalink import Origin, made_by
from pages._shared.app.session import Lab, sample

# In every lesson about one message, this is the receiver and this the sender.
RECEIVER, SENDER = 0, 1


def same(one: float, other: float) -> bool:
    """Whether two energies are equal within the tolerance of a run."""
    return abs(one - other) <= CLOSED * (1 + abs(one))


def tiny() -> bc.BinaryMRF:
    """Two groups, A and B, of three variables each."""
    return sample("tiny")


@lru_cache(maxsize=1)
def tiny_partition() -> bc.Partition:
    return bc.partition(tiny(), 3, "groups")


def tiny_run(position: int = 0) -> bc.Engine:
    """A run on it, after some events; made anew for each caller, which takes a millisecond."""
    engine = bc.Engine(tiny(), tiny_partition(), variant=9)
    if position:
        engine.run(max_events=position)
    return engine


@lru_cache(maxsize=1)
def tiny_messages() -> list[int]:
    """The positions at which a group has just passed its messages, until the run ends."""
    engine = tiny_run()
    engine.run()
    return [int(k) + 1 for k in np.flatnonzero(engine.trace.column("kind") == Kind.MESSAGE)]


def put_tiny(lab: Lab, position: int = 0) -> None:
    """Open it in the app, after some events, with the lessons' message selected."""
    lab.open(tiny(), SAMPLE.say("tiny"), tiny_partition(), 3, 9, "mplp")
    show_at(lab, position, lab.run.engine.graph.arc(RECEIVER, SENDER))


def show_at(lab: Lab, position: int, arc: int = 0) -> None:
    """Go to an event of a fresh run."""
    if position:
        lab.run.engine.run(max_events=position)
    lab.run.show(position)
    lab.run.arc = arc


# A spin glass cut into three groups, on which the four kinds of rows differ visibly.
GLASS: dict[str, synth.Value] = {"n": 15, "coupling": "gaussian", "field": 0.5, "seed": 2}


@lru_cache(maxsize=1)
def glass() -> tuple[bc.BinaryMRF, bc.Partition, Origin]:
    mrf = synth.generate("sherrington_kirkpatrick", **GLASS)
    thirds = np.arange(mrf.n).reshape(3, -1)
    return mrf, bc.manual(mrf, thirds.tolist(), ["A", "B", "C"]), made_by("sherrington_kirkpatrick", GLASS)


@lru_cache(maxsize=32)
def body(candidates: int) -> tuple[bc.BinaryMRF, bc.Partition]:
    """A pose with a number of candidates per body part, one group a body part."""
    mrf = synth.body_pose(candidates, people=2)
    return mrf, bc.partition(mrf, candidates, "groups")


@lru_cache(maxsize=32)
def two_parts(candidates: int) -> tuple[bc.BinaryMRF, bc.Partition]:
    """Two adjacent body parts of a pose."""
    mrf, _ = body(candidates)
    assert mrf.groups is not None
    both = np.flatnonzero(np.isin(mrf.groups, PARTS[:2]))
    return _induced(mrf, both), bc.manual(_induced(mrf, both), np.arange(len(both)).reshape(2, -1).tolist())


@lru_cache(maxsize=32)
def two_rows(columns: int) -> tuple[bc.BinaryMRF, bc.Partition]:
    """Two rows of a grid, each a group; every variable is coupled to one in the other row."""
    mrf = synth.ising_grid(2, columns, coupling="gaussian", seed=1)
    return mrf, bc.manual(mrf, np.arange(mrf.n).reshape(2, -1).tolist())


def _induced(mrf: bc.BinaryMRF, kept: IntArray) -> bc.BinaryMRF:
    """Some variables and the edges among them."""
    inside = np.isin(mrf.edges, kept).all(axis=1)
    return bc.BinaryMRF(mrf.unary[kept], np.searchsorted(kept, mrf.edges[inside]), mrf.pairwise[inside])
