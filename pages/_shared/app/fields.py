"""The fields of the app's addresses: one table that every page, and the browser, reads and writes addresses by.

A field has a name, a type, the pages whose address may have it, the text of a value and the value of a text, and a
meaning. A text that is not the text of a value is refused in one sentence, `LinkError`; a field that is missing or
empty has the value that the page gives it. The browser gets the names and patterns with the code of a component
(`for_browser`), and reads and writes addresses by ``pages/_shared/frontend/fields.js``.

Not in the table:

- whether the thing that a field names exists: a sample, a strategy, a message of the model, a lesson, a plan. The code
  that looks it up knows, and refuses it in the same form;
- how the fields in `LOOKS`, which decide the picture on Watch, are read from the stage and applied to it: their values
  exist only in the browser, and ``stage/play/choices.js`` does both;
- which run an address belongs to: `permalink` collects the fields that describe one, and `beside` those of a second
  one. They are never copied from the address of one page to the next, but written from the run itself, which may have
  moved on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from bender_core import synth
from bender_core.visualization.message import ORDERS
from pages._shared.app.field_types import (
    BITS,
    CHANGES,
    CHOSEN,
    CHOSEN_NUMBERS,
    LONG_WORD,
    LONGEST_WORD,
    ON,
    OWNERS,
    POSITION,
    REAL,
    REALS,
    SHORT_COUNT,
    TRUTH,
    WHOLE,
    WORD,
    WORDS,
    FieldType,
    LinkError,
    NotOneError,
    choice,
    texts,
)

T = TypeVar("T")

INSTANCE, WATCH, EDGE, LEARN, EXPERIMENTS, CYCLES = "instance", "watch", "edge", "learn", "experiments", "cycles"
GAME, COMPARE, METHOD = "game", "compare", "method"
# Watch in a frame of another page.
EMBEDDED = "embedded"
PAGES = (INSTANCE, "partition", WATCH, CYCLES, EDGE, COMPARE, EXPERIMENTS, LEARN, GAME, METHOD)
# The most unknown names that are listed.
MOST_LISTED = 3


@dataclass(frozen=True)
class Field(Generic[T]):
    """A field of an address.

    Attributes
    ----------
    name : str
        In the address.
    kind : FieldType
        Its type.
    clause : str
        The beginning of the sentence that refuses a text.
    meaning : str
        Its meaning.
    pages : tuple of str
        The pages whose addresses may have it.
    usual : str
        The text of the default, which an address leaves out; empty if there is none.
    """

    name: str
    kind: FieldType[T]
    clause: str
    meaning: str
    pages: tuple[str, ...] = PAGES
    usual: str = ""

    def read(self, text: str, why: str = "") -> T:
        """The value of a text.

        Parameters
        ----------
        text : str
        why : str
            The end of the sentence of refusal, where it can say more than the type does.

        Raises
        ------
        LinkError
            If it is not the text of a value.
        """
        if len(text) > self.kind.most:
            raise LinkError(f"its {self.name!r} has {len(text):,} characters, more than {self.kind.most:,}")
        try:
            return self.kind.value(text)
        except NotOneError as error:
            raise self.refusal(text, why or str(error)) from error

    def write(self, value: T) -> str:
        """The text of a value."""
        return self.kind.text(value)

    def of(self, fields: Mapping[str, str], otherwise: T, why: str = "") -> T:
        """The value in an address; ``otherwise`` if the field is missing or empty. ``why``: as in `read`.

        Raises
        ------
        LinkError
            If it cannot be read.
        """
        text = fields.get(self.name, "")
        return self.read(text, why) if text else otherwise

    def say(self, value: T) -> dict[str, str]:
        """The field with a value, as a part of an address."""
        return {self.name: self.write(value)}

    def refusal(self, text: str, why: str) -> LinkError:
        """The refusal of a text that is no value of this field."""
        shown = text if len(text) <= LONGEST_WORD else f"{text[:LONGEST_WORD]}…"
        return LinkError(f"{self.clause} {shown!r}{why}")


# The model: one of three, the last with the parameters of its family.
SAMPLE = Field("sample", WORD, "the sample is", "a model that the app comes with")
UPLOAD = Field("upload", WORD, "the upload is", "an uploaded model that this server keeps")
MAKE = Field("make", WORD, "the family is", "the family of a generated model")
_KINDS: dict[type, FieldType[Any]] = {bool: TRUTH, int: WHOLE, float: REAL, str: WORD}


def _parameter(parameter: synth.Parameter) -> Field[Any]:
    kind, meaning = _KINDS[type(parameter.default)], f"of a generated model: {parameter.label}"
    return Field(parameter.name, kind, f"{parameter.label} is", meaning)


# By family and name: one name may mean different things in two families.
MADE: dict[str, dict[str, Field[Any]]] = {
    name: {parameter.name: _parameter(parameter) for parameter in family.parameters}
    for name, family in synth.FAMILIES.items()
}

# The run: how the model is partitioned and solved, and the line of forks.
M = Field("M", WHOLE, "M is", "the most variables of a group")
STRATEGY = Field("strategy", WORD, "the strategy is", "how the groups are found; the default depends on the model")
GROUPS = Field("groups", OWNERS, "its groups are", "the group of every variable, if made by hand or by a search")
VARIANT = Field("variant", WHOLE, "the variant is", "the number of the variant of the rows")
SCHEDULE = Field("schedule", WORD, "the schedule is", "the order of the updates")
FORKS = Field("forks", CHANGES, "its forks are", "after which events the run was changed, and how")
END = Field("end", POSITION, "the event is", "the position in the last run at which a proof ended")
CHAPTER = Field("chapter", WHOLE, "the chapter is", "which run of the line is shown, from 0; by default the last")

# The place in it.
AT = Field("at", POSITION, "the event is", "the number of events after which the run is shown")
ARC = Field("arc", WHOLE, "the message is", "the message that is pinned, if one is")

# An address within the address: the fields in which a second run differs from the first, and its place.
BESIDE = Field("beside", LONG_WORD, "the second run is", "a second run, shown beside the first")

# A talk: the name of one that the app comes with, or one packed by `watch.talk`.
TALK = Field("talk", LONG_WORD, "the talk is", "a talk, whose moments are addresses", (WATCH,))

# The pages' own.
ORDER = Field("order", choice(ORDERS, "orders"), "it orders classes by", "the order of the classes", (EDGE,))
CLASS = Field("y", BITS, "it shows the class", "the values of the members of the selected class", (EDGE, WATCH))
LESSON = Field("lesson", WORD, "the lesson is", "the lesson that is open", (LEARN,))
DONE = Field("done", WORDS, "the lessons answered are", "the lessons whose questions were answered", (LEARN,))
LEVEL = Field("level", WHOLE, "the level is", "the level of the game, from 1", (GAME,))
PUZZLE = Field("puzzle", WHOLE, "the puzzle is", "the puzzle of that level, from 1", (GAME,))
# A merge of two tables; then turns: a table, questions to its neighbours, and "_" once its messages are passed.
_TURN = "[A-D](?:-[A-D][0-9]{1,2}[rm])*"
MOVES = Field(
    "moves",
    texts(f"(?=.)(?:[A-D]{{2}}!)?(?:{_TURN}_)*(?:{_TURN})?", ", which are no moves"),
    "the moves are",
    "the moves made so far: a merge, questions of each turn, and where messages were passed",
    (GAME,),
)
BY = Field(
    "by",
    choice(("program", "messages", "both"), "ways"),
    "its bound is by",
    "what raises the bound by cycles: a linear program, messages, or both side by side",
    (CYCLES,),
    "program",
)
CYCLE = Field("cycle", POSITION, "the event is", "the number of events after which the cycles are shown", (CYCLES,))
GROUPED = Field("grouped", ON, "its groups are", "couplings are drawn between groups", (CYCLES,))
PLAN = Field("plan", WORD, "the plan is", "the plan of the experiment, shipped or kept on this server", (EXPERIMENTS,))
PICTURED = Field(
    "pictured",
    choice(("profile", "solved", "distance", "pairs", "table"), "pictures"),
    "it compares by",
    "how the contenders of an experiment are compared",
    (EXPERIMENTS,),
    "profile",
)
TARGET = Field(
    "target",
    choice(("gap", "permille", "percent", "labelling"), "targets"),
    "its target is",
    "what solves an instance: a closed gap, a bound within 0.1 % or 1 %, or the best labelling",
    (EXPERIMENTS,),
    "gap",
)

FAMILY = Field("family", LONG_WORD, "its instances are", "the family of instances that is compared", (EXPERIMENTS,))
RESULTS = Field(
    "results",
    choice(("compare", "figure", "table", "runs"), "results"),
    "it shows the results",
    "which results of an experiment are shown: a comparison, the paper's figure or table, or all runs",
    (EXPERIMENTS,),
    "compare",
)
CONTENDERS = Field("contenders", CHOSEN, "it compares", "the variants and methods that are compared", (EXPERIMENTS,))
REFERENCE = Field("reference", LONG_WORD, "it compares with", "the contender of all pairs", (EXPERIMENTS,))

# A race: what plans call so, too.
_RACED = (COMPARE,)
_COMPARED = (COMPARE, EXPERIMENTS)
VARIANTS = Field("variants", CHOSEN_NUMBERS, "it races the variants", "the variants that race", _RACED)
SIZES = Field("sizes", CHOSEN_NUMBERS, "its values of M are", "the values of M that are compared", _COMPARED)
STRATEGIES = Field("strategies", CHOSEN, "its strategies are", "how their groups are found", _COMPARED)
SCHEDULES_RACED = Field("schedules", CHOSEN, "its schedules are", "the orders of their updates", _COMPARED)
METHODS_RACED = Field("methods", CHOSEN, "it races the methods", "the methods that race beside them", _RACED)
SWEEPS = Field("sweeps", WHOLE, "its limit of sweeps is", "the most sweeps of each", _RACED)
SECONDS = Field("seconds", WHOLE, "its limit of seconds is", "the most seconds of each", _RACED)
AGAINST = Field(
    "against",
    choice(("sweeps", "rows", "seconds", "work"), "axes"),
    "it draws bounds against",
    "the horizontal axis of the chart",
    _RACED,
    "sweeps",
)
SCALE = Field("scale", choice(("linear", "log"), "scales"), "its scale is", "the scale of that axis", _RACED, "linear")
DRAWN = Field(
    "drawn",
    choice(("bounds", "lower", "gap"), "choices"),
    "it draws",
    "both bounds, the lower bound, or its distance to the best labelling",
    _RACED,
    "bounds",
)

PART = Field(
    "part",
    choice(("bound", "rows", "beyond", "notation", "misprints", "glossary"), "parts"),
    "it opens",
    "the part of the method that is open",
    (METHOD,),
    "bound",
)
NUMBERS = Field(
    "numbers",
    choice(("friends", "run"), "choices"),
    "its numbers are of",
    "whose numbers stand beside the formulas: those of the friends, or of the run",
    (METHOD,),
    "friends",
)
MESSAGE = Field("message", WHOLE, "the message is", "the message of the friends that has these numbers", (METHOD,), "1")

# The part of a run that a frame in another page shows.
FROM = Field("from", POSITION, "the event is", "the number of events after which the part shown begins", (EMBEDDED,))
TO = Field("to", POSITION, "the event is", "the number of events after which it ends", (EMBEDDED,))
LOOP = Field("loop", ON, "its loop is", "it plays again and again", (EMBEDDED,))


def _look(name: str, kind: FieldType[Any], clause: str, meaning: str, usual: str = "") -> Field[Any]:
    return Field(name, kind, clause, meaning, (WATCH,), usual)


# The fields that decide the picture on Watch. The browser reads and writes them.
LOOKS: tuple[Field[Any], ...] = (
    _look(
        "view",
        choice(("hyper", "both", "variables", "answer"), "views"),
        "it shows",
        "groups, variables, both, or the answer",
        "hyper",
    ),
    _look(
        "measure",
        choice(("tension", "mean", "largest", "loose"), "measures"),
        "it colours lines by",
        "what colours the lines of the graph",
        "tension",
    ),
    _look("camera", REALS, "its camera is", "the magnification of the graph, and its corner as shares of the pane"),
    _look("circles", REALS, "its circles are", "the number and the relative position of each circle moved by hand"),
    _look("exact", ON, "its exact costs are", "exact costs are drawn for all states shown, not only evaluated ones"),
    _look("distance", ON, "its distance is", "costs are drawn as distances to the best"),
    _look("whole", ON, "its whole range is", "the whole range of energies is drawn"),
    _look("axis", choice(("rounds", "events", "sweeps"), "axes"), "its axis is", "the axis of the bounds", "rounds"),
    _look("zoom", REALS, "its zoom is", "the visible part of that axis: from, to"),
    _look("list", ON, "its list is", "the list of messages is open"),
    _look("sort", texts("[a-z]+", "; a column is a word"), "it sorts by", "the column that sorts the list", "tension"),
    _look("up", ON, "its direction is", "the list ascends"),
    _look(
        "find",
        texts(rf"[\s\S]{{1,{LONGEST_WORD}}}", ", which is no text"),
        "it finds",
        "what is looked for in the list",
    ),
    _look(
        "only",
        choice(("all", "tension", "disagree", "loose"), "choices"),
        "it lists",
        "which messages are listed",
        "all",
    ),
    _look("docked", SHORT_COUNT, "its drawer shows message", "the message in the drawer, if none is pinned"),
    _look("drawer", choice(ORDERS, "orders"), "it orders classes by", "the drawer is open, its classes in this order"),
    CLASS,
    _look("reveal", choice(("1", "2", "3", "4"), "numbers"), "it reveals", "how many pictures a lecture shows", "4"),
)

_TABLE: tuple[Field[Any], ...] = (
    SAMPLE,
    UPLOAD,
    MAKE,
    *(field for family in MADE.values() for field in family.values()),
    *(M, STRATEGY, GROUPS, VARIANT, SCHEDULE, FORKS, END, CHAPTER, AT, ARC, BESIDE),
    *(TALK, ORDER, LESSON, DONE, LEVEL, PUZZLE, MOVES, BY, CYCLE, GROUPED, PLAN, PICTURED, TARGET, FROM, TO, LOOP),
    *(FAMILY, RESULTS, CONTENDERS, REFERENCE, PART, NUMBERS, MESSAGE),
    *(VARIANTS, SIZES, STRATEGIES, SCHEDULES_RACED, METHODS_RACED, SWEEPS, SECONDS, AGAINST, SCALE, DRAWN),
    *LOOKS,
)
FIELDS = {field.name: field for field in _TABLE}


def of_page(page: str, fields: Mapping[str, object]) -> dict[str, str]:
    """Those of the given fields that the address of a page may have."""
    return {name: str(text) for name, text in fields.items() if name in FIELDS and page in FIELDS[name].pages}


def passed_over(page: str, fields: Mapping[str, str]) -> list[str]:
    """Sentences on the fields of a page's address that are ignored, while the rest is shown.

    Ignored are unknown fields, those that only a frame has, and wrong values of fields that have a default or are for
    the browser. Other wrong values are refused where they are read.
    """
    known = {name for name, field in FIELDS.items() if page == EMBEDDED or field.pages != (EMBEDDED,)}
    unknown = [repr(name[:LONGEST_WORD]) for name in fields if name not in known]
    found = []
    if unknown:
        rest = f" and {len(unknown) - MOST_LISTED} more" * (len(unknown) > MOST_LISTED)
        means = "means" if len(unknown) == 1 else "mean"
        found.append(f"This link contains {', '.join(unknown[:MOST_LISTED])}{rest}, which {means} nothing here.")
    of_cycles = (BY, CYCLE, GROUPED)
    tolerated: tuple[Field[Any], ...] = (CHAPTER, BESIDE, *of_cycles, *(LOOKS if page in (WATCH, EMBEDDED) else ()))
    return found + [fault for field in tolerated for fault in _faults(field, fields)]


def _faults(field: Field[Any], fields: Mapping[str, str]) -> list[str]:
    try:
        field.of(fields, None)
    except LinkError as error:
        return [error.sentence]
    return []


def for_browser() -> dict[str, dict[str, str]]:
    """For every field, by name, the texts that the browser accepts, and the one that it leaves out."""
    return {name: {"pattern": field.kind.pattern, "usual": field.usual} for name, field in FIELDS.items()}
