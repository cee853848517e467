"""Files that could be read as another problem: each is read as what it means, or noted, or refused."""

from __future__ import annotations

import itertools
import json
import time

import numpy as np
import pytest

import bender_core as bc
from bender_core.io import FORMATS, MINIMISED, FormatError, dumps, load, load_evidence, without_unheld_constant
from bender_core.model import BinaryMRF
from bender_core.objective import Objective
from tests.unit.io import mixed


def values(mrf: BinaryMRF) -> list[float]:
    """The source's own values of all labellings, in the order of binary numbers."""
    return [mrf.objective.value(mrf.energy(x)) for x in itertools.product((0, 1), repeat=mrf.n)]


# --- Qubist --------------------------------------------------------------------------------------------------

CHAIN = [2.5, -0.5, -2.5, 0.5]


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("1 1 -1\n1 2 1.5\n", "12", CHAIN),
        ("0 0 -1\n0 1 1.5\n", "01", CHAIN),
        ("2 2\n0 0 -1\n0 1 1.5\n", "01", CHAIN),
        ("2 2\n1 1 -1\n1 2 1.5\n", "12", CHAIN),
        # bqp2qh counts from 0, so that the third spin is free; its optimum is -2.5, over spins.
        ("3 2\n0 0 -1\n0 1 1.5\n", "012", [v for v in CHAIN for _ in (0, 1)]),
        ("3 2\n1 1 -1\n1 2 1.5\n", "012", [v for _ in (0, 1) for v in CHAIN]),
        ("3 2\n1 1 -1\n3 1 1.5\n", "123", [2.5, -0.5, 2.5, -0.5, -2.5, 0.5, -2.5, 0.5]),
        ("2 0\n", "01", [0.0] * 4),
    ],
)
def test_hamiltonians_with_and_without_a_header_from_0_and_from_1(text: str, names: str, expected: list[float]) -> None:
    for mrf in (load(text.encode(), name="a.qh"), load(text.encode(), format="qh")):
        assert mrf.objective.domain == "spins"
        assert mrf.names == tuple(names)
        assert values(mrf) == expected


def test_hamiltonians_are_written_with_a_header_from_0() -> None:
    mrf = load(b"3 2\n1 1 -1\n1 2 1.5\n", name="a.qh")
    assert dumps(mrf, "qh") == b"3 2\n1 1 -1\n1 2 1.5\n"
    assert values(load(dumps(mrf, "qh"), name="a.qh")) == values(mrf)


def test_the_ending_weighs_more_than_a_guess() -> None:
    assert load(b"3 2\n1 1 -1\n1 2 1.5\n", name="a.qh").objective.domain == "spins"
    with pytest.raises(FormatError, match="an edge joins vertex 1 to itself"):
        load(b"3 2\n1 1 -1\n1 2 1.5\n", name="a.rud")
    # A format that does not take the text at all refuses it, rather than leave it to another.
    for text, name in (("-3 1\n1 2 5\n", "a.rud"), ("3 1\n1 1 5\n", "a.coo"), ("3 1\n1 2 5\n", "a.qubo")):
        assert load(text.encode()).n == 3
        with pytest.raises(FormatError):
            load(text.encode(), name=name)
    # A mark of its own weighs more.
    for name in ("a.rud", "a.qh", "a.sparse", "a.coo", "a.wcsp"):
        assert load(b"p qubo 0 2 0 1\n0 1 2\n", name=name).n == 2
        assert load(b"MARKOV 1 2 0", name=name).n == 1
    assert load(b"# vartype=BINARY\n1 2 3\n", name="a.sparse").names == ("1", "2")


# --- sums ----------------------------------------------------------------------------------------------------

HUGE = (1e16, -1.0, -1e16)


def bqp(**changes: object) -> bytes:
    terms = {"variable_ids": [0], "variable_domain": "boolean", "linear_terms": [], "quadratic_terms": []}
    return json.dumps(terms | changes).encode()


def native(tables: dict[str, object]) -> bytes:
    return json.dumps({"format": "bender-lab-mrf", "version": 1} | tables).encode()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("# vartype=BINARY\n" + "".join(f"0 0 {v}\n" for v in HUGE), "a.coo"),
        ("# vartype=BINARY\n" + "".join(f"0 1 {v}\n" for v in HUGE), "a.coo"),
        ("p qubo 0 1 3 0\n" + "".join(f"0 0 {v}\n" for v in HUGE), "a.qubo"),
        ("1 3\n" + "".join(f"1 1 {v}\n" for v in HUGE), "a.sparse"),
        ("2 3\n" + "".join(f"1 2 {v / 2}\n" for v in HUGE), "a.sparse"),
        ("2 3\n" + "".join(f"1 2 {-v}\n" for v in HUGE), "a.rud"),
        ("MARKOV 1 2 3 1 0 1 0 1 0 " + " ".join(f"2 0 {-v}" for v in HUGE), "a.LG"),
        ("e 1 2 3 inf 2 " + " ".join(f"1 0 0 1 1 {v}" for v in (1e16, 1.0, 1e16)), "a.wcsp"),
        (
            '{problem: {name: e, mustbe: "<1e30"}, variables: {x: 2}, functions: {'
            + " ".join(f"{{scope: [x], costs: [0, {v}]}}" for v in HUGE)
            + "}}",
            "a.cfn",
        ),
        (bqp(linear_terms=[{"id": 0, "coeff": v} for v in HUGE]).decode(), "a.json"),
        (
            native(
                {"unary": [[0, 0]] * 2, "edges": [[0, 1]] * 3, "pairwise": [[[0, 0], [0, v]] for v in HUGE]}
            ).decode(),
            "a.mrf.json",
        ),
    ],
)
def test_what_is_small_beside_energies_that_cancel_is_kept(data: str, name: str) -> None:
    mrf = load(data.encode(), name=name)
    expected = 2e16 if name == "a.wcsp" else -1.0
    assert min(values(mrf), key=abs) == 0.0
    assert max(map(mrf.energy, itertools.product((0, 1), repeat=mrf.n)), key=abs) == expected


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("MARKOV 1 2 3 0 0 0 1 -1e16 1 1 1 1e16", "a.LG"),
        ("-1 3\n" + "".join(f"1 1 {v}\n" for v in HUGE), "a.qpbo"),
        (
            '{problem: {name: e, mustbe: "<1e30"}, variables: {x: 2}, functions: {'
            + " ".join(f"{{scope: [], costs: [{v}]}}" for v in HUGE)
            + "}}",
            "a.cfn",
        ),
    ],
)
def test_constants_add_up_exactly(data: str, name: str) -> None:
    assert load(data.encode(), name=name).constant == -1.0


def test_products_with_a_scale_add_up_exactly() -> None:
    terms = [{"id": 0, "coeff": c} for c in (3, -1, -1, -1)]
    # In floats, 0.1 * 3 is not three times 0.1.
    assert values(load(bqp(scale=0.1, linear_terms=terms))) == [0.0, 0.0]
    assert values(load(b"c scale : 0.1\np qubo 0 1 4 0\n" + b"0 0 3\n" + b"0 0 -1\n" * 3)) == [0.0, 0.0]
    pairs = [{"id_head": 0, "id_tail": 1, "coeff": c} for c in (3, -1, -1, -1)]
    spins = load(bqp(scale=0.1, variable_ids=[0, 1], variable_domain="spin", quadratic_terms=pairs))
    assert values(spins) == [0.0] * 4


@pytest.mark.parametrize("huge", [1e8, 1e16])
@pytest.mark.parametrize("name", ["qubo", "coo", "bqpjson", "dimod", "bqm", "sparse", "qh"])
def test_writing_keeps_what_is_small_beside_energies_that_cancel(name: str, huge: float) -> None:
    pairwise = [[[0, 0], [huge, huge]], [[0, 0], [-huge, -huge]]]
    mrf = BinaryMRF([[0.0, -0.3], [0, 0], [0, 0]], [[0, 1], [0, 2]], pairwise, constant=-0.15 if name == "qh" else 0.0)
    if name == "qh":
        # Over spins the constant is half of the field.
        mrf = BinaryMRF([[0.15, -0.15], [0, 0], [0, 0]], [[0, 1], [0, 2]], pairwise)
    again = load(dumps(mrf, name), name=f"a.{name}")
    assert [again.energy(x) for x in itertools.product((0, 1), repeat=3)] == [
        mrf.energy(x) for x in itertools.product((0, 1), repeat=3)
    ]


def test_energies_that_rounding_would_take_are_refused() -> None:
    mrf = BinaryMRF([[0.0, -0.3], [0, 0]], [[0, 1]], [[[1e16, 0], [0, 1e16]]])
    for name in ("qubo", "coo", "bqpjson", "dimod", "bqm"):
        with pytest.raises(FormatError, match=r"coefficient of variable 0 adds up energies that differ by 0\.3"):
            dumps(mrf, name)
    for name in ("native", "uai-log"):
        assert load(dumps(mrf, name), format=name).energy([1, 0]) == -0.3
    # Beside smaller ones it is rounded, and by how much is known.
    beside = BinaryMRF([[0.0, -0.3], [0, 0]], [[0, 1]], [[[1e6, 0], [0, 1e6]]])
    (form,) = (form for form in FORMATS if form.name == "coo")
    assert 0.0 < form.rounding(beside) < 1e-9
    assert load(dumps(beside, "coo")).energy([1, 0]) == pytest.approx(-0.3, abs=form.rounding(beside))


def test_a_small_field_beside_huge_couplings_is_no_rounding() -> None:
    mrf = BinaryMRF([[0.0, 1e-8], [0, 0]], [[0, 1]], [[[0, -1e16], [-1e16, 0]]])
    with pytest.raises(FormatError, match=r"variable 0 prefers one of its values|coefficient of variable 0"):
        dumps(mrf, "rudy")


@pytest.mark.parametrize("name", ["rudy", "sparse"])
def test_fields_that_rounding_left_are_dropped_and_counted(name: str) -> None:
    mrf = BinaryMRF([[1e-17, 0.0], [0, 0]], [[0, 1]], [[[0.3, -0.3], [-0.3, 0.3]]])
    cut = without_unheld_constant(mrf, name)
    (form,) = (form for form in FORMATS if form.name == name)
    again = load(dumps(cut, name), name=f"a{form.endings[0]}")
    assert not again.unary.any()
    labels = np.array(list(itertools.product((0, 1), repeat=2)))
    changed = np.subtract(mixed.energies(again, labels), mixed.energies(cut, labels))
    assert 0 < abs(changed).max() <= mixed.exact(form.rounding(cut)) < mixed.exact(1e-15)


@pytest.mark.parametrize("name", ["coo", "qubo", "qh", "sparse", "rudy"])
def test_rows_have_no_exponents(name: str) -> None:
    """The readers of dimod and of QUBOTools pass over a row with one."""
    mrf = BinaryMRF(
        np.zeros((3, 2)), [[0, 1], [1, 2]], [[[1e-9, -1e-9], [-1e-9, 1e-9]], [[1e17, -1e17], [-1e17, 1e17]]]
    )
    if name in ("qubo", "coo"):
        mrf = BinaryMRF([[0.0, 1e-7]] * 3, mrf.edges, [[[0, 0], [0, 1e-9]], [[0, 0], [0, 1e17]]])
    elif name in ("rudy", "sparse"):
        mrf = BinaryMRF(mrf.unary, mrf.edges, mrf.pairwise - mrf.pairwise[:, :1, :1])
    text = dumps(mrf, name).decode()
    assert "e" not in "".join(line for line in text.splitlines() if line[0].isdigit())
    again = load(text.encode(), name=f"a.{'rud' if name == 'rudy' else name}")
    assert (again.coupling() == mrf.coupling()).all()


# --- the sense -----------------------------------------------------------------------------------------------

MQLIB = b"3 5\n1 1 5\n2 2 3\n3 3 1\n1 2 -6\n2 3 -1\n"


def test_a_matrix_is_minimised_and_says_so_unless_it_is_to_be_maximised() -> None:
    least, most = load(MQLIB, name="a.sparse"), load(MQLIB, name="a.sparse", maximize=True)
    assert least.notes == (MINIMISED,)
    assert most.notes == ()
    assert (least.objective.sense, most.objective.sense) == ("min", "max")
    assert values(least) == values(most)
    found = [bc.solve(mrf) for mrf in (least, most)]
    assert [mrf.objective.value(each.upper_bound) for mrf, each in zip((least, most), found, strict=True)] == [
        -5.0,
        6.0,
    ]
    # MQLib's own sample, whose best value is 6 at 101.
    assert found[1].labeling.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("p qubo 0 2 1 1\n0 0 -1\n0 1 3\n", "a.qubo"),
        ("# vartype=SPIN\n# offset=2\n0 0 -1\n0 1 3\n", "a.coo"),
        ("2 2\n0 0 -1\n0 1 3\n", "a.qh"),
        (bqp(scale=3.0, offset=0.5, linear_terms=[{"id": 0, "coeff": 0.1}]).decode(), "a.json"),
        ("2 2\n1 1 -1\n1 2 3\n", "a.qpbo"),
    ],
)
def test_any_matrix_may_be_maximised(text: str, name: str) -> None:
    least, most = load(text.encode(), name=name), load(text.encode(), name=name, maximize=True)
    assert values(least) == values(most)
    for x in itertools.product((0, 1), repeat=least.n):
        assert most.energy(x) == -least.energy(x)
    assert most.objective == Objective(least.objective.name, "max", -1.0, domain=least.objective.domain)


def test_what_states_its_sense_is_not_turned() -> None:
    for text, name in ((b"2 1\n1 2 3\n", "a.rud"), (b"-2 -1\n1 2 3\n", "a.qpbo"), (b"MARKOV 1 2 0", "a.uai")):
        assert load(text, name=name, maximize=True).content_hash() == load(text, name=name).content_hash()
        assert load(text, name=name).objective.sense == "max"
    for text in (b"e 1 2 0 5 2", native({"unary": [[0, 1]]})):
        with pytest.raises(FormatError, match=r"states what is minimised; read it without maximising"):
            load(text, maximize=True)
    for name in ("a.qpbo", "a.qs"):
        assert load(MQLIB, name=name).notes == ()


# --- comments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("# ObjectiveOffset 5\n1 1\n1 1 -1\n", "a.qs", [5.0, 4.0]),
        ("# ObjectiveOffset 5\n1 1\n1 1 -1\n", None, [5.0, 4.0]),
        ("# ObjectiveOffset 5\n2 1\n1 2 3\n", "a.mc", [5.0, 8.0, 8.0, 5.0]),
        ("# scale : 2\n# offset : 0.5\n2 1\n1 2 3\n", "a.mc", [1.0, 7.0, 7.0, 1.0]),
        ("# offset : 0.5\n-2 -1\n1 2 3\n", "a.qpbo", [6.5, -5.5, -5.5, 6.5]),
        ("c scale : 2.0\nc offset : -1.5\np qubo 0 1 1 0\n0 0 1\n", None, [-3.0, -1.0]),
        ("c offset 42\np qubo 0 1 1 0\n0 0 1\n", None, [42.0, 43.0]),
        ("# Constant term of objective = 66363.47\n# vartype=BINARY\n0 0 1\n", None, [66363.47, 66364.47]),
        ("# vartype=SPIN, offset=42\n0 1 1\n", None, [43.0, 41.0, 41.0, 43.0]),
        ("# offset=42 vartype: SPIN\n0 1 1\n", None, [43.0, 41.0, 41.0, 43.0]),
        ("# varType: SPIN\n0 1 1\n", None, [1.0, -1.0, -1.0, 1.0]),
        ("# vartype: SPIN\n0 1 1\n", None, [1.0, -1.0, -1.0, 1.0]),
        ("# 2 nodes, vartype=BINARY\n0 1 1\n", None, [0.0, 0.0, 0.0, 1.0]),
        ("# offset=42\n2 1\n0 1 1\n", "a.qh", [43.0, 41.0, 41.0, 43.0]),
    ],
)
def test_offsets_and_scales_in_comments_count(text: str, name: str | None, expected: list[float]) -> None:
    mrf = load(text.encode(), name=name)
    assert values(mrf) == expected
    assert all("comment" not in note for note in mrf.notes)


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("the offset is 42", "line 1: the comment 'the offset is 42' is not understood, and not read"),
        ("weights scaled by 1000", "line 1: the comment 'weights scaled by 1000' is not understood, and not read"),
        ("offset=1 per node", "line 1: the comment 'offset=1 per node' is not understood, and not read"),
        ("maximise!", "line 1: the comment 'maximise!' is not understood, and not read"),
        ("vartype=SPIN", "a comment says vartype SPIN, which max-cut (rudy) files do not have; it is not read"),
    ],
)
def test_what_may_be_an_offset_or_a_scale_is_noted(comment: str, said: str) -> None:
    assert load(f"# {comment}\n2 1\n1 2 3\n".encode(), name="a.mc").notes == (said,)
    for text in ("c {}\np qubo 0 1 1 0\n0 0 1\n", "# {}\n1 1 2\n", "# vartype=SPIN\n# {}\n0 1 1\n"):
        name = "a.qh" if "1 1 2" in text else None
        (note,) = load(text.format(comment).encode(), name=name).notes or ("",)
        # Where variables are spins, that is what the comment says.
        assert (note == "") == ("SPIN" in comment and "qubo" not in text)


@pytest.mark.parametrize("target", ["0", "unconstrained", "chimera128"])
def test_the_targets_of_qbsolv_change_no_energy(target: str) -> None:
    mrf = load(f"p qubo {target} 2 1 1\n0 0 -1\n0 1 3\n".encode())
    assert (mrf.notes, values(mrf)) == ((), [0.0, 0.0, -1.0, 2.0])


def test_formats_without_offsets_note_them() -> None:
    said = "line 2: the comment 'offset=5' is not understood, and not read"
    cfn = '{problem: {name: e, mustbe: "<9"},\n//offset=5\nvariables: {x: 2}, functions: {}}'
    for text, name in (("MARKOV\n#offset=5\n1 2 0", "a.uai"), ("MARKOV\nc offset=5\n1 2 0", "a.LG"), (cfn, "a.cfn")):
        assert load(text.encode(), name=name).notes == (said,)
    many = "".join(f"# scaled by {k}\n" for k in range(9))
    notes = load(f"{many}2 1\n1 2 3\n".encode(), name="a.rud").notes
    assert (len(notes), notes[-1]) == (4, "6 more comments like these are not read")


@pytest.mark.parametrize(
    "comment",
    [
        "offset: 3 # scale: 2",
        "offset 3 (added)",
        "offset=1 2",
        "scale = 2, offset = 1, by hand",
        "offset = 3 of 4x",
    ],
)
def test_of_a_comment_all_or_nothing_is_read(comment: str) -> None:
    mrf = load(f"# {comment}\n2 1\n1 1 -1\n".encode(), name="a.qpbo")
    assert mrf.notes == (f"line 1: the comment '{comment}' is not understood, and not read",)
    assert values(mrf) == [0.0, 0.0, -1.0, -1.0]
    # A vartype counts wherever it stands; what is left is read as a whole or not at all, too.
    mrf = load(f"# {comment}, vartype=BINARY\n0 0 -1\n".encode())
    assert mrf.notes == (f"line 1: the rest of the comment, '{comment}', is not understood, and not read",)
    assert values(mrf) == [0.0, -1.0]


@pytest.mark.parametrize(
    "comment",
    [
        *("constants: 7", "the constant is 7", "const 7", "const = 7", "constant_energy = 7", "offsets: 7"),
        *("shift = 7", "energies are shifted by 7", "energy shift", "my_offset = 7", "scale_factor = 7"),
        *("sense = max", "ObjectiveSense: MAX", "objective_sense=min", "sense is max"),
    ],
)
def test_what_may_give_an_offset_a_scale_or_a_sense_is_noted(comment: str) -> None:
    said = f"line 1: the comment '{comment}' is not understood, and not read"
    mrf = load(f"# {comment}\n1 1\n1 1 -1\n".encode(), name="a.qpbo")
    assert (mrf.notes, values(mrf)) == ((said,), [0.0, -1.0])
    assert load(f"MARKOV\n#{comment}\n1 2 0".encode(), name="a.uai").notes == (said.replace("line 1", "line 2"),)


@pytest.mark.parametrize("comment", ["energy_offset = 7", "energyOffset: 7", "OBJECTIVE_OFFSET=7", "offSet=7"])
def test_offsets_of_energies_count(comment: str) -> None:
    mrf = load(f"# {comment}\n# ObjectiveScale 2\n1 1\n1 1 -1\n".encode(), name="a.qpbo")
    assert (mrf.notes, values(mrf)) == ((), [14.0, 12.0])


@pytest.mark.slow
@pytest.mark.parametrize("comment", ["# offset{}x", "# constants{}x", "# energy shift{}x"])
def test_time_does_not_grow_with_the_square_of_comments(comment: str) -> None:
    begin = time.process_time()
    load(f"1 1\n1 1 -1\n{comment.format(' ' * 50_000)}\n".encode(), name="a.qpbo")
    load(f"1 1\n1 1 -1\n{(comment.format(' ') + chr(10)) * 50_000}".encode(), name="a.qpbo")
    assert time.process_time() - begin < 5


@pytest.mark.parametrize(
    "prose",
    [
        *("a constant degree of 3", "constants of the model", "nurses on shift 3", "shift work, 5 nodes"),
        *("in the sense of Barahona", "objective value 12", "minor 3", "maximum degree 4", "escalation 3"),
    ],
)
def test_prose_is_not_noted(prose: str) -> None:
    assert load(f"# {prose}\n2 1\n1 2 3\n".encode(), name="a.mc").notes == ()


@pytest.mark.parametrize("comment", ["by hand", "5 nodes, 3 edges", "id : 4", "a constant field", "linear terms"])
def test_other_comments_are_comments(comment: str) -> None:
    assert load(f"# {comment}\n2 1\n1 2 3\n".encode(), name="a.mc").notes == ()
    assert load(f"c {comment}\np qubo 0 1 1 0\n0 0 1\n".encode()).notes == ()


@pytest.mark.parametrize(
    ("comments", "said"),
    [
        ("# offset = 4x", "line 1: '4x' is not a number; write offset = 0.25, or remove the comment"),
        ("#\n# scale: two", "line 2: 'two' is not a number; write scale = 0.25, or remove the comment"),
        ("# offset = 1e200", "line 1: the offset is '1e200'; write one of size up to 1e+100"),
        ("# offset = inf", "line 1: the offset is 'inf'; write one of size up to 1e+100"),
        ("# offset = 1\n# ObjectiveOffset 2", "line 2: a comment says offset '2', another '1'; keep one"),
        ("# vartype=SPIN\n# vartype=BINARY", "line 2: a comment says vartype 'BINARY', another 'SPIN'; keep one"),
    ],
)
def test_comments_that_cannot_be_read_are_refused(comments: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(f"{comments}\n2 1\n1 2 3\n".encode(), name="a.mc")
    assert str(caught.value) == said


def test_a_constant_survives_in_a_comment() -> None:
    mrf = load(b"c offset : -0.1\np qubo 0 1 1 0\n0 0 1\n")
    assert dumps(mrf, "qubo") == b"c offset : -0.1\np qubo 0 1 1 0\n0 0 1\n"
    assert values(load(dumps(mrf, "coo"))) == [-0.1, 0.9]


# --- bounds --------------------------------------------------------------------------------------------------

CFN_OF_TWO = '{{problem: {{name: e, mustbe: "{}"}}, variables: {{x: 2}}, functions: {{{{scope: {}}} {{scope: {}}}}}}}'


@pytest.mark.parametrize(
    "text",
    [
        "e 1 2 2 5 2 1 0 3 0 1 0 3 0",
        "e 1 2 2 5 2 0 3 0 0 3 0",
        CFN_OF_TWO.format("<5", "[x], costs: [3, 3]", "[x], costs: [3, 4]"),
        CFN_OF_TWO.format(">-5", "[], costs: [-3]", "[x], costs: [-3, -4]"),
    ],
)
def test_costs_that_reach_the_bound_together_leave_no_labelling(text: str) -> None:
    with pytest.raises(FormatError, match="no labelling stays within the bound"):
        load(text.encode())


# Of three variables two are equal, which costs 1; of six, two times. No single cost reaches the bound.
EQUAL = "2 {} {} 0 2 0 0 1 1 1 1"
PAIRS = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
FRUSTRATED = "e 6 2 6 {} 2 2 2 2 2 2 " + " ".join(EQUAL.format(*pair) for pair in PAIRS)


def test_the_bound_counts_for_the_sum_of_costs() -> None:
    mrf = load(b"e 2 2 2 5 2 2 1 0 0 1 1 3 1 1 0 1 1 3")
    assert [mrf.violations(x) for x in itertools.product((0, 1), repeat=2)] == [0, 0, 0, 1]
    assert [mrf.is_feasible(e) for e in (3.0, 4.999, 5.0, 6.0)] == [True, True, False, False]
    assert bc.solve(mrf).feasible
    for bound, feasible in (("3", True), ("2", False)):
        mrf = load(FRUSTRATED.format(bound).encode())
        assert mrf.hard_entries == 0
        for found in (bc.solve(mrf), bc.solve(mrf, bc.partition(mrf, 3, "greedy"))):
            assert (found.upper_bound, found.optimal, found.feasible) == (2.0, True, feasible)


def test_a_bound_is_kept_by_what_is_made_of_the_model() -> None:
    mrf = load(b"e 2 2 2 5 2 2 1 0 0 1 1 3 1 1 0 1 1 3")
    assert mrf.bound == 5.0
    assert load(dumps(mrf)).bound == 5.0
    assert load(dumps(mrf)).content_hash() == mrf.content_hash() != BinaryMRF(mrf.unary).content_hash()
    assert mrf.condition({0: 1}).violations([1, 1]) == 1
    # One that no labelling reaches is none.
    assert load(b"e 2 2 2 7 2 2 1 0 0 1 1 3 1 1 0 1 1 3").bound == np.inf
    with pytest.raises(bc.ModelError, match="the bound is nan; it must be a number, or inf if there is none"):
        BinaryMRF([[0, 1]], bound=np.nan)


# --- advice --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        ("net\n{\n}\n", "a.net", "the file is in no known format"),
        ("33d32945 stp file\n", "a.gph", "the file is in no known format"),
        ("p max 3 2\na 1 2 4\n", "a.max", "the file is in no known format"),
        ("3 3 1\n2 5 3 5\n", "a.graph", "the file is in no known format"),
        ("PK\x03\x04zip", "a.zip", "the file is packed by zip; unpack it, or pack it by gzip or xz"),
        ("BZh91AY", "a.qs.bz2", "the file is packed by bzip2; unpack it, or pack it by gzip or xz"),
        ("1 2 0.5\n2 3 1\n", "a.txt", r'the line "vertices edges" to a graph to be cut'),
        (json.dumps({"type": "BinaryQuadraticModel", "offset": 1}), "a.json", '"version" is missing; write what bqm'),
        (
            json.dumps({"nodes": [], "links": []}),
            "a.json",
            "the JSON has the keys 'nodes', 'links', and is in no known",
        ),
    ],
)
def test_advice_fits_the_file(data: str, name: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        load(data.encode(), name=name)


PENTAGON = b"5 5\n2 5\n1 3\n2 4\n3 5\n1 4\n"


def test_a_list_of_neighbours_is_not_taken_for_edges() -> None:
    for name in (None, "a.graph", "a.txt"):
        with pytest.raises(FormatError, match=r"line 2: the rows may be edges, or lists of the neighbours"):
            load(PENTAGON, name=name)
    # Where the file or the caller says that these are edges, they are.
    for mrf in (load(PENTAGON, name="a.rud"), load(PENTAGON, format="rudy")):
        assert {tuple(edge) for edge in mrf.edges.tolist()} == {(1, 4), (0, 2), (1, 3), (2, 4), (0, 3)}
    # Edges of a cycle in any order, and a triangle, which is the same graph either way.
    for text in (
        b"5 5\n1 2\n2 3\n3 4\n4 5\n1 5\n",
        b"3 3\n2 3\n1 3\n1 2\n",
        b"5 5\n2 5 1\n1 3 1\n2 4 1\n3 5 1\n1 4 1\n",
    ):
        assert load(text).objective.name == "cut weight"


def test_pairs_that_are_given_twice_are_noted() -> None:
    twice = "every pair is given twice, as i j and as j i, and both count: the pairs weigh twice what a row says"
    assert twice in load(b"2 3\n1 1 -3\n1 2 1\n2 1 1\n", name="a.sparse").notes
    assert load(b"2 2\n1 2 1\n2 1 1\n", name="a.rud").notes == (twice,)
    assert load(b"3 3\n1 2 1\n2 1 1\n1 3 1\n", name="a.rud").notes == ()
    assert load(b"2 2\n1 2 1\n2 1 2\n", name="a.rud").notes == ()


@pytest.mark.parametrize(
    "data",
    [
        "# Müller\n2 1\n1 2 3\n".encode("latin-1"),
        "  # Größe\n2 1\n1 2 3\n".encode("latin-1"),
        "c Größe\np qubo 0 2 1 1\n0 0 -1\n0 1 3\n".encode("latin-1"),
        "# Müller\n# naïve ☃\n".encode() + b"# M\xfcller\r2 1\r1 2 3\r",
        "2 1\n1 2 3 # Größe\n".encode("latin-1"),
    ],
)
def test_comments_may_be_in_latin_1(data: bytes) -> None:
    assert load(data, name="a.rud" if b"qubo" not in data else "a.qubo").n == 2


def test_what_is_no_comment_must_be_utf_8() -> None:
    with pytest.raises(FormatError, match="line 3: the file is not text; give a model file in UTF-8 or ASCII"):
        load(b"# M\xfcller\n2 1\n1 2 \xb3\n", name="a.rud")


@pytest.mark.parametrize("evidence", [b"MPE 1 1 1 0", b"MPE\n1\n1 1 0\n", b"MPE 1 1 0", b"1 1 0"])
def test_evidence_may_begin_with_the_word_of_its_task(evidence: bytes) -> None:
    assert load_evidence(evidence, 2) == {1: 0}
    assert load_evidence(b"0", 2) == load_evidence(b"MPE 0", 2) == {}


def test_evidence_is_by_place_and_says_so_where_names_are_others() -> None:
    cut = load(b"2 1\n1 2 3\n", name="a.rud", evidence=b"1 1 0")
    assert cut.notes == ("evidence counts variables by place, from 0, not by name: its variable 1 is '2'",)
    assert cut.violations([0, 1]) == 1
    ids = load(bqp(variable_ids=[1, 0], linear_terms=[{"id": 1, "coeff": 4}]), evidence=b"1 0 0")
    assert ids.notes == ("evidence counts variables by place, from 0, not by name: its variable 0 is '1'",)
    assert load(b"p qubo 0 2 0 1\n0 1 2\n", evidence=b"1 1 0").notes == ()
    assert load(b"MARKOV 1 2 0", evidence=b"1 0 0").notes == ()


def test_values_of_the_source_are_rounded_once() -> None:
    # Three times the float64 nearest to 0.1 is 0.3 and something, which a product in floats has not.
    assert Objective(scale=3.0, offset=-0.30000000000000004).value(0.1) == -2.7755575615628914e-17
    assert 3.0 * 0.1 - 0.30000000000000004 == 0.0
    assert [Objective(scale=-1.0).value(energy) for energy in (-7.0, np.inf)] == [7.0, -np.inf]
