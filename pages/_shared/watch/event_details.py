"""The data for the pictures of one event: the encoder of `Detail` in `protocol`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bender_core import Engine, Event, Stop, looking
from bender_core.engine.rows import over_states
from bender_core.kernels.layout import Kind
from bender_core.kernels.rows.pool import TIGHT
from bender_core.looking.rows import row_charges
from bender_core.model import FloatArray
from bender_core.stopping import never
from pages._shared.watch import protocol

# The most states drawn one by one; and the points of the curve for all states, where there are more.
COLUMNS, TAIL = 24, 60


class Update:
    """An update under way: its ground over all states, updated as rows are added, and the columns drawn.

    Parameters
    ----------
    engine : Engine
        Just after the group was opened.
    event : Event
        The event that opened it.
    best : int
        The state of the group in the best labelling.

    stop : Stop
        Checked about every 10 ms.

    Raises
    ------
    TooLargeError
        If there is no room to look.
    Stopped
        If ``stop`` says so.
    """

    def __init__(self, engine: Engine, event: Event, best: int, stop: Stop = never) -> None:
        self.engine, self.group, self.best = engine, event.node, best
        stake = engine.graph.problem.scale
        self.decimals = 8 - math.floor(math.log10(stake)) if stake > 0 else 12
        found = looking.ground_parts(engine, event.node, stop)
        self.own, self.parts, self.rest = found.own, found.parts, found.rest
        self.arcs, self.senders = found.arcs.tolist(), found.neighbours.tolist()
        self.ground: FloatArray = self.rest + self.own + self.parts.sum(axis=0)
        self.opening = self.ground.copy()
        # Without the model's constant, next to which significant digits would be lost.
        self.excess = looking.excess(engine, event.node, stop)
        self.message_size = engine.arrays.message_size  # messages change only when it ends
        self.alive = looking.alive(engine, event.node) if engine.settings.excluding else np.ones(len(self.ground), bool)
        self.order = np.argsort(self.ground, kind="stable")  # the order of the states by g, at the last round
        self.ranks = np.unique(np.geomspace(1, len(self.ground), TAIL).round().astype(int))
        self.columns = self._in_order(np.union1d(_cheapest(self.ground), [best, event.state]).tolist())
        self.loose: int | None = None  # on how many messages the rows were too low at the last oracle
        self.parts_of_bound = self._parts_of_bound()
        # Computed here, while exact values are available; this update does not change the senders.
        self.exact = self._exact(event.state) if engine.variant.exact else None
        self.ahead = [True] * len(self.senders) if engine.settings.schedule == "mplp" else self._later()

    def detail(self, event: Event) -> protocol.Detail:
        """The data for the pictures of an event of this update."""
        return _ENCODERS[event.kind](self, event)

    def opened(self, event: Event) -> protocol.Opened:
        tail = self._tail()
        return {
            "count": len(self.ground),
            "rest": self._rounded(self.rest),
            "arcs": self.arcs,
            "senders": self.senders,
            "states": list(self.columns),
            "bits": [self._bits(self.group, state) for state in self.columns],
            "own": self._listed(self.own[self.columns]),
            "parts": [self._listed(part[self.columns]) for part in self.parts],
            "best": self.best,
            "dead": self._dead(),
            "tail": None if tail is None else {"rank": self.ranks.tolist(), "g": tail},
        }

    def oracle(self, event: Event) -> protocol.Oracle:
        y = event.state
        self.order = self.order[np.argsort(self.ground[self.order], kind="stable")]
        exact, answers = self._answers(y)
        weight = self.engine.graph.problem.edge_weight[np.array(self.arcs, int) // 2]
        # By the criterion of the compiled loop, which makes rows.
        self.loose = int(np.count_nonzero(exact - self.parts[:, y] > TIGHT * (np.abs(exact) + weight)))
        return {
            "y": y,
            "insert": None if y in self.columns else self._insert(y),
            "exact": self._rounded(self.rest + event.value),
            **answers,
            "known": self._listed(self.parts[:, y]),
        }

    def row(self, event: Event) -> protocol.Row:
        slot, (intercept, charges) = self.arcs.index(event.arc), row_charges(self.engine, event.row)
        values, before = intercept - over_states(charges), self.parts[slot]
        raised = np.maximum(values, before)
        lifted = ~looking.is_tight(self.engine, event.arc, raised, before)
        gain = raised - before
        self.ground += gain
        self.excess += gain
        self.parts[slot] = raised
        lowest = int(self.ground.argmin())
        insert = None if lowest in self.columns else self._insert(lowest)
        return {
            "slot": slot,
            "kind": event.cut,
            "row": event.row,
            "insert": insert,
            "intercept": self._rounded(intercept),
            "values": self._listed(values[self.columns]),
            "part": self._listed(raised[self.columns]),
            "lifted": int(np.count_nonzero(lifted)),
            "u": charges.round(self.decimals).tolist(),
            "dead": self._dead(),
            "tail": self._tail(),
        }

    def message(self, event: Event) -> protocol.Message | protocol.ExactMessage:
        before, self.parts_of_bound = self.parts_of_bound, self._parts_of_bound()
        level = self._rounded(event.floor - self.rest)
        message: protocol.Message = {"level": level, **self.parts_of_bound, "before": before, "ahead": self.ahead}
        return message if self.exact is None else {**message, **self.exact}

    def _later(self) -> list[bool]:
        """Whether a sender is updated after the group in this direction of the sweep: then it receives a share."""
        graph = self.engine.graph
        rank, forward = np.argsort(graph.sweep_order()), looking.whereabouts(self.engine).update < graph.n_groups
        return [bool(rank[q] > rank[self.group]) == forward for q in self.senders]

    def _dead(self) -> protocol.Dead:
        """The states known to be in no better labelling: their number, and those among the columns."""
        engine = self.engine
        if not engine.settings.excluding:
            return {"count": 0, "states": []}
        alive = self.alive & ~engine.margin.excludes(self.excess, self.message_size)
        alive[self.best] = True
        return {
            "count": int(np.count_nonzero(~alive)),
            "states": [state for state in self.columns if not alive[state]],
        }

    def _answers(self, state: int) -> tuple[FloatArray, protocol.Replies]:
        """The senders' answers to a state: the exact parts, and their encoding."""
        answers = looking.answers(self.engine, self.group, state)
        nu = np.array([answer.exact for answer in answers])
        replies: list[protocol.Reply] = [
            {"state": each.state, "bits": self._bits(each.sender, each.state)} for each in answers
        ]
        return nu, {"nu": self._listed(nu), "answers": replies}

    def _exact(self, state: int) -> protocol.AtState:
        return {"y": state, **self._answers(state)[1]}

    def _insert(self, state: int) -> protocol.Insert:
        self.columns = self._in_order([*self.columns, state])
        return {
            "at": self.columns.index(state),
            "state": state,
            "bits": self._bits(self.group, state),
            "own": self._rounded(self.own[state]),
            "parts": self._listed(self.parts[:, state]),
            "opening": self._rounded(self.opening[state]),
        }

    def _in_order(self, states: list[int]) -> list[int]:
        """Columns are in the order of the opening, so that none changes its place."""
        return sorted(states, key=lambda state: (self.opening[state], state))

    def _tail(self) -> list[float] | None:
        if len(self.ground) <= len(self.columns):
            return None
        # Most states are in order already: a stable sort, which exploits that, takes a third of the time.
        ordered = np.sort(self.ground[self.order], kind="stable")
        return self._listed(ordered[self.ranks - 1])

    def _rounded(self, value: float) -> float:
        """Rounded to a hundred-millionth of the energy at stake, however large the constant, so that sums agree."""
        return round(float(value), self.decimals)

    def _listed(self, values: FloatArray) -> list[float]:
        found: list[float] = values.round(self.decimals).tolist()
        return found

    def _parts_of_bound(self) -> protocol.Parted:
        """The terms of the bound of the group and of its edges."""
        groups, edges = looking.bound_terms(self.engine)
        return {"kept": self._rounded(groups[self.group]), "shares": self._listed(edges[np.array(self.arcs, int) // 2])}

    def _bits(self, group: int, state: int) -> str:
        return self.engine.partition.describe(group, state)


_ENCODERS: dict[int, Callable[[Update, Event], protocol.Detail]] = {
    Kind.NODE_OPENED: Update.opened,
    Kind.ORACLE: Update.oracle,
    Kind.ROW: Update.row,
    Kind.MESSAGE: Update.message,
}


def _cheapest(ground: FloatArray) -> np.ndarray:
    """The cheapest states by (g, state)."""
    most = min(COLUMNS, len(ground))
    among = np.flatnonzero(ground <= np.partition(ground, most - 1)[most - 1])
    return among[np.argsort(ground[among], kind="stable")][:most]


def rounded(value: float, digits: int = 7) -> float:
    """Seven digits are plenty on a screen, and half the bytes."""
    return float(f"{value:.{digits}g}")


def listed(values: FloatArray, digits: int = 7) -> list[float]:
    """Each of them rounded."""
    return [rounded(value, digits) for value in values.tolist()]
