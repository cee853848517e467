"""The lessons of the guided tour, in order, and which of them explains what happens on the stage.

A lesson is a module with a ``LESSON``; to add one, write it and name it here.
"""

from __future__ import annotations

from bender_core.kernels.layout import Kind
from pages._shared.learn import bound, cost, cuts, energy, envelope, exact, loop, message, recycling, ring, row
from pages._shared.learn.lesson import Lesson

LESSONS: dict[str, Lesson] = {
    module.LESSON.slug: module.LESSON
    for module in (energy, ring, loop, message, cost, row, envelope, cuts, recycling, bound, exact)
}

_WITH_ROWS = {
    Kind.NODE_OPENED: recycling.LESSON,
    Kind.ORACLE: envelope.LESSON,
    Kind.ROW: row.LESSON,
    Kind.MESSAGE: message.LESSON,
    Kind.SWEEP: bound.LESSON,
    Kind.FINISHED: bound.LESSON,
}


def explaining(exact_messages: bool) -> dict[Kind, Lesson]:
    """The lesson that explains each kind of event, in a run with rows or with exact messages."""
    return _WITH_ROWS | ({Kind.NODE_OPENED: exact.LESSON} if exact_messages else {})
