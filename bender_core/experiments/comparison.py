"""The tables that compare contenders: the same on screen, in the report, and as CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bender_core.experiments.contenders import CLOSED, Contender, Study, Target, first_choice, solves_most
from bender_core.experiments.profiles import CONFIDENCE, QUARTILES, pairs, summaries
from bender_core.units import figures, percent

# Instances of all families together.
ALL = "all"
# The most contenders that are compared with one at first.
MOST_COMPARED = 24
# A smaller p-value is written as less than this.
LEAST_P = 1e-4
# Gaps below this are closed but for rounding.
NO_GAP = 1e-9
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "^": r"\^{}",
    "~": r"\~{}",
    "%": r"\%",
    "_": r"\_",
    "&": r"\&",
    "#": r"\#",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "–": "--",
    "<": "$<$",
}


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    title : str
    values : list
    text : callable
        A value as it is shown; files for programs have the value itself.
    """

    title: str
    values: list[Any]
    text: Callable[[Any], str] = str


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    caption : str
        What it shows.
    columns : sequence of Column
    """

    caption: str
    columns: Sequence[Column]

    @property
    def header(self) -> list[str]:
        """The titles of the columns."""
        return [column.title for column in self.columns]

    @property
    def rows(self) -> list[list[str]]:
        """The rows as they are shown."""
        return [list(row) for row in zip(*(map(each.text, each.values) for each in self.columns), strict=True)]

    def csv(self) -> str:
        """The values as comma-separated text with a header; what there is no number for is empty."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.header)
        for row in zip(*(each.values for each in self.columns), strict=True):
            writer.writerow("" if isinstance(each, float) and not math.isfinite(each) else each for each in row)
        return out.getvalue()

    def latex(self) -> str:
        """The table for a paper, with the lines of the package booktabs; its caption is a comment."""
        lines = [" & ".join(map(_in_latex, cells)) + r" \\" for cells in (self.header, *self.rows)]
        look = "l" + "".join("r" if _are_numbers(column) else "l" for column in self.columns[1:])
        body = [r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"]
        return "\n".join([f"% {self.caption}", rf"\begin{{tabular}}{{{look}}}", *body, r"\end{tabular}", ""])

    def lines(self) -> list[str]:
        """The table as lines of text, below its caption."""
        cells = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        places = [str.rjust if _are_numbers(column) else str.ljust for column in self.columns]
        rows = ["  ".join(p(c, w) for p, c, w in zip(places, row, widths, strict=True)).rstrip() for row in cells]
        return [f"{self.caption}:", *rows]


def contender_table(study: Study, contenders: Sequence[Contender], target: Target) -> Table:
    """How many instances every contender solves and how fast, how the others ended, and the gaps; by family, too."""
    rows = [
        (family, row) for family, part, present in _parts(study, contenders) for row in summaries(part, present, target)
    ]
    endings = list(dict.fromkeys(status for _, row in rows for status in row.unsolved))
    levels = [f"{level:.0%}".replace("%", " %") for level in QUARTILES]
    return Table(
        f"Solved: {target.meaning}; seconds within which a quarter, half and three quarters of all are solved; how the "
        "others ended; and quartiles of the gaps at the end",
        [
            *_families([family for family, _ in rows]),
            Column("contender", [study.labels[row.contender] for _, row in rows]),
            Column("solved", [row.reached for _, row in rows]),
            Column("of", [row.count for _, row in rows]),
            *(
                Column(f"{level}, s", [float(row.seconds[k]) for _, row in rows], figures)
                for k, level in enumerate(levels)
            ),
            *(
                Column(each.replace("limit reached", "limit"), [row.unsolved[each] for _, row in rows], _count)
                for each in endings
            ),
            *(
                Column(f"gap, {level}", [float(row.gaps[k]) for _, row in rows], in_percent)
                for k, level in enumerate(levels)
            ),
        ],
    )


def pair_table(study: Study, contenders: Sequence[Contender], reference: Contender, target: Target) -> Table:
    """`pairs`; by family, too."""
    rows = [
        (family, pair)
        for family, part, present in _parts(study, contenders)
        if reference in present
        for pair in pairs(part, present, reference, target)
    ]
    return Table(
        f"Every contender against {study.labels[reference]}: seconds until {target.meaning}",
        [
            *_families([family for family, _ in rows]),
            Column(f"against {study.labels[reference]}", [study.labels[pair.contender] for _, pair in rows]),
            Column("times faster", [pair.ratio for _, pair in rows], _times),
            Column(f"{CONFIDENCE:.0%} from".replace("%", " %"), [pair.interval[0] for _, pair in rows], _times),
            Column("to", [pair.interval[1] for _, pair in rows], _times),
            Column("wins", [pair.wins for _, pair in rows]),
            Column("ties", [pair.ties for _, pair in rows]),
            Column("losses", [pair.losses for _, pair in rows]),
            Column("p (Holm)", [pair.p for _, pair in rows], _probability),
        ],
    )


def tables(study: Study) -> dict[str, Table]:
    """The tables that a study is exported with, by the names of their files."""
    contenders = list(study.by_contender)
    found = {"contenders": contender_table(study, contenders, CLOSED)} if contenders else {}
    chosen = first_choice(contenders, MOST_COMPARED)
    if len(chosen) > 1:
        found["pairs"] = pair_table(study, chosen, solves_most(study, chosen, CLOSED), CLOSED)
    return found


def in_percent(gap: float) -> str:
    """A gap; 0 if it is closed but for rounding, a dash if there is none."""
    return "0" if gap < NO_GAP else percent(gap)


def _parts(study: Study, contenders: Sequence[Contender]) -> Iterator[tuple[str, Study, list[Contender]]]:
    """All instances, and if there are several families, each of them; with those of the contenders that have run."""
    yield ALL, study, list(contenders)
    if len(study.families) > 1:
        for family in study.families:
            part = study.of(family)
            yield family, part, [each for each in contenders if each in part.by_contender]


def _families(names: list[str]) -> list[Column]:
    return [Column("instances", names)] if len(set(names)) > 1 else []


def _are_numbers(column: Column) -> bool:
    return not any(isinstance(value, str) for value in column.values)


def _in_latex(text: str) -> str:
    return re.sub("|".join(map(re.escape, _LATEX)), lambda found: _LATEX[found[0]], text)


def _times(ratio: float) -> str:
    return f"{figures(ratio)}×" if math.isfinite(ratio) else "–"


def _count(count: int) -> str:
    return str(count) if count else "–"


def _probability(p: float) -> str:
    return f"< {figures(LEAST_P)}" if p < LEAST_P else figures(p, 2)
