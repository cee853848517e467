"""Forks of forks on small models, against the optimum by trying every labelling: counts of what must never happen."""

from __future__ import annotations

import itertools
from typing import TypeVar

import numpy as np

import bender_core as bc
from benchmarks.common import Options, table
from bender_core import looking
from bender_core.kernels.layout import RowKind
from bender_core.looking.rows import row_values
from bender_core.trying.change import ByStrategy

MODELS, FORKS = 300, 5
Choice = TypeVar("Choice")
# Relative to the sum of all energies.
NEAR = 1e-9


def run(options: Options) -> None:
    """Print how much was checked, and what failed."""
    rng = np.random.default_rng(0)
    checked = dict.fromkeys(
        (
            "lower bound ≤ optimum",
            "upper bound ≥ optimum",
            "the bound does not fall at a fork that carries messages",
            "the bound does not fall within a run",
            "the bound is certified by the messages",
            "a row ≤ the true min-marginal at every state",
        ),
        (0, 0),
    )

    def check(what: str, good: bool) -> None:
        done, failed = checked[what]
        checked[what] = done + 1, failed + (not good)

    for _ in range(MODELS):
        mrf = _model(rng)
        optimum, near = _optimum(mrf), NEAR * (np.abs(mrf.unary).sum() + np.abs(mrf.pairwise).sum() + 1)
        variant, schedule = _any(rng, list(bc.VARIANTS)), _any(rng, ["mplp", "srmp"])
        engine = bc.Engine(
            mrf, bc.partition(mrf, 3, "random", seed=int(rng.integers(100))), variant=variant, schedule=schedule
        )
        for generation in range(FORKS + 1):
            if generation:
                change = _change(rng, engine)
                fork = change.fork(engine)
                if change.by_strategy is None:
                    kept = fork.lower_bound >= engine.lower_bound - near
                    check("the bound does not fall at a fork that carries messages", kept)
                engine = fork
            before = engine.lower_bound
            engine.run(max_events=int(rng.integers(0, 120)))
            rises = np.diff(engine.trace.column("lower_bound"), prepend=before)
            check("the bound does not fall within a run", bool((rises >= -near).all()))
            check("lower bound ≤ optimum", engine.lower_bound <= optimum + near)
            check("upper bound ≥ optimum", engine.upper_bound >= optimum - near)
            check(
                "the bound is certified by the messages", engine.lower_bound <= looking.certified_bound(engine) + near
            )
            for p, q in [*engine.graph.edges.tolist(), *engine.graph.edges[:, ::-1].tolist()]:
                truth = looking.min_marginal(engine, p, q)
                for made in [] if engine.variant.exact else looking.rows(engine, p, q):
                    valid = bool((row_values(made) <= truth + near).all())
                    check("a row ≤ the true min-marginal at every state", valid)
    print(f"{MODELS} models of 6 to 12 variables, {FORKS} forks one after the other on each.\n")
    row = table({"claim": -60, "checked": 8, "failed": 7})
    for what, (done, failed) in checked.items():
        row(what, f"{done:,}", failed)
    print()


def _any(rng: np.random.Generator, choices: list[Choice]) -> Choice:
    return choices[rng.integers(len(choices))]


def _model(rng: np.random.Generator) -> bc.BinaryMRF:
    """A model with many ties, or none."""
    n = int(rng.integers(6, 13))
    pairs = np.array(list(itertools.combinations(range(n), 2)))
    edges = pairs[rng.random(len(pairs)) < rng.uniform(0.25, 0.9)]
    whole = rng.random() < 0.5
    unary, pairwise = (
        rng.integers(-2, 3, shape).astype(float) if whole else rng.normal(size=shape)
        for shape in ((n, 2), (len(edges), 2, 2))
    )
    return bc.BinaryMRF(unary, edges, pairwise)


def _optimum(mrf: bc.BinaryMRF) -> float:
    """The least energy, by trying every labelling."""
    x = np.arange(1 << mrf.n)[:, None] >> np.arange(mrf.n) & 1
    energies = mrf.constant + sum(mrf.unary[i, x[:, i]] for i in range(mrf.n))
    for (i, j), pair in zip(mrf.edges, mrf.pairwise, strict=True):
        energies = energies + pair[x[:, i], x[:, j]]
    return float(np.min(energies))


def _change(rng: np.random.Generator, engine: bc.Engine) -> bc.Change:
    """Some of everything that a fork can change."""
    groups, edges = len(engine.partition), engine.graph.edges
    merge: tuple[tuple[int, int], ...] = ()
    if groups > 1 and rng.random() < 0.4:
        p, q = rng.choice(groups, 2, replace=False).tolist()
        merge = ((p, q),)
    variant = _any(rng, [None, None, *bc.VARIANTS])
    cut = ByStrategy(int(rng.integers(1, 5)), "greedy") if not merge and rng.random() < 0.1 else None
    rows: tuple[bc.RowAt, ...] = ()
    if not (merge or cut or bc.VARIANTS[variant or engine.variant.number].exact) and len(edges):
        p, q = rng.permutation(edges[rng.integers(len(edges))]).tolist()
        state = int(rng.integers(1 << len(engine.partition.groups[p])))
        rows = (bc.RowAt(p, q, state, _any(rng, list(RowKind))),)
    schedule, deepest = _any(rng, [None, "mplp", "srmp"]), _any(rng, [None, None, 1, 64])
    return bc.Change(rows, merge, variant, schedule, cut, deepest=deepest)
