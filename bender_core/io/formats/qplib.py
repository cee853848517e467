"""Quadratic programs of QPLIB, ``.qplib``: those over bits without constraints, minimised or maximised.

A line each: a name, the type, ``minimize`` or ``maximize``, and the number of variables; the number of quadratic
terms, and these, ``i j q``, variables from 1; a default linear coefficient, the number of others, and these, ``i b``;
the constant. The objective is ``constant + Σ b_i x_i + ½ Σ q_ij x_i x_j``, in which a term counts once, also off the
diagonal. A value for infinity, a starting point and its duals follow, which are passed over, and names. ``#``, ``!``
and ``%`` start comments.

Source: docs/formats.md §2.20; https://qplib.zib.de/doc.html
"""

from __future__ import annotations

import re

import numpy as np

from bender_core.io._comments import unread
from bender_core.io._source import Source, Tokens, shown
from bender_core.io.errors import FormatError
from bender_core.io.formats._format import Format
from bender_core.io.formats._numbers import Numbers
from bender_core.io.formats._quadratic import from_coefficients
from bender_core.model import LARGEST_ENERGY, BinaryMRF, FloatArray
from bender_core.objective import Objective

TITLE = "QPLIB"
_COMMENT = r"[#!%](?P<text>[^\n]*)"
_TYPE = re.compile(r"[LDCQ][CBMIG][NBLDCQ]", re.IGNORECASE)
_SENSES = {"minimize": Objective("objective"), "maximize": Objective("objective", "max", -1.0)}
# What a type says by its second and third letter, where that is not supported.
_VARIABLES = {"C": "continuous", "M": "in part continuous", "I": "whole numbers", "G": "in part whole numbers"}
_CONSTRAINTS = {"L": "linear", "D": "quadratic", "C": "quadratic", "Q": "quadratic"}
# A number, and a word that is none: names, which follow all numbers.
_NAMED = re.compile(r"^[ \t]*\d+[ \t]+(?![-+.\d])\S", re.MULTILINE)


def recognises(source: Source) -> bool:
    """Whether a name comes first, and then a type and a sense."""
    words = re.sub(_COMMENT, "", source.text[:10_000]).split(maxsplit=3)
    return len(words) > 2 and _TYPE.fullmatch(words[1]) is not None and words[2].lower() in _SENSES


def parse(source: Source) -> BinaryMRF:
    """Read a quadratic program.

    Raises
    ------
    FormatError
        If it has constraints or variables that are not binary, counts and content disagree, or a coefficient is not
        finite.
    """
    tokens = Tokens(source.text, _COMMENT)
    kind, sense = _head(tokens)
    named = _NAMED.search(tokens.text, int(tokens.starts[2]))
    reader = Numbers(Tokens(tokens.text[: named.start() if named else None], "$^"), start=3)
    n = reader.count("variables")
    source.require_variables(n, tokens.line(3))
    m = _count(reader, "quadratic terms", 3) if kind[0] != "L" else 0
    i, j, quadratic = np.empty(m, np.int64), np.empty(m, np.int64), np.empty(m)
    for k in range(m):
        i[k], j[k] = (reader.whole("a variable", 1, n) - 1 for _ in range(2))
        quadratic[k] = _coefficient(reader)
    linear = _vector(reader, n, "linear coefficients")
    constant = _coefficient(reader)
    reader.next()
    for what in ("values of a starting point", "duals of bounds"):
        _vector(reader, n, what)
    names = _names(tokens, reader, n)
    alone, objective = np.arange(n), _SENSES[sense]
    ends, values = (np.append(alone, i), np.append(alone, j)), np.append(linear, quadratic / 2.0)
    energy = from_coefficients(ends, values, n, "bits", objective.scale, [constant])
    return energy.model(source, TITLE, objective, names, unread(source, _COMMENT))


def _head(tokens: Tokens) -> tuple[str, str]:
    """The type and the sense.

    Raises
    ------
    FormatError
        If the type is not supported.
    """
    kind, sense = tokens.word(1).upper(), tokens.word(2).lower()
    line = tokens.line(1)
    if not _TYPE.fullmatch(kind):
        raise FormatError(line, f"the type is {shown(tokens.word(1))}", "write three letters like QBN after the name")
    if kind[1] in _VARIABLES:
        what = f"the type is {kind}: variables are {_VARIABLES[kind[1]]}"
        raise FormatError(line, what, "only binary variables are supported")
    if kind[2] in _CONSTRAINTS:
        what = f"the type is {kind}: there are {_CONSTRAINTS[kind[2]]} constraints"
        raise FormatError(line, what, "put them into the objective as penalties; only types like QBN are supported")
    if sense not in _SENSES:
        raise FormatError(tokens.line(2), f"the sense is {shown(tokens.word(2))}", "write minimize or maximize")
    return kind, sense


def _count(reader: Numbers, what: str, words_each: int) -> int:
    count = reader.count(what)
    reader.require_left(words_each * count, what)
    return count


def _coefficient(reader: Numbers) -> float:
    value = reader.next()
    if not abs(value) <= LARGEST_ENERGY:
        raise reader.refuse(f"a coefficient is {reader.word()}", f"coefficients are finite, up to {LARGEST_ENERGY:g}")
    return value


def _vector(reader: Numbers, n: int, what: str) -> FloatArray:
    """A number for each variable: a default, and those that differ from it."""
    vector = np.full(n, _coefficient(reader))
    given = set()
    for _ in range(_count(reader, what, 2)):
        k = reader.whole("a variable", 1, n)
        if k in given:
            raise reader.refuse(f"variable {k} has two of the {what}", "keep one")
        given.add(k)
        vector[k - 1] = _coefficient(reader)
    return vector


def _names(tokens: Tokens, reader: Numbers, n: int) -> tuple[str, ...]:
    """The names of the variables, by default their numbers; those of constraints follow."""
    names = list(map(str, range(1, n + 1)))
    count = reader.whole("the number of names", 0, n)
    at = reader.position
    for k in range(at, at + 2 * count, 2):
        number, name = tokens.word(k), tokens.word(k + 1)
        if not name or not number.isdecimal() or len(number) > len(str(n)) or not 1 <= int(number) <= n:
            raise FormatError(tokens.line(k), f"{shown(number)} names no variable", f"they run from 1 to {n}")
        names[int(number) - 1] = name
    if tokens.word(at + 2 * count) != "0" or len(tokens) > at + 2 * count + 1:
        raise FormatError(
            tokens.line(at + 2 * count), "the file does not end with 0 names of constraints", "correct it"
        )
    return tuple(names)


FORMAT = Format(name="qplib", title=TITLE, endings=(".qplib",), recognises=recognises, parse=parse, write=None)
