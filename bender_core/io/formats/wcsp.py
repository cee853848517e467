"""Weighted constraint networks of toulbar2, ``.wcsp``: costs, minimised; no labelling may cost as much as the bound.

Separated by white space: a name, the number of variables, the largest domain, the number of cost functions, the bound;
the number of values of each variable; then each cost function: arity and variables, a default cost, a number of tuples,
and the tuples with their costs. A negative arity declares a table to be shared; a negative number of tuples ``-k`` uses
the k-th of these. Cost functions given by a keyword are not supported.

Source: docs/formats.md §2.10; https://toulbar2.github.io/toulbar2/formats/wcspformat.html
"""

from __future__ import annotations

import math
import re

from bender_core.io._source import Source, Tokens, shown
from bender_core.io.errors import FormatError
from bender_core.io.formats._costs import LARGEST_ARITY, UNSUPPORTED, Bound, CostFunctions
from bender_core.io.formats._format import Format
from bender_core.io.formats._numbers import Numbers
from bender_core.model import BinaryMRF

TITLE = "wcsp"
_HEAD = re.compile(r"\s*(?P<name>\S+)(\s+\d+){4}\s", re.ASCII)
_KEYWORD = re.compile(r"(?<=\s)-1\s+(?P<word>[A-Za-z<>=!]\S*)")


def recognises(source: Source) -> bool:
    """Whether a word and four whole numbers come first."""
    found = _HEAD.match(source.text)
    return found is not None and re.match(r"[A-Za-z_]", found["name"]) is not None


def parse(source: Source) -> BinaryMRF:
    """Read a wcsp file.

    Raises
    ------
    FormatError
        If counts and content disagree, a variable is not binary, a cost function has more than two variables or is
        given by a keyword, or a cost is negative.
    """
    keyword = _KEYWORD.search(source.text)
    if keyword is not None:
        line = source.text.count("\n", 0, keyword.start("word")) + 1
        raise FormatError(line, f"a cost function is given by the keyword {shown(keyword['word'])}", "give its table")
    # A name may be anything, so nothing in a wcsp file is a comment.
    tokens = Tokens(source.text, comment="$^")
    reader = _Reader(tokens, start=1)
    n, _, m = (reader.count(what) for what in ("variables", "values", "cost functions"))
    top = reader.bound()
    source.require_variables(n, tokens.line(1))
    reader.require_left(n, "variables")
    sizes = [reader.size(i) for i in range(n)]
    reader.require_left(3 * m, "cost functions")
    functions = CostFunctions(sizes)
    most = LARGEST_ARITY + sizes.count(1)
    shared: list[list[float]] = []
    for _ in range(m):
        arity = reader.whole("an arity", -most, most, UNSUPPORTED)
        scope = [reader.whole("a variable", 0, n - 1) for _ in range(abs(arity))]
        if len(set(scope)) < len(scope):
            raise reader.refuse(f"a cost function names variable {scope[0]} twice", "name distinct variables")
        if functions.entries(scope) is None:
            raise reader.refuse(f"a cost function has {len(scope)} variables", UNSUPPORTED)
        table = reader.table([sizes[i] for i in scope], shared, top)
        if arity < 0:
            shared.append(table)
        functions.add(scope, table)
    reader.require_end("cost function")
    return functions.model(1.0, top.energy, source, TITLE, tokens.word(0))


class _Reader(Numbers):
    """Reads the numbers after the name."""

    def _not_negative(self, what: str) -> float:
        value = self.next()
        if value >= 0:
            return value
        raise self.refuse(f"{what} is {self.word()}", "costs are not negative")

    def bound(self) -> Bound:
        """The bound, which is not negative."""
        self._not_negative("the bound")
        return Bound(self.text(), 1.0)

    def cost(self, what: str, top: Bound) -> float:
        """A cost, which is not negative, on its side of the bound."""
        value = self._not_negative(what)
        return top.rounded(self.text()) if top.is_near(value) else value

    def size(self, i: int) -> int:
        """The number of values of a variable."""
        size = self.next()
        if size not in (1, 2):
            raise self.refuse(f"variable {i} has {self.word()} values", "only binary variables are supported")
        return int(size)

    def table(self, sizes: list[int], shared: list[list[float]], top: Bound) -> list[float]:
        """The costs of a function, from its default cost on."""
        default, entries = self.cost("a default cost", top), math.prod(sizes)
        tuples = self.whole("a number of tuples", -len(shared), entries, "tuples are given once, or shared before")
        if tuples < 0:
            table = shared[-tuples - 1]
            if len(table) != entries:
                raise self.refuse("a shared table is for another number of variables", "share it with equal scopes")
            return table
        table = [default] * entries
        for _ in range(tuples):
            index = 0
            for size in sizes:
                index = size * index + self.whole("a value", 0, size - 1)
            table[index] = self.cost("a cost", top)
        return table


FORMAT = Format(name="wcsp", title="toulbar2 wcsp", endings=(".wcsp",), recognises=recognises, parse=parse, write=None)
