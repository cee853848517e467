"""Prove it, on Watch: the library's proof, followed, stopped, and of the model that is open."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core.run.explain import number
from pages._shared.running import background
from pages._shared.running import proof as proofs
from tests.app.pages.test_pages import app, complaints, lab, press, ran

pytestmark = pytest.mark.usefixtures("patient")


def rounds(test: AppTest) -> dict[str, list]:
    (found,) = [frame.value for frame in test.dataframe if "tied" in frame.value]
    return found.to_dict("list")


def proven(test: AppTest) -> AppTest:
    """Press, and wait for the end."""
    press(test, "Prove it")
    lab(test).proof.thread.join()
    return ran(test.run())


def test_the_proof_is_the_librarys_and_the_run_stays_as_it_is() -> None:
    test = app("watch")
    mine = lab(test)
    mine.run.step("sweep", backward=False)
    run, position = mine.run, mine.run.position
    proven(test)
    expected = bc.certify(mine.mrf)
    (said,) = [box.value for box in test.success]
    assert said.startswith(f"Optimal, proven: no labelling costs less than {number(expected.upper_bound)} (")
    shown = rounds(test)
    for column, name in {"variables": "variables", "fixed": "fixed", "sweeps": "sweeps", "largest": "max_size"}.items():
        assert shown[column] == [getattr(each, name) for each in expected.rounds]
    assert shown["lower bound"] == [number(each.lower_bound) for each in expected.rounds]
    assert (mine.run, mine.run.position) == (run, position)
    # The proof that is taken away is that of the library.
    (download,) = [each for each in test.get("download_button") if each.proto.label == "Proof"]
    assert download.proto.deferred_file_id
    bc.check_proof(mine.mrf, mine.proof.certificate.proof)
    # What was on the way: bounds never step back.
    stands = mine.proof.stands
    for before, after in pairwise(stands):
        assert after.work >= before.work
        assert after.lower >= before.lower
        assert after.upper <= before.upper
        assert after.undecided <= before.undecided
    assert (stands[-1].lower, stands[-1].undecided) == (pytest.approx(stands[-1].upper), 0)
    # Another partition has the same optimum, another model has not.
    mine.cut(bc.partition(mine.mrf, 4), 4, 9, "mplp")
    assert mine.proof is not None
    mine.load(bc.synth.ising_grid(4, 4), {})
    ran(test.run())
    assert mine.proof is None
    assert not test.success


def test_a_proof_is_stopped_with_the_bounds_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.0)
    test = app("watch")
    mine = lab(test)
    # Too hard for any time that a test has.
    mine.load(bc.synth.ising_grid(14, 14, torus=True, coupling="gaussian", seed=1), {})
    press(test, "Prove it")
    begun = threading.Event()
    while not mine.proof.stands and not begun.wait(0.01):
        pass
    press(test, "Stop")
    mine.proof.thread.join()
    ran(test.run())
    (said,) = [box.value for box in test.info if box.value.startswith("Not proven")]
    found = mine.proof.certificate
    assert said.startswith("Not proven (stopped, ")
    assert number(found.upper_bound) in said
    assert found.lower_bound <= found.upper_bound == pytest.approx(mine.mrf.energy(found.labeling))
    assert any(button.label == "Once more" for button in test.button)


def test_what_prevents_a_proof_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise bc.TooLargeError("2 GB are needed, 1 GB are free")

    monkeypatch.setattr(proofs, "Descent", refuse)
    test = app("watch")
    proven(test)
    assert complaints(test) == ["There is no proof: 2 GB are needed, 1 GB are free."]


def test_a_time_in_which_nothing_changes_is_kept_by_its_two_ends() -> None:
    mrf = bc.synth.ising_grid(2, 2)
    descent, proof = proofs.Descent(mrf), proofs.Proof(mrf)
    for work, lower in ((0, -5.0), (10, -4.0), (20, -4.0), (30, -4.0), (40, -4.0), (50, -3.0)):
        descent.work, descent.lower_bound = work, lower
        proof._tell(descent)
    assert [(stand.work, stand.lower) for stand in proof.stands] == [(0, -5.0), (10, -4.0), (40, -4.0), (50, -3.0)]
