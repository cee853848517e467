"""Make the sample instances again, byte for byte: ``python sample_instances/make_samples.py [folder]``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

from bender_core.io import save  # noqa: E402
from bender_core.model import BinaryMRF  # noqa: E402
from bender_core.objective import Objective  # noqa: E402
from bender_core.synth import body_pose, frustrated_cycle, ising_grid, random_tree  # noqa: E402

ENDING = ".mrf.json"


def tiny() -> BinaryMRF:
    """Two groups of three variables, small enough to compute by hand."""
    inner = {(0, 1): -3.0, (1, 2): -3.0, (3, 4): 1.0, (4, 5): -3.0}
    across = {(0, 3): -1.0, (0, 4): -3.0, (1, 3): 1.0, (1, 4): 1.0, (1, 5): 3.0, (2, 4): 3.0, (2, 5): -3.0}
    both = inner | across
    pairwise = np.zeros((len(both), 2, 2))
    pairwise[:, 1, 1] = list(both.values())
    return BinaryMRF(
        unary=np.column_stack([np.zeros(6), [1.5, -0.5, 2.0, 1.0, 2.0, 1.0]]),
        edges=np.array(list(both)),
        pairwise=pairwise,
        names=["a1", "a2", "a3", "b1", "b2", "b3"],
        groups=["A", "A", "A", "B", "B", "B"],
        positions=np.array([[0, 0], [0, 1], [0, 2], [2, 0], [2, 1], [2, 2]]),
        name="tiny",
        description="Two groups of three variables, every number checkable by hand. The LP over single variables stops "
        "at −4.5; with two groups a few Benders rows raise the bound to the optimum, −3.",
        source="made for Bender Lab",
    )


FRIENDS = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ida", "Jon", "Kim", "Leo")
# What going costs each of them.
OWN = (0, -1, 0, 2, 1, -1, 1, 0, 2, 1, 2, 0)
# The wishes at the four tables and between them: positive to be together, negative to be apart.
WISHES = {
    **{(0, 1): 3, (1, 2): 2, (0, 2): -3, (3, 4): -1, (4, 5): 1, (3, 5): 2},
    **{(6, 7): 1, (7, 8): 2, (6, 8): -3, (9, 10): 3, (10, 11): 2, (9, 11): -3},
    **{(0, 3): -2, (1, 5): -1, (2, 3): -1, (2, 4): 2, (3, 7): -1, (3, 8): 1, (4, 6): 2, (4, 8): 1},
    **{(7, 10): 1, (7, 11): -1, (8, 9): -2, (8, 10): -2, (1, 9): -1, (1, 10): -1, (2, 9): -1, (2, 10): -2},
}
# Of the tables, and of the friends around them.
TABLES, SEATS = ((0, 0), (4, 0), (4, 3), (0, 3)), ((-0.8, -0.5), (0.8, -0.5), (0.0, 0.8))


def friends() -> BinaryMRF:
    """Twelve friends at four tables; each goes to a party or stays at home."""
    return BinaryMRF(
        unary=np.column_stack([np.zeros(len(OWN)), OWN]),
        edges=np.array(list(WISHES)),
        pairwise=np.array([wish * (1 - np.eye(2)) if wish > 0 else -wish * np.eye(2) for wish in WISHES.values()]),
        names=FRIENDS,
        groups=[table for table in "ABCD" for _ in SEATS],
        positions=np.array([np.add(table, seat) for table in TABLES for seat in SEATS]),
        name="friends",
        description="Twelve friends at four tables, who go to a party (1) or stay at home (0); a broken wish to be "
        "together or apart costs. One table to a group leaves a gap, two tables close it: the example of Learn.",
        source="made for Bender Lab",
    )


def karate() -> BinaryMRF:
    """The split of Zachary's karate club into two communities of largest modularity, as energies.

    ``Q = (1/2m) Σ_ij (A_ij − k_i k_j / 2m) [c_i = c_j]`` over ordered pairs, i = j included. Times
    2m² this is a sum of whole numbers; its negative is the energy.
    """
    graph = nx.karate_club_graph()
    adjacency = nx.to_numpy_array(graph, weight=None)
    degree = adjacency.sum(axis=1)
    m = graph.number_of_edges()
    excess = 2 * m * adjacency - np.outer(degree, degree)
    i, j = np.triu_indices(len(degree), 1)
    unary = np.zeros((len(degree), 2))
    # Both names of a split give the same Q; this settles for the one with Mr. Hi in community 0.
    unary[0, 1] = 2.0 * m
    layout = nx.spring_layout(graph, seed=4)
    return BinaryMRF(
        unary=unary,
        edges=np.column_stack([i, j]),
        pairwise=-excess[i, j, None, None] * np.eye(2),
        constant=-np.trace(excess) / 2,
        names=[f"member {k + 1}" for k in graph],
        groups=[graph.nodes[k]["club"] for k in graph],
        positions=np.array([layout[k] for k in graph]),
        name="karate",
        description="Zachary's karate club: split it in two so that each half keeps more friendships than chance. "
        "Every pair of members is coupled: a dense model, where most of the bound must come from the groups.",
        source="W. W. Zachary, An information flow model for conflict and fission in small groups, J. Anthropol. Res. "
        "33 (1977), as shipped with NetworkX; modularity after M. E. J. Newman, PNAS 103 (2006). "
        "Groups: the club each member joined.",
        objective=Objective(name="modularity", sense="max", scale=-1.0 / (2 * m**2)),
    )


def told(mrf: BinaryMRF, name: str, description: str) -> BinaryMRF:
    """A generated model with its name and description in the gallery."""
    return replace(mrf, name=name, description=description)


def rounded(mrf: BinaryMRF) -> BinaryMRF:
    """Energies to six decimals and positions to two, which are the same on every machine."""
    positions = None if mrf.positions is None else mrf.positions.round(2)
    return replace(
        mrf,
        unary=mrf.unary.round(6) + 0.0,
        pairwise=mrf.pairwise.round(6) + 0.0,
        constant=round(mrf.constant, 6),
        positions=positions,
    )


def samples() -> dict[str, BinaryMRF]:
    """The sample instances by file name, in the order of the gallery."""
    made = {
        "tiny": tiny(),
        "friends": friends(),
        "frustrated-cycle": told(
            frustrated_cycle(9, seed=0),
            "frustrated cycle",
            "At least one of nine edges must be violated. The bound over single variables misses that; groups find it.",
        ),
        "tree": told(
            random_tree(25, seed=0),
            "tree",
            "Without cycles the bound reaches the optimum at any group size: message passing at its best.",
        ),
        "pose-small": told(
            body_pose(6, people=2, seed=10),
            "pose, small",
            "Candidates of 14 body parts around two people: select those that form the best body. "
            "The LP is loose; one hyper-variable per body part closes the gap.",
        ),
        "pose": told(
            body_pose(16, seed=1),
            "pose",
            "The paper's kind of problem at full size: 14 body parts with 16 candidates each, around three people. "
            "At M = 16 a table of one edge would have 2³² entries; Benders rows replace it.",
        ),
        "torus-10x10": told(
            ising_grid(10, 10, torus=True, coupling="gaussian", seed=0),
            "torus 10×10",
            "A spin glass on a torus, with many frustrated cycles. Larger groups raise the bound step by step.",
        ),
        "karate": karate(),
    }
    return {name: rounded(mrf) for name, mrf in made.items()}


def main(folder: Path = FOLDER) -> None:
    """Write every sample into a folder."""
    for name, mrf in samples().items():
        save(mrf, folder / f"{name}{ENDING}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
