"""Positions of groups and variables in drawings.

Poses are a body, chains a line, rings a ring, trees stand in layers; others are where the model has its variables, or
else where a force-directed layout puts them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from bender_core.groups import Partition, coupled_groups
from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.synth.pose import SKELETON

# Nodes closer than this share of the drawing's side are pushed apart.
CLEARANCE = 0.11
# The same for groups that continue others, times the root of their number: united groups make room for others.
ROOM = 0.8
# How far from the middle of a disc of radius 1 the outermost member of a group is.
REACH = 0.68
# Larger graphs are laid out by their distances from a few nodes, not by force.
MOST_BY_FORCE, PIVOTS = 200, 40
# Connected ones of up to this many nodes are laid out by stress: nodes begin by this share of the diameter away from
# those that are like them, and the iterations end with one that moves no node by STILL edges.
MOST_BY_STRESS, TWINS, ITERATIONS, STILL = 60, 0.025, 200, 1e-3
# Longer chains and rings would be too crowded as one line; they are laid out as other graphs are.
LONGEST = 100
# A drawing is straight if its lesser extent is less than this share of the greater.
FLAT = 0.1
# Groups are mixed if there is less than this number of times as much variance between them as within them.
MIXED = 2.0


def hypergraph_layout(mrf: BinaryMRF, part: Partition) -> FloatArray:
    """Positions of the hyper-variables in the unit square, shape (G, 2), y downwards; the same for the same input."""
    kinds, edges = _kinds(mrf, part), coupled_groups(mrf, part)
    if kinds is not None and set(kinds) <= set(SKELETON):
        points = np.array([SKELETON[kind] for kind in kinds])
        # Arms hang close to the trunk and legs close together; here they are spread to separate edges.
        points[:, 0] *= [2.2 if "hip" in kind or "knee" in kind or "ankle" in kind else 1.6 for kind in kinds]
        return _spread(_to_unit(points))
    if mrf.positions is None:
        return _by_shape(len(part), edges)
    means = np.array([mrf.positions[group].mean(axis=0) for group in part.groups])
    return _by_shape(len(part), edges) if _are_mixed(mrf.positions, means, part) else _by_position(means, edges)


def continued_layout(points: FloatArray, before: IntArray, part: Partition) -> FloatArray:
    """Positions of groups that continue others, shape (G, 2): those of the others, pushed apart where some have united.

    Parameters
    ----------
    points : ndarray, shape (G', 2)
        Positions of the groups before, in the unit square.
    before : ndarray of int64, shape (n,)
        The previous group of every variable.
    part : Partition
        The new groups.

    Returns
    -------
    ndarray, shape (G, 2)
        In the unit square. If no groups have united, none has moved.
    """
    begun = np.array([points[before[group]].mean(axis=0) for group in part.groups]).reshape(-1, 2)
    if all((before[group] == before[group[0]]).all() for group in part.groups):
        return begun
    return _apart(begun, ROOM / np.sqrt(len(begun)))


def variable_layout(mrf: BinaryMRF) -> FloatArray:
    """Positions of the variables in the unit square, shape (n, 2), y downwards; the model's own where it has some."""
    return _to_unit(mrf.positions) if mrf.positions is not None else _by_shape(mrf.n, mrf.edges)


def member_layout(mrf: BinaryMRF, group: IntArray) -> tuple[FloatArray, float]:
    """Positions of a group's members in a disc of radius 1, shape (len(group), 2), and the least distance of two."""
    if mrf.positions is not None:
        points = _of_placed(mrf.positions[group].tobytes())
    else:
        local = np.full(mrf.n, -1)
        local[group] = np.arange(len(group))
        ends = local[mrf.edges]
        points = _of_members(len(group), ends[(ends >= 0).all(axis=1)].tobytes())
    points = points - 0.5
    points *= REACH / max(np.linalg.norm(points, axis=1).max(), 1e-12)
    nearest = cKDTree(points).query(points, k=2)[0][:, 1].min() if len(group) > 1 else 1.0
    return points, float(nearest)


@lru_cache(1 << 10)
def _of_placed(positions: bytes) -> FloatArray:
    """Cached, as all of a class draw the same groups."""
    return _shared(_spread(_to_unit(np.frombuffer(positions).reshape(-1, 2))))


@lru_cache(1 << 10)
def _of_members(n: int, edges: bytes) -> FloatArray:
    """Cached, as most groups of a model look alike, in a run and in its forks."""
    return _shared(_by_shape(n, np.frombuffer(edges, np.int64).reshape(-1, 2)))


def _shared(points: FloatArray) -> FloatArray:
    """Points that nobody may write to, as sessions share them."""
    points.setflags(write=False)
    return points


def _kinds(mrf: BinaryMRF, part: Partition) -> list[str] | None:
    """The one kind of each group, or None if a group mixes kinds."""
    names = mrf.groups
    if names is None:
        return None
    sets = [{names[i] for i in group} for group in part.groups]
    return [next(iter(kinds)) for kinds in sets] if all(len(kinds) == 1 for kinds in sets) else None


def _are_mixed(positions: FloatArray, means: FloatArray, part: Partition) -> bool:
    """Whether groups are as mixed as random ones: then all their means are near the middle, and say nothing.

    As in an analysis of variance: between groups there is no more of it than within them.
    """
    sizes = np.array([len(group) for group in part.groups])
    between = float(sizes @ ((means - positions.mean(axis=0)) ** 2).sum(axis=1))
    within = float(((positions - means[part.group_of()]) ** 2).sum())
    return between * (len(positions) - len(part)) < MIXED * within * (len(part) - 1)


def _by_position(points: FloatArray, edges: IntArray) -> FloatArray:
    """Groups at their members, but a chain evenly along a line, and a ring that the members put on a line as a ring."""
    course = _course(len(points), edges)
    extent = np.ptp(points, axis=0)
    along = int(extent[1] > extent[0])
    if course is None or (course.ring and extent[1 - along] >= FLAT * extent[along]):
        return _spread(_to_unit(points))
    order = course.order
    if not course.ring and points[order[0], along] > points[order[-1], along]:
        order = order[::-1]
    return _along(order, course.ring, vertical=bool(along))


def _by_shape(n: int, edges: IntArray) -> FloatArray:
    """Nodes without positions."""
    course = _course(n, edges)
    if course is not None:
        return _along(course.order, course.ring)
    return _spread(_to_unit(_by_distance(n, edges) if n > MOST_BY_FORCE else _by_force_or_layers(_graph(n, edges))))


def _by_force_or_layers(drawn: nx.Graph) -> FloatArray:
    return _in_layers(drawn) if len(drawn) and nx.is_tree(drawn) else _by_force(drawn)


def _graph(n: int, edges: IntArray) -> nx.Graph:
    drawn = nx.Graph()
    drawn.add_nodes_from(range(n))
    drawn.add_edges_from(edges.tolist())
    return drawn


class _Course(NamedTuple):
    """The nodes of a chain or a ring, one after the other."""

    order: IntArray
    ring: bool


def _course(n: int, edges: IntArray) -> _Course | None:
    """The course of a graph that is one chain or one ring, with its first node or end first; else None."""
    ring = len(edges) == n
    if not 2 <= n <= LONGEST or len(edges) not in (n - 1, n):
        return None
    drawn = _graph(n, edges)
    degrees = [degree for _, degree in drawn.degree()]
    if max(degrees) > 2 or (ring and n < 3) or not nx.is_connected(drawn):
        return None
    if ring:
        # Once round, by the first node's first neighbour.
        drawn.remove_edge(0, max(drawn.neighbors(0)))
        return _Course(np.array(list(nx.dfs_preorder_nodes(drawn, 0))), True)
    return _Course(np.array(list(nx.dfs_preorder_nodes(drawn, degrees.index(1)))), False)


def _along(order: IntArray, ring: bool, vertical: bool = False) -> FloatArray:
    """Evenly on a line through the middle, or clockwise on a ring from its top."""
    n, points = len(order), np.full((len(order), 2), 0.5)
    if ring:
        turn = 2 * np.pi * np.arange(n) / n
        points[order] += 0.5 * np.column_stack([np.sin(turn), -np.cos(turn)])
    else:
        points[order, int(vertical)] = np.linspace(0, 1, n)
    return points


def _in_layers(tree: nx.Graph) -> FloatArray:
    """A tree from its centre down: leaves one after the other, the others above the middle of their children."""
    root = nx.center(tree)[0]
    children = nx.bfs_tree(tree, root)
    points = np.zeros((len(tree), 2))
    leaves = 0
    for node in nx.dfs_postorder_nodes(children, root):
        below = list(children.successors(node))
        points[node, 0] = np.mean(points[below, 0]) if below else leaves
        leaves += not below
    for node, depth in nx.single_source_shortest_path_length(children, root).items():
        points[node, 1] = depth
    return points


def _by_force(drawn: nx.Graph) -> FloatArray:
    n = len(drawn)
    if 0 < n <= MOST_BY_STRESS and nx.is_connected(drawn):
        return _by_stress(nx.floyd_warshall_numpy(drawn, weight=None))
    where = nx.spring_layout(drawn, seed=1, iterations=60)
    return np.array([where[p] for p in range(n)]).reshape(-1, 2)


def _by_stress(distance: FloatArray) -> FloatArray:
    """Points as far apart as their nodes in the graph, near ones above all.

    A sum of squares over all pairs, each relative to the distance, falls with every iteration (stress majorization of
    Gansner, Koren and North). From where the distances alone put the points it is as low as what
    `networkx.kamada_kawai_layout` finds, or lower, in a tenth of the time.
    """
    n, turn = len(distance), 2 * np.pi * np.arange(len(distance)) / len(distance)
    square = distance**2
    square -= square.mean(axis=0) + square.mean(axis=1, keepdims=True) - square.mean()
    lengths, axes = np.linalg.eigh(-square / 2)
    points: FloatArray = axes[:, -2:] * np.sqrt(np.maximum(lengths[-2:], 0)) if n > 1 else np.zeros((n, 2))
    # Nodes that are alike would stay in one place.
    points += TWINS * distance.max() * np.column_stack([np.cos(turn), np.sin(turn)])
    weight = 1 / np.maximum(distance, 1) ** 2
    np.fill_diagonal(weight, 0)
    solved = np.linalg.inv(np.diag(weight.sum(axis=1)) - weight + 1 / n)
    for _ in range(ITERATIONS):
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        pull = weight * distance / np.maximum(apart, 1e-6)
        before, points = points, solved @ (pull.sum(axis=1)[:, None] * points - pull @ points)
        if np.abs(points - before).max() < STILL:
            break
    return points


def _by_distance(n: int, edges: IntArray) -> FloatArray:
    """Points whose distances approximate graph distances from a few nodes (pivot MDS of Brandes and Pich).

    It takes milliseconds where a force-directed layout takes half a minute.
    """
    graph = csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), (n, n))
    distance = np.empty((n, PIVOTS))
    nearest = np.full(n, np.inf)
    pivot = 0
    for k in range(PIVOTS):
        distance[:, k] = dijkstra(graph, directed=False, indices=pivot, unweighted=True)
        nearest = np.minimum(nearest, distance[:, k])
        pivot = int(nearest.argmax())
    reached = np.isfinite(distance)
    # Connected components are side by side.
    distance[~reached] = 1.5 * distance[reached].max() + 1.0
    square = distance**2
    square -= square.mean(axis=0) + square.mean(axis=1, keepdims=True) - square.mean()
    axes, lengths, _ = np.linalg.svd(square, full_matrices=False)
    return _spread(_to_unit(axes[:, :2] * lengths[:2]))


def _to_unit(points: FloatArray) -> FloatArray:
    """Fill the unit square; an almost straight drawing becomes a line through the middle."""
    low, high = points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)
    extent = np.maximum(high - low, 1e-12)
    flat = extent < FLAT * extent.max()
    unit: FloatArray = 0.5 + (points - (low + high) / 2) / np.where(flat, extent.max(), extent)
    return unit


def _spread(points: FloatArray) -> FloatArray:
    """Push crowded nodes apart, and fill the unit square."""
    n = len(points)
    return _to_unit(_pushed(_jittered(points), min(CLEARANCE, 0.7 / max(np.sqrt(n), 1.0))))


def _apart(points: FloatArray, clearance: float) -> FloatArray:
    """Push nodes apart within the unit square; those that have room stay where they are."""
    return _pushed(_jittered(points), clearance, within=(0.0, 1.0))


def _jittered(points: FloatArray) -> FloatArray:
    """Coinciding nodes a little beside each other, in fixed directions."""
    angle = 2.4 * np.arange(len(points))
    return points + 1e-3 * np.column_stack([np.cos(angle), 0.5 * np.sin(angle)])


def _pushed(points: FloatArray, clearance: float, within: tuple[float, float] | None = None) -> FloatArray:
    """Push nodes apart that are closer than the clearance, without randomness."""
    n = len(points)
    for _ in range(60):
        first, second = cKDTree(points).query_pairs(clearance, output_type="ndarray").T
        if not len(first):
            break
        difference = points[first] - points[second]
        distance = np.linalg.norm(difference, axis=1, keepdims=True)
        push = 0.5 * difference / distance * (clearance - distance)
        for axis in (0, 1):
            points[:, axis] += np.bincount(first, push[:, axis], n) - np.bincount(second, push[:, axis], n)
        if within is not None:
            points = points.clip(*within)
    return points
