"""The documents agree with the output of the commands."""

from __future__ import annotations

import doctest
import re
import subprocess
from pathlib import Path

import pytest

from bender_core.__main__ import _parser
from bender_core.account import memory_limit
from bender_core.experiments import read_plan
from bender_core.io._source import default_limit
from bender_core.strategies import STRATEGIES
from bender_core.variants import DEEPEST, VARIANTS
from docs import fill_terms
from docs.fill_study import DOCUMENT, filled

ROOT = DOCUMENT.parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
APP = (ROOT / "app.py").read_text(encoding="utf-8")
TEACHING = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")


def test_the_study_says_what_its_runs_say() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text.count("```text") == 6
    assert "holds: The longer the baseline takes" in text
    assert filled(text) == text


def test_the_terms_are_those_of_the_app() -> None:
    text = fill_terms.DOCUMENT.read_text(encoding="utf-8")
    assert "| **floor** |" in text
    assert fill_terms.filled(text) == text


def test_the_guide_gives_the_settings_and_their_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BENDER_MEMORY_MB", "BENDER_MAX_UPLOAD_MB"):
        monkeypatch.delenv(name, raising=False)
    stated = dict(re.findall(r"^\| `(BENDER_\w+)` \| ([^|]+) \|", GUIDE, re.MULTILINE))
    assert int(stated["BENDER_MEMORY_MB"]) << 20 == memory_limit()
    assert int(stated["BENDER_MAX_UPLOAD_MB"]) * 10**6 == default_limit()
    assert f"two, four, up to {DEEPEST} of them" in GUIDE


def test_the_guide_names_every_variant_and_strategy() -> None:
    table = GUIDE.split("| variant | min-marginals |")[1].split("\n\n")[0]
    variants = re.findall(r"^\| (\d[\d, –]*) \|", table, re.MULTILINE)
    ends = [[int(number) for number in re.findall(r"\d+", cell)] for cell in variants]
    named = {k for row in ends for k in (range(row[0], row[-1] + 1))}
    assert named == set(VARIANTS)
    table = GUIDE.split("| strategy | groups |")[1].split("\n\n")[0]
    assert {name for cell in re.findall(r"^\| ([a-z, ]+) \|", table, re.MULTILINE) for name in cell.split(", ")} == set(
        STRATEGIES
    )


@pytest.mark.parametrize("text", [README, GUIDE], ids=["README", "guide"])
def test_the_python_in_the_documents_runs(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(code, {})
    proof, run, *_ = capsys.readouterr().out.splitlines()
    assert proof.startswith("True ")
    assert "closed" in run


def test_the_plan_in_the_readme_is_read(tmp_path: Path) -> None:
    plan = tmp_path / "poses.toml"
    plan.write_text(re.findall(r"```toml\n(.*?)```", README, re.DOTALL)[0], encoding="utf-8")
    assert len(read_plan(plan).tasks()) == 3 * 2 * 3


@pytest.mark.parametrize("text", [README, GUIDE], ids=["README", "guide"])
def test_the_commands_in_the_documents_exist(text: str) -> None:
    """All that they name but the files of the reader."""
    commands = re.findall(r"^(?:bender-lab|python -m bender_core) ([^#\n]+)", text, re.MULTILINE)
    assert len(commands) >= 5
    parser = _parser()
    for command in commands:
        parser.parse_args(command.split())


def test_the_engine_gives_the_answers_to_the_exercises() -> None:
    """And to every exercise."""
    exercises = re.findall(r"^(\d+)\. ", TEACHING, re.MULTILINE)
    answers = re.findall(r"\d+", " ".join(re.findall(r"^\*\*([\d, ]+)\.\*\*", TEACHING, re.MULTILINE)))
    assert answers == exercises == [str(k) for k in range(1, len(exercises) + 1)]
    said = "\n".join(re.findall(r"```pycon\n(.*?)```", TEACHING, re.DOTALL))
    failures: list[str] = []
    test = doctest.DocTestParser().get_doctest(said, {}, "docs/teaching.md", "docs/teaching.md", 0)
    tried = doctest.DocTestRunner().run(test, out=failures.append)
    assert tried.attempted > 2 * len(exercises)
    assert failures == []


def test_the_guide_has_a_line_for_every_page() -> None:
    table = GUIDE.split("| page | what it shows |")[1].split("\n\n")[0]
    assert re.findall(r"^\| (\w+) \|", table, re.MULTILINE) == re.findall(r'title="(\w+)"', APP)


def test_what_the_page_on_the_code_names_exists() -> None:
    """Files by the ends of their paths, all else by its name in the code; what it says of other projects is theirs."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    ours = [line for line in text.splitlines() if not re.match(r"\| [^|`]+, `", line)]
    names = set(re.findall(r"`([\w./]+)`", "\n".join(ours)))
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [f"/{name}" for name in listed.splitlines()]
    code = "\n".join(
        (ROOT / name[1:]).read_text(encoding="utf-8") for name in files if name.endswith((".py", ".js", "Makefile"))
    )
    words = set(re.findall(r"\w+", code))

    def exists(name: str) -> bool:
        inside = f"/{name.strip('/')}"
        is_file = any(file.endswith(inside) or f"{inside}/" in file or f"{inside}." in file for file in files)
        return is_file or set(name.strip("/").split(".")) <= words

    assert len(names) > 150
    assert {name for name in names if not exists(name)} == set()
