"""Quadratic programs of QPLIB over bits: their values from the definition, and refusals in one sentence."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bender_core.io import FormatError, load
from tests.models import examples
from tests.unit.io.test_io_fuzz import outcome

QBN = """! by hand
QPLIB_0000
QBN
maximize
3 # number of variables
4 # number of quadratic terms in objective
2 1 3.0
3 3 -5
3 1 -2.5
1 3 1
0.5 # default value for linear coefficients in objective
1 # number of non-default linear coefficients in objective
2 -1.25
7.5 # objective constant
1.7E+308 # value for infinity
0.0 # default variable primal value in starting point
1 # number of non-default variable primal values in starting point
3 1
0.0 # default variable bound dual value in starting point
0 # number of non-default variable bound dual values in starting point
2 # number of non-default variable names
3 flow
1 x#1
0 # number of non-default constraint names
"""


def value(x: tuple[int, ...]) -> float:
    a, b, c = x
    return 7.5 + 0.5 * a - 1.25 * b + 0.5 * c + 0.5 * (3 * a * b - 5 * c * c - 2.5 * a * c + a * c)


@pytest.mark.parametrize("kind", ["QBN", "CBB", "dbn"])
@pytest.mark.parametrize(("sense", "sign"), [("maximize", -1.0), ("MINIMIZE", 1.0)])
def test_programs_have_the_values_of_the_definition(kind: str, sense: str, sign: float) -> None:
    mrf = load(QBN.replace("QBN", kind).replace("maximize", sense).encode())
    assert mrf.names == ("x", "2", "flow")
    assert mrf.objective.sense == sense[:3].lower()
    for x in itertools.product((0, 1), repeat=3):
        assert mrf.energy(x) == sign * value(x)
        assert mrf.objective.value(mrf.energy(x)) == value(x)


def test_a_linear_program_has_no_quadratic_part() -> None:
    text = QBN.replace("QBN", "LBN").replace("4 # number of quadratic terms in objective\n", "")
    mrf = load(text.replace("2 1 3.0\n3 3 -5\n3 1 -2.5\n1 3 1\n", "").encode(), name="a.qplib.gz")
    assert (mrf.n_edges, mrf.energy([1, 1, 0])) == (0, -6.75)
    assert load(QBN.replace("3 flow\n1 x#1\n", "3 7\n1 8\n").encode()).names == ("8", "2", "7")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("QBN", "QCN", "line 3: the type is QCN: variables are continuous; only binary variables are supported"),
        ("QBN", "CMB", "line 3: the type is CMB: variables are in part continuous"),
        ("QBN", "QIN", "line 3: the type is QIN: variables are whole numbers"),
        ("QBN", "QGN", "line 3: the type is QGN: variables are in part whole numbers"),
        ("QBN", "QBL", "line 3: the type is QBL: there are linear constraints; put them into the objective as"),
        ("QBN", "LBQ", "line 3: the type is LBQ: there are quadratic constraints"),
        ("QBN", "QXN", "line 3: the type is 'QXN'; write three letters like QBN after the name"),
        ("maximize", "max", "line 4: the sense is 'max'; write minimize or maximize"),
        ("3 # number of v", "0 # number of v", "line 5: the file has no variables"),
        ("3 # number of v", "-3 # number of v", "line 5: the number of variables is -3; give a count"),
        ("3 # number of v", "2.5 # number of v", "line 5: the number of variables is 2.5; give a count"),
        ("3 # number of v", "1000000000000 # n", "line 5: the file promises 1e+12 variables in"),
        ("3 # number of v", f"{'9' * 400} # n", "line 5: '999999999999999999999...' is too large a number"),
        ("4 # number of q", "1000000000000 # n", "line 6: the file promises more quadratic terms than the 25 numbers"),
        ("4 # number of q", "5 # number of q", "line 11: a variable is 0.5; it must be a whole number from 1 to 3"),
        ("2 1 3.0", "4 1 3.0", "line 7: a variable is 4; it must be a whole number from 1 to 3"),
        ("2 1 3.0", "2 0 3.0", "line 7: a variable is 0; it must be"),
        ("2 1 3.0", "2 1 nan", "line 7: a coefficient is nan; coefficients are finite, up to 1e+100"),
        ("2 1 3.0", "2 1 1e101", "line 7: a coefficient is 1e101; coefficients are finite"),
        ("1 # number of non-default l", "1000000000000 #", "line 12: the file promises more linear coefficients than"),
        ("1 # number of non-default linear", "2 2 1 # n", "line 13: variable 2 has two of the linear coefficients"),
        ("7.5", "-inf", "line 14: a coefficient is -inf"),
        ("7.5", "seven", "line 14: 'seven' is not a number"),
        ("1.7E+308", "1.8E+308", "line 15: '1.8E+308' is too large a number"),
        ("2 # number of non-default variable", "4 #", "line 21: the number of names is 4; it must be a whole number"),
        ("3 flow", "4 flow", "line 22: '4' names no variable; they run from 1 to 3"),
        ("3 flow", "0 flow", "line 22: '0' names no variable"),
        ("3 flow", f"{'9' * 5000} flow", "line 22: '999999999999999999999...' names no variable"),
        ("1 x#1", "flow", "line 23: 'flow' names no variable"),
        ("0 # number of non-default constraint", "1 #", "line 24: the file does not end with 0 names of constraints"),
        ("0 # number of non-default constraint names\n", "", "line 23: the file does not end with 0 names"),
        ("0 # number of non-default constraint", "0 0 #", "line 24: the file does not end with 0 names"),
    ],
)
def test_programs_that_are_wrong_are_refused(old: str, new: str, said: str) -> None:
    assert old in QBN
    with pytest.raises(FormatError) as caught:
        load(QBN.replace(old, new, 1).encode(), name="a.qplib")
    assert str(caught.value).startswith(said)
    assert len(str(caught.value)) < 300


def test_every_truncation_is_a_sentence() -> None:
    for end in range(len(QBN) - 60):
        with pytest.raises(FormatError):
            load(QBN[:end].encode(), name="a.qplib")


@settings(max_examples=examples(300))
@given(
    st.lists(
        st.tuples(
            st.integers(0, 60), st.sampled_from(["", "0", "-1", "1e999", "9" * 500, "nan", "x", "2", "QIN", "#"])
        ),
        max_size=4,
    )
)
def test_any_changes_give_a_model_or_a_sentence(edits: list[tuple[int, str]]) -> None:
    words = QBN.split(" ")
    for k, new in edits:
        words[k % len(words)] = new
    outcome(" ".join(words).encode(), "a.qplib")
