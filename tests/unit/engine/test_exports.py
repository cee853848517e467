"""Exports: labellings, traces, and a run as a script that repeats it."""

from __future__ import annotations

import ast
import csv
import gzip
import io
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

import numpy as np
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core import synth
from bender_core.io import dump_labeling, load_labeling
from bender_core.trying.change import Fork, read_forks
from bender_core.trying.lineage import Lineage
from bender_core.trying.proof import Descent
from bender_core.trying.script import as_script
from tests.models import examples
from tests.tiers import thinned

ROOT = Path(__file__).parents[3]
POSE = ROOT / "sample_instances" / "pose-small.mrf.json"


def run(events: int = 500, max_size: int = 6) -> bc.Engine:
    mrf = bc.load(POSE)
    engine = bc.Engine(mrf, bc.partition(mrf, max_size), variant=9)
    engine.run(max_events=events)
    return engine


# -- labellings -----------------------------------------------------------------------------------------------


def test_a_labelling_for_spreadsheets_and_programs() -> None:
    mrf = bc.load(POSE)
    bits = np.arange(mrf.n) % 2
    rows = list(csv.DictReader(io.StringIO(dump_labeling(mrf, bits))))
    assert [row["name"] for row in rows] == list(mrf.names)
    assert [int(row["value"]) for row in rows] == bits.tolist()
    said = json.loads(dump_labeling(mrf, bits, "json"))
    assert (said["energy"], said["content_hash"]) == (mrf.energy(bits), mrf.content_hash())
    assert list(said["labeling"].values()) == bits.tolist()
    kind, solution = dump_labeling(mrf, bits, "mpe").splitlines()
    assert (kind, solution.split()[0]) == ("MPE", str(mrf.n))
    assert [int(bit) for bit in solution.split()[1:]] == bits.tolist()


def test_a_labelling_is_in_the_terms_of_its_source() -> None:
    spins = bc.load(b"p qubo 0 2 2 1\n0 0 1\n1 1 1\n0 1 -3\n", name="x", format="qubo")
    assert spins.objective.domain == "bits"
    model = bc.load(json.dumps(SPINS).encode())
    assert model.objective.domain == "spins"
    said = json.loads(dump_labeling(model, [0, 1], "json"))
    assert list(said["labeling"].values()) == [-1, 1]
    assert said["objective"]["value"] == pytest.approx(model.objective.value(model.energy([0, 1])))
    assert dump_labeling(model, [0, 1]).splitlines()[1:] == [f"{model.names[0]},-1", f"{model.names[1]},1"]
    assert dump_labeling(model, [0, 1], "mpe") == "MPE\n2 0 1\n"


SPINS = {
    "version": "1.0.0",
    "id": 0,
    "scale": 1.0,
    "offset": 0.0,
    "metadata": {},
    "variable_ids": [0, 1],
    "variable_domain": "spin",
    "linear_terms": [{"id": 0, "coeff": 0.5}],
    "quadratic_terms": [{"id_head": 1, "id_tail": 0, "coeff": -1.0}],
}


# Of any script and length, with all that means something to one of the formats.
ODD = "\0\t\n\r\x1b\x7f\x85\u2028\ufeff\u202e\u200d\"',;:{}[]#=\\شλ👩🏽🔬"
LONG = ("x" * 200_000, "🧪" * 500)
NAMES = st.text(st.characters(codec="utf-8") | st.sampled_from(ODD), max_size=12) | st.sampled_from(
    (*LONG, "MPE", "inf", "null", "{", '"', "name", "a,1\nb,0")
)


@st.composite
def named(draw: st.DrawFn) -> bc.BinaryMRF:
    """Models with arbitrary names, kinds and descriptions; some names are equal."""
    n = draw(st.integers(1, 4))
    names = draw(st.lists(NAMES, min_size=n, max_size=n) | NAMES.map(lambda name: [name] * n))
    return bc.BinaryMRF(
        np.arange(2.0 * n).reshape(n, 2),
        names=tuple(names),
        groups=tuple(draw(st.lists(NAMES, min_size=n, max_size=n))),
        name=draw(NAMES),
        description=draw(NAMES),
        source=draw(NAMES),
        objective=bc.Objective(draw(NAMES), domain=draw(st.sampled_from(("bits", "spins")))),
    )


@settings(max_examples=examples(200))
@given(named(), st.data())
def test_labellings_with_any_names_are_read_as_written(mrf: bc.BinaryMRF, data: st.DataObject) -> None:
    bits = data.draw(st.lists(st.integers(0, 1), min_size=mrf.n, max_size=mrf.n))
    for form in ("csv", "json", "mpe"):
        assert load_labeling(dump_labeling(mrf, bits, form).encode(), mrf).tolist() == bits
    with_returns = dump_labeling(replace(mrf, names=()), bits).replace("\n", "\r\n")
    assert load_labeling(gzip.compress(with_returns.encode()), replace(mrf, names=())).tolist() == bits
    if not any("\0" in name for name in mrf.names) and max(map(len, mrf.names)) < 100_000:
        # As any other program reads it.
        rows = list(csv.reader(io.StringIO(dump_labeling(mrf, bits), newline="")))
        assert [name for name, _ in rows] == ["name", *mrf.names]


@settings(max_examples=examples(200))
@given(named(), st.data())
def test_models_and_scripts_keep_names_as_they_are(mrf: bc.BinaryMRF, data: st.DataObject) -> None:
    for packed in (bc.io.dumps(mrf), gzip.compress(bc.io.dumps(mrf))):
        again = bc.load(packed, name="another name.json")
        for what in ("names", "groups", "name", "description", "source", "objective"):
            assert getattr(again, what) == getattr(mrf, what)
    assert bc.load(bc.io.dumps(mrf, "bqpjson")).description == mrf.description
    labels = data.draw(st.lists(NAMES, min_size=mrf.n, max_size=mrf.n))
    engine = bc.Engine(mrf, bc.manual(mrf, [[i] for i in range(mrf.n)], labels))
    script = ast.parse(as_script(Lineage.of(engine, 1), "mrf", 0))
    (cut,) = (line for line in script.body if ast.unparse(line).startswith("part ="))
    assert ast.literal_eval(cut.value.args[2]) == labels


def test_a_labelling_in_json_keeps_variables_of_equal_names() -> None:
    mrf = bc.BinaryMRF([[0.0, 1.0]] * 3, names=("a", "b", "a"))
    for bits in itertools.product((0, 1), repeat=3):
        said = json.loads(dump_labeling(mrf, bits, "json"))
        assert [(row["name"], row["value"]) for row in said["labeling"]] == list(zip("aba", bits, strict=True))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,value\na,0\n", "the labelling has 1 values, the model 2 variables"),
        ("name,value\na,0\nc,1\n", "variable 1 is 'c', in the model 'b'; give a labelling of this model"),
        ("name,value\na,0\nb,2\n", "the value of variable 1 is '2'; it must be 0 or 1"),
        ("name,value\na,0\nb\n", "line 3: a row is not a name and a value"),
        ('{"labeling": {"a": 0}}', "the labelling has 1 values, the model 2 variables"),
        ('{"labeling": {"a": 0, "c": 1}}', "the labelling has 1 values, the model 2 variables"),
        ('{"labeling": {"a": 0, "b": true}}', "the value of variable 1 is True"),
        ('{"labeling": [0, 1]}', '"labeling" is [0, 1]; list the name and value'),
        ("{}", '"labeling" is None; list the name and value'),
        ("MPE\n2 0 3\n", "the value of variable 1 is '3'; it must be 0 or 1"),
        ("MPE\n3 0 1 1\n", "the labelling has 3 values, the model 2 variables"),
        ("MPE\n3 0 1\n", "the file announces '3' values, and 2 follow"),
        ("", "the file is empty; give a labelling"),
        ("\n", "the file is empty"),
    ],
)
def test_a_labelling_of_another_model_is_refused(text: str, said: str) -> None:
    with pytest.raises(bc.FormatError) as caught:
        load_labeling(text.encode(), bc.BinaryMRF([[0.0, 1.0]] * 2, names=("a", "b")))
    assert str(caught.value).startswith(said)
    assert "; " in str(caught.value)


def test_earlier_labellings_are_read() -> None:
    mrf = bc.BinaryMRF([[0.0, 1.0]] * 2, names=("a", "b"), objective=bc.Objective(domain="spins"))
    earlier = {"model": "m", "energy": 1.0, "domain": "spins", "labeling": {"b": -1, "a": 1}}
    assert load_labeling(json.dumps(earlier).encode(), mrf).tolist() == [1, 0]


def test_an_invalid_labelling_is_refused() -> None:
    mrf = bc.load(POSE)
    with pytest.raises(bc.ModelError, match="a labelling has 84 entries"):
        dump_labeling(mrf, [0, 1])
    with pytest.raises(ValueError, match="choose one of csv, json, mpe"):
        dump_labeling(mrf, np.zeros(mrf.n), "xml")


# -- traces ---------------------------------------------------------------------------------------------------


def test_a_trace_is_the_same_in_every_format() -> None:
    trace = run().trace
    found = trace.columns()
    assert found == parquet.read_table(io.BytesIO(trace.to_parquet())).to_pydict()
    rows = list(csv.DictReader(io.StringIO(trace.to_csv())))
    assert len(rows) == len(trace) == len(found["index"])
    for event, row in zip(trace, rows, strict=True):
        assert (int(row["index"]), row["kind"]) == (event.index, event.kind.name.lower())
        for name in ("value", "lower_bound", "state"):
            mine = getattr(event, name)
            told = [row[name], found[name][event.index]]
            assert (told == ["", None]) if mine != mine else [float(text) for text in told] == [mine, mine]


# -- scripts --------------------------------------------------------------------------------------------------


def said_by(script: str, files: Mapping[str, bytes] = MappingProxyType({})) -> dict[str, str]:
    """What a script prints in a folder where nothing else is, run from another one."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with TemporaryDirectory() as folder, TemporaryDirectory() as elsewhere:
        for name, content in {"run.py": script.encode(), **files}.items():
            (Path(folder) / name).write_bytes(content)
        command = [sys.executable, str(Path(folder) / "run.py")]
        done = subprocess.run(command, cwd=elsewhere, env=environment, capture_output=True, text=True, check=True)
    return dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())


def expected_of(engine: bc.Engine) -> dict[str, str]:
    return {
        "lower bound": str(engine.lower_bound),
        "upper bound": str(engine.upper_bound),
        "sweeps": str(engine.sweep),
        "rows": str(engine.n_rows),
        "labeling": "".join(map(str, engine.whole.restored(engine.labeling))),
    }


@pytest.mark.parametrize("events", thinned([137, 0, 10**9], 3))
def test_a_script_repeats_the_run(events: int) -> None:
    engine = run(events)
    script = as_script(Lineage.of(engine, 6), f"bc.load({str(POSE)!r})", engine.position)
    assert said_by(script) == expected_of(engine)


@pytest.mark.slow
def test_a_script_of_groups_made_by_hand_and_a_generated_model() -> None:
    mrf = synth.generate("ising_grid", rows=4, columns=4, seed=3)
    part = bc.manual(mrf, [[0, 5, 1], [2, 3, 4], list(range(6, 11)), list(range(11, 16))], ["a", "b'", 'c"', "d\\"])
    engine = bc.Engine(mrf, part, variant=4, schedule="srmp")
    engine.run(max_sweeps=3)
    script = as_script(
        Lineage.of(engine, 5), "synth.generate('ising_grid', rows=4, columns=4, seed=3)", engine.position
    )
    assert said_by(script) == expected_of(engine)


@pytest.mark.parametrize(
    ("settings", "cut", "written"),
    [
        ({}, {}, ""),
        ({"tolerance": 0.02}, {}, "tolerance=0.02"),
        ({"tolerance": 1e-3}, {}, "tolerance=0.001"),
        ({"max_sweeps": 3}, {}, "max_sweeps=3"),
        ({"deepest": 1}, {}, "deepest=1"),
        ({"improving": False}, {}, "improving=False"),
        ({}, {"strategy": "random", "seed": 7}, "seed=7"),
        ({"deepest": np.int64(2), "schedule": "srmp"}, {"seed": np.int64(2)}, "seed=2, deepest=2"),
    ],
)
def test_a_script_has_the_settings_of_the_run(settings: dict, cut: dict, written: str) -> None:
    mrf = bc.load(POSE)
    engine = bc.Engine(mrf, bc.partition(mrf, 4, **{"strategy": "greedy", **cut}), variant=9, **settings)
    engine.run(max_sweeps=8)
    script = as_script(Lineage.of(engine, 4), f"bc.load({str(POSE)!r})", engine.position)
    options = re.findall(r"(?:tolerance|max_sweeps|deepest|improving|seed)=[^,\n]*(?=[,)]$|,)", script, re.MULTILINE)
    assert ", ".join(options) == written
    found: dict = {}
    exec(script, found)
    again = found["engine"]
    assert again.trace.to_csv() == engine.trace.to_csv()
    assert (again.status, again.finished, again.n_rows) == (engine.status, engine.finished, engine.n_rows)
    assert (again.lower_bound, again.upper_bound) == (engine.lower_bound, engine.upper_bound)
    assert again.labeling.tolist() == engine.labeling.tolist()


@pytest.mark.parametrize(
    "forks",
    [
        "137.row-0-1-3-rmc_merge-2-3",
        "60.merge-0-1~45.variant-1_schedule-srmp~0.row-0-1-2-mwchalf_deepest-64",
        "200.cut-4-greedy~90.merge-5-2_merge-2-7~30.on",
    ],
)
def test_a_script_repeats_a_run_and_the_forks_that_led_to_it_to_the_last_bit(forks: str) -> None:
    engine = run(0)
    line = replace(Lineage.of(engine, 6), forks=read_forks(forks))
    for fork in read_forks(forks):
        engine.run(max_events=fork.event)
        engine = fork.change.fork(engine)
    engine.run(max_events=111)
    found: dict = {}
    exec(as_script(line, f"bc.load({str(POSE)!r})", 111), found)
    again = found["engine"]
    assert again.trace.to_csv() == engine.trace.to_csv()
    assert (again.lower_bound, again.upper_bound) == (engine.lower_bound, engine.upper_bound)
    assert (again.n_rows, again.labeling.tolist()) == (engine.n_rows, engine.labeling.tolist())
    *_, last = line.runs(engine.mrf)
    last.run(max_events=111)
    assert last.trace.to_csv() == engine.trace.to_csv()


@pytest.mark.slow
def test_a_script_of_a_proof_prints_the_labelling_of_the_whole_model() -> None:
    """Its last run is of what is left. The energy of the labelling is computed from the model."""
    engine = run(100, max_size=8)
    line, rounds = Lineage.of(engine, 8), list[tuple[Fork, bc.Engine]]()
    change = bc.Change(prove=True)
    fork = Fork(100, change)
    first = change.fork(engine)
    descent = Descent(engine.mrf, first=first, on_round=lambda *each: rounds.append(each))
    descent.run()
    certificate = descent.end()
    for each, _ in ((fork, first), *rounds):
        line = line.forked(*each)
    last = rounds[-1][1]
    assert last.mrf.n < engine.mrf.n
    said = said_by(as_script(line, f"bc.load({str(POSE)!r})", last.position))
    assert said["labeling"] == "".join(map(str, certificate.labeling))
    assert float(said["upper bound"]) == certificate.upper_bound
    energy = bc.load(POSE).energy(np.array([int(bit) for bit in said["labeling"]]))
    assert energy == pytest.approx(float(said["upper bound"]), rel=1e-12)
