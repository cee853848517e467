"""A change of a run as a value, and its text for addresses and scripts. Source: docs/formats.md §8.1."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bender_core.cycles.packing import Packing, needed_bytes
from bender_core.engine.arrays import Proven
from bender_core.engine.engine import Engine
from bender_core.engine.memory_needed import TooLargeError
from bender_core.engine.rows import RowAt
from bender_core.engine.settings import ENDLESS, Changes
from bender_core.forms.reduction import Left, Reduction, unreduced
from bender_core.forms.reduction import reduction as reduction_by
from bender_core.groups import LARGEST_GROUP, Partition, manual
from bender_core.kernels.layout import RowKind
from bender_core.looking.decided import reduced
from bender_core.model import BinaryMRF, IntArray
from bender_core.stopping import Stop, never
from bender_core.strategies import STRATEGIES, partition
from bender_core.strategies.packing import packed
from bender_core.variants import SCHEDULES, VARIANTS

# The words of a text, which need no escape in addresses; and the most digits of a number.
_PARTS, _WORDS, _FORKS, _EVENT = "_", "-", "~", "."
_NUMBER = re.compile("[0-9]{1,15}", re.ASCII)
_NOTHING = "on"
_KINDS = {kind.name.lower().replace("_", ""): kind for kind in RowKind}
# The number of variables whose values are packed into one number of a labelling.
_BITS = 48
# The most unions that are listed one by one.
_NAMED = 3
# Exact messages, whose bound depends on the groups alone.
EXACT = 12
# The settings of a proof's rounds: the tolerance of other runs would end them too early.
PROVING: Changes = {"variant": EXACT, "tolerance": 1e-10, "max_sweeps": ENDLESS, "excluding": True}


class ChangeError(ValueError):
    """A text is no change of a run, or one that cannot be made; the message says why."""


class ByStrategy(NamedTuple):
    """A partition by a strategy.

    Attributes
    ----------
    max_size : int
        M.
    strategy : str
    seed : int
    """

    max_size: int
    strategy: str
    seed: int = 0


class ByCycles(NamedTuple):
    """A bound by frustrated cycles.

    Attributes
    ----------
    rounds : int
    seed : int
    """

    rounds: int
    seed: int = 0


@dataclass(frozen=True)
class Change:
    """The change with which a run forks: the arguments of `Engine.fork` as plain values.

    Source: docs/method.md §2.5.

    Attributes
    ----------
    rows : tuple of RowAt
    merge : tuple of pairs of int
    variant : int or None
        None, here and below: unchanged.
    schedule : str or None
    by_strategy : ByStrategy or None
        Another partition, by a strategy.
    groups : tuple of int or None
        Another partition by hand: the group of every variable.
    deepest : int or None
    prove : bool
        Continue like the rounds of a proof: with exact messages, excluding states, until the bound no longer rises.
    reduce : bool
        Reduce the model by the decided variables (docs/method.md §15.2); everything else refers to the reduced model.
    cycles : ByCycles or None
        The bound that these rounds of cycles prove is known; a model is reduced by what they decide.
    labeling : tuple of int or None
        A labelling to continue with if it costs less than the best one known, as `digits`: of the reduced model, or,
        with cycles, of the model of the run, which they then decide with.
    pack : int or None
        Unite the groups in pairs, up to unions of this number of variables.

    Examples
    --------
    >>> import bender_core as bc
    >>> change = Change.read("merge-0-1_schedule-srmp")
    >>> change.merge, change.schedule
    (((0, 1),), 'srmp')
    >>> str(change)
    'merge-0-1_schedule-srmp'
    >>> mrf = bc.load("sample_instances/tiny.mrf.json")
    >>> change.fork(bc.Engine(mrf, bc.partition(mrf, max_size=3))).lower_bound
    -3.0
    """

    rows: tuple[RowAt, ...] = ()
    merge: tuple[tuple[int, int], ...] = ()
    variant: int | None = None
    schedule: str | None = None
    by_strategy: ByStrategy | None = None
    groups: tuple[int, ...] | None = None
    deepest: int | None = None
    prove: bool = False
    reduce: bool = False
    pack: int | None = None
    labeling: tuple[int, ...] | None = None
    cycles: ByCycles | None = None

    def __str__(self) -> str:
        """Its text, which `read` accepts; its characters need no escape in an address."""
        parts = [
            (word, *words)
            for word, field in _FIELDS.items()
            for value in field.values(getattr(self, field.name))
            for words in [field.write(value)]
        ]
        return _PARTS.join(_WORDS.join(map(str, part)) for part in parts) or _NOTHING

    @classmethod
    def read(cls, text: str) -> Change:
        """The change described by a text.

        Parameters
        ----------
        text : str
            Parts joined by ``_``: ``cut-8-greedy`` or ``cut-8-greedy-1`` with a seed, ``groups-0-0-1``, ``merge-3-7``,
            ``variant-9``, ``schedule-srmp``, ``deepest-64``, ``row-3-7-12-rmc`` (receiver, sender, state, kind),
            ``prove``, ``reduce``, ``cycles-12`` or ``cycles-12-1`` with a seed, ``pack-10``, ``labeling-5`` (see
            `digits`); or ``on`` for no change.

        Returns
        -------
        Change

        Raises
        ------
        ChangeError
        """
        change = cls()
        for part in [] if text == _NOTHING else text.split(_PARTS):
            change = change._and(part)
        return change

    def _and(self, part: str) -> Change:
        word, *words = part.split(_WORDS)
        field = _FIELDS.get(word)
        if field is None:
            raise ChangeError(
                f"{_shown(part)} is no change of a run; it begins with one of {', '.join(_FIELDS)}, or is {_NOTHING}"
            )
        value, before = field.read(words, part), getattr(self, field.name)
        if field.repeats:
            return self._with(**{field.name: (*before, value)})
        if before not in (None, False):
            raise ChangeError(f"it changes the {word} twice; write it once")
        found = self._with(**{field.name: value})
        makers = [word for word in ("cut", "groups", "pack") if getattr(found, _FIELDS[word].name) is not None]
        if len(makers) > 1:
            raise ChangeError(f"it says {' and '.join(makers)}; one of them makes the partition")
        return found

    def _with(self, **values: object) -> Change:
        return Change(**(vars(self) | values))

    def fork(
        self,
        engine: Engine,
        stop: Stop = never,
        reduction: Reduction | None = None,
        partition: Partition | None = None,
        packing: Packing | None = None,
    ) -> Engine:
        """The fork of a run with this change; raises the errors of `Engine.fork`.

        Parameters
        ----------
        engine : Engine
        stop : Stop
        reduction : Reduction, optional
            The reduction of the model, if already known; it depends on the run alone.
        partition : Partition, optional
            The result of `partition`, if already known.
        packing : Packing, optional
            The result of `packed`, if already known.

        Returns
        -------
        Engine
        """
        packing = packing or self.packed(engine, stop)
        if self.reduce and reduction is None:
            by_cycles = None if packing is None else _decided_by(packing, self._known(engine), engine.whole)
            reduction = by_cycles or reduced(engine, stop)
        if partition is None:
            partition = self.partition(engine, reduction, stop)
        settings = PROVING.copy() if self.prove else Changes()
        if self.variant is not None:
            settings["variant"] = self.variant
        if self.schedule is not None:
            settings["schedule"] = self.schedule
        if self.deepest is not None:
            settings["deepest"] = self.deepest
        found = engine.fork(
            self.rows,
            self.merge,
            partition,
            stop,
            reduction=reduction,
            labeling=self._start(engine.mrf, reduction),
            **settings,
        )
        if packing is not None:
            found.arrays.proven = found.arrays.proven.joined(_proven(packing, self._known(engine)))
        return found

    def _known(self, engine: Engine) -> IntArray:
        """The labelling that cycles decide with, of the model of the run."""
        return engine.labeling if self.labeling is None else _undone(self.labeling, engine.mrf.n)

    def _start(self, mrf: BinaryMRF, reduction: Reduction | None) -> IntArray | None:
        """The labelling to continue with, of the reduced model."""
        if self.labeling is None:
            return None
        if self.cycles is None:
            return _undone(self.labeling, mrf.n if reduction is None else reduction.reduced.n)
        labeling = _undone(self.labeling, mrf.n)
        return labeling if reduction is None else reduction.reduce(labeling)

    def packed(self, engine: Engine, stop: Stop = never) -> Packing | None:
        """The cycles of a run's model after the rounds of this change; None without cycles.

        Parameters
        ----------
        engine : Engine
            The run that is changed.
        stop : Stop

        Returns
        -------
        Packing or None

        Raises
        ------
        TooLargeError
            If they do not fit into memory with this run.
        Stopped
            If ``stop`` says so.
        """
        if self.cycles is None:
            return None
        if needed_bytes(engine.mrf) > engine.account.free:
            raise TooLargeError("there is no room for cycles beside this run; raise the limit")
        rest = Left(engine.whole, engine.labeling, engine.margin.negligible)
        packing = Packing(engine.mrf, self.cycles.seed, rest, keeps=False)
        while packing.rounds < self.cycles.rounds and not packing.finished:
            if packing.nbytes > engine.account.free:
                raise TooLargeError(
                    f"after {packing.rounds} rounds of cycles there is no room for more; raise the limit"
                )
            packing.run(packing.rounds + 1, stop=stop)
        return packing

    def partition(self, engine: Engine, reduction: Reduction | None = None, stop: Stop = never) -> Partition | None:
        """The other partition, before groups are merged; None if it is unchanged.

        Parameters
        ----------
        engine : Engine
            The run that is changed.
        reduction : Reduction, optional
            The reduction of its model, if that is reduced.
        stop : Stop
            Checked while it is made.

        Returns
        -------
        Partition or None

        Raises
        ------
        PartitionError
            If it is no partition of this model.
        Stopped
            If ``stop`` says so.
        """
        mrf = engine.mrf if reduction is None else reduction.reduced
        if self.pack is not None:
            return packed(unreduced(mrf) if reduction is None else reduction, engine.partition, self.pack)
        if self.by_strategy is not None:
            return partition(mrf, *self.by_strategy, stop=stop)
        if self.groups is None:
            return None
        owner = np.array(self.groups, np.int64)
        return manual(mrf, [np.flatnonzero(owner == p).tolist() for p in range(max(self.groups, default=-1) + 1)])

    def words(self, part: Partition, reduced: str = "decided variables leave the model") -> str:
        """The change in words.

        Parameters
        ----------
        part : Partition
            The partition of the run that is changed.
        reduced : str
            The words for the reduction of the model.

        Returns
        -------
        str
        """
        return ", ".join(self._words(part, reduced)) or "more sweeps"

    def _words(self, part: Partition, reduced: str) -> Iterator[str]:
        labels: tuple[str, ...] = part.labels
        if self.prove:
            yield "exact messages"
        if self.cycles is not None:
            yield _rounds(self.cycles.rounds)
        if self.reduce:
            labels = ()
            yield reduced
        if self.pack is not None:
            labels = ()
            yield f"groups united up to {self.pack} variables"
        if self.by_strategy is not None or self.groups is not None:
            labels = ()
            yield (
                "other groups by hand"
                if self.by_strategy is None
                else f"groups of M {self.by_strategy.max_size} by {self.by_strategy.strategy}"
            )
        unions = list(_unions(self.merge))
        if len(unions) <= _NAMED:
            yield from (f"{_listed([_name(p, labels) for p in union])} merged" for union in unions)
        else:
            yield f"{len(unions)} sets of groups merged"
        if self.variant is not None:
            yield f"variant {self.variant}"
        if self.schedule is not None:
            yield f"the schedule {self.schedule}"
        if self.deepest is not None:
            yield f"envelopes up to {self.deepest} states deep"
        if self.labeling is not None:
            yield "a better labelling" if self.cycles is None else "the best labelling known"
        if self.merge:
            labels = ()
        for receiver, sender, state, _ in self.rows:
            at = part.describe(receiver, state) if receiver < len(labels) else f"state {state}"
            yield f"a row from {_name(sender, labels)} into {_name(receiver, labels)} at {at}"


class Fork(NamedTuple):
    """The place at which a run forks, and the change.

    Attributes
    ----------
    event : int
        The number of events before the fork.
    change : Change
    """

    event: int
    change: Change


def forks_text(forks: Iterable[Fork]) -> str:
    """Forks one after the other as one text, ``120.merge-3-7~40.on``; empty for none."""
    return _FORKS.join(f"{fork.event}{_EVENT}{fork.change}" for fork in forks)


def read_forks(text: str) -> tuple[Fork, ...]:
    """The forks of a text.

    Parameters
    ----------
    text : str
        As `forks_text` writes it.

    Raises
    ------
    ChangeError
    """
    return tuple(_fork(item) for item in text.split(_FORKS)) if text else ()


def forked(engine: Engine, fork: Fork, stop: Stop = never) -> Engine:
    """The run after a fork.

    Parameters
    ----------
    engine : Engine
        At any position; it is moved to the fork.
    fork : Fork
    stop : Stop

    Returns
    -------
    Engine

    Raises
    ------
    ChangeError
        If the run ends before it would fork.
    ValueError, TooLargeError
        As by `Engine.fork`.
    Stopped
        If ``stop`` says so.
    """
    event, change = fork
    engine.seek(min(event, len(engine.trace)), lambda _: stop())
    engine.run(max_events=event, on_progress=lambda _: stop())
    stop.check()
    if engine.position < event:
        raise ChangeError(f"the run ends at event {engine.position}, and cannot fork at event {event}")
    return change.fork(engine, stop)


def _rounds(count: int) -> str:
    return "no frustrated cycle" if not count else f"{count} round{'s' * (count != 1)} of cycles"


def _decided_by(packing: Packing, known: IntArray, whole: Reduction) -> Reduction:
    """The reduction of a run's model by what its cycles decide with a labelling.

    ``whole``: from the whole model to that of the run.
    """
    return reduction_by(whole, packing.facts(known))


def _proven(packing: Packing, known: IntArray) -> Proven:
    """What cycles have proven, given the best labelling known: where that is optimal, its energy is the bound."""
    lower, upper, limits = packing.lower_bound, packing.mrf.energy(known), packing.margin
    if limits.excludes(lower - upper, 0.0) or not _decided_by(packing, known, unreduced(packing.mrf)).reduced.n:
        return Proven(upper, True)
    return Proven(limits.certain(lower, limits.rounding), False)


def change_by(packing: Packing) -> Change:
    """The change to a run that begins with the bound and the labelling of cycles, and proves."""
    return Change(prove=True, cycles=ByCycles(packing.rounds, packing.seed), labeling=digits(packing.labeling))


def digits(labeling: IntArray) -> tuple[int, ...]:
    """A labelling as a few whole numbers, each with the values of 48 variables as bits, the first one lowest."""
    values = labeling.tolist()
    return tuple(sum(x << k for k, x in enumerate(values[i : i + _BITS])) for i in range(0, len(values), _BITS))


def _undone(numbers: tuple[int, ...], n: int) -> IntArray:
    """The labelling of n variables from its `digits`."""
    values = np.array([number >> k & 1 for number in numbers for k in range(_BITS)], np.int64)[:n]
    if digits(values) != numbers or len(values) < n:
        raise ChangeError(f"its labelling has another number of variables than the {n} of the model")
    return values


def _fork(item: str) -> Fork:
    event, dot, change = item.partition(_EVENT)
    if not dot or not _NUMBER.fullmatch(event):
        raise ChangeError(f"{_shown(item)} is no fork; write the event, a dot, and the change, such as 120.merge-3-7")
    return Fork(int(event), Change.read(change))


def _row(words: list[str], part: str) -> RowAt:
    if len(words) != 4 or words[3] not in _KINDS:
        form = f"receiver, sender, state, and one of {', '.join(_KINDS)}, such as row-3-7-12-rmc"
        raise ChangeError(f"{_shown(part)} is no row; write its {form}")
    receiver, sender, state = _numbers(words[:3], part, 3)
    return RowAt(receiver, sender, state, _KINDS[words[3]])


def _word_for(kind: RowKind) -> str:
    return next(word for word, known in _KINDS.items() if known == kind)


def _numbers(words: list[str], part: str, count: int | None = None) -> tuple[int, ...]:
    if not words or (count is not None and len(words) != count) or not all(map(_NUMBER.fullmatch, words)):
        many = "whole numbers" if count is None else "a whole number" if count == 1 else f"{count} whole numbers"
        raise ChangeError(f"{_shown(part)} cannot be read; after its name it has {many}")
    return tuple(map(int, words))


def _variant(words: list[str], part: str) -> int:
    (number,) = _numbers(words, part, 1)
    if number not in VARIANTS:
        raise ChangeError(f"there is no variant {number}; choose one of {', '.join(map(str, VARIANTS))}")
    return number


def _schedule(words: list[str], part: str) -> str:
    if len(words) != 1 or words[0] not in SCHEDULES:
        raise ChangeError(f"{_shown(part)} names no schedule; choose one of {', '.join(SCHEDULES)}")
    return words[0]


def _deepest(words: list[str], part: str) -> int:
    (depth,) = _numbers(words, part, 1)
    if not 1 <= depth <= 1 << LARGEST_GROUP:
        raise ChangeError(f"deepest is {depth}; an envelope can be tight at 1 to {1 << LARGEST_GROUP} states")
    return depth


def _by_strategy(words: list[str], part: str) -> ByStrategy:
    if not 2 <= len(words) <= 3 or words[1] not in STRATEGIES:
        raise ChangeError(f"{_shown(part)} is no partition; write M and one of {', '.join(STRATEGIES)}: cut-8-greedy")
    (seed,) = _numbers(words[2:], part, 1) if len(words) > 2 else (0,)
    return ByStrategy(_size(words[:1], part), words[1], seed)


def _by_cycles(words: list[str], part: str) -> ByCycles:
    return ByCycles(*_numbers(words, part, 1 if len(words) < 2 else 2))


def _size(words: list[str], part: str) -> int:
    (size,) = _numbers(words, part, 1)
    if not 1 <= size <= LARGEST_GROUP:
        raise ChangeError(f"M is {size}; choose a whole number from 1 to {LARGEST_GROUP}")
    return size


def _flag(words: list[str], part: str) -> bool:
    if words:
        raise ChangeError(f"{_shown(part)} cannot be read; write {part.split(_WORDS)[0]} alone")
    return True


def _groups(words: list[str], part: str) -> tuple[int, ...]:
    owners = _numbers(words, part)
    if max(owners) >= len(owners):
        raise ChangeError(f"it puts a variable into group {max(owners)}; number the groups of {len(owners)} from 0")
    return owners


def _pair(words: list[str], part: str) -> tuple[int, int]:
    first, second = _numbers(words, part, 2)
    return first, second


class _Field(NamedTuple):
    """How a field of a change is read and written: as one part of the text, or as one part per value."""

    name: str
    read: Callable[[list[str], str], Any]  # the words after the first, and the whole part for an error message
    write: Callable[[Any], tuple[object, ...]]  # the words after the first
    repeats: bool = False

    def values(self, value: Any) -> tuple[Any, ...]:
        """The values that get a part each."""
        if self.repeats:
            return tuple(value)
        return () if value is None or value is False else (value,)


def _word(value: object) -> tuple[object, ...]:
    return (value,)


# By the first word of a part, in the order of writing.
_FIELDS = {
    "prove": _Field("prove", _flag, lambda _: ()),
    "reduce": _Field("reduce", _flag, lambda _: ()),
    "cycles": _Field("cycles", _by_cycles, lambda by: by if by.seed else by[:1]),
    "cut": _Field("by_strategy", _by_strategy, lambda by: by if by.seed else by[:2]),
    "groups": _Field("groups", _groups, tuple),
    "merge": _Field("merge", _pair, tuple, repeats=True),
    "pack": _Field("pack", _size, _word),
    "variant": _Field("variant", _variant, _word),
    "schedule": _Field("schedule", _schedule, _word),
    "deepest": _Field("deepest", _deepest, _word),
    "labeling": _Field("labeling", _numbers, tuple),
    "row": _Field("rows", _row, lambda row: (row.receiver, row.sender, row.state, _word_for(row.kind)), repeats=True),
}


def _shown(text: str) -> str:
    """A text for a message, shortened to a line."""
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def _unions(pairs: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """The groups joined by pairs, each union in the order in which its groups appear."""
    unions: list[list[int]] = []
    for pair in pairs:
        met = [union for union in unions if set(union) & set(pair)]
        unions = [union for union in unions if union not in met]
        unions.append(list(dict.fromkeys([p for union in met for p in union] + list(pair))))
    yield from unions


def _name(p: int, labels: tuple[str, ...]) -> str:
    return labels[p] if p < len(labels) else f"group {p}"


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
