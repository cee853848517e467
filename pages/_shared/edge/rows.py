"""The rows of a message in a table, with their lives."""

from __future__ import annotations

from typing import Any

import streamlit as st

import bender_core as bc
from bender_core.looking.classes import bits_of
from bender_core.looking.history import History, RowLife, history, lives
from bender_core.looking.rows import Row
from bender_core.visualization.message import values_in_words
from bender_core.visualization.styles import ROW_LOOKS
from pages._shared.app.glossary import GLOSSARY
from pages._shared.app.session import Lab
from pages._shared.app.text import label
from pages._shared.edge.classes import members_named
from pages._shared.edge.message import MessageView
from pages._shared.running.findings import Findings, show_work

# The past is sampled at a limited number of events, within a limited time.
POINTS, SECONDS = 40, 10.0


def past_of(found: Findings, p: int, q: int) -> History | None:
    """The past of the message from q into p; None while it is computed."""

    def look(engine: bc.Engine, stop: bc.Stop) -> History:
        return history(engine, p, q, POINTS, SECONDS, stop)

    return found.find("the past of the message", (p, q), look)


def choose_rows(current: Lab, found: Findings, p: int, q: int, view: MessageView) -> list[int] | None:
    """The rows of the message, oldest first; returns the places of those selected, None while their past is computed.

    Places of rows never change, as later ones come after them.
    """
    rows = view.shown.rows
    if not rows:
        st.caption("An exact variant keeps no rows: the envelope is the min-marginal itself.")
        return []
    past = None
    if st.toggle(
        "Lives of the rows",
        key="edge_lives",
        persist_state="session",
        help=f"When each attained the envelope, and was tight where it was made: at up to {POINTS} events of the run",
    ):
        past = past_of(found, p, q)
        if past is None:
            show_work(found)
            return None
    columns = (
        _uses(view)
        | ({} if past is None else _lives(lives(past, rows, current.run.position)))
        | _made(current, p, q, rows)
    )
    picked = st.dataframe(
        columns,
        column_config=_CONFIG,
        on_select="rerun",
        selection_mode="multi-row",
        hide_index=True,
        height=min(250, 38 + 35 * len(rows)),
        placeholder="",
        key=f"edge-rows-{current.number}-{current.run.arc}",
    )
    if past is not None:
        events = past.event[past.event <= current.run.position]
        st.caption(f"Lives: sampled at {len(events)} events, from {events[0]} to {events[-1]}.")
    return [k for k in picked.selection.rows if k < len(rows)]


def _uses(view: MessageView) -> dict[str, list[Any]]:
    rows = view.shown.rows
    return {
        "row": [row.index for row in rows],
        "kind": [ROW_LOOKS[row.kind].name for row in rows],
        "born at event": [born(row) for row in rows],
        "alive at": view.shown.maximal.tolist(),
        "tight where made": ["✓" if tight else "" for tight in view.tight],
        "raised LB by": view.gained,
    }


def _made(current: Lab, p: int, q: int, rows: list[Row]) -> dict[str, list[Any]]:
    return {
        "intercept β⁰": [row.intercept for row in rows],
        "made for": [label(current.run.engine.partition.labels[row.made_for]) for row in rows],
        "made at": [anchor_text(current, p, q, row) for row in rows],
    }


def born(row: Row) -> int:
    """The event that added a row, counted as the stage does: 0 for an initial one."""
    return row.born + 1 if row.born >= 0 else 0


def anchor_text(current: Lab, p: int, q: int, row: Row) -> str:
    """The state at which a row was made, restricted to the coupled members, which alone matter."""
    graph, made = current.run.engine.graph, row.made_for
    members = graph.active_members(graph.arc(made, p + q - made))
    values = bits_of(row.anchor, len(current.run.engine.partition.groups[made]))[members]
    return values_in_words(members_named(current, made, members), values.tolist())


def _lives(found: list[RowLife]) -> dict[str, list[Any]]:
    return {
        "last alive": [life.maximal for life in found],
        "last tight": [life.tight for life in found],
        "dead since": [life.dead for life in found],
    }


_CONFIG = {
    "row": st.column_config.NumberColumn(help=GLOSSARY["Benders row"].meaning),
    "kind": st.column_config.TextColumn(help=" ".join(GLOSSARY[name].meaning for name in ("cut", "RMC", "MWC"))),
    "born at event": st.column_config.NumberColumn(help="0: one of the initial rows"),
    "made for": st.column_config.TextColumn(help="The group for whose state y* the row was made"),
    "made at": st.column_config.TextColumn(
        width="medium", help="The state for which the row was made: the values of the coupled members"
    ),
    "intercept β⁰": st.column_config.NumberColumn(format="%.5g", help=GLOSSARY["intercept"].meaning),
    "alive at": st.column_config.NumberColumn(
        format="percent", help="Share of the states at which the row attains the envelope"
    ),
    "tight where made": st.column_config.TextColumn(
        help="Whether it still equals the true min-marginal there, in the direction it was made for"
    ),
    "raised LB by": st.column_config.NumberColumn(
        format="%.4g",
        help="Its share of the rise of the lower bound in the update that made it, later updates aside",
    ),
    "last alive": st.column_config.NumberColumn(
        help="The last sampled event at which it attained the envelope at some state"
    ),
    "last tight": st.column_config.NumberColumn(
        help="The last sampled event at which it equalled the true min-marginal where it was made"
    ),
    "dead since": st.column_config.NumberColumn(
        help="The sampled event since which it has attained the envelope nowhere; it may revive as messages change"
    ),
}
