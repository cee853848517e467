"""A proof that goes on from a run, made in the background."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import bender_core as bc
from bender_core.proofs.descent import Descent
from bender_core.run.certificate import OPTIMAL
from bender_core.run.repeating.change import Fork
from bender_core.visualization.proof import Stand
from pages._shared.running.background import Personal


@dataclass(eq=False)
class Proof(Personal):
    """A proof on its way.

    Attributes
    ----------
    parent : object
        The run of the tree that it goes on from.
    rounds : list of pairs of Fork and Engine
        Each run, and the fork that led to it from the one before, the first of which proves; none once they are shown.
    stands : list of Stand
        How far it was, from time to time.
    certificate : Certificate or None
        Its outcome, once it has ended.
    failure : str
        Why there is none.
    """

    parent: object
    rounds: list[tuple[Fork, bc.Engine]]
    stands: list[Stand] = field(default_factory=list)
    certificate: bc.Certificate | None = None
    failure: str = ""

    def start(self) -> None:
        self.begin(self._prove)

    def _prove(self, stopped: threading.Event) -> None:
        stop, (_, first) = bc.Stop(wanted=stopped.is_set), self.rounds[0]
        try:
            descent = Descent(first.mrf, stop=stop, on_progress=self._tell, first=first, on_round=self._keep)
            descent.run()
        except (ValueError, bc.EngineError) as error:
            self.failure = str(error)
            self.rounds.clear()  # their memory
            return
        self._tell(descent)
        self.certificate = descent.certificate()

    def _keep(self, fork: Fork, engine: bc.Engine) -> None:
        self.rounds.append((fork, engine))

    def _tell(self, descent: Descent) -> None:
        undecided = 0 if descent.status == OPTIMAL else descent.whole.reduced.n
        stand = Stand(descent.work, descent.lower_bound, descent.upper_bound, undecided, len(descent.rounds))
        known = self.stands
        if len(known) > 1 and known[-2][1:] == known[-1][1:] == stand[1:]:
            # Of a time in which nothing but the work changes, the two ends are enough.
            known[-1] = stand
        else:
            known.append(stand)
