"""Below the stage: which change of the run would raise its bound, found by trials."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

import bender_core as bc
from bender_core.looking.words import number
from bender_core.trying.advice import ranked, remedies
from bender_core.trying.lineage import Lineage
from bender_core.units import storage
from pages._shared.app.session import Lab, lab
from pages._shared.app.text import label
from pages._shared.forks.requesting import ask, hand_over
from pages._shared.running.kept import Kept
from pages._shared.running.watched import WatchedRun
from pages._shared.watch.found_below import found_below

# A gain below this share of the gap is little.
LITTLE = 0.01


@dataclass(eq=False)
class Trials:
    """The changes tried at one moment of a run, complete or not."""

    lineage: Lineage  # of the run
    position: int
    gap: float = 1.0  # upper less lower bound there, energy; known once there is something to compare it with
    tried: list[bc.Remedy] = field(default_factory=list)


TRIALS = Kept[Trials]("trials")


@st.fragment
def helping() -> None:
    """Changes of the run, tried on request at the event shown."""
    current = lab()

    def ask() -> None:
        TRIALS.set(Trials(current.branches.shown.lineage, current.run.position))

    with st.expander("What would help"):
        st.caption(
            "More sweeps, another schedule, larger or merged groups, a row: each is tried in the background on a fork "
            "that begins here. A trial does the work of five sweeps, or half of the work of this run so far if that is "
            "more. This run does not change."
        )
        st.button("Try them", on_click=ask)
        trials = TRIALS.get()
        if trials is None or trials.lineage is not current.branches.shown.lineage:
            return
        if trials.position == current.run.position:
            try_changes(current.run, trials)
        show(trials)
        go_on(current, trials)
    hand_over(current)


def try_changes(run: WatchedRun, trials: Trials) -> None:
    """Try them, or show the progress."""

    def try_all(engine: bc.Engine, stop: bc.Stop) -> int:
        trials.tried.clear()
        trials.gap = engine.upper_bound - engine.lower_bound
        for remedy in remedies(engine, stop=stop):
            trials.tried.append(remedy)
        return len(trials.tried)

    if found_below(run, "what would help", trials, try_all) == 0:
        st.info("The gap is closed: there is nothing left to gain.")


def show(trials: Trials) -> None:
    """The changes tried so far, the best first."""
    if not trials.tried:
        return
    tried = ranked(list(trials.tried))
    st.caption(f"At event {trials.position:,}, the largest gain per work first:")
    st.dataframe(
        {
            "change": [label(remedy.name) for remedy in tried],
            "bound gained": [number(remedy.gained) for remedy in tried],
            "of the gap": ["all" if remedy.closed else share_of(remedy.gained, trials.gap) for remedy in tried],
            "table entries read": [remedy.work for remedy in tried],
            "memory": [storage(remedy.bytes) for remedy in tried],
        },
        column_config={
            "bound gained": st.column_config.TextColumn(
                help="The rise of the lower bound in the trial; energy. Groups by another strategy start without the "
                "messages of this run, so their bound may end below it."
            ),
            "table entries read": st.column_config.NumberColumn(
                format="localized", help="The work of the trial; less than that of the others if it ended early"
            ),
        },
        hide_index=True,
        key="what-would-help",
    )
    if not any(remedy.closed or remedy.gained >= LITTLE * trials.gap for remedy in tried):
        st.caption(
            f"None of them closes {100 * LITTLE:g} % of the gap with this work. Merged and new groups gain late: "
            "continue with one of these anyway, or continue this run and try again."
        )


def share_of(gained: float, gap: float) -> str:
    """A gain as a share of the gap, in words."""
    share = 100 * gained / gap
    return "< 0.01 %" if 0 < share < 0.01 else f"{share:.2f} %".replace("-", "−")


def go_on(current: Lab, trials: Trials) -> None:
    """Continue with one of them: the run forks where it was tried."""
    tried = ranked(list(trials.tried))
    if not tried:
        return

    def fork() -> None:
        current.run.show(trials.position)
        ask(current, tried[which].change)

    which: int = st.selectbox(
        "Go on with", range(len(tried)), format_func=lambda k: label(tried[k].name), key=f"help-{len(tried)}"
    )
    st.button("Continue with it", on_click=fork, type="primary")
