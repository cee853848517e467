"""The colours and dashes of all figures; those of runs are the paper's (its Table 1).

``palette.json`` says which colour a quantity has: on a light page, on a dark one, and in figures that do not know their
page, whose marks keep a contrast of 3 to both.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from bender_core.kernels.layout import RowKind
from bender_core.variants import VARIANTS, Variant

PALETTE: dict[str, Any] = json.loads((Path(__file__).parent / "palette.json").read_text(encoding="utf-8"))
COLOURS: dict[str, str] = PALETTE["figure"]
# Okabe-Ito colours: adjacent groups are distinguishable for the colour-blind.
GROUP_COLOURS = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#F0E442", "#999999")


def tinted(colour: str, opacity: float) -> str:
    """A colour for areas that let what is below them show."""
    return f"rgba({', '.join(str(int(colour[k : k + 2], 16)) for k in (1, 3, 5))}, {opacity})"


# The areas between a min-marginal and its envelope, and between the bounds.
SLACK_AREA, GAP_AREA = tinted(COLOURS["slack"], 0.22), tinted(COLOURS["ub"], 0.15)


class RowLook(NamedTuple):
    """The look of a kind of row.

    Attributes
    ----------
    name : str
    colour : str
    dash : str
        As Plotly takes it: "solid", or lengths in pixels.
    """

    name: str
    colour: str
    dash: str


def _cut(kind: RowKind) -> RowLook:
    row = PALETTE["rows"][kind]
    dash = ",".join(f"{length}px" for length in row["dash"])
    return RowLook(row["name"], COLOURS[f"row-{kind:d}"], dash or "solid")


ROW_LOOKS: dict[RowKind, RowLook] = {kind: _cut(kind) for kind in RowKind}


class Style(NamedTuple):
    """The look of a variant, or of a method.

    Attributes
    ----------
    colour : str
    symbol : str
        As Plotly names it: "circle-open" stands for the paper's o, "x-thin-open" for its x.
    dash : str
        "solid", "dot" or "dash", as Plotly names them.
    """

    colour: str
    symbol: str
    dash: str


# The paper's magenta, green, blue and red are those of the kinds of row; its cyan stands for all three values of alpha.
_BY_ALPHA = {
    (): ROW_LOOKS[RowKind.RMC].colour,
    (0.0,): ROW_LOOKS[RowKind.MWC_0].colour,
    (0.5,): ROW_LOOKS[RowKind.MWC_HALF].colour,
    (1.0,): ROW_LOOKS[RowKind.MWC_1].colour,
    (1.0, 0.0, 0.5): COLOURS["all-kinds"],
}
# Not in the paper: styles of the baseline and of our variant 12.
_BASELINE = Style(COLOURS["exact"], "square-open", "solid")
_PRUNING = Style(COLOURS["pruned"], "diamond-open", "dash")


def _style(variant: Variant) -> Style:
    if variant.exact:
        return _BASELINE if variant.enumerated else _PRUNING
    if variant.everywhere:
        return Style(_BY_ALPHA[variant.alphas], "x-thin-open", "dot")
    return Style(_BY_ALPHA[variant.alphas], "circle-open", "solid")


# Of lines of runs, pixels: one for every M. More lines than these cannot be told apart.
LINE_WIDTHS, MOST_LINES = (2.2, 3.4, 1.4, 4.6), 24
# Proofs have one colour, and a dash for what they rest on.
OF_METHODS = {
    "proof": Style(COLOURS["other-row"], "diamond-open", "solid"),
    "proof by groups": Style(COLOURS["other-row"], "diamond-open", "dot"),
    "proof by cycles": Style(COLOURS["other-row"], "diamond-open", "dash"),
    "cycles": Style(COLOURS["cycles"], "square-open", "solid"),
    "mplp-cp": Style(COLOURS["mplp-cp"], "square-open", "dash"),
    "mplp": Style(COLOURS["exact"], "square-open", "dot"),
    "trw-s": Style(COLOURS["exact"], "square-open", "dash"),
    "highs": Style(COLOURS["rival-1"], "x-thin-open", "solid"),
    "toulbar2": Style(COLOURS["rival-2"], "x-thin-open", "solid"),
    "annealing": Style(COLOURS["rival-3"], "circle-open", "dash"),
    "tabu": Style(COLOURS["rival-3"], "circle-open", "dot"),
}
STYLES: dict[int, Style] = {number: _style(variant) for number, variant in VARIANTS.items()}
