"""The refusals of an engine, in one sentence each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import bender_core as bc
from bender_core import memory
from bender_core.costs.fit import required_bytes
from tests.unit.engines import (
    every_variant,
    glassy,
    sample,
)


@every_variant
def test_states_that_do_not_exist_are_refused(variant: int) -> None:
    """Compiled code would read beyond the tables."""
    engine = bc.Engine(*glassy(), variant)
    p, q = engine.graph.edges[0]
    for state in (-1, 1 << len(engine.partition.groups[p])):
        with pytest.raises(ValueError, match="state"):
            engine.min_marginal(p, q, [state])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"variant": 0}, "there is no variant 0; choose one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"),
        ({"schedule": "zigzag"}, "there is no schedule 'zigzag'"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"max_sweeps": 0}, "max_sweeps"),
        ({"max_sweeps": 2**70}, f"max_sweeps is {2**70}; allow 1 to {2**63 - 1} sweeps"),
        ({"deepest": 0}, "deepest is 0; an envelope can be tight at 1 to 1073741824 states"),
        ({"deepest": 2**70}, f"deepest is {2**70}; an envelope can be tight at 1 to 1073741824 states"),
    ],
)
def test_unknown_names_and_numbers_are_refused(arguments: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bc.Engine(*glassy(n=4), **arguments)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda engine: engine.step("x"), "there is no grain 'x'; choose one of event, row, round, node, sweep"),
        (lambda engine: engine.min_marginal(0, 1, [1.5]), "give whole numbers from 0 to 7"),
        (lambda engine: engine.min_marginal(0, 1, [2**70]), "give whole numbers from 0 to 7"),
        (lambda engine: engine.tightness(0), "judge by one state at least"),
        (lambda engine: engine.incoming(-1), "there is no arc -1; there are 6, numbered from 0"),
        (lambda engine: engine.incoming(10**12), "there is no arc 1000000000000"),
        (lambda engine: engine.incoming(2**70), f"there is no arc {2**70}"),
        (lambda engine: bc.Account(-5), "the limit is -5 bytes; it must not be negative"),
        (
            lambda engine: bc.Engine(engine.mrf, engine.partition, start=bc.Engine(*glassy(n=9, seed=5))),
            "another model",
        ),
        (lambda engine: bc.Engine(engine.mrf, engine.partition, start=bc.Engine(*glassy(n=6))), "another model"),
    ],
)
def test_invalid_settings_give_one_sentence(call: Callable[[bc.Engine], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call(bc.Engine(*glassy(n=9)))


@pytest.mark.parametrize(
    "call",
    [
        lambda engine: engine.seek(1.5),
        lambda engine: engine.run(max_work=0.5),
        lambda engine: engine.run(max_sweeps=1.5),
        lambda engine: engine.incoming(1.5),
        lambda engine: bc.Engine(engine.mrf, engine.partition, max_sweeps=1.5),
        lambda engine: bc.Engine(engine.mrf, engine.partition, deepest=1.5),
        lambda engine: bc.what_if(engine, 0, 1, 1.5),
        lambda engine: bc.Account(1e9),
    ],
)
def test_counts_must_be_integers(call: Callable[[bc.Engine], object]) -> None:
    engine = bc.Engine(*glassy(n=9))
    engine.run()
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        call(engine)


def test_limits_may_be_larger_than_any_machine() -> None:
    engine = bc.Engine(*glassy(n=9), limit=2**70)
    assert engine.run(max_work=2**80)
    engine.seek(np.int64(3))
    assert engine.position == 3
    engine.run(max_events=-(2**70))
    assert engine.position == 3


def test_an_envelope_may_be_tight_everywhere() -> None:
    """Its scratch is charged, and no larger than the number of states."""
    mrf, part = glassy(n=12)
    deep, usual = bc.Engine(mrf, part, deepest=2**30), bc.Engine(mrf, part, deepest=1)
    states = 1 << part.max_size
    assert len(deep._work.visited) == states
    assert deep.account.used - usual.account.used == memory.WORD * (states - 1)
    assert deep.run()
    assert deep.certified_bound() >= usual.lower_bound


def test_a_run_continues_one_of_an_equal_model() -> None:
    mrf, part = glassy(n=9)
    first = bc.Engine(mrf, part)
    first.run()
    again = bc.BinaryMRF(mrf.unary, mrf.edges, mrf.pairwise, mrf.constant, name="again")
    assert bc.Engine(again, part, start=first).lower_bound == first.lower_bound


@every_variant
@pytest.mark.parametrize("megabytes", [1, 8])
def test_a_choice_that_does_not_fit_is_refused_with_one_that_would(variant: int, megabytes: int) -> None:
    mrf = sample("karate")
    limit = megabytes << 20
    parts = {max_size: bc.partition(mrf, max_size, "greedy") for max_size in range(1, 31)}
    fit = [size for size, part in parts.items() if required_bytes(mrf, part, variant) <= limit]
    # At M = 30 nothing is allocated before the refusal, or it would not come back.
    for max_size in (max(fit) + 1, 30):
        with pytest.raises(bc.TooLargeError) as refused:
            bc.Engine(mrf, parts[max_size], variant, limit=limit)
        assert f"M = {refused.value.fits} would fit" in str(refused.value)
        assert f"groups of up to {parts[max_size].max_size} variables need" in str(refused.value)
        assert (refused.value.fits, refused.value.limit) == (max(fit), limit)
        assert refused.value.needed == required_bytes(mrf, parts[max_size], variant) > limit
    # What fits is not refused, and takes no more than was said.
    engine = bc.Engine(mrf, parts[max(fit)], variant, limit=limit)
    held = engine._problem, engine._state, engine._work, engine._rows.view, engine._events.view
    assert sum(map(memory.nbytes, held)) <= engine.account.used <= limit
