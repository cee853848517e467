"""Values of widgets are set until one of them has been used, as the browser may create them late."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pages._shared.running import following, kept


class Told(dict[str, Any]):
    """A session state that records which widgets are given a value."""

    told: list[str]

    def __setitem__(self, key: str, value: Any) -> None:
        if key in CHOICES:
            self.told.append(key)
        super().__setitem__(key, value)

    def __setattr__(self, key: str, value: Any) -> None:
        # The page's own notes are no widgets.
        dict.__setitem__(self, key, value)


CHOICES = {"size": 8, "strategy": "groups"}


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Told:
    found = Told()
    object.__setattr__(found, "told", [])
    for module in (following, kept):
        monkeypatch.setattr(module, "st", SimpleNamespace(session_state=found))
    return found


def told(state: Told, **changed: Any) -> list[str]:
    """The widgets that a run of the page sets, beginning with these values."""
    dict.update(state, changed)
    state.told.clear()
    following.keep(CHOICES)
    return list(state.told)


def test_widgets_are_set_until_one_is_used(state: Told) -> None:
    """The browser may not have created them before the page runs again."""
    assert told(state) == ["size", "strategy"]
    assert told(state) == ["size", "strategy"]
    assert told(state, size=7) == []
    assert told(state) == []
    assert state["size"] == 7


def test_widgets_that_were_left_are_made_anew(state: Told) -> None:
    told(state)
    told(state, size=7)
    del state["size"], state["strategy"]
    assert told(state) == ["size", "strategy"]
    assert told(state) == ["size", "strategy"]


def test_a_click_is_not_undone_where_another_widget_is_missing(state: Told) -> None:
    told(state)
    del state["strategy"]
    assert told(state, size=7) == ["strategy"]
    assert state["size"] == 7
