"""The refusals of an engine, in one sentence each."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from bender_core.engine import memory
from bender_core.engine.memory_needed import required_bytes
from tests.unit.engines import (
    every_variant,
    glassy,
    sample,
)


@every_variant
def test_states_that_do_not_exist_are_refused(variant: int) -> None:
    """Compiled code would read beyond the tables."""
    engine = bc.Engine(*glassy(), variant=variant)
    p, q = engine.graph.edges[0]
    for state in (-1, 1 << len(engine.partition.groups[p])):
        with pytest.raises(ValueError, match="state"):
            looking.min_marginal(engine, p, q, [state])


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
        (lambda engine: looking.min_marginal(engine, 0, 1, [1.5]), "give whole numbers from 0 to 7"),
        (lambda engine: looking.min_marginal(engine, 0, 1, [2**70]), "give whole numbers from 0 to 7"),
        (lambda engine: looking.tightness(engine, 0), "judge by one state at least"),
        (lambda engine: looking.incoming(engine, -1), "there is no arc -1; arcs are numbered 0 to 5"),
        (lambda engine: looking.incoming(engine, 10**12), "there is no arc 1000000000000"),
        (lambda engine: looking.incoming(engine, 2**70), f"there is no arc {2**70}"),
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
        lambda engine: bc.Engine(engine.mrf, engine.partition, max_sweeps=1.5),
        lambda engine: bc.Engine(engine.mrf, engine.partition, deepest=1.5),
        lambda engine: bc.Account(1e9),
    ],
)
def test_counts_must_be_integers(call: Callable[[bc.Engine], object]) -> None:
    engine = bc.Engine(*glassy(n=9))
    engine.run()
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        call(engine)


# Valid arguments of methods that take numbers of things, and how many there are: of a run of three groups of three.
VALID = {"p": 0, "q": 1, "state": 0, "arc": 0, "index": 0, "receiver": 0, "sender": 1, "nu": 0.0, "below": 0.0}
# These take more than a run and numbers.
OF_MORE = ("anatomy", "history")
COUNTS = {"p": 3, "q": 3, "state": 8, "arc": 6, "index": 3, "receiver": 3, "sender": 3}
NUMBERED = [
    (owner, name, parameter)
    for owner in (looking, bc.HyperGraph)
    for name, function in inspect.getmembers(owner, inspect.isfunction)
    if not name.startswith("_") and name not in OF_MORE
    for parameter in inspect.signature(function).parameters
    if parameter in COUNTS
]


@pytest.fixture(scope="module")
def looked_at() -> dict[int, bc.Engine]:
    made = {variant: bc.Engine(*glassy(n=9), variant=variant, excluding=True) for variant in (9, 12)}
    for engine in made.values():
        engine.run(max_sweeps=1)
    return made


@pytest.mark.parametrize("variant", [9, 12])
@pytest.mark.parametrize(("owner", "name", "parameter"), NUMBERED)
def test_numbers_of_what_is_not_there_are_refused_everywhere(
    owner: object, name: str, parameter: str, variant: int, looked_at: dict[int, bc.Engine]
) -> None:
    """An array would take -1 for the last one, and compiled code would read beyond the tables."""
    engine = looked_at[variant]
    method = partial(getattr(looking, name), engine) if owner is looking else getattr(engine.graph, name)
    wanted = inspect.signature(method).parameters
    valid = {key: value for key, value in VALID.items() if key in wanted}
    count = engine.n_rows if name == "row" else COUNTS[parameter]
    kinds = {"p": "group", "q": "group", "receiver": "group", "sender": "group", "index": "row"}
    what = kinds.get(parameter, parameter)
    if count:
        method(**valid)
    for number in (-1, count, 2**70):
        with pytest.raises(ValueError, match=f"there is no {what} {number}; (there are no )?{what}s"):
            method(**valid | {parameter: number})
    for number in (0.0, 0.5, "0", None, True):
        with pytest.raises(ValueError, match=f"there is no {what} {number!r}; (there are no )?{what}s"):
            method(**valid | {parameter: number})
    if count:
        method(**valid | {parameter: np.int64(valid[parameter])})


def test_what_takes_numbers_is_found() -> None:
    found = {name for _, name, _ in NUMBERED}
    assert len(found) >= 20
    assert {"ground", "excess", "is_tight", "answers", "ends"} <= found


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda engine: engine.graph.states(np.array([0])), "a labelling has 9 whole numbers below 2; this is "),
        (lambda engine: engine.graph.states(np.full(9, 2)), "a labelling has 9 whole numbers below 2; this is "),
        (lambda engine: engine.graph.labeling([0, 0, 8]), "a joint state has 3 whole numbers below 8; this is "),
        (lambda engine: engine.graph.labeling([0, 0, -1]), "a joint state has 3 whole numbers below 8; this is "),
        (lambda engine: engine.partition.describe(3, 0), "there is no group 3; groups are numbered 0 to 2"),
        (lambda engine: engine.partition.describe(-1, 0), "there is no group -1; groups are numbered 0 to 2"),
        (lambda engine: engine.partition.describe(0, 8), "there is no state 8; states are numbered 0 to 7"),
        (lambda engine: engine.partition.describe(0, 0.5), "there is no state 0.5; states are numbered 0 to 7"),
        (lambda engine: bc.what_if(engine, 0, 1, 0.5), "there is no state 0.5; states are numbered 0 to 7"),
        (lambda engine: bc.what_if(engine, 0, 1, 8), "there is no state 8; states are numbered 0 to 7"),
        (
            lambda engine: looking.step_ended(engine, "x"),
            "there is no grain 'x'; choose one of event, row, round, node, sweep",
        ),
        (lambda engine: engine.trace.stops("x"), "there is no grain 'x'; choose one of event, row, round, node, sweep"),
        (lambda engine: engine.trace.column("index"), "there is no column 'index'; choose one of kind, sweep, "),
        (lambda engine: engine.trace.column("kind", -1), "there is no event -1; events are numbered from 0"),
        (lambda engine: looking.tension(engine, [[0], [0, 1]]), "a labelling has 9 entries, each 0 or 1; got "),
        (lambda engine: engine.fork(partition="x"), "the partition is of type str; give what partition or manual "),
        (lambda engine: engine.fork(rows=[(0, 1, 0, 0)]), "(0, 1, 0, 0) is no row; give RowAt(receiver, sender, "),
        (lambda engine: engine.fork(rows=5), "5 is no row; give RowAt(receiver, sender, state, kind) with one of RMC"),
        (lambda engine: engine.fork(rows=[bc.RowAt(0, 1, 0, 9)]), "kind=9) is no row; give RowAt("),
        (lambda engine: engine.fork(merge=[(0,)]), "[(0,)] are no pairs of groups; give a list such as [(0, 1)]"),
        (lambda engine: engine.fork(merge=5), "5 are no pairs of groups; give a list such as [(0, 1)]"),
        (lambda engine: engine.fork(merge=[(0, 3)]), "there is no group 3; groups are numbered 0 to 2"),
        (lambda engine: engine.mrf.energy([0] * 8 + [2]), "a labelling has 9 entries, each 0 or 1; entry 8 is 2"),
        (lambda engine: looking.ground(engine, 10**400), "there is no group 1000"),
        (lambda engine: engine.run(time_limit="5"), "the time limit is '5'; it must be a number of seconds"),
        (lambda engine: bc.certify(engine.mrf, "3"), "M is '3'; choose a whole number from 1 to 30"),
        (lambda engine: bc.partition(engine.mrf, 2.5), "M is 2.5; choose a whole number from 1 to 30"),
        (lambda engine: bc.Engine(engine.mrf, "x"), "the partition is of type str; give what partition or manual "),
    ],
)
def test_arguments_of_another_kind_give_one_sentence(
    call: Callable[[bc.Engine], object], said: str, looked_at: dict[int, bc.Engine]
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        call(looked_at[9])


@pytest.mark.parametrize(
    "take",
    [
        bc.solve,
        bc.certify,
        bc.partition,
        bc.to_normal_form,
        bc.search,
        bc.reference,
        lambda mrf: bc.auto(mrf, 3),
        lambda mrf: bc.pursuit(mrf, 3),
        lambda mrf: bc.manual(mrf, [[0]]),
        lambda mrf: bc.save(mrf, "never written"),
        lambda mrf: bc.Engine(mrf, glassy(n=4)[1]),
        lambda mrf: bc.HyperGraph(mrf, glassy(n=4)[1]),
        lambda mrf: bc.required_bytes(mrf, glassy(n=4)[1], 9),
    ],
)
def test_what_is_no_model_gives_one_sentence(take: Callable[[object], object]) -> None:
    for given, kind in ((None, "NoneType"), ("pose", "str")):
        with pytest.raises(bc.ModelError, match=f"the model is of type {kind}; give a BinaryMRF, such as load returns"):
            take(given)


@pytest.mark.parametrize("given", [None, 5, ["a"]])
def test_what_is_no_file_gives_one_sentence(given: object) -> None:
    with pytest.raises(bc.FormatError, match=f"the file is of type {type(given).__name__}; give a path, or the conte"):
        bc.load(given)


@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_run_is_not_copied(take: Callable[[object], object], looked_at: dict[int, bc.Engine]) -> None:
    """A shallow copy would share the arrays, and charge nothing."""
    with pytest.raises(TypeError, match="a run is not copied or pickled; keep its model, groups and settings, and "):
        take(looked_at[9])


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
    states = 1 << part.largest
    assert len(deep.arrays.work.visited) == states
    assert deep.account.used - usual.account.used == memory.WORD * (states - 1)
    assert deep.run()
    assert looking.certified_bound(deep) >= usual.lower_bound


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
            bc.Engine(mrf, parts[max_size], variant=variant, limit=limit)
        assert f"M = {refused.value.fits} would fit" in str(refused.value)
        assert f"groups of up to {parts[max_size].largest} variables need" in str(refused.value)
        assert (refused.value.fits, refused.value.limit) == (max(fit), limit)
        assert refused.value.needed == required_bytes(mrf, parts[max_size], variant) > limit
    # What fits is not refused, and takes no more than was said.
    engine = bc.Engine(mrf, parts[max(fit)], variant=variant, limit=limit)
    held = (
        engine.arrays.problem,
        engine.arrays.state,
        engine.arrays.work,
        engine.arrays.rows.view,
        engine.arrays.events.view,
    )
    assert sum(map(memory.nbytes, held)) <= engine.account.used <= limit
