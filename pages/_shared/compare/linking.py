"""The race in the page's address: the chosen field, its limits, and the axes of the chart."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

import streamlit as st

import bender_core as bc
from bender_core.experiments.methods import METHODS
from bender_core.groups import LARGEST_GROUP
from bender_core.strategies import applicable
from bender_core.variants import SCHEDULES
from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import (
    AGAINST,
    DRAWN,
    METHODS_RACED,
    SCALE,
    SCHEDULES_RACED,
    SECONDS,
    SIZES,
    STRATEGIES,
    SWEEPS,
    VARIANTS,
    Field,
)
from pages._shared.app.requests import OPENED_BY
from pages._shared.compare.curves import AXES, USUAL_AXES, Axes
from pages._shared.compare.entries import AS_ON_WATCH, MOST_SECONDS, MOST_SWEEPS
from pages._shared.compare.racing import Contest
from pages._shared.running.following import WIDGETS_USED


@dataclass(frozen=True)
class _Choice:
    """A choice of several, or a number.

    Attributes
    ----------
    field : Field
    key : str
        Of its widget.
    known : callable
        All that may be chosen for a model.
    is_number : bool
        Whether one number is chosen.
    """

    field: Field[Any]
    key: str
    known: Callable[[bc.BinaryMRF], Collection[Any]]
    is_number: bool = False

    def read(self, fields: Mapping[str, str], mrf: bc.BinaryMRF) -> tuple[dict[str, Any], str]:
        """What an address chooses, by the key of the widget, and a sentence on what of it cannot be chosen."""
        known = self.known(mrf)
        try:
            found = self.field.of(fields, None)
        except LinkError as error:
            return {}, error.sentence
        if found is None:
            return {}, ""
        given = (found,) if self.is_number else tuple(dict.fromkeys(found))
        usable = [each for each in given if each in known]
        fault = ""
        if len(usable) < len(given):
            unknown = tuple(each for each in given if each not in known)
            text = self.field.write(unknown[0] if self.is_number else unknown)
            fault = self.field.refusal(text, f"; choose from {_listed(known)}").sentence
        if self.is_number:
            return ({self.key: usable[0]} if usable else {}), fault
        # If nothing is left of a choice, the usual one is better than none.
        return ({self.key: usable} if usable or not given else {}), fault


def _listed(known: Collection[Any]) -> str:
    if isinstance(known, range):
        return f"{known[0]} to {known[-1]}"
    return ", ".join(map(str, known))


_CHOICES = (
    _Choice(VARIANTS, "race_variants", lambda _: range(1, len(bc.VARIANTS) + 1)),
    _Choice(SIZES, "race_sizes", lambda _: range(1, LARGEST_GROUP + 1)),
    _Choice(STRATEGIES, "race_strategies", lambda mrf: [AS_ON_WATCH, *applicable(mrf)]),
    _Choice(SCHEDULES_RACED, "race_schedules", lambda _: list(SCHEDULES)),
    _Choice(METHODS_RACED, "race_methods", lambda _: [name for name, method in METHODS.items() if not method.missing]),
    _Choice(SWEEPS, "race_sweeps", lambda _: range(1, MOST_SWEEPS + 1), is_number=True),
    _Choice(SECONDS, "race_seconds", lambda _: range(1, MOST_SECONDS + 1), is_number=True),
)
_AXES: dict[str, Field[str]] = {"x": AGAINST, "scale": SCALE, "y": DRAWN}


def arrive(contest: Contest) -> None:
    """Choose what the address names by which the page was opened; what it does not name stays as it is."""
    fields = OPENED_BY.take() or {}
    read = [choice.read(fields, contest.mrf) for choice in _CHOICES]
    chosen = {key: value for found, _ in read for key, value in found.items()}
    axes, faults = _axes(fields)
    contest.faults = [*filter(None, (fault for _, fault in read)), *faults] or contest.faults
    if axes:
        AXES.set(cast(Axes, {**(AXES.get() or USUAL_AXES), **axes}))
    if chosen:
        st.session_state.update(chosen)
        contest.choices.update(chosen)
        WIDGETS_USED.set(False)


def _axes(fields: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The axes that an address names, and sentences on what of them cannot be read."""
    found, faults = {}, []
    for name, field in _AXES.items():
        try:
            value = field.of(fields, "")
        except LinkError as error:
            faults.append(error.sentence)
            continue
        if value:
            found[name] = value
    return found, faults


def address() -> dict[str, str]:
    """The fields of the race as it is chosen now; usual axes are left out."""
    state, axes = st.session_state, dict(AXES.get() or USUAL_AXES)
    found: dict[str, str] = {}
    for choice in _CHOICES:
        value = state[choice.key]
        found |= choice.field.say(value if choice.is_number else tuple(value))
    for name, field in _AXES.items():
        if axes[name] != field.usual:
            found |= field.say(str(axes[name]))
    return found
