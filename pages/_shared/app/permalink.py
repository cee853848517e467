"""Links that restore a view: a model, its groups, its run and the event shown as fields of an address.

Every field is written, even defaults: a default may change, a link must not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import bender_core as bc
from bender_core import synth
from bender_core.groups import LARGEST_GROUP, Partition
from bender_core.strategies import BY_RUNS, PURSUIT, default_strategy
from bender_core.trying.lineage import Lineage
from bender_core.variants import variant as variant_of
from pages._shared.app.field_types import LONGEST, LinkError
from pages._shared.app.fields import (
    ARC,
    FORKS,
    GROUPS,
    MADE,
    MAKE,
    SAMPLE,
    SCHEDULE,
    STRATEGY,
    UPLOAD,
    VARIANT,
    Field,
    M,
)

Origin = dict[str, str]

# The fields that tell the runs of a model apart.
OF_A_RUN: tuple[Field[Any], ...] = (M, STRATEGY, GROUPS, VARIANT, SCHEDULE, FORKS)


def made_by(family: str, values: Mapping[str, synth.Value]) -> Origin:
    """The origin of a generated model."""
    return MAKE.say(family) | {name: MADE[family][name].write(value) for name, value in values.items()}


def query(origin: Origin, lineage: Lineage) -> str:
    """The parameters of a link to a run; empty if it has none: too many groups made by hand, or too many forks."""
    if not origin:
        return ""
    part, settings = lineage.partition, lineage.settings
    rules = rules_of(lineage.max_size, part.strategy, variant_of(settings.variant).number, settings.schedule)
    plain = urlencode(origin | rules | (FORKS.say(lineage.forks) if lineage.forks else {}))
    groups = urlencode(groups_of(part))
    ways = {"manual": [f"{plain}&{groups}"], PURSUIT: [f"{plain}&{groups}", plain]}.get(part.strategy, [plain])
    return next((text for text in ways if len(text) <= LONGEST), "")


def rules_of(max_size: int, strategy: str, variant: int, schedule: str) -> dict[str, str]:
    """The fields of the settings of a run, without groups."""
    return M.say(max_size) | STRATEGY.say(strategy) | VARIANT.say(variant) | SCHEDULE.say(schedule)


def groups_of(part: Partition) -> dict[str, str]:
    """The field of groups that no strategy makes again."""
    return GROUPS.say(tuple(part.group_of().tolist()))


def run_fields(origin: Origin, lineage: Lineage) -> dict[str, str]:
    """The fields that tell a run from others of its model; none if it has no address."""
    found = dict(parse_qsl(query(origin, lineage)))
    return {each.name: found[each.name] for each in OF_A_RUN if each.name in found}


def difference(shown: Mapping[str, str], other: Mapping[str, str]) -> str:
    """The fields in which another run differs from one, as a part of an address; of equal ones the variant.

    Empty if the other one has no address, or if they take too many characters.
    """
    text = urlencode({name: value for name, value in other.items() if name == VARIANT.name or shown.get(name) != value})
    return text if len(text) < LONGEST // 2 else ""


def origin_of(fields: Mapping[str, str]) -> Origin:
    """The part of a link that names the model: an upload, a family, or else a sample.

    Raises
    ------
    LinkError
        If there is no such family.
    """
    if UPLOAD.name in fields:
        return UPLOAD.say(UPLOAD.of(fields, ""))
    if MAKE.name not in fields:
        return SAMPLE.say(SAMPLE.of(fields, ""))
    family = MAKE.of(fields, "")
    if family not in MADE:
        raise LinkError(f"there is no family {family!r} of models; the page Instance lists all families")
    given = {name: field for name, field in MADE[family].items() if name in fields}
    return MAKE.say(family) | {name: field.write(field.read(fields[name])) for name, field in given.items()}


def generated(origin: Origin) -> bc.BinaryMRF:
    """The generated model of an origin."""
    try:
        return synth.generate(MAKE.of(origin, ""), **values_of(origin))
    except bc.ModelError as error:
        raise LinkError(str(error)) from error


def values_of(origin: Origin) -> dict[str, synth.Value]:
    """The parameters of a generated model's family."""
    fields = MADE[MAKE.of(origin, "")]
    return {name: fields[name].read(text) for name, text in origin.items() if name != MAKE.name}


def partition_of(fields: Mapping[str, str], mrf: bc.BinaryMRF) -> tuple[Partition, int]:
    """The partition that a link describes, and its M.

    It is by the model's default strategy if the link names none, or one that needs a search first: see `sought_by`.

    Raises
    ------
    LinkError
    """
    max_size = M.of(fields, 0)
    if not 1 <= max_size <= LARGEST_GROUP:
        raise LinkError(f"M is {max_size}; choose a whole number from 1 to {LARGEST_GROUP}")
    usual = default_strategy(mrf)
    strategy = usual if sought_by(fields) else STRATEGY.of(fields, usual)
    try:
        if strategy in ("manual", PURSUIT):
            part = bc.manual(mrf, _members(GROUPS.of(fields, ()), mrf.n))
            return replace(part, strategy=strategy), max_size
        return bc.partition(mrf, max_size, strategy), max_size
    except bc.PartitionError as error:
        raise LinkError(str(error)) from error


def sought_by(fields: Mapping[str, str]) -> str:
    """The strategy that has to run the model to find the groups of a link; empty if no run is needed."""
    strategy = STRATEGY.of(fields, "")
    is_known = strategy not in BY_RUNS or (strategy == PURSUIT and GROUPS.name in fields)
    return "" if is_known else strategy


def _members(owners: Sequence[int], n: int) -> list[list[int]]:
    """The members of all groups, from the group of every variable."""
    if len(owners) != n:
        raise LinkError(f"it puts {len(owners)} variables into groups, but the model has {n}")
    members: list[list[int]] = [[] for _ in range(n)]
    for i, group in enumerate(owners):
        if not 0 <= group < n:
            raise LinkError(f"it puts variable {i} into group {group}; number the groups of {n} variables from 0")
        members[group].append(i)
    while members and not members[-1]:
        members.pop()
    return members


def engine_of(fields: Mapping[str, str], mrf: bc.BinaryMRF, part: Partition) -> bc.Engine:
    """The run that a link describes, at its beginning.

    Raises
    ------
    LinkError
        If there is no such variant or schedule, or the run does not fit into memory.
    """
    variant, schedule = VARIANT.of(fields, 0), SCHEDULE.of(fields, "")
    try:
        return bc.Engine(mrf, part, variant=variant, schedule=schedule, excluding=True)
    except ValueError as error:
        raise LinkError(str(error)) from error


def arc_of(fields: Mapping[str, str], engine: bc.Engine) -> int:
    """The message that a link selects; the first if it selects none.

    Raises
    ------
    LinkError
        If there is no such message.
    """
    arc = ARC.of(fields, 0)
    if not 0 <= arc < max(2 * len(engine.graph.edges), 1):
        raise LinkError(f"it selects message {arc}, but there are {2 * len(engine.graph.edges)}")
    return arc
