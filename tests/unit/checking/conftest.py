"""Proofs that several tests forge."""

from __future__ import annotations

import pytest

from benchmarks import forgeries
from benchmarks.proving.forging import Base
from bender_core.checking.proof import CycleStep


@pytest.fixture(scope="session")
def known() -> list[Base]:
    """Honest certificates of three models of every kind that is proven in no time."""
    return forgeries.bases(
        1, 3, [name for name in forgeries.MODELS if not name.startswith(("one-hot 8", "one-hot 10"))]
    )


@pytest.fixture(scope="session")
def by_cycles() -> list[Base]:
    """Those of which a step has cycles, of few variables."""
    names = [name for name in forgeries.MODELS if name.startswith(("six", "ten", "dense", "grid"))]
    found = forgeries.bases(1, 3, names, ("cycles", "both"))
    return [of for of in found if any(isinstance(step, CycleStep) and step.cycles for step in of.proof.steps)]
