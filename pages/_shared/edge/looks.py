"""Four closer looks at a message."""

from __future__ import annotations

from typing import Any

import streamlit as st

import bender_core as bc
from bender_core.run.explain import number
from bender_core.run.rows import Row
from bender_core.visualization.message import (
    Message,
    SlackHistory,
    couplings,
    plot_couplings_between,
    plot_message,
    plot_slack_histogram,
    plot_slack_history,
    plot_terms,
    plot_what_if,
    slack_history,
)
from bender_core.visualization.styles import CUTS
from pages._shared.app.clicks import clicked_point
from pages._shared.app.naming import picture, run_file
from pages._shared.app.session import Lab
from pages._shared.app.text import labels, markdown, paragraph, table
from pages._shared.edge.message import Looked, state_chosen
from pages._shared.running.findings import Findings, show_work

LOOKS = ("What if", "Row anatomy", "Slack over time", "Histogram")
# Names of variables in the caption of a message.
MOST_LISTED = 8
# The slack over time is computed at a bounded number of events, for a bounded time.
HISTORY_POINTS, HISTORY_SECONDS = 40, 10.0


def picture_of(current: Lab, what: str) -> dict[str, Any]:
    """The file name of a figure about the message."""
    return picture(run_file(current, f"message-{current.run.arc}_{what}"))


def what_if(current: Lab, found: Findings, p: int, q: int, shown: Message, order: str) -> None:
    part, state = current.partition, state_chosen(current, shown)
    cuts = found.find("the four rows", (p, q, state), lambda engine, stop: bc.what_if(engine, p, q, state, stop))
    if cuts is None:
        show_work(found)
        return
    slack = float(shown.slack[state])
    paragraph(
        f"At {part.describe(p, state)} the true min-marginal is {number(float(shown.nu[state]))} and the slack "
        + (f"{number(slack)}. Each of these rows would remove it:" if slack > 0 else "0: the envelope is tight.")
    )
    st.plotly_chart(
        plot_what_if(shown, cuts, state, order),
        key="edge-what-if",
        config=picture_of(current, "what-if"),
        height=300,
        alt="The four rows over the states; the table has their numbers",
    )
    table(
        ["row", "mean looseness", "lifts the envelope by", "pivots", "µs"],
        [
            [CUTS[cut.kind].name, number(cut.looseness), number(cut.lift), f"{cut.pivots}", f"{1e6 * cut.seconds:.1f}"]
            for cut in cuts
        ],
    )
    st.caption(
        "Looseness: mean of ν minus the row over all states. Lift: mean rise of the envelope over all states. The run "
        "does not change."
    )


def anatomy(current: Lab, p: int, q: int, looked: Looked, chosen: list[Row]) -> None:
    part = current.partition
    receiving, sending = (labels([current.mrf.names[i] for i in part.groups[group]]) for group in (p, q))
    rows = chosen or [use.row for use in looked.uses[-1:]]
    for row in rows[:1]:
        paragraph(
            f"Row {row.index}, {CUTS[row.kind].name}: ν ≥ {number(row.intercept)} − Σ u. "
            + ("" if chosen else "This is the latest row; select others in the table.")
        )
        st.plotly_chart(
            plot_terms(row.u, receiving, "u"),
            key="edge-u",
            config=picture_of(current, "row-u"),
            height=190,
            alt=f"Terms u of row {row.index}, a bar for each receiving member",
        )
        st.plotly_chart(
            plot_terms(row.v, sending, "v"),
            key="edge-v",
            config=picture_of(current, "row-v"),
            height=190,
            alt=f"Terms v of row {row.index}, a bar for each sending member",
        )
    st.caption("The couplings that the row splits between u and v; each cell names the values with non-zero energy:")
    st.plotly_chart(
        plot_couplings_between(couplings(current.run.engine.graph, p, q), receiving, sending),
        key="edge-theta",
        config=picture_of(current, "couplings"),
        height=260,
        alt="Couplings between the two groups, with the values that have non-zero energy",
    )


def over_time(current: Lab, found: Findings, p: int, q: int) -> None:
    def look(engine: bc.Engine, stop: bc.Stop) -> SlackHistory:
        return slack_history(engine, p, q, HISTORY_POINTS, HISTORY_SECONDS, stop)

    history = found.find("the slack over time", (p, q), look)
    if history is None:
        show_work(found)
        return
    st.plotly_chart(
        plot_slack_history(history, current.run.position),
        key="edge-history",
        config=picture_of(current, "slack"),
        height=320,
        alt="Mean and largest slack over the events of the run",
    )
    st.caption(
        "Mean and largest slack over all states, computed at the events marked. The vertical line: the event shown."
    )
    if not history.complete:
        st.caption("Only the beginning: the whole run would take too long.")


@st.fragment
def looks(current: Lab, found: Findings, p: int, q: int, looked: Looked, order: str, chosen: list[Row]) -> None:
    """One of several closer looks; choices in it do not redraw the page."""
    shown = looked.shown
    look = st.segmented_control("Look at", LOOKS, key="edge_look", required=True, label_visibility="collapsed")
    if look == "What if":
        what_if(current, found, p, q, shown, order)
    elif look == "Row anatomy":
        anatomy(current, p, q, looked, chosen)
    elif look == "Slack over time":
        over_time(current, found, p, q)
    else:
        st.plotly_chart(
            plot_slack_histogram(shown),
            key="edge-histogram",
            config=picture_of(current, "histogram"),
            height=320,
            alt="Histogram: number of states by slack",
        )
        st.caption("Number of states by slack; the bar at 0 counts those where the envelope is tight.")


def draw(current: Lab, p: int, looked: Looked, order: str, chosen: list[Row]) -> None:
    """The message; a click on a state selects it."""
    shown = looked.shown
    names = [current.partition.describe(p, int(y)) for y in shown.shown]
    key = f"edge-message-{current.number}-{current.run.arc}"
    members = labels([current.mrf.names[i] for i in current.partition.groups[p]])
    listed = markdown(", ".join(members[:MOST_LISTED]) + ", …" * (len(members) > MOST_LISTED))

    def clicked() -> None:
        point = clicked_point(key)
        if point is not None:
            state = int(shown.shown[min(int(point["x"]), len(shown.shown) - 1)])
            st.session_state.edge_clicked = (current.number, current.run.arc), state

    st.plotly_chart(
        plot_message(shown, names, order, chosen),
        key=key,
        config=picture_of(current, order),
        on_select=clicked,
        selection_mode="points",
        height=340,
        alt=f"The min-marginal and the envelope below it over {len(shown.shown)} states",
    )
    st.caption(
        f"{looked.moment.capitalize()}: the true min-marginal ν and below it the envelope "
        f"ν⁻ of {len(looked.uses)} rows. Shaded: slack, on average {number(float(shown.slack.mean()))}. Squares: no "
        f"slack, {100 * shown.tight.mean():.3g} % of the states. A state lists the values of {listed}."
    )
