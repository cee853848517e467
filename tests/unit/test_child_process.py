"""A generator in a separate process: its values come back, and it always ends with its parent."""

from __future__ import annotations

import itertools
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bender_core.child_process import Child

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
LINUX = Path("/proc/self/statm").exists() and hasattr(os, "pidfd_open")
FOREVER = (map, time.sleep, [PATIENCE])


def received(child: Child[Any]) -> list[Any]:
    found = []
    while not child.ended:
        found += child.receive(PATIENCE)
    return found


def test_what_the_generator_yields_comes_back_in_order() -> None:
    values = [1, "two", np.arange(3.0), None]
    with Child(iter, values) as child:
        found = received(child)
    assert found[:2] == values[:2]
    assert found[2].tolist() == [0.0, 1.0, 2.0]
    assert found[3:] == [None]


@pytest.mark.slow
def test_large_arguments_and_values_fit_through_the_pipes() -> None:
    large = np.arange(1 << 20)
    with Child(iter, [large, large]) as child:
        assert all((value == large).all() for value in received(child))
        assert child.ended


@pytest.mark.slow
def test_printed_text_does_not_mix_with_the_values(capfd: pytest.CaptureFixture[str]) -> None:
    with Child(map, print, ["one", "two"]) as child:
        assert received(child) == [None, None]
    assert capfd.readouterr().out == ""


def test_a_failing_generator_ends_with_its_error(capfd: pytest.CaptureFixture[str]) -> None:
    with Child(map, int, ["1", "one"]) as child:
        assert received(child) == [1]
    assert "invalid literal for int" in capfd.readouterr().err


@pytest.mark.parametrize("job", [FOREVER, (itertools.repeat, "again")], ids=["silent", "talkative"])
def test_leaving_ends_an_infinite_generator(job: tuple[Any, ...]) -> None:
    with Child(*job) as child:
        child.receive(0.0)
    assert child._process.poll() is not None
    assert not any(thread.is_alive() for thread in child._threads)


def test_leaving_before_all_arguments_are_sent() -> None:
    with Child(iter, [bytes(1 << 26)]) as child:
        pass
    assert child._process.poll() is not None


def test_an_error_of_the_parent_ends_the_child() -> None:
    child: Child[None] = Child(*FOREVER)
    with pytest.raises(KeyboardInterrupt), child:
        raise KeyboardInterrupt
    assert child._process.poll() is not None


@pytest.mark.slow
@pytest.mark.skipif(not LINUX, reason="looks at processes as Linux does")
def test_ctrl_c_ends_parent_and_child() -> None:
    script = (
        "import itertools, time\nfrom bender_core.child_process import Child\n"
        "with Child(map, time.sleep, itertools.chain([0.0], itertools.repeat(60.0))) as child:\n"
        "    child.receive(60.0)\n    print(child._process.pid, flush=True)\n    child.receive(60.0)\n"
    )
    command, pipe = [sys.executable, "-c", script], subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        child = os.pidfd_open(pid)
        # A terminal sends it to all of a group: to the parent alone.
        assert os.getpgid(pid) != os.getpgid(parent.pid)
        os.killpg(parent.pid, signal.SIGINT)
        said = parent.communicate(timeout=PATIENCE)[1]
    assert said.rstrip().endswith("KeyboardInterrupt")
    # A descriptor of a process is readable once it has ended.
    assert select.select([child], [], [], PATIENCE)[0]
    os.close(child)


@pytest.mark.skipif(not LINUX, reason="limits memory where the system can")
def test_memory_is_limited_beyond_the_present_use() -> None:
    script = (
        "from bender_core.child_process import limit_memory\n"
        "limit_memory(64 << 20)\nlen(bytes(32 << 20))\n"
        "try:\n    len(bytes(128 << 20))\nexcept MemoryError:\n    print('refused')\n"
        # A limit is never raised.
        "limit_memory(1 << 40)\n"
        "try:\n    len(bytes(128 << 20))\nexcept MemoryError:\n    print('refused again')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["refused", "refused again"]


HOLDING = """
import time
from bender_core.child_process import Child

child = Child(map, time.sleep, [0.0, 3600.0]).__enter__()
child.receive(60.0)
child.hold()
print(child._process.pid, flush=True)
time.sleep(3600.0)
"""


@pytest.mark.skipif(not LINUX, reason="looks at processes as Linux does")
def test_a_child_that_is_held_ends_with_its_parent() -> None:
    """Stopped, it cannot see that by itself."""
    with subprocess.Popen([sys.executable, "-c", HOLDING], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
    ended = select.select([child], [], [], PATIENCE)[0]
    if not ended:
        signal.pidfd_send_signal(child, signal.SIGKILL)
    os.close(child)
    assert ended


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="holds processes where the system can")
def test_a_child_that_was_held_goes_on_and_leaves_no_guard() -> None:
    with Child(iter, [1, 2]) as child:
        child.hold()
        guard = child._guard
        assert guard is not None
        child.go_on()
        assert received(child) == [1, 2]
    assert guard.poll() is not None


def test_a_process_that_says_nothing_more_and_goes_on_is_no_reason_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bender_core.child_process.PATIENCE", 0.05)
    with Child(*FOREVER) as child:
        assert child.failure() == "its process sends nothing that can be read"
