"""Method: each formula with its symbols, numbers, code, and the page that shows it; notation, misprints, glossary."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from functools import partial

import streamlit as st

from pages._shared.app.address import state
from pages._shared.app.compiling import tell_progress
from pages._shared.app.glossary import GLOSSARY, in_markdown
from pages._shared.app.session import has_lab
from pages._shared.app.tabs import tabs
from pages._shared.app.text import markdown
from pages._shared.method.choosing import VIEW, addressed, choose
from pages._shared.method.formulas import FORMULAS, MISPRINTS, Formula, source
from pages._shared.method.live import numbers
from pages._shared.method.notation import NOTATION, Symbol, symbols_of
from pages._shared.method.numbers import Numbers


def symbols(chosen: Iterable[Symbol], known: Numbers, named: bool = False) -> str:
    """A table of symbols: their meaning, with their names in the code where they are asked for, and their values."""
    lines = "\n".join(
        f"| ${each.latex}$ | {each.meaning}{f' `{each.name}`' * named} | {markdown(known.values.get(each.latex, ''))} |"
        for each in chosen
    )
    return f"| symbol | meaning{', and name in the code' * named} | here |\n|---|---|---|\n{lines}"


def formula(step: Formula, known: Numbers) -> None:
    """One formula, its symbols, the same with numbers, its code, and a link to the page that shows it."""
    left, right = st.container(key=f"formula-{step.function}").columns(2, gap="large")
    left.markdown(f"### {step.title}\n\n$$\n{step.latex}\n$$\n\n{step.words}", unsafe_allow_html=True)
    if step.title in known.examples:
        left.markdown(f"In numbers:\n\n$$\n{known.examples[step.title]}\n$$")
    line, text = source(step.file, step.function)
    with right:
        st.markdown(symbols(symbols_of(step.latex), known))
        # Code is sent when it is looked at: colouring it takes a browser long.
        title = f"Code: {step.file}, line {line}, {step.function}"
        code = st.expander(title, key=f"code-{step.function}", on_change="rerun")
        if code.open:
            code.code(textwrap.dedent(text), language="python")
        st.page_link(f"pages/{step.page}.py", label=f"{step.page.capitalize()}: {step.seen} →")


def formulas(chapter: str) -> None:
    """The formulas of a chapter."""
    known = numbers(chapter)
    for step in FORMULAS[chapter]:
        formula(step, known)


def notation() -> None:
    """All symbols."""
    known = numbers("Notation")
    st.container(key="notation").markdown(symbols(NOTATION, known, named=True))


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
choose()
tabs(
    VIEW,
    {
        **{chapter: partial(formulas, chapter) for chapter in FORMULAS},
        "Notation": notation,
        "Misprints of the paper": misprints,
        "Glossary": glossary,
    },
)
state(addressed())
if not has_lab():
    tell_progress("The numbers of other messages and runs follow")
