"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.chromium import browser, failed

__all__ = ["browser"]

# Compiling a kernel in the middle of an example says nothing about the example: no deadlines.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Remember of a test that it failed, for the fixtures that then show more."""
    report = yield
    if report.failed:
        item.stash[failed] = True
    return report


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs that the app keeps for later go to a folder of the tests' own."""
    folder = tmp_path_factory.mktemp("data")
    os.environ["BENDER_DATA_DIR"] = str(folder)
    return folder


@pytest.fixture(scope="session")
def shared_instances() -> Path:
    """The folder of published instances that stands beside the repository on some machines."""
    folder = Path(__file__).parents[2] / "shared" / "instances"
    if not folder.is_dir():
        pytest.skip(f"no published instances in {folder}")
    return folder
