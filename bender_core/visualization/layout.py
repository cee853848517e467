"""Positions of groups in drawings: poses as a body, others at their variables, or by a force-directed layout."""

from __future__ import annotations

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
# Larger graphs are laid out by their distances from a few nodes, not by force.
MOST_BY_FORCE, PIVOTS = 200, 40


def hypergraph_layout(mrf: BinaryMRF, part: Partition) -> FloatArray:
    """Positions of the hyper-variables in the unit square, shape (G, 2), y downwards; the same for the same input."""
    kinds = _kinds(mrf, part)
    if kinds is not None and set(kinds) <= set(SKELETON):
        points = np.array([SKELETON[kind] for kind in kinds])
        # Arms hang close to the trunk and legs close together; here they are spread to separate edges.
        points[:, 0] *= [2.2 if "hip" in kind or "knee" in kind or "ankle" in kind else 1.6 for kind in kinds]
    elif mrf.positions is not None:
        points = np.array([mrf.positions[group].mean(axis=0) for group in part.groups])
    else:
        points = _by_force(len(part), coupled_groups(mrf, part))
    return _spread(_to_unit(points))


def variable_layout(mrf: BinaryMRF) -> FloatArray:
    """Positions of the variables in the unit square, shape (n, 2), y downwards; the model's own where it has some."""
    return _to_unit(mrf.positions if mrf.positions is not None else _by_force(mrf.n, mrf.edges))


def _kinds(mrf: BinaryMRF, part: Partition) -> list[str] | None:
    """The one kind of each group, or None if a group mixes kinds."""
    names = mrf.groups
    if names is None:
        return None
    sets = [{names[i] for i in group} for group in part.groups]
    return [next(iter(kinds)) for kinds in sets] if all(len(kinds) == 1 for kinds in sets) else None


def _by_force(n: int, edges: IntArray) -> FloatArray:
    if n > MOST_BY_FORCE:
        return _by_distance(n, edges)
    drawn = nx.Graph()
    drawn.add_nodes_from(range(n))
    drawn.add_edges_from(edges.tolist())
    if 0 < n <= 60 and nx.is_connected(drawn):
        where = nx.kamada_kawai_layout(drawn)
    else:
        where = nx.spring_layout(drawn, seed=1, iterations=60)
    return np.array([where[p] for p in range(n)]).reshape(-1, 2)


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
    flat = extent < 0.1 * extent.max()
    unit: FloatArray = 0.5 + (points - (low + high) / 2) / np.where(flat, extent.max(), extent)
    return unit


def _spread(points: FloatArray) -> FloatArray:
    """Push crowded nodes apart, without randomness; coinciding ones move in fixed directions."""
    points = points.copy()
    n = len(points)
    clearance = min(CLEARANCE, 0.7 / max(np.sqrt(n), 1.0))
    angle = 2.4 * np.arange(n)
    points += 1e-3 * np.column_stack([np.cos(angle), 0.5 * np.sin(angle)])
    for _ in range(60):
        first, second = cKDTree(points).query_pairs(clearance, output_type="ndarray").T
        if not len(first):
            break
        difference = points[first] - points[second]
        distance = np.linalg.norm(difference, axis=1, keepdims=True)
        push = 0.5 * difference / distance * (clearance - distance)
        for axis in (0, 1):
            points[:, axis] += np.bincount(first, push[:, axis], n) - np.bincount(second, push[:, axis], n)
    return _to_unit(points)
