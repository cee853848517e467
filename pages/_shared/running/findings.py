"""Findings about the run that is watched, computed off the script thread, so that they never freeze a page."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from functools import partial
from typing import NamedTuple, TypeVar, cast

import streamlit as st

import bender_core as bc
from pages._shared.running.following import follow
from pages._shared.running.kept import KeptOfRun
from pages._shared.running.watched import TELL_SECONDS, WatchedRun, go_to, whereabouts

Found = TypeVar("Found")


class Look(NamedTuple):
    """A computation about the run."""

    name: str  # in words
    position: int  # of the run
    about: Hashable  # everything else that it depends on


class Findings:
    """The latest findings about a run by name, and the steps of the run.

    Parameters
    ----------
    run : WatchedRun

    Attributes
    ----------
    given_up : Look or None
        The computation that was stopped.
    """

    def __init__(self, run: WatchedRun) -> None:
        self.run = run
        self.given_up: Look | None = None
        self._steps: deque[tuple[bc.Grain, bool]] = deque()
        self._found: dict[str, tuple[Look, object]] = {}
        self._doing: Look | None = None  # the present or last computation; None: steps
        self._begun = 0.0  # when it began, seconds of the clock
        self._thread: threading.Thread | None = None  # that computes it; the stage has others

    def step(self, grain: bc.Grain, backward: bool) -> None:
        """Take a step, after those requested before."""
        self._steps.append((grain, backward))
        self.given_up = None

    def arrive(self) -> None:
        """Take the requested steps; those that take longer than a moment continue in the background."""
        if self._steps:
            self._wait_for(None, self._take_steps)

    def find(self, name: str, about: Hashable, compute: Callable[[bc.Engine, bc.Stop], Found]) -> Found | None:
        """A finding about the run at the position shown; None until that is reached, while it is computed, or if it
        was given up.

        Parameters
        ----------
        name : str
            Its name, in words.
        about : hashable
            Everything that it depends on beside the position.
        compute : callable
            Called with the engine, at the position shown, and a `Stop`. Its errors are raised here.
        """
        if self._steps:
            return None
        look = Look(name, self.run.position, about)
        if self._found_by(look) is None and self.given_up != look:
            self.given_up = None
            self._wait_for(look, partial(self._compute, look, compute))
        found = self._found_by(look)
        if found is None:
            return None
        if isinstance(found[1], Exception):
            raise found[1]
        return cast(Found, found[1])

    def give_up(self) -> None:
        """Stop the computation; a step ends with the last complete update."""
        self.given_up = self._doing
        self.run.halt()

    def take_up(self) -> None:
        """Resume the computation that was stopped."""
        self.given_up = None

    @property
    def progress(self) -> str:
        """The progress of the work, in words."""
        if self._doing is None:
            return f"Computing {whereabouts(self.run.engine)}"
        return f"Computing {self._doing.name}: {time.monotonic() - self._begun:.0f} s"

    def _found_by(self, look: Look) -> tuple[Look, object] | None:
        found = self._found.get(look.name)
        return found if found is not None and found[0] == look else None

    def _wait_for(self, look: Look | None, work: Callable[[threading.Event], None]) -> None:
        if self._doing != look or not self.run.looking or self.run.work.thread is not self._thread:
            self._doing, self._begun = look, time.monotonic()
            self.run.look(work)
            self._thread = self.run.work.thread
        self.run.work.wait()

    # -- in the background ------------------------------------------------------------------------------------

    def _take_steps(self, stopped: threading.Event) -> None:
        stop = bc.Stop(requested=stopped.is_set)
        try:
            with self.run.work.taken(stop):
                while self._steps and not stop():
                    self.run.step(*self._steps[0], stop)
                    self._steps.popleft()
        except bc.Stopped:
            pass
        except bc.EngineError as error:
            self.run.failure = str(error)
        if stop() or self.run.failure:
            self._steps.clear()

    def _compute(self, look: Look, compute: Callable[[bc.Engine, bc.Stop], object], stopped: threading.Event) -> None:
        stop = bc.Stop(requested=stopped.is_set)
        try:
            with self.run.work.taken(stop):
                go_to(self.run.engine, look.position, stop)
                self._found[look.name] = look, compute(self.run.engine, stop)
        except bc.Stopped:
            pass
        except Exception as error:
            # Raised when the page reads the result.
            self._found[look.name] = look, error


_FINDINGS = KeptOfRun("findings", Findings)


def findings(run: WatchedRun) -> Findings:
    """This session's findings about a run."""
    return _FINDINGS.of(run)


def found_or_progress(
    found: Findings, name: str, about: Hashable, compute: Callable[[bc.Engine, bc.Stop], Found]
) -> Found | None:
    """As `Findings.find`; where that is None, `show_work` shows the progress."""
    result = found.find(name, about, compute)
    if result is None:
        show_work(found, name)
    return result


def show_work(found: Findings, name: str = "") -> None:
    """In place of a result: its progress until it is there, or a button to compute it after a stop.

    Parameters
    ----------
    found : Findings
    name : str
        Of the result, where a page may wait for several.
    """
    if found.given_up is not None:
        st.caption(f"Stopped computing {found.given_up.name}.")
        st.button("Compute it", on_click=found.take_up, key=f"compute-{name}")
        return

    def progress() -> None:
        st.caption(f"{found.progress}…")
        st.button("Stop", on_click=found.give_up, key=f"stop-{name}")

    follow(lambda: found.run.looking, progress, TELL_SECONDS)
