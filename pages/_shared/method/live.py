"""Whose numbers Method shows: those of twelve friends, or of the run that is open; and of which message."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import bender_core as bc
from bender_core.stopping import never
from pages._shared.app.naming import which_run
from pages._shared.app.session import Lab, has_lab, lab, sample
from pages._shared.app.text import complaint, label
from pages._shared.method.formulas import FORMULAS
from pages._shared.method.notation import NOTATION, symbols_of
from pages._shared.method.numbers import Numbers, View, numbers_of
from pages._shared.method.recorded import recorded
from pages._shared.running.findings import findings, show_work

FRIENDS, OWN = "12 friends at 4 tables", "the run that is open"
# The widgets by which they and the message of the friends are chosen.
RUN, MESSAGE_SHOWN = "method_run", "method_message"
# Of the friends: each table is a group.
M, VARIANT = 3, 9
RULES = f"M = {M}, variant {VARIANT}"
# Their message that is shown first: from table A, which has passed messages before, to table B.
FIRST = 1
# Members of a group whose states are all tried.
MOST = 16
# Of the list of messages, pixels.
WIDTH = 320
NOTHING = Numbers("", {}, {})


def shown_in(view: str) -> View:
    """The formulas of a view of the page, and the symbols: those of its formulas, or all."""
    formulas = FORMULAS.get(view, ())
    symbols = {each.latex for step in formulas for each in symbols_of(step.latex)}
    return View(formulas, [each for each in NOTATION if each.latex in symbols or not formulas])


def friends() -> bc.Engine:
    """A run on the friends, each table a group, at its beginning."""
    mrf = sample("friends")
    return bc.Engine(mrf, bc.partition(mrf, M, "groups"), variant=VARIANT)


@st.cache_data(show_spinner=False, max_entries=64)
def _of_friends(arc: int, view: str) -> Numbers:
    return numbers_of(friends(), M, arc, shown_in(view), never)


@st.cache_data(show_spinner=False)
def _arrows_of_friends() -> list[str]:
    return _arrows(friends())


def _arrows(engine: bc.Engine) -> list[str]:
    """All messages in words, sender first."""
    names = [label(name) for name in engine.partition.labels]
    ends = [engine.graph.ends(arc) for arc in range(2 * len(engine.graph.edges))]
    return [f"{names[q]} → {names[p]}" for p, q in ends]


def numbers(view: str) -> Numbers:
    """Choose the run and the message; the numbers that a view of the page shows of them, as far as they are known."""
    if not has_lab():
        st.caption(f"{FRIENDS}, {RULES}: {recorded().moment}.")
        return recorded()
    current = lab()
    choices = st.container(horizontal=True, vertical_alignment="bottom")
    whose = choices.segmented_control("Numbers of", (FRIENDS, OWN), key=RUN, required=True)
    if whose == OWN:
        found, run = _of_run(current, view, choices), which_run(current)
    else:
        arrows = _arrows_of_friends()
        linked = st.session_state[MESSAGE_SHOWN]
        if not 0 <= linked < len(arrows):
            complaint(f"There is no message {linked} of the friends: they have messages 0 to {len(arrows) - 1}.")
            st.session_state[MESSAGE_SHOWN] = FIRST
        arc = choices.selectbox(
            "Message",
            range(len(arrows)),
            format_func=arrows.__getitem__,
            key=MESSAGE_SHOWN,
            width=WIDTH,
        )
        found, run = _of_friends(arc, view), RULES
    if found.moment:
        st.caption(f"{run}: {found.moment}.")
    return found


def _of_run(current: Lab, view: str, choices: DeltaGenerator) -> Numbers:
    """The numbers of the run that is open, at the event shown; empty while they are computed, or if there are none."""
    run = current.run
    if not (run.looking or run.settle()):
        st.info("The run continues in the background. For its numbers, stop it on Watch or wait until it ends.")
        return NOTHING
    arrows = _arrows(run.engine)
    if not arrows:
        st.info("All variables are in one group, so there are no messages. Choose a smaller M on Partition.")
        return NOTHING

    def picked() -> None:
        run.arc = st.session_state.method_own_message

    st.session_state.method_own_message = run.arc
    choices.selectbox(
        "Message",
        range(len(arrows)),
        format_func=arrows.__getitem__,
        key="method_own_message",
        on_change=picked,
        width=WIDTH,
    )
    arc, sizes = run.arc, [len(run.engine.partition.groups[group]) for group in run.engine.graph.ends(run.arc)]
    if max(sizes) > MOST:
        st.info(f"A group of this message has {max(sizes)} variables; numbers are shown of up to {MOST}.")
        return NOTHING
    found, shown, size, last = findings(run), shown_in(view), current.max_size, run.until
    found.arrive()
    try:
        result = found.find(
            "the numbers", (arc, view), lambda engine, stop: numbers_of(engine, size, arc, shown, stop, last)
        )
    except bc.TooLargeError as error:
        complaint(f"There is not enough memory for these numbers: {error}.")
        return NOTHING
    if result is None:
        show_work(found)
    return result or NOTHING
