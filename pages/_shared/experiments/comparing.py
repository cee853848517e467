"""Contenders of a study side by side: profiles, distances over time, pairs, and a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from bender_core.experiments.comparison import contender_table, pair_table
from bender_core.experiments.contenders import (
    CLOSED,
    LABELLED,
    NEAR,
    NEARLY,
    Contender,
    Study,
    Target,
    first_choice,
    solves_most,
)
from bender_core.experiments.profiles import CONFIDENCE
from bender_core.visualization import study as pictures
from bender_core.visualization.styles import MOST_LINES
from pages._shared.app.address import from_address
from pages._shared.app.address import state as state_address
from pages._shared.app.fields import (
    CONTENDERS,
    PICTURED,
    REFERENCE,
    SCHEDULES_RACED,
    SIZES,
    STRATEGIES,
    TARGET,
    Field,
)
from pages._shared.app.text import complaint
from pages._shared.experiments.finished import Finished
from pages._shared.experiments.showing import drawn, show, tabulate
from pages._shared.running.kept import Kept

# Views and targets as the address has them.
PROFILE, SOLVED, DISTANCE, PAIRS, TABLE = VIEWS = ("profile", "solved", "distance", "pairs", "table")
TARGETS: dict[str, Target] = {"gap": CLOSED, "permille": NEAR, "percent": NEARLY, "labelling": LABELLED}
# What tells contenders apart, with its label and its field of the address.
FACTS: Mapping[str, tuple[str, Field[Any]]] = {
    "kind": ("Variants and methods", CONTENDERS),
    "max_size": ("M", SIZES),
    "strategy": ("Strategies", STRATEGIES),
    "schedule": ("Schedules", SCHEDULES_RACED),
}
# The name of the contender that others are compared with.
_AGAINST = Kept[str]("study_against")
# Below this, chance is no likely explanation.
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Choice:
    """What is compared, and how.

    Attributes
    ----------
    done : Finished
    contenders : list of Contender
    target : Target
        Reaching it is to solve an instance.
    reference : Contender
        The one that others are compared with, in pairs.
    """

    done: Finished
    contenders: list[Contender]
    target: Target
    reference: Contender

    @property
    def study(self) -> Study:
        """The finished runs."""
        return self.done.study

    def __str__(self) -> str:
        return f"{self.done.stamp} {self.contenders} {self.target} {self.reference}"


def compare(done: Finished, stated: Mapping[str, str]) -> None:
    """The choice, and its picture or table; ``stated``: what the address has besides."""
    view, choice = _chosen(done, stated)
    if choice is None:
        return
    if view in (PROFILE, SOLVED, DISTANCE) and not choice.study.shared(choice.contenders):
        complaint("There is no instance on which all of these have run; choose fewer of them, or finish the plan.")
        return
    _DRAW[view](choice)


def _chosen(done: Finished, stated: Mapping[str, str]) -> tuple[str, Choice | None]:
    """The view, and what is compared in it; None, with a complaint, if that is too little or too much."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    view = left.segmented_control(
        "Compare by",
        VIEWS,
        default=from_address(PICTURED, PROFILE),
        required=True,
        format_func=str.capitalize,
        key="study_picture",
        persist_state="session",
    )
    meanings = "; ".join(f"“{target.name}”: {target.meaning}" for target in TARGETS.values())
    solved = right.selectbox(
        "Solved: seconds until",
        list(TARGETS),
        index=list(TARGETS).index(from_address(TARGET, "gap")),
        format_func=lambda name: TARGETS[name].name,
        disabled=view == DISTANCE,
        key="study_target",
        persist_state="session",
        help=f"Seconds until {meanings}. A run that has not got there within its limits has not solved its instance. "
        "Distances are relative to the energy, constants included. Seconds include building: the choice of groups, "
        "and an external solver's own form of the model.",
    )
    contenders, fields = _contenders(list(done.study.by_contender))
    fields |= dict(stated) | PICTURED.say(view) | TARGET.say(solved)
    choice, complaint_ = None, ""
    if not contenders:
        complaint_ = "Nothing to compare: choose at least one variant or method."
    elif len(contenders) > MOST_LINES:
        complaint_ = f"{len(contenders)} are too many to tell apart; choose at most {MOST_LINES}."
    else:
        target = TARGETS[solved]
        reference = _reference(done.study, contenders, target) if view == PAIRS else contenders[0]
        choice = Choice(done, contenders, target, reference)
        fields |= REFERENCE.say(done.study.labels[reference]) if view == PAIRS else {}
    state_address(fields)
    if complaint_:
        complaint(complaint_)
    return view, choice


def _reference(study: Study, contenders: Sequence[Contender], target: Target) -> Contender:
    """The one that others are compared with: the one that solves most, unless another is chosen."""
    named = {study.labels[each]: each for each in contenders}
    known = _AGAINST.get() or from_address(REFERENCE, "")
    first = study.labels[solves_most(study, contenders, target)]
    shown = known if known in named else first
    chosen = st.selectbox(
        "Against", list(named), index=list(named).index(shown), key=f"study_reference {first} {list(named)}"
    )
    # The usual one is another one for another target.
    _AGAINST.set(chosen if chosen != first or known else None)
    return named[chosen]


def _contenders(known: Sequence[Contender]) -> tuple[list[Contender], dict[str, str]]:
    """The chosen contenders: kinds, and whatever else distinguishes them; and their fields of the address."""
    first, chosen = first_choice(known, MOST_LINES), list(known)
    fields: dict[str, str] = {}
    # What has no such fact, as methods have no schedule, is left out by no choice.
    values = {name: list(dict.fromkeys(filter(None, (_text(each, name) for each in known)))) for name in FACTS}
    several = [name for name in FACTS if len(values[name]) > 1]
    titles = ", ".join(dict.fromkeys(each.title for each in known))
    for column, name in zip(st.columns([2] + [1] * (len(several) - 1)) if several else [], several, strict=True):
        title, field = FACTS[name]
        usual = [value for value in values[name] if value in {_text(each, name) for each in first}]
        linked = from_address(field, None)
        picked = column.pills(
            title,
            values[name],
            selection_mode="multi",
            default=usual if linked is None else [value for value in values[name] if _word(value) in map(str, linked)],
            key=f"study_{name} {values[name]}",
            persist_state="session",
            help=f"{titles}." if name == "kind" else None,
        )
        chosen = [each for each in chosen if _text(each, name) in ("", *picked)]
        fields |= field.say([_word(value) for value in picked]) if list(picked) != usual else {}
    return chosen, fields


def _word(value: str) -> str:
    """A fact in the address."""
    return value.removeprefix("M ")


def _text(contender: Contender, fact: str) -> str:
    """A fact of a contender; empty if it has none."""
    value = getattr(contender, fact)
    return f"M {value}" if fact == "max_size" and value else str(value or "")


def _profile(choice: Choice) -> None:
    made = drawn(f"profile {choice}", lambda: pictures.profile(choice.study, choice.contenders, choice.target))
    show("profile", made, choice.study.runs)


def _solved(choice: Choice) -> None:
    made = drawn(f"solved {choice}", lambda: pictures.solved(choice.study, choice.contenders, choice.target))
    show("solved", made, choice.study.runs)


def _distance(choice: Choice) -> None:
    made = drawn(f"distance {choice}", lambda: pictures.distance(choice.study, choice.contenders))
    show("distance", made, choice.study.runs)


def _pairs(choice: Choice) -> None:
    study, contenders, reference, target = choice.study, choice.contenders, choice.reference, choice.target
    if len(contenders) < 2:
        complaint("A pair needs a second variant or method; choose one.")
        return
    made = drawn(f"pairs {choice}", lambda: pictures.against(study, contenders, reference, target))
    show("pairs", made, study.runs)
    tabulate("pairs", pair_table(study, contenders, reference, target))
    st.caption(
        "Of the instances that at least one of the two solves: the median ratio of their seconds, above 1 where the "
        f"reference is slower; its {CONFIDENCE:.0%} confidence interval, from order statistics, –: too few; how often "
        "the contender is faster, about as fast (within 5 %) or slower; and the p-value of Wilcoxon's signed-rank "
        f"test, corrected for the number of contenders (Holm): below {SIGNIFICANT:g}, chance is no likely explanation. "
        "A contender that did not solve an instance counts with its time limit, so that true ratios are further from 1."
    )


def _table(choice: Choice) -> None:
    tabulate("contenders", contender_table(choice.study, choice.contenders, choice.target))
    st.caption(
        "Over all instances on which each has run: how many are solved, and within how many seconds a quarter, half "
        f"and three quarters of them are ({choice.target.meaning}; –: fewer are); how the runs that did not solve "
        "theirs ended; and the largest gap, at their ends, of the best quarter, half and three quarters of the runs."
    )


_DRAW: Mapping[str, Callable[[Choice], None]] = {
    PROFILE: _profile,
    SOLVED: _solved,
    DISTANCE: _distance,
    PAIRS: _pairs,
    TABLE: _table,
}
