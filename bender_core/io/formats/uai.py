"""The UAI format of the inference competitions, ``MARKOV`` or ``BAYES``, of potentials or of their logarithms.

A file contains potentials ψ_c, whose product is maximised: ``p(x) ∝ Π_c ψ_c(x_c)``. Energies are −ln ψ, so the energy
is the negative log potential and a zero potential is a hard constraint. The layout, separated by white space:
``MARKOV``, the number of variables, their numbers of states, the number of factors, for each factor the size of its
scope and the scope, then for each factor the size of its table and the table, the last variable of the scope changing
fastest. Several factors may share a scope; a scope may be empty. ``#`` starts a comment, as does ``c`` at the beginning
of a line.
In a Bayesian network the factors are conditional probabilities; their product is the joint one.

Files whose names end in ``.LG`` contain ln ψ instead. There a table size of −1 means a Potts factor: one number
follows, the logarithm where the two values differ; it is 0 where they agree.

Source: docs/formats.md §2.2 and §2.3; https://uaicompetition.github.io/uci-2022/file-formats/model-format/
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from bender_core.io._comments import unread
from bender_core.io._source import Source, Tokens, shown
from bender_core.io.errors import FormatError
from bender_core.io.formats._format import Format
from bender_core.io.formats._potentials import NOT_ZERO, OBJECTIVE
from bender_core.model import LARGEST_ENERGY, BinaryMRF, BoolArray, FloatArray, IntArray
from bender_core.sums import exact_sums, sums_of_tables

COMMENT = r"(?:#|^c(?!\S))(?P<text>[^\n]*)"
# exp(-x) is a normal float64, hence exact to 1e-16, for |x| up to 708.
_LARGEST_EXPONENT = 700.0
_MOST_CONSTANT_FACTORS = 1000
# Potentials of energies near 0 are near 1, where float64 has a resolution of 1e-16: this share of the model's largest
# difference may be lost.
_LOST = 1e-9


def recognises(source: Source) -> bool:
    """Whether the first word is MARKOV or BAYES."""
    words = source.first_line(COMMENT).split()
    return bool(words) and words[0].upper() in ("MARKOV", "BAYES")


def parse(source: Source) -> BinaryMRF:
    """Read a file of potentials.

    Raises
    ------
    FormatError
        If counts and content disagree, a variable is not binary, a table has more than two variables, or a
        potential is negative or not finite.
    """
    return _parse(source, logarithms=False)


def parse_logarithms(source: Source) -> BinaryMRF:
    """Read a file of logarithms of potentials.

    Raises
    ------
    FormatError
        As for ``parse``, except that logarithms may be negative, and −inf forbids.
    """
    return _parse(source, logarithms=True)


def _parse(source: Source, logarithms: bool) -> BinaryMRF:
    tokens = Tokens(source.text, COMMENT)
    if tokens.word(0).upper() not in ("MARKOV", "BAYES"):
        raise FormatError(tokens.line(0), "the file does not start with MARKOV or BAYES", "a UAI file does")
    reader = _Reader(tokens)
    n = reader.count("variables", words_each=1)
    source.require_variables(n, tokens.line(1))
    fixed = reader.cardinalities(n)
    n_factors = reader.count("factors", words_each=3)
    if fixed.any():
        reader.leave_out(fixed, n_factors)
    starts, arities = reader.scopes(n, n_factors)
    tables, potts = reader.tables(arities, logarithms)

    empty, single, pair = (np.flatnonzero(arities == arity) for arity in range(3))
    constants = reader.energies(tables[empty, None], logarithms)
    if np.isinf(constants).any():
        line = reader.table_line(int(tables[empty[np.isinf(constants[:, 0])][0]]))
        raise FormatError(line, "a table of no variables is 0, which forbids every labelling", "remove it")
    singles = reader.energies(tables[single, None] + np.arange(2), logarithms)
    edges = reader.variables(starts[pair, None] + np.arange(2))
    pairs = reader.energies(tables[pair, None] + np.where(potts[pair, None], 0, np.arange(4)), logarithms)
    pairs[potts[pair, None] & np.array([True, False, False, True])] = 0.0
    unary = sums_of_tables(reader.variables(starts[single]), singles, n)
    unary[fixed, 1] = np.inf
    return BinaryMRF(
        unary=unary,
        edges=edges,
        pairwise=pairs.reshape(-1, 2, 2),
        constant=math.fsum(constants[:, 0]),
        name=source.stem,
        source=f"UAI file {source.filename}".rstrip(),
        objective=OBJECTIVE,
        notes=unread(source, COMMENT),
    )


class _Reader:
    """Reads the numbers after the first word; every count is checked against the rest of the file before use."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._numbers = tokens.numbers(start=1)
        # Where each was in the file, of those that are left.
        self._places: Sequence[int] | IntArray = range(len(self._numbers))
        self._at = 0

    def _token(self, index: int) -> int:
        return 1 + (int(self._places[index]) if index < len(self._places) else len(self._tokens))

    def _line(self, index: int) -> int:
        return self._tokens.line(self._token(index))

    def _word(self, index: int) -> str:
        return shown(self._tokens.word(self._token(index))).strip("'")

    def count(self, what: str, words_each: int) -> int:
        """A count of items, each of which needs at least ``words_each`` later words."""
        if self._at >= len(self._numbers):
            raise FormatError(self._line(self._at), f"the file ends before the number of {what}", "complete it")
        value = self._numbers[self._at]
        if not (value >= 0 and value == np.floor(value)):
            raise FormatError(self._line(self._at), f"the number of {what} is {self._word(self._at)}", "give a count")
        left = len(self._numbers) - self._at - 1
        if value > left / words_each:
            promised = f"the file promises {self._word(self._at)} {what} but only {left} numbers follow"
            raise FormatError(self._line(self._at), promised, "correct the count or complete the file")
        self._at += 1
        return int(value)

    def cardinalities(self, n: int) -> BoolArray:
        """Skip the numbers of states; whether each is 1, as all others must be 2."""
        states = self._numbers[self._at : self._at + n]
        wrong = np.flatnonzero((states != 1) & (states != 2))
        if len(wrong):
            index = self._at + int(wrong[0])
            what = f"variable {wrong[0]} has {self._word(index)} states"
            raise FormatError(self._line(index), what, "only binary variables are supported")
        self._at += n
        fixed: BoolArray = states == 1
        return fixed

    def leave_out(self, fixed: BoolArray, n_factors: int) -> None:
        """Leave variables of one state out of all scopes, which does not change the tables."""
        numbers, is_fixed = memoryview(self._numbers), fixed.tobytes()  # type: ignore[arg-type]
        kept, n, at = np.ones(len(numbers), bool), len(fixed), self._at
        for _ in range(n_factors):
            arity = int(numbers[at]) if at < len(numbers) and 0 <= numbers[at] <= n else 0
            scope = [int(v) if 0 <= v < n and v == int(v) else -1 for v in numbers[at + 1 : at + 1 + arity]]
            if -1 in scope or len(set(scope)) < arity:
                break  # `scopes` says what is wrong here
            out = [at + 1 + k for k, variable in enumerate(scope) if is_fixed[variable]]
            kept[out] = False
            self._numbers[at : at + 1] -= len(out)
            at += 1 + arity
        self._places = np.flatnonzero(kept)
        self._numbers = self._numbers[kept]

    def scopes(self, n: int, n_factors: int) -> tuple[IntArray, IntArray]:
        """Where each scope starts among the numbers, and its size."""
        first = self._at
        # Each supported scope takes at most three numbers. As bytes, sizes are small and fast to read.
        numbers = self._numbers[first : first + 3 * n_factors]
        sizes = np.where(np.isin(numbers, (0, 1, 2)), numbers, 3).astype(np.uint8).tobytes()
        starts = np.empty(n_factors, np.int64)
        arities = np.empty(n_factors, np.int64)
        at = 0
        for factor in range(n_factors):
            if at >= len(sizes):
                self._refuse_truncation("scopes", n_factors)
            arity = sizes[at]
            if arity > 2:
                raise FormatError(
                    self._line(first + at),
                    f"factor {factor} has a scope of {self._word(first + at)} variables",
                    "only tables of one or two variables are supported",
                )
            starts[factor] = first + at + 1
            arities[factor] = arity
            at += 1 + arity
        if at > len(sizes):
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
        """The variables at these positions, which ``scopes`` has checked."""
        return self._numbers[index].astype(np.int64)

    def tables(self, arities: IntArray, logarithms: bool) -> tuple[IntArray, BoolArray]:
        """Where each table starts among the numbers, and whether it is a Potts factor."""
        numbers = memoryview(self._numbers)  # type: ignore[arg-type]
        starts = np.empty(len(arities), np.int64)
        potts = np.zeros(len(arities), bool)
        at = self._at
        for factor, arity in enumerate(arities.astype(np.uint8).tobytes()):
            if at >= len(numbers):
                self._refuse_truncation("tables", len(arities))
            size = 1 << arity
            if logarithms and arity == 2 and numbers[at] == -1:
                potts[factor], size = True, 1
            elif numbers[at] != size:
                raise FormatError(
                    self._line(at),
                    f"the table of factor {factor} is said to have {self._word(at)} entries",
                    f"its scope needs {size}",
                )
            starts[factor] = at + 1
            at += 1 + size
        if at > len(numbers):
            self._refuse_truncation("tables", len(arities))
        if at < len(numbers):
            raise FormatError(
                self._line(at),
                f"{len(numbers) - at} more numbers follow the last of {len(arities)} tables",
                "correct the number of factors or remove them",
            )
        return starts, potts

    def energies(self, index: IntArray, logarithms: bool) -> FloatArray:
        """The energies of the potentials at these positions."""
        values = self._numbers[index]
        if logarithms:
            bad = ~((np.abs(values) <= LARGEST_ENERGY) | np.isneginf(values))
        else:
            bad = ~((values >= 0) & np.isfinite(values))
            self._refuse_underflow(np.sort(index[values == 0]))
        if bad.any():
            place = int(index[bad].min())
            any_size = f"up to {LARGEST_ENERGY:g} in size, or -inf to forbid"
            allowed = any_size if logarithms else "finite and not negative"
            kind = "logarithm" if logarithms else "potential"
            hint = "" if logarithms or self._numbers[place] >= 0 else "; logarithms are in files named .LG"
            raise FormatError(self._line(place), f"a {kind} is {self._word(place)}", f"{kind}s are {allowed}{hint}")
        with np.errstate(divide="ignore"):
            return -values if logarithms else -np.log(values)

    def _refuse_underflow(self, zeros: IntArray) -> None:
        """Refuse potentials that float64 rounds to 0 although they forbid nothing."""
        for place in zeros.tolist():
            word = self._tokens.word(self._token(place))
            if NOT_ZERO.match(word):
                raise FormatError(
                    self._line(place), f"a potential is {self._word(place)}, too small a number", "write logarithms"
                )

    def table_line(self, place: int) -> int:
        """The line of a number of a table."""
        return self._line(place)

    def _refuse_truncation(self, what: str, n_factors: int) -> None:
        raise FormatError(
            self._line(len(self._numbers)),
            f"the file ends within the {what} of its {n_factors} factors",
            "correct the number of factors or complete the file",
        )


def write(mrf: BinaryMRF) -> str:
    """The model as UAI text: potentials exp(−energy), which keep f for every labelling, hard constraints as 0.

    Names, groups, positions and descriptions are lost.

    Raises
    ------
    FormatError
        If a table spans more energies than potentials in float64 can represent, or all energies are too close to 0.
    """
    tables = _tables(mrf)
    (singles, shift), (pairs, shift_of_pairs) = (
        _potentials(*table, what) for table, what in zip(tables, ("variable", "edge"), strict=True)
    )
    constant = math.fsum([mrf.constant, *shift, *shift_of_pairs])
    constants = _constant_factors(constant)
    scale = max(_differences(*table).max(initial=0.0) for table in tables)
    for table, potentials in zip(tables, (singles, pairs), strict=True):
        _refuse_lost(*table, potentials, scale)
    if constants and abs(math.fsum(-np.log(constants)) - constant) > _LOST * max(scale, abs(constant)):
        raise _too_close(f"the constant {constant:g} is")
    return _layout(mrf, constants, singles, pairs)


def _tables(mrf: BinaryMRF) -> list[tuple[FloatArray, BoolArray]]:
    """The tables of variables and of edges, with what is forbidden, shapes (n, 2) and (m, 4)."""
    hard = mrf.hard_masks()
    return [(mrf.unary, hard[0]), (mrf.pairwise.reshape(-1, 4), hard[1].reshape(-1, 4))]


def _rounding(mrf: BinaryMRF) -> float:
    """By how much the rounding of potentials changes an energy at most."""
    changed, shifts = [0.0], [0.0]
    for (energies, hard), what in zip(_tables(mrf), ("variable", "edge"), strict=True):
        potentials, shift = _potentials(energies, hard, what)
        shifts += shift.tolist()
        found = -np.log(np.where(hard, 1.0, potentials))
        terms = np.stack([found, np.broadcast_to(shift[:, None], found.shape), -energies], axis=-1)
        errors = exact_sums(np.arange(found.size).repeat(3), terms.reshape(-1), found.size).reshape(found.shape)
        changed += np.abs(np.where(hard, 0.0, errors)).max(axis=1).tolist()
    constants = _constant_factors(math.fsum([mrf.constant, *shifts]))
    changed.append(abs(math.fsum([*-np.log(constants), -mrf.constant, *(-shift for shift in shifts)])))
    return math.fsum(changed)


def write_logarithms(mrf: BinaryMRF) -> str:
    """The model as UAI text of logarithms, which represent any energies; hard constraints are −inf."""
    hard_singles, hard_pairs = mrf.hard_masks()
    # Zeros without a sign.
    unary = np.where(hard_singles, -np.inf, 0.0 - mrf.unary)
    pairs = np.where(hard_pairs, -np.inf, 0.0 - mrf.pairwise).reshape(-1, 4)
    return _layout(mrf, [-mrf.constant] if mrf.constant else [], unary, pairs)


def _layout(mrf: BinaryMRF, constants: list[float], singles: FloatArray, pairs: FloatArray) -> str:
    scopes = ["0"] * len(constants) + [f"1 {i}" for i in range(mrf.n)] + [f"2 {i} {j}" for i, j in mrf.edges.tolist()]
    lines = ["MARKOV", str(mrf.n), " ".join(["2"] * mrf.n), str(len(scopes)), *scopes, ""]
    lines += (line for tables in (np.array([constants]).T, singles, pairs) for line in _table_lines(tables))
    return "\n".join(lines) + "\n"


FORMAT = Format(
    name="uai",
    title="UAI",
    endings=(".uai",),
    recognises=recognises,
    parse=parse,
    write=write,
    alike=("uai-log",),
    forbids=True,
    rounding=_rounding,
)
LOGARITHMS = Format(
    name="uai-log",
    title="UAI of logarithms",
    endings=(".lg",),
    recognises=recognises,
    parse=parse_logarithms,
    write=write_logarithms,
    alike=("uai",),
    forbids=True,
)


def _table_lines(tables: FloatArray) -> Iterator[str]:
    for table in tables.tolist():
        yield f"{len(table)} " + " ".join(map(repr, table))


def _potentials(energies: FloatArray, hard: BoolArray, what: str) -> tuple[FloatArray, FloatArray]:
    """exp(−energy), after taking off the minimum of every table that would not fit; and what was taken off each."""
    # Where everything is forbidden, there is no energy to keep.
    finite = np.where(hard, np.where(hard.all(axis=1), 0.0, energies.min(axis=1))[:, None], energies)
    moved = np.abs(finite).max(axis=1, initial=0.0) > _LARGEST_EXPONENT
    shift = np.where(moved, finite.min(axis=1, initial=np.inf), 0.0)
    finite = finite - shift[:, None]
    span = finite.max(axis=1, initial=0.0)
    if (span > _LARGEST_EXPONENT).any():
        worst = int(np.argmax(span))
        raise FormatError(
            None,
            f"the energies of {what} {worst} span {span[worst]:g}, but UAI potentials allow {_LARGEST_EXPONENT:g}",
            "write it as native, which stores any",
        )
    return np.where(hard, 0.0, np.exp(-finite)), shift


def _differences(energies: FloatArray, hard: BoolArray) -> FloatArray:
    """The excess of every entry over the least of its table; 0 for forbidden entries."""
    least = np.where(hard, np.inf, energies).min(axis=1, initial=np.inf)
    return np.where(hard, 0.0, energies - least[:, None])


def _refuse_lost(energies: FloatArray, hard: BoolArray, potentials: FloatArray, scale: float) -> None:
    """Refuse tables whose differences would be lost on reading back, beyond their own rounding."""
    found = -np.log(np.where(hard, 1.0, potentials))
    difference = _differences(energies, hard)
    lost = np.abs(_differences(found, hard) - difference).max(axis=1, initial=0.0)
    known = 4 * np.finfo(float).eps * np.abs(np.where(hard, 0.0, energies)).max(axis=1, initial=0.0)
    if (lost > np.maximum(_LOST * scale, known)).any():
        raise _too_close(f"differences of energies of {scale:g} at most are")


def _too_close(what: str) -> FormatError:
    return FormatError(
        None,
        f"{what} too small for UAI, whose potentials exp(-E) are then all near 1",
        "write uai-log (.uai.LG) or native",
    )


def _constant_factors(constant: float) -> list[float]:
    """Potentials of tables of no variables whose product is exp(−constant)."""
    if constant == 0.0:
        return []
    count = int(np.ceil(abs(constant) / _LARGEST_EXPONENT))
    if count > _MOST_CONSTANT_FACTORS:
        raise FormatError(
            None, f"the constant {constant:g} is too large for UAI potentials", "write it as native, which stores any"
        )
    return [float(np.exp(-constant / count))] * count
