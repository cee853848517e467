"""Proofs that several tests forge."""

from __future__ import annotations

import pytest

from benchmarks import forgeries
from benchmarks.proving.forging import Base


@pytest.fixture(scope="session")
def known() -> list[Base]:
    """Three honest certificates of every kind of models that is proven in no time."""
    return forgeries.bases(
        1, 3, [name for name in forgeries.MODELS if not name.startswith(("one-hot 8", "one-hot 10"))]
    )
