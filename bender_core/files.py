"""Files that are whole or not there."""

from __future__ import annotations

import uuid
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in one step: others may be reading or writing it, and a full disk leaves no half of it.

    Raises
    ------
    OSError
        If it cannot be written; what was there before is there still.
    """
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
