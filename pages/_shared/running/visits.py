"""The life of a session: as long as a browser tab is connected to it, and a little longer.

A tab that loses its connection for a moment finds its session again, as Streamlit keeps it for a while. But Streamlit
frees the memory of a session, which may be a gigabyte, only when others come and go; here it is freed in time. A frame
in another page goes with its page, at once: there may be many, and each is made again from its address.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit import runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._shared.running.garbage import set_aside

# Seconds before Streamlit would forget a session: a forgotten session can no longer be closed.
EARLIER = 2.0
# Seconds within which sessions are closed together.
TOGETHER = 0.5

# Timers that close the sessions whose tabs are gone; used on the server's event loop only.
_closing: dict[str, asyncio.TimerHandle] = {}
# The timer after which garbage is collected, if one runs; on the same loop.
_collecting: asyncio.TimerHandle | None = None


class Visit(NamedTuple):
    """A session while a tab is connected to it."""

    session: str
    app_session: AppSession | None
    is_embedded: bool


def presence() -> Callable[[], bool]:
    """A function that says, on any thread, whether a tab is connected to the session of this script.

    Without a session, in tests and on the command line, it always returns True.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not runtime.exists():
        return lambda: True
    return partial(runtime.get_instance().is_active_session, context.session_id)


def _left(visit: Visit) -> None:
    """Called by Streamlit, on its event loop, when a tab is gone; closes the session if it does not come back."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # the caches were cleared, and no tab was closed
        return
    before = _closing.pop(visit.session, None)
    if before is not None:
        before.cancel()
    stays = 0.0 if visit.is_embedded else max(float(st.get_option("server.disconnectedSessionTTL")) - EARLIER, 0.0)
    _closing[visit.session] = loop.call_later(stays, _close, visit)


def _close(visit: Visit) -> None:
    _closing.pop(visit.session, None)
    server = runtime.get_instance()
    if server.is_active_session(visit.session):
        return
    server.close_session(visit.session)
    # The server's loop still has a reference to the last session.
    if visit.app_session is not None:
        _empty(visit.app_session)
    _collect_later()


def _collect_later() -> None:
    """Collect once for all sessions that are closed at about the same time: it holds up the server's event loop.

    Objects that were set aside when the server started may have become garbage as well.
    """
    global _collecting
    if _collecting is None:
        _collecting = asyncio.get_running_loop().call_later(TOGETHER, _collect)


def _collect() -> None:
    global _collecting
    _collecting = None
    set_aside()


def _empty(session: AppSession) -> None:
    """Free a session's state, and the callbacks of its widgets and fragments, which may refer to a run."""
    session.session_state.clear()
    session.session_state._new_widget_state.widget_metadata.clear()
    session._fragment_storage.clear()


@st.cache_resource(scope="session", on_release=_left, show_spinner=False)
def _visit(session: str) -> Visit:
    return Visit(session, runtime.get_instance().get_app_session(session), bool(st.context.is_embedded))


def attend() -> None:
    """Arrange that the session of this script is closed, and its memory freed, when its tab is gone for good."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and runtime.exists():
        _visit(context.session_id)
