"""The documents agree with the output of the commands."""

from __future__ import annotations

import re

import pytest

from bender_core.account import memory_limit
from bender_core.io._source import default_limit
from bender_core.strategies import STRATEGIES
from bender_core.variants import DEEPEST, VARIANTS
from docs.fill_study import DOCUMENT, filled

README = (DOCUMENT.parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_study_says_what_its_runs_say() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text.count("```text") == 4
    assert "holds: The longer the baseline takes" in text
    assert filled(text) == text


def test_the_readme_gives_the_settings_and_their_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BENDER_MEMORY_MB", "BENDER_MAX_UPLOAD_MB"):
        monkeypatch.delenv(name, raising=False)
    told = dict(re.findall(r"^\| `(BENDER_\w+)` \| ([^|]+) \|", README, re.MULTILINE))
    assert int(told["BENDER_MEMORY_MB"]) << 20 == memory_limit()
    assert int(told["BENDER_MAX_UPLOAD_MB"]) * 10**6 == default_limit()
    assert f"two,\nfour, up to {DEEPEST} of them" in README


def test_the_readme_names_every_variant_and_strategy() -> None:
    variants = re.findall(r"^\| (\d[\d, –]*) \|", README, re.MULTILINE)
    ends = [[int(number) for number in re.findall(r"\d+", cell)] for cell in variants]
    named = {k for row in ends for k in (range(row[0], row[-1] + 1))}
    assert named == set(VARIANTS)
    table = README.split("| strategy | groups |")[1].split("\n\n")[0]
    assert {name for cell in re.findall(r"^\| ([a-z, ]+) \|", table, re.MULTILINE) for name in cell.split(", ")} == set(
        STRATEGIES
    )


def test_the_python_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(DOCUMENT.parents[1])
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(code, {})
    proof, run, *_ = capsys.readouterr().out.splitlines()
    assert proof.startswith("True ")
    assert "closed" in run
