"""Models that other libraries hold in memory: dimod, networkx, scipy and pgmpy.

None of these libraries is needed to read its objects. Variables keep their order and, as texts, their labels.

Source: docs/formats.md §2.16.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from bender_core.io.formats._coefficients import coefficients
from bender_core.io.formats._quadratic import Domain, from_coefficients
from bender_core.model import BinaryMRF, FloatArray, IntArray, ModelError, require_model
from bender_core.objective import Objective

GraphKind = Literal["max-cut", "ising", "qubo", "balance"]
CUT = np.array([[0.0, 1.0], [1.0, 0.0]])


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
    if not hasattr(bqm, "to_numpy_vectors"):
        raise _wrong(bqm, "a BinaryQuadraticModel of dimod")
    labels = list(bqm.variables)
    linear, (i, j, quadratic), offset = bqm.to_numpy_vectors(labels)
    domain: Domain = "spins" if bqm.vartype.name == "SPIN" else "bits"
    alone = np.arange(len(labels))
    ends = np.append(alone, i).astype(np.int64), np.append(alone, j).astype(np.int64)
    values = np.append(linear, quadratic).astype(float)
    found = from_coefficients(ends, values, len(labels), domain, offsets=[float(offset)])
    source = "BinaryQuadraticModel of dimod"
    return BinaryMRF(**found.tables(), names=_names(labels), source=source, objective=Objective(domain=domain))


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
    of = list(mrf.names if labels is None else labels)
    if len(of) != mrf.n or len(set(of)) != mrf.n:
        raise ModelError(f"there are {len(set(of))} different labels; give {mrf.n}, one for each variable")
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
        The weights of parallel edges add up; an edge without one has weight 1.
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
    weights = _numbers(
        (f"the {weight} of the edge {i!r} – {j!r}", data.get(weight, 1.0)) for i, j, data in graph.edges(data=True)
    )
    fields = _numbers((f"the {field} of node {i!r}", data.get(field, 0.0)) for i, data in graph.nodes(data=True))
    return _of_kind(kind, np.array(edges, np.int64).reshape(-1, 2), weights, fields, _names(labels))


def _of_kind(
    kind: GraphKind, edges: IntArray, weights: FloatArray, fields: FloatArray, names: tuple[str, ...]
) -> BinaryMRF:
    n, source = len(names), f"{kind} on a graph of networkx"
    if kind == "max-cut":
        gain = Objective("cut weight", "max", -1.0)
        pairwise = -weights[:, None, None] * CUT
        return BinaryMRF(np.zeros((n, 2)), edges, pairwise, names=names, source=source, objective=gain)
    if kind == "balance":
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
    from scipy.sparse import coo_array

    try:
        found = coo_array(matrix)
        values = found.data.astype(float)
    except (TypeError, ValueError) as error:
        raise _wrong(matrix, "a square matrix of numbers") from error
    if len(found.shape) != 2 or found.shape[0] != found.shape[1]:
        raise ModelError(f"the matrix has shape {found.shape}; give a square one")
    n = found.shape[0]
    ends = found.row.astype(np.int64), found.col.astype(np.int64)
    tables = from_coefficients(ends, values, n, "bits", offsets=[float(offset)]).tables()
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
        names=_names(labels),
        source="DiscreteMarkovNetwork of pgmpy",
        objective=Objective(name="log potential", sense="max", scale=-1.0),
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
        own = list(factor.state_names[label])
        if states.setdefault(label, own) != own:
            values = np.flip(values, axis)
    with np.errstate(divide="ignore"):
        energies: FloatArray = -np.log(values)
    return energies


def _numbers(given: Iterable[tuple[str, Any]]) -> FloatArray:
    """Numbers, each with what it is."""
    found = list[float]()
    for what, value in given:
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            raise ModelError(f"{what} is {value!r}; give a number") from None
    return np.array(found)


def _names(labels: Sequence[Hashable]) -> tuple[str, ...]:
    """Labels as texts; in quotes where two would look the same."""
    texts = tuple(map(str, labels))
    return texts if len(set(texts)) == len(texts) else tuple(map(repr, labels))


def _wrong(given: object, instead: str) -> ModelError:
    return ModelError(f"the object is of type {type(given).__name__}; give {instead}")
