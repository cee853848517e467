"""The message shown: its choice, and its content at the event shown."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

import bender_core as bc
from bender_core import looking
from bender_core.looking.classes import Classes, classes
from bender_core.looking.history import tight_where_made
from bender_core.strategies import default_strategy, soon
from pages._shared.app.glossary import GLOSSARY
from pages._shared.app.naming import moment
from pages._shared.app.next_run import Choice
from pages._shared.app.session import Lab, begin_next, next_run
from pages._shared.app.text import complaint, label
from pages._shared.running.findings import Findings

# Steps backward and forward, by the words on their buttons.
GRAINS: dict[str, bc.Grain] = {"sweep": "sweep", "group": "node", "round": "round"}
STEPS = (*((word, True) for word in GRAINS), *((word, False) for word in reversed(GRAINS)))


@dataclass(frozen=True)
class MessageView:
    """A message at the event shown."""

    shown: Classes
    tight: list[bool]  # of every row, whether it is tight where it was made
    gained: list[float]  # its share of the rise of the lower bound in the update that made it
    moment: str  # the event, in words


def view_of(found: Findings, p: int, q: int) -> MessageView | None:
    """The message from q into p; None while it is computed."""

    def look(engine: bc.Engine, stop: bc.Stop) -> MessageView:
        shown = classes(engine, p, q, stop)
        gains = looking.row_gains(engine)
        gained = [float(gains[row.born]) if row.born >= 0 else 0.0 for row in shown.rows]
        return MessageView(shown, tight_where_made(engine, p, q, shown.rows, stop).tolist(), gained, moment(engine))

    return found.find("the message", (p, q), look)


def choose(current: Lab, found: Findings) -> tuple[int, int]:
    """Choose the message and the position of the run; returns receiver and sender."""
    run, names = current.run, [label(name) for name in current.run.engine.partition.labels]
    ends = [run.engine.graph.ends(arc) for arc in range(2 * len(run.engine.graph.edges))]

    def picked() -> None:
        run.arc = st.session_state.edge_arc

    def flip() -> None:
        run.arc ^= 1

    st.session_state.edge_arc = run.arc
    which, turn, *steps = st.columns([5, 1, *[1.3] * len(STEPS)], vertical_alignment="bottom")
    which.selectbox(
        "Message",
        range(len(ends)),
        format_func=lambda arc: f"{names[ends[arc][1]]} → {names[ends[arc][0]]}",
        key="edge_arc",
        on_change=picked,
        help=GLOSSARY["message"].meaning,
    )
    turn.button("⇄", help="Show the message in the other direction", on_click=flip, width="stretch")
    for column, (word, backward) in zip(steps, STEPS, strict=True):
        column.button(
            f"◀ {word}" if backward else f"{word} ▶",
            key=f"edge-{word}-{backward}",
            on_click=found.step,
            args=(GRAINS[word], backward),
            disabled=run.position == (run.since if backward else run.end),
            width="stretch",
        )
    return ends[run.arc]


def refuse(current: Lab, error: bc.TooLargeError) -> None:
    """Say that messages do not fit into memory, and offer the nearest M at which they do."""

    def use(max_size: int) -> None:
        strategy = soon(current.run.engine.partition.strategy) or default_strategy(current.mrf)
        rules = current.variant, current.schedule
        begin_next(current, Choice(current.mrf, current.origin, max_size, strategy, *rules))

    following = next_run(current)
    refusal = "" if following is None else following.refusal
    complaint(refusal or f"There is not enough memory to show messages: {error}.")
    if error.fits:
        st.button(f"Take M = {error.fits}", on_click=use, args=(error.fits,))
