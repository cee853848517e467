"""Plans that several files of tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from bender_core.experiments import (
    Instance,
    Plan,
)
from bender_core.resources import SAMPLES
from tests.unit.experiments.plans import PLAN


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    (tmp_path / "tree.mrf.json").write_bytes((SAMPLES / "tree.mrf.json").read_bytes())
    return path


@pytest.fixture
def rows_of_three() -> Plan:
    """The groups are the grid's rows, for every M above 2."""
    values = (("rows", 3), ("columns", 3), ("coupling", "gaussian"))
    instances = tuple(Instance("ising_grid", (*values, ("seed", seed))) for seed in range(3))
    return Plan("rows of three", instances, (2, 3, 9), (9, 11), ("groups",))
