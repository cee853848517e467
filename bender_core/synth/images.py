"""Image denoising and segmentation, with real images shipped with scikit-learn."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bender_core.model import BinaryMRF, FloatArray
from bender_core.seeds import generator
from bender_core.synth._family import SEED, Family, Parameter, stated
from bender_core.synth._graphs import Graph
from bender_core.synth._pictures import DIGITS, PHOTOGRAPHS, digit_labels, digits, photograph
from bender_core.synth.grids import grid_graph
from bender_core.synth.spins import ising_fields, ising_tables

# Newton's method converges in far fewer steps.
NEWTON_STEPS = 8
# The share of height and width on every side that is taken as background, and of the central box taken as foreground.
FRAME, BOX = 1 / 8, 1 / 2
# Added to the variances of colours, which lie between 0 and 1, so that that of a plain background is not 0.
COLOUR_NOISE = 1e-3


def image_denoising(image: int = 0, flips: float = 0.15, reach: int = 2, seed: int = 0) -> BinaryMRF:
    """A handwritten digit with flipped pixels to restore: ``E(s) = −Σ J_d s_i s_(i+d) − Σ (h + g_i) s_i``.

    Restoration by the most probable image is from S. Geman and D. Geman, Stochastic relaxation, Gibbs distributions,
    and the Bayesian restoration of images, IEEE Trans. Pattern Anal. Mach. Intell. 6 (1984). The prior, one J for
    every offset d and one field h, was fitted to all the digits by pseudo-likelihood (J. Besag, Statistical analysis
    of non-lattice data, The Statistician 24, 1975); g is half the log-odds that a pixel was not flipped, with the sign
    of the pixel.

    Parameters
    ----------
    image : int
        Index into ``sklearn.datasets.load_digits``, 8 × 8 pixels, made black and white.
    flips : float
        Probability that a pixel is flipped, above 0 and below 1.
    reach : int
        Pixels are joined up to this distance, in pixels.
    seed : int
        Of the flips.

    Returns
    -------
    BinaryMRF
        Energies are −log probabilities up to a constant. Rows are the groups; pixels are at (column, row).
    """
    rng = generator(seed)
    truth = digits()[image]
    seen = np.where(truth ^ (rng.random(truth.shape) < flips), 1.0, -1.0)
    h, couplings = ising_prior(reach)
    graph = grid_graph(*truth.shape)
    pairs = [_at_offset(truth.shape, offset) for offset in _offsets(reach)]
    return BinaryMRF(
        unary=ising_fields((h + 0.5 * np.log((1 - flips) / flips) * seen).ravel()),
        pairwise=ising_tables(np.repeat(couplings, [len(each) for each in pairs])),
        **graph._replace(edges=np.concatenate(pairs))._asdict(),
        name=f"denoising digit {image}",
        description=f"A handwritten {digit_labels()[image]} with some pixels flipped: which image is most probable?",
        source=stated("image_denoising", image=image, flips=flips, reach=reach, seed=seed)
        + f"  # sklearn.datasets.load_digits().images[{image}]",
    )


@lru_cache(maxsize=8)
def ising_prior(reach: int) -> tuple[float, tuple[float, ...]]:
    """The field and the coupling of every offset that maximise the pseudo-likelihood of the digits.

    Rounded, to be the same on every machine.
    """
    spins = np.where(digits(), 1.0, -1.0)
    neighbours = [_shifted(spins, (r, c)) + _shifted(spins, (-r, -c)) for r, c in _offsets(reach)]
    features = np.stack([np.ones_like(spins), *neighbours], axis=-1).reshape(spins.size, -1)
    ink = digits().reshape(-1)
    weight = np.zeros(features.shape[1])
    for _ in range(NEWTON_STEPS):
        p = 1 / (1 + np.exp(-2 * features @ weight))
        gradient = features.T @ (ink - p)
        curvature = 2 * (features * (p * (1 - p))[:, None]).T @ features
        weight += np.linalg.solve(curvature, gradient)
    h, *couplings = weight.round(3).tolist()
    return h, tuple(couplings)


def _offsets(reach: int) -> list[tuple[int, int]]:
    """Offsets (rows, columns) to all pixels within reach, one of each opposite pair."""
    across = range(-reach, reach + 1)
    return [(r, c) for r in range(reach + 1) for c in across if (r, c) > (0, 0) and r * r + c * c <= reach * reach]


def _at_offset(shape: tuple[int, ...], offset: tuple[int, int]) -> NDArray[np.int64]:
    """All pairs of pixels at an offset of at least 0 rows, shape (m, 2)."""
    rows, columns = shape
    index = np.arange(rows * columns).reshape(rows, columns)
    r, c = offset
    before = index[: rows - r, max(-c, 0) : columns - max(c, 0)]
    after = index[r:, max(c, 0) : columns - max(-c, 0)]
    return np.column_stack([before.ravel(), after.ravel()])


def _shifted(images: FloatArray, offset: tuple[int, int]) -> FloatArray:
    """The images shifted by an offset, with 0 outside."""
    pad = max(map(abs, offset))
    r, c = offset
    _, rows, columns = images.shape
    padded = np.pad(images, ((0, 0), (pad, pad), (pad, pad)))
    return padded[:, pad + r : pad + r + rows, pad + c : pad + c + columns]


def image_segmentation(picture: str = "flower", columns: int = 24, smoothness: float = 2.0) -> BinaryMRF:
    """A photograph to segment into foreground and background: ``E(x) = −Σ l_i x_i + Σ w_ij [x_i ≠ x_j]``.

    The model of Y. Boykov and M.-P. Jolly, Interactive graph cuts for optimal boundary and region segmentation of
    objects in N-D images, ICCV 2001. In place of a user's brush strokes, the middle of the image marks the foreground
    and its frame the background: a normal distribution of colours is fitted to each, and l is the log-likelihood ratio
    of a
    pixel's colour. Cutting between neighbours of similar colours costs more:
    ``w = smoothness · exp(−|c_i − c_j|² / 2σ²)``, where σ² is the mean of ``|c_i − c_j|²``.

    Parameters
    ----------
    picture : {"flower", "china"}
        A photograph of ``sklearn.datasets.load_sample_image``.
    columns : int
        Width in pixels after reduction; the height is 427/640 of it, rounded down or up.
    smoothness : float
        The cost, in log-likelihood, of a cut between pixels of the same colour.

    Returns
    -------
    BinaryMRF
        ``x = 1`` is foreground. Rows are the groups; pixels are at (column, row).
    """
    pixels = photograph(picture, columns)
    graph = grid_graph(*pixels.shape[:2])
    colour = pixels.reshape(-1, 3)
    box, frame = _marked(graph)
    likelihood = (_log_density(colour, box) - _log_density(colour, frame)).round(3)
    contrast = ((colour[graph.edges[:, 0]] - colour[graph.edges[:, 1]]) ** 2).sum(axis=1)
    weight = (smoothness * np.exp(-contrast / (2 * contrast.mean()))).round(3)
    return BinaryMRF(
        unary=np.column_stack([np.zeros_like(likelihood), -likelihood]),
        pairwise=weight[:, None, None] * np.array([[0.0, 1.0], [1.0, 0.0]]),
        **graph._asdict(),
        name=f"segmentation, {picture}",
        description=f"A photograph ({picture}.jpg of scikit-learn): which pixels belong to the object in the middle?",
        source=stated("image_segmentation", picture=picture, columns=columns, smoothness=smoothness)
        + f"  # sklearn.datasets.load_sample_image('{picture}.jpg')",
    )


def _marked(graph: Graph) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The pixels marked as foreground, and those marked as background."""
    size = graph.positions.max(axis=0) + 1
    # The distance of a pixel's centre from that of the image: 0 there, 1 at the border.
    away = np.abs(2 * (graph.positions + 0.5) / size - 1).max(axis=1)
    return away < BOX, away > 1 - 2 * FRAME


def _log_density(colour: FloatArray, marked: NDArray[np.bool_]) -> FloatArray:
    """The log-density of colours, up to a constant, under the normal distribution of the marked ones."""
    mean = colour[marked].mean(axis=0)
    covariance = np.cov(colour[marked].T) + COLOUR_NOISE * np.eye(3)
    from_mean = colour - mean
    distance = (from_mean @ np.linalg.inv(covariance) * from_mean).sum(axis=1)
    density: FloatArray = -0.5 * (distance + np.linalg.slogdet(covariance)[1])
    return density


FAMILIES = (
    Family(
        name="image_denoising",
        title="Image denoising",
        shows="At reach 1 every coupling is attractive, so the LP over single variables is exact and groups gain "
        "nothing. From reach 2 the prior models thin strokes: some couplings are repulsive, and the LP may be loose.",
        generate=image_denoising,
        parameters=(
            Parameter("image", "Which of the digits", 0, 0, DIGITS - 1),
            Parameter("flips", "Probability of a flip", 0.15, 0.01, 0.49),
            Parameter("reach", "Reach (pixels)", 2, 1, 4),
            SEED,
        ),
    ),
    Family(
        name="image_segmentation",
        title="Image segmentation",
        shows="Every coupling is attractive, so the LP over single variables is exact and a minimum cut finds the "
        "optimum: an easy problem, where larger groups cannot raise the bound.",
        generate=image_segmentation,
        parameters=(
            Parameter("picture", "Photograph", "flower", choices=PHOTOGRAPHS),
            Parameter("columns", "Columns of pixels", 24, 8, 64),
            Parameter("smoothness", "Smoothness", 2.0, 0.0, 20.0),
        ),
    ),
)
