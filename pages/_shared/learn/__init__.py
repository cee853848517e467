"""The lessons of Learn, in order, and which of them explains what happens on the stage.

Their prose is in ``frontend/learn/learn.html``, what they compute and draw in ``frontend/learn/lessons``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bender_core.kernels.layout import Kind
from pages._shared.app.frontend import FRONTEND


class Lesson(NamedTuple):
    """A section of the page: its name in the address, and its title."""

    slug: str
    title: str


_PAGE = (FRONTEND / "learn" / "learn.html").read_text(encoding="utf-8")
_SECTION = re.compile(r'<section data-lesson="(\w+)">\s*<h2>(.*?)</h2>')

LESSONS = {slug: Lesson(slug, title) for slug, title in _SECTION.findall(_PAGE)}

_WITH_ROWS = {
    Kind.NODE_OPENED: "recycle",
    Kind.ORACLE: "envelope",
    Kind.ROW: "row",
    Kind.MESSAGE: "message",
    Kind.SWEEP: "bound",
    Kind.FINISHED: "bound",
}


def explaining(exact_messages: bool) -> dict[Kind, Lesson]:
    """The lesson that explains each kind of event, in a run with rows or with exact messages."""
    slugs = _WITH_ROWS | ({Kind.NODE_OPENED: "groups"} if exact_messages else {})
    return {kind: LESSONS[slug] for kind, slug in slugs.items()}
