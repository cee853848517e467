"""Start and stop of a race."""

from __future__ import annotations

import streamlit as st

from bender_core.experiments import Limits
from bender_core.units import counted
from pages._shared.app.session import Lab, lab
from pages._shared.app.text import complaint
from pages._shared.compare.entries import choices, chosen, entries, objection, partitions_chosen
from pages._shared.compare.racing import Contest, megabytes
from pages._shared.running.following import follow

TELL_SECONDS = 0.5


def start(current: Lab, contest: Contest, going: bool) -> None:
    """The field of the race, its cost, and the buttons."""
    if going:
        # Not in a fragment that keeps rerunning: a click is answered immediately.
        st.button("Stop the race", on_click=contest.stop, type="primary", width="stretch")
    else:
        press = st.empty()
    choices(current)
    contest.maker.ask(partitions_chosen(current.mrf))
    # Read once, and before the partitions: the work may end while the page is drawn.
    making = contest.maker.busy
    if making:
        follow(lambda: contest.maker.busy, lambda: st.progress(contest.maker.share, contest.maker.doing), TELL_SECONDS)
    field, count = entries(current, contest.maker), chosen()
    # While a race goes on, what it uses is not free.
    refused = "" if making or going else objection(field, count, contest.maker)
    if refused:
        contest.requested = False
        complaint(refused)
    elif field:
        free = "" if going else f" of {lab().account.free >> 20:,}"
        memory = f"{sum(map(megabytes, field)):,}{free} MB to start with"
        same = f" {count - len(field)} would repeat another run and are left out." * (count > len(field))
        st.caption(
            f"{counted(len(field), 'run')}, {memory}; they share the rest as they grow. They take turns: the run with "
            f"the least computing time goes next, so that all have had the same time at any moment.{same}"
        )
    if going:
        return
    ready = not (making or refused)
    press.button("Race", on_click=contest.ask, type="primary", disabled=not ready, width="stretch")
    if contest.requested and ready:
        state = st.session_state
        contest.start(field, Limits(sweeps=state.race_sweeps, seconds=float(state.race_seconds)))
        st.rerun()
