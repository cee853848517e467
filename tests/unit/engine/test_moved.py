"""Names of an engine that have changed: each works as it did, and says what replaces it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import bender_core as bc
from bender_core import looking
from tests.unit.engines import glassy

# What an engine offered before looking became functions, besides what it still has.
FORMERLY = (
    *("alive", "answers", "asked", "attribution", "bound_excess", "certificate", "certified_bound", "charged"),
    *("decoded_bound", "deepest", "edge_tension", "envelope", "excess", "excluding", "ground", "ground_parts", "held"),
    *("improving", "incoming", "is_tight", "last_event", "lattice", "max_sweeps", "message", "message_bytes"),
    *("message_size", "messages", "min_marginal", "negligible", "open_node", "opening_bound", "reckoning"),
    *("reduced_cost", "reparametrized", "rounded_bound", "row", "row_edges", "row_gains", "row_support", "rows"),
    *("rows_made", "schedule", "slack", "snapshot_bytes", "step_ended", "tension", "tightness", "tolerance"),
    *("whereabouts", "work"),
)
ARGUMENTS = {"p": 0, "q": 1, "state": 0, "states": [0], "arc": 0, "index": 0, "grain": "event", "nu": 0.0, "below": 0.0}


@pytest.fixture(scope="module")
def engine() -> bc.Engine:
    engine = bc.Engine(*glassy(n=9), excluding=True)
    engine.run(max_sweeps=1)
    return engine


@pytest.mark.parametrize("name", FORMERLY)
def test_a_former_name_warns_and_gives_what_its_replacement_gives(name: str, engine: bc.Engine) -> None:
    with pytest.warns(DeprecationWarning, match=rf"Engine\.{name} is .+ now") as warned:
        found = getattr(engine, name)
    assert warned[0].filename == __file__
    if not callable(found) or hasattr(found, "raised"):
        return
    function = found.func
    assert getattr(looking, function.__name__) is function
    wanted = inspect.signature(found).parameters
    given = {key: value for key, value in ARGUMENTS.items() if key in wanted and key != "states"}
    assert repr(found(**given)) == repr(function(engine, **given))


def test_values_and_parts_are_those_of_the_run(engine: bc.Engine) -> None:
    with pytest.warns(DeprecationWarning, match="Engine"):
        assert (engine.schedule, engine.tolerance, engine.max_sweeps) == ("mplp", 1e-9, 400)
    with pytest.warns(DeprecationWarning, match="Engine"):
        assert np.array_equal(engine.slack, looking.slack(engine))
    with pytest.warns(DeprecationWarning, match="Engine"):
        assert engine.lattice is engine.margin.lattice


def test_what_an_engine_never_had_it_has_not(engine: bc.Engine) -> None:
    with pytest.raises(AttributeError, match="'Engine' object has no attribute 'nothing'"):
        _ = engine.nothing
    assert not hasattr(engine, "_state")


def test_a_renamed_method_gives_what_its_successor_does() -> None:
    mrf = bc.sample("pose-small")
    engine = bc.Engine(mrf, bc.partition(mrf, 6), variant=9)
    engine.run(max_sweeps=1)
    with pytest.warns(DeprecationWarning, match="bound_terms"):
        terms = engine.held()
    assert terms.groups.tolist() == looking.bound_terms(engine).groups.tolist()
    with pytest.warns(DeprecationWarning, match="certified_bound"):
        assert engine.certificate() == looking.certified_bound(engine)
