"""Method: each formula with its code and the page that shows it; notation, misprints, glossary."""

from __future__ import annotations

import textwrap

import streamlit as st

from pages._shared.app.compiling import tell_progress
from pages._shared.app.glossary import GLOSSARY, in_markdown
from pages._shared.app.session import has_lab
from pages._shared.method.formulas import FORMULAS, MISPRINTS, NOTATION, Formula, source


def formula(step: Formula) -> None:
    """One formula, its explanation, its code, and a link to the page that shows it."""
    st.subheader(step.title)
    st.latex(step.latex)
    st.markdown(step.words, unsafe_allow_html=True)
    line, text = source(step.file, step.function)
    with st.expander(f"Code: {step.file}, line {line}, {step.function}"):
        st.code(textwrap.dedent(text), language="python")
    st.page_link(f"pages/{step.page}.py", label=f"{step.page.capitalize()}: {step.seen} →")


def show() -> None:
    """The page."""
    st.markdown(
        "What the engine computes, step by step, after Yarkony and Wang, *Accelerating Message Passing for MAP with "
        "Benders Decomposition*; our additions are marked as such."
    )
    formulas, notation, misprints, words = st.tabs(["Formulas", "Notation", "Misprints of the paper", "Glossary"])
    with formulas:
        for step in FORMULAS:
            formula(step)
    with notation:
        lines = "\n".join(f"| ${symbol}$ | {meaning} | `{name}` |" for symbol, meaning, name in NOTATION)
        st.markdown(f"| symbol | meaning | in the code |\n|---|---|---|\n{lines}")
    with misprints:
        st.markdown("\n".join(f"- **{where}.** {mended}" for where, mended in MISPRINTS))
    with words:
        terms = "\n".join(in_markdown(f"**<dfn>{name}</dfn>**", term) for name, term in GLOSSARY.items())
        st.markdown(
            f"| term | symbol | meaning | where it is seen |\n|---|---|---|---|\n{terms}", unsafe_allow_html=True
        )


show()
if not has_lab():
    tell_progress("All of this page is here; the others follow")
