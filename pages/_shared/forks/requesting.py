"""Forks that a page requests, made in the background; then the fork is shown in place of the run."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

import streamlit as st

import bender_core as bc
from pages._shared.app.branches import ForkRequest
from pages._shared.app.session import Lab
from pages._shared.app.text import complaint

Found = TypeVar("Found")


class Find(Protocol):
    """`found_or_progress` of a run, or `found_below`."""

    def __call__(
        self, name: str, about: Hashable, compute: Callable[[bc.Engine, bc.Stop], Found], /
    ) -> Found | None: ...


def ask(current: Lab, change: bc.Change) -> None:
    """Ask for a fork at the event shown, for `carry_out` to make it."""
    current.branches.request = ForkRequest(change, current.run.position)


def insert_row(current: Lab, row: bc.RowAt) -> None:
    """Request a fork at the event shown that has another row, which is valid for all messages."""
    ask(current, bc.Change(rows=(row,)))


def merge_ends(current: Lab, edge: int) -> None:
    """Request a fork at the event shown in which the two groups of an edge are one."""
    p, q = (int(end) for end in current.run.engine.graph.edges[edge])
    ask(current, bc.Change(merge=((p, q),)))


def hand_over(current: Lab) -> None:
    """Where a part of a page has just asked for a fork, have the page begin anew: it is made beside the stage."""
    if current.branches.request is not None and not current.branches.request.begun:
        st.rerun()


def carry_out(current: Lab, find: Find) -> None:
    """Make the requested fork, or show the progress; then the page reruns and shows the fork.

    Parameters
    ----------
    current : Lab
    find : callable
        Computes something at the event shown, in the background, and shows its progress: on Edge
        ``partial(found_or_progress, findings(current.run))``.
    """
    request = current.branches.request
    if request is None:
        return
    request.begun = True
    if request.position != current.run.position:
        current.branches.request = None
        return

    def make(engine: bc.Engine, stop: bc.Stop) -> bool:
        request.made = current.branches.with_room(lambda: request.change.fork(engine, stop))
        return True

    try:
        find("the fork", request, make)
    except (ValueError, bc.EngineError) as error:
        current.branches.request = None
        complaint(f"The run cannot fork like this: {error}.")
        return
    if request.made is not None:
        engine, request.made, current.branches.request = request.made, None, None
        current.fork(request.change, engine)
        current.branches.called = current.number
        st.rerun()
