"""The message shown: its choice, its rows, and a state of its receiver."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

import bender_core as bc
from bender_core.run.rows import Row
from bender_core.visualization.message import Message, RowUse, message, row_uses
from bender_core.visualization.styles import CUTS
from pages._shared.app.glossary import GLOSSARY
from pages._shared.app.naming import moment
from pages._shared.app.session import Lab
from pages._shared.app.text import complaint, label
from pages._shared.running.findings import Findings

# Steps backward and forward, by the words on their buttons.
GRAINS: dict[str, bc.Grain] = {"sweep": "sweep", "group": "node", "round": "round"}
STEPS = (*((word, True) for word in GRAINS), *((word, False) for word in reversed(GRAINS)))


@dataclass(frozen=True)
class Looked:
    """A message at the event shown."""

    shown: Message
    uses: list[RowUse]  # of its rows, oldest first
    moment: str  # the event, in words


def looked_at(found: Findings, p: int, q: int, order: str) -> Looked | None:
    """The message from q into p; None while it is computed."""

    def look(engine: bc.Engine, stop: bc.Stop) -> Looked:
        shown = message(engine, p, q, order, stop)
        return Looked(shown, row_uses(engine, p, q, shown, stop), moment(engine))

    return found.find("the message", (p, q, order), look)


def choose(current: Lab, found: Findings) -> tuple[int, int]:
    """Choose the message and the position of the run; returns receiver and sender."""
    run, names = current.run, [label(name) for name in current.partition.labels]
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
        help=GLOSSARY["message"],
    )
    turn.button("⇄", help="Show the message in the other direction", on_click=flip, width="stretch")
    for column, (word, backward) in zip(steps, STEPS, strict=True):
        column.button(
            f"◀ {word}" if backward else f"{word} ▶",
            key=f"edge-{word}-{backward}",
            on_click=found.step,
            args=(GRAINS[word], backward),
            disabled=run.position == 0 if backward else run.at_end,
            width="stretch",
        )
    return ends[run.arc]


def refuse(current: Lab, error: bc.TooLargeError) -> None:
    """Say that messages do not fit into memory, and offer the nearest M at which they do."""

    def cut() -> None:
        part = current.partition
        strategy = None if part.strategy == "manual" else part.strategy
        try:
            made = bc.partition(current.mrf, error.fits, strategy)
            current.cut(made, error.fits, current.variant, current.schedule)
        except (bc.TooLargeError, bc.PartitionError) as refused:
            st.session_state.edge_refused = str(refused)

    complaint(st.session_state.pop("edge_refused", f"There is not enough memory to show messages: {error}."))
    if error.fits:
        st.button(f"Cut with M = {error.fits}", on_click=cut)


def row_list(current: Lab, looked: Looked) -> list[Row]:
    """The rows of the message in a table, oldest first; returns those selected.

    A selection is one of places: those of rows never change, as later ones come after them.
    """
    part, uses = current.partition, looked.uses
    if not uses:
        st.caption("An exact variant keeps no rows: the envelope is the min-marginal itself.")
        return []
    picked = st.dataframe(
        {
            "row": [use.row.index for use in uses],
            "kind": [CUTS[use.row.kind].name for use in uses],
            "added at event": [use.row.born + 1 if use.row.born >= 0 else 0 for use in uses],
            "made for": [label(part.labels[use.row.made_for]) for use in uses],
            "at y*": [part.describe(use.row.made_for, use.row.anchor) for use in uses],
            "intercept β⁰": [use.row.intercept for use in uses],
            "maximal at": [use.maximal for use in uses],
            "tight at y*": ["✓" if use.tight else "" for use in uses],
        },
        column_config={
            "row": st.column_config.NumberColumn(help=GLOSSARY["Benders row"]),
            "kind": st.column_config.TextColumn(help=GLOSSARY["cut"]),
            "added at event": st.column_config.NumberColumn(help="0: one of the initial rows"),
            "made for": st.column_config.TextColumn(help="The group for whose state y* the row was made"),
            "intercept β⁰": st.column_config.NumberColumn(format="%.5g", help="At the current messages; energy"),
            "maximal at": st.column_config.NumberColumn(
                format="percent", help="Share of the states at which the row is the envelope"
            ),
            "tight at y*": st.column_config.TextColumn(
                help="Whether it still equals the truth there, in the direction it was made for"
            ),
        },
        on_select="rerun",
        selection_mode="multi-row",
        hide_index=True,
        height=250,
        key=f"edge-rows-{current.number}-{current.run.arc}",
    )
    return [uses[k].row for k in picked.selection.rows if k < len(uses)]


def state_chosen(current: Lab, shown: Message) -> int:
    """The state for what-if: the one clicked or typed, at first y*."""
    key = f"edge-state-{current.number}-{current.run.arc}"
    arc, clicked = st.session_state.pop("edge_clicked", (None, 0))
    if arc == (current.number, current.run.arc):
        st.session_state[key] = clicked
    st.session_state.setdefault(key, shown.minimiser)
    state: int = st.number_input(
        f"State of the receiver: click it in the figure, or type its code, 0 to {len(shown.nu) - 1}",
        min_value=0,
        max_value=len(shown.nu) - 1,
        key=key,
    )
    return state
