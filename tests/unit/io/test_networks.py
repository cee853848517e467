"""Bayesian networks (BIF) and factor graphs (libDAI): the product of what the files say, and refusals in a sentence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pgmpy.factors.discrete import TabularCPD
from pgmpy.models import DiscreteBayesianNetwork
from pgmpy.readwrite import BIFReader, BIFWriter

from bender_core.io import FormatError, load
from bender_core.model import BinaryMRF
from tests.models import examples
from tests.unit.io.test_io_fuzz import outcome

NAMES = ["rain", "wet grass", "ü", "x-1", "7", "a.b/c"]
STATES = [["no", "yes"], ["no way", "it is"], ["0", "1"], ["<5", ">=5"], ["only"]]


def random_network(seed: int) -> DiscreteBayesianNetwork:
    """A tree, some of whose variables have one state, and some of whose probabilities are 0."""
    dice = np.random.default_rng(seed)
    states = {name: STATES[dice.integers(len(STATES))] for name in NAMES}
    parents = {name: [NAMES[dice.integers(k)]] if k and dice.random() < 0.9 else [] for k, name in enumerate(NAMES)}
    found = DiscreteBayesianNetwork([(parent, name) for name in NAMES for parent in parents[name]])
    found.add_nodes_from(NAMES)
    for name in NAMES:
        columns = math.prod(len(states[parent]) for parent in parents[name])
        values = dice.choice([0.0, 0.25, 1.0, 0.123456789], (len(states[name]), columns)) + dice.random(columns) * 1e-3
        values[:, dice.random(columns) < 0.2] = np.eye(len(states[name]))[:, [0]]
        own = {each: states[each] for each in (name, *parents[name])}
        sizes = [len(states[parent]) for parent in parents[name]]
        values /= values.sum(axis=0)
        found.add_cpds(TabularCPD(name, len(states[name]), values, parents[name] or None, sizes or None, own))
    return found


def require_product(mrf: BinaryMRF, network: DiscreteBayesianNetwork) -> None:
    """The energies are those of the product of all conditional probabilities, straight from pgmpy's tables."""
    assert set(mrf.names) == set(network.nodes())
    sizes = {cpd.variable: cpd.variable_card for cpd in network.get_cpds()}
    for x in itertools.product(*(range(2) for _ in mrf.names)):
        state = dict(zip(mrf.names, x, strict=True))
        if any(state[name] >= sizes[name] for name in state):
            assert mrf.violations(x)
            continue
        product = math.prod(float(cpd.values[tuple(state[v] for v in cpd.variables)]) for cpd in network.get_cpds())
        assert (mrf.violations(x) == 0) == (product > 0.0)
        if product > 0.0:
            assert mrf.objective.value(mrf.energy(x)) == pytest.approx(math.log(product), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_networks_that_pgmpy_writes_have_their_probabilities(seed: int) -> None:
    network = random_network(seed)
    mrf = load(str(BIFWriter(network, round_values=None)).encode(), name="net.bif")
    assert mrf.name == "net"
    require_product(mrf, network)


BIF = """// a comment, network { }
network "a name" { property "author: {nobody}" ; }
/* variable of
   more lines */
variable "family-out" { // of discrete states
  type discrete[2] { "true" "false" };
  property position = (1, 2) ;
}
variable dog { type discrete [2] {true, "not, so"}; property "last"; }
variable one { property x; type discrete [ 1 ] { only }; }
probability ( "family-out" ) { table 0.15 0.85; }
probability ( dog | "family-out", one ) { property a; table 0.6, 0.05 0.4 .95 ; }
probability ( one | dog ) { default 0.5; ("not, so") 1e-1; }
"""


def test_a_network_follows_the_definition() -> None:
    """The table of dog, and the names in quotes, are those of the format's definition."""
    mrf = load(BIF.encode())
    assert mrf.names == ("family-out", "dog", "one")
    tables = [0.15, 0.85], [[0.6, 0.05], [0.4, 0.95]], [0.5, 0.1]
    for out, dog in itertools.product((0, 1), repeat=2):
        expected = math.log(tables[0][out] * tables[1][dog][out] * tables[2][dog])
        assert mrf.objective.value(mrf.energy([out, dog, 0])) == pytest.approx(expected)
        assert mrf.violations([out, dog, 1]) == 1


def test_networks_read_tables_as_pgmpy_does() -> None:
    text = (
        BIF.replace('("not, so") 1e-1;', "(other) 1e-1;").replace('"not, so"', "other").replace(" { property a;", " {")
    )
    text = text.replace("property x; ", "").replace('property "last"; ', "").replace('"true" "false"', "true, false")
    text = text.replace("0.15 0.85", "0.15, 0.85").replace("0.05 0.4 .95", "0.05, 0.4, .95").replace('"', "")
    text = text.replace("(1, 2)", "1").replace("probability ( one | dog ) { default 0.5; (other) 1e-1; }", "")
    text = text.replace("variable one { type discrete [ 1 ] { only }; }\n", "").replace(", one )", " )")
    text = text[text.index("variable family") :]
    require_product(load(text.encode(), format="bif"), BIFReader(string="network a {\n}\n" + text).get_model())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('{ "true" "false" }', "{ true false }", "line 6: the variable 'family-out' is said to have '2' states, but 1"),
        ('[2] { "true"', '[3] { a "true"', "line 8: variable 'family-out' has 3 states; only binary variables"),
        ("discrete[2]", "continuous[2]", "line 6: the variable 'family-out' is continuous; only binary"),
        ("discrete[2]", '"discrete"[2]', "line 6: 'discrete' is found in place of: discrete or continuous"),
        ("probability ( one | dog", "probability ( ", "line 13: probabilities name a variable twice, or none"),
        ("discrete[2]", "whole[2]", "line 6: 'whole' is found in place of: discrete or continuous; correct it"),
        ('{ "true" "false" }', '{ "true" "true" }', "line 8: the states of 'family-out' have the same name"),
        (
            '"family-out", one ) { property a; table 0.6, 0.05',
            '"family-out", three ) { table',
            "line 12: there is no variable 'three' before its probabilities",
        ),
        ("| dog )", '| dog, "family-out", dog )', "line 13: probabilities name a variable twice"),
        ("0.15 0.85", "0.15", "line 11: there are not 2 probabilities before ;"),
        ("0.15 0.85", "0.15 0.8 0.05", "line 11: there are not 2 probabilities before ;"),
        ("0.15 0.85", "0.15 -0.85", "line 11: a potential is -0.85; potentials are finite and not negative"),
        ("0.15 0.85", "0.15 nan", "line 11: a potential is nan; potentials are finite"),
        ("0.15 0.85", f"0.15 {'9' * 500}", "line 11: a potential is 999999999999999999999...; potentials are"),
        ("0.15 0.85", "0.15 1e-400", "line 11: a potential is 1e-400, too small a number; write 0 to forbid"),
        ("0.15 0.85", "0.15 half", "line 11: 'half' is not a number; write a number like 0.25"),
        ("table 0.15 0.85;", "", "line 11: the probabilities are missing; give all probabilities"),
        ("default 0.5; ", "", "line 13: the row (true) is missing; give all probabilities"),
        ('("not, so")', '("not", so)', "line 13: there are no states (not, so); name those of the variables"),
        ("default 0.5;", '("not, so") 1;', "line 13: the row (not, so) is given twice"),
        ("default 0.5;", "defaults 0.5;", "line 13: 'defaults' is found in place of: a row, table, default"),
        ("variable dog", "variable family-out", "line 9: the variable 'family-out' is given twice"),
        ("variable dog", "variables dog", "line 9: 'variables' is found in place of: network, variable or"),
        ("variable dog", "variable dog, cat", "line 9: there are 2 names before {; give one, in quotes if it"),
        (
            "probability ( one",
            'probability ( "family-out"',
            "line 13: the variable 'family-out' has probabilities twice",
        ),
        ("probability ( one | dog ) { default 0.5; ", "/*", "line 13: '/*' is found in place of: network"),
        ('probability ( one | dog ) { default 0.5; ("not, so") 1e-1; }', "", "the variable 'one' has no probabilities"),
        ('| dog ) { default 0.5; ("not, so") 1e-1; }', ") { table 0; }", "line 13: a table of no variables is 0"),
        ("1e-1; }", "1e-1;", "line 13: the file ends too early; complete it: } is missing"),
        ("1e-1; }", "1e-1", "line 13: there are not 1 probabilities before ;"),
        ('{nobody}" ; }', '{nobody}" ;', "line 5: 'variable' is found in place of: }; correct it"),
    ],
)
def test_networks_that_are_wrong_are_refused(old: str, new: str, said: str) -> None:
    assert old in BIF
    with pytest.raises(FormatError) as caught:
        load(BIF.replace(old, new, 1).encode(), format="bif")
    assert str(caught.value).startswith(said)
    assert len(str(caught.value)) < 300


def test_a_table_of_three_variables_is_refused() -> None:
    text = "".join(
        f"variable {v} {{ type discrete [2] {{ n, y }}; }} probability ({v}) {{ table 1, 1; }}\n" for v in "abc"
    )
    text += "variable d { type discrete [2] {n, y}; }\nprobability ( d | a, b, c ) { table"
    with pytest.raises(FormatError) as caught:
        load(text.encode(), name="a.bif")
    said = (
        "line 5: the probabilities of 'd' are a table of 4 variables; only tables of one or two variables are supported"
    )
    assert str(caught.value) == said
    with pytest.raises(FormatError, match="the file has no variables"):
        load(b"network empty {}")


Factor = tuple[Sequence[int], Sequence[float]]


def fg_text(sizes: dict[int, int], factors: Sequence[Factor]) -> str:
    """A factor graph; a table has the first variable changing fastest, and zeros are left out."""
    blocks = []
    for scope, table in factors:
        entries = [f"{place}\t{value!r}" for place, value in enumerate(table) if value]
        head = [len(scope), " ".join(map(str, scope)), " ".join(str(sizes[v]) for v in scope), len(entries)]
        blocks.append("\n".join(map(str, [*head, *entries])))
    return f"# by hand\n{len(factors)}\n\n" + "\n\n".join(blocks) + "\n"


@st.composite
def factor_graphs(draw: st.DrawFn) -> tuple[dict[int, int], list[Factor]]:
    sizes = {label: draw(st.sampled_from([2, 2, 2, 1])) for label in (3, 0, 17, 8)}
    factors = []
    for _ in range(draw(st.integers(1, 6))):
        scope = draw(st.lists(st.sampled_from(list(sizes)), min_size=1, max_size=4, unique=True))
        while sum(sizes[label] > 1 for label in scope) > 2:
            scope.remove(next(label for label in scope if sizes[label] > 1))
        count = math.prod(sizes[label] for label in scope)
        value = st.sampled_from([0.0, 1.0, 0.5, 3.25, 1e-300, 1e300]) if count > 1 else st.just(2.0)
        factors.append((scope, draw(st.lists(value, min_size=count, max_size=count))))
    return sizes, factors


@settings(max_examples=examples(100), deadline=None)
@given(factor_graphs())
def test_factor_graphs_have_the_product_of_their_factors(graph: tuple[dict[int, int], list[Factor]]) -> None:
    sizes, factors = graph
    mrf = load(fg_text(sizes, factors).encode())
    used = sorted({label for scope, _ in factors for label in scope})
    assert mrf.names == tuple(map(str, used))
    for x in itertools.product((0, 1), repeat=mrf.n):
        state = dict(zip(used, x, strict=True))
        if any(state[label] >= sizes[label] for label in used):
            assert mrf.violations(x)
            continue
        logarithms = []
        for scope, table in factors:
            place, step = 0, 1
            for label in scope:
                place, step = place + step * state[label], step * sizes[label]
            logarithms.append(math.log(table[place]) if table[place] else -math.inf)
        assert (mrf.violations(x) > 0) == (-math.inf in logarithms)
        if -math.inf not in logarithms:
            assert mrf.objective.value(mrf.energy(x)) == pytest.approx(math.fsum(logarithms), rel=1e-12, abs=1e-12)


FG = "2\n\n1\n4\n2\n1\n1 0.5\n\n2\n7 4\n2 2\n4\n0 1\n1 2\n2 3\n3 4\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FG.replace("2\n7 4\n2 2", "2\n7 4\n2 3"), "line 11: variable 4 has 3 states; only binary variables"),
        (FG.replace("2\n7 4\n2 2", "2\n7 4\n2 1"), "line 11: variable 4 has 1 states here, and 2 in another factor"),
        (FG.replace("2\n7 4\n2 2", "2\n7 7\n2 2"), "line 10: a factor names a variable twice"),
        (FG.replace("2\n7 4\n2 2", "3\n7 4 5\n2 2 2"), "line 11: a factor has 3 variables; only tables of one or two"),
        (FG.replace("2\n7 4\n2 2", "2\n7 -4\n2 2"), "line 10: a variable is -4; it must be a whole number from 0"),
        (FG.replace("2\n7 4\n2 2", f"2\n7 {'9' * 400}\n2 2"), "line 10: '999999999999999999999...' is too large"),
        (FG.replace("2\n7 4", "1000000000000\n7 4"), "line 9: the file promises more variables of a factor than the"),
        ("1000000000000" + FG[1:], "line 1: the file promises more factors than the 20 numbers that follow allow"),
        ("3" + FG[1:], "line 16: the file ends too early; correct the counts"),
        ("1" + FG[1:], "line 9: 14 more numbers follow the last factor"),
        (FG.replace("\n1 2\n", "\n0 2\n"), "line 14: the entry 0 of a factor is given twice"),
        (FG.replace("\n1 2\n", "\n4 2\n"), "line 14: a place in a table is 4; it must be a whole number from 0 to 3"),
        (FG.replace("\n1 2\n", "\n1 -2\n"), "line 14: a potential is -2; potentials are finite and not negative"),
        (FG.replace("\n1 2\n", "\n1 inf\n"), "line 14: a potential is inf"),
        (FG.replace("\n1 2\n", "\n1 1e-999\n"), "line 14: a potential is 1e-999, too small a number"),
        (FG.replace("2\n4\n0 1", "2\n5\n0 1"), "line 12: the number of entries of a factor is 5"),
        ("1\n0\n0\n", "line 3: a table of no variables is 0, which forbids every labelling; remove it"),
        ("1\n0\n1\n0 3\n", "the file has no variables"),
        ("0\n", "the file has no variables"),
        (FG[:20], "line 9: the file promises more variables of a factor than"),
        ("# nothing", "line 1: the file ends too early"),
    ],
)
def test_factor_graphs_that_are_wrong_are_refused(text: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(text.encode(), name="a.fg")
    assert str(caught.value).startswith(said)


def test_networks_and_graphs_are_recognised_by_content() -> None:
    assert load(FG.encode()).source == "libDAI factor graph file"
    assert load(BIF.encode()).source == "BIF file"
    # A count alone is no mark.
    with pytest.raises(FormatError, match="in no known format"):
        load(b"2\n1 2 3\n")
    with pytest.raises(FormatError, match="in no known format"):
        load(b"1\n2\n0\n2\n1\n0 1\n")


@settings(max_examples=examples(400))
@given(
    st.sampled_from([BIF, FG]),
    st.lists(
        st.tuples(
            st.floats(0, 1),
            st.integers(0, 8),
            st.sampled_from(
                ["", '"', "{", "}", ";", "(", ")", "|", "/*", "//", "0", "-1", "1e999", "9" * 500, "\n", "nan"]
            ),
        ),
        max_size=4,
    ),
)
def test_any_changes_give_a_model_or_a_sentence(text: str, edits: list[tuple[float, int, str]]) -> None:
    data = text
    for place, length, new in edits:
        at = int(place * len(data))
        data = data[:at] + new + data[at + length :]
    outcome(data.encode(), "a.bif" if text is BIF else "a.fg")
