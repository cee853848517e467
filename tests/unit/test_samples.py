"""The sample instances: the folder is the output of its script, and the descriptions are true."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import bender_core as bc
from bender_core.model import BinaryMRF
from bender_core.resources import SAMPLES
from tests.unit.local_polytope import fractional_share, solve_lp

GALLERY = ("tiny", "friends", "frustrated-cycle", "tree", "pose-small", "pose", "torus-10x10", "karate")


def sample(name: str) -> BinaryMRF:
    return bc.sample(name)


@pytest.mark.slow
def test_the_script_makes_the_folder_again_byte_for_byte(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, SAMPLES / "make_samples.py", tmp_path], cwd=tmp_path, env=environment, check=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_bytes() for path in SAMPLES.glob("*.mrf.json")}
    assert made == kept
    assert set(kept) == {f"{name}.mrf.json" for name in GALLERY}


@pytest.mark.parametrize("name", GALLERY)
def test_a_sample_says_what_it_is(name: str) -> None:
    mrf = sample(name)
    assert 1 <= mrf.description.count(". ") + mrf.description.endswith(".") <= 2
    assert mrf.source
    assert mrf.name
    assert mrf.positions is not None
    assert len({tuple(p) for p in mrf.positions.tolist()}) == mrf.n
    assert len(set(mrf.names)) == mrf.n
    assert (SAMPLES / f"{name}.mrf.json").stat().st_size < 1_000_000


def test_tiny_keeps_its_promise() -> None:
    mrf = sample("tiny")
    assert mrf.groups == ("A",) * 3 + ("B",) * 3
    for table in (mrf.unary, mrf.pairwise):
        assert (2 * table == np.round(2 * table)).all()
        assert np.abs(table).max() <= 3
    energies = sorted(mrf.energy(x) for x in itertools.product((0, 1), repeat=6))
    assert energies[0] == -3 < energies[1]
    bound, x = solve_lp(mrf)
    assert bound == pytest.approx(-4.5)
    assert fractional_share(x) == 1


@pytest.mark.parametrize(("name", "n"), [("pose-small", 84), ("pose", 224)])
def test_poses_are_loose(name: str, n: int) -> None:
    mrf = sample(name)
    assert mrf.n == n
    bound, x = solve_lp(mrf)
    assert fractional_share(x) >= 1 / 3
    # What the LP promises is far below what any labelling near it reaches.
    assert bound < min(mrf.energy(x > 0.6), mrf.energy(x > 0.4), mrf.energy(x > 0.1)) - 1


def test_the_tree_has_no_gap_and_the_cycle_has() -> None:
    tree, cycle = sample("tree"), sample("frustrated-cycle")
    bound, x = solve_lp(tree)
    assert fractional_share(x) == 0
    assert tree.energy(np.round(x).astype(int)) == pytest.approx(bound)
    best = min(cycle.energy(x) for x in itertools.product((0, 1), repeat=cycle.n))
    assert solve_lp(cycle)[0] < best - 1


def test_karate_energies_are_modularity() -> None:
    mrf = sample("karate")
    club = nx.karate_club_graph()
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = rng.integers(0, 2, mrf.n)
        # Member 1 is kept in community 0; that costs nothing there.
        x[0] = 0
        communities = [set(np.flatnonzero(x == c).tolist()) for c in (0, 1)]
        expected = nx.community.modularity(club, communities, weight=None)
        assert mrf.objective.value(mrf.energy(x)) == pytest.approx(expected)
    assert mrf.objective.sense == "max"
