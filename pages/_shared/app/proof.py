"""A proof that continues from a run, made in the background."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import bender_core as bc
from bender_core.checking.certificate import OPTIMAL, Round
from bender_core.trying.change import Fork
from bender_core.trying.proof import Descent
from bender_core.trying.steps import CYCLES
from bender_core.visualization.proof import ProofPoint
from pages._shared.app.branches import Branch, branch_of
from pages._shared.running.background import Personal


def running(branch: Branch) -> bc.Engine:
    """The engine of a branch whose run is in memory."""
    run = branch.run
    assert run is not None
    return run.engine


@dataclass(eq=False)
class ProofInProgress(Personal):
    """A proof on its way.

    Attributes
    ----------
    rounds : list of Branch
        Its runs, the first of which forked from a run of the tree; empty once they have been added to the tree.
    points : list of ProofPoint
        Its progress, from time to time.
    certificate : Certificate or None
        Its outcome, once it has ended.
    failure : str
        Why there is none.
    chapter, last : int
        The numbers of its first run in the line of chapters, from 1, and of its last one, once it has ended.
    is_joined : bool
        Whether its first two rounds are one chapter: cycles have ended it before the first event.
    """

    rounds: list[Branch]
    points: list[ProofPoint] = field(default_factory=list)
    certificate: bc.Certificate | None = None
    failure: str = ""
    chapter: int = field(init=False)
    last: int = field(init=False)
    is_joined: bool = False

    def __post_init__(self) -> None:
        self.chapter = self.last = self.rounds[0].depth + 1

    def start(self) -> None:
        self.begin(self._prove)

    def _prove(self, stopped: threading.Event) -> None:
        stop, first = bc.Stop(requested=stopped.is_set), running(self.rounds[0])
        try:
            descent = Descent(first.mrf, stop=stop, first=first, on_round=self._keep)
            descent.run(on_progress=self._tell)
        except (ValueError, bc.EngineError) as error:
            self.failure = str(error)
            self.rounds.clear()  # their memory
            return
        self._tell(descent)
        certificate = descent.end()
        self._join_empty()
        self.last = self.chapter + len(self.rounds) - 1
        self.certificate = certificate

    def _keep(self, fork: Fork, engine: bc.Engine) -> None:
        self.rounds.append(branch_of(self.rounds[-1], fork, engine))
        # Half of the memory is reserved for further runs; the others can be made again.
        if engine.account.free < engine.account.limit // 2:
            for branch in self.rounds[:-1]:
                branch.let_go()

    def numbered(self, rounds: Sequence[Round]) -> list[tuple[int, Round]]:
        """The rounds of the proof, with the chapters that they are on the stage: cycles begin one, or are beside it."""
        found, chapter = list[tuple[int, Round]](), self.chapter
        for one in rounds[self.is_joined :]:
            found.append((min(chapter, self.last), one))
            chapter += one.strategy != CYCLES
        return found

    def _join_empty(self) -> None:
        """Join the first run, where cycles have ended the proof before its first event, to the one that says so."""
        first, last, before = self.rounds[0], self.rounds[-1], self.rounds[0].parent
        assert before is not None
        own, more = first.lineage.forks[-1], last.lineage.forks[-1].change
        if last.parent is not first or last.event or more.cycles is None or more.reduce:
            return
        self.rounds, self.is_joined = [last], True
        change = replace(own.change, cycles=more.cycles, labeling=more.labeling)
        last.parent, last.lineage = before, before.lineage.forked(own.event, change)
        last.cause = change.words(first.lineage.partition)
        last.lower_before = max(first.lower_before, last.lower_before)

    def _tell(self, descent: Descent) -> None:
        undecided = 0 if descent.status == OPTIMAL else descent.known.whole.reduced.n
        work = descent.known.work + descent.cycles.work
        point = ProofPoint(work, descent.lower_bound, descent.upper_bound, undecided, len(self.rounds) - 1)
        known = self.points
        if len(known) > 1 and known[-2][1:] == known[-1][1:] == point[1:]:
            # While nothing but the work changes, the first and the last point are enough.
            known[-1] = point
        else:
            known.append(point)
