"""The health of a server, as plain text: true, and without a session."""

from __future__ import annotations

import gc
import re
import threading
import urllib.request
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

import bender_core as bc
from bender_core.warming import Once
from pages._shared.app.health import charged, count_in, health
from pages._shared.running import solver
from tests.app.pages.test_pages import app, lab
from tests.app.test_compressing import get
from tests.browser.server import process

ROOT = Path(__file__).parents[2]
HOSTING = (ROOT / "docs/hosting.md").read_text(encoding="utf-8")


def answer() -> tuple[int, dict[str, str]]:
    """The status and the facts."""
    status, headers, text = get(Starlette(routes=[Route("/health", health)]), "/health")
    assert headers["content-type"].startswith("text/plain")
    assert headers["cache-control"] == "no-store"
    return status, facts(text)


def facts(text: bytes) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.decode().splitlines())


def test_it_says_what_an_operator_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "256")
    status, said = answer()
    assert status == 200
    (example,) = re.findall(r"/health\n(version: .*?)```", HOSTING, re.DOTALL)
    assert list(said) == list(facts(example.encode())), "as the document shows"
    assert (said["version"], said["solver"]) == (bc.__version__, "compiled")
    assert (said["sessions"], said["limit of a session"]) == ("0", "256 MB")
    assert int(said["memory of the server"].removesuffix(" MB")) > 50


def test_memory_is_that_of_all_sessions_until_they_end() -> None:
    gc.collect()  # sessions of other tests
    before, account = charged(), bc.Account(1 << 30)
    count_in(account)
    line = account.open("a run", {"rows": 300 << 20})
    assert line is not None
    assert charged() - before == 300 << 20
    assert int(answer()[1]["memory of all runs"].removesuffix(" MB")) >= 300
    del line, account
    gc.collect()  # as when a session is closed: accounts and charges know each other
    assert charged() == before


def test_the_memory_of_a_session_is_counted() -> None:
    gc.collect()  # sessions of other tests
    before = charged()
    own = lab(app("watch")).account.used
    assert own > 0
    assert charged() - before == own


def test_a_solver_that_is_being_compiled_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    goes = threading.Event()
    once = Once(lambda: goes.wait() and None)
    monkeypatch.setattr(solver, "_solver", once)
    solver.begin()
    status, said = answer()
    goes.set()
    once.wait()
    assert status == 200
    assert re.fullmatch(r"(compiling|loading), \d+ of \d+ functions", said["solver"])


def test_a_solver_that_cannot_be_compiled_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(solver, "_solver", Once(fail))
    solver._solver.begin().join()
    status, said = answer()
    assert (status, said["solver"]) == (503, "not compiled: no space left on device")


def test_a_wrong_limit_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "much")
    status, said = answer()
    assert (status, said["limit of a session"]) == (
        503,
        "BENDER_MEMORY_MB is 'much'; set it to a whole number of megabytes",
    )


@pytest.mark.slow
@pytest.mark.parametrize("below", ["", "/lab"])
def test_a_server_answers_without_a_session(tmp_path: Path, below: str) -> None:
    with process(tmp_path / "log.txt", below=below) as served:
        said, of_streamlit = (
            urllib.request.urlopen(f"{served.url}/{path}", timeout=10).read() for path in ("health", "_stcore/health")
        )
    assert of_streamlit == b"ok", "the load balancer's"
    assert {"version": bc.__version__, "sessions": "0", "memory of all runs": "0 MB"}.items() <= facts(said).items()
