"""What the package says of itself agrees with the rest of the repository."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import bender_core as bc
from bender_core.__main__ import main
from bender_core.resources import APP

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def declared() -> dict[str, Requirement]:
    """All packages of the dependencies and the extras, with their ranges."""
    lines = [*PROJECT["dependencies"], *(line for lines in PROJECT["optional-dependencies"].values() for line in lines)]
    return {canonicalize_name(one.name): one for one in map(Requirement, lines)}


def pinned(name: str) -> dict[str, str]:
    """The packages of a file of requirements, with their versions."""
    lines = [line for line in (ROOT / name).read_text(encoding="utf-8").splitlines() if not line.startswith("-r ")]
    return {canonicalize_name(package): version for package, version in (line.split("==") for line in lines)}


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_pins_lie_in_the_ranges(name: str) -> None:
    ranges, pins = declared(), pinned(name)
    assert pins
    assert pins.keys() - ranges.keys() == set(), "each is a dependency or belongs to an extra"
    assert {package: version for package, version in pins.items() if version not in ranges[package].specifier} == {}


def test_every_range_has_a_pin() -> None:
    pins = pinned("requirements.txt") | pinned("requirements-dev.txt")
    assert declared().keys() - pins.keys() == {"bender-lab"}


def test_extras_agree_on_ranges() -> None:
    lines = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    ranges = {(one.name, str(one.specifier)) for one in map(Requirement, lines)}
    assert len(ranges) == len({name for name, _ in ranges})


def test_the_version_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert "version" not in PROJECT
    assert f"\nversion: {bc.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"Bender Lab {bc.__version__}\n"


def test_the_paper_is_cited_as_the_readme_does() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    title = re.search(r"Yarkony and Wang, \*(.+?)\*", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert title is not None
    assert f"title: {title[1]}\n" in cited
    assert "family-names: Yarkony" in cited
    assert "family-names: Wang" in cited


def test_a_checkout_is_its_own_app() -> None:
    assert ROOT == APP


def test_samples_are_loaded_by_name() -> None:
    assert bc.sample("pose").content_hash() == bc.load(ROOT / "sample_instances/pose.mrf.json").content_hash()
    with pytest.raises(ValueError, match=r"^there is no sample '\.\./tiny'; choose one of friends, .*, tree$"):
        bc.sample("../tiny")


def test_the_app_needs_its_extra(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bender_core.__main__.find_spec", lambda name: None)
    assert main(["app"]) == 2
    said = capsys.readouterr().err
    assert said == "error: the app needs packages that are not installed: pip install 'bender-lab[app]'\n"
