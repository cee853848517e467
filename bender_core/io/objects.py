"""Models that other libraries hold in memory: dimod, networkx, scipy and pgmpy.

None of these libraries is needed to read its objects. Variables keep their order and, as texts, their labels.

Source: docs/formats.md §2.16.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from bender_core.io._labels import names_of
from bender_core.io.formats._coefficients import coefficients
from bender_core.io.formats._cuts import CUT
from bender_core.io.formats._cuts import OBJECTIVE as CUT_WEIGHT
from bender_core.io.formats._potentials import OBJECTIVE as LOG_POTENTIAL
from bender_core.io.formats._quadratic import DOMAINS, Domain, from_coefficients
from bender_core.model import LARGEST_ENERGY, BinaryMRF, FloatArray, IntArray, ModelError, require_model
from bender_core.objective import Objective
from bender_core.sums import exact_sums

# Names of states that have none.
PLACES = [0, 1]
GraphKind = Literal["max-cut", "ising", "qubo", "balance"]


def from_bqm(bqm: Any) -> BinaryMRF:
    """A binary quadratic model of dimod, of bits or spins.

    Source: docs/formats.md §2.16.

    Parameters
    ----------
    bqm : dimod.BinaryQuadraticModel

    Returns
    -------
    BinaryMRF
        Variable k is ``list(bqm.variables)[k]``; a spin of 1 is the state 1.

    Raises
    ------
    ModelError
        If it is none, or a bias is not finite.

    Examples
    --------
    >>> import dimod
    >>> mrf = from_bqm(dimod.BinaryQuadraticModel({"a": 1.0}, {("a", "b"): -2.0}, 0.5, "SPIN"))
    >>> mrf.names, mrf.energy([0, 0]), mrf.energy([0, 1])
    (('a', 'b'), -2.5, 1.5)
    """
    vartype = getattr(getattr(bqm, "vartype", None), "name", None)
    if not hasattr(bqm, "to_numpy_vectors") or vartype not in DOMAINS:
        raise _wrong(bqm, "a BinaryQuadraticModel of dimod")
    labels, domain = list(bqm.variables), DOMAINS[vartype]
    linear, (i, j, quadratic), _ = bqm.to_numpy_vectors(labels)
    alone = np.arange(len(labels))
    ends = np.append(alone, i).astype(np.int64), np.append(alone, j).astype(np.int64)
    values = np.append(np.asarray(linear, float), np.asarray(quadratic, float))
    _require_finite(values, lambda k: f"the bias of {_shown([labels[end[k]] for end in ends])}")
    offset = _number("the offset", bqm.offset)
    found = from_coefficients(ends, values, len(labels), domain, offsets=[offset])
    source = "BinaryQuadraticModel of dimod"
    return BinaryMRF(**found.tables(), names=names_of(labels), source=source, objective=Objective(domain=domain))


def to_bqm(mrf: BinaryMRF, labels: Sequence[Hashable] | None = None) -> Any:
    """A model as a binary quadratic model of dimod: of spins if its source has spins, else of bits.

    Source: docs/formats.md §2.16.

    Parameters
    ----------
    mrf : BinaryMRF
        Hard constraints become large biases.
    labels : sequence of hashable, optional
        Of the variables; by default their names.

    Returns
    -------
    dimod.BinaryQuadraticModel

    Raises
    ------
    ImportError
        If dimod is not installed.
    ModelError
        If the labels are not as many as the variables, or not all different.
    FormatError
        If the rounding of biases would change energies too much.
    """
    require_model(mrf)
    try:
        import dimod
    except ImportError as error:
        raise ImportError('dimod is not installed: pip install "bender-lab[dimod]"') from error
    if not isinstance(labels, Iterable | None):
        raise ModelError(f"the labels are {labels!r}; give a list of {mrf.n}, one for each variable")
    of = list(mrf.names if labels is None else labels)
    try:
        different = len(set(of))
    except TypeError as error:
        raise ModelError(f"a label cannot be one ({error}); give texts, numbers or tuples of them") from None
    if len(of) != mrf.n or different != mrf.n:
        raise ModelError(f"of {len(of)} labels {different} differ; give {mrf.n}, one for each variable")
    found = coefficients(mrf, mrf.objective.domain)
    quadratic = *found.edges.T, found.quadratic
    vartype = dimod.SPIN if found.domain == "spins" else dimod.BINARY
    return dimod.BinaryQuadraticModel.from_numpy_vectors(
        found.linear, quadratic, found.constant, vartype, variable_order=of
    )


def from_networkx(graph: Any, kind: GraphKind, weight: str = "weight", field: str = "field") -> BinaryMRF:
    """A graph of networkx whose edges have weights.

    Source: docs/formats.md §2.16.

    Parameters
    ----------
    graph : networkx.Graph or networkx.MultiGraph
        The weights of parallel edges are summed first; an edge without one has weight 1.
    kind : {"max-cut", "ising", "qubo", "balance"}
        What is asked for: a cut of the largest weight; the least sum of ``weight s_i s_j`` and ``field s_i`` over
        spins; that of ``weight x_i x_j`` and ``field x_i`` over bits; or two camps, such that edges of positive weight
        within a camp and edges of negative weight between camps are satisfied, and the weights of the others sum to
        the least.
    weight, field : str
        The attributes of edges and of nodes.

    Returns
    -------
    BinaryMRF
        Variable k is ``list(graph)[k]``.

    Raises
    ------
    ModelError
        If it is no undirected graph, an attribute is no finite number, a node has an edge to itself, or there is no
        such kind.

    Examples
    --------
    >>> import networkx as nx
    >>> mrf = from_networkx(nx.cycle_graph(5), "max-cut")
    >>> mrf.objective.value(mrf.energy([0, 1, 0, 1, 0]))
    4.0
    """
    if not (hasattr(graph, "nodes") and hasattr(graph, "is_directed")):
        raise _wrong(graph, "a Graph of networkx")
    if kind not in get_args(GraphKind):
        raise ModelError(f'there is no kind {kind!r} of graph; give "max-cut", "ising", "qubo" or "balance"')
    if graph.is_directed():
        raise ModelError("the graph is directed, and a coupling has no direction; give graph.to_undirected()")
    labels = list(graph.nodes)
    number = {label: k for k, label in enumerate(labels)}
    edges = [(number[i], number[j]) for i, j in graph.edges()]
    for i, j in edges:
        if i == j:
            raise ModelError(f"node {labels[i]!r} has an edge to itself; remove it")
    weights = np.array(
        [_number(f"the {weight} of {_shown([i, j])}", data.get(weight, 1.0)) for i, j, data in graph.edges(data=True)]
    )
    fields = np.zeros(len(labels))
    if kind in ("ising", "qubo"):
        fields[:] = [_number(f"the {field} of {i!r}", data.get(field, 0.0)) for i, data in graph.nodes(data=True)]
    return _of_kind(kind, np.array(edges, np.int64).reshape(-1, 2), weights, fields, names_of(labels))


def _of_kind(
    kind: GraphKind, edges: IntArray, weights: FloatArray, fields: FloatArray, names: tuple[str, ...]
) -> BinaryMRF:
    n, source = len(names), f"{kind} on a graph of networkx"
    if kind == "max-cut":
        pairwise = -weights[:, None, None] * CUT
        return BinaryMRF(np.zeros((n, 2)), edges, pairwise, names=names, source=source, objective=CUT_WEIGHT)
    if kind == "balance":
        pairs, place = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
        edges, weights = pairs, exact_sums(place.reshape(-1), weights, len(pairs))
        against = np.where(weights[:, None, None] > 0.0, CUT, np.eye(2))
        pairwise = np.abs(weights)[:, None, None] * against
        return BinaryMRF(np.zeros((n, 2)), edges, pairwise, names=names, source=source)
    domain: Domain = "spins" if kind == "ising" else "bits"
    ends = np.concatenate([np.column_stack([np.arange(n)] * 2), edges]).T
    found = from_coefficients((ends[0], ends[1]), np.append(fields, weights), n, domain)
    return BinaryMRF(**found.tables(), names=names, source=source, objective=Objective(domain=domain))


def from_scipy(matrix: ArrayLike | Any, offset: float = 0.0) -> BinaryMRF:
    """A QUBO matrix, sparse or dense: the least value of ``xᵀ Q x + offset``.

    Source: docs/formats.md §2.16.

    Parameters
    ----------
    matrix : array of scipy.sparse or array_like, shape (n, n)
        Linear terms on the diagonal; both entries of a pair add up.
    offset : float

    Returns
    -------
    BinaryMRF

    Raises
    ------
    ModelError
        If it is no square matrix of finite numbers.

    Examples
    --------
    >>> mrf = from_scipy([[1, -3], [0, 1]])
    >>> mrf.energy([1, 1]), mrf.energy([1, 0])
    (-1.0, 1.0)
    """
    from scipy.sparse import coo_array, issparse

    try:
        given: Any = matrix if issparse(matrix) else np.asarray(matrix)
    except ValueError:
        raise ModelError("the rows of the matrix have different lengths; give a square one") from None
    if isinstance(matrix, np.ma.MaskedArray) or given.dtype.kind not in "biuf":
        raise _wrong(matrix, "a square matrix of real numbers")
    if len(given.shape) != 2 or given.shape[0] != given.shape[1]:
        raise ModelError(f"the matrix has shape {given.shape}; give a square one")
    found = coo_array(given)
    n, values = found.shape[0], found.data.astype(float)
    ends = found.row.astype(np.int64), found.col.astype(np.int64)
    _require_finite(values, lambda k: f"the entry in row {ends[0][k]}, column {ends[1][k]}")
    tables = from_coefficients(ends, values, n, "bits", offsets=[_number("the offset", offset)]).tables()
    return BinaryMRF(**tables, source="QUBO matrix")


def from_pgmpy(network: Any) -> BinaryMRF:
    """A Markov network of pgmpy whose variables have two states, and whose factors have one or two variables.

    Source: docs/formats.md §2.16.

    Parameters
    ----------
    network : pgmpy.models.DiscreteMarkovNetwork

    Returns
    -------
    BinaryMRF
        The energy is minus the logarithm of the product of all factors; state 0 is the first one of a variable.

    Raises
    ------
    ModelError
        If it is no such network, a variable has another number of states, a factor more variables, or a value is
        negative or not finite.
    """
    if not hasattr(network, "get_factors"):
        if hasattr(network, "to_markov_model"):
            raise ModelError("the network is a Bayesian one; give network.to_markov_model()")
        raise _wrong(network, "a DiscreteMarkovNetwork of pgmpy")
    labels = list(network.nodes())
    number = {label: k for k, label in enumerate(labels)}
    # Factor graphs and junction trees have nodes that are no variables.
    if not {label for factor in network.get_factors() for label in factor.variables} >= set(labels):
        raise _wrong(network, "a DiscreteMarkovNetwork of pgmpy, with a factor for every variable")
    states: dict[Hashable, list[Any]] = {}
    unary, edges, pairwise, constant = np.zeros((len(labels), 2)), list[tuple[int, int]](), list[FloatArray](), 0.0
    for factor in network.get_factors():
        table = _energies(factor, states)
        ends = [number[label] for label in factor.variables]
        if len(ends) == 1:
            unary[ends[0]] += table
        elif len(ends) == 2:
            edges.append((ends[0], ends[1]))
            pairwise.append(table)
        else:
            constant += float(table)
    return BinaryMRF(
        unary,
        np.array(edges, np.int64).reshape(-1, 2),
        np.array(pairwise).reshape(-1, 2, 2),
        constant,
        names=names_of(labels),
        source="DiscreteMarkovNetwork of pgmpy",
        objective=LOG_POTENTIAL,
    )


def _energies(factor: Any, states: dict[Hashable, list[Any]]) -> FloatArray:
    """Minus the logarithms of a factor, with the states of every variable in the order in which they came first."""
    variables, sizes = list(factor.variables), [int(size) for size in factor.cardinality]
    if len(variables) > 2:
        listed = ", ".join(map(repr, variables))
        raise ModelError(f"the factor of {listed} has {len(variables)} variables; only factors of one or two are read")
    for label, size in zip(variables, sizes, strict=True):
        if size != 2:
            raise ModelError(f"variable {label!r} has {size} states; only variables of two are read")
    values = np.asarray(factor.values, float)
    if not (np.isfinite(values).all() and (values >= 0.0).all()):
        raise ModelError(f"the factor of {', '.join(map(repr, variables))} has a value that is negative or not finite")
    for axis, label in enumerate(variables):
        own = list((factor.state_names or {}).get(label, PLACES))
        if _is_reversed(label, own, states):
            values = np.flip(values, axis)
    with np.errstate(divide="ignore"):
        energies: FloatArray = -np.log(values)
    return energies


def _is_reversed(label: Hashable, own: list[Any], states: dict[Hashable, list[Any]]) -> bool:
    """Whether a factor lists the states of a variable the other way round than the first one that names them.

    A factor that does not name them has their numbers, which stand for their places.
    """
    known = states.setdefault(label, own)
    if own == known[::-1]:
        return True
    if known == PLACES:
        states[label] = own
    elif own not in (known, PLACES):
        raise ModelError(f"the states of {label!r} are {known} in one factor and {own} in another; name them alike")
    return False


def _number(what: str, value: Any) -> float:
    """A finite number.

    Raises
    ------
    ModelError
    """
    try:
        found = math.nan if isinstance(value, complex | np.complexfloating) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not abs(found) <= LARGEST_ENERGY:
        plain = value.item() if isinstance(value, np.generic) else value
        shown = " ".join(reprlib.repr(plain).split())
        raise ModelError(f"{what} is {shown}; give a number of size up to {LARGEST_ENERGY:g}")
    return found


def _require_finite(values: FloatArray, what: Callable[[int], str]) -> None:
    """Refuse numbers that are no energies, before they are summed."""
    bad = np.flatnonzero(~(np.abs(values) <= LARGEST_ENERGY))
    if len(bad):
        _number(what(int(bad[0])), float(values[bad[0]]))


def _shown(labels: Sequence[Hashable]) -> str:
    """A variable or an edge."""
    one, other = labels
    return f"{one!r}" if one == other else f"{one!r} – {other!r}"


def _wrong(given: object, instead: str) -> ModelError:
    return ModelError(f"the object is of type {type(given).__name__}; give {instead}")
