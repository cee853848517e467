"""The numbers of Method until the solver is compiled, recorded by `record`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from pages._shared.method.numbers import Numbers

PATH = Path(__file__).with_name("recording.json")


@cache
def recorded() -> Numbers:
    """The numbers of the friends, at the message that is shown first."""
    return Numbers(**json.loads(PATH.read_text(encoding="utf-8")))
