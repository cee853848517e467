"""A release is refused with a reason as long as something is missing; nothing is tagged before."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.release import main, not_built, not_ready, version_of

ROOT = Path(__file__).parents[2]
VERSION = version_of(ROOT)
DATED = f"## Unreleased\n\n## {VERSION} – 2026-12-01\n"


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with our files as they are at a release, and where its tags are pushed to."""
    for name in ("NAME", "EMAIL"):
        monkeypatch.setenv(f"GIT_COMMITTER_{name}", "somebody@example.org")
    folder, remote = tmp_path / "lab", tmp_path / "remote"
    for name in ("CHANGELOG.md", "CITATION.cff", ".gitignore", "bender_core/__init__.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    if f"\n## {VERSION} – " not in (folder / "CHANGELOG.md").read_text(encoding="utf-8"):
        edit(folder / "CHANGELOG.md", "## Unreleased\n", DATED)
    git(tmp_path, "init", "--quiet", "--bare", str(remote))
    git(folder, "init", "--quiet")
    git(folder, "remote", "add", "origin", str(remote))
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "a change")


def build(folder: Path) -> None:
    """What a build leaves behind."""
    site = folder / "docs/site" / VERSION
    for made in (folder / "dist", site):
        made.mkdir(parents=True)
    for name in (f"bender_lab-{VERSION}-py3-none-any.whl", f"bender_lab-{VERSION}.tar.gz"):
        (folder / "dist" / name).touch()
    (site / "index.html").touch()


def test_our_files_are_ready_once_the_changelog_is_dated(repository: Path) -> None:
    assert not_ready(repository) == []
    assert main(["check"], repository) == 0


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("bender_core/__init__.py", f'"{VERSION}"', '"next"', "the version is next; give three numbers, like 0.2.0"),
        (
            "CHANGELOG.md",
            f"## {VERSION} – ",
            "## 99 – ",
            f"CHANGELOG.md has no section “## {VERSION} – YEAR-MONTH-DAY”",
        ),
        (
            "CHANGELOG.md",
            "## Unreleased\n",
            "## Unreleased\n\n- New.\n",
            "CHANGELOG.md needs a section “## Unreleased”, without entries",
        ),
        ("CITATION.cff", f"version: {VERSION}", "version: 99", f"CITATION.cff has another version than {VERSION}"),
    ],
)
def test_what_is_missing_is_said(repository: Path, name: str, old: str, new: str, reason: str) -> None:
    edit(repository / name, old, new)
    commit(repository)
    assert reason in not_ready(repository)


def test_only_a_commit_is_released(repository: Path) -> None:
    edit(repository / "CITATION.cff", "software", "dataset")
    assert not_ready(repository) == ["there are changes that are not committed"]


def test_a_tag_is_that_of_the_version(repository: Path) -> None:
    git(repository, "tag", "v98.0.0")
    assert not_ready(repository) == ["this commit has the tag of another version: v98.0.0"]
    git(repository, "tag", "--delete", "v98.0.0")
    git(repository, "tag", f"v{VERSION}")
    assert not_ready(repository) == [], "it was tagged, and its push failed, perhaps"
    commit(repository)
    assert not_ready(repository) == [f"v{VERSION} is the tag of another commit; raise the version"]


def test_all_files_are_there_and_no_others(repository: Path) -> None:
    assert len(not_built(repository)) == 3
    build(repository)
    assert not_built(repository) == []
    (repository / "dist/bender_lab-0.0.9.tar.gz").touch()
    assert not_built(repository) == [f"dist/ has bender_lab-0.0.9.tar.gz, which belongs to no release of {VERSION}"]


def test_a_dry_run_changes_nothing(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dry"], repository) == 1
    assert "\n- dist/ has no " in capsys.readouterr().out
    build(repository)
    assert main(["dry"], repository) == 0
    assert "is ready; make release PUBLISH=1 tags it" in capsys.readouterr().out
    assert git(repository, "tag") == ""
    assert git(repository.parent / "remote", "tag") == ""


def test_publishing_tags_and_pushes(repository: Path) -> None:
    assert main(["publish"], repository) == 1
    assert git(repository, "tag") == "", "nothing was built"
    build(repository)
    assert main(["publish"], repository) == 0
    assert git(repository.parent / "remote", "tag").split() == [f"v{VERSION}"]
    assert git(repository, "cat-file", "-t", f"v{VERSION}") == "tag\n"
    assert main(["publish"], repository) == 0, "again, after the push failed"


def test_make_publishes_only_where_it_is_told_to() -> None:
    """The order of its steps, which are not carried out."""

    def steps(*given: str) -> list[str]:
        told = ["make", "--dry-run", "--no-print-directory", "--assume-old=.venv/.developing", "release", *given]
        lines = subprocess.run(told, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
        return [line.rpartition("release.py ")[2] for line in lines if "release.py" in line]

    assert steps() == ["check", "dry"]
    assert steps("PUBLISH=1") == ["check", "publish"]
