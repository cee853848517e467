"""Cost function networks of toulbar2, ``.cfn``: costs, minimised or maximised.

A dialect of JSON: quotes around words, commas and colons may be left out, braces and brackets are the same, ``#`` at
the beginning of a line and ``//`` start comments, and the order of the keys is fixed::

    {problem: {name: example, mustbe: "<10.0"},
     variables: {x: [no, yes], y: 2},
     functions: {f: {scope: [x, y], costs: [0, 1.5, inf, 2]},
                 g: {scope: [y], defaultcost: 0, costs: [1, 3.5]},
                 h: {scope: [y, x], costs: f}}}

``mustbe`` states a bound that solutions stay below (then the costs are minimised) or above (maximised). A table has
all costs, the last variable of the scope changing fastest; after a default cost it has tuples of values, each with its
cost; or it is the name of a function that has the same. Functions given by a ``type`` are not supported.

Source: https://toulbar2.github.io/toulbar2/formats/cfnformat.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from bender_core.io._costs import LARGEST_ARITY, UNSUPPORTED, CostFunctions
from bender_core.io._format import Format
from bender_core.io._source import NUMBER, Source, shown
from bender_core.io.errors import FormatError
from bender_core.model import BinaryMRF, FloatArray, Objective

TITLE = "cfn"
_COMMENT = re.compile(r"^#[^\n]*|//[^\n]*", re.MULTILINE)
_TOKEN = re.compile(r'"[^"\n]*"|[{}\[\]]|[^\s{}\[\]:,"]+|"')
_HEAD = re.compile(r'\s*[{\[]\s*"?problem\b')
_BOUND = re.compile(r"([<>])\s*(\S+)")
OPEN, CLOSE = ("{", "["), ("}", "]")


def recognises(source: Source) -> bool:
    """Whether a brace and the word "problem" come first."""
    return _HEAD.match(_COMMENT.sub("", source.text[:10_000])) is not None


def parse(source: Source) -> BinaryMRF:
    """Read a cfn file.

    Raises
    ------
    FormatError
        If the structure is broken, a name is unknown, a variable is not binary, or a cost function has more than two
        variables or is given by a type.
    """
    reader = _Reader(source.text)
    reader.open()
    name, sign, bound = _problem(reader)
    variables = _variables(reader)
    source.require_variables(len(variables), reader.line())
    functions = _functions(reader, variables)
    reader.close()
    reader.end()
    tables = functions.tables()
    energies = _forbid(tuple(sign * table for table in tables), sign * bound)
    objective = Objective(name="cost", sense="min" if sign > 0 else "max", scale=sign)
    return functions.model(energies, source, TITLE, name, objective, tuple(v.name for v in variables))


@dataclass
class _Variable:
    name: str
    values: list[str] = field(default_factory=list)

    def value(self, word: str) -> int | None:
        """The index of a value, given by name or index."""
        if word in ("0", "1"):
            return int(word)
        return self.values.index(word) if word in self.values else None


def _problem(reader: _Reader) -> tuple[str, float, float]:
    """The name, the sign that makes costs energies, and the bound."""
    reader.key("problem")
    reader.open()
    reader.key("name")
    name = reader.word()
    reader.key("mustbe")
    stated = _BOUND.fullmatch(reader.word())
    if stated is None or not NUMBER.fullmatch(stated[2]):
        raise reader.refuse(f"the bound is {shown(reader.last)}", 'write "<10.0" to minimise, ">10.0" to maximise')
    reader.close()
    return name, 1.0 if stated[1] == "<" else -1.0, float(stated[2])


def _variables(reader: _Reader) -> list[_Variable]:
    reader.key("variables")
    reader.open()
    found: list[_Variable] = []
    names: set[str] = set()
    while (word := reader.next()) not in CLOSE:
        # Without a name, a domain comes at once.
        unnamed = word in OPEN or word.isdecimal()
        variable = _Variable(f"x{len(found)}" if unnamed else word)
        domain = word if unnamed else reader.next()
        if domain in OPEN:
            while (value := reader.next()) not in CLOSE:
                variable.values.append(value)
            size = str(len(variable.values))
        else:
            size = domain
        if size != "2":
            raise reader.refuse(
                f"variable {shown(variable.name)} has {size[:24]} values", "only binary variables are supported"
            )
        if variable.name in names:
            raise reader.refuse(f"the variable {shown(variable.name)} is given twice", "give each its own name")
        names.add(variable.name)
        found.append(variable)
    return found


def _functions(reader: _Reader, variables: list[_Variable]) -> CostFunctions:
    reader.key("functions")
    reader.open()
    index = {variable.name: i for i, variable in enumerate(variables)}
    functions = CostFunctions(len(variables))
    named: dict[str, list[float]] = {}
    borrowed: list[tuple[list[int], str, int]] = []
    while (word := reader.next()) not in CLOSE:
        name = ""
        if word not in OPEN:
            name = word
            reader.open()
        scope = _scope(reader, index)
        key = reader.word()
        default = None
        if key == "defaultcost":
            default = reader.cost()
            key = reader.word()
        if key == "type":
            raise reader.refuse(f"a cost function has the type {shown(reader.word())}", "give its table")
        if key != "costs":
            raise reader.refuse(f"{shown(key)} stands where a table should", "write costs: [...]")
        start = reader.next()
        if start in OPEN:
            table = _table(reader, [variables[i] for i in scope], default)
            functions.add(scope, table)
            named[name] = table
        else:
            borrowed.append((scope, start, reader.line()))
        reader.close()
    for scope, name, line in borrowed:
        if name not in named or len(named[name]) != 1 << len(scope):
            raise FormatError(line, f"there is no function {shown(name)} of as many variables", "write the table")
        functions.add(scope, named[name])
    return functions


def _scope(reader: _Reader, index: dict[str, int]) -> list[int]:
    reader.key("scope")
    reader.open()
    scope: list[int] = []
    while (word := reader.next()) not in CLOSE:
        i = index.get(word, -1)
        if i < 0 and word.isdecimal() and len(word) < 16:
            i = int(word)
        if not 0 <= i < len(index):
            raise reader.refuse(f"a scope names the variable {shown(word)}", "name one of the variables, or its index")
        if i in scope:
            raise reader.refuse(f"a scope names the variable {shown(word)} twice", "name two distinct variables")
        scope.append(i)
        if len(scope) > LARGEST_ARITY:
            raise reader.refuse("a cost function has more than two variables", UNSUPPORTED)
    return scope


def _table(reader: _Reader, scope: list[_Variable], default: float | None) -> list[float]:
    """The costs of a function, from after the brace."""
    size = 1 << len(scope)
    table: list[float] = []
    if default is None:
        while (word := reader.next()) not in CLOSE:
            table.append(reader.as_cost(word))
        if len(table) != size:
            raise reader.refuse(f"a table has {len(table)} costs", f"its scope needs {size}")
        return table
    table = [default] * size
    while (word := reader.next()) not in CLOSE:
        at = 0
        for k, variable in enumerate(scope):
            value = variable.value(word if k == 0 else reader.word())
            if value is None:
                raise reader.refuse(
                    f"{shown(reader.last)} is no value of the variable {shown(variable.name)}",
                    "name a value or its index",
                )
            at = 2 * at + value
        table[at] = reader.cost() if scope else reader.as_cost(word)
    return table


def _forbid(tables: tuple[FloatArray, ...], bound: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Make infinite what keeps every labelling at or above the bound."""
    if any(np.isneginf(table).any() for table in tables):
        raise FormatError(None, "a cost is infinitely good", "infinite costs forbid; give them the other sign")
    lowest = [table.min(axis=1, keepdims=True) for table in tables]
    room = bound - sum(float(low.sum()) for low in lowest)
    constants, singles, pairs = (
        np.where(table - low >= room, np.inf, table) if np.isfinite(low).all() and np.isfinite(bound) else table
        for table, low in zip(tables, lowest, strict=True)
    )
    if np.isposinf(constants).any():
        raise FormatError(None, "no labelling stays within the bound", 'correct "mustbe"')
    return constants, singles, pairs


class _Reader:
    """Walks the words, quotes taken off; commas and colons are white space."""

    def __init__(self, text: str) -> None:
        self._text = _COMMENT.sub("", text)
        self._tokens: Iterator[re.Match[str]] = _TOKEN.finditer(self._text)
        self._at = 0
        self.last = ""

    def next(self) -> str:
        """The next word or brace."""
        found = next(self._tokens, None)
        if found is None:
            self._at = len(self._text.rstrip())
            raise self.refuse("the file ends too early", "complete it, every brace must be closed")
        self._at = found.start()
        word = found.group()
        # A word in quotes is no brace, whatever it says.
        self.last = word[1:-1] if word[0] == '"' and len(word) > 1 and word[1:-1] not in (*OPEN, *CLOSE) else word
        return self.last

    def line(self) -> int:
        """The line of the word read last."""
        return self._text.count("\n", 0, self._at) + 1

    def refuse(self, what: str, mend: str) -> FormatError:
        """An error that names the line of the word read last."""
        return FormatError(self.line(), what, mend)

    def word(self) -> str:
        """A word that is no brace."""
        word = self.next()
        if word in OPEN or word in CLOSE:
            raise self.refuse(f"{word!r} stands where a word should", "see the layout of the format")
        return word

    def key(self, name: str) -> None:
        """One certain word."""
        if self.next() != name:
            raise self.refuse(f"{shown(self.last)} stands where {name!r} should", "the order of the keys is fixed")

    def open(self) -> None:
        """An opening brace."""
        if self.next() not in OPEN:
            raise self.refuse(f"{shown(self.last)} stands where a brace should open", "see the layout of the format")

    def close(self) -> None:
        """A closing brace."""
        if self.next() not in CLOSE:
            raise self.refuse(f"{shown(self.last)} stands where a brace should close", "see the layout of the format")

    def cost(self) -> float:
        """A number, or an infinite one."""
        return self.as_cost(self.next())

    def as_cost(self, word: str) -> float:
        """A word as a cost."""
        if not NUMBER.fullmatch(word) or word.lower().endswith("nan"):
            raise self.refuse(f"{shown(word)} is not a number", "write a number like 0.25, or inf to forbid")
        return float(word)

    def end(self) -> None:
        """Nothing more."""
        found = next(self._tokens, None)
        if found is not None:
            self._at = found.start()
            raise self.refuse(f"{shown(found.group())} follows the last brace", "remove it")


FORMAT = Format(name="cfn", title="toulbar2 cfn", endings=(".cfn",), recognises=recognises, parse=parse, write=None)
