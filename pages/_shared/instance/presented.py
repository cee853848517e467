"""A model as the page presents it: statistics, drawing, objective and files."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

import bender_core as bc
from bender_core.io import FORMATS, dumps, without_unheld_constant
from bender_core.looking.words import number
from bender_core.statistics import Statistics, statistics
from bender_core.visualization.figures import MOST_EDGES, plot_couplings, plot_model
from pages._shared.app.glossary import GLOSSARY
from pages._shared.app.naming import file_name, file_of, picture
from pages._shared.app.session import has_lab
from pages._shared.app.tabs import tabs
from pages._shared.app.text import MEDIUM, SHORT, complaint, heading, label, paragraph, table
from pages._shared.instance.sources import format_title

LARGEST_PICTURE = 2000
# Coefficients that differ by a larger factor suffer from rounding.
WIDEST_RANGE = 1e12
# Every run of the page writes the file.
LARGEST_DOWNLOAD = 30_000
UNKNOWN = "…"


@st.cache_data(show_spinner=False, max_entries=16)
def _statistics(content: str, _mrf: bc.BinaryMRF) -> Statistics:
    return statistics(_mrf)


def drawing(mrf: bc.BinaryMRF) -> None:
    """The variables and their couplings."""
    if mrf.n > LARGEST_PICTURE:
        st.caption(f"Too many variables to draw (more than {LARGEST_PICTURE}).")
        return
    couplings = int(np.count_nonzero(mrf.coupling()))
    st.plotly_chart(
        plot_model(mrf),
        height=430,
        config=picture(file_name(mrf.name, "model")),
        key="model",
        alt=f"{mrf.n} variables and {couplings} couplings between them",
    )
    few = f" The {MOST_EDGES:,} strongest of {couplings:,} are drawn." * (couplings > MOST_EDGES)
    st.caption(
        "Circles: variables, coloured by the cost of x = 1. Lines: "
        f"<dfn data-term='coupling'>couplings</dfn>, dotted if repulsive.{few}",
        unsafe_allow_html=True,
    )


def histogram(mrf: bc.BinaryMRF) -> None:
    """How often each coupling occurs."""
    st.plotly_chart(
        plot_couplings(mrf),
        height=430,
        config=picture(file_name(mrf.name, "couplings")),
        key="couplings",
        alt="Histogram: number of edges by coupling",
    )
    st.caption(
        "Number of edges by <dfn>coupling</dfn> w; negative couplings favour equal values.", unsafe_allow_html=True
    )


def conversion(mrf: bc.BinaryMRF) -> None:
    """One edge in normal form: its table before and after, and the terms moved to the variables."""
    if not mrf.n_edges:
        st.caption("This model has no edges to convert.")
        return
    chosen = st.number_input(f"Edge (1 to {mrf.n_edges})", 1, mrf.n_edges, 1)
    e = int(chosen) - 1
    i, j = (label(mrf.names[v], SHORT) for v in mrf.edges[e])
    before = mrf.pairwise[e]
    form = bc.to_normal_form(mrf)
    after = form.pairwise()[e]
    shift_j = before[0]  # the first row is then zero
    shift_i = (0.0, before[1, 0] - after[1, 0] - shift_j[0])
    rows = []
    for a in (0, 1):
        for b in (0, 1):
            total = after[a, b] + shift_i[a] + shift_j[b]
            cells = (before[a, b], after[a, b], shift_i[a], shift_j[b], total)
            rows.append([f"{a} {b}", *map(number, cells)])
    table(["states", "table before", "table after", f"moved to {i}", f"moved to {j}", "sum after"], rows)
    kind = "Attractive: only (1, 1) is not 0" if form.entry[e, 1] == 1 else "Repulsive: only (1, 0) is not 0"
    kind = kind if after.any() else "No coupling: the whole table moves to the variables"
    st.caption(f"{kind}. “table before” and “sum after” agree: every labelling keeps its energy.")


def terms(mrf: bc.BinaryMRF) -> None:
    """The objective of the model's source, where it is not the energy of bits."""
    objective = mrf.objective
    if objective == bc.Objective():
        return
    aim = "minimises" if objective.sense == "min" else "maximises"
    sign = {1.0: "energy", -1.0: "−energy"}.get(objective.scale, f"{number(objective.scale)} · energy")
    offset = f" + {number(objective.offset)}" if objective.offset else ""
    spins = "; its variables are spins, 2x − 1" if objective.domain == "spins" else ""
    paragraph(f"The source {aim} its {label(objective.name, MEDIUM)} = {sign}{offset}{spins}.")


def save(mrf: bc.BinaryMRF) -> None:
    """Save the model in any writable format."""
    writable = {form.name: form for form in FORMATS if form.write is not None}
    form = writable[
        st.selectbox("Format of the file", list(writable), format_func=lambda name: writable[name].title, key="save_as")
    ]
    if mrf.n + mrf.n_edges > LARGEST_DOWNLOAD:
        st.caption("Too large to write here; use the command line: python -m bender_core convert.")
        return
    try:
        constant = form.unheld_constant(mrf)
        bare = without_unheld_constant(mrf, form.name)
        data, changed = dumps(bare, form.name), form.rounding(bare)
    except bc.FormatError as error:
        complaint(error)
        return
    if constant:
        st.caption(f"This format has no place for the constant {number(constant)}; it is left out.")
    st.download_button("Save the model", data, file_name=file_of(mrf, form.endings[0]), mime="application/octet-stream")
    if form.loses:
        bound = " The bound is lost, too." if mrf.bound < math.inf else ""
        st.caption(f"This format cannot store {form.loses}.{bound}")
    if changed:
        st.caption(f"Numbers are rounded; no energy changes by more than {changed:.2g}.")


def amounts(mrf: bc.BinaryMRF, facts: Statistics | None) -> None:
    """The size of a model, and its statistics once they are known."""
    shown: dict[str, int | str] = {"variables": mrf.n}
    if facts is None:
        shown |= dict.fromkeys(("edges", "mean degree", "independent cycles", "frustrated"), UNKNOWN)
    else:
        shown |= {"edges": facts.n_edges, "mean degree": f"{facts.mean_degree:.1f}"}
        shown |= {"independent cycles": facts.cycles, "frustrated": facts.frustrated}
    for column, (what, value) in zip(st.columns(5), shown.items(), strict=True):
        column.metric(what, value, help=GLOSSARY["frustrated"].meaning if "frustrated" in what else None)


def present(mrf: bc.BinaryMRF) -> None:
    """Show the model."""
    heading(mrf.name)
    paragraph(mrf.description)
    # Cycles are counted by compiled code.
    facts = _statistics(mrf.content_hash(), mrf) if has_lab() else None
    amounts(mrf, facts)
    if mrf.hard_entries:
        st.caption(
            f"{mrf.hard_entries} table entries forbid a state; each becomes a penalty larger than all other energies."
        )
    if mrf.bound < math.inf:
        st.caption(f"A labelling of energy {number(mrf.bound)} or more is no solution.")
    if mrf.readings:
        taken, *others = (format_title(name) for name in mrf.readings)
        st.caption(
            f"Read as {taken}; the file also fits {', '.join(others)}. To read it differently, choose its format."
        )
    for note in mrf.notes:
        paragraph(f"{note[0].upper()}{note[1:]}.")
    if facts is not None and facts.range > WIDEST_RANGE:
        st.caption(f"Energies span a factor of {facts.range:.0e}: the smallest may be lost in rounding.")
    terms(mrf)
    views = {
        "Drawing": lambda: drawing(mrf),
        "Couplings": lambda: histogram(mrf),
        "Normal form": lambda: conversion(mrf),
        "Save": lambda: save(mrf),
    }
    tabs("model_view", views)
    if mrf.source:
        with st.expander("Source"):
            paragraph(mrf.source)
