"""What a person takes away from a run: its trace, its labelling, and a script that does it once more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from bender_core.io import dump_labeling, dumps
from bender_core.script import as_script
from pages._shared.permalink import Origin, values_of
from pages._shared.session import Lab, lab

MODEL = "model.mrf.json"


@dataclass(frozen=True)
class Saved:
    """The files of a run at one moment."""

    number: int  # of the run
    position: int
    files: Mapping[str, tuple[str, str | bytes]]  # by name: what it is, and what is in it


@st.fragment
def saving() -> None:
    """Below the stage: files of the run as it is shown, made when somebody asks for them."""
    current, state = lab(), st.session_state
    with st.expander("Save this run"):
        st.caption("The trace so far, the best labelling, and a script that does the run once more.")
        if st.button("Make the files"):
            if current.run.busy:
                st.info("The run is going on in the background. Stop it, or wait for its end.")
                return
            state.saved = saved(current)
        kept: Saved | None = state.get("saved")
        if kept is None or kept.number != current.number:
            return
        st.caption(f"As of event {kept.position:,}:")
        with st.container(horizontal=True):
            for name, (what, content) in kept.files.items():
                st.download_button(what, content, file_name=name, key=f"save-{name}")


def saved(current: Lab) -> Saved:
    """The files of the run at the event that is shown."""
    engine, mrf = current.run.engine, current.mrf
    engine.seek(current.run.position)
    labeling, trace = engine.labeling, engine.trace.until(current.run.position)
    files: dict[str, tuple[str, str | bytes]] = {
        "trace.csv": ("Trace, CSV", trace.to_csv()),
        "trace.parquet": ("Trace, Parquet", trace.to_parquet()),
        "trace.json": ("Trace, JSON", trace.to_json()),
        "labeling.csv": ("Labelling, CSV", dump_labeling(mrf, labeling, "csv")),
        "labeling.json": ("Labelling, JSON", dump_labeling(mrf, labeling, "json")),
        "labeling.MPE": ("Labelling, UAI", dump_labeling(mrf, labeling, "mpe")),
        "run.py": ("Script, Python", as_script(engine, expression(current.origin), current.max_size)),
    }
    if not current.origin:
        files[MODEL] = ("Model, for the script", dumps(mrf))
    return Saved(current.number, current.run.position, files)


def expression(origin: Origin) -> str:
    """What makes the model, in Python."""
    if "sample" in origin:
        path = f"sample_instances/{origin['sample']}.mrf.json"
        return f"bc.load({path!r})"
    if "make" in origin:
        values = "".join(f", {name}={value!r}" for name, value in values_of(origin).items())
        return f"synth.generate({origin['make']!r}{values})"
    return f"bc.load({MODEL!r})"
