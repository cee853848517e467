"""What a lesson of the guided tour consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pages._shared.app.session import Lab

# A choice of several, or a number that was typed.
Answer = str | float


class Verdict(NamedTuple):
    """Whether an answer is right, and the sentence that says why."""

    right: bool
    why: str


@dataclass(frozen=True)
class Question:
    """One thing to be answered; the engine knows whether rightly.

    Attributes
    ----------
    text : str
    judge : callable
        The verdict on an answer, computed on the lesson's model.
    options : tuple of str
        What there is to choose from; empty if a number is asked for.
    """

    text: str
    judge: Callable[[Answer], Verdict]
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Opening:
    """Where in the app a lesson's subject is found.

    Attributes
    ----------
    page : str
        Its file in ``pages``, without ending.
    sees : str
        What one sees there, in a few words.
    put : callable
        Puts the lesson's model, cut and stepped as in the lesson, into the session's lab.
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
        What the address calls it.
    title : str
    text : str
        Markdown; its last paragraph says what to do. No numbers of the model: these are computed.
    show : callable
        Draws the live model and what moves it.
    question : callable
        Makes the question; its numbers are computed.
    opens : Opening
    """

    slug: str
    title: str
    text: str
    show: Callable[[], None]
    question: Callable[[], Question]
    opens: Opening
