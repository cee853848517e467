"""Links that open the same picture: the model's origin, how it is cut, the variant, the event and the message shown.

Every parameter is written, also the defaults: a default may change, a link must not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from urllib.parse import urlencode

import bender_core as bc
from bender_core import synth
from bender_core.groups import LARGEST_GROUP, Partition
from bender_core.strategies import default_strategy

# Characters that browsers and servers surely take as an address, and that a word or a number in it takes at most.
LONGEST, LONGEST_WORD = 6000, 60
# Digits that a count in a link has at most.
DIGITS = 15

Origin = dict[str, str]


class LinkError(ValueError):
    """A link says something that cannot be; the message says what."""


def made_by(family: str, values: Mapping[str, synth.Value]) -> Origin:
    """The origin of a generated model."""
    return {"make": family} | {name: _word_for(value) for name, value in values.items()}


def _word_for(value: synth.Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def query(origin: Origin, part: Partition, max_size: int, variant: int, schedule: str) -> str:
    """What a link says of a run; empty if it cannot: for an uploaded model, or too many groups made by hand."""
    if not origin:
        return ""
    said = origin | {"M": str(max_size), "strategy": part.strategy, "variant": str(variant), "schedule": schedule}
    if part.strategy == "manual":
        said["groups"] = "-".join(map(str, part.group_of().tolist()))
    text = urlencode(said)
    return text if len(text) <= LONGEST else ""


def origin_of(said: Mapping[str, str]) -> Origin:
    """That part of a link which says where the model comes from: a family, or else a sample.

    Raises
    ------
    LinkError
        If there is no such family.
    """
    if "make" not in said:
        return {"sample": _word(said, "sample")}
    family = _word(said, "make")
    if family not in synth.FAMILIES:
        raise LinkError(f"there is no family {family!r} of models")
    names = [parameter.name for parameter in synth.FAMILIES[family].parameters]
    return {"make": family} | {name: _word(said, name) for name in names if name in said}


def generated(origin: Origin) -> bc.BinaryMRF:
    """The generated model of an origin."""
    try:
        return synth.generate(origin["make"], **values_of(origin))
    except bc.ModelError as error:
        raise LinkError(str(error)) from error


def values_of(origin: Origin) -> dict[str, synth.Value]:
    """The parameters of a generated model's family."""
    parameters = {parameter.name: parameter for parameter in synth.FAMILIES[origin["make"]].parameters}
    return {name: _value(parameters[name], text) for name, text in origin.items() if name != "make"}


def _value(parameter: synth.Parameter, text: str) -> synth.Value:
    if isinstance(parameter.default, bool):
        if text.lower() not in ("true", "false"):
            raise LinkError(f"{parameter.label} is {text!r}; it must be true or false")
        return text.lower() == "true"
    if isinstance(parameter.default, str):
        return text
    return _number(text, parameter.label) if isinstance(parameter.default, int) else _real(text, parameter.label)


def _word(said: Mapping[str, str], name: str) -> str:
    """A parameter of a link, short enough to be told to a person."""
    text = said.get(name, "")
    if len(text) > LONGEST_WORD:
        raise LinkError(f"its {name!r} has {len(text):,} characters, more than {LONGEST_WORD}")
    return text


def _number(text: str, what: str) -> int:
    """A whole number; one of more digits than the engine counts in is none."""
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= DIGITS:
        return int(text)
    raise LinkError(f"{what} is {text!r}, which is no whole number of up to {DIGITS} digits")


def _real(text: str, what: str) -> float:
    """A finite number."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise LinkError(f"{what} is {text!r}, which is no number")
    return found


def cut_of(said: Mapping[str, str], mrf: bc.BinaryMRF) -> tuple[Partition, int]:
    """The partition that a link asks for, by the model's default strategy if it names none, and its M.

    Raises
    ------
    LinkError
    """
    max_size = _number(_word(said, "M"), "M")
    if not 1 <= max_size <= LARGEST_GROUP:
        raise LinkError(f"M is {max_size}; choose a whole number from 1 to {LARGEST_GROUP}")
    strategy = _word(said, "strategy") or default_strategy(mrf)
    try:
        if strategy == "manual":
            return bc.manual(mrf, _groups(said.get("groups", ""), mrf.n)), max_size
        return bc.partition(mrf, max_size, strategy), max_size
    except bc.PartitionError as error:
        raise LinkError(str(error)) from error


def _groups(text: str, n: int) -> list[list[int]]:
    """The members of all groups, from the group of every variable; in time linear in the text."""
    if len(text) > LONGEST:
        raise LinkError(f"its groups take {len(text):,} characters, more than {LONGEST:,}")
    owners = text.split("-")
    if len(owners) != n:
        raise LinkError(f"it puts {len(owners)} variables into groups, but the model has {n}")
    members: list[list[int]] = [[] for _ in range(n)]
    for i, owner in enumerate(owners):
        group = _number(owner, f"the group of variable {i}")
        if not 0 <= group < n:
            raise LinkError(f"it puts variable {i} into group {group}; number the groups of {n} variables from 0")
        members[group].append(i)
    while members and not members[-1]:
        members.pop()
    return members


def engine_of(said: Mapping[str, str], mrf: bc.BinaryMRF, part: Partition) -> bc.Engine:
    """The run that a link asks for, at its beginning.

    Raises
    ------
    LinkError
        If there is no such variant or schedule, or the run does not fit into memory.
    """
    variant, schedule = _number(_word(said, "variant"), "the variant"), _word(said, "schedule")
    try:
        return bc.Engine(mrf, part, variant, schedule)
    except ValueError as error:
        raise LinkError(str(error)) from error


def event_of(said: Mapping[str, str]) -> int:
    """After how many events a link shows the run; 0 if it does not say."""
    event = _number(_word(said, "at") or "0", "the event")
    if event < 0:
        raise LinkError(f"it shows event {event}; events are counted from 0")
    return event


def arc_of(said: Mapping[str, str], engine: bc.Engine) -> int:
    """The message that a link selects, the first if it does not say.

    Raises
    ------
    LinkError
        If there is no such message.
    """
    arc = _number(_word(said, "arc") or "0", "the message")
    if not 0 <= arc < max(2 * len(engine.graph.edges), 1):
        raise LinkError(f"it selects message {arc}, but there are {2 * len(engine.graph.edges)}")
    return arc
