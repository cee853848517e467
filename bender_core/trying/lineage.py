"""A run and the forks that led to it, as a value from which it can be made again. Source: docs/formats.md §8.1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bender_core.account import Account
from bender_core.engine.engine import Engine
from bender_core.engine.settings import Settings
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.stopping import Stop, never
from bender_core.trying.change import Change, Fork, forked


@dataclass(frozen=True, eq=False)
class Lineage:
    """The history of a run: the first run, and the forks that led from it to this one.

    Attributes
    ----------
    partition : Partition
        Of the first run, as are the following fields except the forks.
    max_size : int
        The requested M.
    settings : Settings
    forks : tuple of Fork
    """

    partition: Partition
    max_size: int
    settings: Settings
    forks: tuple[Fork, ...] = ()

    @classmethod
    def of(cls, engine: Engine, max_size: int) -> Lineage:
        """The lineage of a run that did not fork from another.

        Parameters
        ----------
        engine : Engine
        max_size : int
            The requested M.
        """
        # The memory for snapshots affects no result.
        settings = replace(engine.settings, snapshot_bytes=Settings().snapshot_bytes)
        return cls(engine.partition, max_size, settings)

    def forked(self, event: int, change: Change) -> Lineage:
        """The lineage of a fork of this run at an event."""
        return replace(self, forks=(*self.forks, Fork(event, change)))

    def runs(self, mrf: BinaryMRF, limit: int | Account | None = None, stop: Stop = never) -> Iterator[Engine]:
        """All its runs in order, each yielded at its beginning, and later moved to where the next one forks.

        Only the latest run is kept in memory.

        Parameters
        ----------
        mrf : BinaryMRF
            The model.
        limit : int or Account, optional
            As for `Engine`; the runs share it.
        stop : Stop

        Raises
        ------
        ChangeError, PartitionError, ValueError, TooLargeError
            If a fork cannot be made.
        Stopped
            If ``stop`` says so.
        """
        engine = Engine(mrf, self.partition, self.settings, limit=limit, stop=stop)
        yield engine
        for fork in self.forks:
            engine = forked(engine, fork, stop)
            yield engine
