"""Three closer looks at a message."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import bender_core as bc
from bender_core.kernels.layout import RowKind
from bender_core.looking.anatomy import anatomy
from bender_core.looking.classes import bits_of
from bender_core.looking.what_if import WhatIfRow
from bender_core.looking.words import number
from bender_core.units import microseconds
from bender_core.visualization.anatomy import plot_anatomy
from bender_core.visualization.message import (
    Stems,
    plot_slack_history,
    plot_what_if,
    values_in_words,
)
from bender_core.visualization.styles import ROW_LOOKS
from pages._shared.app.naming import picture, run_file
from pages._shared.app.session import Lab
from pages._shared.app.text import paragraph, table
from pages._shared.edge.classes import members_named
from pages._shared.edge.message import MessageView
from pages._shared.edge.rows import past_of
from pages._shared.forks.requesting import hand_over, insert_row
from pages._shared.running.findings import Findings, show_work

LOOKS = ("What if", "Row anatomy", "Over time")


def _unbroken(kind: RowKind) -> str:
    """The name of a kind of row, in one line."""
    return ROW_LOOKS[kind].name.replace(" ", "\u00a0")


# Of the cells of the table that compares rows.
_TERMS = {"row": "Benders row", "lift at y*": "y*"} | {
    _unbroken(kind): ROW_LOOKS[kind].name.partition(" ")[0] for kind in ROW_LOOKS
}


def picture_of(current: Lab, what: str) -> dict[str, Any]:
    """The file name of a figure about the message."""
    return picture(run_file(current, f"message-{current.run.arc}_{what}"))


def what_if(current: Lab, found: Findings, view: MessageView, drawn: Stems, names: list[str], selected: int) -> None:
    """The four rows that could be made at the selected class."""
    shown, (p, q) = view.shown, current.run.engine.graph.ends(current.run.arc)
    state = int(shown.states[selected])
    candidates = found.find("the four rows", (p, q, state), lambda engine, stop: bc.what_if(engine, p, q, state, stop))
    if candidates is None:
        show_work(found)
        return
    where = values_in_words(names, bits_of(selected, len(names)).tolist())
    slack = "tight" if shown.tight[selected] else f"lower by a slack of {number(float(shown.slack[selected]))}"
    nu = number(float(shown.nu[selected]))
    text = f"A row made where {where}? The true min-marginal there is {nu}, the envelope is {slack}."
    if shown.tight.all():
        paragraph(f"{text} It is tight everywhere, so no row can lift it.")
    else:
        paragraph(f"{text} Bars: how far each row would lift it, class by class; sand: the present slack.")
        st.plotly_chart(
            plot_what_if(shown, drawn, candidates, selected),
            key="edge-what-if",
            config=picture_of(current, "what-if"),
            height=340,
            alt="How far each of four rows would lift the envelope, by class; the table has their numbers",
        )
    compare(candidates, state, int(shown.states[shown.at_oracle]))
    insert(current, candidates)


def compare(candidates: list[WhatIfRow], state: int, at_oracle: int) -> None:
    """The four rows in numbers, one line each."""
    table(
        ["row", "lift there", "lift at y*", "mean lift", "states made tight", "µs", "pivots"],
        [
            [
                _unbroken(row.kind),
                number(float(row.rise[state])),
                number(float(row.rise[at_oracle])),
                number(row.lift),
                f"{row.tightened:,}",
                microseconds(row.seconds),
                f"{row.pivots}",
            ]
            for row in candidates
        ],
        _TERMS,
    )
    st.caption(
        "Lift: how far the <dfn>envelope</dfn> rises; its mean over all states is the mean <dfn>slack</dfn> removed. "
        "The run does not change.",
        unsafe_allow_html=True,
    )


def insert(current: Lab, candidates: list[WhatIfRow]) -> None:
    """Insert one of them into a run that forks here."""
    engine = current.run.engine
    if engine.variant.exact:
        return
    p, q = engine.graph.ends(current.run.arc)
    with st.container(horizontal=True):
        for candidate in candidates:
            name = ROW_LOOKS[candidate.kind].name
            row = bc.RowAt(p, q, candidate.state, candidate.kind)
            st.button(f"Insert {name}", key=f"edge-insert-{name}", on_click=insert_row, args=(current, row))
    st.caption("Insert: the run forks here, with the row added. Watch compares the two under “Runs and forks”.")
    hand_over(current)


def show_anatomy(current: Lab, found: Findings, view: MessageView, rows: list[int]) -> None:
    """One row as a graph: the first that was selected, else the latest."""
    p, q = current.run.engine.graph.ends(current.run.arc)
    if not view.shown.rows:
        paragraph("An exact variant keeps no rows.")
        return
    place = rows[0] if rows else len(view.shown.rows) - 1
    row = view.shown.rows[place]
    seen = found.find("the row", (p, q, row.index), lambda engine, _: anatomy(engine, p, q, row))
    if seen is None:
        show_work(found)
        return
    paragraph(
        f"Row {row.index}, {ROW_LOOKS[row.kind].name}: ν ≥ {number(row.intercept)} − Σ u. "
        + ("" if rows else "This is the latest row; select others in the table.")
    )
    receiving, sending = (
        members_named(current, group, np.arange(len(current.run.engine.partition.groups[group]))) for group in (p, q)
    )
    drawing = plot_anatomy(seen, receiving, sending)
    st.plotly_chart(
        drawing,
        key="edge-anatomy",
        config=picture_of(current, "row"),
        height=int(drawing.layout.height),
        alt=f"Row {row.index} as a graph: the couplings between receiving and sending members, and how it splits them",
    )
    st.caption(
        "Left: the receiver's members, right: the sender's; a link is a coupling, wider if stronger. Full colour: "
        "<dfn>y*</dfn> has the value that the coupling needs, so the other end is charged for all of it. The sender's "
        "answer is its cheapest state after the charges v: it gives the intercept <dfn>β⁰</dfn>. Filled: 1, hollow: 0.",
        unsafe_allow_html=True,
    )


def over_time(current: Lab, found: Findings) -> None:
    """The slack at events of the whole run."""
    past = past_of(found, *current.run.engine.graph.ends(current.run.arc))
    if past is None:
        show_work(found)
        return
    st.plotly_chart(
        plot_slack_history(past, current.run.position),
        key="edge-history",
        config=picture_of(current, "slack"),
        height=320,
        alt="Mean and largest slack over the events of the run",
    )
    st.caption(
        "Mean and largest <dfn>slack</dfn> over all states, computed at the events marked. The vertical line: the "
        "<dfn>event</dfn> shown.",
        unsafe_allow_html=True,
    )
    if not past.complete:
        st.caption("Only the beginning: the whole run would take too long.")


@st.fragment
def looks(
    current: Lab, found: Findings, view: MessageView, drawn: Stems, names: list[str], selected: int, rows: list[int]
) -> None:
    """One of several closer looks; choices in it do not redraw the page."""
    # No default: Learn chooses a look, too.
    st.session_state.setdefault("edge_look", LOOKS[0])
    look = st.segmented_control(
        "Look at",
        LOOKS,
        key="edge_look",
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )
    if look == "What if":
        what_if(current, found, view, drawn, names, selected)
    elif look == "Row anatomy":
        show_anatomy(current, found, view, rows)
    else:
        over_time(current, found)
