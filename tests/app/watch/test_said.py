"""Every number that is said of an event is a quantity of that event, and right there.

The quantities are recomputed from the messages and the rows of the moment by brute force over all states, and what is
claimed of the optimum is compared with the optimum itself.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind, RowKind, Status
from bender_core.looking.decided import proves, settled
from bender_core.looking.words import explain
from pages._shared.running.watched import WatchedRun
from pages._shared.watch.event_frames import Encoder
from pages._shared.watch.stage_answers import ending
from tests import naive
from tests.models import random_mrf
from tests.tiers import thinned

NUMBER = r"(−?\d+(?:\.\d+)?(?:e[−+]?\d+)?)"
EVENTS = 72  # of every model
LETTERS = "ABCDEFGHIJKL"
ALPHAS = {RowKind.MWC_0: 0.0, RowKind.MWC_1: 1.0}


@dataclass(frozen=True)
class Model:
    """What is run: names have no digits, so that all digits in a text are of numbers or of states."""

    seed: int
    variant: int
    schedule: str
    sizes: tuple[int, ...]
    constant: float = 0.0
    scale: float = 1.0
    integers: bool = False
    max_sweeps: int = 400

    def make(self) -> bc.Engine:
        n = sum(self.sizes)
        mrf = random_mrf(self.seed, n, 0.8, self.scale, self.constant, self.integers)
        objective = bc.Objective("cut weight", "max", -1.0, 3.0) if self.seed % 2 else mrf.objective
        mrf = replace(mrf, names=tuple(LETTERS[:n].lower()), objective=objective)
        ends = np.cumsum((0, *self.sizes))
        groups = tuple(np.arange(*pair) for pair in pairwise(ends))
        part = bc.Partition(groups, tuple(LETTERS[: len(groups)]))
        return bc.Engine(
            mrf, part, variant=self.variant, schedule=self.schedule, max_sweeps=self.max_sweeps, excluding=True
        )


MODELS = [
    Model(180, 9, "mplp", (3, 3, 3, 3)),
    Model(1, 4, "srmp", (4, 2, 3, 3), constant=-7.5),
    Model(142, 1, "mplp", (2, 2, 2, 2, 2), integers=True),
    Model(3, 8, "mplp", (4, 4, 4), scale=1e-3),
    Model(4, 12, "srmp", (3, 3, 2, 3), constant=1e6, integers=True),
    Model(5, 11, "mplp", (3, 2, 3, 2), scale=1e3),
    Model(46, 2, "srmp", (2, 3, 2, 2, 2), constant=1e10, integers=True),
    Model(7, 10, "mplp", (1, 3, 1, 4, 2), scale=0.25, integers=True),
    Model(8, 3, "mplp", (3, 3, 3, 3), constant=1e4, max_sweeps=3),
    Model(129, 9, "srmp", (2, 2, 2, 2, 1, 2), integers=True, max_sweeps=2),
]


class Twin:
    """The run at an event, by brute force from its messages and rows.

    Parameters
    ----------
    engine : Engine
        After the event, or before its last row is counted: ``rows`` says how many there are.
    """

    def __init__(self, engine: bc.Engine, rows: int) -> None:
        part, n_edges = engine.partition, len(engine.graph.edges)
        self.model, self.rows = naive.GroupModel(engine.mrf, part.groups), rows
        self.exact, self.engine = engine.variant.exact, engine
        self.lam, begin, messages = {}, 0, looking.messages(engine)
        for edge in range(n_edges):
            ends = engine.graph.edges[edge].tolist()
            for p, q in (ends, ends[::-1]):
                count = 1 << len(part.groups[p])
                self.lam[p, q] = messages[begin : begin + count]
                begin += count
        self.known = {(p, q): looking.rows(engine, p, q) for p, q in self.lam} if not self.exact else {}

    def nu(self, p: int, q: int) -> np.ndarray:
        return (self.model.coupling(p, q) - self.lam[q, p][None, :]).min(axis=1)

    def below(self, p: int, q: int) -> np.ndarray:
        """The envelope, with the largest intercepts that the messages allow."""
        if self.exact:
            return self.nu(p, q)
        rows = [row for row in self.known[p, q] if row.index < self.rows]
        beta = [(-self.lam[q, p] - naive.table_of(row.v)).min() for row in rows]
        return np.max([least - naive.table_of(row.u) for least, row in zip(beta, rows, strict=True)], axis=0)

    def theta(self, p: int) -> np.ndarray:
        return self.model.phi[p] + sum((self.lam[p, q] for q in self.model.neighbours(p)), np.zeros(1))

    def left(self, p: int, q: int) -> float:
        return float((self.model.coupling(p, q) - self.lam[p, q][:, None] - self.lam[q, p][None, :]).min())

    @cached_property
    def lower(self) -> float:
        nodes = math.fsum(self.theta(p).min() for p in range(len(self.model.phi)))
        return self.model.constant + nodes + math.fsum(self.left(p, q) for p, q in self.model.edges)

    def ground(self, p: int, exact: bool = False) -> np.ndarray:
        """What every state costs, at least or exactly, in units of the bound."""
        around = self.model.neighbours(p)
        rest = self.lower - self.theta(p).min() - math.fsum(self.left(*sorted((p, q))) for q in around)
        of = self.nu if exact else self.below
        return rest + self.model.phi[p] + sum((of(p, q) for q in around), np.zeros(1))


class Text:
    """A text from which what has been checked is struck off."""

    def __init__(self, text: str, near: float) -> None:
        self.text, self.near, self.seen = text, near, 0

    def take(self, pattern: str, *quantities: float) -> bool:
        """Check numbers where they are said, each rounded as it is written; false if nothing of the kind is said."""
        found = re.search(pattern.replace("#", NUMBER), self.text)
        if found is None:
            return False
        for said, truth in zip(found.groups(), quantities, strict=True):
            self._is(said, truth, self.text)
        self._strike(found)
        return True

    def claim(self, pattern: str, truth: float, sign: int) -> bool:
        """Check a claim: it may be weaker than the truth by a unit of its last digit, not stronger."""
        found = re.search(pattern.replace("#", NUMBER), self.text)
        if found is None:
            return False
        value, unit = _read(found[1])
        assert -self.near <= sign * (value - truth) <= 1.000001 * unit + self.near, (self.text, truth)
        self._strike(found)
        return True

    def take_state(self, pattern: str, bits: str) -> bool:
        found = re.search(pattern, self.text)
        if found is None:
            return False
        assert found[1] == bits, self.text
        self._strike(found)
        return True

    def _is(self, said: str, truth: float, text: str) -> None:
        value, unit = _read(said)
        assert abs(value - truth) <= 0.500001 * unit + self.near, (text, said, truth)

    def _strike(self, found: re.Match[str]) -> None:
        self.seen += len(found.groups())
        self.text = f"{self.text[: found.start()]}…{self.text[found.end() :]}"

    def is_empty(self) -> None:
        assert not re.search(r"\d", self.text), f"a number of nothing: {self.text}"


def _read(said: str) -> tuple[float, float]:
    """A number, and a unit of its last digit."""
    plain = said.replace("−", "-")
    mantissa, _, exponent = plain.partition("e")
    value, places = float(plain), len(mantissa.partition(".")[2])
    if places == 0 and not exponent:
        return value, 1.0
    return value, 10.0 ** (int(exponent or 0) - places)


@dataclass
class Walk:
    """A run, event by event, with all that was sent of it."""

    model: Model

    def __post_init__(self) -> None:
        sent = self.model.make()
        sent.run()
        last = len(sent.trace)
        self.run = WatchedRun(sent)
        told = Encoder(self.run).frames(0, last, last, more=True)
        self.columns = told["columns"]
        self.engine = self.model.make()
        self.engine.run()
        mrf = self.engine.mrf
        plain = replace(mrf, constant=0.0)
        # Beside a large constant, energies are compared without it.
        self.energies, self.optimum = naive.energies(plain), float(naive.energies(plain).min())
        self.scale = self.engine.graph.problem.scale
        self.near = 1e-9 * self.scale + 1e-15 * abs(mrf.constant) * 64
        self.sweep_starts = {0: 0} | {
            event.sweep + 1: event.index + 1 for event in self.engine.trace if event.kind == 4
        }

    def at(self, k: int) -> Twin:
        """The twin after event k."""
        self.engine.seek(k + 1)
        return Twin(self.engine, self.engine.n_rows)

    def best(self, k: int) -> float:
        """The energy of the best labelling after event k, without the constant."""
        self.engine.seek(k + 1)
        return float(naive.energies(replace(self.engine.mrf, constant=0.0), self.engine.labeling[None])[0])

    def check(self, k: int) -> int:
        """Check all that is said of an event; returns how many numbers that were."""
        event = self.engine.trace[k]
        said = self.columns["sentence"][k]
        place = f"Sweep {event.sweep + 1}, {self.engine.partition.labels[event.node]}: " if event.node >= 0 else ""
        assert said.startswith(place)
        text = Text(said[len(place) :], self.near)
        {
            Kind.NODE_OPENED: self.opened,
            Kind.ORACLE: self.oracle,
            Kind.ROW: self.row,
            Kind.MESSAGE: self.message,
            Kind.SWEEP: self.sweep,
            Kind.FINISHED: self.finished,
        }[event.kind](text, event)
        self.proof(text, event)
        self.decided(text, event)
        text.is_empty()
        self.bounds(event)
        return text.seen

    # -- the kinds of events --------------------------------------------------------------------------------------

    def opened(self, text: Text, event: bc.Event) -> None:
        twin, p = self.at(event.index), event.node
        ground, degree = twin.ground(p), len(twin.model.neighbours(p))
        assert ground[event.state] <= ground.min() + self.near
        assert text.take(rf"{'With ' if twin.exact else 'of its '}# messages?", degree)
        assert text.take_state(r"y\* = ([01]+)", self.engine.partition.describe(p, event.state))
        if twin.exact:
            assert text.take("which costs #", ground.min())
            return
        assert text.take("costs at least #", ground.min())
        # The reason that is given is the true one here.
        above, exact = ground.min() - twin.lower, twin.ground(p, exact=True)
        if "less than the lower bound" in text.text:
            assert above < 0
            assert "so its rows are too low there" in text.text
            loose = [twin.nu(p, q)[event.state] - twin.below(p, q)[event.state] for q in twin.model.neighbours(p)]
            assert max(loose) > 0
            assert exact.min() >= twin.lower - self.near
        elif "more than the lower bound" in text.text:
            assert above > 0
        else:
            assert abs(above) <= self.near + 1e-11 * abs(twin.lower)

    def asked(self, event: bc.Event) -> tuple[list[int], float]:
        """The states that the oracles of this update have been asked at, and the floor at the last answer."""
        states, floor, k = [], math.nan, event.index
        while (before := self.engine.trace[k]).kind != Kind.NODE_OPENED:
            if before.kind == Kind.ORACLE and before.depth == 0:
                states.append(before.state)
                floor = before.floor if math.isnan(floor) else floor
            k -= 1
        return states, floor

    def oracle(self, text: Text, event: bc.Event) -> None:
        twin, p, y = self.at(event.index), event.node, event.state
        around, labels = twin.model.neighbours(p), self.engine.partition.labels
        low, exact = twin.ground(p), twin.ground(p, exact=True)
        slack = {q: twin.nu(p, q)[y] - twin.below(p, q)[y] for q in around}
        assert text.take_state(r"(?:y\* = |, the last of them |too, )([01]+)", self.engine.partition.describe(p, y))
        if event.depth:
            text.take(r"the #(?:st|nd|rd|th) best state", 1 + event.depth)
            text.take(r"at the next # states too", event.depth)
            text.take(r"costs # more than its rows gave", exact[y] - low[y])
        states, _ = self.asked(event)
        if event.arc >= 0:
            sender = self.engine.graph.ends(event.arc)[1]
            assert slack[sender] >= max(slack.values()) - self.near
            assert re.search(rf"(?:that|the message) from {labels[sender]}\b", text.text)
            text.take(r"on # of # messages", sum(value > 10 * self.near for value in slack.values()), len(around))
        if event.depth:
            return
        best = exact[states].min()
        if text.take(r"costs exactly the lower bound of its rows, #", exact[y]):
            assert abs(exact[y] - low[y]) <= 10 * self.near
        else:
            assert text.take(r"costs exactly #, ", exact[y])
            assert text.take(r"beaten by #", best) == (exact[y] > best + self.near)
            assert text.take(r"its rows gave at least #", low[y])
        others = (low < best - self.near) & (np.arange(len(low)) != states[int(np.argmin(exact[states]))])
        near = int((np.abs(low - best) <= 2 * self.near).sum())
        if not text.take(r"# suspects? left", others.sum()) and "No state is cheaper" in text.text:
            assert others.sum() <= near

    def row(self, text: Text, event: bc.Event) -> None:
        twin, p, y = self.at(event.index), event.node, event.state
        sender = self.engine.graph.ends(event.arc)[1]
        before = Twin(self.engine, twin.rows - 1)
        assert f"on the message from {self.engine.partition.labels[sender]} a " in text.text
        if event.cut in ALPHAS:
            assert text.take("α = #", ALPHAS[event.cut])
        text.take(r"the #(?:st|nd|rd|th) best state", 1 + event.depth)
        assert text.take_state(r"y\* = ([01]+)", self.engine.partition.describe(p, y))
        nu, low = twin.nu(p, sender)[y], before.below(p, sender)[y]
        if not text.take("from at least # to exactly #", low, nu):
            assert text.take("touches the exact value #", nu)
            assert low >= nu - 10 * self.near
        # A row touches the min-marginal where it was made.
        assert twin.below(p, sender)[y] == pytest.approx(nu, abs=10 * self.near)
        if event.depth:
            return
        k = event.index
        while self.engine.trace[k].kind == Kind.ROW:
            k -= 1
        begun = Twin(self.engine, self.engine.trace[k].rows).ground(p).min()
        now = twin.ground(p).min()
        if not text.take("floor has risen from # to # in this round", begun, now):
            assert text.take("floor has stayed at # in this round", now)
            assert abs(now - begun) <= 10 * self.near

    def message(self, text: Text, event: bc.Event) -> None:
        twin = self.at(event.index)
        before = self.at(event.index - 1)
        text.take_state(r"y = ([01]+)", self.engine.partition.describe(event.node, event.state))
        assert text.take(", at #", twin.lower)
        assert before.ground(event.node, exact=True).min() == pytest.approx(twin.lower, abs=10 * self.near)
        if not text.take("rises from # to this cost", before.lower):
            assert abs(twin.lower - before.lower) <= self.near + 1e-11 * abs(twin.lower)
        text.take("in # equal parts?", 1 + len(twin.model.neighbours(event.node)))

    def sweep(self, text: Text, event: bc.Event) -> None:
        constant = self.engine.mrf.constant
        assert text.take("Sweep # is complete", event.sweep + 1)
        twin, best = self.at(event.index), self.best(event.index)
        begun = self.at(self.sweep_starts[event.sweep] - 1).lower if event.sweep else self.run.opening[0]
        assert text.take("rose by #", max(twin.lower - begun, 0.0))
        assert text.take("best labelling costs #", best + constant)
        text.take("exact at the best # states", event.depth)
        self.left(text, twin, best)

    def left(self, text: Text, twin: Twin, best: float) -> None:
        """How much better another labelling may be: claimed, and true."""
        found = re.search("better by more than " + NUMBER, text.text)
        if found:
            assert best - self.optimum <= _read(found[1])[0] + self.near
            least = self.engine.margin.lattice.raised(twin.lower, best + self.engine.mrf.constant)
            text.claim("better by more than #", best + self.engine.mrf.constant - least, 1)
        else:
            assert best - self.optimum <= 1e-6 * self.scale

    def finished(self, text: Text, event: bc.Event) -> None:
        twin, best, constant = self.at(event.index), self.best(event.index), self.engine.mrf.constant
        if "no other costs less" in text.text:
            assert text.take("labelling found costs #", best + constant)
            assert self.columns["proven"][event.index]
            return
        text.take("lower bound is #", twin.lower)
        text.take("differ by multiples of #", self.engine.margin.lattice.step)
        least = self.engine.margin.lattice.raised(twin.lower, best + constant)
        assert least - constant <= self.optimum + self.near
        assert text.claim("costs less than #", least, -1)
        assert text.take("best one found costs #", best + constant)

    # -- what is claimed at any of them ---------------------------------------------------------------------------

    def proof(self, text: Text, event: bc.Event) -> None:
        """A proof is claimed only where the labelling is optimal, and the engine says so."""
        k, proven = event.index, self.columns["proven"][event.index]
        assert bool(self.columns["why"][k]) == proven
        assert proven or "optimal" not in text.text
        if proven:
            assert self.best(k) - self.optimum <= max(self.engine.margin.negligible, self.near)
        if event.kind >= Kind.MESSAGE and proven and not (k and self.columns["proven"][k - 1]):
            assert proves(self.engine) or settled(self.engine)
            assert text.text.endswith("the best labelling is optimal.")
            text.take("differ by multiples of #", self.engine.margin.lattice.step)
        assert (ending(self.engine) == "closed") == (self.engine.status == Status.GAP_CLOSED and proves(self.engine))

    def decided(self, text: Text, event: bc.Event) -> None:
        """Labellings with another value of what is decided cost no less, by all labellings."""
        k = event.index
        for name, value in re.findall(r"\b([a-l]) = ([01])", text.text):
            with_other = naive.bits(self.engine.mrf.n)[:, LETTERS.lower().index(name)] != int(value)
            assert self.energies[with_other].min() >= self.best(k) - max(self.engine.margin.negligible, self.near)
            text.take_state(rf"\b{name} = ([01])", value)
        text.take(r"and # more", int((re.search(r"and (\d+) more", text.text) or [0, 0])[1]))
        text.claim("to within #", self.engine.margin.negligible, 1)

    def bounds(self, event: bc.Event) -> None:
        """LB and UB are the certified bound and the energy of the labelling; what LB leaves possible is true."""
        k, constant = event.index, self.engine.mrf.constant
        twin = self.at(k)
        assert self.columns["upper"][k] == pytest.approx(self.best(k) + constant, abs=self.near)
        if event.kind >= Kind.MESSAGE:
            assert self.columns["lower"][k] == pytest.approx(twin.lower, abs=10 * self.near)
        assert self.columns["lower"][k] - self.near <= self.columns["least"][k] <= self.optimum + constant + self.near


@pytest.fixture(
    scope="module", params=thinned(MODELS, 8), ids=lambda model: f"v{model.variant}-{model.schedule}-{model.seed}"
)
def walk(request: pytest.FixtureRequest) -> Walk:
    return Walk(request.param)


def test_every_number_that_is_said_is_right_at_its_event(walk: Walk) -> None:
    rng = np.random.default_rng(walk.model.seed)
    events = len(walk.columns["kind"])
    chosen = {0, events - 1, *rng.integers(0, events, EVENTS).tolist()}
    seen = sum(walk.check(k) for k in sorted(chosen))
    assert seen > len(chosen)


def test_a_floor_below_the_bound_at_the_first_update_is_said_to_be_the_fault_of_rows() -> None:
    """All messages are 0 then: none can have changed since rows were made."""
    walk = Walk(MODELS[0])
    twin = walk.at(0)
    assert not any(table.any() for table in twin.lam.values())
    assert twin.ground(walk.engine.trace[0].node).min() < twin.lower - 0.1
    said = walk.columns["sentence"][0]
    assert "less than the lower bound, so its rows are too low there" in said
    assert "changed" not in said


def test_the_formula_of_an_event_has_its_numbers(walk: Walk) -> None:
    rng = np.random.default_rng(walk.model.seed)
    trace, engine = walk.engine.trace, walk.engine
    for k in sorted({0, *rng.integers(0, len(trace), EVENTS).tolist()}):
        event, twin = trace[k], walk.at(k)
        text = Text(explain(event, engine.graph, engine.variant, engine.settings.schedule).formula, walk.near)
        if event.kind == Kind.NODE_OPENED:
            assert text.take("= #  at y", twin.ground(event.node).min())
        elif event.kind == Kind.ORACLE and event.depth == 0:
            exact, low = (twin.ground(event.node, exact=sort)[event.state] for sort in (True, False))
            if event.arc < 0:
                assert text.take(r"g\(y\*\) = # = exact cost", exact)
            else:
                assert text.take(r"= # \+ # = #$", low, exact - low, exact)
        elif event.kind == Kind.ROW:
            sender = engine.graph.ends(event.arc)[1]
            nu, low = (
                each[event.state]
                for each in (twin.nu(event.node, sender), Twin(engine, twin.rows - 1).below(event.node, sender))
            )
            assert text.take(r": # → β⁰ − Σ uᵢ\(y\*ᵢ\) = # = ν", low, nu)
        elif event.kind == Kind.MESSAGE:
            assert text.take("LB: # → #", walk.at(k - 1).lower, twin.lower)
        else:
            continue
        text.text = re.sub(r"/ \d+", "", text.text)
        text.is_empty()
