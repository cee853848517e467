"""Partitions: given by hand, edited, and as a graph of groups.

Source: docs/method.md §1.4, docs/formats.md §5.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bender_core.given import require_index
from bender_core.kernels import forest
from bender_core.model import BinaryMRF, FloatArray, IntArray, require_model
from bender_core.stopping import Stop, never

LARGEST_GROUP = 30
# Codes are counted instead of sorted if there are at most this many possible values per code.
DENSE = 32


class PartitionError(ValueError):
    """The given groups do not partition the variables; the message says where and how to fix it."""


def require_size(max_size: object) -> None:
    """Refuse a value that cannot be M, the most variables of a group.

    Raises
    ------
    PartitionError
    """
    if not isinstance(max_size, (int, np.integer)) or not 1 <= max_size <= LARGEST_GROUP:
        given = reprlib.repr(max_size)
        raise PartitionError(f"M is {given}; choose a whole number from 1 to {LARGEST_GROUP}")


@dataclass(frozen=True, eq=False)
class Partition:
    """Disjoint, non-empty groups that cover all the variables of a model.

    Source: docs/method.md §1.4.

    Attributes
    ----------
    groups : tuple of ndarray of int64
        Members of each hyper-variable; bit k of its state is the value of member k.
    labels : tuple of str
        A name for each group, for display.
    strategy : str
        How the groups were made.
    reason : str
        The reason for this choice, in a sentence; empty if there was no choice.
    seed : int
        The seed of the strategy's random choices and ties.
    seconds : float
        The processor time that a strategy took to choose them; 0 of groups that are stated or edited.
    """

    groups: tuple[IntArray, ...]
    labels: tuple[str, ...]
    strategy: str = "manual"
    reason: str = ""
    seed: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.groups):
            raise PartitionError(f"{len(self.groups)} groups have {len(self.labels)} labels; give one for each")
        groups = tuple(_members(group, label) for group, label in zip(self.groups, self.labels, strict=True))
        for label, group in zip(self.labels, groups, strict=True):
            if not len(group):
                raise PartitionError(f"group {label!r} is empty; give it a variable or leave it out")
            if len(group) > LARGEST_GROUP:
                raise PartitionError(
                    f"group {label!r} has {len(group)} variables and so 2^{len(group)} states; "
                    f"split it into groups of at most {LARGEST_GROUP}"
                )
            group.setflags(write=False)
        members = np.concatenate(groups) if groups else np.empty(0, np.int64)
        if not np.array_equal(np.sort(members), np.arange(len(members))):
            raise PartitionError(
                f"the groups do not contain each of the variables 0 to {len(members) - 1} exactly once; "
                "every variable belongs to one group"
            )
        object.__setattr__(self, "groups", groups)

    @property
    def largest(self) -> int:
        """The size of the largest group."""
        return max((len(group) for group in self.groups), default=0)

    def __len__(self) -> int:
        return len(self.groups)

    def group_of(self) -> IntArray:
        """The index of the group of every variable, shape (n,)."""
        owner = np.empty(sum(map(len, self.groups)), np.int64)
        for p, group in enumerate(self.groups):
            owner[group] = p
        return owner

    def bit_of(self) -> IntArray:
        """The bit of every variable in the states of its group, shape (n,)."""
        bit = np.empty(sum(map(len, self.groups)), np.int64)
        for group in self.groups:
            bit[group] = np.arange(len(group))
        return bit

    def describe(self, group: int, state: int) -> str:
        """A state of a group as a string of bits, first member first.

        Parameters
        ----------
        group, state : int

        Returns
        -------
        str

        Raises
        ------
        PartitionError
            If there is no such group, or no such state of it.
        """
        _require_index(group, len(self), "group")
        _require_index(state, 1 << len(self.groups[group]), "state")
        return format(state, f"0{len(self.groups[group])}b")[::-1]


def _members(group: Sequence[int] | IntArray, label: str) -> IntArray:
    """The variables of a group, a fresh array."""
    try:
        members = np.array(group)
    except ValueError:
        members = np.array(None)
    if members.size and members.dtype.kind not in "iu":
        raise PartitionError(f"group {label!r} is {group!r}; list its variables by their numbers")
    return members.astype(np.int64, copy=False).reshape(-1)


def manual(mrf: BinaryMRF, groups: Sequence[Sequence[int]], labels: Sequence[str] | None = None) -> Partition:
    """A partition given group by group.

    Parameters
    ----------
    mrf : BinaryMRF
    groups : sequence of sequences of int
        Variable indices; each variable once.
    labels : sequence of str, optional
        Names; ``g0``, ``g1``, ... by default.

    Returns
    -------
    Partition

    Raises
    ------
    PartitionError
        If a variable is missing, repeated or unknown, or a group is empty.

    Examples
    --------
    >>> part = manual(BinaryMRF(unary=[[0, 1]] * 3), [[0, 2], [1]])
    >>> len(part), part.largest, part.group_of().tolist()
    (2, 2, [0, 1, 0])
    """
    require_model(mrf)
    names = tuple(labels) if labels is not None else tuple(f"g{p}" for p in range(len(groups)))
    part = Partition(tuple(groups), names)  # type: ignore[arg-type]
    covered = sum(map(len, part.groups))
    if covered != mrf.n:
        raise PartitionError(
            f"the groups contain {covered} variables, the model has {mrf.n}; put every variable into exactly one"
        )
    return part


def require_cover(mrf: BinaryMRF, part: Partition) -> None:
    """Refuse a partition of another model.

    Raises
    ------
    PartitionError
        If it covers another number of variables, or is no partition.
    ModelError
        If the model is no model.
    """
    require_model(mrf)
    _require_partition(part)
    covered = sum(map(len, part.groups))
    if covered != mrf.n:
        raise PartitionError(f"the partition covers {covered} variables, the model has {mrf.n}; make a new one")


def coupled_groups(mrf: BinaryMRF, part: Partition) -> IntArray:
    """The hyper-edges: pairs of groups joined by a coupling that is not zero, the lower first; shape (E, 2).

    Raises
    ------
    PartitionError
        If the partition belongs to a model with another number of variables.
    """
    require_cover(mrf, part)
    return joint_weights(mrf, part, np.zeros(mrf.n_edges))[0]


def joint_weights(mrf: BinaryMRF, part: Partition, weight: FloatArray) -> tuple[IntArray, FloatArray]:
    """The hyper-edges, and the total weight of the couplings of each; shapes (E, 2) and (E,)."""
    one, other = part.group_of()[mrf.edges].T
    between = (one != other) & (mrf.coupling() != 0)
    one, other, n = one[between], other[between], len(part)
    found, which = numbered(np.minimum(one, other) * n + np.maximum(one, other), n * n)
    return np.stack(np.divmod(found, max(n, 1)), axis=1), np.bincount(which, weight[between], len(found)).astype(
        np.float64
    )


def numbered(codes: IntArray, end: int) -> tuple[IntArray, IntArray]:
    """The distinct codes, ascending, and for each code its place among them; all are below ``end``."""
    if end > DENSE * codes.size:
        found, place = np.unique(codes, return_inverse=True)
        return found, place.reshape(codes.shape)
    # Sorting takes ten times as long.
    there = np.zeros(end, bool)
    there[codes] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[codes]


def spanning_forest(n: int, edges: IntArray) -> NDArray[np.bool_]:
    """Which edges of a graph, taken in their order, close no cycle with earlier ones; shape (E,)."""
    kept: NDArray[np.bool_] = forest.spanning_forest(n, edges, np.zeros(len(edges), bool)) == forest.Closes.NOTHING
    return kept


def independent_cycles(n_groups: int, edges: IntArray) -> int:
    """The number of independent cycles of a graph; 0 means a forest, on which the bound becomes exact."""
    return int((~spanning_forest(n_groups, edges)).sum())


def move(part: Partition, variable: int, group: int) -> Partition:
    """The same partition with one variable in another group; a group left empty disappears.

    Raises
    ------
    PartitionError
        If the variable or the group is unknown.
    """
    _require_index(variable, sum(map(len, part.groups)), "variable")
    _require_index(group, len(part), "group")
    groups = [members[members != variable] for members in part.groups]
    groups[group] = np.append(groups[group], variable)
    return _edited(part, groups, part.labels)


def merge(part: Partition, first: int, second: int) -> Partition:
    """The same partition with two groups merged, under the name of the first.

    Raises
    ------
    PartitionError
        If a group is unknown, the groups are the same, or the union would be too large for any run.
    """
    return merge_all(part, [(first, second)])


def merge_all(part: Partition, pairs: Iterable[tuple[int, int]]) -> Partition:
    """The same partition with the groups of every pair merged, each union in the place and under the name of its first.

    Parameters
    ----------
    part : Partition
    pairs : iterable of pairs of int
        Groups of ``part``; pairs that share a group make one union.

    Returns
    -------
    Partition

    Raises
    ------
    PartitionError
        If a group is unknown, a pair names one group twice, or a union would be too large for any run.

    Examples
    --------
    >>> part = manual(BinaryMRF(unary=[[0, 1]] * 5), [[0], [1], [2], [3, 4]], list("abcd"))
    >>> merged = merge_all(part, [(3, 1), (0, 1)])
    >>> merged.labels, [group.tolist() for group in merged.groups]
    (('a', 'c'), [[0, 3, 4, 1], [2]])
    """
    _require_partition(part)
    try:
        pairs = [(first, second) for first, second in pairs]
    except (TypeError, ValueError):
        raise PartitionError(f"{pairs!r} are no pairs of groups; give a list such as [(0, 1)]") from None
    if not pairs:
        return part
    unions = [[p] for p in range(len(part))]
    home = list(range(len(part)))
    for first, second in pairs:
        for group in (first, second):
            _require_index(group, len(part), "group")
        if first == second:
            raise PartitionError("a group cannot be merged with itself; choose two groups")
        place, other = home[first], home[second]
        if place == other:
            continue
        unions[place] += unions[other]
        unions[other] = []
        for p in unions[place]:
            home[p] = place
    groups = [np.concatenate([part.groups[p][:0], *(part.groups[q] for q in union)]) for p, union in enumerate(unions)]
    return _edited(part, groups, part.labels)


def split(part: Partition, group: int) -> Partition:
    """The same partition with one group split into halves, in the order of its members.

    Raises
    ------
    PartitionError
        If the group is unknown or has only one variable.
    """
    _require_several(part, group)
    return _halved(part, {group: _first_half(len(part.groups[group]))})


def split_by_coupling(mrf: BinaryMRF, part: Partition, group: int) -> Partition:
    """The same partition with one group split into weakly coupled halves.

    The halves of `split`, and a half grown from the most strongly coupled member, are improved by the best exchange of
    two members until none improves (Kernighan and Lin); the better result is taken. It is never worse than `split` but
    need not be optimal.

    Raises
    ------
    PartitionError
        If the group is unknown or has only one variable, or the partition belongs to another model.
    """
    require_cover(mrf, part)
    _require_several(part, group)
    return halve(mrf, part, [group])


def halve(mrf: BinaryMRF, part: Partition, groups: Sequence[int], stop: Stop = never) -> Partition:
    """The same partition with some groups of two or more variables split as by `split_by_coupling`.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    halves = {}
    for group, strength in zip(groups, _strengths_within(mrf, part, groups), strict=True):
        stop.check()
        halves[group] = _little_coupled_half(strength)
    return _halved(part, halves)


def _little_coupled_half(strength: FloatArray) -> NDArray[np.bool_]:
    """The members of one of two weakly coupled halves."""
    halves = [_exchanged(strength, half) for half in (_first_half(len(strength)), _grown_half(strength))]
    best = min(halves, key=lambda half: strength[half][:, ~half].sum())
    # The halves are unordered; if they are equally large, the one with the first member comes first.
    return best if best[0] or 2 * best.sum() != len(best) else ~best


def _require_index(index: int, count: int, what: str) -> None:
    try:
        require_index(index, count, what)
    except ValueError as error:
        raise PartitionError(str(error)) from None


def _require_partition(part: object) -> None:
    if not isinstance(part, Partition):
        raise PartitionError(f"the partition is of type {type(part).__name__}; give what partition or manual returns")


def _require_several(part: Partition, group: int) -> None:
    _require_index(group, len(part), "group")
    if len(part.groups[group]) < 2:
        raise PartitionError(f"group {part.labels[group]!r} has only one variable and cannot be split")


def _halved(part: Partition, first: Mapping[int, NDArray[np.bool_]]) -> Partition:
    """The partition with some groups split, given the members of each first half."""
    groups: list[IntArray] = []
    labels: list[str] = []
    for p, (members, label) in enumerate(zip(part.groups, part.labels, strict=True)):
        if p in first:
            groups += [members[first[p]], members[~first[p]]]
            labels += [f"{label}′", f"{label}″"]
        else:
            groups.append(members)
            labels.append(label)
    return _edited(part, groups, labels)


def _first_half(size: int) -> NDArray[np.bool_]:
    return np.arange(size) < (size + 1) // 2


def _strengths_within(mrf: BinaryMRF, part: Partition, groups: Sequence[int]) -> Iterator[FloatArray]:
    """For each group in turn the coupling strengths between its members, shape (m, m)."""
    owner = part.group_of()
    place = np.empty(mrf.n, np.int64)
    for group in part.groups:
        place[group] = np.arange(len(group))
    home = owner[mrf.edges[:, 0]]
    inside = np.flatnonzero(home == owner[mrf.edges[:, 1]])
    inside = inside[np.argsort(home[inside], kind="stable")]
    ends, weight = place[mrf.edges[inside]], np.abs(mrf.coupling()[inside])
    for group, first, last in zip(
        groups, *(np.searchsorted(home[inside], groups, side=side) for side in ("left", "right")), strict=True
    ):
        strength = np.zeros((len(part.groups[group]),) * 2)
        strength[tuple(ends[first:last].T)] = weight[first:last]
        yield strength + strength.T


def _grown_half(strength: FloatArray) -> NDArray[np.bool_]:
    """Half of the members, grown from the most strongly coupled one by the one most strongly coupled to it."""
    half = np.zeros(len(strength), bool)
    half[strength.sum(axis=1).argmax()] = True
    while 2 * half.sum() < len(half):
        half[np.where(half, -1.0, strength[half].sum(axis=0)).argmax()] = True
    return half


def _exchanged(strength: FloatArray, half: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The half after all exchanges of two members that reduce its coupling to the other half."""
    half = half.copy()
    # Gains below the rounding of sums could cycle for ever.
    least = 1e-9 * strength.sum()
    while True:
        ours, theirs = np.flatnonzero(half), np.flatnonzero(~half)
        leaning = (strength[:, theirs].sum(axis=1) - strength[:, ours].sum(axis=1)) * np.where(half, 1, -1)
        gain = leaning[ours][:, None] + leaning[theirs] - 2 * strength[np.ix_(ours, theirs)]
        if gain.max(initial=0.0) <= least:
            return half
        i, j = np.unravel_index(gain.argmax(), gain.shape)
        half[[ours[i], theirs[j]]] = False, True


def _edited(part: Partition, groups: Sequence[IntArray], labels: Sequence[str]) -> Partition:
    kept = [(group, label) for group, label in zip(groups, labels, strict=True) if len(group)]
    return Partition(tuple(group for group, _ in kept), tuple(label for _, label in kept), "manual")
