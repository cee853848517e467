"""The bounds of all rules for partitions, and how close `auto` comes to the best of them."""

from __future__ import annotations

from pathlib import Path

import bender_core as bc
from benchmarks.common import POSE, Options, solve, table
from bender_core.strategies import applicable_rules, quality

SIZES = (5, 8, 12)
RUNS = ((12, "mplp"), (9, "srmp"))
SWEEPS = 30
LIMIT = 5.0
# The largest loss of bound allowed for `auto`, and how often it must stay within it.
LOSS, OFTEN = 0.05, 0.80


def run(options: Options) -> None:
    """Print a table of bounds, then the quality of the choice of `auto`."""
    limit = options.seconds(LIMIT)
    print(f"Lower bounds after {SWEEPS} sweeps, at most {limit:g} s a run; in brackets the share of the coupling that")
    print("matters which lies inside groups or on a forest that joins them. (*) marks what auto chose.\n")
    losses: list[tuple[float, float, bool]] = []
    for mrf in _models(options.instances):
        print(f"{mrf.name}: {mrf.n} variables, {mrf.n_edges} edges")
        row = table({"M": 3, "variant": -8} | dict.fromkeys(applicable_rules(mrf), 18))
        for size in SIZES:
            parts = {name: bc.partition(mrf, size, name) for name in applicable_rules(mrf)}
            chosen = bc.auto(mrf, size).reason.partition(":")[0]
            for variant, schedule in RUNS:
                bounds = {name: _bound(mrf, part, variant, schedule, limit) for name, part in parts.items()}
                cells = (
                    f"{bounds[name]:.6g}{' (*)' if name == chosen else ''} [{100 * quality(mrf, part).covered:.0f} %]"
                    for name, part in parts.items()
                )
                row(size, f"{variant} {schedule}", *cells)
                best, worst = max(bounds.values()), min(bounds.values())
                lost = best - bounds[chosen]
                # If all are equally good, none is the worst.
                even = best - worst <= 1e-6 * abs(best)
                losses.append(
                    (lost / abs(best), 0.0 if even else lost / (best - worst), even or bounds[chosen] > worst)
                )
        print()
    _claim(losses)


def _claim(losses: list[tuple[float, float, bool]]) -> None:
    count = len(losses)
    within = sum(loss <= LOSS for loss, _, _ in losses) / count
    of_span = sum(span <= LOSS for _, span, _ in losses) / count
    worst = count - sum(better for _, _, better in losses)
    print(f"auto is the worst of all in {worst} of {count} runs (aim: 0)")
    print(
        f"auto is within {LOSS:.0%} of the best bound in {within:.0%} of them (aim: {OFTEN:.0%}), and of the span from "
        f"worst to best in {of_span:.0%}; it loses {max(loss for loss, _, _ in losses):.1%} of the bound at most and "
        f"{sum(loss for loss, _, _ in losses) / count:.2%} on average\n"
    )


def _models(instances: Path) -> list[bc.BinaryMRF]:
    """The samples, and the readable instances next to the repository."""
    found = [bc.load(path) for path in sorted(POSE.parent.glob("*.mrf.json"))]
    for path in sorted(instances.glob("*")):
        try:
            found.append(bc.load(path))
        except bc.FormatError:
            continue
    return found


def _bound(mrf: bc.BinaryMRF, part: bc.Partition, variant: int, schedule: str, limit: float) -> float:
    return solve(mrf, lambda: part, variant, schedule, limit, SWEEPS).engine.lower_bound
