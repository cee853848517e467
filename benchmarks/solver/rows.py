"""Rows against enumeration on the sample pose, side by side."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from functools import partial

import numpy as np

import bender_core as bc
from benchmarks.common import POSE, Options, TimedRun, interleaved, solve, times
from bender_core import looking
from bender_core.kernels.layout import Kind, Message, Phase
from bender_core.kernels.min_marginals.enumerate import enumerate_min_marginals

REPEATS = 5
ENUMERATED_MESSAGES = 4
# M, and the least speed-up over enumeration (11) required of rows on all loose edges (9), end to end.
END_TO_END_AIMS = {5: 0.5, 8: None, 12: 3.0}
MESSAGE_AIM = 50.0
LARGE, LARGE_AIM = 16, 60.0


def run(options: Options) -> None:
    """Print all tables."""
    mrf = bc.load(POSE)
    print(f"{mrf.name}, {mrf.n} variables, {mrf.n_edges} edges\n")
    end_to_end(mrf)
    end_to_end_extrapolated(mrf, LARGE)
    per_message(mrf, LARGE)
    for max_size in (12, LARGE):
        profile(mrf, max_size)


def end_to_end(mrf: bc.BinaryMRF) -> None:
    """Whole runs, tables included; the variants take turns, so that a busy machine slows all of them."""
    print(f"End to end: median seconds of {REPEATS} interleaved runs; ratios are 11 to the variant")
    print(f"{'M':>4}{'9':>9}{'4':>9}{'11':>9}{'11/9':>9}{'11/4':>9}{'aim 11/9':>10}   ends with gap (9, 4, 11)")
    for max_size, aim in END_TO_END_AIMS.items():
        part = bc.partition(mrf, max_size)
        results: dict[int, bc.Result] = {}

        def solved(variant: int, part: bc.Partition = part, results: dict[int, bc.Result] = results) -> None:
            results[variant] = bc.solve(mrf, part, variant)

        seconds = interleaved({variant: partial(solved, variant) for variant in (9, 4, 11)}, REPEATS)
        nine, four, eleven = seconds.values()
        gaps = ", ".join(f"{result.gap:.1e}" for result in results.values())
        wanted = f"≥ {aim:g}" if aim else ""
        print(
            f"{max_size:>4}{nine:>9.3f}{four:>9.3f}{eleven:>9.3f}"
            f"{eleven / nine:>8.1f}×{eleven / four:>8.1f}×{wanted:>10}   {gaps}"
        )
    print()


def end_to_end_extrapolated(mrf: bc.BinaryMRF, max_size: int) -> None:
    """Whole runs where enumeration would take minutes: one sweep of it, scaled to the messages of variant 12."""
    last: dict[int, TimedRun] = {}

    def solved(variant: int) -> None:
        last[variant] = solve(mrf, partial(bc.partition, mrf, max_size), variant)

    nine, twelve = interleaved({variant: partial(solved, variant) for variant in (9, 12)}, REPEATS).values()
    begin = time.process_time()
    engine = bc.Engine(mrf, bc.partition(mrf, max_size), variant=11, snapshot_bytes=0)
    engine.run(max_sweeps=1)
    a_message = (time.process_time() - begin) / (2 * len(engine.graph.edges))
    messages = last[12].messages
    eleven = a_message * messages
    print(f"End to end at M = {max_size}, 11 extrapolated from one sweep, {2 * len(engine.graph.edges)} messages at")
    print(f"{a_message:.3f} s, to the {messages} of variant 12, which are the same; others median of {REPEATS}")
    print(f"   9: {nine:.3f} s, gap {last[9].engine.gap:.1e}")
    print(f"  12: {twelve:.3f} s, gap {last[12].engine.gap:.1e}")
    print(f"  11: {eleven:.0f} s")
    print(f"  11/9: {times(eleven / nine)}  (aim ≥ {LARGE_AIM:g}×), 11/12: {times(eleven / twelve)}\n")


def per_message(mrf: bc.BinaryMRF, max_size: int) -> None:
    """One message: of 9 the share of its whole run, of 11 a few enumerated at the messages of 9's run."""
    part = bc.partition(mrf, max_size)
    rows = statistics.median(_seconds_per_message(mrf, part) for _ in range(REPEATS))
    engine = bc.Engine(mrf, part, variant=9)
    engine.run(max_sweeps=1)
    chosen = np.random.default_rng(0).choice(len(engine.graph.edges), ENUMERATED_MESSAGES, replace=False)
    enumerated = []
    for p, q in engine.graph.edges[chosen].tolist():
        arc = engine.graph.arc(p, q)
        states = np.arange(1 << engine.graph.problem.bits[arc])
        nu = np.empty(len(states))
        begin = time.process_time()
        enumerate_min_marginals(
            engine.graph.problem, Message(arc, looking.incoming(engine, arc), nu), states, engine.arrays.probe
        )
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
    """The time of variant 9 by phase: the loop is stopped after every phase and timed from outside."""
    begin = time.process_time()
    engine = bc.Engine(mrf, bc.partition(mrf, max_size), variant=9, snapshot_bytes=0)
    spent = {"set up: tables and initial rows": time.process_time() - begin}
    count: dict[str, int] = defaultdict(int)
    while not engine.finished:
        phase = _phase(engine)
        begin = time.process_time()
        # A budget of one entry is used up by any phase.
        engine.run(max_work=1)
        spent[phase] = spent.get(phase, 0.0) + time.process_time() - begin
        count[phase] += 1
    # A call with nothing to do costs the overhead of the others.
    begin = time.process_time()
    for _ in range(1000):
        engine.run(max_work=1)
    call = (time.process_time() - begin) / 1000
    spent = {phase: max(seconds - call * count[phase], 0.0) for phase, seconds in spent.items()}
    total = sum(spent.values())
    print(f"Where the time of variant 9 goes at M = {max_size}: every phase timed, {total:.3f} s in all")
    for phase, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        times = f"{count[phase]} times" if count[phase] else ""
        print(f"{100 * seconds / total:>6.1f} %  {phase:<60}{times:>12}")
    print()


def _phase(engine: bc.Engine) -> str:
    cursor, problem = engine.arrays.state.cursor, engine.graph.problem
    node = int(engine.arrays.rule.order[cursor.position]) if cursor.phase <= Phase.PASS else -1
    if cursor.phase == Phase.OPEN:
        degree = problem.arc_first[node + 1] - problem.arc_first[node]
        return "recycle the rows of an edge" if cursor.slot < degree else "find the minimiser of an opened node"
    return {
        Phase.ORACLE: "consult the oracle on all edges",
        Phase.PLAN: "make a row",
        Phase.APPLY: "raise envelope and total by a row; minimiser after a batch",
        Phase.PASS: "pass the messages of a node, decode",
    }.get(Phase(int(cursor.phase)), "close a sweep")
