"""The packing that is watched: computed and encoded in the background, a few rounds ahead of what is shown."""

from __future__ import annotations

import logging
import threading
import weakref
from dataclasses import dataclass, field
from functools import partial
from secrets import token_hex

import bender_core as bc
from bender_core.cycles.packing import needed_bytes
from bender_core.forms.reduction import Left
from pages._shared.cycles import protocol
from pages._shared.cycles.encoding import Encoder, graph_view
from pages._shared.running.background import Exclusive

# A packing with its events as the picture draws them takes about this many times its own bytes.
ENCODED = 4
# It may take one part in this many of the memory, which runs need too.
SHARE = 4


@dataclass(eq=False)
class WatchedPacking(Exclusive):
    """A packing, its events as the picture draws them, and the work that adds to them.

    Attributes
    ----------
    mrf : BinaryMRF
    account : Account
        Charged with the packing. When it is full, no more events are computed.
    left : Left or None
        What the model is of the whole one; None: that itself.
    graph : Graph or None
        None until the packing has begun; so is ``start``.
    events : list of Found or Shared
        All so far.
    ending : Ending or None
        None until the last event is known.
    position : int
        The position shown last.
    is_grouped : bool
        Whether groups are shown rather than variables.
    failure : str
        Why no more events are computed; empty if they are.
    is_halted : bool
        Whether it was stopped, and nothing has been asked for since.
    name : str
        Another one for every packing.
    """

    mrf: bc.BinaryMRF
    account: bc.Account
    left: Left | None = None
    graph: protocol.Graph | None = None
    start: protocol.Start | None = None
    events: list[protocol.Found | protocol.Shared] = field(default_factory=list)
    ending: protocol.Ending | None = None
    position: int = 0
    is_grouped: bool = False
    failure: str = ""
    is_halted: bool = False
    name: str = field(default_factory=partial(token_hex, 4))

    def __post_init__(self) -> None:
        charges = self.account.open("cycles", {})
        assert charges is not None
        self._charges = charges
        weakref.finalize(self, charges.close)
        self._until = 0.0  # the number of events to be computed
        self._packing: bc.Packing | None = None
        self._encoder: Encoder | None = None

    @property
    def is_complete(self) -> bool:
        """Whether nothing more is to be computed."""
        return self.ending is not None or bool(self.failure)

    def advance(self, events: float) -> None:
        """Compute in the background until this number of events is known, or until the end."""
        self._until, self.is_halted = max(self._until, events), False
        if self._packing is None and not self.busy:
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
            return "making the signed graph…" if self.start is None else "looking for frustrated cycles…"
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
        if self._packing is None and not self._charge(needed_bytes(self.mrf)):
            return
        packing, encoder = self._begun()
        while not (packing.finished or self.failure) and len(self.events) < self._until:
            try:
                packing.step("cycle", stop)  # all of a round are found by its first step
            finally:
                self.events += encoder.go_on()
                packing.seek(len(packing.events))
            self._charge(packing.nbytes)
        if packing.finished:
            self.ending = encoder.ending()

    def _begun(self) -> tuple[bc.Packing, Encoder]:
        if self._packing is None or self._encoder is None:
            self._packing = bc.Packing(self.mrf, left=self.left)
            self._encoder = Encoder(self._packing)
            self.graph, self.start = graph_view(self._packing), self._encoder.start
        return self._packing, self._encoder

    def _charge(self, nbytes: int) -> bool:
        """Charge what a packing of this size takes with its events; returns whether it fits."""
        needed = ENCODED * nbytes
        fits = SHARE * needed <= self.account.limit and self._charges.charge("cycles", needed - self._charges.used)
        if not fits:
            more = "for more rounds" if self._packing is not None else "for the cycles of this model now"
            self.failure = f"There is no memory {more}."
        return fits
