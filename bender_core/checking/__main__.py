"""The checker as a program that loads no part of the solver: ``python bender_core/checking MODEL PROOF``."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

if __name__ == "__main__":
    # Importing the package itself would load the solver; its subpackages can be imported without it.
    package = ModuleType("bender_core")
    package.__path__ = [str(Path(__file__).resolve().parents[1])]
    sys.modules["bender_core"] = package

    from bender_core.checking.command import main

    sys.exit(main())
