"""Forgeries: what they state is judged rightly, and every kind states something false."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import bender_core as bc
from benchmarks import forgeries
from benchmarks.forgeries import ERROR, FALSE, FORGERS, HIDES, REFUSED, TRUE, campaign, forged, judged, outcome
from benchmarks.proving.cycles import CYCLES
from benchmarks.proving.forging import Base, base
from bender_core.checking import checker
from bender_core.checking.proof import Proof
from tests.models import examples


@pytest.fixture(scope="module")
def whole() -> Base:
    """Energies 0, 5, 7 and 12 of two variables; proven."""
    found = base("whole", bc.BinaryMRF([[0.0, 5.0], [7.0, 0.0]]), 2, 0.0)
    assert found.certificate.optimal
    return found


def test_what_is_true_of_a_model_is_known(whole: Base) -> None:
    assert (whole.least, whole.best, whole.second) == (0, 0, 5)
    assert whole.proof.labeling.tolist() == [0, 1]
    assert whole.excess(np.array([1, 0])) == 12


def test_the_second_best_of_a_large_model_is_among_those_with_another_value() -> None:
    """The best has all variables at 1, the next one lacks the cheapest."""
    unary = [[0.0, -k] for k in range(3, 23)]
    assert base("", bc.BinaryMRF(unary), 2, 0.0).second == 3


def test_differences_that_do_not_count_are_no_second_best() -> None:
    mrf = bc.BinaryMRF([[0.0, 1e-7], [0.0, 3.0]])
    assert base("", mrf, 2, 1e-5).second == 3
    assert base("", mrf, 2, 0.0).second == Fraction(1, 10**7)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, TRUE),
        ({"lower_bound": -math.inf}, TRUE),
        ({"lower_bound": -1.0, "negligible": 4.9}, TRUE),
        ({"lower_bound": 1.0, "negligible": 1.0}, FALSE),
        ({"lower_bound": 0.5, "negligible": 0.25}, FALSE),
        ({"lower_bound": -0.5, "negligible": -1.0}, FALSE),
        ({"lower_bound": math.nextafter(0.0, 1.0), "negligible": 0.0}, FALSE),
        ({"lower_bound": math.nan}, FALSE),
        ({"lower_bound": math.inf}, FALSE),
        ({"negligible": 5.0}, HIDES),
        ({"negligible": math.inf}, FALSE),
        ({"negligible": math.nan}, FALSE),
        ({"labeling": np.array([1, 1])}, FALSE),
        ({"labeling": np.array([1, 1]), "upper_bound": 5.0}, TRUE),
        ({"labeling": np.array([1, 1]), "upper_bound": 5.0, "lower_bound": 5.0}, FALSE),
        ({"labeling": np.array([1, 1]), "upper_bound": 5.0, "lower_bound": 5.0, "negligible": 6.0}, HIDES),
        ({"labeling": np.array([1, 1, 0])}, FALSE),
        ({"labeling": np.array([0.0, 0.5])}, FALSE),
        ({"upper_bound": math.nextafter(0.0, 1.0)}, FALSE),
        ({"model": "another"}, FALSE),
    ],
)
def test_what_a_proof_says_is_judged_by_all_energies(change: dict[str, object], said: str, whole: Base) -> None:
    """A bound of 1 up to 1 is true, but not if it is also the energy of the labelling, which is 0."""
    claimed = {"upper_bound": 1.0} if change.get("lower_bound") == 1.0 else {}
    assert judged(whole, replace(whole.proof, **(claimed | change)))[0] == said


def test_a_difference_that_rounding_hides_is_one() -> None:
    """The energies of both labellings are 1e17 in floats."""
    of = base("", bc.BinaryMRF([[0.0, 1.0]], constant=1e17), 2, 0.0)
    assert judged(of, of.proof)[0] == TRUE
    assert judged(of, replace(of.proof, labeling=np.array([1])))[0] == HIDES


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, TRUE),
        ({"seconds": 1e9}, TRUE),
        ({"feasible": False}, FALSE),
        ({"optimal": False}, FALSE),
        ({"open_variables": 1}, FALSE),
        ({"status": "stopped"}, FALSE),
        ({"status": "surely"}, FALSE),
        ({"lower_bound": 1.0}, FALSE),
        ({"negligible": 5.0}, HIDES),
    ],
)
def test_what_a_certificate_says_is_judged(change: dict[str, object], said: str, whole: Base) -> None:
    assert judged(whole, replace(whole.certificate, **change))[0] == said


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"lower_bound": 1.0}, {"upper_bound": -1.0}, {"fixed": 99}, {"variables": 99}])
def test_rounds_that_cannot_have_been_are_false(change: dict[str, object], known: list[Base]) -> None:
    of = next(
        each for each in known if each.certificate.rounds and each.least < 0 and judged(each, each.proof)[0] == TRUE
    )
    assert judged(of, of.certificate)[0] == TRUE
    first, *others = of.certificate.rounds
    scaled = {name: value * abs(2.0 * float(of.least)) if "bound" in name else value for name, value in change.items()}
    assert judged(of, replace(of.certificate, rounds=(replace(first, **scaled), *others)))[0] == FALSE


@pytest.mark.slow
@pytest.mark.parametrize("name", FORGERS)
def test_every_kind_of_forgery_states_something_false(name: str, known: list[Base]) -> None:
    """Mostly of proofs that are true as they are."""
    honest = [of for of in known if judged(of, of.certificate)[0] == TRUE]
    said = Counter(judged(*forged(name, honest, np.random.default_rng(seed)))[0] for seed in range(examples(60)))
    assert said[FALSE] + said[HIDES] > 0


@pytest.mark.parametrize("name", CYCLES)
def test_every_kind_of_forgery_of_cycles_states_something_false(name: str, by_cycles: list[Base]) -> None:
    said = Counter(judged(*forged(name, by_cycles, np.random.default_rng(seed)))[0] for seed in range(20))
    assert said[FALSE] + said[HIDES] > 0


@pytest.mark.parametrize(
    ("name", "overlooked"),
    [
        ("cycles: invented", "is not closed"),
        ("cycles: satisfied", "is not frustrated"),
        ("shares: lent back", "a share is negative"),
        ("values: flipped", "is not decided to be"),
    ],
)
def test_a_checker_that_overlooks_something_is_found_out(
    name: str, overlooked: str, by_cycles: list[Base], monkeypatch: pytest.MonkeyPatch
) -> None:
    require = checker._require

    def lax(fulfilled: bool, sentence: str) -> None:
        require(fulfilled or overlooked in sentence, sentence)

    monkeypatch.setattr(checker, "_require", lax)
    assert FALSE in {verdict for *_, verdict, _ in campaign(by_cycles, 200, 0, [name])}


def test_what_no_proof_has_cannot_be_forged(whole: Base) -> None:
    with pytest.raises(ValueError, match="none of these proofs has what is forged by 'cycles: satisfied'"):
        forged("cycles: satisfied", [whole], np.random.default_rng(0))


@pytest.mark.slow
def test_forgeries_depend_on_the_seed_alone(known: list[Base]) -> None:
    def made(seed: int) -> list[tuple[str, str, bool, str, str]]:
        return [(name, of.name, *found) for name, of, *found in campaign(known, 60, seed)]

    assert made(3) == made(3) != made(4)


@pytest.mark.slow
def test_a_checker_that_believes_everything_is_found_out(known: list[Base], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forgeries, "check_proof", lambda mrf, proof: None)
    seen = Counter(verdict for *_, verdict, _ in campaign(known, 300, 0))
    assert seen[FALSE] > 100


def test_other_errors_than_a_refusal_are_told_apart(whole: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(mrf: bc.BinaryMRF, proof: Proof) -> None:
        raise ValueError("out of range")

    assert outcome(whole, replace(whole.proof, lower_bound=1.0))[0] == REFUSED
    monkeypatch.setattr(forgeries, "check_proof", broken)
    assert outcome(whole, whole.proof) == (ERROR, "ValueError: out of range")
