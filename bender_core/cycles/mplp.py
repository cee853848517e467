"""MPLP with cycle pursuit: messages between variables, edges and triplets, which frustrated cycles call for.

Source: docs/cycles.md §8.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator

import numpy as np

from bender_core.cycles.rounds import Rounds
from bender_core.cycles.signed import ULP
from bender_core.cycles.triplets import Triple, Triplets, preferences
from bender_core.engine.gap import Margin, margin
from bender_core.forms.lattice import lattice
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
from bender_core.stopping import Stop, Stopped, never

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


class CyclePursuit(Rounds):
    """MPLP on variables, edges and triplets; each round adds the triplets of frustrated cycles.

    A round passes messages until a sweep gains little, looks for a better labelling, and adds triplets. Where they get
    stuck short of the best bound, the sweeps of further rounds begin with soft minima, at falling temperatures.
    Source: docs/cycles.md §8.

    Parameters
    ----------
    mrf : BinaryMRF
    seed : int
        Of the search for labellings.

    Attributes
    ----------
    labeling : ndarray of int64, shape (n,)
        The best one known.
    upper_bound : float
        Its energy.
    lower_bound : float
        The best one that messages have certified so far, energy; never above the energy of any labelling, not even by
        rounding.
    rounds : int
    work : int
        Table entries, other work converted to entries.
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

    rounds = 0
    finished = False

    def __init__(self, mrf: BinaryMRF, seed: int = 0) -> None:
        require_model(mrf)
        self.mrf, self._clusters = mrf, clusters_of(mrf.unary, mrf.edges, mrf.pairwise)
        self._triplets = Triplets(mrf.n, mrf.edges)
        self._stake = energy_scale(mrf)
        self._unit = self._stake / max(mrf.n + mrf.n_edges, 1)
        self._search = LabelingSearch(mrf, mrf.unary.argmin(axis=1), seed)
        self.labeling, self.upper_bound = self._search.labeling, mrf.energy(self._search.labeling)
        self.lower_bound, self.margin = certified(self._clusters, mrf.constant), _margin(mrf)
        self.work = 0
        self._course: Iterator[None] | None = None  # of a round that has begun
        self._stop = never
        # Of the present round: sweeps done, blocks done of the next one, and the bound before it.
        self._sweeps, self._block, self._near = 0, 0, -math.inf
        # Of the present pass: the bound before it.
        self._temperature, self._fall, self._before = 0.0, FALL, -math.inf

    @property
    def n_triplets(self) -> int:
        """The number of triplets so far."""
        return len(self._clusters.triplets)

    @property
    def nbytes(self) -> int:
        """About the memory of the messages and beliefs, and of the search for cycles."""
        clusters, slots = self._clusters, 2 * len(self._clusters.ends)
        names = OF_NAME * (len(clusters.ends) + len(clusters.triplets))
        return sum(array.nbytes for array in clusters) + names + 8 * (3 * slots + 14 * self.mrf.n)

    def _slices(self, stop: Stop) -> Iterator[None]:
        self._stop, self._course = stop, self._course or self._round()
        try:
            for _ in self._course:  # no `yield from`, which would end it with a caller that gives up
                yield
        except Stopped:
            self._course = None  # what it has done is kept
            raise
        self._course = None

    def _round(self) -> Iterator[None]:
        soft = SOFT_SWEEPS if self._temperature else 0
        most = soft + (SWEEPS if self.rounds else FIRST_SWEEPS)
        while self._sweeps < most:
            if self._sweeps == soft and not self._block:
                self._near = -math.inf  # after soft minima it says nothing
            gain = yield from self._sweep(self._temperature if self._sweeps < soft else 0.0)
            if self._sweeps > soft and gain <= GAIN * self._unit:
                self._sweeps = most  # also after a stop
        yield
        self.lower_bound = max(self.lower_bound, certified(self._clusters, self.mrf.constant))
        self._improve()
        yield
        self.finished = self.is_proven or not self._grow()
        self._sweeps, self._near = 0, -math.inf
        self.rounds += 1

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

    def _grow(self) -> bool:
        """Add triplets, and lower the temperature; returns whether anything may still be gained."""
        clusters = self._clusters
        triples = self._searched(preferences(clusters.of_edges)) or self._searched(self._with_ties_broken())
        if triples:
            self._clusters = extended(clusters, *self._triplets.add(triples))
        self._temperature *= self._fall
        # At first there is no temperature, until MPLP gets stuck.
        if self._temperature >= COLD * self._unit or (triples and not self._temperature):
            return True
        if self._temperature:
            self._fall = math.sqrt(self._fall)
            if self.lower_bound - self._before <= NOTHING * self._stake:
                return False
        self._temperature, self._before = HOT * self._unit, self.lower_bound
        return True

    def _searched(self, preference: FloatArray) -> list[Triple]:
        """Triplets of frustrated cycles of these preferences."""
        found = self._triplets.search(self._clusters.ends, preference, WEAK * self._unit, self._stop)
        self.work += OF_SLOT * found.read
        return found.triples

    def _with_ties_broken(self) -> FloatArray:
        """What edges prefer; those whose triplets have used all up, what they preferred at first, weakly.

        Another cycle through them may raise the bound once the triplets of both share them.
        """
        weak, now = WEAK * self._unit, preferences(self._clusters.of_edges)
        first = np.zeros(len(now))  # chords prefer nothing
        first[: self.mrf.n_edges] = np.sign(preferences(self.mrf.pairwise))
        return np.where(np.abs(now) <= weak, 2.0 * weak * first, now)

    def _improve(self) -> None:
        """Look for a better labelling, from the one that satisfies the most decided beliefs."""
        near = self._decoded()
        if self.mrf.energy(near) < self.upper_bound:
            self._search.turn_to(self.mrf, near)
        before = self._search.work
        self._search.go_on(SEARCH * self.mrf.n, self._stop)
        self.work += self._search.work - before
        energy = self.mrf.energy(self._search.labeling)
        if energy < self.upper_bound:
            self.labeling, self.upper_bound = self._search.labeling, energy

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


def _margin(mrf: BinaryMRF) -> Margin:
    """The bound is never above the rounded energy of a labelling, but that may miss the lattice."""
    points = lattice(mrf)
    sizes = [abs(mrf.constant), *np.abs(mrf.unary).max(axis=1), *np.abs(mrf.pairwise).max(axis=(1, 2))]
    return margin(ULP * math.fsum(sizes) if points.step else 0.0, points, negligible_gain(mrf, points))
