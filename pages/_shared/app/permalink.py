"""Links that restore a view: the model's origin, partition, variant, event and message.

Every parameter is written, even defaults: a default may change, a link must not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

import bender_core as bc
from bender_core import synth
from bender_core.groups import LARGEST_GROUP, Partition
from bender_core.strategies import BY_RUNS, PURSUIT, default_strategy
from bender_core.trying.change import ChangeError, Fork, forks_text, read_forks
from bender_core.trying.line import Line
from bender_core.variants import variant as variant_of

# A length of an address that all browsers and servers accept, and the longest word or number in it.
LONGEST, LONGEST_WORD = 6000, 60
# Digits that a count in a link has at most.
DIGITS = 15

Origin = dict[str, str]


class LinkError(ValueError):
    """A link cannot be opened; the message says why."""


def made_by(family: str, values: Mapping[str, synth.Value]) -> Origin:
    """The origin of a generated model."""
    return {"make": family} | {name: _word_for(value) for name, value in values.items()}


def _word_for(value: synth.Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def query(origin: Origin, line: Line) -> str:
    """The parameters of a link to a run; empty if it has none: too many groups made by hand, or too many forks."""
    if not origin:
        return ""
    part, settings = line.partition, line.settings
    number = variant_of(settings.variant).number
    said = {"M": str(line.max_size), "strategy": part.strategy, "variant": str(number), "schedule": settings.schedule}
    if line.forks:
        said["forks"] = forks_text(line.forks)
    plain = urlencode(origin | said)
    groups = urlencode({"groups": "-".join(map(str, part.group_of().tolist()))})
    ways = {"manual": [f"{plain}&{groups}"], PURSUIT: [f"{plain}&{groups}", plain]}.get(part.strategy, [plain])
    return next((text for text in ways if len(text) <= LONGEST), "")


def origin_of(said: Mapping[str, str]) -> Origin:
    """The part of a link that names the model: an upload, a family, or else a sample.

    Raises
    ------
    LinkError
        If there is no such family.
    """
    if "upload" in said:
        return {"upload": _word(said, "upload")}
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
    """A parameter of a link, short enough for an error message."""
    text = said.get(name, "")
    if len(text) > LONGEST_WORD:
        raise LinkError(f"its {name!r} has {len(text):,} characters, more than {LONGEST_WORD}")
    return text


def _number(text: str, what: str) -> int:
    """A whole number with at most the digits of the engine's counters."""
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= DIGITS:
        return int(text)
    raise LinkError(f"{what} is {text!r}, which is not a whole number of up to {DIGITS} digits")


def _real(text: str, what: str) -> float:
    """A finite number."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise LinkError(f"{what} is {text!r}, which is not a number")
    return found


def cut_of(said: Mapping[str, str], mrf: bc.BinaryMRF) -> tuple[Partition, int]:
    """The partition that a link describes, and its M.

    It is by the model's default strategy if the link names none, or one that is yet to search: see `sought_by`.

    Raises
    ------
    LinkError
    """
    max_size = _number(_word(said, "M"), "M")
    if not 1 <= max_size <= LARGEST_GROUP:
        raise LinkError(f"M is {max_size}; choose a whole number from 1 to {LARGEST_GROUP}")
    strategy = default_strategy(mrf) if sought_by(said) else _word(said, "strategy") or default_strategy(mrf)
    try:
        if strategy in ("manual", PURSUIT):
            part = bc.manual(mrf, _groups(said.get("groups", ""), mrf.n))
            return replace(part, strategy=strategy), max_size
        return bc.partition(mrf, max_size, strategy), max_size
    except bc.PartitionError as error:
        raise LinkError(str(error)) from error


def sought_by(said: Mapping[str, str]) -> str:
    """The strategy that runs the model to find the groups of a link; empty if they are known without a run."""
    strategy = _word(said, "strategy")
    is_known = strategy not in BY_RUNS or (strategy == PURSUIT and "groups" in said)
    return "" if is_known else strategy


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
    """The run that a link describes, at its beginning.

    Raises
    ------
    LinkError
        If there is no such variant or schedule, or the run does not fit into memory.
    """
    variant, schedule = _number(_word(said, "variant"), "the variant"), _word(said, "schedule")
    try:
        return bc.Engine(mrf, part, variant=variant, schedule=schedule, excluding=True)
    except ValueError as error:
        raise LinkError(str(error)) from error


def forks_of(said: Mapping[str, str]) -> tuple[Fork, ...]:
    """The forks that lead from the run of a link to the one it shows.

    Raises
    ------
    LinkError
        If they cannot be read.
    """
    text = said.get("forks", "")
    if len(text) > LONGEST:
        raise LinkError(f"its forks take {len(text):,} characters, more than {LONGEST:,}")
    try:
        return read_forks(text)
    except ChangeError as error:
        raise LinkError(str(error)) from error


def event_of(said: Mapping[str, str]) -> int:
    """The number of events after which a link shows the run; 0 if it does not say."""
    return _position(said, "at")


def end_of(said: Mapping[str, str]) -> int:
    """The number of events after which a proof has ended in the last run of a link; 0 if it does not say."""
    return _position(said, "end")


def _position(said: Mapping[str, str], name: str) -> int:
    event = _number(_word(said, name) or "0", "the event")
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
