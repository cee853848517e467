"""The parts of a lesson of the guided tour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pages._shared.app.session import Lab

# One of several options, or a typed number.
Answer = str | float


class Verdict(NamedTuple):
    """Whether an answer is right, and the sentence that says why."""

    right: bool
    why: str


@dataclass(frozen=True)
class Question:
    """A question whose answer the engine judges.

    Attributes
    ----------
    text : str
    judge : callable
        The verdict on an answer, computed on the lesson's model.
    options : tuple of str
        The options to choose from; empty if a number is asked for.
    """

    text: str
    judge: Callable[[Answer], Verdict]
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Opening:
    """The page of the app that shows a lesson's subject.

    Attributes
    ----------
    page : str
        Its file in ``pages``, without ending.
    sees : str
        The subject in a few words, to follow "You will see".
    put : callable
        Puts the lesson's model, partitioned and stepped as in the lesson, into the session's lab.
    """

    page: str
    sees: str
    put: Callable[[Lab], None]


@dataclass(frozen=True)
class Lesson:
    """One lesson: words, something to step or drag, a question, and a way into the app.

    Attributes
    ----------
    slug : str
        Its name in the address.
    title : str
    text : str
        Markdown, with terms marked by ``<dfn>``; the last paragraph is the exercise. It contains no numbers
        of the model, as these are computed.
    show : callable
        Draws the live model and its controls.
    question : callable
        Makes the question; its numbers are computed.
    opens : Opening
    computes : bool
        Whether the lesson needs the solver.
    """

    slug: str
    title: str
    text: str
    show: Callable[[], None]
    question: Callable[[], Question]
    opens: Opening
    computes: bool = True
