"""A partition as drawings and as a list."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bender_core.groups import Partition, coupled_groups
from bender_core.visualization.figures import MOST_EDGES, MOST_EDGES_BELOW, plot_model, plot_partition
from pages._shared.app.clicks import clicked_point
from pages._shared.app.naming import file_name, picture
from pages._shared.app.session import Lab
from pages._shared.app.text import label, paragraphs
from pages._shared.partition.table import pick
from pages._shared.partitioning.cached import group_places, owners, variable_places

# The most variables or groups in one figure, and edited by hand; more could not be distinguished.
MOST_DRAWN = 1000
MOST_GROUPS_LISTED = 200
PICTURE_HEIGHT = 430


def draw_groups(current: Lab, part: Partition, model: str) -> None:
    """The hyper-graph; a click picks a group by its first variable."""
    if len(part) > MOST_DRAWN:
        st.caption(f"{len(part):,} groups are too many to draw (more than {MOST_DRAWN:,}).")
        return

    def clicked() -> None:
        point = clicked_point("hypergraph")
        if point is not None:
            pick(part, int(part.groups[point["point_index"]][0]))

    variable = st.session_state.move_variable
    picked = None if variable is None else int(part.group_of()[variable])
    st.plotly_chart(
        plot_partition(current.mrf, part, picked, group_places(model, owners(part), current.mrf, part)),
        height=PICTURE_HEIGHT,
        config=picture_of(current, part, "groups"),
        key="hypergraph",
        alt=f"{len(part)} groups, coupled groups joined by lines; the tab Groups lists them",
        on_select=clicked,
        selection_mode="points",
    )
    coupled = len(coupled_groups(current.mrf, part))
    few = f" {MOST_EDGES:,} of {coupled:,} lines are drawn." * (coupled > MOST_EDGES)
    st.caption(
        "Circles are groups (<dfn data-term='hyper-variable'>hyper-variables</dfn>), larger with more members; lines "
        f"join coupled groups (<dfn data-term='hyper-edge'>hyper-edges</dfn>). Click a group to edit it.{few}",
        unsafe_allow_html=True,
    )


def picture_of(current: Lab, part: Partition, what: str) -> dict[str, Any]:
    """The file name of a drawing of the draft."""
    return picture(file_name(current.mrf.name, f"M{st.session_state.partition_size}", part.strategy, what))


def draw_variables(current: Lab, part: Partition, model: str) -> None:
    """The variables with the groups as hulls; a click picks a variable."""
    if current.mrf.n > MOST_DRAWN:
        st.caption(f"{current.mrf.n:,} variables are too many to draw (more than {MOST_DRAWN:,}).")
        return

    def clicked() -> None:
        point = clicked_point("variables")
        if point is not None:
            pick(part, point["point_index"])

    st.plotly_chart(
        plot_model(current.mrf, part, st.session_state.move_variable, variable_places(model, current.mrf)),
        height=PICTURE_HEIGHT,
        config=picture_of(current, part, "variables"),
        key="variables",
        alt=f"{current.mrf.n} variables, those of a group in one colour; the tab Groups lists them",
        on_select=clicked,
        selection_mode="points",
    )
    few = f" The {MOST_EDGES_BELOW} strongest couplings are drawn." * (current.mrf.n_edges > MOST_EDGES_BELOW)
    st.caption(f"Circles are variables, coloured, shaped and outlined by group. Click one to edit its group.{few}")


def list_groups(current: Lab, part: Partition) -> None:
    listed = list(zip(part.labels, part.groups, strict=True))[:MOST_GROUPS_LISTED]
    with st.container(height=PICTURE_HEIGHT, border=False):
        paragraphs(f"{label(name)}: {', '.join(label(current.mrf.names[i]) for i in group)}" for name, group in listed)
        if len(part) > len(listed):
            st.caption(f"… and {len(part) - len(listed):,} more groups")
