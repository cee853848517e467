"""The hand-unrolled kernels against plain loops: passes over tables in the cache, and beyond it.

The plain loops exist only here; both give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.common import Options, interleaved, table, times
from bender_core.kernels._jit import entry
from bender_core.kernels.layout import Scan
from bender_core.kernels.tables import affine
from bender_core.kernels.tables.affine import fold_max, high_states, low_states

BITS = (8, 12, 16)
# Bits of the receiver that a candidate of a pruning is bounded over.
RECEIVER_BITS = 12
REPEATS = 40
# Entries read in a measurement, at least.
ENTRIES = 1 << 18


@entry
def _four_rows(values, bits, four, scan):
    """`affine_max4`, one block of high states after the other."""
    n_low = low_states(bits)
    g0, g1, g2, g3 = four
    best0, best1, best2, best3 = scan.best[0, :n_low], scan.best[1, :n_low], scan.best[2, :n_low], scan.best[3, :n_low]
    scan.best[:, :n_low] = -np.inf
    for h in range(high_states(bits)):
        x = values[h * n_low : (h + 1) * n_low]
        a0, a1, a2, a3 = g0[n_low + h], g1[n_low + h], g2[n_low + h], g3[n_low + h]
        for t in range(n_low):
            best0[t] = max(best0[t], x[t] + a0)
            best1[t] = max(best1[t], x[t] + a1)
            best2[t] = max(best2[t], x[t] + a2)
            best3[t] = max(best3[t], x[t] + a3)
    for t in range(n_low):
        best0[t] += g0[t]
        best1[t] += g1[t]
        best2[t] += g2[t]
        best3[t] += g3[t]
    return fold_max(best0, n_low), fold_max(best1, n_low), fold_max(best2, n_low), fold_max(best3, n_low)


@entry
def _one_row(values, bits, g, scan):
    """`affine_max`, one block of high states after the other."""
    n_low = low_states(bits)
    best = scan.best[0, :n_low]
    best[:] = -np.inf
    for h in range(high_states(bits)):
        x = values[h * n_low : (h + 1) * n_low]
        shift = g[n_low + h]
        for t in range(n_low):
            best[t] = max(best[t], x[t] + shift)
    for t in range(n_low):
        best[t] += g[t]
    return fold_max(best, n_low)


@entry
def _chances(values, halves, slope, chance, unrolled):
    """The sums of pruning for every candidate: four bits of the receiver at a time, or one."""
    n_low = len(chance)
    for h in range(len(values) // n_low):
        for t in range(n_low):
            chance[t] = values[h * n_low + t]
        k = 0
        while unrolled and k + 4 <= len(slope):
            r0, r1, r2, r3 = halves[k], halves[k + 1], halves[k + 2], halves[k + 3]
            s0, s1 = r0[n_low + h] - slope[k], r1[n_low + h] - slope[k + 1]
            s2, s3 = r2[n_low + h] - slope[k + 2], r3[n_low + h] - slope[k + 3]
            for t in range(n_low):
                chance[t] += (abs(r0[t] + s0) + abs(r1[t] + s1)) + (abs(r2[t] + s2) + abs(r3[t] + s3))
            k += 4
        while k < len(slope):
            half = halves[k]
            shift = half[n_low + h] - slope[k]
            for t in range(n_low):
                chance[t] += abs(half[t] + shift)
            k += 1


def _compared(bits: int) -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """For each kernel the unrolled and the plain loop."""
    rng, n_low = np.random.default_rng(bits), 1 << min(bits, 8)
    values, nu = rng.normal(size=(2, 1 << bits))
    rows = tuple(rng.normal(size=(4, n_low + (1 << max(bits - 8, 0)))))
    halves = rng.normal(size=(RECEIVER_BITS, len(rows[0])))
    slope, chance = rng.normal(size=RECEIVER_BITS), np.empty(n_low)
    scan, level = Scan(np.empty((4, n_low)), np.empty(n_low)), (0.1, 0.2, 0.3, 0.4)
    return {
        "four rows in a pass, recycled: maximum": (
            lambda: affine.affine_max4(values, bits, rows, scan),
            lambda: [affine.affine_max(values, bits, g, scan) for g in rows],
        ),
        "four rows in a pass, recycled: envelope": (
            lambda: affine.raise_envelope4(nu, bits, rows, level),
            lambda: [affine.raise_envelope(nu, bits, g, c) for g, c in zip(rows, level, strict=True)],
        ),
        "two blocks in a pass of four rows": (
            lambda: affine.affine_max4(values, bits, rows, scan),
            lambda: _four_rows(values, bits, rows, scan),
        ),
        "four blocks in a pass of one row": (
            lambda: affine.affine_max(values, bits, rows[0], scan),
            lambda: _one_row(values, bits, rows[0], scan),
        ),
        "four bits in a pass of pruning": (
            lambda: _chances(values, halves, slope, chance, True),
            lambda: _chances(values, halves, slope, chance, False),
        ),
    }


def _ratio(ours: Callable[[], object], plain: Callable[[], object], loops: int) -> str:
    def often(action: Callable[[], object]) -> Callable[[], object]:
        return lambda: [action() for _ in range(loops)]

    actions = {"ours": often(ours), "plain": often(plain)}
    for action in actions.values():
        action()
    seconds = interleaved(actions, REPEATS)
    return times(seconds["plain"] / seconds["ours"])


def run(options: Options) -> None:
    """Print the ratios of plain to unrolled times."""
    print(f"The plain loop in the time of the unrolled one; medians of {REPEATS} interleaved, tables of 2^b entries\n")
    row = table({"unrolled": -40} | {f"b = {bits}": 7 for bits in BITS})
    found = {bits: _compared(bits) for bits in BITS}
    for name in found[BITS[0]]:
        row(name, *(_ratio(*found[bits][name], max(ENTRIES >> bits, 1)) for bits in BITS))
    print()
