"""A run and the forks that led to it, as a value from which it is made again. Source: docs/formats.md §8.1."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bender_core.account import Account
from bender_core.groups import Partition
from bender_core.model import BinaryMRF
from bender_core.run.engine import Engine
from bender_core.run.repeating.change import Change, Fork, forked
from bender_core.stopping import Stop, never

# Settings of the engine that affect results, or what a fork takes out, besides the variant and the schedule.
_SETTINGS: dict[str, Callable[[Any], float | None]] = {
    "tolerance": float,
    "max_sweeps": int,
    "deepest": int,
    "improving": bool,
    "excluding": bool,
}


@dataclass(frozen=True, eq=False)
class Line:
    """How a run came about: the first run, and the forks that led from it to this one.

    Attributes
    ----------
    partition : Partition
        Of the first run, as all that follows but the forks.
    max_size : int
        The requested M.
    variant : int
    schedule : str
    settings : mapping
        The parameters of `Engine` that affect results and differ from their defaults.
    forks : tuple of Fork
    """

    partition: Partition
    max_size: int
    variant: int
    schedule: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    forks: tuple[Fork, ...] = ()

    @classmethod
    def of(cls, engine: Engine, max_size: int) -> Line:
        """The line of a run that did not fork from another.

        Parameters
        ----------
        engine : Engine
        max_size : int
            The requested M.
        """
        defaults = inspect.signature(Engine).parameters
        chosen = {name: kind(getattr(engine, name)) for name, kind in _SETTINGS.items()}
        settings = {name: value for name, value in chosen.items() if value != defaults[name].default}
        return cls(engine.partition, max_size, engine.variant.number, engine.schedule, settings)

    def forked(self, event: int, change: Change) -> Line:
        """The line of the run that a change at an event of this one leads to."""
        return replace(self, forks=(*self.forks, Fork(event, change)))

    def runs(self, mrf: BinaryMRF, limit: int | Account | None = None, stop: Stop = never) -> Iterator[Engine]:
        """All runs of the line, the first one first, each at its beginning; they end where the next one forks.

        Only the latest is kept.

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
        engine = Engine(mrf, self.partition, self.variant, self.schedule, limit=limit, stop=stop, **self.settings)
        yield engine
        for fork in self.forks:
            engine = forked(engine, fork, stop)
            yield engine
