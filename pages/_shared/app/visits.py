"""Whether somebody is still there: a session lives as long as a browser's tab is connected to it, and a little longer.

A tab that lost its connection for a moment finds its session again, as Streamlit keeps it for a while. But Streamlit
lets go of what a session holds, which may be a gigabyte, only when others come and go; here that is done in time.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SessionState

# Seconds before Streamlit would forget a session by itself: what it has forgotten can no longer be closed.
EARLIER = 2.0

# What will close the sessions whose tabs are gone; touched on the server's event loop only.
_closing: dict[str, asyncio.TimerHandle] = {}


class Visit(NamedTuple):
    """A session while a tab is connected to it."""

    session: str
    state: SessionState | dict[str, Any]


def presence() -> Callable[[], bool]:
    """What tells, on any thread, whether a tab is connected to the session that this script runs for.

    Where no session is, in tests and on the command line, somebody is always there.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not runtime.exists():
        return lambda: True
    return partial(runtime.get_instance().is_active_session, context.session_id)


def _left(visit: Visit) -> None:
    """Streamlit says, on its event loop, that a tab is gone; close the session if it does not come back."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # somebody cleared the caches: nobody left
        return
    before = _closing.pop(visit.session, None)
    if before is not None:
        before.cancel()
    stays = max(float(st.get_option("server.disconnectedSessionTTL")) - EARLIER, 0.0)
    _closing[visit.session] = loop.call_later(stays, _close, visit)


def _close(visit: Visit) -> None:
    _closing.pop(visit.session, None)
    server = runtime.get_instance()
    if server.is_active_session(visit.session):
        return
    server.close_session(visit.session)
    # The server's loop still holds the session that left last.
    visit.state.clear()
    # What was frozen as the server started (see frame.py) may have become garbage as well.
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@st.cache_resource(scope="session", on_release=_left, show_spinner=False)
def _visit(session: str) -> Visit:
    found = runtime.get_instance().get_app_session(session)
    return Visit(session, {} if found is None else found.session_state)


def attend() -> None:
    """Have the session of this script closed, and its memory freed, when its tab is gone for good."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and runtime.exists():
        _visit(context.session_id)
