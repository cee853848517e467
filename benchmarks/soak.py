"""Random user actions for a long time: ``BENDER_MEMORY_MB=256 python -m benchmarks.soak --seconds 1800``.

Half of the time goes to the library and half to the app's pages (without a browser). Models, partitions and settings
are drawn at random, then stepped through, run, rewound, inspected, raced, exported and stopped. Checked throughout:
every error is one clear sentence, every bound is at most the optimum and equals its certificate, no run exceeds its
account, and the process stops growing after its first minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import bender_core as bc
from bender_core import looking, synth
from bender_core.experiments import Limits
from bender_core.experiments.lane import Entry, Lane
from bender_core.experiments.race import Race
from bender_core.groups import merge, split
from bender_core.io import dump_labeling
from bender_core.io.samples import sample_names
from bender_core.resources import APP
from bender_core.strategies import applicable_rules
from bender_core.trying.lineage import Lineage
from bender_core.trying.script import as_script
from bender_core.units import storage

# The most variables for which all labellings are tried to find the optimum.
TRIED = 20
# Growth of the whole process allowed after its first part, for allocators and caches.
GROWTH = 1.15
# The fewest rounds by which growth is judged.
ROUNDS = 20
EXPECTED = (bc.ModelError, bc.PartitionError, bc.FormatError, bc.TooLargeError)


class SoakError(AssertionError):
    """A check failed; the message says which, and how to reproduce it."""


def resident() -> int:
    """Bytes of the process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def optimum(mrf: bc.BinaryMRF) -> float:
    """The least energy if there are few enough labellings to try them all; otherwise infinite."""
    if not 0 < mrf.n <= TRIED:
        return np.inf
    one = bc.manual(mrf, [range(mrf.n)])
    graph = bc.HyperGraph(mrf, one)
    return mrf.energy(graph.labeling(np.array([graph.problem.phi.argmin()])))


class Library:
    """A user of the library.

    Parameters
    ----------
    rng : Random
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.account = bc.Account()
        self.load()

    def act(self) -> str:
        """Do a random action; returns its name."""
        actions: list[tuple[int, Callable[[], None]]] = [
            (2, self.load),
            (3, self.cut),
            (8, self.step),
            (6, self.run),
            (6, self.seek),
            (2, self.what_if),
            (4, self.look),
            (1, self.race),
            (2, self.export),
            (2, self.edit),
        ]
        (chosen,) = self.rng.choices([action for _, action in actions], [weight for weight, _ in actions])
        chosen()
        self.check()
        return chosen.__name__

    def load(self) -> None:
        """A sample, or a model of a random family of random size."""
        rng = self.rng
        if rng.random() < 0.3:
            self.mrf = bc.sample(rng.choice(sample_names()))
        else:
            family = rng.choice(list(synth.FAMILIES.values()))
            values = {}
            for parameter in family.parameters:
                if parameter.name == "seed":
                    values["seed"] = rng.randrange(1000)
                elif type(parameter.default) is int:
                    low, high = int(parameter.low), int(min(parameter.high, 2 * parameter.default))
                    values[parameter.name] = rng.randint(low, max(low, high))
            try:
                self.mrf = synth.generate(family.name, **values)
            except bc.ModelError:
                self.mrf = synth.generate(family.name)
        self.best = optimum(self.mrf)
        self.cut()

    def cut(self) -> None:
        """A partition and a run on it; a refused one is retried with the M that would fit."""
        rng, mrf = self.rng, self.mrf
        size = rng.choice([1, 2, 3, 5, 8, 10, 12, 14])
        self.part = bc.partition(mrf, size, rng.choice(applicable_rules(mrf)))
        self.begin()

    def begin(self) -> None:
        """A run on the partition."""
        self.engine = None
        for _ in range(2):
            try:
                self.engine = bc.Engine(
                    self.mrf,
                    self.part,
                    variant=self.rng.choice([4, 4, 9, 9, *bc.VARIANTS]),
                    schedule=self.rng.choice(["mplp", "srmp"]),
                    limit=self.account,
                )
                return
            except bc.TooLargeError as error:
                if not error.fits:
                    self.part = bc.partition(self.mrf, 1, "singletons")
                else:
                    self.part = bc.partition(self.mrf, error.fits, self.part.strategy)

    def step(self) -> None:
        """A few steps, some of them left in the middle."""
        if self.engine is not None:
            for _ in range(self.rng.randint(1, 20)):
                leave = self.rng.random() < 0.2
                grain: bc.Grain = self.rng.choice(["event", "row", "node"])
                self.engine.step(grain, on_progress=(lambda _: True) if leave else None)

    def run(self) -> None:
        """For a moment."""
        if self.engine is not None:
            self.engine.run(time_limit=self.rng.choice([0.0, 0.1, 0.5]))

    def seek(self) -> None:
        """Back or forward; not always all the way."""
        if self.engine is not None:
            ends = time.perf_counter() + 1.0
            self.engine.seek(self.rng.randint(0, len(self.engine.trace)), lambda _: time.perf_counter() > ends)

    def what_if(self) -> None:
        """The four cuts at a state."""
        if self.engine is not None and len(self.engine.graph.edges):
            p, q = self.rng.choice(self.engine.graph.edges.tolist())
            with contextlib.suppress(bc.TooLargeError):
                bc.what_if(self.engine, p, q, self.rng.randrange(1 << len(self.part.groups[p])))

    def look(self) -> None:
        """The certificate, and all inspections of a message."""
        engine = self.engine
        if engine is None:
            return
        close = 1e-9 * (1.0 + abs(engine.lower_bound) + engine.graph.problem.scale)
        try:
            found = looking.certified_bound(engine, bc.Stop(2.0))
            if abs(found - engine.lower_bound) > close:
                raise SoakError(f"the bound is {engine.lower_bound!r}, its certificate {found!r}")
            for p, q in engine.graph.edges[:3].tolist():
                if (
                    looking.envelope(engine, p, q) > looking.min_marginal(engine, p, q, stop=bc.Stop(2.0)) + close
                ).any():
                    raise SoakError(f"the envelope of {q} -> {p} exceeds the min-marginal")
                looking.rows(engine, p, q)
        except (bc.Stopped, bc.TooLargeError):
            pass

    def race(self) -> None:
        """Two runs that take turns for a moment."""
        entries = [Entry(self.mrf, self.part, self.part.largest, variant, "mplp") for variant in (4, 12)]
        room = Limits(seconds=0.2, megabytes=self.account.free >> 21)
        lanes = [Lane(entry, room, account=self.account) for entry in entries]
        race = Race(lanes)
        try:
            while not race.finished:
                race.advance()
        except bc.TooLargeError:
            pass
        for lane in lanes:
            lane.end()

    def export(self) -> None:
        """Everything that can be exported."""
        engine = self.engine
        if engine is None:
            return
        trace = engine.trace.until(2000)
        trace.to_csv(), trace.to_parquet()
        dump_labeling(self.mrf, engine.labeling, "json")
        as_script(Lineage.of(engine, self.part.largest), "mrf", engine.position)
        with tempfile.TemporaryDirectory() as folder:
            bc.save(self.mrf, Path(folder) / "model.mrf.json")

    def edit(self) -> None:
        """Merge two groups, or split one."""
        if len(self.part) < 2:
            return
        p, q = self.rng.sample(range(len(self.part)), 2)
        try:
            if len(self.part.groups[p]) + len(self.part.groups[q]) <= 14:
                self.part = merge(self.part, p, q)
            else:
                self.part = split(self.part, p)
        except bc.PartitionError:
            return
        self.begin()

    def check(self) -> None:
        """Check the invariants."""
        engine = self.engine
        if engine is None:
            return
        close = 1e-9 * (1.0 + abs(engine.upper_bound) + engine.graph.problem.scale)
        self.best = min(self.best, self.mrf.energy(engine.labeling))
        if engine.lower_bound > self.best + close or looking.rounded_bound(engine) > self.best + close:
            raise SoakError(f"the bound {engine.lower_bound!r} exceeds the energy {self.best!r} of a labelling")
        if self.account.used > self.account.limit:
            raise SoakError(f"{self.account.used} bytes are charged, the limit is {self.account.limit}")


class App:
    """A user of the app.

    Parameters
    ----------
    rng : Random
    """

    PAGES = ("instance", "partition", "watch", "edge", "compare", "learn", "method")

    def __init__(self, rng: random.Random) -> None:
        import pytest
        from streamlit.testing.v1 import AppTest

        from tests.app.conftest import run_through_app

        run_through_app(pytest.MonkeyPatch())
        self.rng = rng
        self.test = AppTest.from_file(str(APP / "app.py"), default_timeout=120)
        self.page("watch")

    def act(self) -> str:
        """Do a random action; returns its name."""
        if self.rng.random() < 0.35:
            return self.page(self.rng.choice(self.PAGES))
        return self.press()

    def page(self, name: str) -> str:
        """Go to a page."""
        self.test.switch_page(f"pages/{name}.py").run()
        self.check()
        return f"page {name}"

    def press(self) -> str:
        """Press, choose or move one of the page's widgets."""
        test, rng = self.test, self.rng
        presses: list[Callable[[], object]] = [button.click for button in test.button if not button.disabled]
        for box in test.selectbox:
            if box.options and not box.disabled:
                presses.append(partial(box.select_index, rng.randrange(len(box.options))))
        for radio in test.radio:
            if not radio.disabled:
                presses.append(partial(radio.set_value, rng.choice(radio.options)))
        for slider in test.slider:
            if not slider.disabled and isinstance(slider.value, int):
                presses.append(partial(slider.set_value, rng.randint(slider.min, min(slider.max, 12))))
        for toggle in (*test.toggle, *test.checkbox):
            if not toggle.disabled:
                presses.append(partial(toggle.set_value, rng.random() < 0.5))
        if presses:
            rng.choice(presses)()
            test.run()
            self.check()
        return "press"

    def check(self) -> None:
        """Check the invariants."""
        if self.test.exception:
            raise SoakError(f"the page threw {self.test.exception[0].message}: {self.test.exception[0].stack_trace}")
        if "lab" in self.test.session_state:
            engine = self.test.session_state.lab.run.engine
            if engine.lower_bound > engine.upper_bound + 1e-9 * (1.0 + engine.graph.problem.scale):
                raise SoakError(f"the bound {engine.lower_bound!r} exceeds {engine.upper_bound!r}")


def soak(seconds: float, seed: int) -> None:
    """Act until the time limit.

    Raises
    ------
    SoakError
    """
    begin, told = time.perf_counter(), time.perf_counter()
    sizes: list[tuple[float, int]] = []
    count: Counter[str] = Counter()
    round_number = 0
    while (now := time.perf_counter() - begin) < seconds:
        rng = random.Random(f"{seed}-{round_number}")
        share = min(20.0, seconds / 4)
        for make in (Library, App):
            person, ends = make(rng), time.perf_counter() + share / 2
            try:
                while time.perf_counter() < ends:
                    count[f"{make.__name__} {person.act()}"] += 1
            except EXPECTED as error:
                raise SoakError(f"seed {seed}, round {round_number}: {type(error).__name__}: {error}") from error
            except SoakError as error:
                raise SoakError(f"seed {seed}, round {round_number}: {error}") from error
            del person
            gc.collect()
        sizes.append((now, resident()))
        round_number += 1
        if time.perf_counter() - told > 60.0:
            told = time.perf_counter()
            print(f"{now:6.0f} s  {sum(count.values())} actions  {storage(sizes[-1][1])} resident", flush=True)
    settled = [size for when, size in sizes if when > seconds / 4]
    # In a few rounds libraries are still being loaded.
    if len(settled) >= ROUNDS:
        half = len(settled) // 2
        before, after = max(settled[:half]), max(settled[half:])
        print(f"largest at the end of a round: {storage(before)} in the first half, {storage(after)} in the second")
        if after > GROWTH * before:
            raise SoakError(f"the process grew from {storage(before)} to {storage(after)}")
    print(f"{sum(count.values())} actions in {round_number} rounds, nothing wrong:")
    print(", ".join(f"{name} {number}" for name, number in count.most_common()))


def main() -> int:
    """Run from the command line; exit 1 if a check fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    bc.warm_up()
    try:
        soak(options.seconds, options.seed)
    except SoakError as error:
        print(f"wrong: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
