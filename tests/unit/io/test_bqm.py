"""Binary files of dimod: as dimod reads and writes them, and one sentence for what is damaged."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import dimod
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bender_core as bc
from bender_core.io import FormatError, dumps, load
from tests.models import examples, mrfs
from tests.unit.io.test_io_fuzz import outcome

LABELS = ["a", "with space", "ü – 中", ("pair", ("of", 1)), 7, -3, 2.5, "", "x0", "7"]


def random_bqm(vartype: str, seed: int, dtype: Any = np.float64) -> dimod.BinaryQuadraticModel:
    dice = np.random.default_rng(seed)
    found = dimod.BinaryQuadraticModel(vartype, dtype=dtype)
    for label in LABELS:
        found.add_linear(label, dice.normal())
    for k, i in enumerate(LABELS):
        for j in LABELS[:k]:
            if dice.random() < 0.4:
                found.add_quadratic(i, j, dice.normal())
    found.offset = dice.normal()
    return found


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, object])
@pytest.mark.parametrize("vartype", ["SPIN", "BINARY"])
def test_files_of_dimod_have_the_energies_and_labels_of_dimod(vartype: str, dtype: Any, version: int) -> None:
    bqm = random_bqm(vartype, version, dtype)
    data = bqm.to_file(version=version).read()
    mrf, of_object = load(data, name="a.bqm.gz"), bc.from_bqm(bqm)
    assert (mrf.names, mrf.objective, mrf.name) == (of_object.names, of_object.objective, "a")
    for x in np.random.default_rng(0).integers(0, 2, (200, mrf.n)):
        assert mrf.energy(x) == of_object.energy(x)
    again = dimod.BinaryQuadraticModel.from_file(dumps(mrf, "bqm"))
    assert list(again.variables) == list(mrf.names)
    assert again == bc.to_bqm(mrf)


def test_variables_without_labels_have_numbers() -> None:
    bqm = dimod.BinaryQuadraticModel(3, "BINARY")
    bqm.add_linear_from_array([1.0, 2.0, 0.0])
    bqm.add_quadratic(2, 0, -3.0)
    for data in (bqm.to_file().read(), bqm.to_file(version=1).read(), bqm.to_file(ignore_labels=True).read()):
        mrf = load(data)
        assert mrf.names == ("0", "1", "2")
        assert dimod.BinaryQuadraticModel.from_file(dumps(mrf, "bqm")) == bqm
    alike = bc.BinaryMRF([[0.0, 1.0], [0.0, 2.0]], names=("a", "a"))
    assert list(dimod.BinaryQuadraticModel.from_file(dumps(alike, "bqm")).variables) == [0, 1]


@settings(max_examples=examples(60), deadline=None)
@given(mrfs(6))
def test_any_model_is_written_to_the_byte_as_dimod_does(mrf: bc.BinaryMRF) -> None:
    data, bqm = dumps(mrf, "bqm"), bc.to_bqm(mrf)
    assert dimod.BinaryQuadraticModel.from_file(data) == bqm
    # What is read is written again to the last bit.
    assert dumps(load(data), "bqm") == data
    head, tail = data.split(b"\n", 1)
    theirs, rest = bqm.to_file().read().split(b"\n", 1)
    assert json.loads(head[14:]) == json.loads(theirs[14:])
    assert tail == rest


DATA = dimod.BinaryQuadraticModel({"a": 1.0, "b": 2.0}, {("a", "b"): 3.0}, 0.5, "SPIN").to_file().read()
HEADER, BODY = 14 + struct.unpack("<I", DATA[10:14])[0], DATA[14 + struct.unpack("<I", DATA[10:14])[0] :]


def with_header(**changes: Any) -> bytes:
    header = json.dumps(json.loads(DATA[14:HEADER]) | changes).encode()
    return DATA[:10] + struct.pack("<I", len(header)) + header + BODY


def with_bytes(at: int, data: bytes) -> bytes:
    """Other bytes in the body: an offset, two starts with biases, two neighbours with biases, the labels."""
    return DATA[: HEADER + at] + data + DATA[HEADER + at + len(data) :]


NAN, FAR = struct.pack("<d", np.nan), struct.pack("<i", 2)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (DATA[:9], "the file ends 1 bytes into its version"),
        (DATA[:12], "the file ends 2 bytes into its header"),
        (DATA[:60], "the file ends 46 bytes into its header"),
        (DATA[:10] + b"\xff\xff\xff\xff" + DATA[14:], f"the file ends {len(DATA) - 14} bytes into its header"),
        (DATA[:10] + b"\x05\0\0\0" + DATA[14:], "line 1: the JSON is broken"),
        (DATA[:10] + struct.pack("<I", HEADER - 14 + 8) + DATA[14:], "its header is no JSON in ASCII; write the file"),
        (DATA[: HEADER + 4], "the file ends 4 bytes into its offset"),
        (DATA[: HEADER + 10], "the file ends 2 bytes into the biases of its 2 variables"),
        (DATA[: HEADER + 40], "the file ends 8 bytes into the biases of its 1 pairs"),
        (DATA[:-62], "the file ends 2 bytes into its labels"),
        (DATA[:-1], "the file ends 55 bytes into its labels"),
        (DATA + b"\0", "1 more bytes follow the model"),
        (DATA[:8] + b"\x03" + DATA[9:], "the file has version 3; write version 1 or 2, by bqm.to_file(version=2)"),
        (with_header(shape=[10**400, 0]), f"the file ends {len(BODY) - 8} bytes into the biases of its 1000"),
        (
            with_header(shape=[2, 10**12]),
            f"the file ends {len(BODY) - 32} bytes into the biases of its 1000000000000 pairs",
        ),
        (with_header(shape=[-1, 0]), '"shape" is [-1, 0]; it must be the numbers of variables and pairs'),
        (with_header(shape=[2.0, 0]), '"shape" is [2.0, 0]'),
        (with_header(shape=[0, 0]), "the model has no variables; give a model of at least one"),
        (with_header(dtype="object"), "\"dtype\" is 'object'; known are: float32, float64, int8"),
        (with_header(itype="float64"), "\"itype\" is 'float64'"),
        (with_header(ntype=[]), '"ntype" is []'),
        (with_header(vartype="INTEGER"), "\"vartype\" is 'INTEGER'; known are: BINARY, SPIN"),
        (DATA.replace(b'"itype"', b'"utype"'), '"itype" is missing in the header'),
        (with_bytes(0, NAN), "the offset is nan; give a number, write one of size up to 1e+100"),
        (with_bytes(12, NAN), "the bias of 'a' is nan"),
        (with_bytes(36, struct.pack("<d", np.inf)), "two neighbours disagree on their bias"),
        (with_bytes(36, NAN)[: HEADER + 48] + NAN + DATA[HEADER + 56 :], "the bias of 'a' and 'b' is nan"),
        (with_bytes(8, FAR), "the lists of neighbours do not follow each other"),
        (with_bytes(8, b"\x01"), "the lists of neighbours do not follow each other"),
        (with_bytes(20, struct.pack("<i", -7)), "the lists of neighbours do not follow each other"),
        (with_bytes(32, FAR), "variable 0 has variable 2 for a neighbour, which does not exist"),
        (with_bytes(32, struct.pack("<i", -1)), "variable 0 has variable -1 for a neighbour, which does not exist"),
        (with_bytes(32, b"\0"), "variable 0 has variable 0 for a neighbour, itself"),
        (DATA.replace(b"VARS", b"SRAV"), "the labels do not follow the biases"),
        (DATA.replace(b'["a", "b"]', b'["a", "a"]'), "the labels are not distinct"),
        (DATA.replace(b'["a", "b"]', b'["a"]     '), "the file has 1 labels; give a list of 2"),
        (DATA.replace(b'["a", "b"]', b'["a", {} ]'), "a variable has the label {}"),
        (DATA.replace(b'["a", "b"]', b'["a", NaN]'), "NaN is not standard JSON"),
        (DATA.replace(b'["a", "b"]', b"7         "), "the file has the labels 7; give a list of 2"),
        (dimod.QuadraticModel().to_file().read(), "line 1: the file is not text"),
    ],
)
def test_damaged_files_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(data)
    assert str(caught.value).startswith(said)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda: load(b"2 1\n1 2 3\n", format="bqm"), "the file does not start with DIMODBQM"),
        (lambda: load(b"hello", name="a.bqm"), "the file does not start with DIMODBQM"),
        (lambda: load(DATA, format="uai"), "line 1: the file is not text"),
        (lambda: bc.io.load_evidence(DATA, 2), "line 1: the file is not text; give an evidence file"),
    ],
)
def test_binary_files_and_text_are_told_apart(read: Callable[[], object], said: str) -> None:
    with pytest.raises(FormatError) as caught:
        read()
    assert str(caught.value).startswith(said)
    # Whatever the file is called.
    assert load(DATA, name="a.uai").names == ("a", "b")


@settings(max_examples=examples(400))
@given(
    st.sampled_from([DATA, dimod.BinaryQuadraticModel.from_file(DATA).to_file(version=1).read()]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.binary(max_size=8)), max_size=4),
)
def test_any_bytes_give_a_model_or_a_sentence(data: bytes, edits: list[tuple[float, int, bytes]]) -> None:
    for place, length, new in edits:
        at = 8 + int(place * (len(data) - 8))
        data = data[:at] + new + data[at + length :]
    outcome(data)
