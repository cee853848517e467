"""Writing and reading back keeps every energy: exactly, or but for rounding that is known and small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from bender_core.io import FORMATS, Format, FormatError, dumps, load, without_unheld_constant
from bender_core.model import BinaryMRF
from tests.models import examples
from tests.unit.io import mixed

WRITABLE = [form for form in FORMATS if form.write is not None]
# What a format writes of a model.
DOMAINS = {"qubo": "bits", "qh": "spins", "rudy": "spins"}


def written(form: Format, mrf: BinaryMRF) -> bytes | None:
    """The file, or None if the format refuses the model, in one sentence."""
    try:
        return dumps(mrf, form.name)
    except FormatError as error:
        sentence = str(error)
    assert "\n" not in sentence
    assert "; " in sentence
    assert len(sentence) < 300
    return None


def compare(form: Format, mrf: BinaryMRF, rng: np.random.Generator) -> str:
    """Write and read a model, and compare all that a file must keep; returns what came of it."""
    data = written(form, mrf)
    if data is None:
        return "refused"
    again = load(data, name=f"a{form.endings[0]}")
    changed, labels = form.rounding(mrf), mixed.labelings(mrf, rng)
    forbidden = [mrf.violations(x) > 0 for x in labels]
    if form.forbids:
        assert [again.violations(x) > 0 for x in labels] == forbidden
    for was, now, barred in zip(mixed.energies(mrf, labels), mixed.energies(again, labels), forbidden, strict=True):
        # Where a format forbids, only that it does counts.
        if not (barred and form.forbids):
            assert abs(now - was) <= mixed.exact(changed * (1 + 1e-9))
    if form.name in ("native", "uai-log"):
        assert changed == 0.0
        assert all(again.energy(x) == mrf.energy(x) for x in labels)
    elif form.name != "uai":
        rounded_once(form, mrf, again)
    return "rounded" if changed else "exact"


def rounded_once(form: Format, mrf: BinaryMRF, again: BinaryMRF) -> None:
    """Every coefficient that was read is the exact one, rounded once."""
    domain = DOMAINS.get(form.name, again.objective.domain)
    linear, quadratic = mixed.coefficients(mrf, domain)
    order = {tuple(sorted(edge)): e for e, edge in enumerate(again.edges.tolist())}
    places = [order[tuple(edge)] for edge in mrf.edges.tolist()]
    if form.name == "rudy":
        assert (again.pairwise[places, 0, 1] == -2.0 * np.array(quadratic)).all()
    else:
        assert (again.pairwise[places, 1, 1] == quadratic).all()
        if domain == "bits" or again.unary.any():
            assert (again.unary[:, 1] == linear).all()


def outcomes(form: Format, models: Iterable[BinaryMRF], seed: int = 0) -> Counter[str]:
    rng = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for mrf in models:
        found[compare(form, mrf, rng)] += 1
        try:
            bare = without_unheld_constant(mrf, form.name)
        except FormatError:
            continue
        if bare.constant != mrf.constant:
            found[f"{compare(form, bare, rng)} without the constant"] += 1
    return found


@pytest.mark.parametrize("form", WRITABLE, ids=lambda form: form.name)
def test_written_files_keep_the_energies_of_models_of_mixed_scales(form: Format) -> None:
    found = outcomes(form, mixed.models(examples(40), seed=1))
    # Some are written as they are, whatever the format.
    assert found["exact"] + found["rounded"] >= examples(40) // (1 if form.name in ("native", "uai-log") else 10)
