"""The plan of an experiment: instances × M × strategies × variants × schedules, methods, and the limits of each run.

A plan is a small TOML file. Source: docs/formats.md §9.1.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from bender_core import io, synth
from bender_core.experiments.deciding import code_version
from bender_core.experiments.methods import METHODS, Method
from bender_core.groups import LARGEST_GROUP, Partition
from bender_core.model import BinaryMRF, ModelError
from bender_core.stopping import Stop, never
from bender_core.strategies import BY_RUNS, STRATEGIES, Tell, default_strategy, partition
from bender_core.synth._family import Value
from bender_core.units import so_far
from bender_core.variants import SCHEDULES, VARIANTS
from bender_core.warming import warm_up

# Plans of earlier versions name this method among the strategies.
_PROOF = "proof"
# The most instances of one family in a plan; more are surely a mistake.
MOST_INSTANCES = 100_000
# The largest limit, beyond any practical number of sweeps, seconds or megabytes.
LARGEST_LIMIT = 1e12
# The number of partitions that a process keeps.
_KEPT = 1024


class PlanError(ValueError):
    """A plan cannot be carried out; the message says where and how to fix it."""


@dataclass(frozen=True)
class Instance:
    """A model, described by its source.

    Attributes
    ----------
    source : str
        A family of `bender_core.synth`, or the path of a file; for a run made interactively, the name of the model.
    values : tuple of (str, value)
        The parameters of the family, all of them; empty for a file.
    """

    source: str
    values: tuple[tuple[str, Value], ...] = ()

    def load(self) -> BinaryMRF:
        """Load or generate the model.

        Raises
        ------
        FormatError, ModelError, OSError
            If it cannot be loaded or generated.
        """
        return _load(self)

    @cached_property
    def family(self) -> str:
        """The kind of the model: the family and what differs from its defaults, as in ``ising_grid 20×20 torus``.

        Of a file, the name of its folder, if the path says it.
        """
        if not self.made:
            folder = Path(self.source).parent.name
            return "files" if folder in ("", "..") else folder
        known = synth.FAMILIES.get(self.source)
        defaults = {parameter.name: parameter.default for parameter in known.parameters} if known else {}
        values = [(name, value, value != defaults.get(name)) for name, value in self.values if name != "seed"]
        counts = [(str(value), differs) for _, value, differs in values if type(value) is int]
        # Up to the last that differs: 20×10 and 10×20 are two families.
        last = max((k for k, (_, differs) in enumerate(counts) if differs), default=-1)
        words = [
            name if value is True else f"{name} {value:g}" if isinstance(value, float) else str(value)
            for name, value, differs in values
            if differs and type(value) is not int
        ]
        size = "×".join(count for count, _ in counts[: last + 1])
        return " ".join(filter(None, [self.source, size, *words]))

    @cached_property
    def title(self) -> str:
        """A title: the family and its seed, or the file's name, which files in other folders may have, too."""
        if not self.made:
            return Path(self.source).name
        seed = dict(self.values).get("seed")
        return self.family if seed is None else f"{self.family} seed {seed}"

    @property
    def made(self) -> bool:
        """Whether a family generates it; otherwise it is a file."""
        return bool(self.values)


@lru_cache(maxsize=4)
def _load(instance: Instance) -> BinaryMRF:
    return synth.generate(instance.source, **dict(instance.values)) if instance.made else io.load(instance.source)


# Groups take little room, and some take seconds to find.
_partitions: dict[tuple[Instance, int, str], Partition] = {}


def has_groups(strategy: str) -> bool:
    """Whether a strategy or a method makes groups."""
    return strategy not in METHODS or METHODS[strategy].has_groups


def _first_groups(mrf: BinaryMRF, max_size: int, strategy: str) -> tuple[int, str] | None:
    """M and the strategy of the groups with which a run begins; None for a method that makes no groups."""
    if strategy in METHODS:
        return METHODS[strategy].first_groups(mrf, max_size)
    return max_size, default_strategy(mrf) if strategy == "default" else strategy


def _partition(
    instance: Instance, max_size: int, strategy: str, stop: Stop = never, on_progress: Tell | None = None
) -> Partition | None:
    """The groups with which a run begins; None for a method that makes no groups."""
    known = _partitions.get((instance, max_size, strategy))
    if known is not None:
        return known
    mrf = instance.load()
    first = _first_groups(mrf, max_size, strategy)
    if first is None:
        return None
    if first[1] in BY_RUNS:
        # The time of the choice counts, that of the compiler does not.
        warm_up(stop)
    made = partition(mrf, *first, stop=stop, on_progress=on_progress)
    # The oldest goes; another thread may take it first.
    if len(_partitions) >= _KEPT:
        _partitions.pop(next(iter(_partitions)), None)
    _partitions[instance, max_size, strategy] = made
    return made


@dataclass(frozen=True)
class Limits:
    """The limits of a run.

    Attributes
    ----------
    sweeps : int
        Methods have no such limit.
    seconds : float
        As an `Outcome` counts them.
    megabytes : int
        Of memory, for tables and rows.
    """

    sweeps: int = 400
    seconds: float = 600.0
    megabytes: int = 1024


@dataclass(frozen=True)
class Task:
    """One run of a plan.

    Attributes
    ----------
    key : str
        A hash of everything that decides its result: the energies, the groups and a strategy that has run the model to
        find them, variant, schedule, limits, and our code.
        Tasks with the same key, such as those of two M that give the same groups, are one run: it is done once and
        counts for each of them.
    model : str
        The content hash of the instance.
    instance : Instance
    max_size : int
        0 for a method that makes no groups.
    strategy : str
        Or the name of a method.
    variant : int
    schedule : str
        Variant and schedule of a method are its `Method.setting`.
    limits : Limits
    former : str
        The hash under which earlier versions kept runs on the instance (`BinaryMRF.former_hash`). Tasks are equal
        without it.
    found : Partition or None
        The groups that a strategy has run the model for: a worker need not search again. Tasks are equal without them.
    """

    key: str
    model: str
    instance: Instance
    max_size: int
    strategy: str
    variant: int
    schedule: str
    limits: Limits
    former: str = field(default="", repr=False, compare=False)
    found: Partition | None = field(default=None, repr=False, compare=False)

    @property
    def title(self) -> str:
        """A title: instance, M, variant and schedule, or the method."""
        size = f", M {self.max_size}" * (self.max_size > 0)
        how = f"variant {self.variant}, {self.schedule}" if self.method is None else self.method.title
        return f"{self.instance.title}{size}, {how}"

    @property
    def method(self) -> Method | None:
        """The method that is run; None for message passing on groups."""
        return METHODS.get(self.strategy)

    @property
    def code(self) -> str:
        """The version of the code that decides its result."""
        return code_version(self.method is not None, self.method.package if self.method is not None else "")

    @property
    def first_groups(self) -> tuple[int, str] | None:
        """M and the strategy of the groups with which it begins; None for a method that makes no groups.

        Raises
        ------
        FormatError, ModelError, OSError
            If the instance cannot be loaded any more.
        """
        return _first_groups(self.instance.load(), self.max_size, self.strategy)

    def load(self) -> tuple[BinaryMRF, Partition | None]:
        """The model, and the groups with which it begins, if there are any.

        Raises
        ------
        FormatError, ModelError, PartitionError, OSError
            If the instance cannot be loaded or partitioned (any more).
        """
        return self.instance.load(), self.found or _partition(self.instance, self.max_size, self.strategy)


@dataclass(frozen=True)
class Plan:
    """The runs of an experiment.

    Attributes
    ----------
    name : str
    instances : tuple of Instance
    sizes : tuple of int
        The values of M.
    variants : tuple of int
    strategies : tuple of str
        "default" is the model's own.
    schedules : tuple of str
    limits : Limits
    methods : tuple of str
        Names of `METHODS`; each is one run for an instance, or for an instance and M if it makes groups.
    question : str
        What it is to answer.
    """

    name: str
    instances: tuple[Instance, ...]
    sizes: tuple[int, ...]
    variants: tuple[int, ...] = tuple(VARIANTS)
    strategies: tuple[str, ...] = ("default",)
    schedules: tuple[str, ...] = ("mplp",)
    limits: Limits = field(default_factory=Limits)
    methods: tuple[str, ...] = ()
    question: str = ""

    def __len__(self) -> int:
        return sum(len(self._settings(strategy)) for _, _, strategy in self._choices())

    def _choices(self) -> Iterator[tuple[Instance, int, str]]:
        """Instances with M and strategy, or with a method and its largest M, 0 if it makes no groups."""
        on_groups = list(itertools.product(self.sizes, self.strategies))
        by_method = [(size, name) for name in self.methods for size in (self.sizes if has_groups(name) else (0,))]
        for instance in self.instances:
            for size, strategy in (*on_groups, *by_method):
                yield instance, size, strategy

    def _settings(self, strategy: str) -> list[tuple[int, str]]:
        """Variants and schedules of the runs with a strategy, or of a method."""
        if strategy in METHODS:
            return [METHODS[strategy].setting]
        return list(itertools.product(self.variants, self.schedules))

    def tasks(self, on_progress: Callable[[float, str], object] | None = None, stop: Stop = never) -> list[Task]:
        """All runs, instance by instance; runs on equal groups share their key.

        Parameters
        ----------
        on_progress : callable, optional
            Called before every partition, and while a search for one goes on, with the share of all that is done, from
            0 to 1, and what is being done.
        stop : Stop
            Checked as often.

        Raises
        ------
        Stopped
            If ``stop`` says so.
        PlanError
            If an instance is a file that cannot be read as a model.
        ModelError, PartitionError, OSError
            If an instance cannot be loaded or partitioned.
        """
        found: dict[Task, None] = {}
        choices = list(self._choices())
        count, begun, which = sum(has_groups(strategy) for _, _, strategy in choices), 0, ""

        def tell(share: float, bound: float = -math.inf) -> None:
            if on_progress is not None:
                on_progress((begun - 1 + share) / count, which + so_far(bound))

        for instance, max_size, strategy in choices:
            if has_groups(strategy):
                begun += 1
                which = f"partition {begun} of {count}: {strategy}, M {max_size}, {instance.title}"
                tell(0.0)
            stop.check()
            try:
                mrf = instance.load()
            except io.FormatError as error:
                raise PlanError(f"{instance.source}: {error}") from error
            part = _partition(instance, max_size, strategy, stop, tell)
            for setting in self._settings(strategy):
                # A strategy named twice, also by "default", counts once.
                settings = mrf, part, max_size, *setting, self.limits, METHODS.get(strategy)
                found[task_of(instance, *settings)] = None
        return list(found)


def distinct(tasks: Iterable[Task]) -> list[Task]:
    """The first task of every key."""
    found: dict[str, Task] = {}
    for task in tasks:
        found.setdefault(task.key, task)
    return list(found.values())


def seconds_at_most(tasks: Iterable[Task]) -> float:
    """The seconds, on one core, that some tasks take at most: equal ones are done once, each up to its limit."""
    return sum(task.limits.seconds for task in distinct(tasks))


def task_of(
    instance: Instance,
    mrf: BinaryMRF,
    part: Partition | None,
    max_size: int,
    variant: int,
    schedule: str,
    limits: Limits,
    method: Method | None = None,
) -> Task:
    """The task of a run on a partitioned model, or of a method; ``max_size`` is the requested M."""
    if method is not None:
        strategy = method.name
    else:
        assert part is not None
        strategy = part.strategy
    model = mrf.content_hash()
    task = Task("", model, instance, max_size, strategy, variant, schedule, limits)
    deciding = replace(limits, sweeps=0) if method else limits
    digest = hashlib.sha256(f"{task.code} {model} {variant} {schedule} {deciding}".encode())
    if method is not None:
        digest.update(_deciding(method, mrf, max_size))
    for group in () if part is None else part.groups:
        digest.update(len(group).to_bytes(8, "little"))
        digest.update(group.tobytes())
    found = part if part is not None and part.strategy in BY_RUNS else None
    if found is not None:
        # Other strategies find the same groups in less time, which counts.
        digest.update(found.strategy.encode())
    return replace(task, key=digest.hexdigest()[:32], former=mrf.former_hash(), found=found)


def _deciding(method: Method, mrf: BinaryMRF, max_size: int) -> bytes:
    """What decides the result of a method besides energies, first groups and limits."""
    if not method.has_groups:
        return method.name.encode()
    # Its groups grow up to M, by any strategy.
    where = b"" if mrf.positions is None else mrf.positions.tobytes()
    return f"{method.name} {min(max_size, mrf.n)} {mrf.groups}".encode() + where


# -- from TOML ------------------------------------------------------------------------------------------------

_KEYS = ("name", "question", "instances", "runs", "limits")
_RUN_KEYS = ("sizes", "variants", "strategies", "schedules", "methods")
_LIMIT_KEYS = ("sweeps", "seconds", "megabytes")


def read_plan(path: Path) -> Plan:
    """Read a plan.

    Parameters
    ----------
    path : Path
        A TOML file; paths in it are relative to its folder.

    Raises
    ------
    PlanError
        If it is not a valid plan.
    OSError
        If it cannot be read.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PlanError(f"{path.name}: {error}; write a TOML file") from None
    return plan_of(data, path.parent, path.stem)


def plan_of(data: Mapping[str, Any], folder: Path, name: str) -> Plan:
    """A plan from the content of a TOML file.

    Raises
    ------
    PlanError
        If it is not a valid plan.
    """
    _require_known(data, _KEYS, "the plan")
    entries = data.get("instances")
    if isinstance(entries, dict):
        raise PlanError("[instances] is a single table; write [[instances]], once for each family or pattern of files")
    if not isinstance(entries, list) or not entries:
        raise PlanError("the plan has no instances; add [[instances]] with a family or files")
    runs, limits = (
        _table(data.get(key, {}), key, known) for key, known in (("runs", _RUN_KEYS), ("limits", _LIMIT_KEYS))
    )
    strategies, methods = _strategies(runs)
    needs_size = any(map(has_groups, (*strategies, *methods)))
    return Plan(
        name=_text(data, "name", name),
        question=_text(data, "question", ""),
        instances=tuple(dict.fromkeys(instance for entry in entries for instance in _instances(entry, folder))),
        sizes=_choices(runs, "sizes", range(1, LARGEST_GROUP + 1), None if needs_size else ()),
        variants=_choices(runs, "variants", VARIANTS, tuple(VARIANTS)),
        strategies=strategies,
        methods=methods,
        schedules=_choices(runs, "schedules", SCHEDULES, ("mplp",)),
        limits=Limits(
            sweeps=int(_positive(limits, "sweeps", Limits.sweeps)),
            seconds=float(_positive(limits, "seconds", Limits.seconds)),
            megabytes=int(_positive(limits, "megabytes", Limits.megabytes)),
        ),
    )


def _strategies(runs: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Strategies and methods; with methods there may be no strategies."""
    methods = _choices(runs, "methods", tuple(METHODS), ())
    for method in (METHODS[name] for name in methods):
        if method.missing:
            raise PlanError(f"[runs] methods contains {method.name!r}, which is not installed; {method.missing}")
    if methods and runs.get("strategies") == []:
        return (), methods
    known = "default", *STRATEGIES
    given = _choices(runs, "strategies", known, ("default",), also=(_PROOF,))
    earlier = tuple(name for name in given if name == _PROOF)
    return tuple(name for name in given if name != _PROOF), tuple(dict.fromkeys((*methods, *earlier)))


def _text(data: Mapping[str, Any], key: str, default: str) -> str:
    value = data.get(key, default)
    if not isinstance(value, str):
        raise PlanError(f"the {key} is {value!r}; write it as a string in quotes")
    return value


def _require_known(data: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in data:
        if key not in known:
            raise PlanError(f"{where} has an unknown key {key!r}; known are {', '.join(known)}")


def _table(value: object, where: str, known: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise PlanError(f"{where} is {value!r}; it must be a table [{where}]")
    _require_known(value, known, f"[{where}]")
    return value


def _choices(
    runs: Mapping[str, Any], key: str, known: Any, default: tuple[Any, ...] | None, also: tuple[str, ...] = ()
) -> tuple[Any, ...]:
    """The values of a key; ``also`` are allowed, too, but no longer offered."""
    values = runs.get(key, default)
    if values is None:
        raise PlanError(f"[runs] has no {key}; add them, like {key} = [5, 9]")
    if values == []:
        raise PlanError(f"[runs] {key} is empty; give at least one")
    for value in values if isinstance(values, list | tuple) else [values]:
        if type(value) not in (int, str) or value not in (*known, *also):
            allowed = f"{known[0]} to {known[-1]}" if isinstance(known, range) else ", ".join(map(str, known))
            raise PlanError(f"[runs] {key} contains {value!r}; choose from {allowed}")
    return tuple(dict.fromkeys(values)) if isinstance(values, list | tuple) else (values,)


def _positive(limits: Mapping[str, Any], key: str, default: float) -> float:
    value = limits.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LARGEST_LIMIT:
        raise PlanError(f"[limits] {key} is {value!r}; it must be a number above 0, at most {LARGEST_LIMIT:.0e}")
    return value


def _instances(entry: object, folder: Path) -> list[Instance]:
    if not isinstance(entry, dict) or ("family" in entry) == ("files" in entry):
        raise PlanError("an entry of [[instances]] must have either a family or files; write one of them")
    if "files" in entry:
        _require_known(entry, ("files",), "an entry of [[instances]]")
        try:
            found = sorted(path for path in folder.glob(str(entry["files"])) if not path.is_dir())
        except (NotImplementedError, ValueError):
            found = []  # patterns are relative
        if not found:
            raise PlanError(
                f"there are no files {entry['files']!r} next to the plan; correct the pattern, which is relative to it"
            )
        return [Instance(str(path)) for path in found]
    values = dict(entry)
    name = values.pop("family")
    if not isinstance(name, str) or name not in synth.FAMILIES:
        raise PlanError(f"there is no family {name!r}; known are {', '.join(synth.FAMILIES)}")
    family = synth.FAMILIES[name]
    _require_known(values, [parameter.name for parameter in family.parameters], f"the family {name}")
    many = [_many(values.get(parameter.name, parameter.default)) for parameter in family.parameters]
    count = math.prod(map(len, many))
    if not count:
        raise PlanError(f"the family {name} has an empty list or range of values; give at least one value")
    if count > MOST_INSTANCES:
        raise PlanError(f"the family {name} would have {count:,} instances; at most {MOST_INSTANCES:,} are made")
    try:
        return [
            Instance(name, tuple((p.name, p.check(v)) for p, v in zip(family.parameters, each, strict=True)))
            for each in itertools.product(*many)
        ]
    except ModelError as error:
        raise PlanError(f"the family {name}: {error}") from None


def _many(value: Any) -> Sequence[Any]:
    """The values of a parameter: one, a list of them, or a range."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        ends = value.get("from"), value.get("to")
        if set(value) != {"from", "to"} or not all(type(end) is int for end in ends):
            raise PlanError(f"a range is {value!r}; write it like {{from = 0, to = 96}}")
        return range(value["from"], value["to"] + 1)
    return [value]
