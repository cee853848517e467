"""Record the numbers that Method shows until the solver is compiled: ``make opening``."""

from __future__ import annotations

import json

from bender_core.stopping import never
from pages._shared.method.formulas import FORMULAS
from pages._shared.method.live import FIRST, M, friends
from pages._shared.method.notation import NOTATION
from pages._shared.method.numbers import Numbers, View, numbers_of
from pages._shared.method.recorded import PATH


def record() -> Numbers:
    """All that the page shows of the friends at first."""
    formulas = [step for chapter in FORMULAS.values() for step in chapter]
    return numbers_of(friends(), M, FIRST, View(formulas, NOTATION), never)


def main() -> None:
    """Write the recording to where the app reads it."""
    PATH.write_text(json.dumps(record()._asdict(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
