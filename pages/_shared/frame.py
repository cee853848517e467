"""What every page stands in: the compiled solver, and margins that leave the room to the content."""

from __future__ import annotations

import gc

import pandas  # noqa: F401  # Streamlit loads it for the first table: then it would come too late to be left alone
import streamlit as st

import bender_core as bc
import bender_core.visualization.study  # all that draws, for the same reason

_CSS = """<style>
  .stMainBlockContainer { padding: 4.2rem 1.6rem 0.6rem; max-width: 110rem; }
  /* Readable for everybody: captions are too pale by default, and white on the light blue of the dark theme too. */
  [data-testid="stCaptionContainer"] { color: inherit; opacity: 0.8; }
  button[kind="primary"]:enabled, [data-tag] { color: light-dark(#fff, #0b1a26); }
  button[kind="primary"]:enabled p, [data-tag] span { color: inherit; }
  /* Formulas fit here; a region that scrolls by two pixels would be one more stop for the keyboard. */
  @media (min-width: 700px) { .katex-display { overflow: visible !important; } }
  .complaint { border-left: 4px solid #D55E00; background: rgba(213, 94, 0, 0.12); padding: 0.6rem 0.9rem;
    border-radius: 0.3rem; }
  table.plain { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  table.plain th, table.plain td { padding: 0.25rem 0.8rem; text-align: right;
    border-bottom: 1px solid rgba(128, 128, 128, 0.35); font-weight: 400; }
  table.plain th { font-weight: 600; }
  table.plain th:first-child, table.plain td:first-child { text-align: left; }
.st-key-fetched_ahead { position: absolute; width: 1px; height: 1px; overflow: hidden; visibility: hidden; }
</style>"""


@st.cache_resource(show_spinner="Compiling the solver, first time only (about a minute)…")
def _warm() -> bool:
    bc.warm_up()
    # Streamlit collects garbage after every run of a page. Numba alone keeps so many objects that this took longer than
    # all else; what is there by now stays anyway, and need not be looked through each time.
    gc.collect()
    gc.freeze()
    return True


def frame() -> None:
    """Prepare a page."""
    _warm()
    st.html(_CSS)
