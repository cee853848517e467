"""What each part of a proof buys: the same proofs without it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import chain, islice
from unittest.mock import patch

import bender_core as bc
from benchmarks.common import Options, table
from benchmarks.proving.models import Named, glasses, instances, poses, qubos
from bender_core.engine import carrying
from bender_core.forms.reduction import Reduction
from bender_core.groups import Partition
from bender_core.labelings import improving
from bender_core.strategies.packing import what_is_left
from bender_core.trying import policy

LIMIT = 30.0


def _as_they_are(reduced: Reduction, part: Partition, _: int) -> Partition:
    """The groups of what is left, not united."""
    return what_is_left(part, reduced)


WITHOUT: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "all": nullcontext,
    "early": lambda: patch.object(policy, "LOOK", math.inf),
    "carrying": lambda: patch.multiple(carrying, _carry_messages=_nothing, _carry_exclusions=_nothing),
    "small M": lambda: patch.object(policy, "SMALL", policy.LARGEST),
    "uniting": lambda: patch.object(policy, "packed", _as_they_are),
    "cuts": lambda: patch.object(policy, "PATIENCE", 0),
    "searches": lambda: patch.multiple(improving, SHARE=0.0, LEAST=0),
}


def run(options: Options) -> None:
    """Print one table, and how many models are proven without each part."""
    limit = options.seconds(LIMIT)
    print("Processor seconds to the proof with all parts, and without one: reducing before a round stalls, messages")
    print("that go on, small groups first, united groups, trials of other cuts, searches for labellings.")
    print(f"Where nothing is proven within {limit:g} s of the processor, the gap in percent.")
    row = table({"model": -26, "n": 4} | dict.fromkeys(WITHOUT, 9))
    proven, seconds = dict.fromkeys(WITHOUT, 0), dict.fromkeys(WITHOUT, 0.0)
    for name, mrf in _models(options):
        said = []
        for part, without in WITHOUT.items():
            begin = time.process_time()
            with without():
                found = bc.certify(mrf, stop=_after(limit))
            spent = time.process_time() - begin
            proven[part] += found.optimal
            seconds[part] += spent
            gap = (found.upper_bound - found.lower_bound) / max(abs(found.upper_bound), 1e-9)
            said.append(f"{spent:.2f} s" if found.optimal else f"{gap:.2%}")
        row(name, mrf.n, *said)
    row("proven", "", *proven.values())
    row("seconds together", "", *(f"{spent:.1f}" for spent in seconds.values()))
    print()


def _after(seconds: float) -> bc.Stop:
    """A stop after so much time of the processor."""
    end = time.process_time() + seconds
    return bc.Stop(requested=lambda: time.process_time() > end)


def _nothing(*_: object) -> None:
    """In place of what goes along from one round to the next."""


def _models(options: Options) -> Iterator[Named]:
    return chain(poses(30, 40), islice(poses(60), 1), islice(glasses(), 4), qubos(50, 100), instances(options))
