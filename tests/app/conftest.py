"""The app without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager

from pages._shared.app import arrival
from pages._shared.running import background, solver
from pages._shared.watch import event_frames, stage_answers
from tests.figures import check_figures


@pytest.fixture(autouse=True, scope="session")
def installed_components() -> Iterator[None]:
    """What is installed is looked through once, not with every app that a test begins."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        once = cache(manifest_scanner.scan_component_manifests)
        monkeypatch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture(autouse=True, scope="session")
def compiled_solver() -> None:
    """The solver is ready, however much of it a test has compiled; `test_cold_start` takes it away."""
    solver._solver.wait()


@pytest.fixture(autouse=True)
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    check_figures(monkeypatch)


@pytest.fixture(autouse=True)
def navigation(monkeypatch: pytest.MonkeyPatch) -> None:
    run_through_app(monkeypatch)


def run_through_app(patch: pytest.MonkeyPatch) -> None:
    """Run pages through app.py, as on a server (`pages._shared.app.routing`), though AppTest forgets it every time."""
    begin = PagesManager.__init__

    def with_navigation(self: PagesManager, *args: Any, **options: Any) -> None:
        begin(self, *args, **options)
        PagesManager.uses_pages_directory = False

    patch.setattr(PagesManager, "__init__", with_navigation)


@pytest.fixture(autouse=True)
def beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """The app's own address opens its run at the beginning, as most tests are about another moment."""
    monkeypatch.setattr(arrival, "OPENING", 0)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run stands still once an answer is there, so that a test can look at it; `test_stage_answers` lets it go on."""
    monkeypatch.setattr(event_frames.Encoder, "prepare", lambda *_: None)


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the answers to the stage's questions."""
    monkeypatch.setattr(stage_answers, "PATIENCE_SECONDS", 60.0)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for background work before a page is drawn."""
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 60.0)
