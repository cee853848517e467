"""Bayesian networks in the interchange format, ``.bif``: the product of all conditional probabilities is maximised.

Names may be in quotes; ``//`` and ``/* */`` are comments, and properties are passed over::

    network example { }
    variable rain { type discrete [ 2 ] { no, yes }; }
    variable wet { type discrete [ 2 ] { no, yes }; }
    probability ( rain ) { table 0.8, 0.2; }
    probability ( wet | rain ) { (no) 0.9, 0.1; (yes) 0.25, 0.75; }

In place of rows, one for each value of the other variables, there may be a ``table`` of all probabilities, in which the
last variable changes fastest; ``default`` stands for the rows that are not given.

Source: docs/formats.md §2.18; http://www.cs.cmu.edu/~fgcozman/Research/InterchangeFormat/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from bender_core.io._comments import unread
from bender_core.io._source import Source, shown
from bender_core.io.errors import FormatError
from bender_core.io.formats._costs import CostFunctions
from bender_core.io.formats._format import Format
from bender_core.io.formats._potentials import UNSUPPORTED, energy_of, model_of, require_possible
from bender_core.model import BinaryMRF

TITLE = "BIF"
_HEAD = re.compile(r"\s*+network\b[^{};]*+\{")
_COMMENT = r"//(?P<text>[^\n]*)"
_SKIPPED = re.compile(rf'"[^"]*+"|{_COMMENT}|/\*.*?\*/', re.DOTALL)
_TOKEN = re.compile(r'"(?P<quoted>[^"]*+)"|(?P<mark>[{}()\[\];,|"])|(?P<word>[^\s{}()\[\];,|"]++)')


def _without_comments(text: str) -> str:
    """A text without comments, in the same lines."""
    return _SKIPPED.sub(lambda found: found[0] if found[0][0] == '"' else " " + "\n" * found[0].count("\n"), text)


def recognises(source: Source) -> bool:
    """Whether the word "network" comes first, and then a brace."""
    return _HEAD.match(_without_comments(source.text[:10_000])) is not None


def parse(source: Source) -> BinaryMRF:
    """Read a Bayesian network.

    Raises
    ------
    FormatError
        If the structure is broken, a name is unknown, a variable is not binary or has more than one other that it
        depends on, or a probability is missing, negative or not finite.
    """
    scanner = _Scanner(_without_comments(source.text))
    states: dict[str, list[str]] = {}
    tables: dict[str, tuple[list[str], list[float]]] = {}
    while scanner.advance():
        if scanner.word == "network":
            scanner.skip_block()
        elif scanner.word == "variable":
            _variable(scanner, states)
        elif scanner.word == "probability":
            _probability(scanner, states, tables)
        else:
            raise scanner.unexpected("network, variable or probability")
    source.require_variables(len(states), None)
    for name in states:
        if name not in tables:
            raise FormatError(None, f"the variable {shown(name)} has no probabilities", "give them, or remove it")
    places = {name: k for k, name in enumerate(states)}
    functions = CostFunctions([len(values) for values in states.values()])
    for scope, table in tables.values():
        functions.add([places[name] for name in scope], table)
    return model_of(functions, source, TITLE, list(states), unread(source, _COMMENT))


def _variable(scanner: _Scanner, states: dict[str, list[str]]) -> None:
    """Read a variable and its states."""
    (name,) = scanner.names("{", at_most=1)
    if name in states:
        raise scanner.refuse(f"the variable {shown(name)} is given twice", "give each its own name")
    values: list[str] = []
    while scanner.key("}") == "type":
        if scanner.take("discrete", "continuous") == "continuous":
            raise scanner.refuse(f"the variable {shown(name)} is continuous", "only binary variables are supported")
        scanner.take("[")
        (size,) = scanner.names("]", at_most=1)
        scanner.take("{")
        values = scanner.names("}")
        scanner.take(";")
        if str(len(values)) != size:
            what = f"the variable {shown(name)} is said to have {shown(size)} states, but {len(values)} follow"
            raise scanner.refuse(what, "correct the number, or put commas between the states")
    if len(values) not in (1, 2):
        what = f"variable {shown(name)} has {len(values)} states"
        raise scanner.refuse(what, "only binary variables are supported")
    if len(set(values)) < len(values):
        raise scanner.refuse(f"the states of {shown(name)} have the same name", "name them differently")
    states[name] = values


def _probability(
    scanner: _Scanner, states: dict[str, list[str]], tables: dict[str, tuple[list[str], list[float]]]
) -> None:
    """Read the probabilities of a variable."""
    scanner.take("(")
    scope = scanner.names(")")
    scanner.take("{")
    for name in scope:
        if name not in states:
            raise scanner.refuse(f"there is no variable {shown(name)} before its probabilities", "give it before them")
    if len(set(scope)) < len(scope) or not scope:
        raise scanner.refuse("probabilities name a variable twice, or none", "name distinct variables")
    if scope[0] in tables:
        raise scanner.refuse(f"the variable {shown(scope[0])} has probabilities twice", "keep one of the two")
    binary = [name for name in scope if len(states[name]) > 1]
    if len(binary) > 2:
        what = f"the probabilities of {shown(scope[0])} are a table of {len(binary)} variables"
        raise scanner.refuse(what, UNSUPPORTED)
    table = _table(scanner, [states[name] for name in scope])
    require_possible(table, scanner.refuse)
    tables[scope[0]] = scope, table


def _table(scanner: _Scanner, states: list[list[str]]) -> list[float]:
    """The energies of a table, in which the last variable changes fastest."""
    own, *others = states
    rows = {given: list[float]() for given in product(*others)}
    default: list[float] = []
    while key := scanner.key("}"):
        if key == "(":
            given = tuple(scanner.names(")"))
            if given not in rows:
                raise scanner.refuse(f"there are no states ({', '.join(given)[:60]})", "name those of the variables")
            if rows[given]:
                raise scanner.refuse(f"the row ({', '.join(given)[:60]}) is given twice", "keep one of the two")
            rows[given] = scanner.energies(len(own))
        elif key == "default":
            default = scanner.energies(len(own))
        elif key == "table":
            energies = scanner.energies(len(own) * len(rows))
            rows = {given: energies[k :: len(rows)] for k, given in enumerate(rows)}
        else:
            raise scanner.unexpected("a row, table, default or property")
    for given, row in rows.items():
        if not (row or default):
            what = f"the row ({', '.join(given)[:60]}) is missing" if given else "the probabilities are missing"
            raise scanner.refuse(what, "give all probabilities")
    return [(rows[given] or default)[k] for k in range(len(own)) for given in rows]


class _Scanner:
    """Reads words and marks in order.

    Attributes
    ----------
    word : str
        The last one, without quotes; "" after the end.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: Iterator[re.Match[str]] = _TOKEN.finditer(text)
        self._last: re.Match[str] | None = None
        self.word = ""

    def advance(self) -> bool:
        """Go to the next word or mark; whether there is one."""
        self._last = next(self._tokens, None)
        self.word = "" if self._last is None else self._last[self._last.lastgroup or 0]
        return self._last is not None

    def _is(self, kind: str) -> bool:
        return self._last is not None and self._last.lastgroup == kind

    def take(self, *expected: str) -> str:
        """The next word or mark, which must be one of these."""
        if not self.advance() or self.word not in expected or self._is("quoted"):
            raise self.unexpected(" or ".join(expected))
        return self.word

    def names(self, end: str, at_most: int | None = None) -> list[str]:
        """Names up to a mark: in quotes, or all words up to the next comma or bar."""
        found: list[str] = []
        words: list[str] = []
        while self.advance():
            if self._is("word"):
                words.append(self.word)
                continue
            found += [" ".join(words)] * bool(words) + [self.word] * self._is("quoted")
            words = []
            if self._is("mark") and self.word == end:
                if at_most not in (None, len(found)):
                    raise self.refuse(
                        f"there are {len(found)} names before {end}", "give one, in quotes if it has blanks"
                    )
                return found
            if self._is("mark") and self.word not in ",|":
                break
        raise self.unexpected(end)

    def key(self, end: str) -> str:
        """The first word of what comes next in a block, without properties; "" at the end of the block."""
        while self.advance() and self.word == "property":
            while self.word != ";" and self.advance():
                pass
        if self._last is None or self._is("quoted"):
            raise self.unexpected(end)
        return "" if self.word == end else self.word

    def energies(self, count: int) -> list[float]:
        """The energies of probabilities up to a semicolon."""
        found: list[float] = []
        while self.advance() and self.word != ";":
            if self.word != ",":
                found.append(energy_of(self.word, self.refuse))
            if len(found) > count:
                break
        if self.word != ";" or len(found) != count:
            raise self.refuse(
                f"there are not {count} probabilities before ;", "give one for each combination of states"
            )
        return found

    def skip_block(self) -> None:
        """Pass over a name, and a block of properties."""
        while self.advance() and self.word != "{":
            pass
        if self.key("}"):
            raise self.unexpected("}")

    def refuse(self, what: str, mend: str) -> FormatError:
        """An error that names the line."""
        at = len(self._text.rstrip()) if self._last is None else self._last.start()
        return FormatError(self._text.count("\n", 0, at) + 1, what, mend)

    def unexpected(self, expected: str) -> FormatError:
        """An error that says what should be here."""
        if self._last is None:
            return self.refuse("the file ends too early", f"complete it: {expected} is missing")
        return self.refuse(f"{shown(self.word)} is found in place of: {expected}", "correct it")


FORMAT = Format(name="bif", title=TITLE, endings=(".bif",), recognises=recognises, parse=parse, write=None)
