"""The run that an address names beside the one shown, by the fields in which the two differ."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import parse_qsl

import bender_core as bc
from bender_core.trying.change import Fork, forked
from pages._shared.app.branches import Branch, branch_of
from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import AT, BESIDE, FORKS, GROUPS, SCHEDULE, STRATEGY, VARIANT, M
from pages._shared.app.next_run import Choice
from pages._shared.app.permalink import OF_A_RUN, partition_of, run_fields
from pages._shared.app.requests import BRANCH, WHOLE_PAGE, BranchRequest
from pages._shared.app.session import Lab, Replay, begin_next, branch_named, show_beside
from pages._shared.forks.growing import made_again


def begin_named(current: Lab) -> None:
    """Begin that run, or show the one that the session has; one that cannot be read changes nothing but the notice."""
    text, current.aside = current.aside, ""
    if not text:
        return
    try:
        fields, at = _read(current, text)
        found, choice, forks = branch_named(fields, current), _choice(current, fields), FORKS.of(fields, ())
    except LinkError as error:
        current.notice = f"The second run of this link cannot be opened: {error}."
        return
    if found is not None and found.run is not None:
        show_beside(current, found, at)
    elif found is not None:
        BRANCH.set(BranchRequest("beside", found, at))
        WHOLE_PAGE.set(True)
    elif forks:
        current.replay = ForksBeside(fields, forks, 0, choice=choice, at=at)
        current.replay.start(current)
    else:
        begin_next(current, choice, True, at)


def _read(current: Lab, text: str) -> tuple[dict[str, str], int | None]:
    """The fields of the run, and its position; None: the same place as that of the one shown.

    Raises
    ------
    LinkError
    """
    named, first = dict(parse_qsl(text)), current.branches.chapters[0].lineage
    names = {each.name for each in OF_A_RUN}
    if not names & named.keys():
        raise BESIDE.refusal(text, ", which names no setting of a run")
    own = {name: value for name, value in named.items() if name in names}
    kept = run_fields(current.origin, first)
    if {M.name, STRATEGY.name} & own.keys():
        kept.pop(GROUPS.name, None)
    return kept | own, AT.of(named, 0) if AT.name in named else None


def _choice(current: Lab, fields: Mapping[str, str]) -> Choice:
    """The choices that make the run, or the first one of its line.

    Raises
    ------
    LinkError
    """
    first = current.branches.chapters[0].lineage
    known, names = run_fields(current.origin, first), (M.name, STRATEGY.name, GROUPS.name)
    max_size, strategy = M.of(fields, current.max_size), STRATEGY.of(fields, "")
    part = first.partition if all(fields.get(name) == known.get(name) for name in names) else None
    if part is None and GROUPS.name in fields:
        part = partition_of(fields, current.mrf)[0]
    rules = VARIANT.of(fields, current.variant), SCHEDULE.of(fields, current.schedule)
    return Choice(current.mrf, current.origin, max_size, strategy, *rules, part)


@dataclass(eq=False, kw_only=True)
class ForksBeside(Replay):
    """A fork that an address names beside the run shown, made with all runs of its line that the session does not have.

    Attributes
    ----------
    choice : Choice
        Of the first run of its line.
    at : int or None
        Its position; None: the same place as that of the run shown.
    made : Branch or None
        None until all are made.
    """

    choice: Choice
    at: int | None
    made: Branch | None = field(default=None, init=False)

    def finish(self, lab: Lab) -> None:
        """Show the fork beside the run shown."""
        lab.replay = None
        if self.made is None:
            lab.notice = self.failure
        else:
            show_beside(lab, self.made, self.at)

    def _make(self, lab: Lab, stopped: threading.Event) -> None:
        stop = bc.Stop(requested=stopped.is_set)
        lost = "The second run of this link was not made: {}."
        try:
            self.doing = "the second run"
            while not lab.run.settle():  # the run shown is still on its way to its place
                stop.check()
                lab.run.work.wait()
            branch = self._first(lab, stop)
            for k, fork in enumerate(self.forks):
                self.share, self.doing = (k + 1) / (len(self.forks) + 1), f"the second run, fork {k + 1}"
                branch = _forked(lab, branch, fork, stop)
            self.made = branch
        except bc.Stopped:
            self.failure = lost.format("it was stopped")
        except (ValueError, bc.EngineError) as error:
            self.failure = lost.format(error)

    def _first(self, lab: Lab, stop: bc.Stop) -> Branch:
        """The first run of its line."""
        own = {name: text for name, text in self.fields.items() if name != FORKS.name}
        found = branch_named(own, lab)
        if found is not None:
            return found
        choice = self.choice
        part = choice.part or bc.partition(lab.mrf, choice.max_size, choice.strategy, stop=stop)
        make = partial(lab._beside, lab.mrf, part, choice.variant, choice.schedule, stop)
        return lab._begin(lab.branches.with_room(make), choice.max_size)


def _forked(lab: Lab, parent: Branch, fork: Fork, stop: bc.Stop) -> Branch:
    """A fork of a run of the session; the session's own, if it has it.

    Raises
    ------
    ValueError, TooLargeError, Stopped
    """
    lineage = parent.lineage.forked(*fork)
    found = branch_named(run_fields(lab.origin, lineage), lab)
    if found is not None:
        return found
    run = made_again(lab, parent, stop)
    with run.work.lent(stop):
        engine = lab.branches.with_room(partial(forked, run.engine, fork, stop), parent)
    return lab.branches.add(branch_of(parent, fork, engine))
