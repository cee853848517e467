"""The app without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager

from pages._shared.running import background
from pages._shared.watch import answers


@pytest.fixture(autouse=True, scope="session")
def installed_components() -> Iterator[None]:
    """What is installed is looked through once, not with every app that a test begins."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        once = cache(manifest_scanner.scan_component_manifests)
        monkeypatch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture(autouse=True)
def navigation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run pages through app.py from the first run on.

    AppTest forgets before every run that the app has a navigation; the page would then begin once more, and a press
    of a button be lost on the way (`pages._shared.app.routing`; tests/browser/test_own_server.py sees it for real).
    """
    begin = PagesManager.__init__

    def with_navigation(self: PagesManager, *args: Any, **options: Any) -> None:
        begin(self, *args, **options)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", with_navigation)


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the answers to the stage's questions."""
    monkeypatch.setattr(answers, "PATIENCE_SECONDS", 60.0)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for background work before a page is drawn."""
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 60.0)
