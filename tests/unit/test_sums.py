"""Sums that are rounded once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bender_core.sums import exact_sums
from tests.models import examples

pytestmark = pytest.mark.jitless
SMALL = st.floats(-1.0, 1.0) | st.integers(-3, 3).map(float)
ANY_SIZE = st.floats(-1e100, 1e100)


def rounded_once(place: list[int], terms: list[float], n: int) -> list[float]:
    return [math.fsum(term for at, term in zip(place, terms, strict=True) if at == k) for k in range(n)]


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(st.integers(0, 3), SMALL | ANY_SIZE), max_size=40), st.booleans())
def test_every_sum_is_rounded_once(placed: list[tuple[int, float]], cancelled: bool) -> None:
    """Also where the largest terms cancel each other, and only the smallest one is left."""
    if cancelled:
        placed += [(at, -term) for at, term in placed[1:]]
    place, terms = [at for at, _ in placed], [term for _, term in placed]
    found = exact_sums(np.array(place, np.int64), np.array(terms, float), 4)
    assert found.tolist() == rounded_once(place, terms, 4)


def test_many_terms_of_all_sizes() -> None:
    rng = np.random.default_rng(1)
    terms = rng.normal(size=30_000) * 10.0 ** rng.integers(-40, 40, 30_000)
    terms = np.concatenate([terms, -rng.permutation(terms)])
    place = np.concatenate([rng.integers(3, size=30_000), np.full(30_000, 1)])
    assert exact_sums(place, terms, 3).tolist() == rounded_once(place.tolist(), terms.tolist(), 3)


def test_places_without_terms() -> None:
    nothing = np.zeros(0)
    assert exact_sums(nothing.astype(np.int64), nothing, 2).tolist() == [0.0, 0.0]
    assert exact_sums(nothing.astype(np.int64), nothing, 0).tolist() == []
    assert exact_sums(np.array([1, 1]), np.array([0.0, 0.0]), 2).tolist() == [0.0, 0.0]
