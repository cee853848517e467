"""The run that an address names beside the one shown, by the fields in which the two differ."""

from __future__ import annotations

from urllib.parse import parse_qsl

from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import AT, BESIDE, GROUPS, SCHEDULE, STRATEGY, VARIANT, M
from pages._shared.app.next_run import Choice
from pages._shared.app.permalink import SETTINGS, partition_of, settings_of
from pages._shared.app.session import Lab, begin_next


def begin_named(current: Lab) -> None:
    """Begin that run; one that cannot be read changes nothing but the notice."""
    text, current.aside = current.aside, ""
    if not text:
        return
    try:
        choice, at = _read(current, text)
    except LinkError as error:
        current.notice = f"The second run of this link cannot be opened: {error}."
        return
    begin_next(current, choice, True, at)


def _read(current: Lab, text: str) -> tuple[Choice, int]:
    """The choices that make the run, and its position.

    Raises
    ------
    LinkError
    """
    named, first = dict(parse_qsl(text)), current.branches.chapters[0].lineage
    names = {each.name for each in SETTINGS}
    if not names & named.keys():
        raise BESIDE.refusal(text, ", which names no setting of a run")
    fields = settings_of(current.origin, first) | {name: value for name, value in named.items() if name in names}
    max_size, strategy = M.of(fields, current.max_size), STRATEGY.of(fields, "")
    part = None if {M.name, STRATEGY.name} & named.keys() else first.partition
    if GROUPS.name in named:
        part = partition_of(fields, current.mrf)[0]
    rules = VARIANT.of(fields, current.variant), SCHEDULE.of(fields, current.schedule)
    return Choice(current.mrf, current.origin, max_size, strategy, *rules, part), AT.of(named, 0)
