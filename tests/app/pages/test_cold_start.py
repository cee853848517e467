"""While the solver is being compiled: every page opens, says what waits for it, and nothing is compiled on the way."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core.warming import Once
from pages._shared.app.session import FIRST
from pages._shared.learn import page as learn_page
from pages._shared.learn import timing
from pages._shared.learn.recorded import world
from pages._shared.method.recorded import recorded
from pages._shared.running import solver
from tests.app.pages.test_pages import ROOT, app, complaints, go, html, lab, ran

PAGES = ("watch", "cycles", "instance", "partition", "edge", "compare", "experiments", "learn", "game", "method")

# In a process of its own, whose kernels are on disk, perhaps: they would be loaded by the first call of one.
VISIT = """
import sys
import threading
import pytest
from streamlit.testing.v1 import AppTest
from bender_core.warming import Once, compiled
from pages._shared.learn import LESSONS
from pages._shared.method.recorded import recorded
from pages._shared.running import solver
from tests.app.conftest import run_through_app

run_through_app(pytest.MonkeyPatch())
solver._solver = Once(threading.Event().wait)
solver.is_compiling = lambda: True
test = AppTest.from_file("app.py", default_timeout=60)
for page in sys.argv[1:]:
    assert not test.switch_page(f"pages/{page}.py").run().exception, page
for lesson in LESSONS:
    test.query_params["lesson"] = lesson
    assert not test.switch_page("pages/learn.py").run().exception, lesson
print(compiled().ready)
"""


class Compiler:
    """Compiling that ends when the test says so."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._ends = threading.Event()
        self._once = Once(lambda: self._ends.wait() and None)
        patch.setattr(solver, "_solver", self._once)
        patch.setattr(solver, "is_compiling", lambda: not self._ends.is_set())

    def end(self) -> None:
        self._ends.set()
        self._once.wait()


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[Compiler]:
    found = Compiler(monkeypatch)
    yield found
    found.end()


def waits(test: AppTest) -> str:
    """What the page says to wait for the solver; empty if it does not."""
    said = [piece.text for piece in html(test) if any(a.get("role") == "progressbar" for _, a in piece.tags)]
    return said[0].partition(" once the solver is compiled")[0] if said else ""


def sent(test: AppTest) -> list[str]:
    """The components of the page."""
    return [each.proto.component_name for each in test.get("bidi_component")]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_before_the_solver_is_compiled_and_goes_on_afterwards(page: str, compiler: Compiler) -> None:
    test = app(page)
    assert waits(test)
    assert "lab" not in test.session_state
    compiler.end()
    ran(test.run())
    assert not waits(test)
    assert lab(test).address.startswith("sample=pose-small&M=8")
    assert complaints(test) == []


@pytest.mark.slow
def test_no_page_compiles_anything_by_itself() -> None:
    visit = [sys.executable, "-c", VISIT, *PAGES]
    assert subprocess.run(visit, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip() == "0"


def test_watch_shows_the_recorded_run_and_another_one_only_later(compiler: Compiler) -> None:
    recorded = app()
    assert "bender_stage" in sent(recorded)
    assert waits(recorded).startswith("Play or step through 2 recorded sweeps")
    other = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    other.query_params["sample"] = "tiny"
    ran(other.run())
    assert "bender_stage" not in sent(other)
    assert waits(other) == "This run opens"
    compiler.end()
    assert lab(ran(other.run())).mrf.name == "tiny"
    assert "bender_stage" in sent(other)


def test_what_an_address_says_in_vain_is_said_at_once_and_still_afterwards(compiler: Compiler) -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params["m"] = "banana"
    (before,) = complaints(ran(test.run()))
    assert "'m'" in before
    compiler.end()
    assert complaints(ran(test.run())) == [before]


def test_a_model_chosen_meanwhile_is_run_afterwards_as_the_first_one_would_have_been(compiler: Compiler) -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params["variant"] = "3"
    go(test, "instance")
    ran(test.button("load-tiny").click().run())
    assert any(piece.text == bc.sample("tiny").name for piece in html(test))
    compiler.end()
    ran(test.run())
    found = lab(test)
    assert (found.mrf.name, found.variant, found.max_size) == (bc.sample("tiny").name, 3, int(FIRST["M"]))


def test_the_size_of_a_model_is_known_at_once_and_its_cycles_later(compiler: Compiler) -> None:
    test = app("instance")
    assert [metric.value for metric in test.metric] == ["84", "…", "…", "…", "…"]
    compiler.end()
    assert [metric.value for metric in ran(test.run()).metric][1] == str(bc.sample("pose-small").n_edges)


def test_learn_is_whole_and_the_times_of_this_machine_follow(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[dict[str, object]] = []
    monkeypatch.setattr(learn_page.COMPONENT, "mount", lambda data, **_: given.append(data))
    # Another test of this process may have measured already.
    monkeypatch.setattr(timing, "_found", {})
    test = go(AppTest.from_file(ROOT / "app.py", default_timeout=60), "learn")
    assert learn_page.COMPONENT.code["world"] == world()
    assert given[-1]["seconds"] is None
    assert any("The times of this machine follow once the solver is compiled" in piece.text for piece in html(test))
    compiler.end()
    ran(test.run())
    assert not any("once the solver is compiled" in piece.text for piece in html(test))


def test_method_shows_the_same_numbers_at_once_and_others_later(compiler: Compiler) -> None:
    test = app("method")

    def shown() -> list[str]:
        return [text.value for text in test.markdown if "In numbers" in text.value]

    before = shown()
    assert recorded().examples["Energy"] in before[0]
    assert recorded().moment in test.caption[0].value
    assert not test.selectbox
    compiler.end()
    ran(test.run())
    assert shown() == before
    assert [box.label for box in test.selectbox] == ["Message"]
