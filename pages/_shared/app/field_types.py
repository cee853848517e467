"""The types of fields of an address: how their values are written, and how a wrong text is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bender_core.trying.change import ChangeError, Fork, forks_text, read_forks

T = TypeVar("T")

# A length of an address that all browsers and servers accept, and the longest word or number in it.
LONGEST, LONGEST_WORD = 6000, 60
# The most digits of a count in a link.
DIGITS = 15


class LinkError(ValueError):
    """A link cannot be opened; the message says why."""

    @property
    def sentence(self) -> str:
        """The message as a sentence of its own."""
        text = str(self)
        # "It" stands for the link.
        return f"This link {text.removeprefix('it ')}." if text.startswith("it ") else f"This link is wrong: {text}."


class NotOneError(ValueError):
    """A text is not the text of a value; the message continues the sentence after the text."""


@dataclass(frozen=True)
class FieldType(Generic[T]):
    """A type of values, and how they are written.

    Attributes
    ----------
    value : callable
        The value of a text; raises `LinkError`, or `NotOneError` with the end of the sentence.
    text : callable
        The text of a value.
    most : float
        The most characters of a text; infinite where the type has its own sentence for longer ones.
    pattern : str
        All texts that the browser accepts; empty where it reads none. It means the same in Python and in JavaScript.
    """

    value: Callable[[str], T]
    text: Callable[[T], str]
    most: float = LONGEST_WORD
    pattern: str = ""


def _whole(text: str) -> int:
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= DIGITS:
        return int(text)
    raise NotOneError(f", which is not a whole number of up to {DIGITS} digits")


def _position(text: str) -> int:
    event = _whole(text)
    if event < 0:
        raise LinkError(f"it shows event {event}; events are counted from 0")
    return event


def _real(text: str) -> float:
    why = ", which is not a number"
    found = float(_matching(_NUMBER, why)(text))
    if not math.isfinite(found):
        raise NotOneError(why)
    return found


def _truth(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise NotOneError("; it must be true or false")
    return text.lower() == "true"


def _owners(text: str) -> tuple[int, ...]:
    """The group of every variable; in time linear in the text."""
    if len(text) > LONGEST:
        raise LinkError(f"its groups take {len(text):,} characters, more than {LONGEST:,}")
    owners, found = text.split("-"), []
    for i, owner in enumerate(owners):
        try:
            found.append(_whole(owner))
        except NotOneError as error:
            sentence = f"it puts {len(owners)} variables into groups, variable {i} into {owner!r}"
            raise LinkError(f"{sentence}{error}") from error
    return tuple(found)


def _forks(text: str) -> tuple[Fork, ...]:
    if len(text) > LONGEST:
        raise LinkError(f"its forks take {len(text):,} characters, more than {LONGEST:,}")
    try:
        return read_forks(text)
    except ChangeError as error:
        raise LinkError(str(error)) from error


def _matching(pattern: str, why: str) -> Callable[[str], str]:
    matcher = re.compile(pattern)

    def value(text: str) -> str:
        if not matcher.fullmatch(text):
            raise NotOneError(why)
        return text

    return value


def choice(values: Iterable[str], plural: str) -> FieldType[str]:
    """One of some words."""
    words = list(values)
    return texts("|".join(words), f"; the {plural} are {', '.join(words)}")


def texts(pattern: str, why: str) -> FieldType[str]:
    """Texts of a pattern; ``why`` ends the sentence that refuses another one."""
    return FieldType(_matching(pattern, why), str, pattern=pattern)


# A number as Python and as JavaScript write it.
# A digit can belong to one part of the pattern only: then a text is matched in linear time.
_NUMBER = r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?"
_NUMBERS = f"{_NUMBER}(?:_{_NUMBER})*"


def _reals(text: str) -> tuple[float, ...]:
    why = ", which is not one or more numbers with _ between"
    _matching(_NUMBERS, why)(text)
    found = tuple(map(float, text.split("_")))
    if not all(map(math.isfinite, found)):
        raise NotOneError(why)
    return found


def _on(text: str) -> bool:
    if text != "1":
        raise NotOneError("; it is 1 or left out")
    return True


WORD = FieldType(str, str)
LONG_WORD = FieldType(str, str, LONGEST)
WHOLE = FieldType(_whole, str)
POSITION = FieldType(_position, str)
REAL = FieldType(_real, str)
TRUTH = FieldType(_truth, lambda value: str(value).lower())
OWNERS: FieldType[tuple[int, ...]] = FieldType(_owners, lambda owners: "-".join(map(str, owners)), math.inf)
CHANGES = FieldType(_forks, forks_text, math.inf)
WORDS: FieldType[tuple[str, ...]] = FieldType(lambda text: tuple(filter(None, text.split(","))), ",".join, LONGEST)
BITS: FieldType[tuple[int, ...]] = FieldType(
    lambda text: tuple(map(int, _matching("[01]+", "; a class has values that are 0 or 1")(text))),
    lambda bits: "".join(map(str, bits)),
    pattern="[01]+",
)
REALS: FieldType[tuple[float, ...]] = FieldType(_reals, lambda found: "_".join(map(repr, found)), LONGEST, _NUMBERS)
# Choices of any number of things.
_NONE, _BETWEEN = "none", "_"


def _chosen(text: str) -> tuple[str, ...]:
    """The words that are chosen; a text that names nothing says that nothing is chosen."""
    found = tuple(filter(None, text.split(_BETWEEN)))
    return () if found == (_NONE,) else found


def _counts(text: str) -> tuple[int, ...]:
    why = ", which is not whole numbers with _ between, or none"
    return tuple(map(int, map(_matching(f"[0-9]{{1,{DIGITS}}}", why), _chosen(text))))


def _all_chosen(values: Iterable[object]) -> str:
    return _BETWEEN.join(map(str, values)) or _NONE


CHOSEN: FieldType[tuple[str, ...]] = FieldType(_chosen, _all_chosen, LONGEST)
CHOSEN_NUMBERS: FieldType[tuple[int, ...]] = FieldType(_counts, _all_chosen, LONGEST)
# The number of a message, in as many digits as the browser takes.
SHORT_COUNT = FieldType(
    lambda text: int(_matching("[0-9]{1,9}", ", which is not a whole number of up to 9 digits")(text)),
    str,
    pattern="[0-9]{1,9}",
)
# What is said where it is so.
ON: FieldType[bool] = FieldType(_on, lambda _: "1", pattern="1")
