"""The frame of every page: its style, and its name."""

from __future__ import annotations

import inspect
from html import escape

import pandas  # noqa: F401  # Streamlit loads it for the first table: then it would come too late to be left alone
import PIL.ImageFile  # noqa: F401  # Streamlit loads it for the icon of the first page
import streamlit as st

import bender_core.visualization.study  # noqa: F401  # everything that draws, for the same reason
from bender_core.visualization.styles import PALETTE
from pages._shared.app.frontend import MARKS
from pages._shared.app.session import model
from pages._shared.app.text import SHORT, inert, label
from pages._shared.running.garbage import collect_seldom
from pages._shared.running.visits import attend

# For the first element, Streamlit asks where its callers are, and Python then finds the files of all modules: better
# now than while somebody waits.
inspect.getmodule(inspect.currentframe())

# The pages that are about the model that is open.
_OF_THE_MODEL = ("Instance", "Partition", "Watch", "Cycles", "Edge", "Compare")
# Those whose picture names it in sight, and takes the whole window.
_PICTURES = ("Watch", "Cycles")

# By the width of the window.
TYPE_SIZE = "html { font-size: clamp(16px, calc(16px + (100vw - 1280px) / 140), 20.6px) !important; }"

_CSS = """<style>
  /* Large windows are far away: on a projector nothing is smaller than 18 pixels. */
  TYPE_SIZE
  /* Figures too; their second rule is for where Plotly measures texts. */
  :is(.main-svg, #js-plotly-tester) text { font-size: 0.875rem !important; }
  .main-svg :is([class$="tick"] text, text:is([class$="tick"], [class$="title"], .annotation-text)) {
    fill: light-dark(#4a5560, #d5dce3) !important; }
  .stMainBlockContainer { padding: 4.2rem 1.6rem 0.6rem; max-width: 110rem; }
  h1.page { margin: 0; padding: 0; font-size: 1.25rem; }
  h1.page span { font-weight: 400; }
  /* A picture names the model in sight. */
  .stElementContainer:has(> .stHtml > h1.heard) {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  /* Contrast: captions are too pale by default, and so is white on the light blue of the dark theme. */
  [data-testid="stCaptionContainer"] { color: inherit; opacity: 0.8; }
  button[kind="primary"]:enabled, [data-tag] { color: light-dark(#fff, #0b1a26); }
  button[kind="primary"]:enabled p, [data-tag] span { color: inherit; }
  /* Formulas fit here; a region that scrolls by two pixels would add a keyboard stop. */
  @media (min-width: 700px) { .katex-display { overflow: visible !important; } }
  /* Names of any length are truncated, with the full name as a tip; long texts scroll in a box. */
  .cut { overflow: hidden; text-overflow: ellipsis; overflow-wrap: anywhere; }
  .cut.two { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
  .boxed { max-height: 11rem; overflow-y: auto; overflow-wrap: anywhere; }
  .complaint { border-left: 4px solid #D55E00; background: rgba(213, 94, 0, 0.12); padding: 0.6rem 0.9rem;
    border-radius: 0.3rem; }
  /* Only the browser knows why a file was not uploaded: it marks the file's chip. */
  .stHtml:has(> .refused) { display: none; }
  :has(> .stElementContainer [data-testid="stFileChip"][aria-invalid="true"]) .stHtml:has(> .refused) {
    display: block; }
  /* All pills are in sight. */
  .stButtonGroup [role="toolbar"] { flex-wrap: wrap; }
  table.plain { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  table.plain th, table.plain td { padding: 0.25rem 0.8rem; text-align: right;
    border-bottom: 1px solid rgba(128, 128, 128, 0.35); font-weight: 400; }
  table.plain th { font-weight: 600; }
  /* The symbols of a formula are beside it where there is room for both. */
  [class*="st-key-formula-"] .stColumn { min-width: min(100%, 34rem); }
  [class*="st-key-formula-"] { margin-top: 1rem; }
  :is([class*="st-key-formula-"], .st-key-notation) table { font-size: 0.875rem;
    code { font-size: 1em; } :is(th, td) { padding: 0.1rem 0.5rem; } }
  /* Many columns are set closer. */
  table.plain:has(th:nth-child(9)) { font-size: 0.875rem;
    td { white-space: nowrap; } th, td { padding-inline: 0.45rem; } }
  table.plain th:first-child, table.plain td:first-child { text-align: left; }
  /* It comes and goes without moving the page. */
  .st-key-compiling { position: fixed; inset: auto 0 0 0; z-index: 99; background: light-dark(#F2F5F8, #1D2630); }
  .st-key-compiling [role="progressbar"] { height: 3px; background: light-dark(#CBD2D9, #3A4653); }
  .st-key-compiling i { display: block; height: 100%; background: light-dark(#0072B2, #56B4E9);
    transition: width 0.5s; }
  .st-key-compiling p { margin: 0; padding: 0.15rem 1.6rem 0.2rem; font-size: 0.875rem; line-height: 1.3; }
  .stMainBlockContainer:has(.st-key-compiling) { padding-bottom: 2.5rem; }
  :root:has(.st-key-compiling) { --compiling: 1.8rem; }
  :is(.st-key-address_bar, .st-key-loaded_ahead, .st-key-loaded_pictures, .st-key-loaded_terms),
  [data-testid="stLayoutWrapper"]:has(> .st-key-loaded_terms) {
    position: absolute; width: 1px; height: 1px; }
  /* A notice about what an address has replaced is above the page, and the stage leaves room for it. */
  .st-key-address_bar[data-offers] { position: static; width: auto; height: auto; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-address_bar[data-offers]) { order: -1; }
  :root:has(.st-key-address_bar[data-offers]) { --offered: 3.6rem; }
  /* So is the notice about choices that are not applied. */
  .st-key-not_applied p { margin: 0; }
  :root:has(.st-key-not_applied) { --not-applied: 3.6rem; }
  :root:has(.st-key-notice) { --notice: 3.8rem; }
  /* Lecture mode: large type, and nothing but the page. */
  :root[data-lecture] { font-size: clamp(16px, min(1.42vw, 2.53vh), 56px) !important; }
  :root[data-lecture] :is([data-testid="stHeader"], [data-testid="stSidebar"], .st-key-below_stage) { display: none; }
  :root[data-lecture] .stMainBlockContainer { padding-top: 0.6rem; }
  :root[data-blank]::after { content: ""; position: fixed; inset: 0; z-index: 1000000; background: #000; }
  /* Keyboard focus is visible; text fields show it by their frames. */
  :is(a, button, summary, [role="tab"]):focus-visible {
    outline: 2px solid light-dark(#0072B2, #56B4E9) !important; outline-offset: 2px; }
  [role="tab"]:focus-visible { outline-offset: -2px; }
  /* The page never scrolls sideways: wide content scrolls in a box, and long words break. */
  .stHtml:has(> table.plain), .stMarkdown :has(> table) { overflow-x: auto; }
  .stHtml, .stMarkdown { overflow-wrap: break-word; }
  /* What a finger presses is at least 44 pixels high and wide; signs are surrounded by as much. */
  @media (pointer: coarse) {
    /* Plotly's own would always lie over the legend. */
    .modebar { display: none !important; }
    :is(.stButton, .stDownloadButton, .stButtonGroup, .stNumberInput, .stSegmentedControl, .stPills) button,
    .stPageLink a, .stSidebarNavLink, [data-testid="stSidebarNavLink"], [data-testid="stTab"], .stNumberInput input,
    .stExpander summary, :is(.stSelectbox, .stTextInput) :is(input, button) { min-height: 2.75rem; min-width: 2.75rem; }
    :is(.stTooltipIcon, .stMultiSelect, header) button, [data-testid^="stTabsScroll"] { position: relative; }
    :is(.stTooltipIcon, .stMultiSelect, header) button::after, [data-testid^="stTabsScroll"]::after {
      content: ""; position: absolute; inset: -1.2rem; }
    .stMultiSelect [data-tag] { min-height: 2.75rem; } }
  @media (max-width: 1100px) {
    /* Buttons and numbers are side by side as long as their words fit. */
    .stColumn:has(> .stVerticalBlock > .stElementContainer:only-child > :is(.stButton, .stMetric)) {
      min-width: max-content; }
  }
  @media (max-width: 640px) {
    .stMainBlockContainer { padding-inline: 1rem; }
    .katex-display > .katex { white-space: normal; }
    :is(table.plain, .stMarkdown table) :is(th, td) { padding: 0.25rem 0.3rem; }
    .stButtonGroup [role="radiogroup"] { flex-wrap: wrap; }
    .stPageLink a p { white-space: normal; overflow: visible; }
    .st-key-compiling p { padding-inline: 1rem; }
    :root:has(.st-key-compiling) { --compiling: 3.6rem; }
    /* Drawings with a legend next to them, and several beside each other. */
    :is(.st-key-multiples, .st-key-model) { overflow-x: auto; }
    .st-key-multiples > * { min-width: 44rem; }
    /* Results are above what they are of. */
    .stColumn:has(.st-key-results) { order: -1; }
    .st-key-model > * { min-width: 22rem; }
  }
  @media (prefers-reduced-motion: reduce) {
    /* Not none: some Streamlit elements wait for the end of an animation. */
    *, ::before, ::after { animation-duration: 1ms !important; animation-iteration-count: 1 !important;
      transition-duration: 1ms !important; transition-delay: 0s !important; scroll-behavior: auto !important; }
  }
</style>"""


def _nu() -> str:
    """Figures do not know their page: on it ν is as dark, or as light, as on the stage."""
    known = PALETTE["figure"]["nu"]
    drawn = f"rgb({', '.join(str(int(known[k : k + 2], 16)) for k in (1, 3, 5))})"
    shown = f"light-dark({PALETTE['light']['nu']}, {PALETTE['dark']['nu']})"
    return f".main-svg :is(path.point, .scatterpts)[style*='fill: {drawn}'] {{ fill: {shown} !important; }}"


_STYLE = _CSS.replace("TYPE_SIZE", TYPE_SIZE).replace("</style>", f"{_nu()}{MARKS}</style>")


def frame() -> None:
    """Prepare a page."""
    collect_seldom()
    attend()
    st.html(_STYLE)


def entitle(page: str) -> None:
    """Name a page, and the model that it is about, in the browser's tab and in a heading."""
    name = model().name if page in _OF_THE_MODEL else ""
    st.set_page_config(page_title=" · ".join(filter(None, (page, label(name, SHORT), "Bender Lab"))))
    named, kind = escape(inert(name)), "page heard" if page in _PICTURES else "page cut"
    st.html(f"<h1 class='{kind}' title='{named}'>{page} <span dir='auto'>{named}</span></h1>")
