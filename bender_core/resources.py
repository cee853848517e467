"""Where the files lie that belong to the library and the app, in a checkout and in an installed wheel.

A wheel keeps the app in a folder of its own beside the library, so that nothing called ``app`` or ``pages`` lies among
the installed packages.
"""

from __future__ import annotations

import os
from pathlib import Path

LIBRARY = Path(__file__).parent
# The folder from which the library is imported.
ROOT = LIBRARY.parent
_INSTALLED = ROOT / "bender_lab"
# The folder of app.py; on the path while the app runs, so that its modules find each other.
APP = _INSTALLED if _INSTALLED.is_dir() else ROOT
SAMPLES = APP / "sample_instances"
STUDY = APP / "docs" / "study"


def environment() -> dict[str, str]:
    """The environment in which another interpreter imports this library, whatever folder it is started in."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": path}
