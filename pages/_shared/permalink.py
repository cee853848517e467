"""Links that open the same picture: the model's origin, how it is cut, the variant, the event and the message shown.

Every parameter is written, also the defaults: a default may change, a link must not.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import bender_core as bc
from bender_core import synth
from bender_core.partition import Partition

# A link may ask for a late event; no longer is computed until it is opened nevertheless.
OPENING_SECONDS = 10.0
# What browsers and servers surely take as an address.
LONGEST = 6000

Origin = dict[str, str]


class LinkError(ValueError):
    """A link says something that cannot be; the message says what."""


def made_by(family: str, values: Mapping[str, synth.Value]) -> Origin:
    """The origin of a generated model."""
    return {"make": family} | {name: str(value) for name, value in values.items()}


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
    """That part of a link which says where the model comes from: a family, or else a sample."""
    if "make" in said:
        family = said["make"]
        if family not in synth.FAMILIES:
            raise LinkError(f"there is no family {family!r} of models")
        names = [parameter.name for parameter in synth.FAMILIES[family].parameters]
        return {"make": family} | {name: said[name] for name in names if name in said}
    return {"sample": said["sample"]}


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
        return text == "True"
    if isinstance(parameter.default, str):
        return text
    return _number(text, parameter.label) if isinstance(parameter.default, int) else _real(text, parameter.label)


def _number(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise LinkError(f"{what} is {text!r}, which is no whole number") from None


def _real(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise LinkError(f"{what} is {text!r}, which is no number") from None


def cut_of(said: Mapping[str, str], mrf: bc.BinaryMRF) -> tuple[Partition, int]:
    """The partition that a link asks for, and its M."""
    max_size = _number(said.get("M", ""), "M")
    strategy = said.get("strategy", "")
    try:
        if strategy != "manual":
            return bc.partition(mrf, max_size, strategy), max_size
        owner = [_number(text, "a group") for text in said.get("groups", "").split("-")]
        if len(owner) != mrf.n:
            raise LinkError(f"it puts {len(owner)} variables into groups, but the model has {mrf.n}")
        members = [[i for i, p in enumerate(owner) if p == group] for group in range(max(owner, default=-1) + 1)]
        return bc.manual(mrf, members), max_size
    except ValueError as error:
        raise LinkError(str(error)) from error


def engine_of(said: Mapping[str, str], mrf: bc.BinaryMRF, part: Partition) -> bc.Engine:
    """The run that a link asks for, at the event it names, or as far as that can be computed in a few seconds."""
    try:
        engine = bc.Engine(mrf, part, _number(said.get("variant", ""), "the variant"), said.get("schedule", ""))
    except ValueError as error:
        raise LinkError(str(error)) from error
    at = _number(said.get("at", "0"), "the event")
    if at > 0:
        engine.run(max_events=at, time_limit=OPENING_SECONDS)
    return engine


def arc_of(said: Mapping[str, str], engine: bc.Engine) -> int:
    """The message that a link selects."""
    arc = _number(said.get("arc", "0"), "the message")
    if not 0 <= arc < max(2 * len(engine.graph.edges), 1):
        raise LinkError(f"it selects message {arc}, but there are {2 * len(engine.graph.edges)}")
    return arc
