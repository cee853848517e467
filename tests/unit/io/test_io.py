"""Reading and writing models: each format's definition, and one clear sentence where it is violated."""

from __future__ import annotations

import gzip
import itertools
import json
import lzma
import math
import os
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from bender_core.io import (
    FORMATS,
    Format,
    FormatError,
    dumps,
    format_of,
    load,
    recognise,
    save,
    without_unheld_constant,
)
from bender_core.io._source import Source
from bender_core.model import BinaryMRF, ModelError
from bender_core.objective import Objective
from tests.models import examples
from tests.unit.local_polytope import solve_lp

# Four variables; an asymmetric table, a scope in falling order, a repeated scope, two unary factors on one variable,
# a table of no variables; comments, exponents and white space as people write them.
UAI = """# a comment first
MARKOV  # and after a word
4
2 2
  2\t2
8
2 0 1
2 2 1
2 0 1
1 3 1 3
0
2 3 0
1 0

4
1.5 2e0
.25 4.
4 1 2E+0 3 8
4  5 1e-2 1 1   2 0.5 2
2 3.0 1
1 0.125
4 7 1 2 1
# the last one
2 1 6
"""
# The same, from the definition: scope and table by joint states, the last variable fastest.
FACTORS: list[tuple[tuple[int, ...], list[float]]] = [
    ((0, 1), [1.5, 2, 0.25, 4]),
    ((2, 1), [1, 2, 3, 8]),
    ((0, 1), [5, 0.01, 1, 1]),
    ((3,), [0.5, 2]),
    ((3,), [3, 1]),
    ((), [0.125]),
    ((3, 0), [7, 1, 2, 1]),
    ((0,), [1, 6]),
]


def uai_text(n: int, factors: Sequence[tuple[Sequence[int], Sequence[float]]]) -> str:
    """A UAI file from scopes and tables."""
    scopes = "\n".join(" ".join(map(str, (len(scope), *scope))) for scope, _ in factors)
    tables = "\n".join(" ".join(map(str, (len(table), *table))) for _, table in factors)
    return f"MARKOV\n{n}\n{' '.join('2' * n)}\n{len(factors)}\n{scopes}\n{tables}\n"


def product(factors: Sequence[tuple[Sequence[int], Sequence[float]]], x: Sequence[int]) -> float:
    """The product of all potentials at x, straight from the definition."""
    result = 1.0
    for scope, table in factors:
        index = 0
        for variable in scope:
            index = 2 * index + x[variable]
        result *= table[index]
    return result


def labelings(n: int) -> list[tuple[int, ...]]:
    return list(itertools.product((0, 1), repeat=n))


def native(**changes: object) -> bytes:
    """A small native file with some keys changed, or removed by None."""
    data: dict[str, object] = {
        "format": "bender-lab-mrf",
        "version": 1,
        "unary": [[0, 1], [0.5, 0]],
        "edges": [[0, 1]],
        "pairwise": [[[0, 1], [2, 0]]],
    }
    data |= changes
    return json.dumps({key: value for key, value in data.items() if value is not None}).encode()


# --- UAI -----------------------------------------------------------------------------------------------------


def test_uai_energies_are_the_negated_log_of_the_product() -> None:
    mrf = load(UAI.encode(), name="by hand.uai")
    assert mrf.n == 4
    assert mrf.edges.tolist() == [[0, 1], [1, 2], [0, 3]]
    for x in labelings(4):
        assert mrf.energy(x) == pytest.approx(-math.log(product(FACTORS, x)), rel=1e-12, abs=1e-12)
    assert mrf.name == "by hand"
    assert mrf.objective.sense == "max"
    assert mrf.objective.value(mrf.energy([1, 1, 1, 0])) == pytest.approx(math.log(product(FACTORS, [1, 1, 1, 0])))


def test_uai_zero_potentials_are_hard_constraints() -> None:
    factors = [((0, 1), [0.0, 2.0, 1.0, 3.0]), ((1, 2), [1.0, 5.0, 0.5, 0.0]), ((2,), [0.0, 1.0])]
    mrf = load(uai_text(3, factors).encode())
    assert mrf.hard_entries == 3
    for x in labelings(3):
        potential = product(factors, x)
        assert mrf.is_feasible(mrf.energy(x)) == (potential > 0)
        if potential > 0:
            assert mrf.energy(x) == pytest.approx(-math.log(potential))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MARKOV", "line 1: the file ends before the number of variables"),
        ("MARKOV\n3\n2 2", "line 2: the file promises 3 variables but only 2 numbers follow"),
        ("MARKOV\n1000000000000\n2 2\n", "line 2: the file promises 1000000000000 variables"),
        ("MARKOV\n2\n2 2\n1000000000000\n1 0\n", "line 4: the file promises 1000000000000 factors"),
        ("MARKOV\n2\n2 2\n1e400\n1 0\n", "line 4: '1e400' is too large a number"),
        ("MARKOV\n-2\n2 2", "line 2: the number of variables is -2"),
        ("MARKOV\n1.5\n2 2", "line 2: the number of variables is 1.5"),
        ("MARKOV\nnan\n2 2", "line 2: the number of variables is nan"),
        ("MARKOV\n0\n0\n", "line 2: the file has no variables"),
        ("MARKOV\n2\n2\n3\n0\n", "line 4: variable 1 has 3 states; only binary variables are supported"),
        ("MARKOV\n3\n2 2 2\n2\n1 0\n3 0 1 2\n2 1 1\n8 1 1 1 1 1 1 1 1", "line 6: factor 1 has a scope of 3 variables"),
        ("MARKOV\n2\n2 2\n1\n-1 0\n2 1 1", "line 5: factor 0 has a scope of -1 variables"),
        ("MARKOV\n2\n2 2\n1\n1 2\n2 1 1", "line 5: a scope names variable 2; variables run from 0 to 1"),
        ("MARKOV\n2\n2 2\n1\n2 0 0.5\n4 1 1 1 1", "line 5: a scope names variable 0.5"),
        ("MARKOV\n2\n2 2\n1\n2 1 1\n4 1 1 1 1", "line 5: a scope names variable 1 twice"),
        (
            "MARKOV\n2\n2 2\n1\n1 0\n\n4 1 1 1 1",
            "line 7: the table of factor 0 is said to have 4 entries; its scope needs 2",
        ),
        ("MARKOV\n2\n2 2\n1\n2 0 1\n4 1 1\n1", "line 7: the file ends within the tables of its 1 factors"),
        ("MARKOV\n2\n2 2\n2\n2 0 1\n2 1 0\n4", "line 7: the file ends within the tables"),
        ("MARKOV\n2\n2 2\n3\n2 0 1 2 0 1 2 0 1", "line 5: the file ends within the tables"),
        ("MARKOV\n2\n2 2\n2\n1 0 1 0 4 0", "line 5: the table of factor 0 is said to have 4 entries"),
        ("MARKOV\n2\n2 2\n3\n2 0 1 2 0 1\n2 0 1", "line 6: the file ends within the tables"),
        ("MARKOV\n1\n2\n1\n1 0\n2 1 1\n2 1 1\n", "line 7: 3 more numbers follow the last of 1 tables"),
        ("MARKOV\n1\n2\n1\n1 0\n2 1\n-0.5\n", "line 7: a potential is -0.5; potentials are finite and not negative"),
        ("MARKOV\n1\n2\n1\n1 0\n2 1\nNaN\n", "line 7: a potential is NaN"),
        ("MARKOV\n1\n2\n1\n1 0\n2 inf 1\n", "line 6: a potential is inf"),
        ("MARKOV\n1\n2\n1\n1 0\n2 1e400 1\n", "line 6: '1e400' is too large a number; write one of size up to 1e+100"),
        ("MARKOV\n1\n2\n1\n1 0\n2 1 .0e-400\n2 1 2", "line 7: 3 more"),
        ("MARKOV\n1\n2\n1\n1 0\n2 0 0.01E-400\n", "line 6: a potential is 0.01E-400, too small a number; write log"),
        ("MARKOV\n1\n2\n1\n1 0\n2 1 one\n", "line 6: 'one' is not a number"),
        ("MARKOV\n1\n2\n1\n1 0\n2 1 1_0\n", "line 6: '1_0' is not a number"),
        ("MARKOV\n1\n2\n1\n1 0\n2 1 ٣\n", "line 6: '٣' is not a number"),
        ("MARKOV\n1\n2\n2\n1 0\n0\n2 1 1\n1 0\n", "line 8: a table of no variables is 0"),
    ],
)
def test_uai_errors_say_where_and_what(text: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(text.encode())
    assert str(caught.value).startswith(said)
    assert f"line {caught.value.line}: {caught.value.what}; {caught.value.mend}" == str(caught.value)


def test_uai_takes_scopes_that_end_just_before_the_tables_do_not() -> None:
    """A scope section cut short must not read table sizes as variables without complaint."""
    text = uai_text(3, [((0, 1), [1, 2, 3, 4]), ((1, 2), [1, 2, 3, 4])])
    with pytest.raises(FormatError):
        load(text.replace("2 1 2\n", "", 1).encode())


@pytest.mark.parametrize("constant", [0.0, -3.25, 1.9e4, -6.5e5])
def test_uai_written_and_read_keeps_f(constant: float) -> None:
    rng = np.random.default_rng(5)
    unary = rng.normal(size=(4, 2)) * 50
    unary[2] += 2000.0
    pairwise = rng.normal(size=(3, 2, 2)) * 100
    pairwise[1] -= 5000.0
    mrf = BinaryMRF(unary=unary, edges=np.array([[0, 1], [2, 1], [3, 0]]), pairwise=pairwise, constant=constant)
    again = load(dumps(mrf, "uai"))
    for x in labelings(4):
        assert again.energy(x) == pytest.approx(mrf.energy(x), rel=1e-9)


def test_uai_written_and_read_keeps_hard_constraints() -> None:
    unary = np.array([[0.0, np.inf], [0.5, -1.0], [0.0, 2.0]])
    pairwise = np.array([[[0.0, np.inf], [np.inf, 1.0]], [[3.0, 0.0], [np.inf, -4.0]]])
    mrf = BinaryMRF(unary=unary, edges=np.array([[0, 1], [1, 2]]), pairwise=pairwise, constant=7.0)
    text = dumps(mrf, "uai")
    again = load(text)
    assert b" 0.0" in text
    assert again.hard_entries == mrf.hard_entries == 4
    for x in labelings(3):
        assert again.is_feasible(again.energy(x)) == mrf.is_feasible(mrf.energy(x))
        assert again.energy(x) == pytest.approx(mrf.energy(x), rel=1e-9)


@pytest.mark.parametrize(
    ("mrf", "said"),
    [
        (BinaryMRF(unary=np.array([[0.0, 1.0], [0.0, 800.0]])), "the energies of variable 1 span 800"),
        (BinaryMRF(unary=np.zeros((1, 2)), constant=1e9), "the constant 1e+09 is too large"),
    ],
)
def test_uai_refuses_models_it_cannot_represent(mrf: BinaryMRF, said: str) -> None:
    with pytest.raises(FormatError, match="write it as native") as caught:
        dumps(mrf, "uai")
    assert said in str(caught.value)
    assert load(dumps(mrf)).energy([0] * mrf.n) == mrf.energy([0] * mrf.n)


def test_published_instances_give_the_published_bounds(shared_instances: Path) -> None:
    expected: dict[str, tuple[int, int, float]] = {}
    for row in (shared_instances / "INDEX.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
        if cells[0].endswith(".uai"):
            expected[cells[0]] = int(cells[2]), int(cells[3]), float(cells[4])
    assert len(expected) == 4
    for file, (n, edges, bound) in expected.items():
        mrf = load(shared_instances / file)
        assert (mrf.n, mrf.n_edges) == (n, edges)
        # The table prints three decimals for some.
        assert solve_lp(mrf)[0] == pytest.approx(bound, rel=1e-6, abs=5.1e-4 if bound == round(bound, 3) else 0)


# --- native --------------------------------------------------------------------------------------------------

FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)
TEXT = st.text(st.characters(codec="utf-8"), max_size=8)


@st.composite
def models(draw: st.DrawFn) -> BinaryMRF:
    n = draw(st.integers(1, 5))
    energy = st.one_of(FINITE, st.just(math.inf))
    edges = draw(
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1]), max_size=6)
    )
    table = st.lists(energy, min_size=4, max_size=4)
    fields = {
        "unary": np.array(draw(st.lists(st.tuples(energy, energy), min_size=n, max_size=n))),
        "edges": np.array(edges, dtype=np.int64).reshape(-1, 2),
        "pairwise": np.array([draw(table) for _ in edges]).reshape(-1, 2, 2),
        "constant": draw(FINITE),
        "names": tuple(draw(st.lists(TEXT, min_size=n, max_size=n))),
        "groups": draw(st.none() | st.lists(TEXT, min_size=n, max_size=n).map(tuple)),
        "positions": draw(st.none() | st.lists(st.tuples(FINITE, FINITE), min_size=n, max_size=n).map(np.array)),
        "name": draw(TEXT.filter(bool)),
        "description": draw(TEXT),
        "source": draw(TEXT),
        "objective": Objective(draw(TEXT), draw(st.sampled_from(("min", "max"))), draw(FINITE), draw(FINITE)),
    }
    try:
        return BinaryMRF(**fields)
    except ModelError:
        # Energies too far apart for penalties.
        reject()


@settings(max_examples=examples(150))
@given(models())
def test_native_keeps_everything(mrf: BinaryMRF) -> None:
    data = dumps(mrf)
    again = load(data)
    assert again.content_hash() == mrf.content_hash()
    for key in ("names", "groups", "name", "description", "source", "objective", "hard_entries", "top"):
        assert getattr(again, key) == getattr(mrf, key)
    assert (again.positions is None) == (mrf.positions is None)
    if mrf.positions is not None:
        assert np.array_equal(again.positions, mrf.positions)  # type: ignore[arg-type]
    assert dumps(again) == data
    json.loads(data, parse_constant=lambda word: pytest.fail(f"{word} is not standard JSON"))


def test_native_reads_the_energy_it_documents() -> None:
    mrf = load(
        native(constant=10, unary=[[0, 1], [0.5, "inf"]], edges=[[1, 0], [0, 1]], pairwise=[[[1, 2], [3, 4]]] * 2)
    )
    assert mrf.energy([0, 0]) == 10 + 0.5 + 1 + 1
    assert mrf.energy([1, 0]) == 10 + 1 + 0.5 + 2 + 3
    assert mrf.hard_entries == 1
    assert not mrf.is_feasible(mrf.energy([0, 1]))
    assert mrf.names == ("x0", "x1")
    assert mrf.objective == Objective()


def test_native_reads_the_penalties_of_earlier_versions() -> None:
    """As they were written for these energies, "inf" at each of the three penalties."""
    tables = {"unary": [[0, 1], [0.5, 18.5], [0, -2]], "edges": [[0, 1], [1, 2]], "constant": 10}
    old = load(
        native(**tables, pairwise=[[[1, 2], [19, 4]], [[0, 18], [3, 0]]], hard_entries=3, ceiling=23.0), name="m.json"
    )
    tables["unary"] = [[0, 1], [0.5, "inf"], [0, -2]]
    new = load(native(**tables, pairwise=[[[1, 2], ["inf", 4]], [[0, "inf"], [3, 0]]]), name="m.json")
    assert old.content_hash() == new.content_hash()
    for x in labelings(3):
        assert old.is_feasible(old.energy(x)) == (x[1] == 0 and x[0] == 0 and x[2] == 0)


def test_a_table_that_forbids_everything_is_written_and_read() -> None:
    mrf = BinaryMRF([[np.inf, np.inf], [0.0, 600.0]])
    for form in ("native", "uai", "uai-log"):
        again = load(dumps(mrf, form), format=form)
        assert (again.hard_entries, again.constant) == (2, 0.0)
        assert not any(again.is_feasible(again.energy(x)) for x in labelings(2))


def test_native_may_leave_out_all_but_the_unary_table() -> None:
    mrf = load(native(edges=None, pairwise=None), name="lonely.mrf.json")
    assert (mrf.n, mrf.n_edges, mrf.name) == (2, 0, "lonely.mrf")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (native(format=None), '"format" is missing'),
        (native(version=2), '"version" is 2; this program reads version 1'),
        (native(version=None), '"version" is missing'),
        (native(unary=None), '"unary" is missing'),
        (native(unary=[]), "the model has no variables"),
        (native(unary={"a": 1}), "\"unary\" is {'a': 1}; it must be a list"),
        (native(unary=[[0, 1], [0]]), "unary[1] is [0]; it must be a list of 2 numbers"),
        (native(unary=[[0, 1], [0, "Inf"]]), "unary[1][1] is 'Inf'"),
        (native(unary=[[0, 1], [0, "1.5"]]), "unary[1][1] is '1.5'"),
        (native(unary=[[0, 1], [0, None]]), "unary[1][1] is None"),
        (native(unary=[[0, 1], [True, 0]]), "unary[1][0] is True"),
        (native(unary=[[0, 1], [0, 10**400]]), "unary[1][1] is 1000"),
        (native(unary=[[0, 1], [0, [1]]]), "unary[1][1] is [1]"),
        (native(pairwise=[[[0, 1], [2]]]), "pairwise[0] is [[0, 1], [2]]; it must be a list of 2 × 2 numbers"),
        (native(pairwise=[[0, 1, 2, 0]]), "pairwise[0] is [0, 1, 2, 0]"),
        (native(pairwise=[]), "there are 1 edges and 0 pairwise tables"),
        (native(edges=[[0, 1.0]]), "edges[0][1] is 1.0; it must be the index of a variable, from 0"),
        (native(edges=[[0, 10**30]]), "edges[0][1] is 1000"),
        (native(edges=[[0, 2]]), "an edge names variables 0 and 2"),
        (native(edges=[[1, 1]]), "an edge joins variable 1 to itself"),
        (native(edges=[[-1, 1]]), "an edge names variables -1 and 1"),
        (native(constant="1"), "\"constant\" is '1'"),
        (native(constant=10**400), '"constant" is 1000'),
        (native(constnat=1), "the file has an unknown key 'constnat'; known are: format, version"),
        (native(name=3), '"name" is 3; it must be a string'),
        (native(name="\ud800"), '"name" contains half of a surrogate pair'),
        (native(variables=[{"name": "a"}]), '"variables" has 1 entries and "unary" 2'),
        (native(variables=["a", "b"]), '"variables" is not a list of objects'),
        (native(variables=[{"name": "a"}, {}]), 'variables[1] has no "name" while others have'),
        (native(variables=[{"group": "a"}, {"group": 1}]), "variables[1].group is 1"),
        (native(variables=[{"gruop": "a"}, {}]), "variables[0] has an unknown key 'gruop'"),
        (native(variables=[{"position": [0, 1]}, {"position": [0]}]), "position[1] is [0]"),
        (native(variables=[{"position": [0, 1]}, {"position": [0, "inf"]}]), "positions contain an infinite"),
        (native(objective="max"), "\"objective\" is 'max'"),
        (native(objective={"sense": "most"}), "the sense of \"objective\" is 'most'"),
        (native(objective={"scale": "big"}), "the scale of the objective is 'big'"),
        (native(objective={"sign": -1}), "\"objective\" has an unknown key 'sign'"),
        (native(ceiling=3), '"hard_entries" and "ceiling" belong together'),
        (native(hard_entries=0, ceiling=3), '"hard_entries" is 0'),
        (native(hard_entries=2, ceiling=3), "it is not clear which 2 energies are penalties"),
        (native(hard_entries=1, ceiling=3, unary=[[0, 1], [0, "inf"]]), 'the file has both "ceiling" and "inf"'),
        (native().replace(b"0.5", b"NaN"), "NaN is not standard JSON"),
        (native().replace(b"0.5", b"-Infinity"), "-Infinity is not standard JSON"),
        (native().replace(b"0.5", b"1e400"), "unary[1][0] is inf"),
        (native().replace(b"0.5", b"9" * 5000), "an integer has thousands of digits"),
        (native().replace(b'"unary"', b'"edges"'), "the key 'edges' is given twice"),
        (native().replace(b', "unary"', b',\n "unary" 1'), "line 2: the JSON is broken in column 10"),
        (native().replace(b"0.5", b"[" * 100_000 + b"]" * 100_000), "the JSON is nested too deeply"),
        (native().replace(b"0.5", b"[" * 500 + b"]" * 500), "unary[1]"),
        (b'["bender-lab-mrf"]', "line 1: the JSON is not an object"),
    ],
)
def test_native_errors_say_what(data: bytes, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(data, name="a.mrf.json")
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


# --- any format ----------------------------------------------------------------------------------------------


def test_content_decides_before_the_ending() -> None:
    assert load(UAI.encode(), name="model.mrf.json").n == 4
    assert load(native(), name="model.uai").n == 2
    assert load(b"\xef\xbb\xbf" + UAI.replace("\n", "\r\n").encode()).n == 4
    assert load(UAI.replace("\n", "\r").replace("#", "\r#").replace("word\r", "word \r").encode()).n == 4


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"", None, "the file is empty"),
        (b" \n\n", None, "the file is empty"),
        (b"\xff\xfe\x00\x01", None, "line 1: the file is not text"),
        (b"MARKOV\n\x00", None, "line 2: the file is not text"),
        (
            b"hello\n",
            None,
            "line 1: the file is in no known format; known are: native .mrf.json, bqpjson, dimod JSON, dimod BQM, ",
        ),
        (b"hello\n", "a.uai", "line 1: the file does not start with MARKOV"),
        (b"# only a comment", "a.uai", "line 1: the file does not start with MARKOV"),
        (b"hello\n", "a.mrf.json", "line 1: the JSON is broken"),
        (b"{}", "a.mrf.json.gz", '"format" is missing'),
        (b"\x1f\x8bjunk", None, "the gzip data is damaged"),
        (gzip.compress(UAI.encode())[:-9], None, "the gzip data is damaged"),
        (lzma.compress(UAI.encode())[:-9], None, "the xz data is damaged (it ends before its end mark); pack or copy"),
        (lzma.compress(UAI.encode()) + b"no stream", None, "the xz data is damaged"),
    ],
)
def test_an_invalid_model_gives_one_sentence(data: bytes, name: str | None, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(data, name=name)
    assert str(caught.value).startswith(said)


def test_size_is_limited_before_and_after_unpacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comment = "# " + "x" * 3000 + "\n" + UAI
    path = tmp_path / "model.uai"
    path.write_text(comment, encoding="utf-8")
    assert load(path, max_bytes=len(comment.encode())).n == 4
    with pytest.raises(FormatError, match=r"the file is larger than 0\.003 MB"):
        load(path, max_bytes=3000)
    with pytest.raises(FormatError, match=r"the unpacked file is larger than 0\.003 MB"):
        load(gzip.compress(comment.encode()), max_bytes=3000)
    monkeypatch.setenv("BENDER_MAX_UPLOAD_MB", "0.003")
    with pytest.raises(FormatError, match="BENDER_MAX_UPLOAD_MB"):
        load(path)


@pytest.mark.parametrize("packed", [gzip.compress, lzma.compress])
def test_a_bomb_is_not_unpacked(packed: Callable[[bytes], bytes]) -> None:
    bomb = packed(bytes(100_000_000))
    tracemalloc.start()
    with pytest.raises(FormatError, match="the unpacked file is larger than 1 MB"):
        load(bomb, max_bytes=1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000  # xz has a dictionary of 8 MB


def test_a_dictionary_of_xz_that_takes_too_much_memory_is_refused() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 30}]
    with pytest.raises(FormatError, match="the xz data takes more than 128 MB of memory to unpack; pack it by xz -6"):
        load(lzma.compress(UAI.encode(), filters=filters))


def test_a_file_of_endless_streams_or_packed_twice_is_refused_at_once() -> None:
    with pytest.raises(FormatError, match="it has more than 1,000 streams"):
        load(lzma.compress(b"") * 300_000)
    with pytest.raises(FormatError, match="the file is packed twice; unpack it once"):
        load(gzip.compress(lzma.compress(UAI.encode())))


@pytest.mark.parametrize("form", [form for form in FORMATS if form.write], ids=lambda form: form.name)
def test_every_ending_belongs_to_its_format(form: Format, tmp_path: Path) -> None:
    mrf = load(b"3 2\n1 2 1\n2 3 -4\n", name="a.rud")
    for ending in form.endings:
        save(without_unheld_constant(mrf, form.name), tmp_path / f"a{ending}")
        assert format_of(f"A{ending}.gz") == form.name
        data = (tmp_path / f"a{ending}").read_bytes()
        source = Source("", f"a{ending}", data) if form.magic else Source(data.decode(), f"a{ending}")
        assert recognise(source) is form


def test_streams_of_xz_follow_each_other_with_padding() -> None:
    half = len(UAI) // 2
    data = lzma.compress(UAI[:half].encode()) + bytes(4) + lzma.compress(UAI[half:].encode(), preset=9)
    assert load(data, name="m.uai.xz").content_hash() == load(UAI.encode(), name="m.uai").content_hash()


@pytest.mark.parametrize("ending", [".mrf.json", ".uai", ".json.gz", ".UAI.gz", ".uai.xz", ""])
def test_save_goes_by_the_ending_and_is_deterministic(tmp_path: Path, ending: str) -> None:
    mrf = load(UAI.encode(), name="m.uai")
    first, second = tmp_path / f"a{ending}", tmp_path / f"b{ending}"
    save(mrf, first)
    save(mrf, str(second))
    data = first.read_bytes()
    assert data == second.read_bytes()
    if ending.endswith(".gz"):
        assert data.startswith(b"\x1f\x8b")
        # No time of writing in the header.
        assert data[4:8] == bytes(4)
    unpack = {"gz": gzip.decompress, "xz": lzma.decompress}.get(ending[-2:], bytes)
    text = unpack(data)
    assert text.startswith(b"MARKOV" if "uai" in ending.lower() else b"{")
    again = load(first)
    assert all(again.energy(x) == pytest.approx(mrf.energy(x), rel=1e-12) for x in labelings(4))


def test_save_takes_a_format_against_the_ending(tmp_path: Path) -> None:
    mrf = load(UAI.encode())
    save(mrf, tmp_path / "m.txt", format="uai")
    assert (tmp_path / "m.txt").read_text(encoding="utf-8").startswith("MARKOV")
    with pytest.raises(FormatError, match="there is no format 'tiff'; choose one of: native, bqpjson, dimod, bqm, cfn"):
        save(mrf, tmp_path / "m.tiff", format="tiff")
    assert not (tmp_path / "m.tiff").exists()


def test_a_file_name_that_is_not_text_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.uai")
    path.write_text(UAI, encoding="utf-8")
    mrf = load(path)
    assert (mrf.name, mrf.source) == ("caf?", "UAI file caf?.uai")
    assert load(dumps(mrf)).name == mrf.name


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "absent.uai")


def test_formats_have_distinct_names_and_endings() -> None:
    names = [form.name for form in FORMATS]
    endings = [ending for form in FORMATS for ending in form.endings]
    assert len(set(names)) == len(names)
    assert len(set(endings)) == len(endings)
