"""Values of widgets are set once, and again if the page reran itself before the browser had created them."""

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


def test_widgets_are_set_once(state: Told) -> None:
    assert told(state) == ["size", "strategy"]
    assert told(state) == []


def test_widgets_are_set_again_when_the_page_reruns_itself(state: Told) -> None:
    told(state)
    assert told(state, ran_itself=True) == ["size", "strategy"]
    assert told(state, ran_itself=True) == ["size", "strategy"]
    assert told(state) == []


def test_clicks_are_never_undone(state: Told) -> None:
    told(state)
    assert told(state, size=7) == []
    assert told(state, ran_itself=True) == []
    assert state["size"] == 7
    # On another page the boxes are forgotten; here they are made anew.
    del state["size"], state["strategy"]
    assert told(state) == ["size", "strategy"]
    assert told(state, ran_itself=True) == ["size", "strategy"]
