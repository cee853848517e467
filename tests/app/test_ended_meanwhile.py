"""Work that ends while its page is drawn: the page shows one consistent state."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bender_core import synth
from pages._shared.compare.racing import Racing
from pages._shared.experiments.experimenting import Experiment
from pages._shared.running.background import Background
from pages._shared.watch.stage import stage_data
from tests.app.pages.test_compare_page import contest, raced
from tests.app.pages.test_experiments_page import carrying_out, mine
from tests.app.pages.test_pages import app, lab, ran
from tests.app.pages.test_partition_page import look, opened
from tests.tiers import thinned

TIMES = pytest.mark.parametrize("times", thinned(range(1, 5), 4))


class Fleeting(threading.Thread):
    """A thread that is alive the first few times it is asked, and never again."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def is_alive(self) -> bool:
        self.times -= 1
        return self.times >= 0

    def join(self, timeout: float | None = None) -> None:
        """Nothing to wait for."""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_DATA_DIR", str(tmp_path))


def ending(work: Background, times: int) -> None:
    """Make work end after a number of checks whether it is alive."""
    if work.thread is not None:
        work.thread.join(60)
    work.thread = Fleeting(times)
    work._stopped.clear()


def buttons(test: AppTest) -> dict[str, bool]:
    """The buttons by their labels, and whether they can be pressed."""
    return {button.label: not button.disabled for button in test.button}


@TIMES
def test_a_race_ends_while_compare_is_drawn(times: int) -> None:
    test = raced(app("compare"), sweeps=1)
    racing = contest(test).racing
    assert isinstance(racing, Racing)
    ending(racing, times)
    shown = buttons(ran(test.run()))
    # Whoever is offered to stop the race is not offered what comes after it.
    assert ("Stop the race" in shown) != ("Race" in shown)
    assert not ("Stop the race" in shown and any(label.startswith("Watch") for label in shown))
    ran(test.run())
    assert "Race" in buttons(ran(test.run()))


@TIMES
def test_cuts_are_ready_while_compare_is_drawn(times: int) -> None:
    test = app("compare")
    ending(contest(test).maker, times)
    ran(test.run())
    assert buttons(ran(test.run()))["Race"]


@TIMES
def test_a_comparison_ends_while_partition_is_drawn(times: int) -> None:
    test = look(opened(synth.ising_grid(rows=3, columns=3, seed=1)), "Compare strategies")
    ending(test.session_state.comparing, times)
    shown = buttons(ran(test.run()))
    assert ("Stop" in shown) != shown["Run each for 10 sweeps"]


@TIMES
def test_an_experiment_ends_while_its_page_is_drawn(times: int) -> None:
    test = mine(app("experiments"))
    work = carrying_out(test)
    assert isinstance(work, Experiment)
    ending(work, times)
    work.total = 1
    shown = buttons(ran(test.run()))
    # Only an experiment that goes on can be shown again.
    assert shown["Stop"] == ("Update the results" in shown) != shown["Run"]


@TIMES
def test_a_run_ends_while_the_stage_is_drawn(times: int) -> None:
    test = app("watch")
    current = lab(test)
    current.run.start(until=200)
    current.run.halt()
    current.run.engine.run(max_events=300)
    ending(current.run.work, times)
    data = stage_data(current)
    assert (data["running"] is None) == ("window" in data)
    if "window" in data:
        assert data["position"] == current.run.engine.position == len(current.run.engine.trace)


def test_a_run_ends_while_edge_is_drawn() -> None:
    test = app("watch")
    current = lab(test)
    current.run.start(until=200)
    current.run.halt()
    ending(current.run.work, 1)
    going_on = [note.value for note in ran(test.switch_page("pages/edge.py").run()).info]
    assert len(going_on) == 1
    assert "continues" in going_on[0]
    assert not ran(test.run()).info
