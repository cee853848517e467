"""Where models come from: samples, files, texts, and generators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

import bender_core as bc
from bender_core import synth
from bender_core.io import FORMATS, default_limit, load_evidence, observed
from bender_core.strategies import default_strategy
from bender_core.visualization.figures import model_svg
from pages._shared.app.arrival import open_instead
from pages._shared.app.fields import SAMPLE, UPLOAD
from pages._shared.app.next_run import Choice, NextRun
from pages._shared.app.permalink import Origin, made_by
from pages._shared.app.session import (
    Lab,
    begin_next,
    first_rules,
    has_lab,
    lab,
    model,
    next_run,
    sample,
    sample_names,
    show_next,
)
from pages._shared.app.text import complaint, markdown
from pages._shared.app.uploads import uploads
from pages._shared.partitioning.applying import show_making
from pages._shared.running.kept import Kept

EXAMPLE = "Three vertices, two edges, to be cut (rudy):\n3 2\n1 2 5\n2 3 -1"

MAXIMISE = "Maximise the objective"
WHEN = "For files that are meant to be maximised but do not say so, like those of OR-Library and MQLib."
# Why the last requested model could not be opened.
ERROR = Kept[str]("instance_error")


@st.cache_data(show_spinner=False, max_entries=32)
def thumbnail(name: str) -> str:
    """The thumbnail of a sample."""
    return model_svg(sample(name))


def take(mrf: bc.BinaryMRF, origin: Origin) -> None:
    """Make a model the session's current one, as soon as its run is made; if it cannot be run, the old one stays."""
    ERROR.set("")
    if not has_lab():
        open_instead(origin)
        return
    current = lab()
    size, variant, schedule = first_rules(current)
    begin_next(current, Choice(mrf, origin, size, default_strategy(mrf), variant, schedule))


# Formats whose files may have several models.
SEVERAL = {form.name for form in FORMATS if form.has_several}


def arriving() -> None:
    """A model that is being made the current one, with its progress and Stop; or why it or a file was refused."""
    current = lab() if has_lab() else None
    following = None if current is None else next_run(current)
    if current is not None and following is not None and following.choice.mrf is not current.mrf:
        if following.alive:
            show_making(following)
        elif show_next(current):
            st.rerun()
        elif following.refusal:
            _refused(current, following)
    if error := ERROR.get():
        complaint(error)


def _refused(current: Lab, following: NextRun) -> None:
    """Why a run cannot be made, and the nearest M with which it can."""
    complaint(following.refusal)
    if following.fits:
        smaller = following.choice._replace(max_size=following.fits)
        st.button(f"Take M = {following.fits}", on_click=begin_next, args=(current, smaller))


def samples() -> None:
    origin = lab().origin if has_lab() else None
    for name in sample_names():
        mrf, is_current = sample(name), SAMPLE.say(name) == origin
        # Few elements, as a browser takes milliseconds for each.
        with st.container(border=True):
            image, words = st.columns([3, 8], vertical_alignment="center")
            image.image(thumbnail(name), alt=f"The graph of {name}")
            title = f"**{markdown(name)}** · {mrf.n} variables, {mrf.n_edges} edges"
            words.markdown(f"{title}  \n{markdown(mrf.description)}")
            words.button(
                "Loaded" if is_current else "Load",
                key=f"load-{name}",
                on_click=take,
                args=(mrf, SAMPLE.say(name)),
                disabled=is_current,
            )


def largest_upload() -> int:
    """The upload limit in megabytes: the smaller of the library's and the server's."""
    return max(min(int(default_limit() / 1e6), int(st.get_option("server.maxUploadSize"))), 1)


def uploader(title: str, key: str, on_change: Callable[[], None]) -> None:
    """A field for one file, and the reason why a file was refused, which only the browser knows."""
    limit = largest_upload()
    with st.container(key=f"{key}_field"):
        st.file_uploader(title, max_upload_size=limit, key=key, on_change=on_change, label_visibility="collapsed")
        st.html(
            f"<div class='complaint refused'>The file was not uploaded: the limit is {limit} MB. Upload a "
            "smaller file, or raise BENDER_MAX_UPLOAD_MB and server.maxUploadSize on the server.</div>"
        )


def upload() -> None:
    formats = ", ".join(form.title for form in FORMATS)
    st.caption(f"Plain, gzip or xz, at most {largest_upload()} MB, recognised by content: {formats}.")
    uploader("A model file", "upload", _uploaded)
    st.selectbox(
        "Format of the uploaded file",
        [None, *(form.name for form in FORMATS)],
        format_func=format_title,
        key="uploaded_format",
        on_change=_uploaded,
    )
    if st.session_state.uploaded_format in SEVERAL:
        st.number_input("Which model of the file", 1, key="uploaded_which", on_change=_uploaded)
    st.toggle(MAXIMISE, key="uploaded_maximize", on_change=_uploaded, help=WHEN)
    # A form: outside one, leaving the text field reruns the page and moves the button away under the press.
    with st.expander("Paste a model as text"), st.form("paste", border=False):
        st.text_area("Text of a model", key="pasted", height=180, label_visibility="collapsed", placeholder=EXAMPLE)
        choice, action = st.columns([3, 1], vertical_alignment="bottom")
        choice.selectbox(
            "Format", [None, *(form.name for form in FORMATS)], format_func=format_title, key="pasted_format"
        )
        action.form_submit_button("Read it", on_click=_pasted, width="stretch")
        st.toggle(MAXIMISE, key="pasted_maximize", help=WHEN)
    with st.expander("Evidence: observed values"):
        st.caption("A UAI evidence file for the current model. It fixes the observed variables.")
        uploader("An evidence file", "evidence", _observed)


def format_title(name: str | None) -> str:
    return "recognise by content" if name is None else next(form.title for form in FORMATS if form.name == name)


def _uploaded() -> None:
    file = st.session_state.upload
    if file is None:
        ERROR.set("")
        return
    form, maximize = st.session_state.get("uploaded_format"), st.session_state.get("uploaded_maximize", False)
    if form in SEVERAL:
        form = f"{form}:{st.session_state.get('uploaded_which', 1)}"
    read(file.name, lambda: bc.load(file.getvalue(), name=file.name, format=form, maximize=maximize))


def _pasted() -> None:
    text, form, maximize = (st.session_state[f"pasted{part}"] for part in ("", "_format", "_maximize"))
    read("The text", lambda: bc.load(text.encode(), name="pasted", format=form, maximize=maximize))


def _observed() -> None:
    file = st.session_state.evidence
    if file is None:
        return

    def condition() -> bc.BinaryMRF:
        mrf = model()
        evidence = load_evidence(file.getvalue(), mrf.n)
        return replace(observed(mrf, evidence), name=f"{mrf.name}, {len(evidence)} observed")

    read(file.name, condition)


def read(what: str, get: Callable[[], bc.BinaryMRF]) -> None:
    """Load an uploaded model; if it cannot be read, say why in one sentence and keep the old one."""
    try:
        mrf = get()
    except (bc.FormatError, bc.ModelError) as error:
        ERROR.set(f"{what}: {error}. The current model is unchanged.")
        return
    take(mrf, UPLOAD.say(uploads().keep(mrf)))


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
    # Read here, not when the button was drawn: a field may change with the same click that presses the button.
    parameters = synth.FAMILIES[family].parameters
    values = {parameter.name: st.session_state[_key(family, parameter)] for parameter in parameters}
    try:
        mrf = synth.generate(family, **values)
    except bc.ModelError as error:
        ERROR.set(str(error))
        return
    take(mrf, made_by(family, values))
