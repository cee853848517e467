"""The state of one session: the model, its partition and the run. It lives in the session state and nowhere else."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import parse_qsl, urlencode

import numpy as np
import streamlit as st

import bender_core as bc
from bender_core.io import samples
from bender_core.stopping import never
from bender_core.strategies import PURSUIT
from bender_core.trying.change import Change, Fork, forked
from bender_core.trying.lineage import Lineage
from bender_core.units import so_far
from bender_core.variants import variant as variant_of
from pages._shared.app.arrival import Arrival, arrival
from pages._shared.app.branches import Branch, Branches, ForkedFrom, branch_of, passage, unlike
from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import (
    ARC,
    AT,
    BESIDE,
    CHAPTER,
    END,
    FORKS,
    MAKE,
    SAMPLE,
    SCHEDULE,
    STRATEGY,
    UPLOAD,
    VARIANT,
    M,
)
from pages._shared.app.health import count_in
from pages._shared.app.next_run import NEXT, NEXT_BESIDE, Choice, NextRun
from pages._shared.app.permalink import (
    Origin,
    arc_of,
    difference,
    engine_of,
    generated,
    groups_of,
    origin_of,
    partition_of,
    query,
    rules_of,
    run_fields,
    sought_by,
)
from pages._shared.app.proof import ProofInProgress
from pages._shared.app.requests import BRANCH, PROOF, BranchRequest
from pages._shared.app.stretch import Stretch
from pages._shared.app.uploads import uploads
from pages._shared.running.background import Personal
from pages._shared.running.kept import Kept, KeptOfRun
from pages._shared.running.watched import Place, WatchedRun

# The link of a new session, and the defaults of links.
FIRST = SAMPLE.say("pose-small") | M.say(8) | VARIANT.say(9) | SCHEDULE.say("mplp")
# The number of earlier models whose lists of runs are kept.
MOST_FORMER = 6
# The time limit for HiGHS.
REFERENCE_SECONDS = 20.0


@dataclass(eq=False)
class References(Personal):
    """HiGHS's results for a model, computed in the background. They appear one by one, as they are found."""

    found: bc.Reference | None = None

    def ask(self, mrf: bc.BinaryMRF, part: bc.Partition) -> None:
        """Start the computation, once."""
        if self.found is None and not self.busy:
            self.begin(partial(self._find, mrf, part))

    def _find(self, mrf: bc.BinaryMRF, part: bc.Partition, stop: threading.Event) -> None:
        def tell(known: bc.Reference) -> bool:
            # The LP over variables comes first; before that there is nothing to show.
            if not (stop.is_set() or math.isnan(known.fractional)):
                self.found = known
            return stop.is_set()

        found = bc.reference(mrf, part, time_limit=REFERENCE_SECONDS, on_progress=tell)
        if not stop.is_set():
            self.found = found


@dataclass(eq=False)
class Replay(Personal):
    """The groups of a link that a strategy has to search for, and its forks, made in the background.

    Attributes
    ----------
    share : float
        The share of the search that is done, from 0 to 1.
    doing : str
        The subject of the search; empty when the search is over.
    failure : str
        What could not be made, and why.
    """

    fields: Mapping[str, str]  # of the link
    forks: tuple[Fork, ...]
    end: int | None  # the position at which a proof ended in the last fork
    share: float = 0.0
    doing: str = ""
    failure: str = ""

    def start(self, lab: Lab) -> None:
        """Make them one after the other; meanwhile nothing else may use the lab."""
        self.begin(partial(self._make, lab))

    def finish(self, lab: Lab) -> None:
        """Once all is made, go to the event and the message that the link shows."""
        lab.replay = None
        _recall(lab)
        if self.failure:
            lab.notice = self.failure
            return
        event, branch = AT.of(self.fields, 0), chapter_of(self.fields, lab.branches)
        if branch is not lab.branches.shown and not lab.turn(branch, event):
            lab.notice = "There is no room for all runs of this link at once. Its last one is shown; step back from it."
            return
        if branch.end is not None:
            lab.run.show(event)
        try:
            lab.run.arc, lab.run.pinned = arc_of(self.fields, lab.run.engine), ARC.name in self.fields
        except LinkError as error:
            lab.notice = f"This link cannot be opened as it is: {error}."
        if lab.run.until is None:
            lab.run.start(until=event)
            lab.run.settle()

    def _make(self, lab: Lab, stopped: threading.Event) -> None:
        stop, strategy, usual = bc.Stop(requested=stopped.is_set), sought_by(self.fields), lab.partition.strategy
        lost = f"The groups by {strategy} of this link were not found: {{}}. Those by {usual} are shown."
        halted = "the search was stopped"
        try:
            if strategy:
                self._find_groups(lab, strategy, stop)
            lost = "Not all forks of this link could be made: {}. The last run that could be made is shown."
            halted = "they were stopped"
            for fork in self.forks:
                try:
                    engine = lab.branches.with_room(partial(forked, lab.run.engine, fork, stop))
                finally:
                    lab.run.show(fork.event)
                lab.fork(fork.change, engine)
            if self.end is not None and self.forks:
                lab.branches.finish(self.end, stop)
        except bc.Stopped:
            self.failure = lost.format(halted)
        except (ValueError, bc.EngineError) as error:
            self.failure = lost.format(error)

    def _find_groups(self, lab: Lab, strategy: str, stop: bc.Stop) -> None:
        """Search for the groups, and begin the run on them."""
        what = f"groups by {strategy}, M {lab.max_size}"

        def tell(share: float, bound: float) -> None:
            self.share, self.doing = share, what + so_far(bound)

        self.doing = what
        part = bc.partition(lab.mrf, lab.max_size, strategy, stop=stop, on_progress=tell)
        usual = lab.branches.shown
        lab.repartition(part, lab.max_size, lab.variant, lab.schedule, stop)
        lab.branches.forget(usual)
        self.doing = ""


@dataclass
class Lab:
    """Everything a session works on. Each piece is replaced only when the new one is valid."""

    mrf: bc.BinaryMRF
    max_size: int
    partition: bc.Partition  # of the model, of the run shown or of the last one before variables were taken out
    variant: int
    schedule: str
    run: WatchedRun
    origin: Origin = field(default_factory=dict)  # of the model, for links; empty if it was uploaded
    aside: str = ""  # the run that the address names beside this one, until it is begun
    notice: str = ""  # a remark on how the model was obtained
    stretch: Stretch | None = None  # the part of the run that is shown in a frame of another page
    number: int = 0  # of the run, so that the stage recognises a new one
    references: References = field(default_factory=lambda: References())
    branches: Branches = field(init=False)  # the run, and those that it forked from or that forked from it
    replay: Replay | None = None  # of the forks of the link that was opened
    proof: ProofInProgress | None = None  # that a labelling of the model is optimal
    account: bc.Account = field(init=False)  # of all runs of the session

    def __post_init__(self) -> None:
        self.account = self.run.engine.account
        count_in(self.account)
        self.branches = Branches(Lineage.of(self.run.engine, self.max_size), self.run, self.number)

    def open(
        self, mrf: bc.BinaryMRF, origin: Origin, part: bc.Partition, max_size: int, variant: int, schedule: str
    ) -> None:
        """Take a small model, and begin a run at once; any other is opened by `begin_next`.

        Raises
        ------
        TooLargeError, PartitionError
            Then nothing has changed.
        """
        self._replace(self._engine(mrf, part, variant, schedule, bc.Stop(requested=_interrupted)), max_size)
        self.origin = origin

    def repartition(
        self, part: bc.Partition, max_size: int, variant: int, schedule: str, stop: bc.Stop = never
    ) -> None:
        """Begin another run of the model, and show it at the same place.

        Raises
        ------
        TooLargeError, PartitionError, Stopped
            Then nothing has changed.
        """
        engine = self._engine(self.mrf, part, variant, schedule, stop)
        give_up_next()
        self._show_begun(self._begin(engine, max_size))

    def fork(self, change: Change, engine: bc.Engine) -> None:
        """Continue with a run that forked from the one shown, at the event shown."""
        self.run.halt()  # or it could free what is added
        branches = self.branches
        self.show(branches.add(branch_of(branches.shown, Fork(self.run.position, change), engine)))

    def show(self, branch: Branch, position: int | None = None) -> bool:
        """Show another run, at a position or where it was left; False if its memory has been freed."""
        self.run.halt()
        if branch.run is None:
            return False
        shown = self.branches.shown
        if not (branch.comes_from(shown) or shown.comes_from(branch)):
            self.branches.before = shown
        self.branches.tip = branch
        return self.turn(branch, position)

    def forget(self, branch: Branch) -> None:
        """Remove a run and those that forked from it; the run shown goes on beyond where they forked."""
        branches, tip = self.branches, self.branches.tip
        branches.forget(branch)
        if branches.tip is not tip:
            self.turn(branches.shown)

    def turn(self, branch: Branch, position: int | None = None) -> bool:
        """Show another chapter of the line, at a position or where it was left; False if its memory has been freed.

        The run beside the one shown changes places with it.
        """
        # Work in the background may free the memory of any run that is not shown.
        self.run.halt()
        self.run.settle()
        run = branch.run
        if run is None:
            return False
        position = run.position if position is None else position
        before, engine = self.run.engine, run.engine
        if engine.partition is not before.partition:
            self.references.stop()
            self.references = References()
        # A step back, or into the middle of a chapter, is not animated.
        goes_on = position == 0 and branch is not self.branches.shown and branch.comes_from(self.branches.shown)
        self.branches.forked_from = ForkedFrom(self.number, passage(before, engine)) if goes_on else None
        if branch is self.branches.beside:
            self.branches.beside, before_run = self.branches.shown, self.run
            before_run.until = self.branches.shown.end
        self.run, self.branches.shown = run, branch
        following = self.branches.following
        self.run.until = branch.end if following is None else following.event
        self.run.show(position)
        if self.run.until is not None:
            self.run.seen = self.run.until
        if engine.mrf.n == self.mrf.n:
            self.partition = engine.partition
        self.max_size = branch.max_size
        self.variant, self.schedule = engine.variant.number, engine.settings.schedule
        self.number += 1
        # Half of the memory is reserved for the growth of the run shown.
        if self.account.free < self.account.limit // 2:
            self.branches.let_go()
        return True

    def leave(self) -> None:
        """Stop all work: another lab takes its place."""
        if self.replay is not None:
            self.replay.stop(wait=None)  # it uses the lab
        if self.proof is not None:
            self.proof.stop()
        self.references.stop()
        self.run.halt()
        self._forget_runs()

    def _forget_runs(self) -> None:
        """Free the memory of all runs; what they were is kept for when their model is opened again."""
        self.branches.clear()
        KeptOfRun.leave_runs()
        if self.origin:
            former, model = _FORMER.made(dict), urlencode(self.origin)
            earlier = former.pop(model, None)
            if earlier is not None:
                self.branches.adopt(earlier, partial(_are_same, self.origin))
            former[model] = self.branches
            for model in list(former)[:-MOST_FORMER]:
                del former[model]

    @property
    def is_public(self) -> bool:
        """Whether anybody can get the model: a sample, or a generated one."""
        return bool(self.origin) and UPLOAD.name not in self.origin

    @property
    def address(self) -> str:
        """The parameters of an address that reopens this run with its chapters; empty if there is none."""
        branches, beside = self.branches, self._named_beside
        more = BESIDE.say(beside) if beside else {}
        text = query(self.origin, branches.tip.lineage)
        if text:
            more |= {} if branches.tip.end is None else END.say(branches.tip.end)
            more |= {} if branches.shown is branches.tip else CHAPTER.say(branches.shown.depth)
        else:
            # Without the later chapters it may be short enough.
            text = query(self.origin, branches.shown.lineage)
        return f"{text}&{urlencode(more)}" if text and more else text

    @property
    def _named_beside(self) -> str:
        """The run beside the one shown, as an address names it; empty if there is none, or it has no name.

        One that is being made is named already: its page may be loaded again meanwhile.
        """
        branch, following, request = self.branches.beside, next_run(self, is_beside=True), BRANCH.get()
        if following is not None and not following.refusal:
            return self._beside_as(_fields_of(following.choice), following.at)
        if request is not None and request.what == "beside":
            return self._beside_as(run_fields(self.origin, request.branch.lineage), request.at)
        if branch is None or branch.run is None:
            return self.aside
        return self._beside_as(run_fields(self.origin, branch.lineage), branch.run.position)

    def _beside_as(self, fields: Mapping[str, str], at: int | None = None) -> str:
        """A run beside the one shown at a position, or at the same place, as an address names it."""
        text = difference(run_fields(self.origin, self.branches.chapters[0].lineage), fields)
        return f"{text}&{urlencode(AT.say(at))}" if text and at is not None else text

    def _begin(self, engine: bc.Engine, max_size: int) -> Branch:
        """Add a run of the model, at its beginning."""
        branches, before = self.branches, self.run
        before.halt()
        before.settle()
        shown = branches.shown
        for branch in branches.chapters:
            branch.look()
        new = branches.begin(Lineage.of(engine, max_size), WatchedRun(engine))
        if have_same_groups(engine, before.engine):
            new.places = shown.places
        new.cause = unlike(shown, new)
        return new

    def _show_begun(self, new: Branch) -> None:
        """Show a run that was just begun, at the same place."""
        shown, before = self.branches.shown, self.run
        place = place_in(self, new)
        self.show(new)
        self.notice = ""
        if not before.engine.arrays.charges.used:  # it has given way
            shown.let_go()
        if have_same_groups(self.run.engine, before.engine):
            self.run.arc, self.run.pinned = before.arc, before.pinned
        self.run.join(place)
        self.run.settle()

    def _replace(self, engine: bc.Engine, max_size: int) -> None:
        """Show a run of another model; those of the present one are given up."""
        self.run.halt()
        self.references.stop()
        self.aside = ""
        if self.proof is not None:
            self.proof.stop()
            self.proof = None
        self.mrf, self.partition, self.max_size = engine.mrf, engine.partition, max_size
        self.variant, self.schedule = engine.variant.number, engine.settings.schedule
        self.references = References()
        self._forget_runs()
        self.run = WatchedRun(engine)
        self.number += 1
        self.branches = Branches(Lineage.of(engine, max_size), self.run, self.number)
        self.notice = ""

    def _engine(self, mrf: bc.BinaryMRF, part: bc.Partition, variant: int, schedule: str, stop: bc.Stop) -> bc.Engine:
        """A new run; if there is no room beside the old runs, they are given up."""
        try:
            return self._beside(mrf, part, variant, schedule, stop)
        except bc.TooLargeError as error:
            if error.needed > self.account.free + self.branches.charged:
                raise
        self.run.halt()
        self.branches.let_go()
        with self.run.engine.arrays.charges.giving_way():
            return self._beside(mrf, part, variant, schedule, stop)

    def _beside(self, mrf: bc.BinaryMRF, part: bc.Partition, variant: int, schedule: str, stop: bc.Stop) -> bc.Engine:
        """A new run beside the old ones."""
        return bc.Engine(mrf, part, variant=variant, schedule=schedule, limit=self.account, stop=stop, excluding=True)


def first_rules(current: Lab) -> tuple[int, int, str]:
    """M, variant and schedule with which the line of runs began; forks, as those of a proof, may have others."""
    first = current.branches.shown.lineage
    return first.max_size, variant_of(first.settings.variant).number, first.settings.schedule


def have_same_groups(run: bc.Engine, other: bc.Engine) -> bool:
    """Whether two runs have the same groups."""
    return np.array_equal(run.partition.group_of(), other.partition.group_of())


def sweeps_before(branch: Branch) -> int:
    """The complete sweeps before the beginning of a run."""
    parent = branch.parent
    while parent is not None:
        parent.look()
        parent = parent.parent
    return int(branch.begins("sweeps"))


def place_in(current: Lab, other: Branch) -> Place:
    """The place shown in another run: in the same sweep, and with the same groups at the same update."""
    shown, place = current.branches.shown, current.run.place
    begun = Place(max(sweeps_before(shown) + place.sweep - sweeps_before(other), 0))
    if other.run is None or not have_same_groups(other.run.engine, current.run.engine):
        return begun
    return place._replace(sweep=begun.sweep)


_LAB = Kept[Lab]("lab")
# The runs of models that were left, without memory, by the model's address; the latest last.
_FORMER = Kept[dict[str, Branches]]("former_runs")


def _interrupted() -> bool:
    """Let Streamlit end the script, as it does when Stop or another button is pressed.

    It checks for that whenever the session state is used, and ends the script by an exception.
    """
    _LAB.get()
    return False


@st.cache_data(show_spinner=False, max_entries=32)
def sample_names() -> list[str]:
    """The sample instances, simplest first."""
    order = ["tiny", "friends", "frustrated-cycle", "tree", "pose-small", "pose", "torus-10x10", "karate"]
    return sorted(samples.sample_names(), key=lambda name: (order.index(name) if name in order else len(order), name))


@st.cache_resource(show_spinner=False, max_entries=32)
def sample(name: str) -> bc.BinaryMRF:
    """A sample instance (models are immutable, so all sessions may share it)."""
    return bc.sample(name)


def has_lab() -> bool:
    """Whether the session has its lab: not before the solver is ready."""
    return _LAB.get() is not None


def lab() -> Lab:
    """The session's lab; at first the one that the address describes, or a small pose, ready to watch."""
    return _LAB.made(_first)


def _first() -> Lab:
    try:
        return _arrived(arrival())
    except LinkError as error:
        found = linked(FIRST)
        found.notice = f"This link cannot be opened: {error}. Here is a sample instead."
        return found


def _arrived(arrived: Arrival) -> Lab:
    """The lab that a session opens with, at the position reached in the recorded beginning of its run."""
    fields = FIRST | arrived.fields
    if not arrived.seen:
        return linked(fields)
    found = linked({name: text for name, text in fields.items() if name != AT.name})
    found.run.engine.run(max_events=arrived.seen)
    for position in (arrived.seen, AT.of(fields, 0)):
        found.run.show(position)
    return found


def model() -> bc.BinaryMRF:
    """The session's model; before it has a lab, the one that the lab will have."""
    if has_lab():
        return lab().mrf
    try:
        return _model(origin_of(FIRST | arrival().fields))
    except LinkError:
        return _model(FIRST)


def _model(origin: Origin) -> bc.BinaryMRF:
    """The model of a link."""
    if MAKE.name in origin:
        return generated(origin)
    if SAMPLE.name in origin:
        name = SAMPLE.of(origin, "")
        if name not in sample_names():
            raise LinkError(f"there is no sample {name!r}; the page Instance lists all samples")
        return sample(name)
    found = uploads().find(UPLOAD.of(origin, ""))
    if found is None:
        raise LinkError("the model that was uploaded is no longer on this server; upload its file again")
    return found


def chapter_of(fields: Mapping[str, str], branches: Branches) -> Branch:
    """The chapter that a link shows; the last one if it names none, or one that does not exist."""
    try:
        number = CHAPTER.of(fields, -1)
    except LinkError:
        number = -1  # `passed_over` says so
    return branches.chapters[number if 0 <= number < len(branches.chapters) else -1]


def linked(fields: Mapping[str, str], number: int = 0) -> Lab:
    """The lab that a link describes; its run gets a number. Slow work continues in the background.

    Raises
    ------
    LinkError
    """
    origin = origin_of(fields)
    event, forks = AT.of(fields, 0), FORKS.of(fields, ())
    end = END.of(fields, 0) if END.name in fields else None
    mrf = _model(origin)
    part, max_size = partition_of(fields, mrf)
    engine = engine_of(fields, mrf, part)
    run = WatchedRun(engine)
    rules = engine.variant.number, engine.settings.schedule
    found = Lab(mrf, max_size, part, *rules, run, origin, _aside(fields), number=number)
    if forks or sought_by(fields):
        found.replay = Replay(fields, forks, end)
        found.replay.start(found)
        return found
    run.arc, run.pinned = arc_of(fields, engine), ARC.name in fields
    if event:
        run.start(until=event)
        run.settle()
    return found


def _aside(fields: Mapping[str, str]) -> str:
    try:
        return BESIDE.of(fields, "")
    except LinkError:
        return ""  # `passed_over` says so


def _fields_of(choice: Choice) -> dict[str, str]:
    """The fields of a run that is made by choices."""
    rules = rules_of(choice.max_size, choice.strategy, choice.variant, choice.schedule)
    if choice.part is None or choice.strategy not in ("manual", PURSUIT):
        return rules
    return rules | groups_of(choice.part)


def begin_next(
    current: Lab, choice: Choice, is_beside: bool = False, at: int | None = None, proves: bool = False
) -> None:
    """Begin to make a run in the background, instead of one that is being made; `show_next` shows it."""
    give_up_next(is_beside)
    following = NextRun(choice, current.branches, is_beside, at, proves)
    _next(is_beside).set(following)
    following.start(current._beside)


def _next(is_beside: bool) -> Kept[NextRun]:
    return NEXT_BESIDE if is_beside else NEXT


def give_up_next(is_beside: bool = False) -> None:
    """Keep the present run: the next one is no longer made."""
    following = _next(is_beside).take()
    if following is not None:
        following.stop()


def next_run(current: Lab, is_beside: bool = False) -> NextRun | None:
    """The run that is being made, or was refused; None if the model has been replaced since."""
    following = _next(is_beside).get()
    if following is not None and following.among is not current.branches:
        give_up_next(is_beside)
        return None
    return following


def show_next(current: Lab, is_beside: bool = False) -> bool:
    """Show the next run if it has been made; returns whether it is shown now."""
    following = next_run(current, is_beside)
    if following is None or following.alive:
        return False
    choice, engine = following.choice, following.made or _instead(current, following)
    if engine is None and following.refusal:
        return False
    _next(is_beside).forget()
    if engine is None:  # stopped
        return False
    if is_beside:
        show_beside(current, current._begin(engine, choice.max_size), following.at)
    elif choice.mrf is current.mrf:
        current._show_begun(current._begin(engine, choice.max_size))
    else:
        PROOF.forget()  # of the model that is left
        current._replace(engine, choice.max_size)
        current.origin = choice.origin
    if choice.remark:
        current.notice = choice.remark
    if following.proves:
        PROOF.set(True)
    return True


def _instead(current: Lab, following: NextRun) -> bc.Engine | None:
    """The next run, if it fits only where others give up their memory; else None.

    They do so on the script's thread alone: it uses them.
    """
    choice, part, needed = following.choice, following.part, following.needed
    following.needed = 0
    kept = current.run.engine.arrays.charges.used if following.is_beside else 0
    if part is None or not 0 < needed <= current.account.free + current.branches.charged - kept:
        return None
    try:
        if following.is_beside:  # the run shown does not give way
            current.branches.beside = None
            current.branches.let_go()
            return current._beside(choice.mrf, part, choice.variant, choice.schedule, bc.Stop(requested=_interrupted))
        return current._engine(choice.mrf, part, choice.variant, choice.schedule, bc.Stop(requested=_interrupted))
    except bc.TooLargeError as error:
        following.refuse(error)
        following.needed = 0
    return None


def show_beside(current: Lab, branch: Branch, at: int | None = None) -> None:
    """Show a run beside the one shown, at a position or the same place."""
    branches, run = current.branches, branch.run
    if run is None or branch is branches.shown:
        return
    branches.beside, branches.placed_at = branch, current.run.position if at is None else None
    run.until = branch.end
    run.join(place_in(current, branch) if at is None else at)
    run.settle()


def return_to(current: Lab, branch: Branch, position: int | None = None) -> None:
    """Show a run that was shown before; one whose memory was freed is first made again, below the stage."""
    if not current.show(branch, position):
        branch.position = branch.position if position is None else position
        BRANCH.set(BranchRequest("show", branch))


def open_address(fields: Mapping[str, str], is_moment: bool = False) -> None:
    """Show what an address names, in a run of the session if it has one.

    An address that cannot be opened changes nothing but the notice.

    Parameters
    ----------
    fields : mapping
    is_moment : bool
        Whether it is a moment of a talk, with the run beside it or alone. Otherwise the browser has gone back to it: a
        run of the line shown stays as it is.
    """
    current = lab()
    if not is_moment and not {each.name for each in (M, STRATEGY, VARIANT, SCHEDULE)} <= fields.keys():
        return
    try:
        found, shown = _run_of(fields, current, is_moment), current.branches.shown
        if found is None:
            _open_anew(current, fields)
        elif is_moment or not (found.comes_from(shown) or shown.comes_from(found)):
            BRANCH.take()  # another run that was asked for before
            _show_place(current, found, fields)
    except LinkError as error:
        what = "This moment cannot be shown" if is_moment else "The run of this address cannot be opened again"
        current.notice = f"{what}: {error}. The previous run is shown."
        return
    if is_moment:
        give_up_next(is_beside=True)
        lab().branches.beside, lab().aside = None, _aside(fields)


def _open_anew(current: Lab, fields: Mapping[str, str]) -> None:
    """Open a run that the session does not have, in place of all that it has."""
    other = linked(FIRST | dict(fields), current.number + 1)
    current.leave()
    PROOF.take()
    BRANCH.take()
    _LAB.set(other)
    if other.replay is None:
        _recall(other)


def _recall(current: Lab) -> None:
    """Add the runs that the session had on the model before it was left; their memory is free."""
    former = _FORMER.made(dict).pop(urlencode(current.origin), None)
    if former is not None:
        current.branches.adopt(former, partial(_are_same, current.origin))


def _are_same(origin: Origin, branch: Branch, other: Branch) -> bool:
    """Whether two runs of a model have the same address."""
    named = run_fields(origin, branch.lineage)
    return bool(named) and named == run_fields(origin, other.lineage)


def _show_place(current: Lab, tip: Branch, fields: Mapping[str, str]) -> None:
    """Show the chapter and the place of an address, whose line ends in a run of the session."""
    at, branch = AT.of(fields, 0), tip
    if tip.run is not None and CHAPTER.name in fields:
        current.show(tip)
        branch = chapter_of(fields, current.branches)
        if not current.turn(branch, at):
            branch.position = at
            BRANCH.set(BranchRequest("turn", branch))
    elif tip is not current.branches.shown:
        return_to(current, tip, at)
    if branch.run is not None:
        branch.run.halt()
        branch.run.join(at)
        branch.run.settle()
        try:
            branch.run.arc, branch.run.pinned = arc_of(fields, branch.run.engine), ARC.name in fields
        except LinkError as error:
            current.notice = f"This address cannot be opened as it is: {error}."


def branch_named(fields: Mapping[str, str], current: Lab) -> Branch | None:
    """The run of the session that has these fields of a run, and no others."""
    return next((each for each in current.branches if run_fields(current.origin, each.lineage) == fields), None)


def _run_of(fields: Mapping[str, str], current: Lab, is_moment: bool) -> Branch | None:
    """The run of an address among those of the session; rather one of the line shown, or else the last.

    Forks of the line shown that are no longer there are not made again, but for a moment of a talk.
    """

    def likeness(branch: Branch) -> tuple[bool, bool]:
        is_whole = (FORKS.name in fields) == bool(branch.lineage.forks)
        return is_whole, branch.comes_from(shown) or shown.comes_from(branch)

    shown, found, best = current.branches.shown, None, (False, True)
    for branch in current.branches:
        named = dict(parse_qsl(query(current.origin, branch.lineage)))
        if is_moment and named.get(FORKS.name) != fields.get(FORKS.name):
            continue
        if named and named.items() <= fields.items() and likeness(branch) >= best:
            found, best = branch, likeness(branch)
    return found
