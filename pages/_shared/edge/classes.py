"""The classes of a message: which are drawn, in which order, and which one is selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bender_core.looking.classes import Classes, bits_of
from bender_core.looking.words import number
from bender_core.visualization.message import MOST, ORDERS, Stems, plot_classes, stems
from pages._shared.app.address import from_address
from pages._shared.app.address import state as state_address
from pages._shared.app.clicks import clicked_point
from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import ARC, CLASS, ORDER
from pages._shared.app.naming import picture, run_file
from pages._shared.app.requests import EDGE
from pages._shared.app.session import Lab
from pages._shared.app.text import complaint, labels, markdown
from pages._shared.edge.message import MessageView
from pages._shared.running.kept import Kept

# Names of variables in the caption of a message, and characters of a name beside the figure.
MOST_LISTED, SHORTEST = 8, 16


# The selected class, by the run and the message.
_CHOSEN = Kept[dict[tuple[int, int], int]]("edge_chosen")


def recall(current: Lab) -> None:
    """Take the order and the class from the address, once or when another page requests them.

    Choices then last as long as the session."""
    run = current.run
    if EDGE.get() is False:
        return
    EDGE.set(False)
    st.session_state.edge_order = from_address(ORDER, "cost")
    chosen = _CHOSEN.made(dict)
    try:
        bits = class_of(st.query_params, len(run.engine.graph.active_members(run.arc)))
    except LinkError as error:
        complaint(error.sentence)
        return
    if bits:
        chosen[current.number, run.arc] = sum(bit << k for k, bit in enumerate(bits))
    else:
        chosen.pop((current.number, run.arc), None)


def class_of(fields: Mapping[str, str], coupled: int) -> tuple[int, ...]:
    """The class that a link shows, of a message with some coupled members; empty if it names none.

    Raises
    ------
    LinkError
        If it is no class of that message.
    """
    why = f"; a class of this message has {coupled} values, each 0 or 1"
    bits = CLASS.of(fields, (), why)
    if bits and len(bits) != coupled:
        raise CLASS.refusal(CLASS.write(bits), why)
    return bits


def keep(current: Lab, shown: Classes, order: str) -> None:
    """State the order, and the class if one was chosen, in the address."""
    own = ORDER.say(order)
    chosen = _CHOSEN.made(dict).get((current.number, current.run.arc))
    if chosen is not None:
        own |= ARC.say(current.run.arc) | CLASS.say(tuple(bits_of(chosen, len(shown.members)).tolist()))
    state_address(own)


def members_named(
    current: Lab, group: int, members: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int64]]
) -> list[str]:
    """Short names of some members of a group."""
    variables = current.run.engine.partition.groups[group]
    return labels([current.run.engine.mrf.names[variables[k]] for k in members], SHORTEST)


def choose_order() -> str:
    """The order of the classes."""
    order = st.segmented_control(
        "Order of the classes",
        list(ORDERS),
        format_func=ORDERS.__getitem__,
        key="edge_order",
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )
    assert order is not None, "it is in the session, as `recall` says, and one is required"
    return order


def choose_class(current: Lab, shown: Classes, names: list[str], beside: DeltaGenerator) -> int:
    """The selected class: that of y* until another is chosen, by its values or in a figure.

    The button back to y* is in the container ``beside``.
    """
    mine, chosen = (current.number, current.run.arc), _CHOSEN.made(dict)
    key = f"edge-ones-{current.number}-{current.run.arc}"
    selected: int = chosen.get(mine, shown.at_oracle)
    places = range(len(names))
    st.session_state[key] = [k for k in places if selected >> k & 1]

    def pick() -> None:
        chosen[mine] = sum(1 << k for k in st.session_state[key])

    def follow() -> None:
        chosen.pop(mine, None)

    st.pills(
        "The selected class: its members that are 1",
        places,
        selection_mode="multi",
        format_func=lambda k: markdown(names[k]),
        key=key,
        on_change=pick,
    )
    beside.button(
        "Back to y*",
        help="Select the class of y*, the last state of the receiver that the oracle evaluated",
        on_click=follow,
        disabled=mine not in chosen,
    )
    return selected


def choose_stems(current: Lab, shown: Classes, order: str, selected: int) -> Stems:
    """The classes that are drawn: of many, those between two ranks."""
    between = 1, MOST
    if len(shown) > MOST:
        # The higher the ranks, the further apart: the cheapest classes are shown most closely.
        far = np.geomspace(MOST, len(shown), 28).round().astype(int)
        ranks = np.unique([1, 2, 4, 8, 16, 32, *far]).tolist()
        between = st.select_slider(
            "Ranks of the classes drawn",
            ranks,
            value=between,
            format_func=lambda rank: f"{rank:,}",
            key=f"edge-ranks-{current.number}-{current.run.arc}",
            persist_state="session",
        )
    return stems(shown, order, between, [selected, shown.at_oracle])


def draw(current: Lab, view: MessageView, drawn: Stems, names: list[str], selected: int, rows: list[int]) -> None:
    """The classes as stems; a click on one selects it."""
    shown, run = view.shown, current.run
    key = f"edge-message-{current.number}-{run.arc}-{drawn.order}"
    chosen, classes = _CHOSEN.made(dict), drawn.classes

    def clicked() -> None:
        point = clicked_point(key)
        if point is not None:
            chosen[current.number, run.arc] = int(classes[min(int(point["x"]), len(classes) - 1)])

    drawing = plot_classes(shown, drawn, names, selected, rows)
    st.plotly_chart(
        drawing,
        key=key,
        config=picture(run_file(current, f"message-{run.arc}_{drawn.order}")),
        on_select=clicked,
        selection_mode="points",
        height=int(drawing.layout.height),
        alt=f"The min-marginal and the envelope below it for {len(classes)} classes, with the values of their members",
    )
    st.caption(caption_of(current, view, drawn), unsafe_allow_html=True)


def caption_of(current: Lab, view: MessageView, drawn: Stems) -> str:
    """The caption of the figure, in Markdown with marked terms."""
    shown = view.shown
    group = current.run.engine.graph.ends(current.run.arc)[0]
    every = len(current.run.engine.partition.groups[group])
    members = [current.run.engine.mrf.names[current.run.engine.partition.groups[group][k]] for k in shown.members]
    listed = markdown(", ".join(labels(members)[:MOST_LISTED])) + ", …" * (len(members) > MOST_LISTED)
    text = (
        f"{view.moment.capitalize()}: {1 << every:,} states, {len(shown):,} <dfn data-term='class'>classes</dfn>: "
        f"this message depends on {len(members)} of {every} members ({listed}). "
        if shown.idle
        else f"{view.moment.capitalize()}: {1 << every:,} states, each a <dfn>class</dfn> of its own: this message "
        f"depends on {f'all {every} members' if every > 1 else 'its one member'} ({listed}). "
    )
    if not drawn.all:
        text += f"{len(drawn.places)} classes are drawn; the ribbon shows the slack of all: quartiles, extremes. "
    if not shown.rows:
        return text + "Dots: the true <dfn>min-marginal</dfn> ν, which an exact variant sends as it is."
    return text + (
        "Dots: the true <dfn>min-marginal</dfn> ν (the <dfn>oracle</dfn> finds one of them); dashes: the "
        f"<dfn>envelope</dfn> ν⁻ of {len(shown.rows)} rows; between them the <dfn>slack</dfn>, on "
        f"average {number(float(shown.slack.mean()))}. Tight at {100 * shown.tight.mean():.3g} % of the states."
    )
