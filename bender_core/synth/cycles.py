"""One cycle that cannot satisfy all its edges."""

from __future__ import annotations

import numpy as np

from bender_core.model import BinaryMRF
from bender_core.seeds import generator
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth._graphs import circle
from bender_core.synth.spins import ising_tables


def frustrated_cycle(n: int = 9, seed: int = 0) -> BinaryMRF:
    """A cycle of spins with an odd number of edges that favour different values.

    The couplings have whole strengths 1, 2 or 3 and there is no field, so the local-polytope LP puts every variable
    at ½ and pays for no edge, while every labelling pays for at least the weakest.

    Parameters
    ----------
    n : int
        Length of the cycle, at least 3.
    seed : int

    Returns
    -------
    BinaryMRF
        Variables are on a circle of radius 1.
    """
    rng = generator(seed)
    sign = rng.choice([-1.0, 1.0], n)
    if np.prod(sign) > 0:
        sign[rng.integers(n)] *= -1
    strength = sign * rng.integers(1, 4, n).astype(np.float64)
    i = np.arange(n)
    return BinaryMRF(
        unary=np.zeros((n, 2)),
        edges=np.column_stack([i, (i + 1) % n]),
        pairwise=ising_tables(strength),
        positions=circle(n),
        name=f"frustrated cycle of {n}",
        description="An odd number of edges favour different values, so one is violated; the LP avoids that at ½.",
        source=stated("frustrated_cycle", n=n, seed=seed),
    )


FAMILY = Family(
    name="frustrated_cycle",
    title="Frustrated cycle",
    shows="The LP over single variables is loose on the whole cycle; two groups are enough to close the gap.",
    generate=frustrated_cycle,
    parameters=(Parameter("n", "Length of the cycle", 9, 3, 200), SEED),
)
