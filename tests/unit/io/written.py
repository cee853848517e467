"""Files in other formats, written by hand, with their meaning."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from bender_core.objective import Objective

Value = Callable[[Sequence[int]], float]


def spins(x: Sequence[int]) -> list[int]:
    return [2 * bit - 1 for bit in x]


def cut(x: Sequence[int], edges: Sequence[tuple[int, int, float]]) -> float:
    return sum(w for i, j, w in edges if x[i - 1] != x[j - 1])


def triples(v: Sequence[int], terms: Sequence[tuple[int, int, float]], base: int = 0) -> float:
    """Σ c v_i v_j, and on the diagonal Σ c v_i."""
    return sum(c * v[i - base] * (1 if i == j else v[j - base]) for i, j, c in terms)


RUDY = "4 5\n1 2 3\n2 3\n1 4 -2.5\n 3 4 1e1 \n4 2 -1\n"
RUDY_EDGES = [(1, 2, 3.0), (2, 3, 1.0), (1, 4, -2.5), (3, 4, 10.0), (4, 2, -1.0)]
SPARSE = "3 5\n1 1 -4\n1 2 3\n3 2 1.5\n2 2 0.5\n1 2 1\n"
SPARSE_TERMS = [(1, 1, -4.0), (1, 2, 3.0), (3, 2, 1.5), (2, 2, 0.5), (1, 2, 1.0)]
QPBO = "-3 -4\n1 2 3\n3 2 -1.5\n2 2 0.5\n1 3 .25"
QPBO_TERMS = [(1, 2, 3.0), (3, 2, -1.5), (2, 2, 0.5), (1, 3, 0.25)]
QH = "# of spins\n1\t1\t-1\n3 3 2\n1 2 .5\n4 2 -3e0\n"
QH_TERMS = [(1, 1, -1.0), (3, 3, 2.0), (1, 2, 0.5), (4, 2, -3.0)]
COO_TERMS = [(0, 0, -1.0), (7, 0, 0.5), (7, 7, 1e-05), (3, 7, -3.0), (3, 3, 0.0)]
COO_PLACES = {0: 0, 3: 1, 7: 2}
COO = "0 0 -1\n7 0 0.5\n7 7 1e-05\n3 7 -3.\n3 3 0\n"
QUBO = "c a comment\nc\np qubo 0 4 2 3\n0 0 -1\n2 2 3.5\nc between\n0 1 2\n1 3 -4\n0 2 1\n"
QUBO_TERMS = [(0, 0, -1.0), (2, 2, 3.5), (0, 1, 2.0), (1, 3, -4.0), (0, 2, 1.0)]
BQPJSON: dict[str, object] = {
    "version": "1.0.0",
    "id": 5,
    "description": "by hand",
    "metadata": {"anything": [1, {"at": "all"}]},
    "variable_ids": [9, 2, 40],
    "variable_domain": "spin",
    "scale": 2.0,
    "offset": -1.5,
    "linear_terms": [{"id": 2, "coeff": 3}, {"id": 9, "coeff": -0.5}],
    "quadratic_terms": [{"id_head": 40, "id_tail": 2, "coeff": 1.25}, {"id_head": 9, "id_tail": 40, "coeff": -2}],
}


def bqp(v: Sequence[int]) -> float:
    nine, two, forty = v
    return 2.0 * (-1.5 + 3 * two - 0.5 * nine + 1.25 * forty * two - 2 * nine * forty)


DIMOD: dict[str, object] = {
    "type": "BinaryQuadraticModel",
    "version": {"bqm_schema": "3.0.0"},
    "use_bytes": False,
    "variable_type": "SPIN",
    "variable_labels": ["a", ["b", 2], 7],
    "offset": -1.5,
    "linear_biases": [-0.5, 3, 0],
    "quadratic_biases": [1.25, -2.0],
    "quadratic_head": [2, 0],
    "quadratic_tail": [1, 2],
}


def dimod_energy(v: Sequence[int]) -> float:
    a, b, seven = v
    return -1.5 - 0.5 * a + 3 * b + 1.25 * seven * b - 2 * a * seven


LG = "BAYES\n3\n2 2 2\n4\n1 0\n2 2 1\n2 0 1\n0\n2 -0.5 1.5\n4 1 2 3 -4\n-1\n-0.75\n1\n2.5\n"


def log_potential(x: Sequence[int]) -> float:
    return [-0.5, 1.5][x[0]] + [1, 2, 3, -4][2 * x[2] + x[1]] + (-0.75 if x[0] != x[1] else 0.0) + 2.5


WCSP = """example 4 2 6 100
2 2 2 2
2 0 1 3 2
 0 0 1
 1 1 7
-2 2 1 0 1
 1 0 5
2 3 0 0 -1
1 3 4 1
 1 0
0 6 0
2 1 2 2 0
"""


def wcsp_cost(x: Sequence[int]) -> float:
    shared = {(1, 0): 5}
    return (
        {(0, 0): 1, (1, 1): 7}.get((x[0], x[1]), 3)
        + shared.get((x[2], x[1]), 0)
        + shared.get((x[3], x[0]), 0)
        + (0 if x[3] else 4)
        + 6
        + 2
    )


CFN = """# a comment
{
  problem: { "name": "by hand", mustbe: "<1000.0" }, // another
  "variables": {"rain": ["no", "yes"], sun: [dark, bright], third: 2},
  functions: {
    "f": {scope: ["rain", "sun"], "costs": [0.5, 1, 2, -3]},
    {scope: [third], costs: [1.25 0]},
    g: {scope: [2, "rain"], defaultcost: 1.5, costs: [1, yes, 4.0, 0, "no", -2]},
    h: {scope: [sun, third] costs: f},
    constant: {scope: [], costs: [-6.0]}
  }
}
"""


def cfn_cost(x: Sequence[int]) -> float:
    rain, sun, third = x
    f = [0.5, 1, 2, -3]
    g = {(1, 1): 4.0, (0, 0): -2.0}.get((third, rain), 1.5)
    return f[2 * rain + sun] + [1.25, 0][third] + g + f[2 * sun + third] - 6.0


MAXIMISED = CFN.replace("<1000.0", ">-1000.0")

# A file, its name, its own value at x, its objective, and its number of edges.
CASES: dict[str, tuple[str, str | None, Value, Objective, int]] = {
    "rudy": (RUDY, None, lambda x: cut(x, RUDY_EDGES), Objective("cut weight", "max", -1.0), 5),
    "mtx": (
        f"%%MatrixMarket matrix coordinate real general\n%\n4 4 {len(RUDY_EDGES)}\n"
        + "".join(f"{i} {j} {w}\n" for i, j, w in RUDY_EDGES),
        None,
        lambda x: cut(x, RUDY_EDGES),
        Objective("cut weight", "max", -1.0),
        5,
    ),
    "dimacs": (
        "c by hand\np col 4 5\n" + "".join(f"e {i} {j} {w}\n" for i, j, w in RUDY_EDGES),
        None,
        lambda x: cut(x, RUDY_EDGES),
        Objective("cut weight", "max", -1.0),
        5,
    ),
    "edges": (
        "% named by tens\n" + "".join(f"{10 * i} {10 * j} {w}  # {w}\n" for i, j, w in RUDY_EDGES),
        "a.wel",
        lambda x: cut(x, RUDY_EDGES),
        Objective("cut weight", "max", -1.0),
        5,
    ),
    "sparse": (
        SPARSE,
        None,
        lambda x: triples(x, [(i, j, c * (1 if i == j else 2)) for i, j, c in SPARSE_TERMS], 1),
        Objective("objective", "min"),
        2,
    ),
    "qpbo of spins, maximised": (
        QPBO,
        "a.qpbo",
        # On the diagonal, squares.
        lambda x: sum((1 if i == j else 2) * c * spins(x)[i - 1] * spins(x)[j - 1] for i, j, c in QPBO_TERMS),
        Objective("objective", "max", -1.0, domain="spins"),
        3,
    ),
    "qh": (QH, "a.qh", lambda x: triples(spins(x), QH_TERMS, 1), Objective(domain="spins"), 2),
    "coo of bits": (
        f"# vartype=BINARY\n{COO}",
        None,
        lambda x: triples(x, [(COO_PLACES[i], COO_PLACES[j], c) for i, j, c in COO_TERMS]),
        Objective(),
        2,
    ),
    "coo of spins": (
        f"#vartype = spin\n# offset=-2.5\n{COO}",
        "x.coo",
        lambda x: triples(spins(x), [(COO_PLACES[i], COO_PLACES[j], c) for i, j, c in COO_TERMS]) - 2.5,
        Objective(domain="spins"),
        2,
    ),
    "qubo": (QUBO, None, lambda x: triples(x, QUBO_TERMS), Objective(), 3),
    "bqpjson of spins": (json.dumps(BQPJSON), None, lambda x: bqp(spins(x)), Objective(domain="spins"), 2),
    "bqpjson of bits": (json.dumps(BQPJSON | {"variable_domain": "boolean"}), "a.json", bqp, Objective(), 2),
    "dimod of spins": (json.dumps(DIMOD), None, lambda x: dimod_energy(spins(x)), Objective(domain="spins"), 2),
    "dimod of bits": (json.dumps(DIMOD | {"variable_type": "BINARY"}), "a.json", dimod_energy, Objective(), 2),
    "uai of logarithms": (LG, "a.UAI.LG", log_potential, Objective("log potential", "max", -1.0), 2),
    "wcsp": (WCSP, None, wcsp_cost, Objective("cost"), 3),
    "cfn": (CFN, None, cfn_cost, Objective("cost"), 3),
    "cfn, maximised": (MAXIMISED, None, cfn_cost, Objective("cost", "max", -1.0), 3),
}
