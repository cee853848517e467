"""A restricted Boltzmann machine, trained on handwritten digits, that completes a digit."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bender_core.model import BinaryMRF, FloatArray
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth._pictures import DIGITS, digit_labels, digits

# Training: enough for completions that look like digits, in well under a second.
SWEEPS, BATCH, RATE = 30, 50, 0.05
TRUST = 3.0  # log-odds that an observed pixel is correct
FEATURES_HIGH = 8  # hidden units below each other, one per row of pixels


def restricted_boltzmann(image: int = 4, rows_seen: int = 4, hidden: int = 16, seed: int = 0) -> BinaryMRF:
    """The most probable digit given its upper rows: ``E(v, h) = −Σ W_ij v_i h_j − Σ b_i v_i − Σ c_j h_j``.

    The machine is P. Smolensky's (Information processing in dynamical systems: foundations of harmony theory, 1986),
    trained by persistent contrastive divergence (T. Tieleman, ICML 2008) on all digits of
    ``sklearn.datasets.load_digits``, 8 × 8 pixels, made black and white, with ``sklearn.neural_network.BernoulliRBM``.

    Parameters
    ----------
    image : int
        Index of the digit to be completed.
    rows_seen : int
        The number of observed rows, from the top, 0 to 8: b is raised by 3 where they have ink, and lowered elsewhere.
    hidden : int
        Number of hidden units.
    seed : int
        Of the training.

    Returns
    -------
    BinaryMRF
        Energies are −log probabilities up to a constant, rounded to three decimals, so that training on another
        machine gives the same model. Pixels ("visible") and hidden units are the groups; pixels are at (column, row),
        hidden units on the right.
    """
    weight, b, c = _trained(hidden, seed)
    ink = digits()[image]
    evidence = np.where(ink, TRUST, -TRUST)
    evidence[rows_seen:] = 0.0
    visible = np.arange(ink.size)
    row, column = np.divmod(visible, ink.shape[1])
    across, down = np.divmod(np.arange(hidden), FEATURES_HIGH)
    bias = np.concatenate([b + evidence.ravel(), c])
    pairwise = np.zeros((weight.size, 2, 2))
    pairwise[:, 1, 1] = -weight.ravel()
    return BinaryMRF(
        unary=np.column_stack([np.zeros_like(bias), -bias]),
        edges=np.column_stack([np.repeat(visible, hidden), np.tile(ink.size + np.arange(hidden), ink.size)]),
        pairwise=pairwise,
        names=(*(f"r{r}c{k}" for r, k in zip(row, column, strict=True)), *(f"hidden {j + 1}" for j in range(hidden))),
        groups=("visible",) * ink.size + ("hidden",) * hidden,
        positions=np.concatenate([np.column_stack([column, row]), np.column_stack([across + ink.shape[1] + 2, down])]),
        name=f"Boltzmann machine, digit {image}",
        description=f"A Boltzmann machine has learnt {DIGITS} handwritten digits and is shown the first {rows_seen} of "
        f"8 rows of a {digit_labels()[image]}: which completion is the most probable?",
        source=stated("restricted_boltzmann", image=image, rows_seen=rows_seen, hidden=hidden, seed=seed)
        + "  # sklearn.datasets.load_digits, sklearn.neural_network.BernoulliRBM",
    )


@lru_cache(maxsize=16)
def _trained(hidden: int, seed: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights, shape (64, hidden), and biases of the visible and the hidden units."""
    from sklearn.neural_network import BernoulliRBM  # slow to import, and needed only here

    machine = BernoulliRBM(hidden, learning_rate=RATE, batch_size=BATCH, n_iter=SWEEPS, random_state=seed)
    machine.fit(digits().reshape(DIGITS, -1).astype(np.float64))
    weight, b, c = machine.components_.T, machine.intercept_visible_, machine.intercept_hidden_
    return weight.round(3), b.round(3), c.round(3)


FAMILY = Family(
    name="restricted_boltzmann",
    title="Restricted Boltzmann machine",
    shows="Every pixel is coupled to every hidden unit, so for any grouping all groups of pixels are neighbours of all "
    "groups of hidden units. With no observed row the LP is far off; each observed row brings it closer.",
    generate=restricted_boltzmann,
    parameters=(
        Parameter("image", "Which of the digits", 4, 0, DIGITS - 1),
        Parameter("rows_seen", "Observed rows", 4, 0, 8),
        Parameter("hidden", "Hidden units", 16, 1, 64),
        SEED,
    ),
)
