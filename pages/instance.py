"""Instance: pick, upload or make a model, and see what it is."""

from __future__ import annotations

import streamlit as st

import bender_core as bc
from bender_core import synth
from bender_core.explain import number
from bender_core.normal_form import unary_shifts
from bender_core.statistics import Statistics, statistics
from bender_core.visualization.figures import model_svg, plot_couplings, plot_model
from pages._shared.permalink import Origin, made_by
from pages._shared.routing import through_app
from pages._shared.session import lab, sample, sample_names
from pages._shared.text import complaint, heading, paragraph, table

LARGEST_PICTURE = 2000


@st.cache_data(show_spinner=False, max_entries=32)
def picture(name: str) -> str:
    """The thumbnail of a sample."""
    return model_svg(sample(name))


@st.cache_data(show_spinner=False, max_entries=16)
def _statistics(content: str, _mrf: bc.BinaryMRF) -> Statistics:
    return statistics(_mrf)


def take(mrf: bc.BinaryMRF, origin: Origin) -> None:
    """Make a model the session's own; if it cannot be run as it is, say so and keep the old one."""
    try:
        lab().load(mrf, origin)
    except (bc.TooLargeError, bc.PartitionError) as error:
        st.session_state.instance_error = str(error)
    else:
        st.session_state.instance_error = ""


def samples() -> None:
    for name in sample_names():
        mrf = sample(name)
        with st.container(border=True):
            image, words = st.columns([3, 8], vertical_alignment="center")
            image.image(picture(name))
            with words:
                title, action = st.columns([3, 1], vertical_alignment="center")
                title.markdown(f"**{name}** · {mrf.n} variables, {mrf.n_edges} edges")
                action.button("Load", key=f"load-{name}", on_click=take, args=(mrf, {"sample": name}), width="stretch")
                paragraph(mrf.description)


def upload() -> None:
    st.caption("Native `.mrf.json` or UAI `MARKOV`, plain or gzip; recognised by content. At most 20 MB.")
    st.file_uploader("A model file", key="upload", on_change=_uploaded, label_visibility="collapsed")


def _uploaded() -> None:
    file = st.session_state.upload
    if file is None:
        st.session_state.instance_error = ""
        return
    try:
        mrf = bc.load(file.getvalue(), name=file.name)
    except bc.FormatError as error:
        st.session_state.instance_error = f"{file.name}: {error}. The model you had is still here."
        return
    take(mrf, {})


def make() -> None:
    chosen = st.selectbox("Family", list(synth.FAMILIES), format_func=lambda key: synth.FAMILIES[key].title)
    family = synth.FAMILIES[chosen]
    st.caption(family.shows)
    for parameter in family.parameters:
        _field(chosen, parameter)
    st.button("Make it", type="primary", on_click=_made, args=(chosen,))


def _key(family: str, parameter: synth.Parameter) -> str:
    return f"make-{family}-{parameter.name}"


def _field(family: str, parameter: synth.Parameter) -> None:
    key, default = _key(family, parameter), parameter.default
    if isinstance(default, bool):
        st.toggle(parameter.label, default, key=key)
    elif isinstance(default, str):
        st.selectbox(parameter.label, parameter.choices, parameter.choices.index(default), key=key)
    elif isinstance(default, int):
        st.number_input(parameter.label, int(parameter.low), int(parameter.high), default, key=key)
    else:
        st.number_input(parameter.label, float(parameter.low), float(parameter.high), default, key=key)


def _made(family: str) -> None:
    # Read here, not when the button was drawn: a field may change and the button be pressed in one go.
    parameters = synth.FAMILIES[family].parameters
    values = {parameter.name: st.session_state[_key(family, parameter)] for parameter in parameters}
    try:
        mrf = synth.generate(family, **values)
    except bc.ModelError as error:
        st.session_state.instance_error = str(error)
        return
    take(mrf, made_by(family, values))


def conversion(mrf: bc.BinaryMRF) -> None:
    """The normal form of one edge: the table before, what is left of it, and where the rest went."""
    if not mrf.n_edges:
        st.caption("This model has no edges to convert.")
        return
    chosen = st.number_input(f"Edge (1 to {mrf.n_edges})", 1, mrf.n_edges, 1)
    e = int(chosen) - 1
    i, j = (mrf.names[v] for v in mrf.edges[e])
    before = mrf.pairwise[e]
    form = bc.to_normal_form(mrf)
    (shift_i,), (shift_j,) = unary_shifts(before[None])
    after = form.pairwise()[e]
    rows = []
    for a in (0, 1):
        for b in (0, 1):
            total = after[a, b] + shift_i[a] + shift_j[b]
            cells = (before[a, b], after[a, b], shift_i[a], shift_j[b], total)
            rows.append([f"{a} {b}", *map(number, cells)])
    table(["states", "table before", "table after", f"moved to {i}", f"moved to {j}", "sum after"], rows)
    kind = "attractive: only (1, 1) pays" if form.entry[e, 1] == 1 else "repulsive: only (1, 0) pays"
    st.caption(f"{kind}. The first and the last column agree, so no labelling changes its energy.")


def present(mrf: bc.BinaryMRF) -> None:
    """The model as it is."""
    heading(mrf.name)
    paragraph(mrf.description)
    facts = _statistics(mrf.content_hash(), mrf)
    for column, (label, value) in zip(
        st.columns(5),
        (
            ("variables", facts.n),
            ("edges", facts.n_edges),
            ("mean degree", f"{facts.mean_degree:.1f}"),
            ("independent cycles", facts.cycles),
            ("of them frustrated", facts.frustrated),
        ),
        strict=True,
    ):
        column.metric(label, value)
    if mrf.hard_entries:
        st.caption(
            f"{mrf.hard_entries} table entries forbid a state; each became a penalty larger than all other energies."
        )
    drawing, histogram, form = st.tabs(["Drawing", "Couplings", "Normal form"])
    with drawing:
        if mrf.n <= LARGEST_PICTURE:
            st.plotly_chart(plot_model(mrf), height=430, key="model")
            st.caption("Circles are variables, coloured by what x = 1 costs; lines are couplings, dotted if repulsive.")
        else:
            st.caption(f"Too many variables to draw (more than {LARGEST_PICTURE}).")
    with histogram:
        st.plotly_chart(plot_couplings(mrf), height=430, key="couplings")
        st.caption("How many edges have which coupling w; negative ones favour equal values.")
    with form:
        conversion(mrf)
    if mrf.source:
        with st.expander("Source"):
            paragraph(mrf.source)


through_app()
pick, show = st.columns([5, 7], gap="large")
with pick:
    if st.session_state.get("instance_error"):
        complaint(st.session_state.instance_error)
    gallery, file, family = st.tabs(["Samples", "Upload", "Make one"])
    with gallery, st.container(height=620, border=False):
        samples()
    with file:
        upload()
    with family:
        make()
with show:
    present(lab().mrf)
    st.page_link("pages/partition.py", label="Cut it into hyper-variables →")
