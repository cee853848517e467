"""A talk: moments of runs in an order, each an address of the stage with a note for the speaker."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

from pages._shared.app.field_types import LONGEST
from pages._shared.app.fields import FIELDS, UPLOAD

# A file may have so many moments, and so many characters in one note.
MOST_MOMENTS, LONGEST_NOTE, LONGEST_TITLE = 200, 4000, 120
_READY = Path(__file__).with_name("talks")
# A longer text than any talk's is not unpacked.
_LARGEST = MOST_MOMENTS * (LONGEST + LONGEST_NOTE)


class TalkError(ValueError):
    """A text that is no talk, in a sentence."""


@dataclass
class Moment:
    """A moment of a talk.

    Attributes
    ----------
    address : str
        The query of Watch's address that shows it.
    note : str
        What to say.
    """

    address: str
    note: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """The fields of its address."""
        return dict(parse_qsl(self.address))


@dataclass
class Talk:
    """A talk, and how far it has been given.

    Attributes
    ----------
    title : str
    moments : list of Moment
    at : int
        The moment shown last; −1 before the first.
    turn : int
        How many moments have been shown, so that one can be shown again.
    """

    title: str = "My talk"
    moments: list[Moment] = field(default_factory=list)
    at: int = -1
    turn: int = 0

    def go(self, number: int) -> Moment | None:
        """Show a moment, the nearest if there is none of that number; None if there are no moments."""
        if not self.moments:
            return None
        self.at, self.turn = min(max(number, 0), len(self.moments) - 1), self.turn + 1
        return self.moments[self.at]

    def move(self, number: int, by: int) -> int:
        """Move a moment to an earlier or a later place; returns its number there."""
        to = min(max(number + by, 0), len(self.moments) - 1)
        self.moments.insert(to, self.moments.pop(number))
        return to

    @property
    def text(self) -> str:
        """The talk as a file."""
        content = {"talk": self.title, "moments": [asdict(moment) for moment in self.moments]}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    @property
    def packed(self) -> str:
        """The talk as a field of an address; empty if it is too long, or about a model that only this server has."""
        if any(UPLOAD.name in moment.fields for moment in self.moments):
            return ""
        text = base64.urlsafe_b64encode(zlib.compress(self.text.encode(), 9)).decode()
        return text if len(text) <= LONGEST else ""

    @property
    def in_tab(self) -> str:
        """The talk and how far it has been given, as the browser's tab keeps it."""
        return f"{self.at} {self.text}"


def recalled(text: str) -> Talk:
    """The talk that a tab has kept.

    Raises
    ------
    TalkError
    """
    at, _, content = text.partition(" ")
    found = read(content)
    try:
        found.at = min(max(int(at), -1), len(found.moments) - 1)
    except ValueError as error:
        raise TalkError("What this tab has kept of it is damaged; open its file or its link again") from error
    return found


def read(text: str) -> Talk:
    """The talk of a file.

    Raises
    ------
    TalkError
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TalkError("The file is not JSON; choose one made by “Save the talk”") from error
    if not isinstance(content, dict) or not isinstance(content.get("moments"), list):
        raise TalkError("The file has no list of moments; choose one made by “Save the talk”")
    if len(content["moments"]) > MOST_MOMENTS:
        raise TalkError(f"It has {len(content['moments']):,} moments, more than {MOST_MOMENTS}")
    moments = [_moment(number, each) for number, each in enumerate(content["moments"], 1)]
    return Talk(str(content.get("talk", ""))[:LONGEST_TITLE] or "A talk", moments)


def _moment(number: int, content: object) -> Moment:
    """A moment of a file; ``number`` counts from 1."""
    address, note = (
        (content.get(name, "") for name in ("address", "note")) if isinstance(content, dict) else (None, None)
    )
    if not isinstance(address, str) or not isinstance(note, str):
        raise TalkError(f"Its moment {number} has no address and note that are texts")
    if len(address) > LONGEST or len(note) > LONGEST_NOTE:
        raise TalkError(f"Its moment {number} is too long: {LONGEST:,} characters, and {LONGEST_NOTE:,} of a note")
    moment = Moment(address, note)
    if not moment.fields or not moment.fields.keys() <= FIELDS.keys():
        raise TalkError(f"Its moment {number} is no address of Watch: {address[:60]!r}")
    return moment


def unpack(text: str) -> Talk:
    """The talk of a field of an address: a ready one by its name, or one that was packed.

    Raises
    ------
    TalkError
    """
    if text in ready():
        return read(ready()[text])
    try:
        packed = zlib.decompressobj().decompress(base64.urlsafe_b64decode(text), _LARGEST)
        return read(packed.decode())
    except (binascii.Error, zlib.error, UnicodeDecodeError) as error:
        raise TalkError("Its link is incomplete or damaged; copy the whole link again") from error


@cache
def ready() -> dict[str, str]:
    """The talks that the app comes with, as files, by name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(_READY.glob("*.json"))}
