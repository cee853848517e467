"""The run beside the one shown, as the address names it: the fields in which the two differ."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from pages._shared.app.branches import Branch
from pages._shared.app.field_types import LONGEST, LinkError
from pages._shared.app.fields import AT, GROUPS, SCHEDULE, STRATEGY, VARIANT, M
from pages._shared.app.next_run import Choice
from pages._shared.app.permalink import partition_of, query
from pages._shared.app.session import Lab, begin_next

# What may differ.
_FIELDS = (M, STRATEGY, GROUPS, VARIANT, SCHEDULE)


def written(current: Lab, branch: Branch) -> str:
    """The run as a value of the address, but for its position; empty for a fork, or if it takes too many characters."""
    if branch.lineage.forks:
        return ""
    own, shown = _fields_of(current, branch), _fields_of(current, current.branches.chapters[0])
    text = urlencode({name: value for name, value in own.items() if name == VARIANT.name or shown.get(name) != value})
    return text if len(text) < LONGEST // 2 else ""


def begin_named(current: Lab) -> None:
    """Begin the run that the address has named beside the one shown; in its groups it may differ, or be the same."""
    text, current.aside = current.aside, ""
    if not text:
        return
    named, first = dict(parse_qsl(text)), current.branches.chapters[0]
    fields = _fields_of(current, first) | {each.name: named[each.name] for each in _FIELDS if each.name in named}
    try:
        at = AT.of(named, 0)
        max_size, strategy = M.of(fields, current.max_size), STRATEGY.of(fields, "")
        part = None if {M.name, STRATEGY.name} & named.keys() else first.lineage.partition
        if GROUPS.name in named:
            part = partition_of(fields, current.mrf)[0]
        rules = VARIANT.of(fields, current.variant), SCHEDULE.of(fields, current.schedule)
    except LinkError as error:
        current.notice = f"The second run of this link cannot be opened: {error}."
        return
    begin_next(current, Choice(current.mrf, current.origin, max_size, strategy, *rules, part), True, at)


def _fields_of(current: Lab, branch: Branch) -> dict[str, str]:
    found = dict(parse_qsl(query(current.origin, branch.lineage)))
    return {each.name: found[each.name] for each in _FIELDS if each.name in found}
