"""The linear program of the cycles: break edges at the least cost so that every frustrated cycle has a broken one.

Source: docs/cycles.md §3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import highspy
import numpy as np

from bender_core.model import FloatArray, IntArray
from bender_core.seeds import generator

# Simplex iterations of a slice; a large program takes some tens of milliseconds for them.
SLICE = 100
# Slices after which costs are perturbed, and by which share of them at most; and after which a program with the true
# costs is given up.
LONG, PERTURBATION, PATIENCE = 10, 1e-3, 500
_TOLERANCE = 1e-9


class Covering:
    """The program, solved again from its last basis whenever cycles have been added.

    Parameters
    ----------
    cost : ndarray, shape (E,)
        Of the edges, > 0.
    seed : int
        Of the perturbation of costs.

    Attributes
    ----------
    cycles : list of ndarray of int64
        The edges of every cycle that has a row.
    shares : ndarray, shape (len(cycles),)
        What every cycle takes from each of its edges: the duals of the rows, energy, not negative.
    broken : ndarray, shape (E,)
        How far every edge is broken in the optimum, from 0 to 1.
    is_solved : bool
        Whether ``shares`` and ``broken`` are those of all rows.
    is_perturbed : bool
        Whether the program is solved with costs that are a little lower. Its shares are possible with the true costs
        too, but may not be the best.
    """

    def __init__(self, cost: FloatArray, seed: int) -> None:
        self.cycles: list[IntArray] = []
        self.shares, self.broken, self.is_solved = np.zeros(0), np.zeros(len(cost)), True
        self.is_perturbed, self._was_perturbed = False, False
        self._rows: set[bytes] = set()
        # So that the solver's tolerances mean the same for every model.
        self._unit = float(cost.max(initial=0.0)) or 1.0
        program: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._program = program
        for name, value in (("output_flag", False), ("threads", 1), ("solver", "simplex"), ("presolve", "off")):
            program.setOptionValue(name, value)
        for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            program.setOptionValue(name, _TOLERANCE)
        program.setOptionValue("simplex_iteration_limit", SLICE)
        program.addVars(len(cost), np.zeros(len(cost)), np.ones(len(cost)))
        self._cost, self._dice = cost, generator(seed)
        self._charge(cost)

    def _charge(self, cost: FloatArray) -> None:
        """Solve with these costs from now on."""
        self._program.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost / self._unit)

    def _perturb(self) -> None:
        self.is_perturbed = self._was_perturbed = True
        self._charge(self._cost * (1.0 - PERTURBATION * self._dice.random(len(self._cost))))

    def restore(self) -> None:
        """Return to the true costs, for good."""
        self.is_perturbed = self.is_solved = False
        self._charge(self._cost)

    def add(self, cycles: Sequence[IntArray]) -> None:
        """Give cycles, at least one, rows."""
        self.is_solved = False
        self._rows |= {cycle.tobytes() for cycle in cycles}
        count = [len(cycle) for cycle in cycles]
        starts = np.concatenate([[0], np.cumsum(count)[:-1]]).astype(np.int32)
        index = np.concatenate(cycles).astype(np.int32)
        least, most = np.ones(len(cycles)), np.full(len(cycles), np.inf)
        self._program.addRows(len(cycles), least, most, len(index), starts, index, np.ones(len(index)))
        self.cycles += cycles

    def has(self, cycle: IntArray) -> bool:
        """Whether a cycle has a row."""
        return cycle.tobytes() in self._rows

    def solve(self) -> Iterator[int]:
        """Find the best shares in slices; yields the entries that the simplex iterations of each have passed over.

        An iteration passes over one for each edge and row. Where many solutions are equally good, as where all costs
        are the same, it may go from one to the next without end: where it takes long, costs are perturbed. Where the
        solver fails, or needs much longer with the true costs, the program stays unsolved, with a share of 0 for what
        is new.
        """
        entries, is_over, slices = len(self.broken) + len(self.cycles), False, 0
        while not is_over:
            self._program.run()
            is_over = self._program.getModelStatus() != highspy.HighsModelStatus.kIterationLimit
            yield entries * int(self._program.getInfo().simplex_iteration_count)
            slices += 1
            if slices == LONG and not (is_over or self._was_perturbed):
                self._perturb()
            is_over |= slices == PATIENCE and not self.is_perturbed
        self._take()

    def _take(self) -> None:
        """Take over what the solver has found."""
        found = self._program.getSolution()
        shares, broken = np.array(found.row_dual) * self._unit, np.array(found.col_value)
        is_optimal = self._program.getModelStatus() == highspy.HighsModelStatus.kOptimal
        self.is_solved = is_optimal and bool(np.isfinite(shares).all() and np.isfinite(broken).all())
        if self.is_solved:
            self.shares, self.broken = np.maximum(shares, 0.0), np.clip(broken, 0.0, 1.0)
        else:
            self.shares = np.append(self.shares, np.zeros(len(self.cycles) - len(self.shares)))

    def drop(self, without: IntArray) -> None:
        """Take rows away, by their numbers."""
        self._program.deleteRows(len(without), without.astype(np.int32))
        gone = set(without.tolist())
        self._rows -= {self.cycles[k].tobytes() for k in gone}
        self.cycles = [cycle for k, cycle in enumerate(self.cycles) if k not in gone]
        self.shares = np.delete(self.shares, without)
