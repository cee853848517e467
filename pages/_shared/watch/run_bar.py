"""The run bar: everything that makes the run shown, chosen where it is watched."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

import bender_core as bc
from bender_core.groups import LARGEST_GROUP
from bender_core.strategies import applicable, default_strategy
from bender_core.variants import SCHEDULES
from pages._shared.app.branches import unlike
from pages._shared.app.fields import SAMPLE
from pages._shared.app.glossary import STRATEGIES
from pages._shared.app.next_run import Choice
from pages._shared.app.permalink import Origin
from pages._shared.app.session import Lab, begin_next, give_up_next, next_run, sample, sample_names
from pages._shared.app.text import label
from pages._shared.running.kept import Kept
from pages._shared.watch import protocol

# The most models that are offered again.
RECENT = 6


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
            {"value": f"{number}", "text": f"{number}: {each.name}", "title": each.sentence}
            for number, each in bc.VARIANTS.items()
        ],
        "schedules": [{"value": name, "text": name, "title": words} for name, words in SCHEDULES.items()],
        "most": LARGEST_GROUP,
    }


def _key(model: Opened) -> str:
    """What distinguishes a model in the menu: its address, or else its content."""
    return urlencode(model.origin) or model.mrf.content_hash()


def _sample(name: str) -> protocol.Option:
    return {"value": urlencode(SAMPLE.say(name)), "text": label(sample(name).name), "title": ""}


def _recent(current: Lab) -> list[protocol.Option]:
    """The models that were opened last, the present one included."""
    found, present = _RECENT.made(list), Opened(current.mrf, current.origin)
    if SAMPLE.name not in current.origin:
        found[:] = [present, *(each for each in found if _key(each) != _key(present))][:RECENT]
    return [{"value": _key(each), "text": label(each.mrf.name), "title": ""} for each in found]


def _strategy(name: str) -> protocol.Option:
    text, _, title = STRATEGIES[name].partition(": ")
    return {"value": name, "text": text, "title": title}


def bar(current: Lab) -> protocol.Bar:
    """The choices of the run shown, or of the one that is being made."""
    following, before = next_run(current), current.branches.before
    chosen, making, refusal, offer = _present(current), None, "", None
    if following is not None and following.refusal:
        refusal = following.refusal
        offer = None if following.fits is None else _chosen(following.choice._replace(max_size=following.fits))
    elif following is not None:
        chosen, making = following.choice, f"{following.doing}…"
    return {
        "now": _chosen(chosen),
        "largest": current.partition.largest,
        "making": making,
        "refusal": refusal,
        "offer": offer,
        "before": None if before is None else label(unlike(current.branches.shown, before)),
    }


def _present(current: Lab) -> Choice:
    part = current.partition
    return Choice(current.mrf, current.origin, current.max_size, part.strategy, current.variant, current.schedule, part)


def _chosen(choice: Choice) -> protocol.Chosen:
    return {
        "model": _key(Opened(choice.mrf, choice.origin)),
        "M": choice.max_size,
        "strategy": choice.strategy,
        "variant": choice.variant,
        "schedule": choice.schedule,
    }


def choose(current: Lab, chosen: protocol.Chosen) -> None:
    """Begin to make the run that is chosen; what is not chosen, or cannot be, stays as it is.

    Groups stay as they are unless M, the strategy or the model is another one.
    """
    following = next_run(current)
    now = _present(current) if following is None or following.refusal else following.choice
    present = Opened(now.mrf, now.origin)
    key = chosen.get("model", _key(present))
    mrf, origin = present if key == _key(present) else _model(key) or present
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
    if _chosen(made) == _chosen(_present(current)):
        give_up_next()
    elif following is None or following.refusal or _chosen(made) != _chosen(following.choice):
        begin_next(current, made)


def _model(value: str) -> Opened | None:
    """The model of an option; None if it is none of them."""
    for name in sample_names():
        if urlencode(SAMPLE.say(name)) == value:
            return Opened(sample(name), SAMPLE.say(name))
    return next((each for each in _RECENT.made(list) if _key(each) == value), None)
