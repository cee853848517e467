"""Rows against enumeration on the sample ``pose``, side by side in one run: ``python -m benchmarks``.

All seconds are of processor time, which is all the time of an idle machine and the fair share of a busy one; the
ratios of interleaved runs hardly depend on the machine.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

import bender_core as bc
from bender_core.kernels.layout import Cursor, Kind, Phase, Until

POSE = Path(__file__).parents[1] / "sample_instances" / "pose.mrf.json"
REPEATS = 5
ENUMERATED_MESSAGES = 4
# M, and how many times faster than enumeration (11) rows on all loose edges (9) shall at least be, end to end.
END_TO_END_AIMS = {5: 0.5, 8: None, 12: 3.0}
MESSAGE_AIM = 50.0


def main() -> None:
    """Print all tables."""
    mrf = bc.load(POSE)
    bc.warm_up()
    print(f"python -m benchmarks: {mrf.name}, {mrf.n} variables, {mrf.n_edges} edges\n")
    end_to_end(mrf)
    per_message(mrf, 16)
    for max_size in (12, 16):
        profile(mrf, max_size)


def end_to_end(mrf: bc.BinaryMRF) -> None:
    """Whole runs, tables included; the variants take turns, so that a busy machine slows all of them."""
    print(f"End to end: median seconds of {REPEATS} interleaved runs; ratios are 11 to the variant")
    print(f"{'M':>4}{'9':>9}{'4':>9}{'11':>9}{'11/9':>9}{'11/4':>9}{'aim 11/9':>10}   ends with gap (9, 4, 11)")
    for max_size, aim in END_TO_END_AIMS.items():
        part = bc.partition(mrf, max_size)
        seconds = defaultdict(list)
        for _ in range(REPEATS):
            results = {}
            for variant in (9, 4, 11):
                begin = time.process_time()
                results[variant] = bc.solve(mrf, part, variant)
                seconds[variant].append(time.process_time() - begin)
        nine, four, eleven = (statistics.median(seconds[variant]) for variant in (9, 4, 11))
        gaps = ", ".join(f"{result.gap:.1e}" for result in results.values())
        wanted = f"≥ {aim:g}" if aim else ""
        print(
            f"{max_size:>4}{nine:>9.3f}{four:>9.3f}{eleven:>9.3f}"
            f"{eleven / nine:>8.1f}×{eleven / four:>8.1f}×{wanted:>10}   {gaps}"
        )
    print()


def per_message(mrf: bc.BinaryMRF, max_size: int) -> None:
    """One message: of 9 the share of its whole run, of 11 a few enumerated at the messages of 9's run."""
    part = bc.partition(mrf, max_size)
    rows = statistics.median(_seconds_per_message(mrf, part) for _ in range(REPEATS))
    engine = bc.Engine(mrf, part, variant=9)
    engine.run(max_sweeps=1)
    chosen = np.random.default_rng(0).choice(len(engine.graph.edges), ENUMERATED_MESSAGES, replace=False)
    enumerated = []
    for p, q in engine.graph.edges[chosen].tolist():
        begin = time.process_time()
        engine.min_marginal(p, q)
        enumerated.append(time.process_time() - begin)
    middle = statistics.median(enumerated)
    print(f"Per message at M = {max_size}, milliseconds")
    print(f"  9: {1e3 * rows:.2f}  (a whole run divided by its messages, median of {REPEATS} runs)")
    print(f" 11: {1e3 * middle:.0f}  (median of {ENUMERATED_MESSAGES} messages enumerated after one sweep of 9)")
    print(f" 11/9: {middle / rows:.0f}×  (aim ≥ {MESSAGE_AIM:g})\n")


def _seconds_per_message(mrf: bc.BinaryMRF, part: bc.Partition) -> float:
    begin = time.process_time()
    engine = bc.Engine(mrf, part, variant=9)
    engine.run()
    seconds = time.process_time() - begin
    nodes = engine.trace.column("node")[engine.trace.column("kind") == Kind.MESSAGE]
    return seconds / sum(len(engine.graph.neighbours(int(p))) for p in nodes)


def profile(mrf: bc.BinaryMRF, max_size: int) -> None:
    """Where the time of variant 9 goes: the loop is stopped after every phase and timed from outside."""
    begin = time.process_time()
    engine = bc.Engine(mrf, bc.partition(mrf, max_size), variant=9, snapshot_bytes=0)
    spent, count = {"set up: tables and initial rows": time.process_time() - begin}, defaultdict(int)
    while not engine.finished:
        phase = _phase(engine)
        begin = time.process_time()
        # A budget of one entry is used up by any phase.
        engine._advance(Until.NEVER, budget=1)
        spent[phase] = spent.get(phase, 0.0) + time.process_time() - begin
        count[phase] += 1
    # A call that finds nothing to do costs what the others cost beside their phase.
    begin = time.process_time()
    for _ in range(1000):
        engine._advance(Until.NEVER, budget=1)
    call = (time.process_time() - begin) / 1000
    spent = {phase: max(seconds - call * count[phase], 0.0) for phase, seconds in spent.items()}
    total = sum(spent.values())
    print(f"Where the time of variant 9 goes at M = {max_size}: every phase timed, {total:.3f} s in all")
    for phase, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        times = f"{count[phase]} times" if count[phase] else ""
        print(f"{100 * seconds / total:>6.1f} %  {phase:<60}{times:>12}")
    print()


def _phase(engine: bc.Engine) -> str:
    cursor, problem = engine._state.cursor, engine.graph.problem
    node = int(engine._rule.order[cursor[Cursor.POSITION]]) if cursor[Cursor.PHASE] <= Phase.PASS else -1
    if cursor[Cursor.PHASE] == Phase.OPEN:
        degree = problem.arc_first[node + 1] - problem.arc_first[node]
        return "recycle the rows of an edge" if cursor[Cursor.SLOT] < degree else "find the minimiser of an opened node"
    return {
        Phase.ORACLE: "consult the oracle on all edges, write rows",
        Phase.APPLY: "raise envelope and total by a row; minimiser after a batch",
        Phase.PASS: "pass the messages of a node, decode",
    }.get(Phase(int(cursor[Cursor.PHASE])), "close a sweep")


if __name__ == "__main__":
    main()
