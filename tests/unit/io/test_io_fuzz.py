"""Reading any bytes ends with a model or one FormatError."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bender_core.io import FORMATS, FormatError, dumps, load
from bender_core.model import BinaryMRF
from tests.models import examples

MODEL = BinaryMRF(
    unary=np.array([[0.0, 1.5], [0.25, 0.0], [np.inf, -1.0]]),
    edges=np.array([[0, 1], [2, 1]]),
    pairwise=np.array([[[0.0, 1.0], [2.0, 0.5]], [[0.0, np.inf], [-3.0, 0.0]]]),
    groups=("a", "b", "a"),
    positions=np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 2.0]]),
    constant=0.75,
)
# Without fields and constants, which some formats cannot hold.
CUT = BinaryMRF(np.zeros((3, 2)), MODEL.edges, np.array([[[0.0, -2.0], [-2.0, 0.0]], [[0.0, 1.5], [1.5, 0.0]]]))
VALID = (
    *(data for form in ("native", "uai") for data in (dumps(MODEL, form), gzip.compress(dumps(MODEL, form), mtime=0))),
    *(dumps(MODEL, form) for form in ("bqpjson", "coo", "bqm")),
    *(dumps(CUT, form) for form in ("rudy", "sparse", "qubo")),
    b"3 3\n1 1 -4\n1 2 3\n3 2 1.5\n",
    b"three 3 2 4 100\n2 2 2\n2 0 1 3 1\n 0 0 1\n-2 2 1 0 1\n 1 0 5\n2 2 0 0 -1\n1 1 4 1\n 1 0\n",
    b'{problem: {name: f, mustbe: "<9.5"}, variables: {a: [b, c], d: 2, e: 2},\n'
    b"functions: {f: {scope: [a, d], defaultcost: 1 costs: [b, 1, 2]}, g: {scope: [1, 2], costs: f} {scope: [e] "
    b"costs: [1, inf]}}}",
)
LOGARITHMS = b"MARKOV\n3\n2 2 2\n3\n1 0\n1 0\n2 0 1\n2 1 -2\n2 0.5 1e3\n-1\n-inf\n"
ENDINGS = tuple(ending for form in FORMATS for ending in form.endings)
# Words that mean something to one of the formats, or to Python.
WORDS = (
    *b"0 -1 2 3 1e999 -1e999 1e308 -1e308 1e-400 nan inf NaN Infinity 1_0 0x1 1000000000000".split(),
    *b'"inf" null true [] {} [[]] ""'.split(),
    *b'# MARKOV BAYES \xff \xc2\xa0 \x1f\x8b "unary": "\\ud800" , :'.split(b" "),
    *b"c p qubo vartype=SPIN offset=inf problem scope costs defaultcost inf -inf <1 >1".split(),
    *(b"\n", b"\r", b"\0", b"9" * 30, b"9" * 5000, b"[" * 3000, b'{"a":' * 3000),
)


def outcome(data: bytes, name: str | None = None) -> None:
    """Reading gives a usable model, or one sentence."""
    try:
        mrf = load(data, name=name)
    except FormatError as error:
        sentence = str(error)
    else:
        assert mrf.n > 0
        assert np.isfinite(mrf.unary).all()
        assert np.isfinite(mrf.pairwise).all()
        assert np.isfinite(mrf.energy(np.zeros(mrf.n)))
        assert load(dumps(mrf)).content_hash() == mrf.content_hash()
        return
    assert "\n" not in sentence
    assert "; " in sentence
    assert len(sentence) < 400


@pytest.mark.parametrize("data", VALID)
def test_valid_files_are_valid(data: bytes) -> None:
    assert load(data).n == load(LOGARITHMS, name="m.lg").n == 3


@pytest.mark.parametrize("data", VALID)
def test_every_truncation(data: bytes) -> None:
    for end in range(len(data)):
        outcome(data[:end])


@settings(max_examples=examples(600))
@given(
    st.sampled_from(VALID),
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(WORDS) | st.binary(max_size=4)), max_size=4
    ),
    st.none() | st.sampled_from(ENDINGS).map("m{}".format),
)
def test_replacing_stretches(data: bytes, edits: list[tuple[float, int, bytes]], name: str | None) -> None:
    for place, length, word in edits:
        at = int(place * len(data))
        data = data[:at] + word + data[at + length :]
    outcome(data, name)


@settings(max_examples=examples(600))
@given(
    st.sampled_from([(data, None) for data in VALID if not data.startswith(b"\x1f")] + [(LOGARITHMS, "m.lg")]),
    st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(WORDS)), max_size=3),
)
def test_replacing_whole_words(valid: tuple[bytes, str | None], edits: list[tuple[int, bytes]]) -> None:
    data, name = valid
    words = data.replace(b"[", b"[ ").replace(b"]", b" ]").replace(b",", b" ,").split(b" ")
    for index, word in edits:
        words[index % len(words)] = word
    outcome(b" ".join(words), name)


@settings(max_examples=examples(200))
@given(st.sampled_from(VALID), st.floats(0, 1), st.floats(0, 1), st.integers(2, 50))
def test_repeating_stretches(data: bytes, place: float, share: float, times: int) -> None:
    start = int(place * len(data))
    end = start + int(share * (len(data) - start))
    outcome(data[:start] + data[start:end] * times + data[end:])


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.filter_too_much])
@given(st.binary(max_size=200), st.none() | st.sampled_from(ENDINGS).map("m{}".format))
def test_junk(data: bytes, name: str | None) -> None:
    outcome(data, name)


@settings(max_examples=examples(400))
@given(
    st.lists(
        st.sampled_from(("0", "1", "2", "4", "-1", "0.5", "1e-320", "1e999", "3", "1000000000000", "#", "\n")),
        max_size=30,
    )
)
def test_junk_that_starts_like_a_model(words: list[str]) -> None:
    for start, name in (("MARKOV", "m.lg"), ("p qubo 0", None), ("# vartype=SPIN\n", None), ("", "m.rud"), ("w", None)):
        outcome(" ".join([start, *words]).encode(), name)


@settings(max_examples=examples(400))
@given(
    st.dictionaries(
        st.sampled_from(
            ("unary", "edges", "pairwise", "constant", "variables", "objective", "ceiling", "hard_entries")
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.sampled_from(("inf", "max", "name", "")),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(("name", "group", "position", "sense", "scale")), inner, max_size=2)
            ),
            max_leaves=12,
        ),
    )
)
def test_json_of_any_shape(data: dict[str, object]) -> None:
    assume(data)
    outcome(json.dumps({"format": "bender-lab-mrf", "version": 1, "unary": [[0, 1], [1, 0]]} | data).encode())
