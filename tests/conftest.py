"""Fixtures for all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from tests.chromium import browser, failed
from tests.tiers import thin

__all__ = ["browser"]

# Its assertions say what they found, too.
pytest.register_assert_rewrite("tests.watched")

# A shell's background job ignores Ctrl-C, and so would all processes that the tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiling a kernel in the middle of an example says nothing about the example: no deadlines. `make test` takes few
# examples, the same every time; `make test-all` takes many, by a seed that it prints. See `tests.models.examples`.
settings.register_profile("usual", deadline=None)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=200)
settings.load_profile("usual")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most cases of a test to `make test-all`, before marks select."""
    thin(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Record the failure of a test, for fixtures that then report more."""
    report = yield
    if report.failed:
        item.stash[failed] = True
    return report


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The app stores its runs in a temporary folder."""
    folder = tmp_path_factory.mktemp("data")
    os.environ["BENDER_DATA_DIR"] = str(folder)
    return folder


@pytest.fixture(scope="session")
def shared_instances() -> Path:
    """The folder of published instances next to the repository, present on some machines."""
    folder = Path(__file__).parents[2] / "shared" / "instances"
    if not folder.is_dir():
        pytest.skip(f"no published instances in {folder}")
    return folder
