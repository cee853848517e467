"""Time and memory for reading the formats, and their handling of damaged files."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections import Counter

import numpy as np

import bender_core as bc
from benchmarks.common import Options, table
from bender_core.io import FORMATS, dumps, load

VARIABLES, EDGES = 20_000, 100_000
FUZZING = 20.0
# Bytes that reading may take in addition to ten times the size of the file.
ALLOWANCE = 50e6


def run(options: Options) -> None:
    """Print the table of formats, then read damaged files until the time limit."""
    files = _files(VARIABLES, EDGES)
    print(f"{VARIABLES} variables, {EDGES} edges; the aim is 1 s, and 10 times the size of the file + 50 MB")
    row = table({"format": -8, "MB": 5, "seconds": 8, "peak MB": 8, "allowed": 8})
    for name, data in files.items():
        begin = time.process_time()
        mrf = load(data, format=name)
        seconds = time.process_time() - begin
        assert mrf.n_edges > 0.9 * EDGES
        _, peak = _traced(data, name)
        megabytes = (len(data) / 1e6, peak / 1e6, (10 * len(data) + ALLOWANCE) / 1e6)
        row(name, f"{megabytes[0]:.1f}", f"{seconds:.2f}", f"{megabytes[1]:.0f}", f"{megabytes[2]:.0f}")
    _fuzz(options.seconds(FUZZING))


def _files(n: int, m: int) -> dict[str, bytes]:
    """One random model as a file of every format."""
    rng = np.random.default_rng(0)
    edges = rng.integers(0, n, (2 * m, 2))
    edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    edges = edges[rng.permutation(len(edges))[:m]]
    weights = rng.normal(size=len(edges))
    product = bc.BinaryMRF(
        np.column_stack([np.zeros(n), rng.normal(size=n)]), edges, weights[:, None, None] * np.array([[0, 0], [0, 1.0]])
    )
    glass = bc.BinaryMRF(np.zeros((n, 2)), edges, weights[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    cut = bc.BinaryMRF(np.zeros((n, 2)), edges, weights[:, None, None] * np.array([[0.0, -1.0], [-1.0, 0.0]]))
    models = {"qh": glass, "rudy": cut}
    files = {form.name: dumps(models.get(form.name, product), form.name) for form in FORMATS if form.write is not None}
    return files | {"wcsp": _wcsp(product), "cfn": _cfn(product)}


def _wcsp(mrf: bc.BinaryMRF) -> bytes:
    costs = (np.abs(mrf.coupling()) * 1e6).astype(int).tolist()
    functions = [f"2 {i} {j} 0 1 1 1 {cost}" for (i, j), cost in zip(mrf.edges.tolist(), costs, strict=True)]
    head = f"random {mrf.n} 2 {len(functions)} 1000000000000"
    return "\n".join([head, " ".join(["2"] * mrf.n), *functions]).encode()


def _cfn(mrf: bc.BinaryMRF) -> bytes:
    variables = ", ".join(f'"x{i}": 2' for i in range(mrf.n))
    functions = [
        f'"f{k}": {{"scope": ["x{i}", "x{j}"], "costs": [0, 0, 0, {cost}]}}'
        for k, ((i, j), cost) in enumerate(zip(mrf.edges.tolist(), mrf.coupling().tolist(), strict=True))
    ]
    problem = '{"problem": {"name": "random", "mustbe": "<1000000.0"},\n'
    body = ",\n".join(functions)
    return f'{problem}"variables": {{{variables}}},\n"functions": {{{body}}}}}\n'.encode()


def _traced(data: bytes, name: str | None) -> tuple[bool, int]:
    """Whether the file is read, and the peak memory in bytes."""
    tracemalloc.start()
    try:
        load(data, format=name)
        return True, tracemalloc.get_traced_memory()[1]
    except bc.FormatError:
        return False, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _fuzz(seconds: float) -> None:
    """Damage small files of every format at random, and count the outcomes."""
    rng = random.Random(0)
    files = list(_files(12, 30).items())
    outcome: Counter[str] = Counter()
    worst, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        name, data = rng.choice(files)
        data = _damaged(rng, data)
        # Half are read with their format given, half must be recognised.
        read, peak = _traced(data, name if rng.random() < 0.5 else None)
        outcome["read" if read else "refused"] += 1
        worst = max(worst, peak / (10 * len(data) + ALLOWANCE))
    total = sum(outcome.values())
    print(
        f"\n{total} damaged files in {seconds:g} s: {outcome['read']} read, {outcome['refused']} refused in a "
        f"sentence, nothing else. The most memory was {worst:.0%} of what is allowed.\n"
    )


def _damaged(rng: random.Random, data: bytes) -> bytes:
    words = (
        b"0",
        b"-1",
        b"1e999",
        b"nan",
        b"inf",
        b"[" * 2000,
        b'{"a":' * 2000,
        b"9" * 5000,
        b"1000000000000",
        b"\xff",
        b"\n",
    )
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((0, 1, 3, 40)))
        kind = rng.randrange(4)
        if kind == 0:
            data = data[:start]
        elif kind == 1:
            data = data[:start] + rng.choice(words) + data[end:]
        elif kind == 2:
            data = data[:start] + data[start : start + 200] * rng.randint(2, 50) + data[end:]
        else:
            data = data[:start] + rng.randbytes(end - start) + data[end:]
    return data
