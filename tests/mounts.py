"""Small temporary file systems, where mounting is allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A small file system in a folder; only root may have it, others skip the test."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    may = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("mount")
    if not may or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a file system can be mounted by root only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def make_read_only(folder: Path) -> None:
    """Make a mounted file system read-only, even for root."""
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Fill a mounted file system; returns the file that fills it."""
    path = folder / "fill"
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(1024)):
                pass
        except OSError:
            return path
    raise AssertionError("the file system does not end")
