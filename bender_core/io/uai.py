"""The UAI format of the inference competitions, type ``MARKOV``.

A file holds potentials ψ_c and means to maximise their product: ``p(x) ∝ Π_c ψ_c(x_c)``. Energies are −ln ψ, so that
the energy is the negated log potential and a zero potential is a hard constraint. The layout, all in white space:
``MARKOV``, the number of variables, their numbers of states, the number of factors, for each factor the size of its
scope and the scope, then for each factor the size of its table and the table, the last variable of the scope changing
fastest. Several factors may share a scope; a scope may be empty. ``#`` starts a comment.

Source: https://uaicompetition.github.io/uci-2022/file-formats/model-format/
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bender_core.io._format import Format
from bender_core.io._source import Source, Tokens, shown
from bender_core.io.errors import FormatError
from bender_core.model import BinaryMRF, FloatArray, IntArray, Objective

# exp(-x) is a normal float64, hence exact to 1e-16, for |x| up to 708.
_LARGEST_EXPONENT = 700.0
_MOST_CONSTANT_FACTORS = 1000


def recognises(text: str) -> bool:
    """Whether the first word is MARKOV or BAYES."""
    for line in text.split("\n"):
        words = line.partition("#")[0].split(maxsplit=1)
        if words:
            return words[0].upper() in ("MARKOV", "BAYES")
    return False


def parse(source: Source) -> BinaryMRF:
    """Read a UAI file of type MARKOV.

    Raises
    ------
    FormatError
        If counts and content disagree, a variable is not binary, a table has more than two variables, or a
        potential is negative or not finite.
    """
    tokens = Tokens(source.text)
    kind = tokens.words[0].upper() if tokens.words else ""
    if kind == "BAYES":
        raise FormatError(tokens.line(0), "the UAI file is of type BAYES", "only MARKOV is supported")
    if kind != "MARKOV":
        raise FormatError(tokens.line(0), "the file does not start with MARKOV", "a UAI file does")
    reader = _Reader(tokens)
    n = reader.count("variables", words_each=1)
    if n == 0:
        raise FormatError(tokens.line(1), "the file has no variables", "give a model of at least one")
    reader.cardinalities(n)
    n_factors = reader.count("factors", words_each=3)
    starts, arities = reader.scopes(n, n_factors)
    offsets, potentials = reader.tables(arities)
    with np.errstate(divide="ignore"):
        energies = -np.log(potentials)

    empty, single, pair = (np.flatnonzero(arities == arity) for arity in range(3))
    constants = energies[offsets[empty]]
    if np.isinf(constants).any():
        forbidden = reader.table_line(int(offsets[empty[np.isinf(constants)][0]]))
        raise FormatError(forbidden, "a table of no variables is 0, which forbids every labelling", "remove it")
    unary = np.zeros((n, 2))
    np.add.at(unary, reader.variables(starts[single]), energies[offsets[single, None] + np.arange(2)])
    edges = reader.variables(starts[pair, None] + np.arange(2))
    pairwise = energies[offsets[pair, None] + np.arange(4)].reshape(-1, 2, 2)
    return BinaryMRF(
        unary=unary,
        edges=edges,
        pairwise=pairwise,
        constant=float(constants.sum()),
        name=source.stem,
        source=f"UAI file {source.filename}".rstrip(),
        objective=Objective(name="log potential", sense="max", scale=-1.0),
    )


class _Reader:
    """Walks the numbers after the first word; every count is checked against what the file holds before it is used."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._numbers = tokens.numbers(start=1)
        self._at = 0

    def _line(self, index: int) -> int:
        return self._tokens.line(index + 1)

    def _word(self, index: int) -> str:
        return shown(self._tokens.words[index + 1]).strip("'")

    def count(self, what: str, words_each: int) -> int:
        """A number of things, of which each needs at least so many words further on."""
        if self._at >= len(self._numbers):
            raise FormatError(self._line(self._at), f"the file ends before the number of {what}", "complete it")
        value = self._numbers[self._at]
        if not (value >= 0 and value == np.floor(value)):
            raise FormatError(self._line(self._at), f"the number of {what} is {self._word(self._at)}", "give a count")
        left = len(self._numbers) - self._at - 1
        if value * words_each > left:
            promised = f"the file promises {self._word(self._at)} {what} but only {left} numbers follow"
            raise FormatError(self._line(self._at), promised, "correct the count or complete the file")
        self._at += 1
        return int(value)

    def cardinalities(self, n: int) -> None:
        """Pass over the numbers of states; all must be 2."""
        wrong = np.flatnonzero(self._numbers[self._at : self._at + n] != 2)
        if len(wrong):
            index = self._at + int(wrong[0])
            states = self._word(index)
            raise FormatError(
                self._line(index), f"variable {wrong[0]} has {states} states", "only binary variables are supported"
            )
        self._at += n

    def scopes(self, n: int, n_factors: int) -> tuple[IntArray, IntArray]:
        """Where each scope starts among the numbers, and its size."""
        first = self._at
        # Each supported scope takes at most three numbers.
        numbers = self._numbers[first : first + 3 * n_factors].tolist()
        starts = np.empty(n_factors, np.int64)
        arities = np.empty(n_factors, np.int64)
        at = 0
        for factor in range(n_factors):
            if at >= len(numbers):
                self._refuse_truncation("scopes", n_factors)
            arity = numbers[at]
            if arity not in (0.0, 1.0, 2.0):
                states = self._word(first + at)
                raise FormatError(
                    self._line(first + at),
                    f"factor {factor} has a scope of {states} variables",
                    "only tables of one or two variables are supported",
                )
            starts[factor] = first + at + 1
            arities[factor] = arity
            at += 1 + int(arity)
        if at > len(numbers):
            self._refuse_truncation("scopes", n_factors)
        self._at = first + at
        self._check_variables(starts, arities, n)
        return starts, arities

    def _check_variables(self, starts: IntArray, arities: IntArray, n: int) -> None:
        used = np.concatenate([starts[arities > 0], starts[arities == 2] + 1])
        values = self._numbers[used]
        wrong = np.flatnonzero(~((values >= 0) & (values < n) & (values == np.floor(values))))
        if len(wrong):
            index = int(used[wrong].min())
            raise FormatError(
                self._line(index), f"a scope names variable {self._word(index)}", f"variables run from 0 to {n - 1}"
            )
        pairs = starts[arities == 2]
        loops = pairs[self._numbers[pairs] == self._numbers[pairs + 1]]
        if len(loops):
            index = int(loops[0])
            raise FormatError(
                self._line(index), f"a scope names variable {self._word(index)} twice", "name two distinct variables"
            )

    def variables(self, index: IntArray) -> IntArray:
        """The variables named at these places, which ``scopes`` has checked."""
        return self._numbers[index].astype(np.int64)

    def tables(self, arities: IntArray) -> tuple[IntArray, FloatArray]:
        """Where each table starts among the potentials, and the potentials (table sizes left between them)."""
        numbers = self._numbers[self._at :]
        sizes = 1 << arities
        ends = np.cumsum(sizes + 1)
        heads = ends - sizes - 1
        total = int(ends[-1]) if len(ends) else 0
        here = heads < len(numbers)
        wrong = np.flatnonzero(numbers[heads[here]] != sizes[here])
        if len(wrong):
            factor = int(wrong[0])
            index = self._at + int(heads[factor])
            raise FormatError(
                self._line(index),
                f"the table of factor {factor} is said to have {self._word(index)} entries",
                f"its scope needs {sizes[factor]}",
            )
        if total > len(numbers):
            self._refuse_truncation("tables", len(arities))
        if total < len(numbers):
            index = self._at + total
            raise FormatError(
                self._line(index),
                f"{len(numbers) - total} more numbers follow the last of {len(arities)} tables",
                "correct the number of factors or remove them",
            )
        bad = np.flatnonzero(~((numbers >= 0) & np.isfinite(numbers)))
        if len(bad):
            index = self._at + int(bad[0])
            raise FormatError(
                self._line(index), f"a potential is {self._word(index)}", "potentials are finite and not negative"
            )
        return heads + 1, numbers

    def table_line(self, offset: int) -> int:
        """The line of a potential that ``tables`` returned."""
        return self._line(self._at + offset)

    def _refuse_truncation(self, what: str, n_factors: int) -> None:
        raise FormatError(
            self._line(len(self._numbers)),
            f"the file ends within the {what} of its {n_factors} factors",
            "correct the number of factors or complete the file",
        )


def write(mrf: BinaryMRF) -> str:
    """The model as UAI text: potentials exp(−energy), so that f is kept for every labelling, hard constraints as 0.

    Names, groups, positions and prose are lost: the format cannot hold them.

    Raises
    ------
    FormatError
        If a table spans more energies than potentials in float64 can hold.
    """
    singles, pairs = mrf.unary.reshape(-1, 2), mrf.pairwise.reshape(-1, 4)
    hard_singles, hard_pairs = _hard(mrf, singles, pairs)
    unary_potentials, unary_shift = _potentials(singles, hard_singles, "variable")
    pair_potentials, pair_shift = _potentials(pairs, hard_pairs, "edge")
    constants = _constant_factors(mrf.constant + unary_shift + pair_shift)

    scopes = ["0"] * len(constants) + [f"1 {i}" for i in range(mrf.n)] + [f"2 {i} {j}" for i, j in mrf.edges.tolist()]
    tables = [np.array([constants]).T, unary_potentials, pair_potentials]
    lines = ["MARKOV", str(mrf.n), " ".join(["2"] * mrf.n), str(len(scopes)), *scopes, ""]
    lines += (line for table in tables for line in _table_lines(table))
    return "\n".join(lines) + "\n"


FORMAT = Format(name="uai", title="UAI", endings=(".uai",), recognises=recognises, parse=parse, write=write)


def _table_lines(tables: FloatArray) -> Iterator[str]:
    for table in tables.tolist():
        yield f"{len(table)} " + " ".join(map(repr, table))


def _hard(mrf: BinaryMRF, singles: FloatArray, pairs: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which entries are the penalties of hard constraints: those above what all finite entries span together."""
    above = [table - table.min(axis=1, keepdims=True) for table in (singles, pairs)]
    if not mrf.hard_entries:
        return np.zeros(singles.shape, bool), np.zeros(pairs.shape, bool)
    lowest = mrf.constant + singles.min(axis=1).sum() + pairs.min(axis=1).sum()
    # No finite entry costs so much that with it alone a labelling would reach the ceiling; every penalty does.
    hard_singles, hard_pairs = (excess > mrf.ceiling - lowest for excess in above)
    if hard_singles.sum() + hard_pairs.sum() != mrf.hard_entries:
        raise FormatError(None, "the model's hard constraints cannot be told from its energies", "write it as native")
    return hard_singles, hard_pairs


def _potentials(energies: FloatArray, hard: NDArray[np.bool_], what: str) -> tuple[FloatArray, float]:
    """exp(−energy), after moving the minimum of tables that would not fit into a constant."""
    finite = np.where(hard, energies.min(axis=1, keepdims=True), energies)
    moved = np.abs(finite).max(axis=1, initial=0.0) > _LARGEST_EXPONENT
    shift = np.where(moved, finite.min(axis=1, initial=np.inf), 0.0)
    finite = finite - shift[:, None]
    span = finite.max(axis=1, initial=0.0)
    if (span > _LARGEST_EXPONENT).any():
        worst = int(np.argmax(span))
        raise FormatError(
            None,
            f"the energies of {what} {worst} span {span[worst]:g}, but UAI potentials hold {_LARGEST_EXPONENT:g}",
            "write it as native, which holds any",
        )
    return np.where(hard, 0.0, np.exp(-finite)), float(shift.sum())


def _constant_factors(constant: float) -> list[float]:
    """Potentials of tables of no variables whose product is exp(−constant)."""
    if constant == 0.0:
        return []
    count = int(np.ceil(abs(constant) / _LARGEST_EXPONENT))
    if count > _MOST_CONSTANT_FACTORS:
        raise FormatError(
            None, f"the constant {constant:g} is too large for UAI potentials", "write it as native, which holds any"
        )
    return [float(np.exp(-constant / count))] * count
