"""Whether somebody is still there: a session lives as long as a browser's tab is connected to it, and a little longer.

A tab that lost its connection for a moment finds its session again, as Streamlit keeps it for a while. It lets go of a
session that stays away only when another one leaves, and a session may hold a gigabyte; here its time is kept.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

# Seconds before Streamlit would forget a session by itself: what it has forgotten can no longer be closed.
EARLIER = 2.0

# Of the sessions whose tabs are gone, what will close them; touched on the server's event loop only.
_closing: dict[str, asyncio.TimerHandle] = {}


def presence() -> Callable[[], bool]:
    """What tells, on any thread, whether a tab is connected to the session that this script runs for.

    Where no session is, in tests and on the command line, somebody is always there.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not runtime.exists():
        return lambda: True
    return partial(runtime.get_instance().is_active_session, context.session_id)


def _left(session: str) -> None:
    """Streamlit says, on its event loop, that a tab is gone; close the session if it does not come back."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # somebody cleared the caches: nobody left
        return
    before = _closing.pop(session, None)
    if before is not None:
        before.cancel()
    stays = max(float(st.get_option("server.disconnectedSessionTTL")) - EARLIER, 0.0)
    _closing[session] = loop.call_later(stays, _close, session)


def _close(session: str) -> None:
    _closing.pop(session, None)
    found = runtime.get_instance()
    if not found.is_active_session(session):
        found.close_session(session)
        gc.collect()


@st.cache_resource(scope="session", on_release=_left, show_spinner=False)
def _visit() -> str:
    context = get_script_run_ctx()
    assert context is not None
    return context.session_id


def attend() -> None:
    """Have the session of this script closed, and its memory freed, when its tab is gone for good."""
    _visit()
