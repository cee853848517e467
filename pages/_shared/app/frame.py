"""What every page stands in: the compiled solver, and margins that leave the room to the content."""

from __future__ import annotations

import gc

import pandas  # noqa: F401  # Streamlit loads it for the first table: then it would come too late to be left alone
import streamlit as st

import bender_core as bc
import bender_core.visualization.study  # all that draws, for the same reason
from pages._shared.app.visits import attend

_CSS = """<style>
  .stMainBlockContainer { padding: 4.2rem 1.6rem 0.6rem; max-width: 110rem; }
  /* Readable for everybody: captions are too pale by default, and white on the light blue of the dark theme too. */
  [data-testid="stCaptionContainer"] { color: inherit; opacity: 0.8; }
  button[kind="primary"]:enabled, [data-tag] { color: light-dark(#fff, #0b1a26); }
  button[kind="primary"]:enabled p, [data-tag] span { color: inherit; }
  /* Formulas fit here; a region that scrolls by two pixels would be one more stop for the keyboard. */
  @media (min-width: 700px) { .katex-display { overflow: visible !important; } }
  /* Names of any length: cut where their room ends, the whole of them as a tip; texts in a box of their own. */
  .cut { overflow: hidden; text-overflow: ellipsis; overflow-wrap: anywhere; }
  .cut.two { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
  .boxed { max-height: 11rem; overflow-y: auto; overflow-wrap: anywhere; }
  .complaint { border-left: 4px solid #D55E00; background: rgba(213, 94, 0, 0.12); padding: 0.6rem 0.9rem;
    border-radius: 0.3rem; }
  /* Why a file was not uploaded, the browser alone knows: its chip is marked. */
  .stHtml:has(> .refused) { display: none; }
  :has(> .stElementContainer [data-testid="stFileChip"][aria-invalid="true"]) .stHtml:has(> .refused) {
    display: block; }
  table.plain { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  table.plain th, table.plain td { padding: 0.25rem 0.8rem; text-align: right;
    border-bottom: 1px solid rgba(128, 128, 128, 0.35); font-weight: 400; }
  table.plain th { font-weight: 600; }
  table.plain th:first-child, table.plain td:first-child { text-align: left; }
  .st-key-fetched_ahead { position: absolute; width: 1px; height: 1px; overflow: hidden; visibility: hidden; }
  /* Who goes by keys sees where; fields of text tell it by their frames. */
  :is(a, button, summary, [role="tab"]):focus-visible {
    outline: 2px solid light-dark(#0072B2, #56B4E9) !important; outline-offset: 2px; }
  [role="tab"]:focus-visible { outline-offset: -2px; }
  /* The page never scrolls sideways: what is too wide for it, and long words, stay in a box of their own. */
  .stHtml:has(> table.plain), .stMarkdown :has(> table) { overflow-x: auto; }
  .stHtml, .stMarkdown { overflow-wrap: break-word; }
  @media (max-width: 1100px) {
    /* Buttons and numbers stand side by side as long as there is room for their words. */
    .stColumn:has(> .stVerticalBlock > .stElementContainer:only-child > :is(.stButton, .stMetric)) {
      min-width: max-content; }
  }
  @media (max-width: 640px) {
    .stMainBlockContainer { padding-inline: 1rem; }
    :is(table.plain, .stMarkdown table) :is(th, td) { padding: 0.25rem 0.3rem; }
    .stButtonGroup [role="radiogroup"] { flex-wrap: wrap; }
    .stPageLink a p { white-space: normal; overflow: visible; }
    /* Drawings with a legend at their side. */
    :is(.st-key-times, .st-key-model) { overflow-x: auto; }
    .st-key-times > * { min-width: 30rem; }
    .st-key-model > * { min-width: 22rem; }
  }
  @media (prefers-reduced-motion: reduce) {
    /* Not none: some of Streamlit's parts wait for the end of a movement. */
    *, ::before, ::after { animation-duration: 1ms !important; animation-iteration-count: 1 !important;
      transition-duration: 1ms !important; transition-delay: 0s !important; scroll-behavior: auto !important; }
  }
</style>"""


@st.cache_resource(show_spinner="Compiling the solver, first time only (about a minute)…")
def _warm() -> bool:
    bc.warm_up()
    # Streamlit collects garbage after every run of a page. Numba alone keeps enough objects for this to take longer
    # than all else; what is there by now stays anyway, and need not be looked through each time.
    gc.collect()
    gc.freeze()
    return True


def frame() -> None:
    """Prepare a page."""
    attend()
    _warm()
    st.html(_CSS)
