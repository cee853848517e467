"""Watch in a frame of another page: the stage alone, and of the run the part that the address names.

Nothing is computed ahead, nothing leads elsewhere within the frame, and the session ends with its page (`visits`).
"""

from __future__ import annotations

import streamlit as st

from pages._shared.app.arrival import Arrival, arrival
from pages._shared.app.compiling import tell_progress
from pages._shared.app.fields import AT, EMBEDDED
from pages._shared.app.session import Lab, has_lab, lab, model
from pages._shared.app.stretch import Stretch
from pages._shared.app.text import markdown
from pages._shared.running.following import follow
from pages._shared.running.garbage import collect_seldom
from pages._shared.running.watched import TELL_SECONDS, WatchedRun, whereabouts
from pages._shared.watch.recorded import recording
from pages._shared.watch.stage import show_stage

_CSS = """<style>
  .stMainBlockContainer { padding: 0.4rem 0.6rem 0.3rem; }
  .stMain { overflow: hidden; }
  .complaint { padding: 0.2rem 0.6rem; font-size: 0.875rem; line-height: 1.3; }
</style>"""


def embedded() -> None:
    """Show the part of the run, once the run has come to its end."""
    st.html(_CSS)
    if has_lab() and not confined(lab(), arrival()):
        _tell_progress(lab())
        return
    _show()
    if not has_lab() and not recording().opens(arrival().fields):
        tell_progress(f"The run of {markdown(model().name)} opens here")


@st.fragment
def _show() -> None:
    show_stage(EMBEDDED)
    collect_seldom()


def _tell_progress(current: Lab) -> None:
    engine = current.run.engine
    follow(
        lambda: current.run.running,
        lambda: st.caption(f"Opening {markdown(current.mrf.name)}: {whereabouts(engine)}…"),
        TELL_SECONDS,
    )


def confined(current: Lab, arrived: Arrival) -> bool:
    """Whether the run shown is confined to its part; until it has come to its end, it runs there in the background."""
    named = arrived.stretch
    if current.stretch is None and named is not None and _is_there(current.run, named):
        _confine(current, named, arrived)
    return current.stretch is not None


def _is_there(run: WatchedRun, named: Stretch) -> bool:
    """Whether a run has come to the end of a part, or has ended before; if not, it goes on."""
    last = named.begin if named.end is None else named.end
    if run.settle() and run.end is None and not run.failure and len(run.engine.trace) < last:
        run.start(until=last)
    return run.settle()


def _confine(current: Lab, named: Stretch, arrived: Arrival) -> None:
    run, shown, faults = current.run, named, arrived.faults
    known = len(run.engine.trace) if run.until is None else run.until
    if named.end is not None or run.end is not None:
        shown = named.until(known)
    if known < max(named.begin, named.end or 0):
        faults = [*faults, f"The run ends after {known:,} events: it is shown {shown.words}."]
    current.stretch, current.notice = shown, " ".join(filter(None, [current.notice, *faults]))
    run.since = shown.begin
    if shown.end is not None:
        run.until = run.seen = shown.end
    run.show(shown.nearest(AT.of(arrived.fields, shown.begin)))
