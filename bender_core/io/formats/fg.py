"""Factor graphs of libDAI, ``.fg``: potentials, whose product is maximised.

Separated by white space, ``#`` starting comments: the number of factors; then each factor: the number of its variables,
these, which are named by whole numbers, their numbers of states, the number of entries that are not 0, and these, each
as its place in the table and its value. The first variable of a factor changes fastest.

Source: docs/formats.md §2.19; https://staff.fnwi.uva.nl/j.m.mooij/libDAI/doc/fileformats.html
"""

from __future__ import annotations

import math

from bender_core.io._comments import HASH, unread
from bender_core.io._source import Source, Tokens
from bender_core.io.formats._costs import CostFunctions
from bender_core.io.formats._format import Format
from bender_core.io.formats._numbers import Numbers
from bender_core.io.formats._potentials import UNSUPPORTED, energy_of, model_of, require_possible
from bender_core.model import BinaryMRF

TITLE = "libDAI factor graph"
_FIRST_LINES = 5


def recognises(source: Source) -> bool:
    """Whether the first lines are a number of factors, and a factor of as many variables as it says."""
    rows = [row for line in source.text.split("\n", 1000)[:1000] if (row := line.partition("#")[0].split())]
    if len(rows) < _FIRST_LINES or not all(word.isdecimal() for row in rows[:_FIRST_LINES] for word in row):
        return False
    factors, size, variables, states, entries = rows[:_FIRST_LINES]
    return len(factors) == len(size) == len(entries) == 1 and size[0] == str(len(variables)) == str(len(states))


def parse(source: Source) -> BinaryMRF:
    """Read a factor graph.

    Raises
    ------
    FormatError
        If counts and content disagree, a variable is not binary, a factor has more than two variables, or a potential
        is negative or not finite.
    """
    reader = Numbers(Tokens(source.text), start=0)
    m = reader.count("factors")
    reader.require_left(2 * m, "factors")
    sizes: dict[int, int] = {}
    found = [_factor(reader, sizes) for _ in range(m)]
    reader.require_end("factor")
    source.require_variables(len(sizes), None)
    labels = sorted(sizes)
    places = {label: k for k, label in enumerate(labels)}
    functions = CostFunctions([sizes[label] for label in labels])
    for scope, table in found:
        functions.add([places[label] for label in scope], table)
    return model_of(functions, source, TITLE, list(map(str, labels)), unread(source, HASH))


def _factor(reader: Numbers, sizes: dict[int, int]) -> tuple[list[int], list[float]]:
    """The variables of a factor, the last one changing fastest, and its energies; notes numbers of states."""
    arity = reader.count("variables of a factor")
    reader.require_left(2 * arity + 1, "variables of a factor")
    scope = [reader.whole("a variable", 0, 1 << 53) for _ in range(arity)]
    if len(set(scope)) < arity:
        raise reader.refuse("a factor names a variable twice", "name distinct variables")
    for variable in scope:
        states = reader.next()
        if states not in (1, 2):
            what = f"variable {variable} has {reader.word()} states"
            raise reader.refuse(what, "only binary variables are supported")
        if sizes.setdefault(variable, int(states)) != states:
            what = f"variable {variable} has {reader.word()} states here, and {sizes[variable]} in another factor"
            raise reader.refuse(what, "give it one number of states")
    binary = [variable for variable in reversed(scope) if sizes[variable] > 1]
    if len(binary) > 2:
        raise reader.refuse(f"a factor has {len(binary)} variables", UNSUPPORTED)
    table: list[float | None] = [None] * (1 << len(binary))
    for _ in range(reader.whole("the number of entries of a factor", 0, len(table))):
        place = reader.whole("a place in a table", 0, len(table) - 1)
        if table[place] is not None:
            raise reader.refuse(f"the entry {place} of a factor is given twice", "give each once")
        reader.next()
        table[place] = energy_of(reader.text(), reader.refuse)
    energies = [math.inf if energy is None else energy for energy in table]
    require_possible(energies, reader.refuse)
    return binary, energies


FORMAT = Format(name="fg", title=TITLE, endings=(".fg",), recognises=recognises, parse=parse, write=None)
