"""Variables of one state: they stay, what they cost is that of others, and energies are those of the file."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.io import FormatError, load
from tests.models import examples

Function = tuple[list[int], list[float]]


def wcsp(sizes: list[int], functions: list[Function]) -> str:
    blocks = []
    for scope, table in functions:
        states = itertools.product(*(range(sizes[i]) for i in scope))
        rows = [" ".join(map(str, (*state, cost))) for state, cost in zip(states, table, strict=True)]
        blocks += [" ".join(map(str, (len(scope), *scope, 99, len(rows)))), *rows]
    head = f"net {len(sizes)} {max(sizes)} {len(functions)} 1000000"
    return "\n".join([head, " ".join(map(str, sizes)), *blocks]) + "\n"


def cfn(sizes: list[int], functions: list[Function]) -> str:
    variables = ", ".join(f"v{i}: {'[only]' if size == 1 and i % 2 else size}" for i, size in enumerate(sizes))
    tables = []
    for k, (scope, table) in enumerate(functions):
        if k % 2:
            costs = ", ".join(map(str, table))
        else:
            states = itertools.product(*(range(sizes[i]) for i in scope))
            costs = ", ".join(", ".join(map(str, (*state, cost))) for state, cost in zip(states, table, strict=True))
        default = "" if k % 2 else "defaultcost: 99, "
        tables.append(f"{{scope: [{', '.join(f'v{i}' for i in scope)}], {default}costs: [{costs}]}}")
    return (
        f'{{problem: {{name: n, mustbe: "<1000000"}}, variables: {{{variables}}}, functions: {{{" ".join(tables)}}}}}'
    )


def uai(sizes: list[int], functions: list[Function], written: Callable[[float], str] = lambda e: repr(-e)) -> str:
    scopes = "\n".join(" ".join(map(str, (len(scope), *scope))) for scope, _ in functions)
    tables = "\n".join(" ".join([str(len(table)), *map(written, table)]) for _, table in functions)
    return f"MARKOV\n{len(sizes)}\n{' '.join(map(str, sizes))}\n{len(functions)}\n{scopes}\n{tables}\n"


def potentials(sizes: list[int], functions: list[Function]) -> str:
    return uai(sizes, functions, lambda energy: repr(math.exp(-energy)))


@st.composite
def networks(draw: st.DrawFn) -> tuple[list[int], list[Function]]:
    sizes = draw(st.lists(st.sampled_from([1, 2]), min_size=1, max_size=5))
    functions = []
    for _ in range(draw(st.integers(1, 6))):
        scope = draw(st.permutations(range(len(sizes))))[: draw(st.integers(0, len(sizes)))]
        while sum(sizes[i] > 1 for i in scope) > 2:
            scope.remove(next(i for i in scope if sizes[i] > 1))
        count = math.prod(sizes[i] for i in scope)
        functions.append((scope, draw(st.lists(st.integers(0, 50).map(float), min_size=count, max_size=count))))
    return sizes, functions


WRITERS = {".wcsp": wcsp, ".cfn": cfn, ".uai.LG": uai, ".uai": potentials}


@pytest.mark.parametrize("ending", WRITERS)
@settings(max_examples=examples(60), deadline=None)
@given(network=networks())
def test_energies_are_those_of_the_file(ending: str, network: tuple[list[int], list[Function]]) -> None:
    sizes, functions = network
    mrf = load(WRITERS[ending](sizes, functions).encode(), name=f"a{ending}")
    assert mrf.n == len(sizes)
    for x in itertools.product((0, 1), repeat=mrf.n):
        outside = [i for i in range(mrf.n) if x[i] >= sizes[i]]
        assert mrf.violations(x) == len(outside)
        if outside:
            continue
        energy = 0.0
        for scope, table in functions:
            place = 0
            for i in scope:
                place = sizes[i] * place + x[i]
            energy += table[place]
        assert mrf.energy(x) == (pytest.approx(energy, abs=1e-9) if ending == ".uai" else energy)


@pytest.mark.parametrize("ending", WRITERS)
def test_names_places_and_the_best_labelling_are_kept(ending: str) -> None:
    sizes, functions = [2, 1, 2], [([0, 1, 2], [3.0, 1.0, 0.0, 4.0]), ([1], [7.0]), ([1, 0], [0.0, 2.0])]
    text = WRITERS[ending](sizes, functions)
    mrf = load(text.encode(), name=f"a{ending}")
    assert mrf.names == (("v0", "v1", "v2") if ending == ".cfn" else ("x0", "x1", "x2"))
    found = bc.solve(mrf)
    assert (found.optimal, found.labeling.tolist()) == (True, [0, 0, 1])
    assert found.upper_bound == pytest.approx(8.0)
    given_one = load(text.encode(), name=f"a{ending}", evidence=b"1 0 1")
    assert given_one.names == mrf.names
    with pytest.raises(FormatError, match="the evidence violates a hard constraint"):
        load(text.encode(), name=f"a{ending}", evidence=b"1 1 1")


def test_tables_are_lent_to_scopes_of_as_many_entries() -> None:
    text = cfn([1, 2, 2], [([0, 1], [0.0, 5.0])]).replace("{scope: [v0", "f: {scope: [v0")
    mrf = load(text.replace("}}", "} {scope: [v2, v0] costs: f} {scope: [v1] costs: f}}").encode())
    assert [mrf.energy([0, *x]) for x in itertools.product((0, 1), repeat=2)] == [0.0, 5.0, 10.0, 15.0]
    with pytest.raises(FormatError, match="there is no function 'f' of as many variables; write the table"):
        load(text.replace("}}", "} {scope: [v2, v1] costs: f}}").encode())


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("MARKOV 2 1 0 0", "a.uai", "line 1: variable 1 has 0 states; only binary variables are supported"),
        ("MARKOV\n4\n2 2 2 1\n1\n4 0 3 1 2\n8 1 1 1 1 1 1 1 1", "a.uai", "line 5: factor 0 has a scope of 4 variables"),
        ("MARKOV\n2\n1 2\n1\n2 0 2\n2 1 1", "a.uai", "line 5: a scope names variable 2; variables run from 0 to 1"),
        ("MARKOV\n2\n1 2\n1\n2 0 0\n1 1", "a.uai", "line 5: a scope names variable 0 twice"),
        ("MARKOV\n2\n1 2\n1\n2 0 nan\n2 1 1", "a.uai", "line 5: a scope names variable nan"),
        ("MARKOV\n2\n1 2\n1\n2 0 1\n4 1 1", "a.uai", "line 6: the table of factor 0 is said to have 4 entries; its"),
        ("MARKOV\n2\n1 2\n1\n2 0 1\n2 1 -3", "a.uai", "line 6: a potential is -3; potentials are finite"),
        ("MARKOV\n2\n1 2\n1\n2 0 1\n2 1 1e-400", "a.uai", "line 6: a potential is 1e-400, too small a number"),
        ("MARKOV\n2\n1 2\n1\n2 0 1\n2 1", "a.uai", "line 6: the file ends within the tables of its 1 factors"),
        ("MARKOV\n2\n1 2\n1\n1e300 0 1\n", "a.uai", "line 5: factor 0 has a scope of 1e300 variables"),
        ("MARKOV\n2\n1 2\n1\n1 0\n1 0\n", "a.uai", "line 6: a table of no variables is 0, which forbids every"),
        ("e 2 2 1 9\n0 2\n", "a.wcsp", "line 2: variable 0 has 0 values; only binary variables are supported"),
        ("e 2 2 1 9\n1 2\n2 0 1 0 1\n1 1 5\n", "a.wcsp", "line 4: a value is 1; it must be a whole number from 0 to 0"),
        ("e 2 2 1 9\n1 2\n2 0 0 0 1\n0 0 5\n", "a.wcsp", "line 3: a cost function names variable 0 twice"),
        ("e 2 2 1 9\n1 2\n4 0 1 0 1 0 0\n", "a.wcsp", "line 3: an arity is 4; only cost functions of at most two"),
        ("e 4 2 1 9\n1 2 2 2\n3 1 2 3 0 0\n", "a.wcsp", "line 3: a cost function has 3 variables; only cost"),
        ("e 2 2 1 9\n1 2\n1 0 9 0\n", "a.wcsp", "no labelling stays within the bound"),
        ("e 2 2 1 9\n1 2\n1 0 0 2\n0 1\n0 1\n", "a.wcsp", "line 3: a number of tuples is 2; tuples are given once"),
        (
            cfn([1, 2], [([0, 1], [0.0, 1.0])]).replace("0, 1, 1.0", "1, 1, 1.0"),
            "a.cfn",
            "line 1: '1' is no value of the variable 'v0'; name a value or its index",
        ),
        (cfn([1, 2], []).replace("v0: 1", "v0: 0"), "a.cfn", "line 1: variable 'v0' has 0 values; only binary"),
        (
            cfn([2] * 3, [([0, 1, 2], [0.0] * 8)]),
            "a.cfn",
            "line 1: a cost function has 3 variables; only cost functions",
        ),
        (cfn([1, 2], [([0, 1, 0], [0.0] * 2)]), "a.cfn", "line 1: a scope names the variable 'v0' twice"),
    ],
)
def test_what_is_wrong_is_refused_as_without_them(text: str, name: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(text.encode(), name=name)
    assert str(caught.value).startswith(said)
