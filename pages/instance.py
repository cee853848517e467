"""Instance: choose, upload or generate a model, and inspect it."""

from __future__ import annotations

import streamlit as st

from pages._shared.app.compiling import tell_progress
from pages._shared.app.session import has_lab, model
from pages._shared.instance.presented import present
from pages._shared.instance.sources import arriving, make, samples, upload

pick, show = st.columns([5, 7], gap="large")
with pick:
    # Always present, so that the tabs below keep their identity and selection when a complaint appears or goes.
    with st.container():
        arriving()
    gallery, file, family = st.tabs(["Samples", "Upload", "Generate"])
    with gallery, st.container(height=620, border=False):
        samples()
    with file:
        upload()
    with family:
        make()
with show:
    present(model())
    st.page_link("pages/partition.py", label="Partition it into hyper-variables →")
if not has_lab():
    tell_progress("Statistics of the model, and its run, follow")
