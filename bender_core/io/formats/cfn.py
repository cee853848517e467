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
cost; or it is the name of a function with the same table. Functions given by a ``type`` are not supported.

Source: docs/formats.md §2.11; https://toulbar2.github.io/toulbar2/formats/cfnformat.html
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace

from bender_core.io._comments import unread
from bender_core.io._source import NUMBER, SMALLER, Source, overflows, shown
from bender_core.io.errors import FormatError
from bender_core.io.formats._costs import UNSUPPORTED, Bound, CostFunctions
from bender_core.io.formats._format import Format
from bender_core.model import BinaryMRF

TITLE = "cfn"
_COMMENT = re.compile(r"(?:^#|//)(?P<text>[^\n]*)", re.MULTILINE)
_WORD = r'(?:"[^"\n]*+"|[^\s{}\[\]:,"]++)'
_LIST = rf"[{{\[](?:[^{{}}\[\]\"]++|{_WORD})*+[}}\]]"


def _pattern(*parts: str) -> re.Pattern[str]:
    """Parts between which there may be white space, commas and colons; ``{`` and ``}`` stand for any brace."""
    braces = {"{": r"[{\[]", "}": r"[}\]]"}
    return re.compile(r"[\s,:]*+" + r"[\s,:]*+".join(braces.get(part, part) for part in parts), re.ASCII)


def _key(word: str) -> str:
    return f'"?{word}"?(?![^\\s{{}}\\[\\]:,"])'


_PROBLEM = _pattern("{", _key("problem"), "{", _key("name"), f"({_WORD})", _key("mustbe"), f"({_WORD})", "}")
_VARIABLES, _FUNCTIONS = _pattern(_key("variables"), "{"), _pattern(_key("functions"), "{")
_VARIABLE = _pattern(rf'((?!"?\d){_WORD})?', rf"(?:(?P<values>{_LIST})|(?P<size>{_WORD}))")
_DEFAULT = rf"{_key('defaultcost')}[\s,:]*+({_WORD})"
_FUNCTION = _pattern(
    *(f"({_WORD})?", "{", _key("scope"), f"({_LIST})"),
    *(f"(?:{_DEFAULT})?", _key("costs"), f"(?:({_LIST})|({_WORD}))", "}"),
)
_TYPED = _pattern(f"(?:{_WORD})?", "{", _key("scope"), _LIST, f"(?:{_DEFAULT})?", _key("type"), f"({_WORD})")
_CLOSE, _END = _pattern("}"), _pattern("}", r"\Z")
_HEAD = _pattern("{", _key("problem"))
_WORDS, _TOKEN = re.compile(_WORD), re.compile(rf"{_WORD}|[{{}}\[\]]")
# The characters of costs: a number has no others, and a name has at least one other.
_COSTS = re.compile(r"[-+.\d\s,:einftyEINFTY]*+", re.ASCII)
_SEPARATORS = re.compile(r"[\s,:]*+")
_BOUND = re.compile(r"([<>])\s*(\S+)")


def recognises(source: Source) -> bool:
    """Whether a brace and the word "problem" come first."""
    return _HEAD.match(_COMMENT.sub("", source.text[:10_000])) is not None


def parse(source: Source) -> BinaryMRF:
    """Read a cfn file.

    The bound forbids labellings, and the costs that no labelling within it can have.

    Raises
    ------
    FormatError
        If the structure is broken, a name is unknown, a variable is not binary, or a cost function has more than two
        variables or is given by a type.
    """
    commented = "#" in source.text or "//" in source.text
    scanner = _Scanner(_COMMENT.sub("", source.text) if commented else source.text)
    name, stated = scanner.take(_PROBLEM, '{problem: {name: "a name", mustbe: "<10.0"}').groups()
    sign, bound = _bound(scanner, _unquoted(stated))
    variables = _variables(scanner)
    source.require_variables(len(variables), scanner.line())
    functions = _functions(scanner, variables, bound)
    scanner.take(_END, "the last brace")
    mrf = functions.model(sign, bound.energy, source, TITLE, _unquoted(name), tuple(v.name for v in variables))
    return replace(mrf, notes=mrf.notes + unread(source, _COMMENT.pattern))


@dataclass
class _Variable:
    name: str
    values: list[str]
    size: int

    def value(self, word: str) -> int | None:
        """The index of a value, given by name or index."""
        if word in ("0", "1")[: self.size]:
            return int(word)
        return self.values.index(word) if word in self.values else None


def _bound(scanner: _Scanner, word: str) -> tuple[float, Bound]:
    """The sign that makes costs energies, and the bound."""
    stated = _BOUND.fullmatch(word)
    if stated is None or not NUMBER.fullmatch(stated[2]) or stated[2].lower().endswith("nan"):
        raise scanner.refuse(f"the bound is {shown(word)}", 'write "<10.0" to minimise, ">10.0" to maximise')
    sign = 1.0 if stated[1] == "<" else -1.0
    return sign, Bound(stated[2], sign)


def _variables(scanner: _Scanner) -> list[_Variable]:
    scanner.take(_VARIABLES, "variables: {")
    found: list[_Variable] = []
    names: set[str] = set()
    while not scanner.closes():
        name, values, size = scanner.take(_VARIABLE, "a variable and its values, or their number").groups()
        # Without a name, the domain comes first.
        name = f"x{len(found)}" if name is None else _unquoted(name)
        listed = _words(values or "")
        size = str(len(listed)) if size is None else _unquoted(size)
        if size not in ("1", "2"):
            raise scanner.refuse(
                f"variable {shown(name)} has {size[:24]} values", "only binary variables are supported"
            )
        if name in names:
            raise scanner.refuse(f"the variable {shown(name)} is given twice", "give each its own name")
        names.add(name)
        found.append(_Variable(name, listed, int(size)))
    return found


def _functions(scanner: _Scanner, variables: list[_Variable], bound: Bound) -> CostFunctions:
    functions = CostFunctions([variable.size for variable in variables])
    # With quotes too: looking up names takes most of the time.
    index = {form: i for i, variable in enumerate(variables) for form in (variable.name, f'"{variable.name}"')}
    named: dict[str, list[float]] = {}
    borrowed: list[tuple[list[int], str, int]] = []
    scanner.take(_FUNCTIONS, "functions: {")
    while not scanner.closes():
        name, scope_words, default, table, lender = scanner.take(_FUNCTION, "{scope: [...], costs: [...]}").groups()
        scope = _scope(scanner, _WORDS.findall(scope_words, 1, len(scope_words) - 1), index, len(variables))
        if functions.entries(scope) is None:
            raise scanner.refuse(f"a cost function has {len(scope)} variables", UNSUPPORTED)
        if table is None:
            borrowed.append((scope, _unquoted(lender), scanner.line()))
            continue
        costs = _table(scanner, table, [variables[i] for i in scope], default, bound)
        functions.add(scope, costs)
        if name is not None:
            named[_unquoted(name)] = costs
    for scope, lender, line in borrowed:
        if lender not in named or len(named[lender]) != functions.entries(scope):
            raise FormatError(line, f"there is no function {shown(lender)} of as many variables", "write the table")
        functions.add(scope, named[lender])
    return functions


def _scope(scanner: _Scanner, words: list[str], index: dict[str, int], n: int) -> list[int]:
    """The variables that words name, in quotes or not, or number."""
    scope = [index.get(word, -1) for word in words]
    if -1 in scope:
        scope = [_variable(scanner, _unquoted(word), index, n) for word in words]
    if len(set(scope)) < len(scope):
        ((twice, _),) = Counter(scope).most_common(1)
        name = shown(_unquoted(words[scope.index(twice)]))
        raise scanner.refuse(f"a scope names the variable {name} twice", "name distinct variables")
    return scope


def _variable(scanner: _Scanner, word: str, index: dict[str, int], n: int) -> int:
    """A variable given by its name or index."""
    i = index.get(word, int(word) if word.isdecimal() and len(word) < 16 else -1)
    if not 0 <= i < n:
        raise scanner.refuse(f"a scope names the variable {shown(word)}", "name one of the variables, or its index")
    return i


def _table(scanner: _Scanner, text: str, scope: list[_Variable], default: str | None, bound: Bound) -> list[float]:
    """The costs of a function, one for each pair of values."""
    size = math.prod(variable.size for variable in scope)
    if default is None:
        costs = _costs(scanner, text[1:-1], bound)
        if len(costs) != size:
            raise scanner.refuse(f"a table has {len(costs)} costs", f"its scope needs {size}")
        return costs
    words, step = _words(text), len(scope) + 1
    if len(words) % step:
        raise scanner.refuse("a table of tuples ends within one", "give each tuple a cost")
    table = _costs(scanner, default, bound) * size
    for k, cost in enumerate(_costs(scanner, " ".join(words[step - 1 :: step]), bound)):
        at = 0
        for variable, word in zip(scope, words[k * step :], strict=False):
            value = variable.value(word)
            if value is None:
                raise scanner.refuse(
                    f"{shown(word)} is no value of the variable {shown(variable.name)}", "name a value or its index"
                )
            at = variable.size * at + value
        table[at] = cost
    return table


def _costs(scanner: _Scanner, text: str, bound: Bound) -> list[float]:
    """The numbers of a text, each on its side of the bound."""
    words = text.replace(",", " ").replace('"', " ").split()
    if _COSTS.fullmatch(text):
        try:
            costs = list(map(float, words))
        except ValueError:
            pass
        else:
            if math.inf in costs or -math.inf in costs:
                for word in filter(overflows, words):
                    raise scanner.refuse(f"{shown(word)} is too large a number", SMALLER)
            if bound.is_coarse:
                pairs = zip(costs, words, strict=True)
                return [bound.rounded(word) if bound.is_near(cost) else cost for cost, word in pairs]
            return costs
    wrong = next((word for word in words if not NUMBER.fullmatch(word) or word.lower().endswith("nan")), text)
    raise scanner.refuse(f"{shown(wrong)} is not a number", "write a number like 0.25, or inf to forbid")


def _words(text: str) -> list[str]:
    """The words of a list."""
    return [word[1:-1] if word[0] == '"' else word for word in _WORDS.findall(text, 1, len(text) - 1)]


def _unquoted(word: str) -> str:
    return word[1:-1] if word[0] == '"' else word


class _Scanner:
    """A position in the text, advanced by patterns."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._from = 0

    def take(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        """The next part of the text, which must match the pattern."""
        found = pattern.match(self.text, self.at)
        self._from = self.at
        if found is None:
            rest = _TOKEN.search(self.text, self.at)
            if rest is None:
                self._from = len(self.text)
                raise self.refuse("the file ends too early", f"complete it: {expected} is missing")
            typed = _TYPED.match(self.text, self.at)
            if typed is not None:
                raise self.refuse(f"a cost function has the type {shown(_unquoted(typed[2]))}", "give its table")
            raise self.refuse(f"{shown(_unquoted(rest.group()))} is found in place of: {expected}", "correct it")
        self.at = found.end()
        return found

    def closes(self) -> bool:
        """Whether a closing brace comes next; if so, skip it."""
        found = _CLOSE.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found is not None

    def line(self) -> int:
        """The line on which the last match begins."""
        begin = _SEPARATORS.match(self.text, self._from)
        at = min(self._from if begin is None else begin.end(), len(self.text.rstrip()))
        return self.text.count("\n", 0, at) + 1

    def refuse(self, what: str, mend: str) -> FormatError:
        """An error that names that line."""
        return FormatError(self.line(), what, mend)


FORMAT = Format(name="cfn", title="toulbar2 cfn", endings=(".cfn",), recognises=recognises, parse=parse, write=None)
