"""Objects of dimod, networkx, scipy and pgmpy: the same energies, labels and order, and refusals in one sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from itertools import product
from typing import Any

import dimod
import dimod.testing
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pgmpy.factors.discrete import DiscreteFactor, TabularCPD
from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork
from scipy import sparse

import bender_core as bc
from bender_core.dimod import BenderSampler
from tests.models import examples, mrfs

LABELS: list[Hashable] = ["a", "with space", "ü – 中", ("pair", 1), 7, -3, frozenset({1}), "", "x0"]


def random_bqm(vartype: str, seed: int, whole: bool = False) -> dimod.BinaryQuadraticModel:
    dice = np.random.default_rng(seed)

    def number() -> float:
        return float(dice.integers(-9, 10)) if whole else float(dice.normal())

    found = dimod.BinaryQuadraticModel(vartype)
    for label in LABELS:
        found.add_linear(label, number())
    for i, j in product(range(len(LABELS)), repeat=2):
        if i < j and dice.random() < 0.5:
            found.add_quadratic(LABELS[i], LABELS[j], number())
    found.offset = number()
    return found


def samples(mrf: bc.BinaryMRF, vartype: Any, count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Random labellings, and their values in bits or spins."""
    states = np.random.default_rng(1).integers(0, 2, (count, mrf.n))
    return states, 2 * states - 1 if vartype is dimod.SPIN else states


@pytest.mark.parametrize("vartype", ["SPIN", "BINARY"])
@pytest.mark.parametrize("seed", range(5))
def test_a_model_of_dimod_keeps_its_energies_and_labels(vartype: str, seed: int) -> None:
    whole = seed % 2 == 0
    bqm = random_bqm(vartype, seed, whole)
    mrf = bc.from_bqm(bqm)
    states, values = samples(mrf, bqm.vartype)
    energies = [mrf.energy(state) for state in states]
    expected = bqm.energies((values, list(bqm.variables)))
    assert energies == (expected.tolist() if whole else pytest.approx(expected, rel=1e-12, abs=1e-12))
    assert mrf.names == tuple(map(str, LABELS))
    assert mrf.objective.domain == ("spins" if vartype == "SPIN" else "bits")
    back = bc.to_bqm(mrf, list(bqm.variables))
    assert list(back.variables) == LABELS
    assert back.vartype is bqm.vartype
    assert back.is_almost_equal(bqm, places=12)
    assert back == bqm or not whole


@settings(max_examples=examples(60), deadline=None)
@given(mrfs(6))
def test_any_model_becomes_one_of_dimod(mrf: bc.BinaryMRF) -> None:
    bqm = bc.to_bqm(mrf)
    assert list(bqm.variables) == list(mrf.names)
    states, values = samples(mrf, bqm.vartype, 30)
    size = abs(mrf.constant) + np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum()
    expected = [mrf.energy(state) for state in states]
    assert bqm.energies((values, list(bqm.variables))) == pytest.approx(expected, abs=1e-12 * size)


@pytest.mark.parametrize("vartype", ["SPIN", "BINARY"])
def test_files_of_dimod_are_read_and_written_as_dimod_does(vartype: str) -> None:
    bqm = random_bqm(vartype, 2, whole=True)
    bqm.relabel_variables({frozenset({1}): ("nested", ("tuple", 1))})
    mrf = bc.load(json.dumps(bqm.to_serializable()).encode())
    of_object = bc.from_bqm(bqm)
    states, _ = samples(mrf, bqm.vartype)
    assert [mrf.energy(state) for state in states] == [of_object.energy(state) for state in states]
    assert mrf.names == of_object.names
    written = dimod.BinaryQuadraticModel.from_serializable(json.loads(bc.io.dumps(mrf, "dimod")))
    assert written == bc.to_bqm(mrf)
    assert list(written.variables) == list(mrf.names)


MODEL = json.loads(json.dumps(dimod.BinaryQuadraticModel({"a": 1.0}, {("a", "b"): 2.0}, "SPIN").to_serializable()))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": {"bqm_schema": "2.0.0"}}, "is '2.0.0'; write version 3.0.0, by a newer dimod"),
        ({"use_bytes": True}, "the biases are stored as bytes; write bqm.to_serializable(use_bytes=False)"),
        ({"variable_type": "TRIT"}, 'is \'TRIT\'; it must be "SPIN" or "BINARY"'),
        ({"variable_labels": ["a", "a"]}, '"variable_labels" are not distinct; list the label of every variable'),
        ({"variable_labels": [], "linear_biases": []}, "the model has no variables; give a model of at least one"),
        ({"variable_labels": ["a", {}]}, "a variable has the label {}; give a text, a number or a list of these"),
        ({"linear_biases": [1.0]}, '"linear_biases" has 1 entries; give 2, one for each variable'),
        ({"linear_biases": [1.0, "x"]}, "linear_biases[1] is 'x'; it must be a number of size up to 1e+100"),
        ({"quadratic_head": []}, '"quadratic_head" has 0 entries; give 1, one for each quadratic bias'),
        ({"quadratic_tail": [2]}, "quadratic_tail[0] is 2; variables run from 0 to 1"),
        ({"quadratic_head": [1], "quadratic_tail": [1]}, "are the same; make it a linear bias"),
    ],
)
def test_files_of_dimod_that_are_wrong_are_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(bc.FormatError) as refused:
        bc.load(json.dumps(MODEL | change).encode())
    assert sentence in str(refused.value)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, object])
def test_biases_of_any_kind_and_views_of_the_other_vartype_keep_their_energies(dtype: Any) -> None:
    bqm = dimod.BinaryQuadraticModel({"a": 1, "b": -2}, {("a", "b"): 3}, 0.5, "SPIN", dtype=dtype)
    for each in (bqm, bqm.binary, bqm.binary.spin):
        mrf = bc.from_bqm(each)
        states, values = samples(mrf, each.vartype, 20)
        assert [mrf.energy(state) for state in states] == each.energies((values, ["a", "b"])).astype(float).tolist()


def test_labels_that_look_the_same_are_told_apart() -> None:
    assert bc.from_bqm(dimod.BinaryQuadraticModel({1: 1.0, "1": 2.0}, {}, "BINARY")).names == ("1", "'1'")


def weight_of(graph: nx.Graph, kind: str, state: dict[Hashable, int]) -> float:
    """What is asked for, from its definition."""
    spin = {label: 2 * value - 1 for label, value in state.items()}
    edges = [(i, j, float(data.get("weight", 1.0))) for i, j, data in graph.edges(data=True)]
    fields = {label: float(data.get("field", 0.0)) for label, data in graph.nodes(data=True)}
    if kind == "max-cut":
        return math.fsum(weight for i, j, weight in edges if state[i] != state[j])
    if kind == "balance":
        sums = dict[frozenset[Hashable], float]()
        for i, j, weight in edges:
            sums[frozenset({i, j})] = sums.get(frozenset({i, j}), 0.0) + weight
        apart = {pair: len({state[label] for label in pair}) > 1 for pair in sums}
        return math.fsum(abs(weight) for pair, weight in sums.items() if apart[pair] != (weight < 0))
    of = spin if kind == "ising" else state
    return math.fsum(
        [*(weight * of[i] * of[j] for i, j, weight in edges), *(field * of[i] for i, field in fields.items())]
    )


@pytest.mark.parametrize("kind", ["max-cut", "ising", "qubo", "balance"])
@pytest.mark.parametrize("made", [nx.Graph, nx.MultiGraph])
def test_a_graph_of_networkx_has_the_values_of_its_kind(kind: Any, made: type[nx.Graph]) -> None:
    dice = np.random.default_rng(3)
    graph = made()
    for label in LABELS:
        graph.add_node(label, field=float(dice.integers(-3, 4)))
    pairs = [(i, j) for i, j in product(range(len(LABELS)), repeat=2) if i != j and dice.random() < 0.4]
    for i, j in pairs:  # in both directions: twice in a graph of parallel edges
        graph.add_edge(LABELS[i], LABELS[j], weight=float(dice.integers(-4, 5)))
    graph.add_edge(LABELS[0], LABELS[1])
    mrf = bc.from_networkx(graph, kind)
    assert mrf.names == tuple(map(str, graph))
    for state in np.random.default_rng(2).integers(0, 2, (200, mrf.n)):
        expected = weight_of(graph, kind, dict(zip(graph, state.tolist(), strict=True)))
        assert mrf.objective.value(mrf.energy(state)) == expected


@pytest.mark.parametrize("made", [np.array, sparse.csr_array, sparse.coo_matrix, lambda rows: rows.tolist()])
def test_a_qubo_matrix_has_its_quadratic_form(made: Any) -> None:
    rows = np.random.default_rng(4).integers(-5, 6, (7, 7)).astype(float)
    mrf = bc.from_scipy(made(rows), offset=2.5)
    for state in np.random.default_rng(5).integers(0, 2, (200, 7)):
        assert mrf.energy(state) == state @ rows @ state + 2.5


def test_matrices_of_small_numbers_and_of_entries_given_twice_are_summed_without_loss() -> None:
    small = np.array([[100, 100], [100, 100]], np.int8)
    assert bc.from_scipy(small).energy([1, 1]) == 400.0
    assert bc.from_scipy(small > 0).energy([1, 1]) == 4.0
    twice = sparse.coo_array((np.array([100, 100], np.int8), ([0, 0], [1, 1])), shape=(2, 2))
    assert bc.from_scipy(twice).energy([1, 1]) == 200.0


def test_parallel_edges_are_summed_before_they_are_weighed() -> None:
    graph = nx.MultiGraph([(0, 1, {"weight": 1.0}), (0, 1, {"weight": -1.0})])
    mrf = bc.from_networkx(graph, "balance")
    assert {mrf.energy([0, 1]), mrf.energy([1, 1])} == {0.0}


def of_names(*names: list[Any] | None) -> DiscreteMarkovNetwork:
    """A network whose factors list the states of one variable in these ways."""
    found = DiscreteMarkovNetwork([("a", "b")])
    for own in names:
        given = {} if own is None else {"state_names": {"a": own}}
        found.add_factors(DiscreteFactor(["a"], [2], [1.0, math.e], **given))
    found.add_factors(DiscreteFactor(["a", "b"], [2, 2], np.ones(4)))
    return found


@pytest.mark.parametrize(
    ("names", "energy"),
    [
        ((None, None), -2.0),
        ((["no", "yes"], None), -2.0),
        ((None, ["no", "yes"]), -2.0),
        ((["no", "yes"], ["yes", "no"]), -1.0),
        ((None, [1, 0]), -1.0),
        (([1, 0], [0, 1]), -1.0),
        ((None, ["no", "yes"], ["yes", "no"]), -2.0),
    ],
)
def test_states_without_names_stand_for_their_places(names: tuple[list[Any] | None, ...], energy: float) -> None:
    """Of a factor whose second state is more likely, by one."""
    mrf = bc.from_pgmpy(of_names(*names))
    a = mrf.names.index("a")
    assert mrf.energy(np.eye(2, dtype=int)[a]) == pytest.approx(energy)


def network() -> DiscreteMarkovNetwork:
    found = DiscreteMarkovNetwork([("a", "b c"), ("b c", ("d", 1))])
    found.add_factors(
        DiscreteFactor(["a", "b c"], [2, 2], [1.0, 0.5, 2.0, 4.0], {"a": ["no", "yes"], "b c": [0, 1]}),
        DiscreteFactor([("d", 1), "b c"], [2, 2], [3.0, 0.0, 0.25, 1.0], {("d", 1): [0, 1], "b c": [1, 0]}),
        DiscreteFactor(["a"], [2], [0.1, 7.0], {"a": ["yes", "no"]}),
    )
    return found


def test_a_network_of_pgmpy_has_its_log_potentials() -> None:
    """Also where a factor lists the states of a variable the other way round."""
    found, mrf = network(), bc.from_pgmpy(network())
    assert mrf.names == tuple(map(str, found.nodes()))
    states = {"a": ["no", "yes"], "b c": [0, 1], ("d", 1): [0, 1]}
    for labelling in product((0, 1), repeat=3):
        named = {label: states[label][x] for label, x in zip(found.nodes(), labelling, strict=True)}
        potential = math.prod(
            float(factor.values[tuple(factor.state_names[v].index(named[v]) for v in factor.variables)])
            for factor in found.get_factors()
        )
        energy = mrf.energy(labelling)
        assert mrf.is_feasible(energy) == (potential > 0.0)
        if potential > 0.0:
            assert mrf.objective.value(energy) == pytest.approx(math.log(potential))


def three() -> DiscreteMarkovNetwork:
    found = DiscreteMarkovNetwork([("a", "b"), ("b", "c"), ("a", "c")])
    found.add_factors(DiscreteFactor(["a", "b", "c"], [2, 2, 2], np.ones(8)))
    return found


def of_states(count: int, values: list[float]) -> DiscreteMarkovNetwork:
    found = DiscreteMarkovNetwork([("a", "b")])
    found.add_factors(DiscreteFactor(["a", "b"], [2, count], values))
    return found


def bayesian() -> DiscreteBayesianNetwork:
    found = DiscreteBayesianNetwork([("a", "b")])
    found.add_cpds(TabularCPD("a", 2, [[0.5], [0.5]]))
    return found


LOOP = nx.Graph([("a", "a")])
HEAVY = nx.Graph()
HEAVY.add_edge("a", "b", weight="much")
LIKELY = nx.Graph()
LIKELY.add_node("a", field=math.inf)


@pytest.mark.parametrize(
    ("read", "given_object", "sentence"),
    [
        (bc.from_bqm, {"a": 1}, "the object is of type dict; give a BinaryQuadraticModel of dimod"),
        (bc.from_bqm, dimod.ConstrainedQuadraticModel(), "give a BinaryQuadraticModel of dimod"),
        (bc.from_pgmpy, nx.Graph(), "the object is of type Graph; give a DiscreteMarkovNetwork of pgmpy"),
        (bc.from_pgmpy, bayesian(), "the network is a Bayesian one; give network.to_markov_model()"),
        (bc.from_pgmpy, three(), "the factor of 'a', 'b', 'c' has 3 variables; only factors of one or two are read"),
        (bc.from_pgmpy, of_states(3, [1.0] * 6), "variable 'b' has 3 states; only variables of two are read"),
        (bc.from_pgmpy, of_states(2, [1, 2, 3, -1]), "has a value that is negative or not finite"),
        (bc.from_scipy, np.ones((2, 3)), "the matrix has shape (2, 3); give a square one"),
        (bc.from_scipy, [[1, 2], [3]], "the rows of the matrix have different lengths; give a square one"),
        (bc.from_bqm, dimod.BinaryQuadraticModel({}, {}, math.inf, "SPIN"), "the offset is inf; give a number of size"),
        (lambda labels: bc.to_bqm(bc.sample("tiny"), labels), 2, "the labels are 2; give a list of 6, one for each"),
        (bc.from_scipy, "matrix", "the object is of type str; give a square matrix of real numbers"),
        (bc.from_scipy, [[1j]], "the object is of type list; give a square matrix of real numbers"),
        (bc.from_scipy, np.ma.masked_array([[1.0]], [[True]]), "is of type MaskedArray; give a square matrix of real"),
        (bc.from_scipy, (5, 5), "the matrix has shape (2,); give a square one"),
        (bc.from_scipy, [[0.0, math.nan], [0.0, 0.0]], "the entry in row 0, column 1 is nan; give a number of size"),
        (lambda offset: bc.from_scipy([[1.0]], offset), None, "the offset is None; give a number of size up to"),
        (bc.from_bqm, dimod.BinaryQuadraticModel({"a": math.nan}, {}, "SPIN"), "the bias of 'a' is nan; give a number"),
        (bc.from_bqm, dimod.BinaryQuadraticModel({}, {"ab": 1e305}, "SPIN"), "the bias of 'b' – 'a' is 1e+305; give"),
        (bc.from_bqm, dimod.DiscreteQuadraticModel(), "give a BinaryQuadraticModel of dimod"),
        (bc.from_pgmpy, of_names(["no", "yes"], ["low", "high"]), "the states of 'a' are ['no', 'yes'] in one factor"),
        (bc.from_pgmpy, of_names(None).to_factor_graph(), "give a DiscreteMarkovNetwork of pgmpy"),
        (bc.from_pgmpy, of_names(None).to_junction_tree(), "give a DiscreteMarkovNetwork of pgmpy"),
        (lambda graph: bc.from_networkx(graph, "ising"), LIKELY, "the field of 'a' is inf; give a number of size up"),
        (lambda graph: bc.from_networkx(graph, "max-cut"), [(0, 1)], "the object is of type list; give a Graph"),
        (lambda graph: bc.from_networkx(graph, "max-cut"), nx.DiGraph([(0, 1)]), "give graph.to_undirected()"),
        (lambda graph: bc.from_networkx(graph, "max-cut"), LOOP, "node 'a' has an edge to itself; remove it"),
        (lambda graph: bc.from_networkx(graph, "max-cut"), HEAVY, "the weight of 'a' – 'b' is 'much'; give a number"),
        (lambda graph: bc.from_networkx(graph, "cut"), nx.Graph(), "there is no kind 'cut' of graph; give"),
        (
            lambda labels: bc.to_bqm(bc.sample("tiny"), labels),
            ["a", "a"],
            "of 2 labels 1 differ; give 6, one for each variable",
        ),
    ],
)
def test_what_is_wrong_is_refused_in_one_sentence(read: Any, given_object: Any, sentence: str) -> None:
    with pytest.raises(bc.ModelError) as refused:
        read(given_object)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_files_of_dimod_may_have_other_kinds_of_numbers_and_no_endless_labels() -> None:
    assert bc.load(json.dumps(MODEL | {"type": "Float32BQM"}).encode()).n == 2
    deep: Any = "a"
    for _ in range(100):
        deep = [deep]
    with pytest.raises(bc.FormatError, match="a variable has the label"):
        bc.load(json.dumps(MODEL | {"variable_labels": [deep, "b"]}).encode())


def test_the_sampler_is_one_of_dimod() -> None:
    dimod.testing.assert_sampler_api(BenderSampler())


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["SPIN", "BINARY"]))
def test_samples_are_optimal_with_the_labels_of_the_model(seed: int, vartype: str) -> None:
    bqm = random_bqm(vartype, seed)
    found = BenderSampler().sample(bqm)
    dimod.testing.assert_response_energies(found, bqm)
    dimod.testing.assert_sampleset_energies(found, bqm)
    assert set(found.first.sample) == set(LABELS)
    best = dimod.ExactSolver().sample(bqm).first.energy
    assert found.first.energy == pytest.approx(best)
    assert found.info["proven"]
    assert found.info["lower_bound"] <= best + 1e-6
    assert found.info["gap"] == pytest.approx(0.0, abs=1e-8)


def test_samplers_composed_with_it_and_models_without_variables_work() -> None:
    sampler = BenderSampler()
    assert len(sampler.sample(dimod.BinaryQuadraticModel("SPIN"))) == 1
    assert sampler.sample_ising({"a": 1.0}, {("a", "b"): 1.0}).first.energy == -2.0
    assert sampler.sample_qubo({(0, 0): -1.0, (0, 1): 2.0}).first.sample == {0: 1, 1: 0}
    assert len(dimod.TruncateComposite(sampler, 1).sample(random_bqm("SPIN", 1))) == 1
    with pytest.warns(dimod.exceptions.SamplerUnknownArgWarning):
        sampler.sample(random_bqm("SPIN", 1), num_reads=5)
    limited = sampler.sample(random_bqm("SPIN", 2), time_limit=1e-9)
    assert limited.info["lower_bound"] <= limited.first.energy
