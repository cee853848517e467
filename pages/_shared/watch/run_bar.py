"""The run bar: everything that makes the run shown, chosen where it is watched."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np

import bender_core as bc
from bender_core.groups import LARGEST_GROUP
from bender_core.strategies import applicable, default_strategy
from bender_core.variants import SCHEDULES
from pages._shared.app.branches import Branch, unlike
from pages._shared.app.fields import SAMPLE
from pages._shared.app.glossary import STRATEGIES
from pages._shared.app.next_run import Choice, NextRun
from pages._shared.app.permalink import Origin
from pages._shared.app.session import (
    Lab,
    begin_next,
    first_rules,
    give_up_next,
    next_run,
    sample,
    sample_names,
    show_beside,
)
from pages._shared.app.text import label
from pages._shared.running.kept import Kept
from pages._shared.watch import protocol

# The most models that are offered again.
RECENT = 6
# What a run is shown beside if nothing else was chosen: messages without rows, or the usual rows.
EXACT, ROWS = 11, 9


class Opened(NamedTuple):
    """A model that the session has opened."""

    mrf: bc.BinaryMRF
    origin: Origin


# Those that are no samples, the latest first.
_RECENT = Kept[list[Opened]]("recent_models")


def choices(current: Lab) -> protocol.Choices:
    """What can be chosen, for the model that is open."""
    strategies, own = applicable(current.mrf), current.partition.strategy
    return {
        "models": [("samples", [_sample(name) for name in sample_names()]), ("recent", _recent(current))],
        "strategies": [_strategy(name) for name in dict.fromkeys([*strategies, own])],
        "variants": [
            {"value": f"{number}", "text": each.title, "title": each.sentence} for number, each in bc.VARIANTS.items()
        ],
        "schedules": [{"value": name, "text": name, "title": words} for name, words in SCHEDULES.items()],
        "most": LARGEST_GROUP,
    }


def _key(model: Opened) -> str:
    """What distinguishes a model in the menu: its address, or else its content."""
    return urlencode(model.origin) or model.mrf.content_hash()


def _sample(name: str) -> protocol.Option:
    return _option(urlencode(SAMPLE.say(name)), sample(name))


def _option(value: str, mrf: bc.BinaryMRF) -> protocol.Option:
    """A model by its name, with what it is."""
    return {"value": value, "text": label(mrf.name), "title": label(mrf.description)}


def _recent(current: Lab) -> list[protocol.Option]:
    """The models that were opened last, the present one included."""
    found, present = _RECENT.made(list), Opened(current.mrf, current.origin)
    if SAMPLE.name not in current.origin:
        found[:] = [present, *(each for each in found if _key(each) != _key(present))][:RECENT]
    return [_option(_key(each), each.mrf) for each in found]


def _strategy(name: str) -> protocol.Option:
    text, _, title = STRATEGIES[name].partition(": ")
    return {"value": name, "text": text, "title": title}


def bar(current: Lab, branch: Branch) -> protocol.Bar:
    """The choices of a run on the stage, or of the one that is being made in its place."""
    following, before = _made_for(current, branch), current.branches.before
    chosen, making, refusal, offer = _present(current, branch), None, "", None
    if following is not None and following.refusal:
        refusal = following.refusal
        offer = None if following.fits is None else _chosen(following.choice._replace(max_size=following.fits))
    elif following is not None:
        chosen, making = following.choice, f"{following.doing}…"
    return {
        "now": _chosen(chosen),
        "largest": (current.partition if branch is current.branches.shown else _partition(branch)).largest,
        "making": making,
        "refusal": refusal,
        "offer": offer,
        "before": None if before is None else label(unlike(branch, before)),
        "same": "" if before is None or making else _same_groups(branch, before),
    }


def _same_groups(branch: Branch, before: Branch) -> str:
    """A sentence if M or the strategy is another one than before, and the groups are the same; else empty."""
    if branch.lineage.forks or before.lineage.forks:
        return ""
    mine, earlier = branch.lineage.partition, before.lineage.partition
    differing = [name for name in ("M", "strategy") if branch.settings[name] != before.settings[name]]
    # As many groups together as alone, whatever their numbers.
    common = np.unique(np.stack([mine.group_of(), earlier.group_of()]), axis=1).shape[1]
    if not differing or not common == len(mine) == len(earlier):
        return ""
    now, then = (" by ".join(each.settings[name] for name in differing) for each in (branch, before))
    is_less = mine.largest < min(branch.max_size, before.max_size)
    why = f": none has more than {mine.largest} variable{'s' * (mine.largest > 1)}" if is_less else ""
    return label(f"{now} makes the same groups as {then}{why}.")


def _made_for(current: Lab, branch: Branch) -> NextRun | None:
    """The run that is being made in the place of one on the stage, or was refused; or a first one beside it."""
    beside = current.branches.beside
    found = next_run(current, branch is beside)
    return found or (next_run(current, True) if beside is None else None)


def _present(current: Lab, branch: Branch) -> Choice:
    mrf, origin = current.mrf, current.origin
    if branch is current.branches.shown:
        part, rules = current.partition, (current.variant, current.schedule)
        return Choice(mrf, origin, current.max_size, part.strategy, *rules, part)
    assert branch.run is not None
    engine, part = branch.run.engine, _partition(branch)
    rules = engine.variant.number, engine.settings.schedule
    return Choice(mrf, origin, branch.max_size, part.strategy, *rules, part)


def _partition(branch: Branch) -> bc.Partition:
    """The groups of a run; if variables have left its model, those with which its line began."""
    assert branch.run is not None
    engine, whole = branch.run.engine, branch.lineage.partition
    return engine.partition if engine.mrf.n == len(whole.group_of()) else whole


def _chosen(choice: Choice) -> protocol.Chosen:
    return {
        "model": _key(Opened(choice.mrf, choice.origin)),
        "M": choice.max_size,
        "strategy": choice.strategy,
        "variant": choice.variant,
        "schedule": choice.schedule,
    }


def _begun(current: Lab, now: Choice) -> Choice:
    """The choices with which the line of the run shown began: its forks may have others."""
    size, variant, schedule = first_rules(current)
    return now._replace(max_size=size, variant=variant, schedule=schedule)


def choose(current: Lab, chosen: protocol.Chosen, branch: Branch) -> None:
    """Begin to make the run that is chosen in the place of one on the stage; what is not chosen, or cannot be, stays.

    Groups stay as they are unless M, the strategy or the model is another one.
    """
    is_beside = branch is current.branches.beside
    following, shown = next_run(current, is_beside), _present(current, branch)
    now = shown if following is None or following.refusal else following.choice
    present = Opened(now.mrf, now.origin)
    key = chosen.get("model", _key(present))
    mrf, origin = present if is_beside or key == _key(present) else _model(key) or present
    if mrf is not now.mrf and now is shown:
        now = _begun(current, now)
    elif mrf is not now.mrf and mrf is shown.mrf:  # back from another one that was being made
        now = shown
    size = min(max(int(chosen.get("M", now.max_size)), 1), LARGEST_GROUP)
    variant, schedule = chosen.get("variant", now.variant), chosen.get("schedule", now.schedule)
    strategy = chosen.get("strategy", now.strategy if mrf is now.mrf else "")
    part = now.part if (mrf, size, strategy) == (now.mrf, now.max_size, now.strategy) else None
    if part is None and strategy not in applicable(mrf):
        strategy = default_strategy(mrf)
    made = Choice(
        mrf,
        origin,
        size,
        strategy,
        variant if variant in bc.VARIANTS else now.variant,
        schedule if schedule in SCHEDULES else now.schedule,
        part,
    )
    if _chosen(made) == _chosen(shown):
        give_up_next(is_beside)
    elif following is None or following.refusal or _chosen(made) != _chosen(following.choice):
        begin_next(current, made, is_beside)


def put_beside(current: Lab) -> None:
    """Show another run beside the one shown: the one before, or else the same with exact messages, or with rows."""
    branches, now = current.branches, _present(current, current.branches.shown)
    before = branches.before
    if before is not None and before.run is not None:
        show_beside(current, before)
        return
    other = EXACT if now.variant != EXACT else ROWS
    begin_next(current, now._replace(variant=other), is_beside=True)


def _model(value: str) -> Opened | None:
    """The model of an option; None if it is none of them."""
    for name in sample_names():
        if urlencode(SAMPLE.say(name)) == value:
            return Opened(sample(name), SAMPLE.say(name))
    return next((each for each in _RECENT.made(list) if _key(each) == value), None)
