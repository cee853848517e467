"""A running experiment, in a separate process that outlives sessions, but not the server."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from bender_core.resources import environment
from pages._shared.running.background import Background

# One per plan and server, shared by all sessions.
MOST_AT_ONCE = 32
# How long to wait for a stop, so that the progress shown afterwards is final; then the process is killed.
STOP_SECONDS = 0.4


@dataclass(eq=False)
class Experiment(Background):
    """The execution of one plan. The thread listens to the process."""

    partitioning: float = 0.0  # the share of instances whose partitions have been made, before the runs
    doing: str = ""  # the partition that is being made
    done: int = 0  # runs, of the total
    total: int = 0
    failed: int = 0  # whose worker died
    left: float | None = None  # seconds, at the pace so far
    last: str = ""  # the run finished last
    waiting: str = ""  # what the runs wait for, such as the scheduler of the cluster
    failure: str = ""  # why it ended early
    _process: subprocess.Popen[str] | None = None

    def start(self, plan: Path, store: Path, workers: int, scheduler: str = "") -> None:
        """Do the runs that are not done yet."""
        if self.busy:
            return
        command = [sys.executable, "-P", "-m", "bender_core", "experiment", "run", str(plan), "--store", str(store)]
        command += ["--workers", str(workers), "--attached", *(["--scheduler", scheduler] if scheduler else [])]
        self.done = self.total = self.failed = 0
        self.left, self.last, self.waiting, self.failure = None, "", "", ""
        self.partitioning, self.doing = 0.0, ""
        self._process = subprocess.Popen(
            command,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.begin(partial(self._listen, self._process))

    def stop(self, wait: float | None = STOP_SECONDS) -> None:
        """Stop; unfinished runs are repeated next time."""
        self._stopped.set()
        if self._process is None or self._process.stdin is None:
            return
        self._process.stdin.close()
        super().stop(wait)
        # It may not read its input yet, or wait for its store. Its workers end with it.
        self._process.kill()

    def _listen(self, process: subprocess.Popen[str], stopped: threading.Event) -> None:
        assert process.stdout is not None
        last_line = ""
        for line in process.stdout:
            if not line.startswith("{"):
                last_line = line
            elif not stopped.is_set():
                self._take(json.loads(line))
        code = process.wait()
        if code < 0:
            last_line = f"its process was ended by {signal.Signals(-code).name}"
        if code and not stopped.is_set():
            self.failure = last_line.strip().removeprefix("error: ") or f"it ended with code {code}"

    def _take(self, progress: dict[str, Any]) -> None:
        if "partitioning" in progress:
            self.partitioning, self.doing = progress["partitioning"], progress["doing"]
        else:
            self.done, self.total, self.failed = progress["done"], progress["total"], progress["failed"]
            self.left, self.waiting = progress["left"], progress["waiting"]
            self.last = progress["last"] or self.last


@st.cache_resource(show_spinner=False, max_entries=MOST_AT_ONCE)
def experiment(plan: str) -> Experiment:
    """The experiment of a plan, by its name among `pages._shared.experiments.plans`; shared by all sessions."""
    return Experiment()
