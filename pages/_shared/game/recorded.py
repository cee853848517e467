"""The puzzles of the game, with their pars and best plays, recorded by `record`."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("puzzles.json.gz")


@cache
def levels() -> list[dict[str, Any]]:
    """The levels in order, as `record` makes them."""
    found: list[dict[str, Any]] = json.loads(gzip.decompress(PATH.read_bytes()))
    return found
