"""Better labellings while a proof goes on: how much is searched, and what becomes of what is found."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import bender_core as bc
from bender_core.forms.reduction import Facts, reduction, unreduced
from bender_core.labelings import improving
from bender_core.labelings.improving import LEAST, SHARE, Improving
from bender_core.stopping import Stop, never
from bender_core.synth import ising_grid
from bender_core.trying.change import Change, Fork, digits, forks_text, read_forks
from bender_core.trying.lineage import Lineage
from bender_core.trying.policy import PACKED
from bender_core.trying.proof import Descent
from bender_core.trying.solving import certify
from tests.models import random_mrf
from tests.unit.engines import fingerprint


def test_the_search_takes_its_share_of_the_work() -> None:
    mrf = ising_grid(6, 6, torus=True)
    best, least = Improving(mrf, np.zeros(36, int), 0), LEAST * mrf.n
    assert best.search(0, never) >= least, "the first time it does not wait"
    assert best.search(1000, never) == 0, "too little to begin"
    searched = least + 100_000
    for work in (20 * least, 40 * least, 41 * least, 100 * least):
        searched += best.search(work, never)
        assert searched <= SHARE * work + 2 * least + 100_000
    assert searched >= SHARE * 100 * least


def test_the_labelling_goes_on_in_what_is_left() -> None:
    mrf = random_mrf(1, 8, 0.6)
    best = Improving(mrf, np.array([1, 0, 1, 1, 0, 0, 1, 0]), 0)
    facts = Facts(np.array([1, -1, -1, 1, -1, -1, -1, 0]), np.array([[1, 2, 1]]))
    last = reduction(unreduced(mrf), facts)
    best.reduce(last, best.labeling)
    assert last.restored(best.labeling).tolist() == [1, 0, 1, 1, 0, 0, 1, 0]
    assert best.energy == pytest.approx(mrf.energy([1, 0, 1, 1, 0, 0, 1, 0]))
    assert best.search(10**9, never) > 0
    assert best.energy == pytest.approx(min(last.reduced.energy(x) for x in product((0, 1), repeat=last.reduced.n)))


def test_one_that_does_not_fulfil_the_facts_gives_way_to_one_that_does() -> None:
    mrf = random_mrf(1, 4, 0.6)
    best, last = Improving(mrf, np.zeros(4, int), 0), reduction(unreduced(mrf), Facts(np.array([1, -1, -1, -1])))
    best.reduce(last, np.array([1, 0, 1, 1]))
    assert best.labeling.tolist() == [0, 1, 1]


def test_a_proof_goes_on_with_a_labelling_that_is_found_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best labelling is told late: the same groups and schedule go on with it, and the proof holds."""
    mrf = ising_grid(10, 10, torus=True)
    best, calls = bc.search(mrf, work=100_000_000).labeling, list[int]()

    def tell(self: Improving, work: int, stop: Stop) -> int:
        calls.append(work)
        if len(calls) == 3:
            assert self._search.mrf is mrf
            self.take(best)
        return 0

    monkeypatch.setattr(Improving, "search", tell)
    found = certify(mrf, method="groups")
    assert found.optimal
    assert found.upper_bound == mrf.energy(best)
    found.verify(mrf)
    first, second = found.rounds[:2]
    assert (first.fixed, first.tied, second.strategy) == (0, 0, PACKED)
    assert (first.variables, first.groups, first.schedule) == (second.variables, second.groups, second.schedule)
    assert second.upper_bound == found.upper_bound
    assert second.lower_bound >= first.lower_bound


def test_a_labelling_found_on_the_way_is_part_of_the_line_that_repeats_the_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mrf = ising_grid(10, 10, torus=True)
    best, calls = bc.search(mrf, work=100_000_000).labeling, list[int]()

    def tell(self: Improving, work: int, stop: Stop) -> int:
        calls.append(work)
        if len(calls) == 2:
            assert self._search.mrf is mrf
            self.take(best)
        return 0

    monkeypatch.setattr(Improving, "search", tell)
    watched = bc.Engine(mrf, bc.partition(mrf, 4), variant=9)
    forks, rounds = [Fork(0, Change(prove=True))], [Change(prove=True).fork(watched)]

    def begun(fork: Fork, engine: bc.Engine) -> None:
        forks.append(fork)
        rounds.append(engine)

    Descent(mrf, first=rounds[0], on_round=begun, method="groups").run()
    assert forks[1].change == Change(labeling=digits(best))
    *_, end = replace(Lineage.of(watched, 4), forks=read_forks(forks_text(forks))).runs(mrf)
    end.seek(0)
    end.run(max_events=rounds[-1].position)
    assert fingerprint(end) == fingerprint(rounds[-1])


def test_proofs_do_not_depend_on_whether_it_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    models = [ising_grid(6, 6, torus=True, seed=1), random_mrf(5, 14, 0.7), random_mrf(6, 14, 0.4, integers=True)]
    searched = [certify(mrf, method="groups") for mrf in models]
    monkeypatch.setattr(improving, "SHARE", 0.0)
    monkeypatch.setattr(improving, "LEAST", 0)
    alone = [certify(mrf, method="groups") for mrf in models]
    for mrf, one, other in zip(models, searched, alone, strict=True):
        assert one.optimal
        assert other.optimal
        assert one.upper_bound == pytest.approx(other.upper_bound)
        one.verify(mrf)


def test_a_run_begins_with_the_labelling_it_is_given() -> None:
    mrf = random_mrf(0, 9, 0.6)
    best = bc.search(mrf, work=1_000_000).labeling
    part = bc.partition(mrf, 3)
    plain, given = bc.Engine(mrf, part), bc.Engine(mrf, part, start=bc.Start(labeling=best))
    assert given.upper_bound == pytest.approx(mrf.energy(best))
    assert given.upper_bound < plain.upper_bound
    assert given.labeling.tolist() == best.tolist()
    assert given.lower_bound == plain.lower_bound
    given.run(max_sweeps=2)
    given.seek(0)
    assert given.labeling.tolist() == best.tolist()
    # One that is worse than that of the run it goes on from is not taken: what was struck off might be of a better one.
    assert bc.Engine(mrf, part, start=bc.Start(given.arrays, labeling=1 - best)).labeling.tolist() == best.tolist()
    assert bc.Engine(mrf, part, start=bc.Start(plain.arrays, labeling=best)).labeling.tolist() == best.tolist()
    with pytest.raises(bc.ModelError, match="a labelling has 9 entries"):
        bc.Engine(mrf, part, start=bc.Start(labeling=best[:-1]))


def test_a_constant_does_not_make_a_proof_begin_again_and_again() -> None:
    """Next to it, or to huge couplings, sums seem to be better than they are."""
    mrf = replace(random_mrf(np.random.default_rng(4), 10, 0.6, 1e-6), constant=1e12)
    assert len(certify(mrf).rounds) < 20
