"""The packing that is watched: computed and encoded in the background, a few rounds ahead of what is shown."""

from __future__ import annotations

import logging
import threading
import weakref
from dataclasses import dataclass, field

import bender_core as bc
from pages._shared.cycles import protocol
from pages._shared.cycles.encoding import Encoder, graph_view
from pages._shared.running.background import Personal

# A packing with its events as the picture draws them takes about this many times its own bytes.
ENCODED = 4


@dataclass(eq=False)
class WatchedPacking(Personal):
    """A packing, its events as the picture draws them, and the work that adds to them.

    Attributes
    ----------
    mrf : BinaryMRF
    account : Account
        Charged with the packing. When it is full, no more events are computed.
    graph : Graph or None
        None until the packing has begun; so is ``start``.
    events : list of Found or Shared
        All so far.
    ending : Ending or None
        None until the last event is known.
    position : int
        The position shown last.
    failure : str
        Why no more events are computed; empty if they are.
    """

    mrf: bc.BinaryMRF
    account: bc.Account
    graph: protocol.Graph | None = None
    start: protocol.Start | None = None
    events: list[protocol.Found | protocol.Shared] = field(default_factory=list)
    ending: protocol.Ending | None = None
    position: int = 0
    failure: str = ""

    def __post_init__(self) -> None:
        charges = self.account.open("cycles", {})
        assert charges is not None
        self._charges = charges
        weakref.finalize(self, charges.close)
        self._until = 0.0  # so many events are to be computed
        self._packing: bc.Packing | None = None
        self._encoder: Encoder | None = None

    @property
    def is_complete(self) -> bool:
        """Whether nothing more is to be computed."""
        return self.ending is not None or bool(self.failure)

    def advance(self, events: float) -> None:
        """Compute in the background until so many events are known, or all."""
        self._until = max(self._until, events)
        if not self.busy and not self.is_complete and (self.start is None or len(self.events) < self._until):
            self.begin(self._drive)

    def halt(self) -> None:
        """Compute nothing more until it is asked for."""
        self._until = 0.0
        self.stop(wait=None)

    def doing(self) -> str:
        """What is being computed, in words; empty if nothing is."""
        if not self.busy:
            return ""
        if not self.events:
            return "making the signed graph…" if self.start is None else "looking for frustrated cycles…"
        return f"round {self.events[-1]['round'] + 2}…"

    def _drive(self, stopped: threading.Event) -> None:
        try:
            stop = bc.Stop(requested=stopped.is_set)
            packing, encoder = self._begun()
            while not (packing.finished or self.failure) and len(self.events) < self._until:
                try:
                    packing.step("round", stop)
                finally:
                    self.events += encoder.go_on()
                    packing.seek(len(packing.events))
                self._charge(packing)
            if packing.finished:
                self.ending = encoder.ending()
        except bc.Stopped:
            pass
        except Exception:
            logging.getLogger(__name__).exception("The packing cannot go on")
            self.failure = "The cycles cannot be computed any further; the server's log says why."

    def _begun(self) -> tuple[bc.Packing, Encoder]:
        if self._packing is None or self._encoder is None:
            self._packing = bc.Packing(self.mrf)
            self._encoder = Encoder(self._packing)
            self.graph, self.start = graph_view(self._packing), self._encoder.start
        return self._packing, self._encoder

    def _charge(self, packing: bc.Packing) -> None:
        if not self._charges.charge("cycles", ENCODED * packing.nbytes - self._charges.used):
            self.failure = "There is no memory for more rounds: the runs of this session take the rest."
