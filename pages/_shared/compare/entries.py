"""The field of a race: the choices, their partitions, and the objections."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import streamlit as st

import bender_core as bc
from bender_core.experiments import Limits
from bender_core.experiments.lane import Entry, entry_by
from bender_core.experiments.methods import METHODS, Method
from bender_core.groups import LARGEST_GROUP
from bender_core.strategies import BY_RUNS, applicable
from bender_core.variants import SCHEDULES
from bender_core.visualization.styles import MOST_LINES
from pages._shared.app.glossary import GLOSSARY, METHODS_HELP
from pages._shared.app.session import Lab, lab
from pages._shared.compare.racing import Contest, megabytes
from pages._shared.partitioning.making import PartitionMaker
from pages._shared.running.following import WIDGETS_USED, keep
from pages._shared.running.kept import Kept

AS_ON_WATCH = "as on Watch"
FIRST_VARIANTS = (4, 9, 11, 12)
# The largest limits of a run.
MOST_SWEEPS, MOST_SECONDS = 5000, 3600


CONTEST = Kept[Contest]("contest")
# What a contest begins with where nobody has chosen anything.
USUAL = Kept[dict[str, Any]]("race_usual")


def contest(current: Lab) -> Contest:
    """The session's contest; another model starts another, in which the same is chosen."""
    found = CONTEST.made(lambda: _new_contest(current), lambda found: found.mrf is current.mrf)
    found.lab = current
    keep(found.choices)
    return found


def _new_contest(current: Lab) -> Contest:
    part = current.partition
    by_hand = part.strategy == "manual"
    usual = {
        "race_variants": list(FIRST_VARIANTS),
        "race_sizes": [current.max_size],
        "race_strategies": [AS_ON_WATCH if by_hand else part.strategy],
        "race_schedules": [current.schedule],
        "race_methods": [],
        "race_sweeps": Limits.sweeps,
        "race_seconds": 60,
        "race_earlier": [],
    }
    choices = usual | _kept(CONTEST.get(), current.mrf)
    USUAL.set(usual)
    # The run's own groups need not be made again.
    known = {} if part.seed else {(current.max_size, part.strategy): part}
    st.session_state.update(choices)
    WIDGETS_USED.set(False)
    return Contest(current, current.mrf, PartitionMaker(current.mrf, known), choices)


def _kept(before: Contest | None, mrf: bc.BinaryMRF) -> dict[str, Any]:
    """What was chosen for the model before, other than the usual, as far as it fits another one."""
    usual = USUAL.get()
    if before is None or usual is None:
        return {}
    changed = {key: value for key, value in before.choices.items() if value != usual[key]}
    # Those are runs on the model before.
    changed.pop("race_earlier", None)
    strategies = changed.get("race_strategies", [])
    usable = [name for name in strategies if name in (AS_ON_WATCH, *applicable(mrf))]
    if strategies and not usable:
        del changed["race_strategies"]
    elif strategies:
        changed["race_strategies"] = usable
    return changed


def choices(current: Lab) -> None:
    state = st.session_state
    st.multiselect(
        "Variants",
        list(bc.VARIANTS),
        format_func=lambda number: bc.VARIANTS[number].title,
        key="race_variants",
        wrap=True,
        help=GLOSSARY["variant"].meaning,
    )
    st.multiselect(
        "Strategies",
        [AS_ON_WATCH, *applicable(current.mrf)],
        key="race_strategies",
        wrap=True,
        help="How the variables are grouped; explained on Partition. "
        f"“{AS_ON_WATCH}” uses the partition of the run on Watch, even one edited by hand.",
    )
    sizes, schedules = st.columns(2)
    sizes.multiselect(
        "M",
        range(1, LARGEST_GROUP + 1),
        key="race_sizes",
        wrap=True,
        disabled=state.race_strategies == [AS_ON_WATCH] and not any(method.has_groups for method in _methods()),
        help=GLOSSARY["M"].meaning,
    )
    schedules.multiselect(
        "Schedules",
        list(SCHEDULES),
        key="race_schedules",
        wrap=True,
        help=". ".join(f"{name}: {sentence}" for name, sentence in SCHEDULES.items()),
    )
    missing = [method for method in METHODS.values() if method.missing]
    st.multiselect(
        "Methods without chosen groups, and external solvers",
        [name for name, method in METHODS.items() if method not in missing],
        format_func=lambda name: METHODS[name].title,
        key="race_methods",
        wrap=True,
        help=METHODS_HELP,
    )
    if missing:
        names, packages = ([getattr(one, what) for one in missing] for what in ("title", "package"))
        st.caption(f"Not installed here: {', '.join(names)} (pip install {' '.join(dict.fromkeys(packages))}).")
    sweeps, seconds = st.columns(2)
    sweeps.number_input("Sweeps (max)", 1, MOST_SWEEPS, key="race_sweeps", help=GLOSSARY["sweep"].meaning)
    seconds.number_input("Seconds per run (max)", 1, MOST_SECONDS, key="race_seconds")


def partitions_chosen(mrf: bc.BinaryMRF) -> list[tuple[int, str]]:
    """The partitions that the chosen race needs: M and strategy; those with which methods begin come last."""
    first = [method.first_groups(mrf, size) for method, size in _by_method()]
    return [*_on_groups(), *dict.fromkeys(groups for groups in first if groups is not None)]


def _on_groups() -> list[tuple[int, str]]:
    """M and strategy of the chosen partitions, but for that on Watch."""
    state = st.session_state
    strategies = [name for name in state.race_strategies if name != AS_ON_WATCH]
    return list(itertools.product(sorted(state.race_sizes), strategies))


def _methods() -> list[Method]:
    """The chosen methods, in the order of the registry."""
    return [method for name, method in METHODS.items() if name in st.session_state.race_methods]


def _by_method() -> list[tuple[Method, int]]:
    """The chosen runs by methods: the method, and the largest size of its groups, 0 if it makes none."""
    sizes = sorted(st.session_state.race_sizes)
    return [(method, size) for method in _methods() for size in (sizes if method.has_groups else [0])]


def entries(current: Lab, maker: PartitionMaker) -> list[Entry]:
    """The chosen runs, equal ones once."""
    state = st.session_state
    parts = [(current.partition, current.max_size)] if AS_ON_WATCH in state.race_strategies else []
    mrf, made = current.mrf, maker.parts
    parts += [(made[choice], choice[0]) for choice in _on_groups() if choice in made]
    found: dict[tuple[object, ...], Entry] = {}
    for (part, max_size), schedule, variant in itertools.product(
        parts, state.race_schedules, sorted(state.race_variants)
    ):
        # Equal groups that a search has found cost its time, too.
        search = part.strategy if part.strategy in BY_RUNS else ""
        same = part.group_of().tobytes(), search, variant, schedule
        found.setdefault(same, Entry(mrf, part, max_size, variant, schedule))
    begun = [(method, size, method.first_groups(mrf, size)) for method, size in _by_method()]
    by_method = [
        entry_by(method, mrf, size, made[first] if first else None)
        for method, size, first in begun
        if first is None or first in made
    ]
    return [*found.values(), *by_method]


def chosen() -> int:
    """The number of chosen runs, equal ones counted each time."""
    state = st.session_state
    n_partitions = len(_on_groups()) + (AS_ON_WATCH in state.race_strategies)
    return n_partitions * len(state.race_variants) * len(state.race_schedules) + len(_by_method())


def objection(field: Sequence[Entry], count: int, maker: PartitionMaker) -> str:
    """Why the chosen runs cannot race, and which could; empty if they can."""
    errors = [maker.errors[choice] for choice in partitions_chosen(maker.mrf) if choice in maker.errors]
    if errors:
        return f"{errors[0][0].upper()}{errors[0][1:]}."
    if not count:
        return "Nothing to race: choose a method, or at least one variant, strategy, M and schedule."
    if len(field) > MOST_LINES:
        return f"{len(field)} runs are too many to tell apart; choose at most {MOST_LINES}."
    account, needed = lab().account, sum(map(megabytes, field))
    room = account.free >> 20
    if needed <= room:
        return ""
    return (
        f"Together these runs need {needed:,} MB, more than the {room:,} MB that the run on Watch leaves of "
        f"{account.limit >> 20:,} MB; {_what_fits(field, room)}."
    )


def _what_fits(field: Sequence[Entry], limit: int) -> str:
    """The part of the field that would fit into ``limit`` megabytes."""
    for most in sorted({entry.max_size for entry in field if entry.part}, reverse=True)[1:]:
        smaller = [entry for entry in field if entry.max_size <= most]
        if sum(map(megabytes, smaller)) <= limit:
            return f"those with M up to {most} would fit"
    count = len(
        list(itertools.takewhile(lambda sum_: sum_ <= limit, itertools.accumulate(sorted(map(megabytes, field)))))
    )
    return f"{count} of them would fit" if count else "choose a smaller M"
