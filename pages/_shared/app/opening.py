"""The groups and forks of an address, made again in the background; until then no page is drawn."""

from __future__ import annotations

import streamlit as st

from pages._shared.app.arrival import arrival
from pages._shared.app.fields import EMBEDDED, WATCH, passed_over
from pages._shared.app.requests import OPENED_BY
from pages._shared.app.session import lab, open_address
from pages._shared.app.text import markdown
from pages._shared.running.following import follow
from pages._shared.running.kept import Kept
from pages._shared.running.watched import TELL_SECONDS, whereabouts

# The page that was drawn before.
_PAGE = Kept[str]("page_before")


def arrive(page: str) -> None:
    """When Back or Forward leads to a page, open the run of its address; only then does the address already name one.

    A page opened by a link of the app has no address yet; the first page of a session opens its run anyway. Watch
    reports the fields of an address that nothing reads.
    """
    before = _PAGE.get()
    _PAGE.set(page)
    if before == page:
        return
    if before is None:
        fields = arrival().fields
        if page:  # the stage has been left, and so has its question
            arrival().command = None
    else:
        fields = st.query_params.to_dict()
        open_address(fields)
    OPENED_BY.set(dict(fields))
    current = lab()
    view = page or (EMBEDDED if st.context.is_embedded else WATCH)
    current.notice = " ".join(filter(None, (current.notice, *passed_over(view, fields))))


def opening() -> bool:
    """Whether the address is still being opened; if so, show the progress."""
    current = lab()
    replay = current.replay
    if replay is None:
        return False
    if not replay.alive:
        replay.finish(current)
        return False

    def progress() -> None:
        name = markdown(current.mrf.name)
        # Read once: the search may end meanwhile.
        searching = replay.doing
        if searching:
            st.progress(replay.share, f"Opening {name}: {searching}")
        else:
            run = f"run {len(current.branches)} of {len(replay.forks) + 1}"
            st.caption(f"Opening {name}: {run}, {whereabouts(current.run.engine)}…")

    # Outside the fragment that keeps rerunning: a click is answered immediately.
    st.button("Stop here", on_click=replay.stop)
    follow(lambda: replay.alive, progress, TELL_SECONDS)
    return True
