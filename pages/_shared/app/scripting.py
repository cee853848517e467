"""The model of a session in a Python script."""

from __future__ import annotations

from pages._shared.app.fields import MAKE, SAMPLE
from pages._shared.app.naming import file_of
from pages._shared.app.permalink import values_of
from pages._shared.app.session import Lab


def expression(current: Lab) -> str:
    """The Python expression that makes the model, wherever a script is run, if an uploaded model lies next to it.

    It uses ``bc``, ``synth`` and ``Path``.
    """
    origin = current.origin
    if SAMPLE.name in origin:
        return f"bc.sample({origin[SAMPLE.name]!r})"
    if MAKE.name in origin:
        values = "".join(f", {name}={value!r}" for name, value in values_of(origin).items())
        return f"synth.generate({origin[MAKE.name]!r}{values})"
    return f"bc.load(Path(__file__).with_name({file_of(current.mrf)!r}))"
