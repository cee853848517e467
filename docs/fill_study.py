"""Write the figures of the shipped study into docs/study.md: ``python -m docs.fill_study``.

Each block of text between two fences is one section of the report, in its order.
"""

from __future__ import annotations

import re
from pathlib import Path

from bender_core.experiments import Store, read_plan
from bender_core.experiments.report import report
from bender_core.experiments.tables import of_plan

STUDY = Path(__file__).parent / "study"
DOCUMENT = Path(__file__).parent / "study.md"
_BLOCK = re.compile(r"(?<=```text\n).*?(?=\n```)", re.DOTALL)


def filled(text: str) -> str:
    """A document with the sections of the report in its blocks."""
    tasks = read_plan(STUDY / "small.toml").tasks()
    said = report(of_plan(Store(STUDY / "small.sqlite").runs(), tasks), tasks)
    # True of any copy of this page, sooner or later.
    sections = iter(re.sub("\n.* by another version of the code", "", said).split("\n\n"))
    return _BLOCK.sub(lambda _: next(sections), text)


if __name__ == "__main__":
    DOCUMENT.write_text(filled(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
