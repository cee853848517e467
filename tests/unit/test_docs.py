"""What the documents say is what the commands say."""

from __future__ import annotations

from docs.fill_study import DOCUMENT, filled


def test_the_study_says_what_its_runs_say() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text.count("```text") == 4
    assert "holds: The longer the baseline takes" in text
    assert filled(text) == text
