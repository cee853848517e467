"""The formats of other fields: files written by hand, their energies worked out from each format's definition."""

from __future__ import annotations

import itertools
import json
import math

import pytest

import bender_core as bc
from bender_core.io import FORMATS, FormatError, load
from bender_core.objective import Objective
from tests.unit.io.written import (
    BQPJSON,
    CASES,
    CFN,
    COO,
    LG,
    RUDY,
    WCSP,
    Value,
)
from tests.unit.local_polytope import solve_lp


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
    "max-cut": ("rudy", {"rudy", "sparse", "qh"}),
    "max-cut without weights": ("rudy", {"rudy"}),
    "with a diagonal": ("sparse", {"sparse", "qh"}),
    "of spins": ("sparse", {"sparse"}),
    "with a vartype": ("coo", {"coo", "qh"}),
    "a header of qbsolv": ("qubo", {"qubo"}),
    "max-cut, vartype in a comment": ("rudy", {"rudy", "sparse", "qh"}),
    "potentials": ("uai", {"uai", "uai-log"}),
    "logarithms": ("uai", {"uai-log"}),
    "functions": ("uai", {"wcsp"}),
}
# A mark of its own leaves no doubt, and qh is never guessed.
MARKED = {"coo"}


@pytest.mark.parametrize("kind", LISTS)
def test_text_that_fits_two_formats_is_reported(kind: str) -> None:
    data, (taken, fitting) = LISTS[kind].encode(), TAKEN[kind]
    found = {}
    for form in FORMATS:
        if form.name == "edges":  # which is never guessed
            continue
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


def test_lists_of_edges_keep_their_names_and_count_what_is_given_twice() -> None:
    rows = load(b"30 10 1\n10 20 2\n", name="a.el")
    assert rows.names == ("10", "20", "30")
    assert rows.energy([1, 0, 0]) == -3.0
    assert load(b"30 10 1\n10 20 2\n", format="edges").content_hash() == rows.content_hash()
    both = load(b"%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 3\n2 1 3\n")
    assert both.energy([0, 1]) == -6.0
    assert any("every pair is given twice" in note for note in both.notes)
    pattern = load(b"%%MatrixMarket matrix coordinate pattern symmetric\r\n%\r\n3 3 2\r\n2 1\r\n3 2\r\n", name="x")
    assert pattern.energy([0, 1, 0]) == -2.0
    assert load(b"c by hand\nc\np edge 3 1\ne 1 2\n", name="a.clq").n == 3
    noted = load(b"c offset is 42\np edge 3 1\ne 1 2\n")
    assert any("is not understood, and not read" in note for note in noted.notes)


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("p edge 3 1\ne 1 1\n", "a.col", "line 2: an edge joins vertex 1 to itself; such an edge is in no cut"),
        ("p edge 3 1\ne 1 4\n", "a.col", "line 2: a row names variable 4; variables run from 1 to 3"),
        ("p edge 3 1\nn 1 4\n", "a.col", "line 2: 'n' is not a number"),
        ("q edge 3 1\ne 1 2\n", "a.col", "line 1: the first line is not p edge n m"),
        ("1 2\n2 2\n", "a.el", "line 2: an edge joins vertex 2 to itself"),
        ("# nothing\n", "a.el", "the file has no edges; write rows i j w"),
        ("5 4\n1 2\n2 3\n3 4\n4 5\n", "a.el", "line 1: the first row may be the numbers of vertices and edges"),
        ("1 2\n2 3 4\n", "a.el", "line 2: some rows have weights, and others have none"),
        ("p edge 2 1.5\ne 1 2\n", "a.col", "line 1: the numbers of vertices and edges are missing"),
        (f"p edge {'9' * 5000} 1\ne 1 2\n", "a.col", "line 1: '999999999999999999999...' is too large a number"),
        (f"2 {'9' * 400}\n1 2 1\n", "a.rud", "line 1: '999999999999999999999...' is too large a number"),
        (f"2 -{'9' * 400}\n1 2 1\n", "a.sparse", "line 1: '-99999999999999999999...' is too large a number"),
        (f"2 {'9' * 400}\n1 2 1\n", "a.qh", "line 1: '999999999999999999999...' is too large a number"),
        (f"p qubo 0 2 1 {'9' * 400}\n0 0 1\n", None, "line 1: '999999999999999999999...' is too large a number"),
        ("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 3\n", "a.mtx", "line 3: a row has 3 words"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n", "a.mtx", "line 3: a row has 2 words"),
        ("1 b\n", "a.wel", "line 1: 'b' is not a number"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", "a.mtx", "line 1: this is no matrix of weights"),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2\n",
            "a.mtx",
            "line 2: the numbers of rows, columns and entries",
        ),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n", "a.mtx", "line 2: the file promises 1 edges but 0"),
    ],
)
def test_graphs_that_are_wrong_are_refused(text: str, name: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(text.encode(), name=name)
    assert str(caught.value).startswith(said)


def test_ambiguous_rows_are_not_guessed() -> None:
    for name in (None, "a.txt", "a.coo"):
        with pytest.raises(FormatError, match="vartype=BINARY"):
            load(COO.encode(), name=name)


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
        ("hello\n", "a.rud", "line 1: the numbers of vertices and edges are missing"),
        ("3 1\n1 2\n", "a.sparse", "line 2: a row has 2 words; rows have 3"),
        ("-3 -2\n1 2 1\n", "a.qpbo", "line 1: the file promises 2 coefficients but 1 follow"),
        ("2 2\n2 2 1\n0 1 2\n", "a.qh", "line 3: a row names variable 0; variables run from 1 to 2"),
        ("2 1\n3 0 1\n", "a.qh", "line 2: a row names variable 3; variables run from 0 to 1"),
        ("3 1\n1 1 2\n2 2 1\n", "a.qh", "line 1: the file promises 1 rows but 2 follow"),
        ("# vartype=TERNARY\n0 1 2\n", None, "line 1: the vartype is 'TERNARY'; write BINARY or SPIN"),
        ("# vartype=SPIN\n", None, "the file has no coefficients"),
        ("# vartype=SPIN\n# offset=x\n0 1 2", None, "line 2: 'x' is not a number"),
        ("p qubo 0 3 1\n0 0 1", None, "line 1: the first line is not p qubo 0 n d c"),
        ("c\np qubo 0 3 1 1\n0 0 1", None, "line 2: the file promises 2 coefficients but 1 follow"),
        ("p qubo max 2 1 1\n0 0 -1\n0 1 3", None, "line 1: the target is 'max'; write 0, and read what is"),
        (
            "c\np qubo 0 2 2 0\n0 0 -1\n0 1 3",
            None,
            "line 2: the file promises 2 diagonal and 0 other coefficients but 1 and 1 follow; correct the counts",
        ),
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
        (CFN + "}", None, "line 12: '}' is found in place of: the last brace"),
        (CFN.replace("functions", "variables"), None, "line 5: 'variables' is found in place of: functions: {"),
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
def test_errors_say_where_what_and_how_to_fix_it(text: str, name: str | None, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(text.encode(), name=name)
    assert str(caught.value).startswith(said)
    assert "; " in str(caught.value)
    assert len(str(caught.value)) < 300
