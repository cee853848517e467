"""Check a release, and tag it: ``make release`` builds everything between the two.

``check`` looks at what is committed, before anything is built; ``dry`` at what was built as well; ``publish`` also tags
the commit, and pushes the tag.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def version_of(root: Path) -> str:
    """The version that the library states.

    Parameters
    ----------
    root : Path
        Of the repository.
    """
    text = (root / "bender_core/__init__.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    return str(version)


def not_ready(root: Path) -> list[str]:
    """What is missing in the repository for a release of its version, a sentence each.

    Parameters
    ----------
    root : Path
    """
    version = version_of(root)
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    unreleased = re.findall(r"^## Unreleased\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    dated = re.search(rf"^## {re.escape(version)} – \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE)
    tags = set(_git(root, "tag", "--list", "v*").split())
    here = set(_git(root, "tag", "--list", "v*", "--points-at", "HEAD").split())
    checks = {
        f"the version is {version}; give three numbers, like 0.2.0": re.fullmatch(r"\d+\.\d+\.\d+", version),
        f"CHANGELOG.md has no section “## {version} – YEAR-MONTH-DAY”": dated,
        "CHANGELOG.md needs a section “## Unreleased”, without entries": [part.strip() for part in unreleased] == [""],
        f"CITATION.cff has another version than {version}": f"\nversion: {version}\n" in citation,
        f"v{version} is the tag of another commit; raise the version": f"v{version}" not in tags - here,
        f"this commit has the tag of another version: {', '.join(sorted(here))}": here <= {f"v{version}"},
        "there are changes that are not committed": not _git(root, "status", "--porcelain"),
    }
    return [sentence for sentence, is_well in checks.items() if not is_well]


def not_built(root: Path) -> list[str]:
    """What is missing of the files of a release, a sentence each.

    Parameters
    ----------
    root : Path
    """
    version = version_of(root)
    expected = {f"bender_lab-{version}-py3-none-any.whl", f"bender_lab-{version}.tar.gz"}
    found = {path.name for path in (root / "dist").glob("*")}
    site = Path("docs/site") / version / "index.html"
    return [
        *(f"dist/ has no {name}" for name in sorted(expected - found)),
        *(f"dist/ has {name}, which belongs to no release of {version}" for name in sorted(found - expected)),
        *([] if (root / site).is_file() else [f"there is no {site}: make docs"]),
    ]


def publish(root: Path) -> None:
    """Tag the commit, and push the tag.

    Parameters
    ----------
    root : Path
    """
    version = version_of(root)
    if not _git(root, "tag", "--list", f"v{version}"):
        _git(root, "tag", "--annotate", f"v{version}", "--message", f"Bender Lab {version}")
    _git(root, "push", "origin", f"v{version}")


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Carry out a step; returns 1 if something is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["check", "dry", "publish"])
    step = parser.parse_args(arguments).step
    missing = not_ready(root) if step == "check" else [*not_ready(root), *not_built(root)]
    version = version_of(root)
    if missing:
        print(f"Bender Lab {version} cannot be released yet:", *missing, sep="\n- ")
        return 1
    if step == "publish":
        publish(root)
        print(f"v{version} is tagged and pushed; publish the files in dist/")
    elif step == "dry":
        print(f"Bender Lab {version} is ready; make release PUBLISH=1 tags it and pushes the tag")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
