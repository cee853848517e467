"""Instance: pick, upload or make a model, and see what it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

import bender_core as bc
from bender_core import synth
from bender_core.io import FORMATS, default_limit, dumps, load_evidence, without_unheld_constant
from bender_core.normal_form import unary_shifts
from bender_core.run.explain import number
from bender_core.statistics import Statistics, statistics
from bender_core.visualization.figures import model_svg, plot_couplings, plot_model
from pages._shared.glossary import GLOSSARY
from pages._shared.naming import file_name, file_of, picture
from pages._shared.permalink import Origin, made_by
from pages._shared.routing import through_app
from pages._shared.session import lab, sample, sample_names
from pages._shared.text import MEDIUM, SHORT, complaint, heading, label, markdown, paragraph, table

LARGEST_PICTURE = 2000
# Coefficients that differ by more are at the mercy of rounding.
WIDEST_RANGE = 1e12
# Every visit of the page writes the file anew.
LARGEST_DOWNLOAD = 30_000
EXAMPLE = "Three vertices, two edges, to be cut (rudy):\n3 2\n1 2 5\n2 3 -1"


@st.cache_data(show_spinner=False, max_entries=32)
def thumbnail(name: str) -> str:
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
            image.image(thumbnail(name), alt=f"The graph of {name}")
            with words:
                title, action = st.columns([3, 1], vertical_alignment="center")
                title.markdown(f"**{markdown(name)}** · {mrf.n} variables, {mrf.n_edges} edges")
                action.button("Load", key=f"load-{name}", on_click=take, args=(mrf, {"sample": name}), width="stretch")
                paragraph(mrf.description)


def largest_upload() -> int:
    """Megabytes that a file may have: as the library has it, and as the server takes it."""
    return max(min(int(default_limit() / 1e6), int(st.get_option("server.maxUploadSize"))), 1)


def uploader(title: str, key: str, on_change: Callable[[], None]) -> None:
    """A field for one file, and below it why none was taken, which the browser knows and the server does not."""
    limit = largest_upload()
    with st.container(key=f"{key}_field"):
        st.file_uploader(title, max_upload_size=limit, key=key, on_change=on_change, label_visibility="collapsed")
        st.html(
            f"<div class='complaint refused'>The file was not uploaded: the limit is {limit} MB. Give a smaller file, "
            "or raise BENDER_MAX_UPLOAD_MB and server.maxUploadSize on the server.</div>"
        )


def upload() -> None:
    formats = ", ".join(form.title for form in FORMATS)
    st.caption(f"Plain or gzip, at most {largest_upload()} MB, recognised by content: {formats}.")
    uploader("A model file", "upload", _uploaded)
    st.selectbox(
        "Format of the uploaded file",
        [None, *(form.name for form in FORMATS)],
        format_func=_format_title,
        key="uploaded_format",
        on_change=_uploaded,
    )
    # As a form: outside of one, leaving the text runs the page, and the button moves away under the press.
    with st.expander("Paste a model as text"), st.form("paste", border=False):
        st.text_area("Text of a model", key="pasted", height=180, label_visibility="collapsed", placeholder=EXAMPLE)
        choice, action = st.columns([3, 1], vertical_alignment="bottom")
        choice.selectbox(
            "Format", [None, *(form.name for form in FORMATS)], format_func=_format_title, key="pasted_format"
        )
        action.form_submit_button("Read it", on_click=_pasted, width="stretch")
    with st.expander("Evidence: some values are known"):
        st.caption("A UAI evidence file for the model you have now. What was observed becomes fixed.")
        uploader("An evidence file", "evidence", _observed)


def _format_title(name: str | None) -> str:
    return "the content tells" if name is None else next(form.title for form in FORMATS if form.name == name)


def _uploaded() -> None:
    file = st.session_state.upload
    if file is None:
        st.session_state.instance_error = ""
        return
    form = st.session_state.get("uploaded_format")
    read(file.name, lambda: bc.load(file.getvalue(), name=file.name, format=form))


def _pasted() -> None:
    text, form = st.session_state.pasted, st.session_state.pasted_format
    read("The text", lambda: bc.load(text.encode(), name="pasted", format=form))


def _observed() -> None:
    file = st.session_state.evidence
    if file is None:
        return

    def condition() -> bc.BinaryMRF:
        mrf = lab().mrf
        evidence = load_evidence(file.getvalue(), mrf.n)
        return replace(mrf.condition(evidence), name=f"{mrf.name}, {len(evidence)} observed")

    read(file.name, condition)


def read(what: str, get: Callable[[], bc.BinaryMRF]) -> None:
    """Take the model that somebody brings; if it is none, say so in one sentence and keep the old one."""
    try:
        mrf = get()
    except (bc.FormatError, bc.ModelError) as error:
        st.session_state.instance_error = f"{what}: {error}. The model you had is still here."
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
    i, j = (label(mrf.names[v], SHORT) for v in mrf.edges[e])
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


def terms(mrf: bc.BinaryMRF) -> None:
    """What the source of the model optimises, where that is not the energy of bits."""
    objective = mrf.objective
    if objective == bc.Objective():
        return
    aim = "minimises" if objective.sense == "min" else "maximises"
    sign = {1.0: "energy", -1.0: "−energy"}.get(objective.scale, f"{number(objective.scale)} · energy")
    offset = f" + {number(objective.offset)}" if objective.offset else ""
    spins = "; its variables are spins, 2x − 1" if objective.domain == "spins" else ""
    paragraph(f"The source {aim} its {label(objective.name, MEDIUM)} = {sign}{offset}{spins}.")


def save(mrf: bc.BinaryMRF) -> None:
    """The model as a file of any format that is written."""
    writable = {form.name: form for form in FORMATS if form.write is not None}
    form = writable[
        st.selectbox("Format of the file", list(writable), format_func=lambda name: writable[name].title, key="save_as")
    ]
    if mrf.n + mrf.n_edges > LARGEST_DOWNLOAD:
        st.caption("Too large to be written here; use the command line: python -m bender_core convert.")
        return
    constant = form.unheld_constant(mrf)
    if constant:
        st.caption(f"This format has no place for the constant {number(constant)}; it is left out.")
    try:
        data = dumps(without_unheld_constant(mrf, form.name), form.name)
    except bc.FormatError as error:
        complaint(error)
        return
    st.download_button("Save the model", data, file_name=file_of(mrf, form.endings[0]), mime="application/octet-stream")
    if form.loses:
        st.caption(f"Not kept, for want of a place: {form.loses}.")


def present(mrf: bc.BinaryMRF) -> None:
    """The model as it is."""
    heading(mrf.name)
    paragraph(mrf.description)
    facts = _statistics(mrf.content_hash(), mrf)
    for column, (what, value) in zip(
        st.columns(5),
        (
            ("variables", facts.n),
            ("edges", facts.n_edges),
            ("mean degree", f"{facts.mean_degree:.1f}"),
            ("independent cycles", facts.cycles),
            ("frustrated", facts.frustrated),
        ),
        strict=True,
    ):
        column.metric(what, value, help=GLOSSARY["frustrated"] if "frustrated" in what else None)
    if mrf.hard_entries:
        st.caption(
            f"{mrf.hard_entries} table entries forbid a state; each became a penalty larger than all other energies."
        )
    if mrf.readings:
        taken, *others = (_format_title(name) for name in mrf.readings)
        st.caption(
            f"Read as {taken}; the file fits {', '.join(others)} too. Choose its format to have it read otherwise."
        )
    if facts.range > WIDEST_RANGE:
        st.caption(f"Energies differ in size by {facts.range:.0e}: expect the small ones to be lost in rounding.")
    terms(mrf)
    drawing, histogram, form, file = st.tabs(["Drawing", "Couplings", "Normal form", "Save"])
    with drawing:
        if mrf.n <= LARGEST_PICTURE:
            st.plotly_chart(
                plot_model(mrf),
                height=430,
                config=picture(file_name(mrf.name, "model")),
                key="model",
                alt=f"{facts.n} variables and {facts.n_edges} couplings between them",
            )
            st.caption("Circles are variables, coloured by what x = 1 costs; lines are couplings, dotted if repulsive.")
        else:
            st.caption(f"Too many variables to draw (more than {LARGEST_PICTURE}).")
    with histogram:
        st.plotly_chart(
            plot_couplings(mrf),
            height=430,
            config=picture(file_name(mrf.name, "couplings")),
            key="couplings",
            alt="How many edges have which coupling",
        )
        st.caption("How many edges have which coupling w; negative ones favour equal values.")
    with form:
        conversion(mrf)
    with file:
        save(mrf)
    if mrf.source:
        with st.expander("Source"):
            paragraph(mrf.source)


through_app()
pick, show = st.columns([5, 7], gap="large")
with pick:
    # Always there, so that the tabs below stay the same ones, open where they were, when a complaint comes or goes.
    with st.container():
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
