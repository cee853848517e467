"""What the page of Learn shows and does not compute itself, recorded by `record`."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("recording.json.gz")


@cache
def world() -> dict[str, Any]:
    """The example and its runs, as `record` computes them."""
    found: dict[str, Any] = json.loads(gzip.decompress(PATH.read_bytes()))
    return found
