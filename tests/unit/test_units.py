"""Durations and sizes in readable units."""

from __future__ import annotations

import pytest

from bender_core.units import duration, microseconds, storage


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0, "0 ms"),
        (0.00017, "0.17 ms"),
        (0.0996, "100 ms"),
        (0.25, "0.25 s"),
        (9.97, "10 s"),
        (119.0, "119 s"),
        (150.0, "2.5 min"),
        (7000.0, "117 min"),
        (7200.0, "2 h"),
        (36e6, "10,000 h"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@pytest.mark.parametrize(
    ("seconds", "said"), [(3.52e-6, "3.5"), (2e-7, "0.2"), (4.2e-8, "0.04"), (9e-10, "0.0009"), (1.5e-3, "1,500.0")]
)
def test_microseconds_are_never_none(seconds: float, said: str) -> None:
    assert microseconds(seconds) == said


def test_storage() -> None:
    assert (storage(1.5 * 2**20), storage(2**30), storage(0)) == ("1.5 MB", "1 GB", "0 MB")
    assert (storage(999 * 2**20), storage(1023 * 2**20), storage(2000 * 2**20)) == ("999 MB", "0.999 GB", "1.95 GB")
