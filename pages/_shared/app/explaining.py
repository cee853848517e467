"""Terms that explain themselves wherever they stand: the code behind all marks of a page, and the table they show.

A mark is ``<dfn>`` in HTML: its text is the name or the symbol of a term, or its attribute ``data-term`` is. The
attribute alone also marks parts of a picture.
"""

from __future__ import annotations

import streamlit as st

from pages._shared.app.frontend import FRONTEND, Component
from pages._shared.app.glossary import GLOSSARY, Term


def _explained(term: Term) -> dict[str, str]:
    """What a tab knows of a term: its symbol, its meaning, and the source of its picture."""
    file = FRONTEND / "terms" / f"{term.picture}.svg"
    return {
        "symbol": term.symbol,
        "meaning": term.meaning,
        "picture": file.read_text(encoding="utf-8") if term.picture else "",
    }


_component = Component("terms", glossary={name: _explained(term) for name, term in GLOSSARY.items()})


def explain_terms() -> None:
    """Let the marks of this page explain themselves."""
    with st.container(key="loaded_terms"):
        _component.mount({})
