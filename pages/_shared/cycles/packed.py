"""The packing or cycle pursuit that is watched: computed and encoded in the background, ahead of what is shown."""

from __future__ import annotations

import logging
import threading
import weakref
from dataclasses import dataclass, field
from functools import partial
from secrets import token_hex

import bender_core as bc
from bender_core.cycles import mplp, packing
from bender_core.cycles.signed import signed_graph
from bender_core.forms.reduction import Left
from pages._shared.cycles import protocol
from pages._shared.cycles.encoding import Encoder, Encoding, graph_view
from pages._shared.cycles.pursuit_encoding import PursuitEncoder
from pages._shared.running.background import Exclusive

# A packing with its events as the picture draws them takes about this many times its own bytes.
ENCODED = 4
# It may take one part in this many of the memory, which runs need too.
SHARE = 4


@dataclass(eq=False)
class WatchedPacking(Exclusive):
    """A packing or a cycle pursuit, its events as the picture draws them, and the work that adds to them.

    Attributes
    ----------
    mrf : BinaryMRF
    account : Account
        Charged with it. When it is full, no more events are computed.
    left : Left or None
        What the model is of the whole one; None: that itself.
    by : {"program", "messages"}
        Whether it is a packing or a cycle pursuit.
    graph : Graph or None
        None until it has begun; so is ``start``.
    events : list of Event
        All so far.
    ending : Ending or None
        None until the last event is known.
    failure : str
        Why no more events are computed; empty if they are.
    is_halted : bool
        Whether it was stopped, and nothing has been asked for since.
    name : str
        Another one for each.
    """

    mrf: bc.BinaryMRF
    account: bc.Account
    left: Left | None = None
    by: protocol.By = "program"
    graph: protocol.Graph | None = None
    start: protocol.Start | None = None
    events: list[protocol.Event] = field(default_factory=list)
    ending: protocol.Ending | None = None
    failure: str = ""
    is_halted: bool = False
    name: str = field(default_factory=partial(token_hex, 4))

    def __post_init__(self) -> None:
        charges = self.account.open("cycles", {})
        assert charges is not None
        self._charges = charges
        weakref.finalize(self, charges.close)
        self._until = 0.0  # the number of events to be computed
        self._engine: bc.Packing | bc.CyclePursuit | None = None
        self._encoder: Encoding | None = None

    @property
    def is_complete(self) -> bool:
        """Whether nothing more is to be computed."""
        return self.ending is not None or bool(self.failure)

    def advance(self, events: float) -> None:
        """Compute in the background until this number of events is known, or until the end."""
        self._until, self.is_halted = max(self._until, events), False
        if self._engine is None and not self.busy:
            self.failure = ""  # there may be memory again
        if not self.busy and not self.is_complete and (self.start is None or len(self.events) < self._until):
            self.begin(self._drive)

    def halt(self) -> None:
        """Compute nothing more until it is asked for."""
        self._until, self.is_halted = 0.0, True
        self.stop()

    def doing(self) -> str:
        """What is being computed, in words; empty if nothing is."""
        if not self.busy:
            return ""
        if not self.events:
            if self.start is None:
                return "making the signed graph…"
            return "looking for frustrated cycles…" if self.by == "program" else "passing messages…"
        last = self.events[-1]
        return f"round {last['round'] + 1 + ('walk' not in last)}…"

    def _drive(self, stopped: threading.Event) -> None:
        try:
            stop = bc.Stop(requested=stopped.is_set)
            with self.taken(stop):
                self._go_on(stop)
        except bc.Stopped:
            pass
        except Exception:
            logging.getLogger(__name__).exception("The packing cannot go on")
            self.failure = "The cycles cannot be computed any further; the server's log says why."

    def _go_on(self, stop: bc.Stop) -> None:
        needed = mplp.needed_bytes if self.by == "messages" else packing.needed_bytes
        if self._engine is None and not self._charge(needed(self.mrf)):
            return
        engine, encoder = self._begun()
        while not (engine.finished or self.failure) and len(self.events) < self._until:
            try:
                engine.step("cycle", stop)  # all of a round are found by its first step
            finally:
                self.events += encoder.go_on()
                engine.seek(len(engine.events))
            self._charge(engine.nbytes)
        if engine.finished:
            self.ending = encoder.ending()

    def _begun(self) -> tuple[bc.Packing | bc.CyclePursuit, Encoding]:
        if self._engine is None or self._encoder is None:
            if self.by == "program":
                self._engine = bc.Packing(self.mrf, left=self.left)
                graph, self._encoder = self._engine.graph, Encoder(self._engine)
            else:
                self._engine = bc.CyclePursuit(self.mrf, left=self.left)
                graph = signed_graph(self.mrf, self.left is not None and self.left.whole.model is not self.mrf)
                self._encoder = PursuitEncoder(self._engine, graph)
            self.graph, self.start = graph_view(self.mrf, graph), self._encoder.start
        return self._engine, self._encoder

    def _charge(self, nbytes: int) -> bool:
        """Charge what a packing of this size takes with its events; returns whether it fits."""
        needed = ENCODED * nbytes
        fits = SHARE * needed <= self.account.limit and self._charges.charge("cycles", needed - self._charges.used)
        if not fits:
            more = "for more rounds" if self._engine is not None else "for the cycles of this model now"
            self.failure = f"There is no memory {more}."
        return fits
