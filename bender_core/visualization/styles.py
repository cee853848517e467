"""The styles of groups and runs in all figures; those of runs are the paper's (its Table 1)."""

from __future__ import annotations

from typing import NamedTuple

from bender_core.variants import VARIANTS, Variant

# Okabe-Ito colours: adjacent groups are distinguishable for the colour-blind.
GROUP_COLOURS = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#F0E442", "#999999")


class Style(NamedTuple):
    """The look of a variant.

    Attributes
    ----------
    colour : str
    symbol : str
        As Plotly names it: "circle-open" stands for the paper's o, "x-thin-open" for its x.
    dash : str
        "solid" or "dot", as Plotly names them.
    """

    colour: str
    symbol: str
    dash: str


# The paper's red, green, blue, magenta and cyan, in Okabe-Ito shades distinguishable for the colour-blind.
_BY_ALPHA = {
    (1.0,): "#D55E00",
    (0.0,): "#009E73",
    (0.5,): "#0072B2",
    (): "#CC79A7",
    (1.0, 0.0, 0.5): "#56B4E9",
}
# Not in the paper: styles of the baseline and of our variant 12.
_BASELINE = Style("#7F7F7F", "square-open", "solid")
_PRUNING = Style("#E69F00", "diamond-open", "dash")


def _style(variant: Variant) -> Style:
    if variant.exact:
        return _BASELINE if variant.enumerated else _PRUNING
    if variant.everywhere:
        return Style(_BY_ALPHA[variant.alphas], "x-thin-open", "dot")
    return Style(_BY_ALPHA[variant.alphas], "circle-open", "solid")


STYLES: dict[int, Style] = {number: _style(variant) for number, variant in VARIANTS.items()}
