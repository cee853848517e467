"""Figures of the library."""

from __future__ import annotations

import pytest

from tests.figures import check_figures


@pytest.fixture(autouse=True)
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    check_figures(monkeypatch)
