"""Models of real pictures: their energies from the definition, and what is said of them holds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.ndimage import correlate
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits, load_sample_image
from sklearn.neural_network import BernoulliRBM

from bender_core.rivals.reference import reference
from bender_core.synth import image_denoising, image_segmentation, restricted_boltzmann
from bender_core.synth._pictures import DIGITS, PHOTOGRAPHS, digit_labels, digits, photograph
from bender_core.synth.boltzmann import BATCH, RATE, SWEEPS
from bender_core.synth.images import ising_prior
from tests.tiers import thinned
from tests.unit.local_polytope import fractional_share, solve_lp


def offsets(reach: int) -> list[tuple[int, int]]:
    """To the right in the same row, then in the rows below, from left to right."""
    square = itertools.product(range(reach + 1), range(-reach, reach + 1))
    return [(r, c) for r, c in square if (r > 0 or c > 0) and np.hypot(r, c) <= reach]


def test_pictures_are_what_scikit_learn_ships() -> None:
    shipped = load_digits()
    assert len(digits()) == len(digit_labels()) == DIGITS == len(shipped.images)
    assert digits()[17, 3].tolist() == [shade >= 8 for shade in shipped.images[17, 3]]
    assert digit_labels()[:10] == tuple(range(10))
    for name in PHOTOGRAPHS:
        original, small = load_sample_image(f"{name}.jpg"), photograph(name, 24)
        assert small.shape == (16, 24, 3)
        assert small[5, 7] * 255 == pytest.approx(original[130:156, 182:208].mean(axis=(0, 1)), abs=0.2)


# --- denoising -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reach", [1, 2, 3])
def test_the_prior_makes_the_digits_likeliest(reach: int) -> None:
    spins = 2.0 * digits() - 1

    def pseudo_likelihood(weights: np.ndarray) -> float:
        kernel = np.zeros((1, 2 * reach + 1, 2 * reach + 1))
        for (r, c), coupling in zip(offsets(reach), weights[1:], strict=True):
            kernel[0, reach + r, reach + c] = kernel[0, reach - r, reach - c] = coupling
        local = weights[0] + correlate(spins, kernel, mode="constant")
        return -float(np.log1p(np.exp(-2 * spins * local)).sum())

    h, couplings = ising_prior(reach)
    best = np.array([h, *couplings])
    for k, step in itertools.product(range(len(best)), (-0.01, 0.01)):
        assert pseudo_likelihood(best + step * np.eye(len(best))[k]) < pseudo_likelihood(best)


@pytest.mark.parametrize(("reach", "flips"), thinned([(1, 0.2), (2, 0.1), (4, 0.3)], 3, several=True))
def test_denoising_weighs_the_prior_against_the_pixels(reach: int, flips: float) -> None:
    mrf = image_denoising(17, flips, reach, seed=2)
    h, couplings = ising_prior(reach)
    coupling = dict(zip(offsets(reach), couplings, strict=True))
    field = (mrf.unary[:, 0] - mrf.unary[:, 1]) / 2 - h
    trust = np.log((1 - flips) / flips) / 2
    assert np.abs(field) == pytest.approx(trust)
    for x in np.random.default_rng(0).integers(0, 2, (5, 64)):
        s = 2 * x.reshape(8, 8) - 1
        energy = -sum((h + g) * value for g, value in zip(field, s.ravel(), strict=True))
        for r, c, (down, right) in itertools.product(range(8), range(8), coupling):
            if r + down < 8 and 0 <= c + right < 8:
                energy -= coupling[down, right] * s[r, c] * s[r + down, c + right]
        assert mrf.energy(x) == pytest.approx(energy)


def test_the_expected_share_of_pixels_is_flipped() -> None:
    def flipped(flips: float, seed: int) -> float:
        h, _ = ising_prior(1)
        mrf = image_denoising(3, flips, 1, seed)
        seen = (mrf.unary[:, 0] - mrf.unary[:, 1]) / 2 > h
        return float((seen != digits()[3].ravel()).mean())

    for flips in (0.01, 0.15, 0.4):
        assert np.mean([flipped(flips, seed) for seed in range(40)]) == pytest.approx(flips, abs=0.03)


@pytest.mark.parametrize("seed", range(3))
def test_at_reach_one_the_lp_is_exact_and_from_two_on_some_pixels_repel(seed: int) -> None:
    near, far = (image_denoising(reach=reach, seed=seed) for reach in (1, 2))
    assert (near.coupling() < 0).all()
    assert fractional_share(solve_lp(near)[1]) == 0
    assert (far.coupling() > 0).any()


@pytest.mark.slow
def test_the_lp_is_loose_by_default() -> None:
    mrf = image_denoising()
    assert solve_lp(mrf)[0] < reference(mrf).energy - 1


def test_the_digit_is_named_correctly() -> None:
    mrf = image_denoising(image=17)
    assert mrf.description.startswith(f"A handwritten {load_digits().target[17]} ")
    assert mrf.source.endswith("  # sklearn.datasets.load_digits().images[17]")


# --- segmentation --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("picture", PHOTOGRAPHS)
def test_segmentation_weighs_colours_against_contrast(picture: str) -> None:
    mrf = image_segmentation(picture, 16, 3.0)
    pixels = photograph(picture, 16)
    rows, columns = 10, 16
    middle = [(r, c) for r, c in itertools.product(range(rows), range(columns)) if 3 <= r < 7 and 4 <= c < 12]
    frame = [
        (r, c) for r, c in itertools.product(range(rows), range(columns)) if not (1 <= r < rows - 1 and 2 <= c < 14)
    ]
    density = [
        multivariate_normal(colours.mean(axis=0), np.cov(colours.T) + 1e-3 * np.eye(3))
        for colours in (np.array([pixels[place] for place in marked]) for marked in (middle, frame))
    ]
    likelihood = density[0].logpdf(pixels.reshape(-1, 3)) - density[1].logpdf(pixels.reshape(-1, 3))
    pairs = [
        ((r, c), (r + down, c + right))
        for r, c, (down, right) in itertools.product(range(rows), range(columns), [(0, 1), (1, 0)])
        if r + down < rows and c + right < columns
    ]
    contrast = [float(((pixels[p] - pixels[q]) ** 2).sum()) for p, q in pairs]
    for x in np.random.default_rng(0).integers(0, 2, (5, mrf.n)):
        energy = -float(likelihood @ x)
        label = x.reshape(rows, columns)
        for (p, q), squared in zip(pairs, contrast, strict=True):
            if label[p] != label[q]:
                energy += 3.0 * np.exp(-squared / (2 * np.mean(contrast)))
        # Tables are rounded to three decimals.
        assert mrf.energy(x) == pytest.approx(energy, abs=5e-4 * (mrf.n + mrf.n_edges))


@pytest.mark.parametrize("picture", PHOTOGRAPHS)
def test_a_segmentation_is_attractive_and_its_lp_exact(picture: str) -> None:
    mrf = image_segmentation(picture)
    assert (mrf.coupling() <= 0).all()
    _, x = solve_lp(mrf)
    assert fractional_share(x) == 0
    label = x.reshape(16, 24)
    assert label[8, 12] == 1
    assert label[0, 0] == 0
    assert 0.1 < label.mean() < 0.6
    assert f"'{picture}.jpg'" in mrf.source


def test_without_smoothness_every_pixel_is_on_its_own() -> None:
    mrf = image_segmentation(smoothness=0.0)
    assert not mrf.coupling().any()
    assert image_segmentation(smoothness=1.0).coupling().any()


# --- restricted Boltzmann machine ----------------------------------------------------------------------------


def test_the_machine_is_the_one_that_scikit_learn_trains() -> None:
    mrf = restricted_boltzmann(image=7, rows_seen=3, hidden=6, seed=5)
    machine = BernoulliRBM(6, learning_rate=RATE, batch_size=BATCH, n_iter=SWEEPS, random_state=5)
    machine.fit((load_digits().data >= 8).astype(float))
    ink = load_digits().images[7] >= 8
    for x in np.random.default_rng(0).integers(0, 2, (5, 70)):
        v, h = x[:64], x[64:]
        energy = -sum(machine.components_[j, i] * v[i] * h[j] for i in range(64) for j in range(6))
        energy -= sum(machine.intercept_visible_[i] * v[i] for i in range(64))
        energy -= sum(machine.intercept_hidden_[j] * h[j] for j in range(6))
        energy -= sum((3.0 if ink[i // 8, i % 8] else -3.0) * v[i] for i in range(24))
        # Tables are rounded to three decimals.
        assert mrf.energy(x) == pytest.approx(energy, abs=5e-4 * (mrf.n + mrf.n_edges))


def test_visible_and_hidden_units_are_the_two_sides_of_the_graph() -> None:
    mrf = restricted_boltzmann(hidden=20)
    assert mrf.groups is not None
    assert mrf.groups == ("visible",) * 64 + ("hidden",) * 20
    assert {tuple(edge) for edge in mrf.edges.tolist()} == set(itertools.product(range(64), range(64, 84)))
    assert (mrf.names[0], mrf.names[63], mrf.names[64]) == ("r0c0", "r7c7", "hidden 1")
    # Trained units differ from each other and from what they were at first, about 0.01.
    assert np.abs(mrf.coupling()).mean() > 0.1


@pytest.mark.slow
def test_the_completion_is_that_of_a_digit() -> None:
    mrf = restricted_boltzmann()
    found = reference(mrf).labeling
    assert found is not None
    truth = digits()[4]
    restored = found[:64].reshape(8, 8)
    assert (restored != truth)[:4].sum() <= 3
    assert (restored != truth)[4:].sum() <= 6
    assert "the first 4 of 8 rows of a 4:" in mrf.description


def test_the_more_rows_are_seen_the_closer_the_lp() -> None:
    shares = [fractional_share(solve_lp(restricted_boltzmann(rows_seen=rows))[1]) for rows in (0, 4, 8)]
    assert shares[0] > shares[1] > shares[2] == 0
