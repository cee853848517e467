"""Plans of experiments: the shipped ones, and those that users make, stored by content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import bender_core as bc
from bender_core.experiments import Limits
from bender_core.files import write_whole
from bender_core.io import dumps
from bender_core.resources import STUDY
from bender_core.synth import Value
from pages._shared.app.data import folder
from pages._shared.app.naming import file_of

# The plan that the page opens with.
FIRST = "small"
SHIPPED = {FIRST: STUDY / "small.toml", "paper": STUDY / "paper.toml"}


def path_of(name: str) -> Path | None:
    """The file of a plan; None if there is none of this name."""
    if name in SHIPPED:
        return SHIPPED[name]
    path = _kept() / name / "plan.toml"
    return path if name.isalnum() and path.is_file() else None


def keep(text: str, mrf: bc.BinaryMRF | None = None) -> str:
    """Store a plan, with the model that it refers to as `naming.file_of`; returns its name, equal for equal plans.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    model = b"" if mrf is None else dumps(mrf)
    name = hashlib.sha256(text.encode() + b"\0" + model).hexdigest()[:16]
    place = _kept() / name
    place.mkdir(parents=True, exist_ok=True)
    if mrf is not None:
        write_whole(place / file_of(mrf), model)
    write_whole(place / "plan.toml", text.encode())
    return name


def text_of(
    instances: Mapping[str, Value | Mapping[str, int]],
    runs: Mapping[str, Sequence[int] | Sequence[str]],
    limits: Limits,
    name: str,
    question: str = "",
) -> str:
    """A plan for one kind of instances as TOML, with strings, numbers and lists written as in JSON.

    Empty lists are left out, but for that of strategies: without it, a plan has runs on the model's own groups.
    """
    return "\n".join(
        [
            f"name = {_toml(name)}",
            *[f"question = {_toml(question)}"] * bool(question),
            "",
            "[[instances]]",
            *(f"{key} = {_toml(value)}" for key, value in instances.items()),
            "",
            "[runs]",
            *(f"{key} = {_toml(list(values))}" for key, values in runs.items() if values or key == "strategies"),
            "",
            "[limits]",
            f"sweeps = {limits.sweeps}",
            f"seconds = {limits.seconds}",
            f"megabytes = {limits.megabytes}",
            "",
        ]
    )


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(entry)}" for key, entry in value.items()) + "}"
    return json.dumps(value)


def _kept() -> Path:
    return folder() / "plans"
