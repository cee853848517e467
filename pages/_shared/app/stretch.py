"""The part of a run that a frame in another page shows, as its address names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import AT, FROM, LOOP, TO, Field

T = TypeVar("T")

# No position.
NO_END = -1


class Stretch(NamedTuple):
    """A part of a run.

    Attributes
    ----------
    begin : int
        The first position shown.
    end : int or None
        The last one; None: that where the run ends.
    loops : bool
        Whether it plays by itself, again and again.
    """

    begin: int
    end: int | None
    loops: bool = False

    def nearest(self, position: int) -> int:
        """The position in it that is nearest to another one."""
        return max(position if self.end is None else min(position, self.end), self.begin)

    def until(self, last: int) -> Stretch:
        """The part of it in a run that ends at a position."""
        end = last if self.end is None else min(self.end, last)
        return self._replace(begin=min(self.begin, end), end=end)

    @property
    def words(self) -> str:
        """Where it is, in words."""
        if self.begin == self.end:
            return f"at event {self.begin:,}"
        return f"from event {self.begin:,} {'on' if self.end is None else f'to event {self.end:,}'}"


def read_stretch(fields: Mapping[str, str]) -> tuple[Stretch, dict[str, str], list[str]]:
    """The part that an address names, the field of the position in it, and sentences on what is shown instead."""
    faults: list[str] = []

    def read(field: Field[T], otherwise: T) -> T:
        try:
            return field.of(fields, otherwise)
        except LinkError as error:
            faults.append(error.sentence)
            return otherwise

    begin, end = read(FROM, 0), read(TO, NO_END)
    found = Stretch(begin, None if end == NO_END else end, read(LOOP, False))
    if found.end is not None and found.end < found.begin:
        found = found._replace(begin=found.end, end=found.begin)
        faults.append(f"This link begins after its end; the run is shown {found.words}.")
    at = read(AT, found.begin)
    shown = found.nearest(at)
    if shown != at:
        faults.append(
            f"This link names event {at:,}, outside its part of the run ({found.words}); it opens at event {shown:,}."
        )
    return found, AT.say(shown), faults
