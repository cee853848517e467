"""Named tuples that kernels take by reference."""

from __future__ import annotations

import copy
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from bender_core.kernels._jit import entry, inner
from bender_core.kernels._reference import by_reference
from bender_core.kernels.layout import Floats, Goal, Ints
from tests.models import JIT


@by_reference
class Inside(NamedTuple):
    small: Ints
    cube: Floats


@by_reference
class Outside(NamedTuple):
    wide: Floats
    inside: Inside
    goal: Goal
    yes: bool
    no: bool
    count: int
    share: float


def make() -> Outside:
    goal = Goal.zeros()
    goal.budget = 7
    cube = np.arange(24.0).reshape(2, 3, 4)
    return Outside(np.ones((3, 0)), Inside(np.array([5, 6]), cube), goal, True, False, -3, 0.1)


@inner
def last_of(inside):  # type: ignore[no-untyped-def]
    return inside.cube[1, 2, 3]


@entry
def read(outside):  # type: ignore[no-untyped-def]
    inside = outside.inside
    sizes = len(outside.wide), outside.wide.shape[1], len(inside.small), inside.cube.shape[1]
    numbers = outside.yes, outside.no, outside.count, outside.share, outside.goal.budget
    return sizes, numbers, inside.small[1], inside.cube[1, 0, 2], last_of(inside), inside.cube[:, 1, 0].sum()


@entry
def write(outside):  # type: ignore[no-untyped-def]
    for k in range(len(outside.inside.small)):
        outside.inside.small[k] += outside.goal.budget
        outside.goal.budget += 1


EXPECTED = ((3, 0, 2, 3), (True, False, -3, 0.1, 7), 6, 14.0, 23.0, 20.0)


def test_a_kernel_reads_every_kind_of_field() -> None:
    assert read(make()) == EXPECTED


def test_a_kernel_writes_into_the_arrays_and_records() -> None:
    outside = make()
    write(outside)
    assert outside.inside.small.tolist() == [12, 14]
    assert outside.goal.budget == 9


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda outside: pickle.loads(pickle.dumps(outside))])
def test_a_copy_has_arrays_of_its_own(copied: Any) -> None:
    outside = make()
    assert read(outside) == EXPECTED
    other = copied(outside)
    write(other)
    assert read(outside) == EXPECTED
    assert read(other) != EXPECTED


def test_a_tuple_with_another_field_is_another_tuple() -> None:
    outside = make()
    assert read(outside) == EXPECTED
    assert read(outside._replace(count=8))[1] == (True, False, 8, 0.1, 7)


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_an_array_with_gaps_is_refused() -> None:
    outside = make()
    gaps = outside.inside._replace(small=np.arange(4)[::2])
    with pytest.raises(TypingError, match=r"Inside\.small is not contiguous"):
        read(outside._replace(inside=gaps))
