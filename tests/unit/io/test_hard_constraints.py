"""Hard constraints and huge energies in files."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bender_core.io import FormatError, load
from tests.models import examples
from tests.unit.io.written import (
    CFN,
    LG,
    MAXIMISED,
    WCSP,
    cfn_cost,
    wcsp_cost,
)


@pytest.mark.parametrize(
    ("text", "name", "forbidden"),
    [
        # The least costs together are 9, so that no cost may exceed the least of its table by 6.
        (WCSP.replace("4 2 6 100", "4 2 6 15"), None, lambda x: wcsp_cost(x) >= 15),
        (CFN.replace("-3]", "inf]"), None, lambda x: x[0] == x[1] == 1 or x[1] == x[2] == 1),
        (MAXIMISED.replace("-3]", "-inf]"), None, lambda x: x[0] == x[1] == 1 or x[1] == x[2] == 1),
        # The least costs together are -14, so that no cost may exceed the least of its table by 5.
        (CFN.replace("<1000.0", "<-9"), None, lambda x: cfn_cost(x) >= -9),
        (LG.replace("-4", "-inf"), "a.LG", lambda x: x[2] == x[1] == 1),
    ],
)
def test_hard_constraints_stay_hard(text: str, name: str | None, forbidden: Callable[[tuple[int, ...]], bool]) -> None:
    mrf = load(text.encode(), name=name)
    assert mrf.hard_entries > 0
    feasible = {x: mrf.is_feasible(mrf.energy(x)) for x in itertools.product((0, 1), repeat=mrf.n)}
    assert feasible == {x: not forbidden(x) for x in feasible}
    assert {x: not mrf.violations(x) for x in feasible} == feasible


WHOLE = 1 << 53
NEAR = [WHOLE + k for k in range(-2, 7)] + [(1 << 60) + k for k in (-129, -64, -1, 0, 1, 127, 128, 129, 257)]


def cfn_of(bound: str, costs: str) -> str:
    """A network of one variable."""
    functions = f"{{{{scope: [x], costs: [{costs}]}}}}"
    return f'{{problem: {{name: e, mustbe: "{bound}"}}, variables: {{x: 2}}, functions: {functions}}}'


def held(top: int) -> float:
    """The least float that is not below a number."""
    return float(top) if int(float(top)) >= top else math.nextafter(float(top), math.inf)


@pytest.mark.parametrize("top", [k for k in NEAR if k >= WHOLE])
def test_whole_numbers_that_floats_do_not_hold_are_compared_with_the_bound(top: int) -> None:
    """One cost alone is on its side of the bound, as a number of a file and as an energy."""
    for cost in NEAR:
        texts = (
            f"e 1 2 1 {top}\n2\n1 0 5 1 1 {cost}",
            f"e 1 2 1 {top}\n2\n1 0 {cost} 1 0 5",
            cfn_of(f"<{top}", f"5, {cost}"),
            cfn_of(f">-{top}", f"-5, -{cost}"),
        )
        for text in texts:
            mrf = load(text.encode())
            assert mrf.notes == ()
            assert mrf.is_feasible(mrf.energy([1])) == (cost < top)
            assert mrf.is_feasible(mrf.energy([0]))
            assert abs(mrf.energy([1]) - cost) <= 256 or cost >= top


def test_sums_of_costs_that_rounding_brings_to_the_bound_are_noted() -> None:
    for top, costs, notes in (
        (WHOLE + 1, (WHOLE, 1), 1),
        (WHOLE + 1, (WHOLE - 9, 1), 0),
        (1 << 60, ((1 << 60) - 1, 1), 1),
        # What forbids costs as much as the bound, and the others far less, as in most files.
        ((1 << 62) - 1, ((1 << 62) - 1, 1000), 0),
        (100, (99, 1), 0),
    ):
        functions = "".join(f"1 {i} 0 1 1 {cost}\n" for i, cost in enumerate(costs))
        mrf = load(f"e 2 2 2 {top}\n2 2\n{functions}".encode())
        near = f"sums of costs near the bound {top:.6g} are rounded by some {math.ulp(held(top)):g}"
        assert mrf.notes == (f"{near}, so they may reach it or not",) * notes
        assert mrf.is_feasible(mrf.energy([0, 1]))


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
@settings(max_examples=examples(60))
@given(tables=st.data())
def test_sums_of_huge_energies_are_one_clear_error(
    text: Callable[[list[list[float]]], str], name: str, tables: st.DataObject
) -> None:
    """Energies too large for a sum are reported; none becomes infinite or NaN on the way."""
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
def test_an_overflow_forbids_nothing(text: str, name: str, said: str) -> None:
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
