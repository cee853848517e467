"""Learn: one page on which an example of three friends grows into the method."""

from __future__ import annotations

from pages._shared.app.address import Tour, from_address, recalled, state
from pages._shared.app.compiling import tell_progress
from pages._shared.app.field_types import LONGEST_WORD
from pages._shared.app.fields import DONE, LESSON
from pages._shared.app.session import has_lab
from pages._shared.app.text import complaint, label
from pages._shared.learn import LESSONS, timing
from pages._shared.learn.page import mount, reported
from pages._shared.running.following import follow
from pages._shared.running.kept import Kept

LOOK_SECONDS = 0.5

# The lesson that is open, and those whose guesses were right.
_LESSON, _DONE = Kept[str]("learn_lesson"), Kept[set[str]]("lessons_done")


def progress() -> tuple[str, set[str]]:
    """The lesson to show, and those done: by the page itself, the browser, the address, or this session."""
    before, now, done = recalled(), reported(), _DONE.made(set)
    addressed: tuple[str, ...] = from_address(DONE, ())
    done.update(addressed, before.done, now["done"] if now else ())
    done.intersection_update(LESSONS)
    first = next(iter(LESSONS))
    # A browser may remember a lesson of an earlier version.
    known = before.lesson if before.lesson in LESSONS else ""
    lesson = now["lesson"] if now else known or from_address(LESSON, _LESSON.get() or first)
    if lesson not in LESSONS:
        complaint(f"There is no lesson {label(lesson, LONGEST_WORD)!r}; here is the first.")
        lesson = first
    _LESSON.set(lesson)
    return lesson, done


def show() -> None:
    lesson, done = progress()
    mount(lesson, done)
    if has_lab() and not timing.is_over():
        timing.begin()
        follow(lambda: not timing.is_over(), lambda: None, LOOK_SECONDS)
    in_order = tuple(slug for slug in LESSONS if slug in done)
    state(LESSON.say(lesson) | (DONE.say(in_order) if in_order else {}), tour=Tour(lesson, in_order))


show()
if not has_lab():
    tell_progress("The times of this machine follow")
