"""MPLP with cycle pursuit: messages between variables, edges and triplets, which frustrated cycles call for.

Source: docs/cycles.md §8.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from bender_core.cycles.pursuit import Beliefs, PursuitEvent, PursuitLog, PursuitState, beliefs_of
from bender_core.cycles.signed import ULP
from bender_core.cycles.timeline import Stepped
from bender_core.cycles.triplets import Pursued, Searched, Triplets, preferences
from bender_core.engine.gap import Margin, margin
from bender_core.forms.lattice import lattice, lattice_left
from bender_core.forms.reduction import Left
from bender_core.forms.scale import energy_scale, negligible_gain
from bender_core.kernels.clusters import (
    EDGE_ENTRIES,
    TRIPLET_ENTRIES,
    certified,
    clusters_of,
    extended,
    near_bound,
    update,
)
from bender_core.kernels.forest import sides
from bender_core.labelings.searching import LabelingSearch
from bender_core.model import BinaryMRF, FloatArray, IntArray, require_model

# Sweeps of a round by MPLP at most, of the first round at most, and of a round with soft minima before them.
SWEEPS, FIRST_SWEEPS, SOFT_SWEEPS = 20, 200, 20
# Of the energy at stake for each table: a sweep that gains less ends the round, weaker preferences make no cycle, and
# temperatures between which a pass of rounds falls.
GAIN, WEAK, HOT, COLD = 1e-4, 1e-6, 1e-2, 1e-5
# Of the energy at stake: a pass that gains less is the last one.
NOTHING = 1e-7
# By which the temperature of the first pass falls from round to round; each pass takes twice as many rounds.
FALL = 0.8
# Blocks between two checks for a stop, about 5 ms.
SLICE = 1 << 14
# Entries that the search for a labelling reads after a round, for every variable.
SEARCH = 5_000
# Table entries that are read in the time of a slot of a search for cycles, and of an entry of a soft minimum.
OF_SLOT, OF_SOFT = 25, 6
# Bytes of a triplet and of a pair beside their arrays, in Python.
OF_NAME = 250
# Bytes of a variable and of an edge before the first round.
OF_VARIABLE, OF_PAIR = 200, 550


class CyclePursuit(Stepped[PursuitState, PursuitEvent]):
    """MPLP on variables, edges and triplets; each round adds the triplets of frustrated cycles.

    A round adds the triplets of the cycles that were found, passes messages until a sweep gains little, and looks for
    a better labelling. Where messages get stuck short of the best bound, the sweeps of further rounds begin with soft
    minima, at falling temperatures. Source: docs/cycles.md §8.

    Parameters
    ----------
    mrf : BinaryMRF
    seed : int
        Of the search for labellings.
    left : Left, optional
        In a proof, what ``mrf`` is of its model; by default it is the whole one.
    keeps : bool
        Whether earlier states are kept, so that all events can be shown.

    Attributes
    ----------
    labeling : ndarray of int64, shape (n,)
        The best one known.
    upper_bound : float
        Its energy.
    lower_bound : float
        The best one that messages have certified so far, energy; never above the energy of any labelling, not even by
        rounding.
    parts : BeliefParts or None
        Where the gap between both bounds lies; None if states are not kept.
    position : int
        The number of events before the present state, of which all attributes above are; after a stop within a round,
        they are those reached by then.
    rounds : int
        Complete rounds.
    work : int
        Of all rounds, table entries, other work converted to entries.
    finished : bool
        Whether the labelling is proven, or a whole pass of temperatures has gained nothing.
    margin : Margin
        When the bound proves the labelling.

    Raises
    ------
    ValueError
        If the seed is negative.

    Examples
    --------
    >>> import bender_core as bc
    >>> rival = bc.CyclePursuit(bc.sample("frustrated-cycle"))
    >>> rival.run(), rival.is_proven, rival.upper_bound
    (True, True, -17.0)
    """

    _log: PursuitLog

    def __init__(self, mrf: BinaryMRF, seed: int = 0, left: Left | None = None, keeps: bool = True) -> None:
        require_model(mrf)
        self.mrf, self._clusters = mrf, clusters_of(mrf.unary, mrf.edges, mrf.pairwise)
        self._triplets = Triplets(mrf.n, mrf.edges)
        self._stake = energy_scale(mrf)
        self._unit = self._stake / max(mrf.n + mrf.n_edges, 1)
        self._search = LabelingSearch(mrf, mrf.unary.argmin(axis=1) if left is None else left.labeling, seed)
        lower, self.margin = certified(self._clusters, mrf.constant), _margin(mrf, left)
        self.work = 0
        # Those of the best bound.
        self._beliefs: Beliefs | None = beliefs_of(self._clusters) if keeps else None
        # What has been reached, also within a round, whatever is shown.
        self._now = PursuitState(self._search.labeling, mrf.energy(self._search.labeling), lower, present=lower)
        self._reach()
        self._log = PursuitLog(self._now, keeps)
        self._show(0)
        # Of the present round: sweeps done, blocks done of the next one, and the bound before it.
        self._sweeps, self._block, self._near = 0, 0, -math.inf
        # Of the present pass: the bound before it.
        self._temperature, self._fall, self._before = 0.0, FALL, -math.inf

    def _show(self, position: int) -> None:
        self.position = position
        self._be(self._log.at(position))

    def _be(self, state: PursuitState) -> None:
        self.labeling, self.upper_bound, self.lower_bound = state.labeling, state.upper_bound, state.lower_bound
        self.parts = state.parts

    def _reach(self, **better: Any) -> None:
        """Be in a better state, before the event that records it."""
        now = self._now._replace(**better)
        self._now = now._replace(parts=None if self._beliefs is None else self._beliefs.parts(now.labeling))
        self._be(self._now)

    @property
    def n_triplets(self) -> int:
        """The number of triplets so far, also after the present position."""
        return len(self._clusters.triplets)

    @property
    def nbytes(self) -> int:
        """About the memory of the messages and beliefs, and of the search for cycles."""
        clusters, slots = self._clusters, 2 * len(self._clusters.ends)
        names = OF_NAME * (len(clusters.ends) + len(clusters.triplets))
        own = sum(array.nbytes for array in clusters) + names + 8 * (3 * slots + 14 * self.mrf.n)
        return own + self._log.nbytes + sum(array.nbytes for array in self._beliefs or ())

    def _following(self) -> Iterator[None]:
        """Pass messages, which ends the round, and look for the cycles of the next one."""
        soft = SOFT_SWEEPS if self._temperature else 0
        most = soft + (SWEEPS if self._log.rounds(len(self._log)) else FIRST_SWEEPS)
        while self._sweeps < most:
            if self._sweeps == soft and not self._block:
                self._near = -math.inf  # after soft minima it says nothing
            gain = yield from self._sweep(self._temperature if self._sweeps < soft else 0.0)
            if self._sweeps > soft and gain <= GAIN * self._unit:
                self._sweeps = most  # also after a stop
        yield
        self._certify()
        yield from self._improving()
        is_soft, work = self._temperature > 0.0, self.work
        ended = self._now._replace(n_triplets=len(self._clusters.triplets), is_soft=is_soft, work=work)
        cycles = yield from self._growing()
        self._log.end(ended)
        if cycles is None:
            self._is_over = True
        else:
            self._log.begin(cycles, self.work)
        self._sweeps, self._near = 0, -math.inf

    def _certify(self) -> None:
        lower = certified(self._clusters, self.mrf.constant)
        self._now = self._now._replace(present=lower)
        if lower > self._now.lower_bound:
            if self._beliefs is not None:
                self._beliefs = beliefs_of(self._clusters)
            self._reach(lower_bound=lower)

    def _sweep(self, temperature: float) -> Generator[None, None, float]:
        """Update all blocks; returns what the bound has gained since the last sweep, up to rounding."""
        clusters, edges = self._clusters, len(self._clusters.ends)
        blocks = edges + len(clusters.triplets)
        while self._block < blocks:
            yield
            begin, self._block = self._block, min(self._block + SLICE, blocks)
            update(clusters, begin, self._block, temperature)
        self.work += (OF_SOFT if temperature else 1) * (EDGE_ENTRIES * edges + TRIPLET_ENTRIES * len(clusters.triplets))
        before, self._near = self._near, near_bound(clusters)
        self._block, self._sweeps = 0, self._sweeps + 1
        return self._near - before

    def _growing(self) -> Generator[None, None, list[Pursued] | None]:
        """Add triplets, and lower the temperature; returns their cycles, or None if nothing is gained any more."""
        if self.margin.excludes(self._now.lower_bound - self._now.upper_bound, 0.0):
            return None
        now = preferences(self._clusters.of_edges)
        found = yield from self._searching(now)
        if not found.triples:
            found = yield from self._searching_ties(now)
        if not self._goes_on(bool(found.triples)):
            return None
        if found.triples:
            self._clusters = extended(self._clusters, *self._triplets.add(found.triples))
        return found.cycles

    def _goes_on(self, grows: bool) -> bool:
        """Lower the temperature; returns whether anything may still be gained."""
        self._temperature *= self._fall
        # At first there is no temperature, until MPLP gets stuck.
        if self._temperature >= COLD * self._unit or (grows and not self._temperature):
            return True
        if self._temperature:
            self._fall = math.sqrt(self._fall)
            if self._now.lower_bound - self._before <= NOTHING * self._stake:
                return False
        self._temperature, self._before = HOT * self._unit, self._now.lower_bound
        return True

    def _searching(self, preference: FloatArray) -> Generator[None, None, Searched]:
        """Search for frustrated cycles of these preferences."""
        found = yield from self._triplets.search(self._clusters.ends, preference, WEAK * self._unit)
        self.work += OF_SLOT * found.read
        return found

    def _searching_ties(self, now: FloatArray) -> Generator[None, None, Searched]:
        """Search with edges that prefer nothing any more as weak ones of what they preferred at first.

        Another cycle through them may raise the bound once its triplets share them with the others.
        """
        weak, first = 2.0 * WEAK * self._unit, np.zeros(len(now))  # chords preferred nothing
        first[: self.mrf.n_edges] = np.sign(preferences(self.mrf.pairwise))
        found = yield from self._searching(np.where(np.abs(now) < weak, weak * first, now))
        return found._replace(cycles=[each._replace(used=np.abs(each.preference) <= weak) for each in found.cycles])

    def _improving(self) -> Iterator[None]:
        """Look for a better labelling, from the one that satisfies the most decided beliefs."""
        near = self._decoded()
        if self.mrf.energy(near) < self._now.upper_bound:
            self._search.turn_to(self.mrf, near)
        before = self._search.work
        yield from self._search.slices(SEARCH * self.mrf.n)
        self.work += self._search.work - before
        energy = self.mrf.energy(self._search.labeling)
        if energy < self._now.upper_bound:
            self._reach(labeling=self._search.labeling, upper_bound=energy)

    def _decoded(self) -> IntArray:
        """The labelling that satisfies a maximum spanning forest of the preferences of edges and of variables.

        A preference of a variable is one to be equal to one more vertex, which is 1, or different from it.
        """
        clusters, n = self._clusters, self.mrf.n
        ends = np.concatenate([clusters.ends, np.column_stack([np.arange(n), np.full(n, n)])])
        beliefs = clusters.of_variables
        preference = np.concatenate([preferences(clusters.of_edges), beliefs[:, 1] - beliefs[:, 0]])
        order = np.argsort(-np.abs(preference), kind="stable")
        odd = sides(n + 1, ends[order], preference[order] > 0.0)
        return np.asarray(odd[:-1] == odd[-1], np.int64)


def needed_bytes(mrf: BinaryMRF) -> int:
    """About the memory of a cycle pursuit of a model before its first round.

    Parameters
    ----------
    mrf : BinaryMRF
    """
    return OF_VARIABLE * mrf.n + OF_PAIR * mrf.n_edges


def _margin(mrf: BinaryMRF, left: Left | None) -> Margin:
    """The bound is never above the rounded energy of a labelling, but that may miss the lattice."""
    if left is None:
        points = lattice(mrf)
        negligible, rounded = negligible_gain(mrf, points), 0.0
    else:
        points, negligible, rounded = lattice_left(left.whole, left.negligible), left.negligible, left.whole.rounding
    sizes = [abs(mrf.constant), *np.abs(mrf.unary).max(axis=1), *np.abs(mrf.pairwise).max(axis=(1, 2))]
    return margin(rounded + (ULP * math.fsum(sizes) if points.step else 0.0), points, negligible)
