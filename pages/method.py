"""Method: each formula with its code and the page that shows it; notation, misprints, glossary."""

from __future__ import annotations

import textwrap
from functools import partial

import streamlit as st

from pages._shared.app.compiling import tell_progress
from pages._shared.app.glossary import GLOSSARY, in_markdown
from pages._shared.app.session import has_lab
from pages._shared.app.tabs import tabs
from pages._shared.method.formulas import FORMULAS, MISPRINTS, NOTATION, Formula, source


def formula(step: Formula) -> None:
    """One formula, its explanation, its code, and a link to the page that shows it."""
    st.markdown(f"### {step.title}\n\n$$\n{step.latex}\n$$\n\n{step.words}", unsafe_allow_html=True)
    line, text = source(step.file, step.function)
    # Code is sent when it is looked at: colouring it takes a browser long.
    title = f"Code: {step.file}, line {line}, {step.function}"
    code = st.expander(title, key=f"code-{step.function}", on_change="rerun")
    if code.open:
        code.code(textwrap.dedent(text), language="python")
    st.page_link(f"pages/{step.page}.py", label=f"{step.page.capitalize()}: {step.seen} →")


def formulas(chapter: str) -> None:
    """The formulas of a chapter."""
    for step in FORMULAS[chapter]:
        formula(step)


def notation() -> None:
    """What each symbol means, and its name in the code."""
    lines = "\n".join(f"| ${symbol}$ | {meaning} | `{name}` |" for symbol, meaning, name in NOTATION)
    st.markdown(f"| symbol | meaning | in the code |\n|---|---|---|\n{lines}")


def misprints() -> None:
    """What the paper has and what we take it to mean."""
    st.markdown("\n".join(f"- **{where}.** {mended}" for where, mended in MISPRINTS))


def glossary() -> None:
    """All terms and where they are seen."""
    terms = "\n".join(in_markdown(f"**<dfn>{name}</dfn>**", term) for name, term in GLOSSARY.items())
    st.markdown(f"| term | symbol | meaning | where it is seen |\n|---|---|---|---|\n{terms}", unsafe_allow_html=True)


st.markdown(
    "What the engine computes, step by step, after Yarkony and Wang, *Accelerating Message Passing for MAP with "
    "Benders Decomposition*; our additions are marked as such."
)
tabs(
    "method_view",
    {
        **{chapter: partial(formulas, chapter) for chapter in FORMULAS},
        "Notation": notation,
        "Misprints of the paper": misprints,
        "Glossary": glossary,
    },
)
if not has_lab():
    tell_progress("All of this page is here; the others follow")
