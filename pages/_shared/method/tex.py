"""Numbers in text and in formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bender_core.looking.words import number

# The terms of a sum that are written, and the numbers of which one is the least; the others are dots.
MOST, CLOSEST = 4, 2
DOTS = r"\dots"


def rounded(value: float) -> str:
    """A number to four digits, as text."""
    return number(value, 4)


def tex(value: float) -> str:
    """The same in a formula."""
    text = rounded(value).replace("−", "-")
    return re.sub(r"e([+-])0*(\d+)", lambda found: rf" \cdot 10^{{{found[1].strip('+')}{found[2]}}}", text)


def plus(*values: float) -> str:
    """A sum with its signs."""
    first, *more = values
    return " ".join([tex(first), *(f"- {tex(-value)}" if value < 0 else f"+ {tex(value)}" for value in more)])


def total(values: Sequence[float]) -> str:
    """A sum, of its first terms if there are many."""
    if len(values) <= MOST:
        return plus(*values)
    return rf"{plus(*values[: MOST - 1])} + \dots"


def extreme(name: str, values: Sequence[float]) -> str:
    """The least or the largest of some numbers, with those that come closest."""
    ordered = sorted(values, reverse=name == "max")
    shown = [*map(tex, ordered[:CLOSEST]), *[DOTS] * (len(values) > CLOSEST)]
    return rf"\{name}\{{{', '.join(shown)}\}}"


def under(value: str, symbol: str) -> str:
    """A number with the symbol whose value it is."""
    return rf"\underbrace{{{value}}}_{{{symbol}}}"


def lines(text: str) -> str:
    """Lines below each other, aligned where each has its ``&``."""
    body = " \\\\\n".join(text.splitlines())
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
