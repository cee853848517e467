"""Spin glasses without a lattice: on complete graphs and on random regular graphs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bender_core.model import BinaryMRF
from bender_core.seeds import generator
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth._graphs import circle, regular_edges
from bender_core.synth.spins import COUPLING, FIELD, Coupling, draw_couplings, ising_fields, ising_tables


def sherrington_kirkpatrick(
    n: int = 20, coupling: Coupling = "gaussian", field: float = 0.0, seed: int = 0
) -> BinaryMRF:
    """A spin glass in which every spin interacts with every other: ``E(s) = −Σ J_ij s_i s_j / √n − Σ h_i s_i``.

    The model of D. Sherrington and S. Kirkpatrick, Solvable model of a spin-glass, Phys. Rev. Lett. 35 (1975).

    Parameters
    ----------
    n : int
        Number of spins, at least 2.
    coupling : {"pm1", "gaussian"}
        J is −1 or +1 with equal chance, or standard normal.
    field : float
        Standard deviation of h.
    seed : int

    Returns
    -------
    BinaryMRF
        Variables are on a circle of radius 1.
    """
    rng = generator(seed)
    edges = np.column_stack(np.triu_indices(n, 1))
    strength = draw_couplings(rng, len(edges), coupling) / np.sqrt(n)
    h = field * rng.standard_normal(n)
    return BinaryMRF(
        unary=ising_fields(h),
        edges=edges,
        pairwise=ising_tables(strength),
        positions=circle(n),
        name=f"Sherrington–Kirkpatrick {n}",
        description="A spin glass in which every spin interacts weakly with every other: no partition into groups is "
        "natural.",
        source=stated("sherrington_kirkpatrick", n=n, coupling=coupling, field=field, seed=seed),
    )


def random_regular(
    n: int = 30, degree: int = 3, coupling: Coupling = "pm1", field: float = 0.0, seed: int = 0
) -> BinaryMRF:
    """A spin glass on a random graph whose nodes all have the same degree: ``E(s) = −Σ J_ij s_i s_j − Σ h_i s_i``.

    The Bethe lattice of M. Mézard and G. Parisi, The Bethe lattice spin glass revisited, Eur. Phys. J. B 20 (2001).

    Parameters
    ----------
    n : int
        Number of spins.
    degree : int
        Neighbours of each, below n; n or degree is even.
    coupling : {"pm1", "gaussian"}
        J is −1 or +1 with equal chance, or standard normal.
    field : float
        Standard deviation of h.
    seed : int

    Raises
    ------
    ModelError
        If no graph has that number of nodes of that degree.
    """
    rng = generator(seed)
    edges = regular_edges(n, degree, seed)
    strength = draw_couplings(rng, len(edges), coupling)
    h = field * rng.standard_normal(n)
    return BinaryMRF(
        unary=ising_fields(h),
        edges=edges,
        pairwise=ising_tables(strength),
        name=f"{degree}-regular graph of {n}",
        description="A spin glass on a random graph: around every spin it looks like a tree, and its cycles are long.",
        source=stated("random_regular", n=n, degree=degree, coupling=coupling, field=field, seed=seed),
    )


FAMILIES = (
    Family(
        name="sherrington_kirkpatrick",
        title="Sherrington–Kirkpatrick",
        shows="Every pair of spins is coupled, and so is every pair of groups. The bound starts far from the optimum, "
        "and only large groups bring it close.",
        generate=sherrington_kirkpatrick,
        parameters=(
            Parameter("n", "Spins", 20, 2, 200),
            replace(COUPLING, default="gaussian"),
            FIELD,
            SEED,
        ),
    ),
    Family(
        name="random_regular",
        title="Random regular graph",
        shows="Few cycles are short, so small groups contain few complete cycles: the gap closes only as groups grow.",
        generate=random_regular,
        parameters=(
            Parameter("n", "Spins", 30, 4, 1000),
            Parameter("degree", "Neighbours of each", 3, 2, 8),
            COUPLING,
            FIELD,
            SEED,
        ),
    ),
)
