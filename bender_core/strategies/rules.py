"""The strategies that partition variables into groups of at most M members, and their measure of coupling.

The strategy "groups" is the paper's (section "Constructing Hyper-Variables"): a hyper-variable contains only one kind
of variable, in chunks of M.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence

import numpy as np

from bender_core.groups import Partition, PartitionError, coupled_groups, independent_cycles
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.seeds import generator
from bender_core.stopping import Stop
from bender_core.strategies.communities import Neighbours, communities

# This share of an interaction counts even where it cannot matter, so that the stronger of such couplings is preferred.
SURPLUS = 0.01


def _chunks(members: IntArray, label: str, max_size: int) -> tuple[list[IntArray], list[str]]:
    pieces = [members[k : k + max_size] for k in range(0, len(members), max_size)]
    return pieces, [label] if len(pieces) == 1 else [f"{label} ({k + 1})" for k in range(len(pieces))]


def _by_groups(mrf: BinaryMRF, max_size: int, seed: int, stop: Stop) -> Partition:
    """One kind of variable per group, in chunks of M (the paper's choice)."""
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


def _singletons(mrf: BinaryMRF, max_size: int, seed: int, stop: Stop) -> Partition:
    """Every variable alone: the local polytope relaxation itself."""
    return Partition(tuple(np.array([i]) for i in range(mrf.n)), mrf.names, "singletons")


def _greedy(mrf: BinaryMRF, max_size: int, seed: int, stop: Stop) -> Partition:
    """Grow each group by the variable most strongly coupled to it; the seed breaks ties."""
    groups = _grow(_neighbours(mrf, np.abs(mrf.coupling())), max_size, seed, stop)
    return _numbered(groups, "greedy")


def _grow(neighbours: Neighbours, max_size: int, seed: int, stop: Stop) -> list[IntArray]:
    """Groups that absorb their most strongly coupled neighbour until they are full."""
    rank = generator(seed).permutation(len(neighbours))
    total = np.array([sum(near.values()) for near in neighbours])
    free = np.ones(len(neighbours), bool)
    groups: list[IntArray] = []
    for start in np.lexsort((rank, -total)):
        stop.check()
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


def _refined(mrf: BinaryMRF, max_size: int, seed: int, stop: Stop) -> Partition:
    """Grow groups by relevant coupling, then move and exchange members while the coupling inside increases."""
    neighbours = _neighbours(mrf, what_matters(mrf))
    start = _numbered(_grow(neighbours, max_size, seed, stop), "refined")
    owner = start.group_of().tolist()
    members = [set(group.tolist()) for group in start.groups]
    # How strongly a variable is coupled to each neighbouring group.
    pull: Neighbours = [{} for _ in range(mrf.n)]

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
    # Gains below the rounding of sums could cycle for ever.
    least = 1e-9 * sum(sum(near.values()) for near in neighbours)
    gained = True
    while gained:
        gained = False
        for i in range(mrf.n):
            stop.check()
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


def _layers(mrf: BinaryMRF, max_size: int, seed: int, stop: Stop) -> Partition:
    """Levels from one end of the graph to the other, packed in order: a chain or a tree if they are narrow.

    The vertices of a level that are connected through it and the levels behind it form a cluster. The clusters form a
    tree (the layering partition of Brandstädt, Chepoi and Dragan), on a grid a chain; only those larger than M are cut.
    """
    neighbours = _neighbours(mrf, np.abs(mrf.coupling()))
    components: list[list[dict[int, int]]] = []
    seen: set[int] = set()
    for i in range(mrf.n):
        if i not in seen:
            components.append(_level_structures(neighbours, i, stop))
            seen.update(components[-1][0])
    cuts = []
    for structures in zip(*components, strict=True):
        clusters = [cluster for level in structures for cluster in _clusters(neighbours, level, stop)]
        units = [unit for cluster in clusters for unit in _pieces(cluster, max_size)]
        cuts.append(_numbered(_packed(units, neighbours, max_size, stop), "layers"))
    return min(
        cuts,
        key=lambda part: (independent_cycles(len(part), coupled_groups(mrf, part)), len(part)),
        default=_numbered([], "layers"),
    )


def _level_structures(neighbours: Neighbours, start: int, stop: Stop) -> list[dict[int, int]]:
    """Levels of a component's vertices such that neighbours are at most one apart.

    By the distance from each of two opposite ends (George and Liu's pseudo-peripheral vertices), and by the difference
    of a vertex's distances from an end and from an adjacent corner: the rows and columns of a grid.
    """
    end = _distances(neighbours, start, stop)
    while True:
        furthest = max(end.values())
        last = min((i for i in end if end[i] == furthest), key=lambda i: len(neighbours[i]))
        other = _distances(neighbours, last, stop)
        if max(other.values()) <= furthest:
            break
        end = other
    corner = min(end, key=lambda i: (len(neighbours[i]), -min(end[i], other[i])))
    beside = _distances(neighbours, corner, stop)
    across = (
        {i: (near[i] - beside[i]) // 2 for i in sorted(near, key=lambda i: near[i] + beside[i])}
        for near in (end, other)
    )
    return [*across, end, other]


def _distances(neighbours: Neighbours, root: int, stop: Stop) -> dict[int, int]:
    """The distance of every vertex of a component from its root, breadth first."""
    distance = {root: 0}
    queue = [root]
    for i in queue:
        stop.check()
        for j in neighbours[i]:
            if j not in distance:
                distance[j] = distance[i] + 1
                queue.append(j)
    return distance


def _clusters(neighbours: Neighbours, level: dict[int, int], stop: Stop) -> list[list[int]]:
    """Every level split into the parts connected through it and the levels behind it, the first level first."""
    sets = {i: i for i in level}
    clusters: list[list[int]] = []
    for depth in sorted(set(level.values()), reverse=True):
        members = [i for i in level if level[i] == depth]
        for i in members:
            stop.check()
            for j in neighbours[i]:
                if level[j] >= depth:
                    sets[_root(sets, i)] = _root(sets, j)
        together: dict[int, list[int]] = {}
        for i in members:
            together.setdefault(_root(sets, i), []).append(i)
        clusters += reversed(together.values())
    return clusters[::-1]


def _root(above: dict[int, int], i: int) -> int:
    """The representative of the set of i (union-find with path halving)."""
    while above[i] != i:
        above[i] = above[above[i]]
        i = above[i]
    return i


def _pieces(cluster: list[int], max_size: int) -> list[list[int]]:
    """A cluster split into as few pieces as possible, of about equal size."""
    pieces = -(-len(cluster) // max_size)
    cuts = [len(cluster) * k // pieces for k in range(pieces + 1)]
    return [cluster[a:b] for a, b in itertools.pairwise(cuts)]


def _packed(units: list[list[int]], neighbours: Neighbours, max_size: int, stop: Stop) -> list[IntArray]:
    """Groups of units: each joins its parent's group, or else the latest other child's, if it fits.

    Neither closes a cycle where the units form a tree.
    """
    groups: list[list[int]] = []
    owner: dict[int, int] = {}
    latest: dict[int, int] = {}
    for unit in units:
        stop.check()
        pull: dict[int, float] = {}
        for i in unit:
            for j, s in neighbours[i].items():
                if j in owner:
                    pull[owner[j]] = pull.get(owner[j], 0.0) + s
        ahead = max(pull, key=pull.__getitem__, default=-1)
        for group in (ahead, latest.get(ahead, -1)):
            if group >= 0 and len(groups[group]) + len(unit) <= max_size:
                break
        else:
            group = latest[ahead] = len(groups)
            groups.append([])
        groups[group] += unit
        owner.update(dict.fromkeys(unit, group))
    return [np.sort(np.array(group, np.int64)) for group in groups]


def _blocks(mrf: BinaryMRF, max_size: int, seed: int, stop: Stop) -> Partition:
    """Tiles of the drawing, by repeatedly halving across the longer side."""
    if mrf.positions is None:
        raise PartitionError("this model has no positions; choose the strategy 'layers' or 'refined'")
    return _numbered(_tiles(np.arange(mrf.n), mrf.positions, max_size), "blocks")


def _tiles(members: IntArray, positions: FloatArray, max_size: int) -> list[IntArray]:
    tiles = -(-len(members) // max_size)
    if tiles < 2:
        return [members] * tiles
    points = positions[members]
    longer = int(np.argmax(np.ptp(points, axis=0)))
    order = members[np.lexsort((points[:, 1 - longer], points[:, longer]))]
    cut = round(len(members) * (tiles // 2) / tiles)
    return [tile for half in (order[:cut], order[cut:]) for tile in _tiles(np.sort(half), positions, max_size)]


def _community(mrf: BinaryMRF, max_size: int, seed: int, stop: Stop) -> Partition:
    """Louvain communities by coupling, each grown into groups; small groups are united where they fit."""
    strength = np.abs(mrf.coupling())
    neighbours = _neighbours(mrf, strength)
    home = communities(neighbours, seed, stop)
    within = np.where(home[mrf.edges[:, 0]] == home[mrf.edges[:, 1]], strength, 0.0)
    grown = _grow(_neighbours(mrf, within), max_size, seed, stop)
    return _numbered(_united(grown, neighbours, max_size, stop), "community")


def _united(groups: list[IntArray], neighbours: Neighbours, max_size: int, stop: Stop) -> list[IntArray]:
    """Unite the most strongly coupled pair that fits into one group, until no coupled pair fits."""
    members: list[list[int]] = [group.tolist() for group in groups]
    owner = {i: p for p, group in enumerate(members) for i in group}
    pull: Neighbours = [{} for _ in members]
    for i, near in enumerate(neighbours):
        for j, s in near.items():
            if owner[i] != owner[j]:
                pull[owner[i]][owner[j]] = pull[owner[i]].get(owner[j], 0.0) + s
    queue = [(-s, p, q) for p, near in enumerate(pull) for q, s in near.items() if p < q]
    heapq.heapify(queue)
    while queue:
        stop.check()
        s, p, q = heapq.heappop(queue)
        # Pairs that have changed since they were queued are queued again with their new coupling.
        if pull[p].get(q) != -s or len(members[p]) + len(members[q]) > max_size:
            continue
        members[p] += members[q]
        members[q] = []
        for r, t in pull[q].items():
            del pull[r][q]
            if r != p:
                pull[p][r] = pull[r][p] = pull[p].get(r, 0.0) + t
                heapq.heappush(queue, (-pull[p][r], min(p, r), max(p, r)))
        pull[q] = {}
    return [np.array(sorted(group), np.int64) for group in members if group]


def _random(mrf: BinaryMRF, max_size: int, seed: int, stop: Stop) -> Partition:
    """Variables in random order, split into chunks of M: a baseline for all other strategies."""
    order = generator(seed).permutation(mrf.n)
    return _numbered([np.sort(order[k : k + max_size]) for k in range(0, mrf.n, max_size)], "random")


def what_matters(mrf: BinaryMRF) -> FloatArray:
    """How much every coupling may matter: its interaction, limited by the leeway of both ends.

    A variable that prefers the same value for all values of its neighbours has no leeway: grouping it gains nothing.
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


def _neighbours(mrf: BinaryMRF, strength: FloatArray) -> Neighbours:
    """How strongly every variable is coupled to each neighbour; couplings of strength 0 join nothing."""
    neighbours: Neighbours = [{} for _ in range(mrf.n)]
    coupled = strength != 0
    for (i, j), s in zip(mrf.edges[coupled].tolist(), strength[coupled].tolist(), strict=True):
        neighbours[i][j] = neighbours[j][i] = s
    return neighbours


# Takes the model, M, the seed and `Stop`.
Rule = Callable[[BinaryMRF, int, int, Stop], Partition]
BY_RULE: dict[str, Rule] = {
    "groups": _by_groups,
    "greedy": _greedy,
    "refined": _refined,
    "layers": _layers,
    "blocks": _blocks,
    "community": _community,
    "random": _random,
    "singletons": _singletons,
}
