"""The formats of other fields: files written by hand, their energies worked out from each format's definition."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.io import FORMATS, FormatError, dumps, load, without_unheld_constant
from bender_core.model import BinaryMRF, Objective
from bender_core.synth import ising_grid
from tests.unit.local_polytope import solve_lp

Value = Callable[[Sequence[int]], float]


def spins(x: Sequence[int]) -> list[int]:
    return [2 * bit - 1 for bit in x]


def cut(x: Sequence[int], edges: Sequence[tuple[int, int, float]]) -> float:
    return sum(w for i, j, w in edges if x[i - 1] != x[j - 1])


def triples(v: Sequence[int], terms: Sequence[tuple[int, int, float]], base: int = 0) -> float:
    """Σ c v_i v_j, and on the diagonal Σ c v_i."""
    return sum(c * v[i - base] * (1 if i == j else v[j - base]) for i, j, c in terms)


RUDY = "4 5\n1 2 3\n2 3\n1 4 -2.5\n 3 4 1e1 \n4 2 -1\n"
RUDY_EDGES = [(1, 2, 3.0), (2, 3, 1.0), (1, 4, -2.5), (3, 4, 10.0), (4, 2, -1.0)]
SPARSE = "3 5\n1 1 -4\n1 2 3\n3 2 1.5\n2 2 0.5\n1 2 1\n"
SPARSE_TERMS = [(1, 1, -4.0), (1, 2, 3.0), (3, 2, 1.5), (2, 2, 0.5), (1, 2, 1.0)]
QPBO = "-3 -4\n1 2 3\n3 2 -1.5\n2 2 0.5\n1 3 .25"
QPBO_TERMS = [(1, 2, 3.0), (3, 2, -1.5), (2, 2, 0.5), (1, 3, 0.25)]
QH = "# of spins\n1\t1\t-1\n3 3 2\n1 2 .5\n4 2 -3e0\n"
QH_TERMS = [(1, 1, -1.0), (3, 3, 2.0), (1, 2, 0.5), (4, 2, -3.0)]
COO_TERMS = [(0, 0, -1.0), (7, 0, 0.5), (7, 7, 1e-05), (3, 7, -3.0), (3, 3, 0.0)]
COO_PLACES = {0: 0, 3: 1, 7: 2}
COO = "0 0 -1\n7 0 0.5\n7 7 1e-05\n3 7 -3.\n3 3 0\n"
QUBO = "c a comment\nc\np qubo 0 4 2 3\n0 0 -1\n2 2 3.5\nc between\n0 1 2\n1 3 -4\n0 2 1\n"
QUBO_TERMS = [(0, 0, -1.0), (2, 2, 3.5), (0, 1, 2.0), (1, 3, -4.0), (0, 2, 1.0)]
BQPJSON: dict[str, object] = {
    "version": "1.0.0",
    "id": 5,
    "description": "by hand",
    "metadata": {"anything": [1, {"at": "all"}]},
    "variable_ids": [9, 2, 40],
    "variable_domain": "spin",
    "scale": 2.0,
    "offset": -1.5,
    "linear_terms": [{"id": 2, "coeff": 3}, {"id": 9, "coeff": -0.5}],
    "quadratic_terms": [{"id_head": 40, "id_tail": 2, "coeff": 1.25}, {"id_head": 9, "id_tail": 40, "coeff": -2}],
}


def bqp(v: Sequence[int]) -> float:
    nine, two, forty = v
    return 2.0 * (-1.5 + 3 * two - 0.5 * nine + 1.25 * forty * two - 2 * nine * forty)


LG = "BAYES\n3\n2 2 2\n4\n1 0\n2 2 1\n2 0 1\n0\n2 -0.5 1.5\n4 1 2 3 -4\n-1\n-0.75\n1\n2.5\n"


def log_potential(x: Sequence[int]) -> float:
    return [-0.5, 1.5][x[0]] + [1, 2, 3, -4][2 * x[2] + x[1]] + (-0.75 if x[0] != x[1] else 0.0) + 2.5


WCSP = """example 4 2 6 100
2 2 2 2
2 0 1 3 2
 0 0 1
 1 1 7
-2 2 1 0 1
 1 0 5
2 3 0 0 -1
1 3 4 1
 1 0
0 6 0
2 1 2 2 0
"""


def wcsp_cost(x: Sequence[int]) -> float:
    shared = {(1, 0): 5}
    return (
        {(0, 0): 1, (1, 1): 7}.get((x[0], x[1]), 3)
        + shared.get((x[2], x[1]), 0)
        + shared.get((x[3], x[0]), 0)
        + (0 if x[3] else 4)
        + 6
        + 2
    )


CFN = """# a comment
{
  problem: { "name": "by hand", mustbe: "<1000.0" }, // another
  "variables": {"rain": ["no", "yes"], sun: [dark, bright], third: 2},
  functions: {
    "f": {scope: ["rain", "sun"], "costs": [0.5, 1, 2, -3]},
    {scope: [third], costs: [1.25 0]},
    g: {scope: [2, "rain"], defaultcost: 1.5, costs: [1, yes, 4.0, 0, "no", -2]},
    h: {scope: [sun, third] costs: f},
    constant: {scope: [], costs: [-6.0]}
  }
}
"""


def cfn_cost(x: Sequence[int]) -> float:
    rain, sun, third = x
    f = [0.5, 1, 2, -3]
    g = {(1, 1): 4.0, (0, 0): -2.0}.get((third, rain), 1.5)
    return f[2 * rain + sun] + [1.25, 0][third] + g + f[2 * sun + third] - 6.0


MAXIMISED = CFN.replace("<1000.0", ">-1000.0")

# A file, its name, its own value at x, its objective, and its number of edges.
CASES: dict[str, tuple[str, str | None, Value, Objective, int]] = {
    "rudy": (RUDY, None, lambda x: cut(x, RUDY_EDGES), Objective("cut weight", "max", -1.0), 5),
    "sparse": (
        SPARSE,
        None,
        lambda x: triples(x, [(i, j, c * (1 if i == j else 2)) for i, j, c in SPARSE_TERMS], 1),
        Objective("objective", "min"),
        2,
    ),
    "qpbo of spins, maximised": (
        QPBO,
        "a.qpbo",
        # On the diagonal, squares.
        lambda x: sum((1 if i == j else 2) * c * spins(x)[i - 1] * spins(x)[j - 1] for i, j, c in QPBO_TERMS),
        Objective("objective", "max", -1.0, domain="spins"),
        3,
    ),
    "qh": (QH, "a.qh", lambda x: triples(spins(x), QH_TERMS, 1), Objective(domain="spins"), 2),
    "coo of bits": (
        f"# vartype=BINARY\n{COO}",
        None,
        lambda x: triples(x, [(COO_PLACES[i], COO_PLACES[j], c) for i, j, c in COO_TERMS]),
        Objective(),
        2,
    ),
    "coo of spins": (
        f"#vartype = spin\n# offset=-2.5\n{COO}",
        "x.coo",
        lambda x: triples(spins(x), [(COO_PLACES[i], COO_PLACES[j], c) for i, j, c in COO_TERMS]) - 2.5,
        Objective(domain="spins"),
        2,
    ),
    "qubo": (QUBO, None, lambda x: triples(x, QUBO_TERMS), Objective(), 3),
    "bqpjson of spins": (json.dumps(BQPJSON), None, lambda x: bqp(spins(x)), Objective(domain="spins"), 2),
    "bqpjson of bits": (json.dumps(BQPJSON | {"variable_domain": "boolean"}), "a.json", bqp, Objective(), 2),
    "uai of logarithms": (LG, "a.UAI.LG", log_potential, Objective("log potential", "max", -1.0), 2),
    "wcsp": (WCSP, None, wcsp_cost, Objective("cost"), 3),
    "cfn": (CFN, None, cfn_cost, Objective("cost"), 3),
    "cfn, maximised": (MAXIMISED, None, cfn_cost, Objective("cost", "max", -1.0), 3),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_energies_follow_the_definition(case: tuple[str, str | None, Value, Objective, int]) -> None:
    text, name, value, objective, edges = case
    mrf = load(text.encode(), name=name)
    assert mrf.n_edges == edges
    assert mrf.objective == objective
    for x in itertools.product((0, 1), repeat=mrf.n):
        assert objective.value(mrf.energy(x)) == pytest.approx(value(x), rel=1e-12, abs=1e-12)
        # The sense is kept: what the source prefers has less energy.
        assert math.copysign(1.0, objective.scale) == (1.0 if objective.sense == "min" else -1.0)


@pytest.mark.parametrize("name", ["wcsp", "cfn", "cfn, maximised", "qpbo of spins, maximised", "uai of logarithms"])
def test_highs_finds_the_best_value_of_the_definition(name: str) -> None:
    text, file, value, objective, _ = CASES[name]
    mrf = load(text.encode(), name=file)
    best = (max if objective.sense == "max" else min)(value(x) for x in itertools.product((0, 1), repeat=mrf.n))
    found = bc.reference(mrf)
    assert objective.value(found.optimum) == pytest.approx(best)
    # The LP is a bound from below on the energy, so from above on what is maximised.
    assert solve_lp(mrf)[0] <= found.optimum + 1e-9
    assert found.lp_bound == pytest.approx(solve_lp(mrf)[0], abs=1e-7)


def test_names_are_the_sources_own() -> None:
    assert load(RUDY.encode()).names == ("1", "2", "3", "4")
    assert load(f"# vartype=SPIN\n{COO}".encode()).names == ("0", "3", "7")
    assert load(json.dumps(BQPJSON).encode()).names == ("9", "2", "40")
    assert load(CFN.encode()).names == ("rain", "sun", "third")
    assert load(b"p qubo 0 2 1 0\n0 0 1", name="m.qubo.gz").name == "m"
    assert load(WCSP.encode()).name == "example"
    assert load(CFN.encode()).name == "by hand"
    assert load(json.dumps(BQPJSON).encode()).description == "by hand"


# -- what is what ---------------------------------------------------------------------------------------------


def test_one_text_two_meanings_the_ending_decides() -> None:
    text = b"3 2\n1 2 5\n2 3 -1\n"
    assert load(text).objective.name == "cut weight"
    assert load(text, name="G1").objective.name == "cut weight"
    assert load(text, name="a.mc.gz").objective.name == "cut weight"
    assert load(text, name="a.sparse").objective.name == "objective"
    assert load(text, name="a.txt", format="sparse").objective.name == "objective"
    # A diagonal entry is no edge.
    assert load(b"3 2\n1 1 5\n2 3 -1\n").objective.name == "objective"
    markov = b"MARKOV\n1\n2\n1\n1 0\n2 0.5 2\n"
    assert load(markov, name="a.uai").energy([1]) == pytest.approx(-math.log(2))
    assert load(markov, name="a.LG").energy([1]) == -2
    assert load(b"1 1 2\n", name="a.qh").objective.domain == "spins"
    assert load(b"1 1 2\n", format="qh").objective.domain == "spins"


LISTS = {
    "max-cut": "3 2\n1 2 5\n2 3 -1\n",
    "max-cut without weights": "3 2\n1 2\n2 3\n",
    "with a diagonal": "3 2\n1 1 5\n2 3 -1\n",
    "of spins": "-3 2\n1 2 5\n2 3 -1\n",
    "with a vartype": "# vartype=SPIN\n1 2 5\n2 3 -1\n",
    "a header of qbsolv": "p qubo 0 3 0 2\n0 1 5\n1 2 -1\n",
    "max-cut, vartype in a comment": "# vartype=SPIN, as bits\n3 2\n1 2 5\n2 3 -1\n",
    "potentials": "MARKOV\n1\n2\n1\n1 0\n2 0.5 2\n",
    "logarithms": "MARKOV\n1\n2\n1\n1 0\n2 -0.5 2\n",
    "functions": "MARKOV 2 2 1 9\n2 2\n1 0 0 1\n0 4\n",
}
# What each is read as without an ending, and which formats would take it, each for another model.
TAKEN = {
    "max-cut": ("rudy", {"rudy", "sparse"}),
    "max-cut without weights": ("rudy", {"rudy"}),
    "with a diagonal": ("sparse", {"sparse"}),
    "of spins": ("sparse", {"sparse"}),
    "with a vartype": ("coo", {"coo", "qh"}),
    "a header of qbsolv": ("qubo", {"qubo"}),
    "max-cut, vartype in a comment": ("rudy", {"rudy", "sparse"}),
    "potentials": ("uai", {"uai", "uai-log"}),
    "logarithms": ("uai", {"uai-log"}),
    "functions": ("uai", {"wcsp"}),
}
# A mark of its own leaves no doubt, and qh is never guessed.
MARKED = {"coo"}


@pytest.mark.parametrize("kind", LISTS)
def test_what_fits_two_formats_is_said_to(kind: str) -> None:
    data, (taken, fitting) = LISTS[kind].encode(), TAKEN[kind]
    found = {}
    for form in FORMATS:
        try:
            found[form.name] = load(data, format=form.name)
        except FormatError:
            pass
        else:
            assert found[form.name].readings == ()
    assert set(found) == fitting
    # An ending decides wherever the format takes the text.
    for form in FORMATS:
        for ending in form.endings if form.name in fitting else ():
            named = load(data, name=f"a{ending}.gz")
            assert (named.readings, named.content_hash()) == ((), found[form.name].content_hash())
    if taken not in fitting:
        with pytest.raises(FormatError):
            load(data)
        return
    for name in (None, "G1", "a.txt"):
        mrf = load(data, name=name)
        assert mrf.content_hash() == found[taken].content_hash()
        assert set(mrf.readings) == (fitting if len(fitting) > 1 and taken not in MARKED else set())
        assert mrf.readings[:1] in ((), (taken,))


def test_rows_that_do_not_say_what_they_are_are_not_guessed() -> None:
    for name in (None, "a.txt", "a.coo"):
        with pytest.raises(FormatError, match="vartype=BINARY"):
            load(COO.encode(), name=name)


# -- what is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("3 2\n1 2 1\n", "a.rud", "line 1: the file promises 2 edges but 1 follow"),
        ("3 1\n1 2 1\n2 3 1\n", "a.rud", "line 1: the file promises 1 edges but 2 follow"),
        ("3 1\n1 4 1\n", "a.rud", "line 2: a row names variable 4; variables run from 1 to 3"),
        ("3 1\n\n0 1 1\n", "a.rud", "line 3: a row names variable 0"),
        ("3 1\n2 2 1\n", "a.rud", "line 2: an edge joins vertex 2 to itself"),
        ("3 1\n1 2 1 1\n", "a.rud", "line 2: a row has 4 words; rows have 2 or 3"),
        ("3 1\n1 2 nan\n", "a.rud", "line 2: a row has 'nan'; coefficients are finite"),
        # Twice that is no number any more, and would pass for a hard constraint.
        ("2 1\n1 2 1e308\n", "a.sparse", "line 2: a row has '1e308'; coefficients are finite, up to 1e+100"),
        ("3 1\n1 1.5 2\n", "a.rud", "line 2: a row has '1.5'; variables have whole numbers"),
        ("3 1\n1 1e30 2\n", "a.rud", "line 2: a row has '1e30'; variables have whole numbers"),
        ("3 1\n1 two 2\n", "a.rud", "line 2: 'two' is not a number"),
        ("0 0\n", "a.rud", "line 1: the file has no variables"),
        ("1000000000000 0\n", "a.rud", "line 1: the file promises 1e+12 variables in 16 bytes"),
        ("hello\n", "a.rud", "line 1: the first line is not the number of vertices and the number of edges"),
        ("3 1\n1 2\n", "a.sparse", "line 2: a row has 2 words; rows have 3"),
        ("-3 -2\n1 2 1\n", "a.qpbo", "line 1: the file promises 2 coefficients but 1 follow"),
        ("1 1 2\n0 1 2\n", "a.qh", "line 2: a row names variable 0"),
        ("# vartype=TERNARY\n0 1 2\n", None, "line 1: the file does not say whether its variables are bits or spins"),
        ("# vartype=SPIN\n", None, "the file has no coefficients"),
        ("# vartype=SPIN\n# offset=x\n0 1 2", None, "line 1: 'x' is not a number"),
        ("p qubo 0 3 1\n0 0 1", None, "line 1: the first line is not p qubo 0 n d c"),
        ("c\np qubo 0 3 1 1\n0 0 1", None, "line 2: the file promises 2 coefficients but 1 follow"),
        ("p qubo 0 3 1 0\n3 3 1", None, "line 2: a row names variable 3; variables run from 0 to 2"),
        (WCSP.replace("2 2 2 2\n", "2 3 2 2\n"), None, "line 2: variable 1 has 3 values; only binary"),
        (WCSP.replace("-2 2 1", "3 2 1 0"), None, "line 6: an arity is 3; only cost functions of at most two"),
        (
            WCSP.replace("2 3 0 0 -1", "2 3 0 -1 salldiff"),
            None,
            "line 8: a cost function is given by the keyword 'sall",
        ),
        (WCSP.replace("2 3 0 0 -1", "2 3 0 0 -2"), None, "line 8: a number of tuples is -2"),
        (WCSP.replace("1 3 4 1", "1 3 4 -1"), None, "line 9: a shared table is for another number of variables"),
        (WCSP.replace("2 3 0 0", "2 3 3 0"), None, "line 8: a cost function names variable 3 twice"),
        (WCSP.replace("2 3 0 0", "2 3 4 0"), None, "line 8: a variable is 4; it must be a whole number from 0 to 3"),
        (WCSP.replace(" 1 1 7", " 1 2 7"), None, "line 5: a value is 2; it must be a whole number from 0 to 1"),
        (WCSP.replace(" 1 1 7", " 1 1 -7"), None, "line 5: a cost is -7; costs are not negative"),
        (WCSP.replace("4 2 6 100", "4 2 7 100"), None, "line 12: the file ends too early"),
        (WCSP.replace("4 2 6 100", "4 2 5 100"), None, "line 12: 5 more numbers follow"),
        (WCSP.replace("4 2 6 100", "4 2 999999999999 100"), None, "line 2: the file promises more cost functions than"),
        (CFN.replace("third: 2", "third: 3"), None, "line 4: variable 'third' has 3 values; only binary"),
        (CFN.replace("dark, bright", "dark, bright, grey"), None, "line 4: variable 'sun' has 3 values"),
        (CFN.replace("third: 2", "sun: 2"), None, "line 4: the variable 'sun' is given twice"),
        (CFN.replace("[third]", "[fourth]"), None, "line 7: a scope names the variable 'fourth'"),
        (CFN.replace("[sun, third]", "[sun, sun]"), None, "line 9: a scope names the variable 'sun' twice"),
        (
            CFN.replace("[sun, third]", "[sun, third, rain]"),
            None,
            "line 9: a cost function has 3 variables",
        ),
        (CFN.replace("costs: f", "costs: k"), None, "line 9: there is no function 'k' of as many variables"),
        (CFN.replace("1, 2, -3]", "1, 2]"), None, "line 6: a table has 3 costs; its scope needs 4"),
        (CFN.replace("-3]", "three]"), None, "line 6: 'three' is not a number"),
        (CFN.replace("-3]", "nan]"), None, "line 6: 'nan' is not a number"),
        (CFN.replace("-3]", "-inf]"), None, "a cost is infinitely good"),
        (CFN.replace("1, yes", "1, maybe"), None, "line 8: 'maybe' is no value of the variable 'rain'"),
        (CFN.replace("costs: f", "type: salldiff params: {}"), None, "line 9: a cost function has the type 'salldiff'"),
        (CFN.replace("<1000.0", "1000.0"), None, "line 2: the bound is '1000.0'; write"),
        (CFN.replace("<1000.0", "<-14"), None, "no labelling stays within the bound"),
        (CFN.rstrip().rstrip("}"), None, "line 11: the file ends too early"),
        (CFN + "}", None, "line 12: '}' comes where this should be: the last brace"),
        (CFN.replace("functions", "variables"), None, "line 5: 'variables' comes where this should be: functions: {"),
        (json.dumps(BQPJSON | {"variable_domain": "trit"}), None, "\"variable_domain\" is 'trit'"),
        (json.dumps(BQPJSON | {"variable_ids": [9, 2]}), None, "quadratic_terms[0] names variable 40"),
        (json.dumps(BQPJSON | {"variable_ids": [9, 2, 2]}), None, '"variable_ids" are not distinct whole numbers'),
        (json.dumps(BQPJSON | {"scale": "2"}), None, "\"scale\" is '2'"),
        (json.dumps(BQPJSON | {"sclae": 2}), None, "the file has an unknown key 'sclae'"),
        (json.dumps(BQPJSON | {"linear_terms": [{"id": 2}]}), None, "linear_terms[0] is {'id': 2}"),
        (json.dumps(BQPJSON | {"linear_terms": [{"id": 2, "coeff": "x"}]}), None, "linear_terms[0].coeff is 'x'"),
        (
            json.dumps(BQPJSON | {"quadratic_terms": [{"id_head": 2, "id_tail": 2, "coeff": 1}]}),
            None,
            "quadratic_terms[0] joins variable 2 to itself",
        ),
        (LG.replace("-4", "inf"), "a.LG", "line 10: a logarithm is inf"),
        (LG, "a.uai", "line 11: the table of factor 2 is said to have -1 entries"),
        (
            "MARKOV\n1\n2\n1\n1 0\n2 -0.5 1",
            "a.uai",
            "line 6: a potential is -0.5; potentials are finite and not negative",
        ),
    ],
)
def test_errors_say_where_what_and_how_to_mend(text: str, name: str | None, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(text.encode(), name=name)
    assert str(caught.value).startswith(said)
    assert "; " in str(caught.value)
    assert len(str(caught.value)) < 300


# -- hard constraints -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "forbidden"),
    [
        (WCSP.replace("4 2 6 100", "4 2 6 7"), None, lambda x: x[0] == x[1] == 1),
        (CFN.replace("-3]", "inf]"), None, lambda x: x[0] == x[1] == 1 or x[1] == x[2] == 1),
        (MAXIMISED.replace("-3]", "-inf]"), None, lambda x: x[0] == x[1] == 1 or x[1] == x[2] == 1),
        # The least costs together are -14, so that no cost may exceed the least of its table by 5.
        (CFN.replace("<1000.0", "<-9"), None, lambda x: x[2] == x[0] == 1 or x[1:] == (1, 0) or x[:2] == (1, 0)),
        (LG.replace("-4", "-inf"), "a.LG", lambda x: x[2] == x[1] == 1),
    ],
)
def test_hard_constraints_stay_hard(text: str, name: str | None, forbidden: Callable[[tuple[int, ...]], bool]) -> None:
    mrf = load(text.encode(), name=name)
    assert mrf.hard_entries > 0
    feasible = {x: mrf.is_feasible(mrf.energy(x)) for x in itertools.product((0, 1), repeat=mrf.n)}
    assert feasible == {x: not forbidden(x) for x in feasible}


# The scope of a table with a given number of entries, in UAI and wcsp.
SCOPES = {1: "0", 2: "1 0", 4: "2 0 1"}


def huge_lg(tables: list[list[float]]) -> str:
    scopes = "\n".join(SCOPES[len(table)] for table in tables)
    return f"MARKOV 2 2 2 {len(tables)}\n{scopes}\n" + "\n".join(f"{len(t)} " + words(t) for t in tables)


def huge_wcsp(tables: list[list[float]]) -> str:
    places = {1: [""], 2: ["0", "1"], 4: ["0 0", "0 1", "1 0", "1 1"]}
    functions = (
        f"{SCOPES[len(t)]} 0 {len(t)}\n" + "\n".join(f"{p} {abs(v)!r}" for p, v in zip(places[len(t)], t, strict=True))
        for t in tables
    )
    return f"huge 2 2 {len(tables)} inf\n2 2\n" + "\n".join(functions)


def huge_cfn(tables: list[list[float]]) -> str:
    scope = {1: "", 2: "a", 4: "a b"}
    functions = " ".join(f"{{scope: [{scope[len(t)]}] costs: [{words(t)}]}}" for t in tables)
    return f"{{problem: {{name: huge mustbe: <inf}} variables: {{a: 2 b: 2}} functions: {{{functions}}}}}"


def words(table: list[float]) -> str:
    return " ".join(map(repr, table))


@pytest.mark.parametrize(
    ("text", "name"), [(huge_lg, "a.LG"), (huge_wcsp, "a.wcsp"), (huge_cfn, "a.cfn")], ids=["lg", "wcsp", "cfn"]
)
@settings(max_examples=60)
@given(tables=st.data())
def test_sums_of_huge_energies_are_one_clear_error(
    text: Callable[[list[list[float]]], str], name: str, tables: st.DataObject
) -> None:
    """Whatever is too large for a sum is said to be; nothing becomes infinite by the way, nor NaN."""
    number = st.sampled_from((0.0, 1.0, 9e98, -9e98, 1.01e100, 1e200, 1e308, -1e308, 1.7e308))
    table = st.sampled_from((1, 2, 4)).flatmap(lambda size: st.lists(number, min_size=size, max_size=size))
    chosen = tables.draw(st.lists(table, min_size=1, max_size=5))
    largest = max(abs(value) for table in chosen for value in table)
    if largest > 1e100:
        with pytest.raises(FormatError, match=r"1e\+100"):
            load(text(chosen).encode(), name=name)
    else:
        assert load(text(chosen).encode(), name=name).hard_entries == 0


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (
            huge_lg([[0, 0], [1e308, 0], [1e308, 0]]),
            "a.LG",
            "line 6: a logarithm is 1e+308; logarithms are up to",
        ),
        (
            huge_wcsp([[1e308, 0], [1e308, 0]]),
            "a.wcsp",
            "an energy is 1e+308 in size; scale the model",
        ),
        (huge_cfn([[1e308, 0], [1e308, 0]]), "a.cfn", "an energy is 1e+308 in size; scale the model"),
        (
            huge_cfn([[-1e308, 0], [-1e308, 0]]),
            "a.cfn",
            "an energy is 1e+308 in size; scale the model",
        ),
        # Not spelled as infinite, they forbid nothing.
        ("MARKOV 1 2 1 1 0 2 -1e400 0", "a.LG", "line 1: '-1e400' is too large a number"),
        ("w 1 2 1 inf 2 1 0 0 1 0 1e400", "a.wcsp", "line 1: '1e400' is too large a number"),
        (CFN.replace("-3]", "1e400]"), "a.cfn", "line 6: '1e400' is too large a number"),
        ("# vartype=SPIN\n0 1 1e400", "a.coo", "line 2: '1e400' is too large a number"),
    ],
)
def test_what_overflows_forbids_nothing(text: str, name: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(text.encode(), name=name)
    assert str(caught.value).startswith(said)


def test_a_cost_at_the_bound_may_have_any_size() -> None:
    for text, name in (
        (huge_cfn([[1e308, 0], [1e308, 0]]).replace("<inf", "<9"), "a.cfn"),
        (huge_wcsp([[1e308, 0], [1e308, 0]]).replace("inf", "9"), "a.wcsp"),
    ):
        assert load(text.encode(), name=name).hard_entries == 1


def test_a_potts_factor_may_forbid() -> None:
    mrf = load(b"MARKOV 2 2 2 1 2 0 1 -1 -inf", name="a.LG")
    assert [mrf.violations(x) for x in itertools.product((0, 1), repeat=2)] == [0, 1, 1, 0]


# -- round trips ----------------------------------------------------------------------------------------------

WRITABLE = [form for form in FORMATS if form.write is not None]


@st.composite
def glasses(draw: st.DrawFn) -> BinaryMRF:
    """Models of bits or spins, with isolated variables, fields and constants or without them."""
    n = draw(st.integers(1, 6))
    number = st.one_of(st.integers(-9, 9).map(float), st.floats(-1e6, 1e6, allow_subnormal=False))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1])))
    weights = np.array([draw(number) for _ in pairs]).reshape(-1, 1, 1)
    field = np.array([draw(number) for _ in range(n)]) * draw(st.sampled_from((0.0, 1.0)))
    domain = draw(st.sampled_from(("bits", "spins")))
    table = {"bits": [[0.0, 0.0], [0.0, 1.0]], "spins": [[1.0, -1.0], [-1.0, 1.0]], "cut": [[0.0, -1.0], [-1.0, 0.0]]}
    kind = draw(st.sampled_from((domain, domain, "cut")))
    return BinaryMRF(
        unary=np.column_stack([np.zeros(n) if kind != "spins" else -field, field]),
        edges=np.array(pairs, np.int64).reshape(-1, 2),
        pairwise=weights * np.array(table[kind]),
        constant=draw(st.sampled_from((0.0, 1.0))) * draw(number),
        objective=Objective(domain=domain),
    )


@pytest.mark.parametrize("form", WRITABLE, ids=lambda form: form.name)
@settings(max_examples=60)
@given(mrf=glasses())
def test_what_is_written_is_read_again(form: bc.io.Format, mrf: BinaryMRF) -> None:
    if form.name in ("uai", "rudy", "sparse", "qubo", "qh"):
        # They cannot say everything, and then say so.
        try:
            data = dumps(mrf, form.name)
        except FormatError:
            return
    data = dumps(mrf, form.name)
    again = load(data, name=f"a{form.endings[0]}")
    assert again.n == mrf.n
    # Potentials near 1 round energies near 0, by little enough or they are refused.
    size = abs(mrf.constant) + np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum()
    kept = 1e-8 if form.name == "uai" else 1e-11
    for x in itertools.product((0, 1), repeat=mrf.n):
        assert again.energy(x) == pytest.approx(mrf.energy(x), rel=1e-9, abs=kept * size)
    if form.name != "uai":
        # All others come back to the last bit.
        assert load(dumps(again, form.name), name=f"a{form.endings[0]}").content_hash() == again.content_hash()


@pytest.mark.parametrize("form", WRITABLE, ids=lambda form: form.name)
def test_a_thousand_labellings_keep_their_energies(form: bc.io.Format) -> None:
    mrf = ising_grid(8, 8, coupling="gaussian", seed=3)
    if form.name == "rudy":
        # A cut has no constant of its own.
        weights = np.random.default_rng(0).normal(size=(mrf.n_edges, 1, 1))
        mrf = BinaryMRF(mrf.unary * 0, mrf.edges, weights * np.array([[0.0, -1.0], [-1.0, 0.0]]))
    if form.name == "qubo":
        weights = np.random.default_rng(0).normal(size=(mrf.n_edges, 1, 1))
        mrf = BinaryMRF(
            np.column_stack([np.zeros(64), np.arange(64)]), mrf.edges, weights * np.array([[0, 0], [0, 1.0]])
        )
    again = load(dumps(mrf, form.name), name=f"a{form.endings[0]}")
    for x in np.random.default_rng(1).integers(0, 2, (1000, mrf.n)):
        assert again.energy(x) == pytest.approx(mrf.energy(x), rel=1e-9)


def test_formats_say_what_they_cannot_hold() -> None:
    constant = BinaryMRF(np.array([[0.0, 1.0]]), constant=3.0)
    for name in ("qubo", "qh", "sparse", "rudy"):
        with pytest.raises(FormatError, match=r"has the constant [0-9.]+, which .* cannot hold; drop it"):
            dumps(constant, name)
    with pytest.raises(FormatError, match="variable 0 prefers one of its values"):
        dumps(BinaryMRF(np.array([[-1.0, 1.0]])), "rudy")
    with pytest.raises(FormatError, match="toulbar2 cfn is only read; choose one of: native, bqpjson, uai"):
        dumps(constant, "cfn")


@pytest.mark.parametrize("size", [1e-20, 1e-200, 1e-12])
def test_energies_that_potentials_round_to_1_are_refused(size: float) -> None:
    glass = ising_grid(3, 3, coupling="gaussian", seed=1)
    mrf = BinaryMRF(size * glass.unary, glass.edges, size * glass.pairwise)
    with pytest.raises(FormatError, match=r"too small for UAI, .* write uai-log \(.uai.LG\) or native"):
        dumps(mrf, "uai")
    for name in ("uai-log", "native"):
        again = load(dumps(mrf, name), format=name)
        assert again.energy([1] * 9) == pytest.approx(mrf.energy([1] * 9), rel=1e-12)
    with pytest.raises(FormatError, match=r"the constant 1e-20 is too small for UAI"):
        dumps(BinaryMRF(np.zeros((2, 2)), constant=1e-20), "uai")


def test_small_energies_beside_ordinary_ones_are_rounded() -> None:
    mrf = BinaryMRF(np.array([[0.0, 1.0], [0.0, 1e-20], [5.0, 5.0 + 1e-12], [0.3, 0.3]]), constant=1e-20)
    assert load(dumps(mrf, "uai"), format="uai").energy([1] * 4) == pytest.approx(mrf.energy([1] * 4), rel=1e-14)
    flat = BinaryMRF(np.full((3, 2), 1e-3))
    assert load(dumps(flat, "uai"), format="uai").energy([0] * 3) == pytest.approx(3e-3, rel=1e-9)


def test_energies_too_small_for_spins_are_refused() -> None:
    mrf = BinaryMRF(np.zeros((2, 2)), [[0, 1]], [[[0.0, 0.0], [0.0, 5e-324]]])
    with pytest.raises(FormatError, match=r"energies of 4.94066e-324 at most lose digits as spins; write native"):
        dumps(mrf, "qh")


@pytest.mark.parametrize("form", WRITABLE, ids=lambda form: form.name)
def test_nothing_is_written_that_is_not_read(form: bc.io.Format) -> None:
    with pytest.raises(FormatError, match="the model has no variables"):
        dumps(BinaryMRF(np.zeros((0, 2))), form.name)


@pytest.mark.parametrize("name", ["qubo", "qh", "sparse", "rudy"])
def test_without_its_constant_a_model_prefers_the_same(name: str) -> None:
    weights = np.array([[0.0, -1.0], [-1.0, 0.0]]) if name == "rudy" else np.array([[1.0, 2.0], [4.0, 0.5]])
    mrf = BinaryMRF(np.zeros((3, 2)), np.array([[0, 1], [1, 2]]), np.array([1.5, -2.0])[:, None, None] * weights, 7.0)
    bare = without_unheld_constant(mrf, name)
    again = load(dumps(bare, name), name=f"a.{name}")
    lost = {round(mrf.energy(x) - again.energy(x), 9) for x in itertools.product((0, 1), repeat=3)}
    assert len(lost) == 1
    assert lost != {0.0}


@pytest.mark.parametrize("name", ["qubo", "qh", "sparse"])
def test_without_its_constant_a_model_forbids_the_same(name: str) -> None:
    mrf = BinaryMRF([[0.0, np.inf], [1.0, 3.0]], [[0, 1]], [[[1.0, 2.0], [4.0, 0.5]]], constant=50.0)
    bare = without_unheld_constant(mrf, name)
    assert bare.constant != mrf.constant
    for x in itertools.product((0, 1), repeat=2):
        assert bare.is_feasible(bare.energy(x)) == mrf.is_feasible(mrf.energy(x)) == (x[0] == 0)


# -- evidence -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["2 1 0 3 1", "1\n2 1 0 3 1\n", "/* Evidence */\n2 1 0\n3 1", "1 2 3 1 1 0 # known"])
def test_evidence_conditions_the_model(text: str) -> None:
    mrf = load(UAI4.encode())
    given = load(UAI4.encode(), evidence=text.encode())
    assert given.n == mrf.n
    assert given.names == mrf.names
    for x in itertools.product((0, 1), repeat=4):
        agrees = x[1] == 0 and x[3] == 1
        assert given.is_feasible(given.energy(x)) == (agrees and mrf.is_feasible(mrf.energy(x)))
        if agrees and mrf.is_feasible(mrf.energy(x)):
            assert given.energy(x) == pytest.approx(mrf.energy(x))


UAI4 = (
    "MARKOV 4 2 2 2 2 6  1 0  2 0 1  2 2 1  2 2 3  2 3 1  1 2  2 1 2  4 1 2 3 4  4 0 5 6 7  4 8 1 0 2  4 1 3 5 7  2 2 3"
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("2 1 0", "line 1: the number of observed variables and the pairs that follow disagree"),
        ("2\n1 0\n2 1 1\n", "line 1: the evidence has 2 samples"),
        ("1 4 0", "line 1: variable 4 is observed; variables run from 0 to 3"),
        ("1\n1 2", "line 2: a value is 2; values are 0 and 1"),
        ("2 1 0 1 1", "line 1: variable 1 is observed twice, differently"),
        ("2 1 0 2 0", "what was observed violates a hard constraint; correct the evidence"),
    ],
)
def test_evidence_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(UAI4.encode(), evidence=text.encode())
    assert str(caught.value).startswith(said)


def test_no_evidence_changes_nothing() -> None:
    mrf = load(UAI4.encode())
    assert load(UAI4.encode(), evidence=b"0").content_hash() == mrf.content_hash()


# -- published instances --------------------------------------------------------------------------------------


def published(folder: Path) -> list[tuple[str, int, int, float]]:
    rows = [line.strip().strip("|").split("|") for line in (folder / "INDEX.md").read_text("utf-8").splitlines()]
    cells = [[cell.strip() for cell in row] for row in rows if len(row) == 6 and "." in row[0]]
    return [(row[0], int(row[2]), int(row[3]), float(row[4])) for row in cells]


def test_published_instances_have_the_published_bounds(shared_instances: Path) -> None:
    found = published(shared_instances)
    assert len(found) == 11
    for file, n, edges, bound in found:
        mrf = load(shared_instances / file)
        assert (mrf.n, mrf.n_edges) == (n, edges), file
        # The table prints three decimals for some.
        printed = 5.1e-4 if bound == round(bound, 3) else 0
        assert solve_lp(mrf)[0] == pytest.approx(bound, rel=1e-6, abs=printed), file
