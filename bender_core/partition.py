"""Cutting the variables into hyper-variables of at most M members, by named strategies.

The strategy "groups" is the paper's (section "Constructing Hyper-Variables"): a hyper-variable holds one
kind of variable only, in chunks of M.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bender_core.model import BinaryMRF, FloatArray, IntArray

LARGEST_GROUP = 30
# So much of an interaction counts also where it cannot matter: among such couplings the stronger is taken.
SURPLUS = 0.01


class PartitionError(ValueError):
    """The groups asked for do not partition the variables; the message says where and how to mend it."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Disjoint, non-empty groups that cover all the variables of a model.

    Attributes
    ----------
    groups : tuple of ndarray of int64
        Members of each hyper-variable; bit k of its state is the value of member k.
    labels : tuple of str
        A name for each, for people.
    strategy : str
        How the groups were made.
    """

    groups: tuple[IntArray, ...]
    labels: tuple[str, ...]
    strategy: str = "manual"

    def __post_init__(self) -> None:
        groups = tuple(np.array(group, dtype=np.int64).reshape(-1) for group in self.groups)
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
                f"the groups do not hold each of the variables 0 to {len(members) - 1} exactly once; "
                "every variable belongs to one group"
            )
        object.__setattr__(self, "groups", groups)

    @property
    def max_size(self) -> int:
        """The number of members of the largest group."""
        return max((len(group) for group in self.groups), default=0)

    def __len__(self) -> int:
        return len(self.groups)

    def group_of(self) -> IntArray:
        """For every variable the index of its group, shape (n,)."""
        owner = np.empty(sum(map(len, self.groups)), np.int64)
        for p, group in enumerate(self.groups):
            owner[group] = p
        return owner

    def describe(self, group: int, state: int) -> str:
        """A state of a group as a string of bits, first member first."""
        return format(state, f"0{len(self.groups[group])}b")[::-1]


def manual(mrf: BinaryMRF, groups: Sequence[Sequence[int]], labels: Sequence[str] | None = None) -> Partition:
    """The partition that a person states, group by group.

    Parameters
    ----------
    mrf : BinaryMRF
    groups : sequence of sequences of int
        Variable indices; each variable once.
    labels : sequence of str, optional

    Raises
    ------
    PartitionError
        If a variable is missing, repeated or unknown, or a group is empty.
    """
    names = tuple(labels) if labels is not None else tuple(f"g{p}" for p in range(len(groups)))
    part = Partition(tuple(np.asarray(group, np.int64) for group in groups), names)
    covered = sum(map(len, part.groups))
    if covered != mrf.n:
        raise PartitionError(f"the groups hold {covered} variables, the model has {mrf.n}; put every variable into one")
    return part


def require_cover(mrf: BinaryMRF, part: Partition) -> None:
    """Refuse a partition of another model.

    Raises
    ------
    PartitionError
        If it does not cover as many variables as the model has.
    """
    covered = sum(map(len, part.groups))
    if covered != mrf.n:
        raise PartitionError(f"the partition covers {covered} variables, the model has {mrf.n}; cut it anew")


def coupled_groups(mrf: BinaryMRF, part: Partition) -> IntArray:
    """The hyper-edges: pairs of groups joined by a coupling that is not zero, the lower first; shape (E, 2).

    Raises
    ------
    PartitionError
        If the partition belongs to a model with another number of variables.
    """
    require_cover(mrf, part)
    pairs = np.sort(part.group_of()[mrf.edges[mrf.coupling() != 0]], axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]].reshape(-1, 2), axis=0)


def independent_cycles(n_groups: int, edges: IntArray) -> int:
    """How many independent cycles a graph has; 0 means a forest, where the bound becomes exact."""
    root = list(range(n_groups))

    def find(p: int) -> int:
        while root[p] != p:
            root[p] = root[root[p]]
            p = root[p]
        return p

    extra = 0
    for p, q in edges.tolist():
        a, b = find(p), find(q)
        extra += a == b
        root[a] = b
    return extra


def move(part: Partition, variable: int, group: int) -> Partition:
    """The same partition with one variable in another group; a group left empty disappears.

    Raises
    ------
    PartitionError
        If the variable or the group is unknown.
    """
    owner = part.group_of()
    if not (0 <= variable < len(owner) and 0 <= group < len(part)):
        raise PartitionError(f"there is no variable {variable} or no group {group} to move it to")
    groups = [members[members != variable] for members in part.groups]
    groups[group] = np.append(groups[group], variable)
    return _edited(part, groups, part.labels)


def merge(part: Partition, first: int, second: int) -> Partition:
    """The same partition with two groups made one, under the name of the first.

    Raises
    ------
    PartitionError
        If the groups are the same, or the union would be too large for any run.
    """
    if first == second:
        raise PartitionError("a group cannot be merged with itself; choose two groups")
    groups = list(part.groups)
    groups[first] = np.concatenate([groups[first], groups[second]])
    groups[second] = groups[second][:0]
    return _edited(part, groups, part.labels)


def split(part: Partition, group: int) -> Partition:
    """The same partition with one group cut into halves.

    Raises
    ------
    PartitionError
        If the group has only one variable.
    """
    members = part.groups[group]
    if len(members) < 2:
        raise PartitionError(f"group {part.labels[group]!r} has one variable only and cannot be split")
    half = (len(members) + 1) // 2
    groups = [*part.groups[:group], members[:half], members[half:], *part.groups[group + 1 :]]
    label = part.labels[group]
    return _edited(part, groups, (*part.labels[:group], f"{label}′", f"{label}″", *part.labels[group + 1 :]))


def _edited(part: Partition, groups: Sequence[IntArray], labels: Sequence[str]) -> Partition:
    kept = [(group, label) for group, label in zip(groups, labels, strict=True) if len(group)]
    return Partition(tuple(group for group, _ in kept), tuple(label for _, label in kept), "manual")


def _chunks(members: IntArray, label: str, max_size: int) -> tuple[list[IntArray], list[str]]:
    pieces = [members[k : k + max_size] for k in range(0, len(members), max_size)]
    return pieces, [label] if len(pieces) == 1 else [f"{label} ({k + 1})" for k in range(len(pieces))]


def _by_groups(mrf: BinaryMRF, max_size: int, seed: int) -> Partition:
    """One kind of variable per hyper-variable, in chunks of M (the paper's choice)."""
    if mrf.groups is None:
        raise PartitionError("this model names no groups; choose the strategy 'greedy' or 'singletons'")
    groups: list[IntArray] = []
    labels: list[str] = []
    for kind in dict.fromkeys(mrf.groups):
        members = np.flatnonzero([g == kind for g in mrf.groups])
        pieces, names = _chunks(members, kind, max_size)
        groups += pieces
        labels += names
    return Partition(tuple(groups), tuple(labels), "groups")


def _singletons(mrf: BinaryMRF, max_size: int, seed: int) -> Partition:
    """Every variable alone: the local polytope relaxation itself."""
    return Partition(tuple(np.array([i]) for i in range(mrf.n)), mrf.names, "singletons")


def _greedy(mrf: BinaryMRF, max_size: int, seed: int) -> Partition:
    """Grow each group by the variable most strongly coupled to it; the seed breaks ties."""
    groups = _grow(mrf, _neighbours(mrf, np.abs(mrf.coupling())), max_size, seed)
    return _numbered(groups, "greedy")


def _grow(mrf: BinaryMRF, neighbours: list[dict[int, float]], max_size: int, seed: int) -> list[IntArray]:
    """Groups that take in the neighbour with the strongest pull until they are full."""
    rank = np.random.default_rng(seed).permutation(mrf.n)
    total = np.array([sum(near.values()) for near in neighbours])
    free = np.ones(mrf.n, bool)
    groups: list[IntArray] = []
    for start in np.lexsort((rank, -total)):
        if not free[start]:
            continue
        members = [int(start)]
        free[start] = False
        pull: dict[int, float] = {}
        while len(members) < max_size:
            for j, s in neighbours[members[-1]].items():
                if free[j]:
                    pull[j] = pull.get(j, 0.0) + s
            if not pull:
                break
            best = max(pull, key=lambda j: (pull[j], -rank[j]))
            del pull[best]
            free[best] = False
            members.append(best)
        groups.append(np.sort(np.array(members, np.int64)))
    return groups


def _numbered(groups: Sequence[IntArray], strategy: str) -> Partition:
    return Partition(tuple(groups), tuple(f"g{p}" for p in range(len(groups))), strategy)


def _refined(mrf: BinaryMRF, max_size: int, seed: int) -> Partition:
    """Grow groups by the couplings that matter, then move and exchange members while more of these lie inside."""
    neighbours = _neighbours(mrf, _what_matters(mrf))
    start = _numbered(_grow(mrf, neighbours, max_size, seed), "refined")
    owner = start.group_of().tolist()
    members = [set(group.tolist()) for group in start.groups]
    # How strongly a variable is coupled to each group that it touches.
    pull: list[dict[int, float]] = [{} for _ in range(mrf.n)]

    def put(i: int, group: int) -> None:
        for j, s in neighbours[i].items():
            pull[j][owner[i]] = pull[j].get(owner[i], 0.0) - s
            pull[j][group] = pull[j].get(group, 0.0) + s
        members[owner[i]].discard(i)
        members[group].add(i)
        owner[i] = group

    for i, near in enumerate(neighbours):
        for j, s in near.items():
            pull[i][owner[j]] = pull[i].get(owner[j], 0.0) + s
    # Gains below the rounding of sums could go round in circles.
    least = 1e-9 * sum(sum(near.values()) for near in neighbours)
    gained = True
    while gained:
        gained = False
        for i in range(mrf.n):
            here = pull[i].get(owner[i], 0.0)
            choices = []
            for group, there in pull[i].items():
                if group == owner[i] or there <= here:
                    continue
                if len(members[group]) < max_size:
                    choices.append((there - here, group, -1))
                    continue
                for j in members[group]:
                    back = pull[j].get(owner[i], 0.0) - pull[j].get(group, 0.0)
                    choices.append((there - here + back - 2 * neighbours[i].get(j, 0.0), group, j))
            gain, group, j = max(choices, default=(0.0, -1, -1))
            if gain <= least:
                continue
            left = owner[i]
            put(i, group)
            if j >= 0:
                put(j, left)
            gained = True
    return _numbered([np.array(sorted(group), np.int64) for group in members if group], "refined")


def _what_matters(mrf: BinaryMRF) -> FloatArray:
    """How much every coupling may matter: its interaction, as far as both ends have leeway.

    A variable that prefers the same value whatever its neighbours take has none: nothing is won by grouping it.
    """
    change = mrf.pairwise[:, 1, :] - mrf.pairwise[:, 0, :], mrf.pairwise[:, :, 1] - mrf.pairwise[:, :, 0]
    least = mrf.unary[:, 1] - mrf.unary[:, 0]
    most = least.copy()
    for side in (0, 1):
        np.add.at(least, mrf.edges[:, side], change[side].min(axis=1))
        np.add.at(most, mrf.edges[:, side], change[side].max(axis=1))
    leeway = np.maximum(np.minimum(most, -least), 0.0)
    interaction = np.abs(mrf.coupling())
    matters: FloatArray = np.minimum(interaction, leeway[mrf.edges].min(axis=1)) + SURPLUS * interaction
    return matters


def _neighbours(mrf: BinaryMRF, strength: FloatArray) -> list[dict[int, float]]:
    """How strongly every variable is coupled to each neighbour."""
    neighbours: list[dict[int, float]] = [{} for _ in range(mrf.n)]
    for (i, j), s in zip(mrf.edges.tolist(), strength.tolist(), strict=True):
        neighbours[i][j] = neighbours[j][i] = s
    return neighbours


STRATEGIES: dict[str, Callable[[BinaryMRF, int, int], Partition]] = {
    "groups": _by_groups,
    "greedy": _greedy,
    "refined": _refined,
    "singletons": _singletons,
}


def default_strategy(mrf: BinaryMRF) -> str:
    """The paper's "groups" where the model names groups, "greedy" otherwise."""
    return "groups" if mrf.groups is not None else "greedy"


def partition(mrf: BinaryMRF, max_size: int = 8, strategy: str | None = None, seed: int = 0) -> Partition:
    """Cut the variables of a model into hyper-variables.

    Parameters
    ----------
    mrf : BinaryMRF
    max_size : int
        M, the largest number of variables a hyper-variable may hold (it has 2^M states).
    strategy : {"groups", "greedy", "refined", "singletons"}, optional
        "groups" where the model names groups and "greedy" otherwise, by default. For groups stated by
        hand see `manual`.
    seed : int
        Breaks ties in "greedy", and so in "refined".

    Raises
    ------
    PartitionError
        If the strategy is unknown or does not fit the model, or max_size is out of range.
    """
    strategy = strategy or default_strategy(mrf)
    if strategy not in STRATEGIES:
        raise PartitionError(f"unknown strategy {strategy!r}; choose one of {', '.join(STRATEGIES)}")
    if not 1 <= max_size <= LARGEST_GROUP:
        raise PartitionError(f"M is {max_size}; choose a whole number from 1 to {LARGEST_GROUP}")
    return STRATEGIES[strategy](mrf, max_size, seed)
