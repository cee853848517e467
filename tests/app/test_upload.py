"""Files given to the app: every format, and what is broken."""

from __future__ import annotations

import gzip
import random
import re

import pytest
from dimod import BinaryQuadraticModel
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core.io import FORMATS, dumps, recognise
from bender_core.io._source import Source
from tests.app.pages.test_pages import app, complaints, html, lab, ran

TABLES = '"unary": [[0, 1], [0, 1]], "edges": [[0, 1]], "pairwise": [[[0, 0], [0, -3]]]'
UAI = "MARKOV\n2\n2 2\n3\n1 0\n1 1\n2 0 1\n\n2\n1 2\n\n2\n1 3\n\n4\n1 2\n3 4\n"
BROKEN = {
    "truncated.uai": UAI[:-12].encode(),
    "counts.uai": UAI.replace("\n4\n1", "\n5\n1").encode(),
    "three-states.uai": UAI.replace("2 2\n3", "2 3\n3").encode(),
    "nan.mrf.json": f'{{"format": "bender-lab-mrf", "version": 1, {TABLES.replace("-3", "NaN")}}}'.encode(),
    "promise.uai": b"MARKOV\n1000000000000\n" + b"2 " * 130 + b"\n1000000000000\n",
    "junk.bin": random.Random(0).randbytes(500),
    "bomb.uai.gz": gzip.compress(b"MARKOV\n" + bytes(30 << 20)),
    "empty.uai": b"",
}


def upload(test: AppTest, name: str, content: bytes) -> AppTest:
    return ran(test.file_uploader("upload").set_value((name, content, "application/octet-stream")).run())


def heading(test: AppTest) -> str:
    """The name of the model, as the page shows it."""
    (found,) = [piece.text for piece in html(test) if piece.tags[:1] and piece.tags[0][0] == "h3"]
    return found


def test_a_broken_file_is_one_sentence_and_the_model_stays() -> None:
    test = app("instance")
    ran(test.button("load-tiny").click().run())
    for name, content in BROKEN.items():
        (said,) = complaints(upload(test, name, content))
        assert re.match(f"{re.escape(name)}: ", said)
        assert said.endswith("The current model is unchanged.")
        assert "\n" not in said
        assert (heading(test), lab(test).mrf.name) == ("tiny", "tiny")
    assert complaints(upload(test, "two.uai", UAI.encode())) == []
    assert heading(test) == "two"
    packed = gzip.compress(dumps(bc.sample("karate"), "native"))
    assert complaints(upload(test, "karate.mrf.json.gz", packed)) == []
    assert heading(test) == "karate"


# A small file of every format, the number of its variables, and what its source optimises.
FILES: dict[str, tuple[str | bytes, int, str]] = {
    "native.mrf.json": (f'{{"format": "bender-lab-mrf", "version": 1, {TABLES}}}', 2, ""),
    "potentials.uai": (UAI, 2, "The source maximises its log potential = −energy."),
    "logarithms.UAI.LG": ("MARKOV 2 2 2 1 2 0 1 4 0 -1 2 0", 2, "The source maximises its log potential"),
    "costs.wcsp": ("costs 2 2 1 9\n2 2\n2 0 1 0 1\n1 1 3\n", 2, "The source minimises its cost = energy."),
    "network.cfn": (
        '{problem: {name: net, mustbe: ">-9"}, variables: {a: 2, b: 2}, functions: {{scope: [a, b] costs: [0 1 2 0]}}}',
        2,
        "The source maximises its cost = −energy.",
    ),
    "terms.json": (
        '{"variable_domain": "spin", "variable_ids": [3, 5], "linear_terms": [], '
        '"quadratic_terms": [{"id_head": 3, "id_tail": 5, "coeff": 1}]}',
        2,
        "The source minimises its energy = energy; its variables are spins, 2x − 1.",
    ),
    "biases.bqm.json": (
        '{"type": "BinaryQuadraticModel", "version": {"bqm_schema": "3.0.0"}, "variable_type": "SPIN", '
        '"variable_labels": ["a", "b"], "linear_biases": [0, 1], "quadratic_biases": [2], "quadratic_head": [0], '
        '"quadratic_tail": [1]}',
        2,
        "its variables are spins",
    ),
    "biases.bqm": (
        BinaryQuadraticModel({"a": 1.0}, {("a", "b"): 2.0}, "SPIN").to_file().read(),
        2,
        "its variables are spins",
    ),
    "network.bif": (
        "variable a { type discrete [2] { n, y }; }\nprobability ( a ) { table 0.25, 0.75; }\n",
        1,
        "The source maximises its log potential = −energy.",
    ),
    "graph.fg": ("1\n\n2\n0 1\n2 2\n2\n0 1\n3 2\n", 2, "The source maximises its log potential = −energy."),
    "program.qplib": (
        "two\nQBN\nmaximize\n2\n1\n2 1 3\n0\n1\n1 -1\n0.5\n1e300\n0\n0\n0\n0\n0\n0\n",
        2,
        "The source maximises its objective = −energy.",
    ),
    "matrix.qubo": ("c\np qubo 0 3 1 1\n0 0 -1\n0 1 2\n", 3, ""),
    "list.coo": ("# vartype=SPIN\n0 1 -1\n", 2, "its variables are spins"),
    "graph.mc": ("3 2\n1 2\n2 3 4\n", 3, "The source maximises its cut weight = −energy."),
    "graph.mtx": (
        "%%MatrixMarket matrix coordinate integer symmetric\n% by hand\n3 3 2\n2 1 4\n3 2 -1\n",
        3,
        "The source maximises its cut weight = −energy.",
    ),
    "graph.col": ("c by hand\np edge 3 2\ne 1 2\ne 2 3 4\n", 3, "The source maximises its cut weight = −energy."),
    "graph.wel": ("10 20 1\n20 30 2.5\n", 3, "The source maximises its cut weight = −energy."),
    "matrix.sparse": ("3 2\n1 1 -2\n1 3 1\n", 3, "The source minimises its objective = energy."),
    "bqp.txt": ("1\n3 2\n1 1 -2\n1 3 1\n", 3, "The source maximises its objective = −energy."),
    "spins.qpbo": ("-2 -1\n1 2 1\n", 2, "The source maximises its objective = −energy; its variables are spins"),
    "hamiltonian.qh": ("1 1 -1\n1 2 3\n", 2, "its variables are spins"),
}


@pytest.mark.slow
def test_every_format_is_read_and_a_broken_file_leaves_what_was_there() -> None:
    sources = [
        Source("", name, content) if isinstance(content, bytes) else Source(content, name)
        for name, (content, _, _) in FILES.items()
    ]
    assert {form.name for form in FORMATS} == {recognise(source).name for source in sources}
    test = app("instance")
    for name, (content, variables, terms) in FILES.items():
        data = content if isinstance(content, bytes) else content.encode()
        assert complaints(upload(test, name, data)) == []
        # The name says which file it is, in one format of the two that have names of their own.
        title = {"costs.wcsp": "costs", "network.cfn": "net"}.get(name, Source("", name).stem)
        assert heading(test) == title
        assert test.metric[0].value == str(variables)
        assert any(terms in piece.text for piece in html(test))
        # Without a header, half a file is a file.
        broken = data[: len(data) // 2] if name != "hamiltonian.qh" else data.replace(b"2", b"two")
        (said,) = complaints(upload(test, f"broken-{name}", broken))
        assert said.startswith(f"broken-{name}: ")
        assert heading(test) == title


MQLIB = b"3 5\n1 1 5\n2 2 3\n3 3 1\n1 2 -6\n2 3 -1\n"


def test_the_page_says_what_is_minimised_and_maximises_on_demand() -> None:
    test = app("instance")
    assert complaints(upload(test, "a.sparse", MQLIB)) == []
    said = "The objective x'Qx is minimised, as in files of Biq Mac; in those of OR-Library and MQLib it is maximised."
    assert any(said in piece.text for piece in html(test))
    least = lab(test).mrf
    ran(test.toggle("uploaded_maximize").set_value(True).run())
    assert not any(said in piece.text for piece in html(test))
    assert any("The source maximises its objective = −energy." in piece.text for piece in html(test))
    most = lab(test).mrf
    assert most.objective.sense == "max"
    assert most.energy([1, 0, 1]) == -least.energy([1, 0, 1]) == -6.0
    # What states its sense is refused with the switch on, and the model stays.
    (complaint,) = complaints(upload(test, "a.wcsp", b"e 1 2 0 5 2"))
    assert "states what is minimised; read it without maximising. The current model is unchanged." in complaint
    assert lab(test).mrf is most


def test_of_several_models_in_a_file_one_is_chosen() -> None:
    test = app("instance")
    (complaint,) = complaints(upload(test, "bqp50.txt", b"2\n1 1\n1 1 5\n2 1\n1 2 -3\n"))
    assert complaint.startswith("bqp50.txt: the file has 2 problems; choose one, as the format orlib:1 to orlib:2.")
    ran(test.selectbox("uploaded_format").set_value("orlib").run())
    assert (heading(test), lab(test).mrf.n) == ("bqp50-1", 1)
    ran(test.number_input("uploaded_which").set_value(2).run())
    assert (heading(test), lab(test).mrf.n) == ("bqp50-2", 2)
    (complaint,) = complaints(ran(test.number_input("uploaded_which").set_value(3).run()))
    assert "the file has 2 problems, and no problem 3" in complaint
    ran(test.selectbox("uploaded_format").set_value("sparse").run())
    assert "uploaded_which" not in test.session_state


def test_a_pasted_text_is_maximised_on_demand() -> None:
    test = app("instance")
    test.text_area("pasted").set_value(MQLIB.decode())
    test.toggle("pasted_maximize").set_value(True)
    press = next(button for button in test.button if button.label == "Read it")
    ran(press.click().run())
    assert complaints(test) == []
    assert lab(test).mrf.objective.sense == "max"


def test_notes_and_bounds_are_shown() -> None:
    test = app("instance")
    upload(test, "a.rud", b"# <b>offset</b> is 42\n2 1\n1 2 3\n")
    assert any("Line 1: the comment '<b>offset</b> is 42' is not understood" in piece.text for piece in html(test))
    upload(test, "a.wcsp", b"e 2 2 2 5 2 2 1 0 0 1 1 3 1 1 0 1 1 3")
    assert any("A labelling of energy 5 or more is no solution." in piece.value for piece in test.caption)
