"""COO files whose variables have labels, as this program and dimod read them."""

from __future__ import annotations

import dimod
import numpy as np
import pytest
from dimod.serialization import coo
from hypothesis import given, settings
from hypothesis import strategies as st

from bender_core.io import FormatError, dumps, load
from bender_core.model import BinaryMRF
from tests.models import examples, mrfs

LABELS = ["head", "left hand", "ü – 中", '"#', "vartype=SPIN", "offset=3", "", "7", "a\nb"]


@pytest.mark.parametrize("labels", [["b", "a", "ü"], ["offset", "x-1", "vartype=SPIN"]])
def test_rows_may_name_variables_by_words(labels: list[str]) -> None:
    b, a, u = labels
    mrf = load(f"# vartype=BINARY\n# offset=0.5\n\n{b} {b} -1 # {b}\n {a}\t{b} 1.5\n{u} {u} 2\n{b} {a} 1\n".encode())
    assert mrf.names == tuple(labels)
    for x in np.ndindex(2, 2, 2):
        assert mrf.energy(x) == 0.5 - x[0] + 2.5 * x[0] * x[1] + 2 * x[2]


def test_labels_in_a_comment_name_variables_by_number() -> None:
    mrf = load(b'# vartype=SPIN\n #  labels = ["a", "b c", "d"]\n1 1 2\n0 1 -1\n')
    assert mrf.names == ("a", "b c", "d")
    assert mrf.energy([1, 1, 0]) == mrf.energy([1, 1, 1]) == 1.0
    assert load(b'# vartype=SPIN\n# labels=["a"]\n').names == ("a",)
    assert mrf.notes == ()


@settings(max_examples=examples(60), deadline=None)
@given(mrfs(6), st.lists(st.text(max_size=5) | st.sampled_from(LABELS), min_size=6, max_size=6))
def test_names_are_kept_and_dimod_reads_the_same_rows(mrf: BinaryMRF, names: list[str]) -> None:
    try:
        mrf = BinaryMRF(mrf.unary, mrf.edges, mrf.pairwise, mrf.constant, names=tuple(names[: mrf.n]))
        data = dumps(mrf, "coo")
    except ValueError:
        return
    again = load(data)
    assert again.names == mrf.names
    assert again.notes == ()
    assert dumps(again, "coo") == data
    theirs = coo.loads(data.decode(), vartype=dimod.BINARY)
    assert set(theirs.variables) == set(range(mrf.n))
    states = np.random.default_rng(0).integers(0, 2, (200, mrf.n))
    size = abs(mrf.constant) + np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum()
    for x, energy in zip(states, theirs.energies((states, range(mrf.n))), strict=True):
        assert again.energy(x) == pytest.approx(energy + again.constant, abs=1e-9 * size)
        assert again.energy(x) == pytest.approx(mrf.energy(x), abs=1e-12 * size)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a a 1\na 2 1\n", "line 3: a row names a variable '2', the first one by a word; name all alike"),
        ("a a 1\n\nnan a 1\n", "line 4: a row names a variable 'nan', the first one by a word"),
        (f"a a 1\n{'9' * 500} a 1\n", "line 3: a row names a variable '999999999999999999999...'"),
        ("0 0 1\na 0 1\n", "line 3: 'a' is not a number"),
        ("a b\n", "line 2: 'b' is not a number"),
        ("a b 1 2\n", "line 2: a row has 4 words"),
        ("a b c\n", "line 2: 'c' is not a number"),
        ("\na b inf\n", "line 3: a row has 'inf'; coefficients are finite, up to 1e+100"),
        (f"{'9' * 500} 0 1\n", "line 2: '999999999999999999999...' is too large a number"),
        ('# labels=["a"]\n0 1 2\n', "line 3: a row names variable 1; variables run from 0 to 0"),
        ('# labels=["a"]\n-1 0 2\n', "line 3: a row names variable -1; variables run from 0 to 0"),
        ('# labels=["a", "b"]\na b 2\n', "line 3: 'a' is not a number"),
        ('# labels=["a", 1]\n0 0 2\n', 'line 2: the labels are no list of texts; write # labels=["a", "b"], one for'),
        ("\n# labels=[a, b]\n0 0 2\n", "line 3: the labels are no list of texts"),
        ("# labels=[]\n", "line 2: the labels are no list of texts"),
        (f"# labels={'[' * 5000}\n", "line 2: the labels are no list of texts"),
        ('# labels=["a"]\n# labels=["a"]\n', "line 3: the labels are given twice; keep one list"),
    ],
)
def test_labels_that_are_wrong_are_refused(text: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        load(f"# vartype=SPIN\n{text}".encode(), format="coo")
    assert str(caught.value).startswith(said)
