"""What each part of a proof buys: the same proofs without it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import chain, islice
from unittest.mock import patch

import bender_core as bc
from benchmarks.common import Options, table
from benchmarks.proving.models import Named, glasses, instances, large_glasses, poses, qubos
from bender_core.cycles import covering, packing
from bender_core.cycles.packing import Packing
from bender_core.engine import carrying
from bender_core.forms.reduction import Reduction
from bender_core.groups import Partition
from bender_core.labelings import improving
from bender_core.strategies.packing import what_is_left
from bender_core.trying import policy
from bender_core.trying.cycles import Cycles

LIMIT = 30.0


def _as_they_are(reduced: Reduction, part: Partition, _: int) -> Partition:
    """The groups of what is left, not united."""
    return what_is_left(part, reduced)


Ways = dict[str, Callable[[], AbstractContextManager[object]]]
WITHOUT: Ways = {
    "all": nullcontext,
    "early": lambda: patch.object(policy, "LOOK", math.inf),
    "carrying": lambda: patch.multiple(carrying, _carry_messages=_nothing, _carry_exclusions=_nothing),
    "small M": lambda: patch.object(policy, "SMALL", policy.LARGEST),
    "uniting": lambda: patch.object(policy, "packed", _as_they_are),
    "cuts": lambda: patch.object(policy, "PATIENCE", 0),
    "searches": lambda: patch.multiple(improving, SHARE=0.0, LEAST=0),
}


def _only(method: str) -> Callable[[], AbstractContextManager[object]]:
    """A proof by one method alone."""
    return lambda: patch.object(bc, "certify", partial(bc.certify, method=method))


WITHOUT_OF_CYCLES: Ways = {
    "both": nullcontext,
    "groups": _only("groups"),
    "cycles": _only("cycles"),
    "read off": lambda: patch.object(Packing, "_improving", lambda *_: iter(())),
    "mean": lambda: patch.multiple(packing, DECODED=0, PERTURBATION=0.0),
    "perturbed": lambda: patch.object(covering, "LONG", math.inf),
    "dropping": lambda: patch.object(Packing, "_drop_idle", _nothing),
    "reducing": lambda: patch.object(Cycles, "facts", _nothing),
}


def run(options: Options) -> None:
    """Print two tables, each with how many models are proven without each part."""
    limit = options.seconds(LIMIT)
    print("Processor seconds to the proof with all parts, and without one: reducing before a round stalls, messages")
    print("that go on, small groups first, united groups, trials of other cuts, searches for labellings.")
    print(f"Where nothing is proven within {limit:g} s of the processor, the gap in percent.")
    _table(WITHOUT, _models(options), limit)
    print("The same by groups and cycles, by one of them, and without a part of the cycles: labellings read off the")
    print("linear program, or off its mean, costs perturbed where it takes long, dropping idle rows, and reducing the")
    print("model by what cycles decide.")
    _table(WITHOUT_OF_CYCLES, _sparse(options), limit)


def _table(without: Ways, models: Iterable[Named], limit: float) -> None:
    """Print how far proofs come without each part."""
    row = table({"model": -26, "n": 4} | dict.fromkeys(without, 9))
    proven, seconds = dict.fromkeys(without, 0), dict.fromkeys(without, 0.0)
    for name, mrf in models:
        said = []
        for part, leave_out in without.items():
            begin = time.process_time()
            with leave_out():
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


def _nothing(*_: object, **__: object) -> None:
    """In place of what goes along from one round to the next."""


def _sparse(options: Options) -> Iterator[Named]:
    return chain(glasses(), islice(large_glasses(), 6), qubos(50, 100), instances(options))


def _models(options: Options) -> Iterator[Named]:
    return chain(poses(30, 40), islice(poses(60), 1), islice(glasses(), 4), qubos(50, 100), instances(options))
