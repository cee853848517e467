"""Files written completely or not at all."""

from __future__ import annotations

import uuid
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: others may be reading or writing it, and a full disk leaves no partial file.

    Raises
    ------
    OSError
        If it cannot be written; the previous content stays.
    """
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
