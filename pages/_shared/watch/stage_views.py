"""The data that the stage draws of a run besides its events. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import blake2b
from itertools import cycle
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from bender_core import VARIANTS, BinaryMRF, Engine, Objective, Reference, Stop, TooLargeError, Trace, looking
from bender_core.forms.reduction import GONE
from bender_core.kernels.layout import Kind, Method
from bender_core.looking.words import number
from bender_core.model import FloatArray, IntArray
from bender_core.stopping import never
from bender_core.visualization.forks import Curve
from bender_core.visualization.layout import member_layout
from bender_core.visualization.styles import GROUP_COLOURS
from pages._shared.app.branches import Branch, Branches, places_of, unlike
from pages._shared.app.proof import ProofInProgress
from pages._shared.app.stretch import Stretch
from pages._shared.app.text import label
from pages._shared.learn import explaining
from pages._shared.running.watched import WatchedRun, go_to
from pages._shared.watch import protocol
from pages._shared.watch.event_details import listed
from pages._shared.watch.event_frames import by_cycles, gained_sent, tension_sent
from pages._shared.watch.talk import Moment, Talk

FIRST = (
    "All messages are 0, so every group is on its own. Press Play, or step round by round: the lower bound will rise."
)
# The most points of the bounds of a run, and of a chapter before it.
HISTORY_POINTS, CHAPTER_POINTS = 200, 60
# The digits of bounds, as on the stage.
BOUND_DIGITS = 6
# The most ends of sweeps and of updates that are sent; more sweeps than a run makes by default.
SWEEP_MARKS = 500
# Variables and couplings drawn at most.
VARIABLES, LINKS = 2000, 1500
# Couplings drawn within a group.
INNER_LINKS = 60
# The most states of an update whose exact costs are computed at a time.
EXACT_STATES = 64


def following(run: WatchedRun) -> protocol.Running | None:
    """The data that the stage draws of a run in the background."""
    progress = run.progress
    if progress is None:
        return None
    return {
        "sweep": progress.sweep,
        "events": progress.events,
        "lower": progress.lower,
        "upper": progress.upper,
        "least": run.engine.margin.lattice.raised(progress.lower, progress.upper),
        "total_rows": progress.rows,
        "tension": tension_sent(progress.tension),
        "gained": gained_sent(progress.gained),
        "read": progress.read.tolist(),
        "rows": progress.rows_made.tolist(),
        "history": history(progress.trace, progress.events, run.opening[0]),
    }


def graph_view(branches: Branches, branch: Branch) -> protocol.Graph:
    """The hyper-graph of a run as the component draws it; fixed for a run, so that nothing jumps.

    Only constant data are read, as the engine may be at work meanwhile.
    """
    run, points = branch.run, places_of(branch)
    assert run is not None
    engine, (lower, upper) = run.engine, run.opening
    graph, part = engine.graph, engine.partition
    inner = _inner(engine)
    return {
        "nodes": [
            {
                "label": label(name),
                "x": round(float(x), 4),
                "y": round(float(y), 4),
                "size": len(group),
                "members": [label(engine.mrf.names[i]) for i in group],
                "colour": colour,
                "inner": None if inner is None else inner[p],
            }
            for p, (name, group, (x, y), colour) in enumerate(
                zip(part.labels, part.groups, points, cycle(GROUP_COLOURS), strict=False)
            )
        ],
        "edges": graph.edges.tolist(),
        "key": _key(engine),
        "variables": _variables(branches, engine),
        "solution": _solution(branches, branch, engine),
        "opening": opening_words(branch),
        "objective": _objective(engine.mrf.objective),
        "exact": engine.variant.exact,
        "methods": _methods(engine),
        "lessons": [(lesson.slug, lesson.title) for _, lesson in sorted(explaining(engine.variant.exact).items())],
        "slack_scale": float(f"{graph.problem.edge_weight.max(initial=0.0) / 4:.2g}"),
        "scale": graph.problem.gap_scale,
        "lower": lower,
        "upper": upper,
    }


def opening_words(branch: Branch) -> str:
    """The state before the first event of a run."""
    if branch.parent is None:
        return FIRST
    before = f"chapter {branch.depth}, after its event {branch.event}"
    return f"Chapter {branch.depth + 1} goes on from {before}: {label(branch.cause)}. {_bound_words(branch)}"


def _bound_words(branch: Branch) -> str:
    """The first lower bound of a fork, and why it differs from the last one of its parent."""
    run = branch.run
    assert run is not None
    assert branch.parent is not None
    change, lowers = branch.lineage.forks[-1].change, (branch.lower_before, run.opening[0])
    before, now = (number(lower, BOUND_DIGITS) for lower in lowers)
    if change.cycles is not None:
        before = number(branch.proven, BOUND_DIGITS)
        shown = f"Cycles have proven that no labelling costs less than {before}"
        if by_cycles(run.engine):
            return f"{shown}: the best one is optimal."
        return f"{shown}; LB of these groups is {now}." if now != before else f"{shown}."
    if before == now:
        return f"LB is {now}, as before."
    if lowers[1] < lowers[0]:
        return f"LB restarts at {now} with the new groups; {before} remains proven."
    reasons = ["excluded states no longer lower a minimum"] * (branch.variables < branch.parent.variables)
    unites = change.pack is not None or bool(change.merge)
    reasons += ["the minimum of a sum is at least the sum of the minima"] * unites
    return f"LB rises from {before} to {now}{': ' * bool(reasons)}{', and '.join(reasons)}."


def _methods(engine: Engine) -> list[int] | None:
    """How every message is computed, by numbers of `Method`; None if by rows."""
    if not engine.variant.exact:
        return None
    methods = engine.graph.problem.methods.method
    made: list[int] = np.full_like(methods, Method.ENUMERATE if engine.variant.enumerated else methods).tolist()
    return made


def _key(engine: Engine) -> str:
    """A key of this hyper-graph, under which a browser remembers places of circles."""
    owner = engine.partition.group_of()
    return blake2b(engine.mrf.content_hash().encode() + owner.tobytes(), digest_size=8).hexdigest()


def _objective(objective: Objective) -> protocol.Objective | None:
    """The source's own terms, in which bounds are also stated; None if they are energies."""
    if objective.scale == 1 and objective.offset == 0:
        return None
    return {
        "name": label(objective.name),
        "sense": objective.sense,
        "scale": objective.scale,
        "offset": objective.offset,
    }


def _inner(engine: Engine) -> list[protocol.Inner] | None:
    """For every group the places of its members within a circle, and their strongest couplings."""
    mrf, part = engine.mrf, engine.partition
    if mrf.n > VARIABLES:
        return None
    coupling, owner, found = mrf.coupling(), part.group_of(), list[protocol.Inner]()
    ends = owner[mrf.edges]
    local = part.bit_of()
    for p, group in enumerate(part.groups):
        own = np.flatnonzero((ends == p).all(axis=1) & (coupling != 0))
        strongest = own[np.argsort(-np.abs(coupling[own]), kind="stable")[:INNER_LINKS]]
        points, apart = member_layout(mrf, group)
        found.append(
            {
                "x": points[:, 0].round(4).tolist(),
                "y": points[:, 1].round(4).tolist(),
                "apart": round(apart, 4),
                "ends": local[mrf.edges[strongest]].ravel().tolist(),
                "weights": listed(coupling[strongest], 6),
                "left": len(own) - len(strongest),
            }
        )
    return found


def _are_spins(mrf: BinaryMRF) -> bool:
    """Whether every coupling depends only on whether its ends are equal, as in an Ising model."""
    (a, b), (c, d) = mrf.pairwise.transpose(1, 2, 0)
    return bool(np.allclose(a, d, atol=1e-9) and np.allclose(b, c, atol=1e-9))


def _variables(branches: Branches, engine: Engine) -> protocol.Variables | None:
    """The variables with their strongest couplings, or None if they are too many to be drawn."""
    part = engine.partition
    return _drawn(engine.mrf, branches.variable_places[engine.whole.deciders], part.group_of(), part.bit_of())


def _drawn(mrf: BinaryMRF, points: FloatArray, group: IntArray, bit: IntArray) -> protocol.Variables | None:
    """The variables of a model at their places, and its strongest couplings; None if there are too many."""
    if mrf.n > VARIABLES:
        return None
    coupling = mrf.coupling()
    strongest = np.argsort(-np.abs(coupling), kind="stable")[:LINKS]
    return {
        "x": points[:, 0].round(4).tolist(),
        "y": points[:, 1].round(4).tolist(),
        "names": [label(name) for name in mrf.names],
        "group": group.tolist(),
        "bit": bit.tolist(),
        "spins": _are_spins(mrf),
        "attractive": mrf.edges[strongest[coupling[strongest] < 0]].ravel().tolist(),
        "repulsive": mrf.edges[strongest[coupling[strongest] > 0]].ravel().tolist(),
        "left": int(np.count_nonzero(coupling)) - int(np.count_nonzero(coupling[strongest])),
    }


def _solution(branches: Branches, branch: Branch, engine: Engine) -> protocol.Solution | None:
    """The variables of the whole model, and what decides each of them; None if there are too many."""
    whole = engine.whole
    group, bit = np.append(engine.partition.group_of(), GONE), np.append(engine.partition.bit_of(), 0)
    drawn = _drawn(whole.model, branches.variable_places, group[whole.home], bit[whole.home])
    if drawn is None:
        return None
    return {**drawn, "value": whole.value.tolist(), "chapter": branch.decided_in.tolist()}


def edge_tightness(engine: Engine, measure: protocol.Measure, stop: Stop = never) -> protocol.Tightness | None:
    """A measure of the looseness of every hyper-edge, that of its looser message, at the present position.

    Parameters
    ----------
    engine : Engine
    measure : {"tension", "mean", "largest", "loose"}
        "mean" or "largest" slack, energy; "loose": share of the states that are not tight. The result is None for
        "tension", which is in the events, and where the computation does not fit into memory.
    """
    if measure == "tension" or engine.variant.exact:
        return None
    try:
        tightness = looking.tightness(engine, stop=stop)
    except TooLargeError:
        return None
    arcs = {"mean": tightness.mean, "largest": tightness.largest, "loose": 1.0 - tightness.tight_share}[measure]
    return {"measure": measure, "at": engine.position, "values": listed(arcs.reshape(-1, 2).max(axis=1))}


def history(trace: Trace, length: int, start: float) -> protocol.History:
    """The first ``length`` events of a run at a glance."""
    kinds, lower, upper = (trace.column(name)[:length] for name in ("kind", "lower_bound", "upper_bound"))
    return glance(kinds, lower, upper, start)


def glance(kinds: NDArray[Any], lower: NDArray[Any], upper: NDArray[Any], start: float) -> protocol.History:
    """Events at a glance: bounds, thinned to a few hundred points, and the moments worth a visit.

    Parameters
    ----------
    kinds : ndarray, shape (events,)
    lower, upper : ndarray, shape (events,)
        The bounds after each, energies.
    start : float
        The lower bound before them.
    """
    length = len(kinds)
    picked = (
        np.unique(np.linspace(0, length - 1, min(length, HISTORY_POINTS)).astype(int)) if length else np.zeros(0, int)
    )
    ends, updates = (np.flatnonzero(kinds == kind) + 1 for kind in (Kind.SWEEP, Kind.MESSAGE))
    marked = np.unique(np.linspace(0, len(ends) - 1, SWEEP_MARKS).astype(int)) if len(ends) else np.zeros(0, int)
    gains = np.diff(lower)
    most = int(gains.argmax()) if len(gains) else 0
    return {
        "event": (picked + 1).tolist(),
        "lower": listed(lower[picked], 12),
        "upper": listed(upper[picked], 12),
        "sweeps": ends[marked].tolist(),
        "gains": listed(np.diff(lower[ends - 1], prepend=start)[marked]),
        "updates": updates.tolist() if len(updates) <= SWEEP_MARKS else [],
        "rise": {"event": most + 2, "gain": float(gains[most])} if len(gains) and gains[most] > 0 else None,
    }


def parent_view(branches: Branches) -> protocol.Parent | None:
    """The run to compare the one shown with, as far as it has been computed: from a fork on its parent, else the run
    that was shown before; None if there is none.
    """
    shown = branches.shown
    if shown.parent is not None:
        curve, sweep = shown.parent.look(), shown.parent.curve.at("sweeps", shown.event)
        return _parent(shown.parent.name, curve, shown.event, sweep)
    before = branches.before
    if before is None or before.parent is not None:
        return None
    return _parent(label(unlike(shown, before)), before.look(), 0, 0.0)


def _parent(name: str, curve: Curve, event: int, sweep: float) -> protocol.Parent:
    """The bounds of a run from an event on, which ended a number of sweeps."""
    later = curve.events > event
    return {
        "name": name,
        "event": (curve.events[later] - event).tolist(),
        "sweep": listed(curve.sweeps[later] - sweep, 6),
        "lower": listed(curve.lower[later], 12),
    }


def chapters_view(branches: Branches) -> list[protocol.Chapter]:
    """The runs of the timeline in order, each up to where the next one forks.

    The best bound of earlier chapters is kept, even where a run on a new partition begins below it.
    """
    chapters, found = branches.chapters, list[protocol.Chapter]()
    kept: protocol.Kept | None = None
    ends = [branch.event for branch in chapters[1:]]
    # Read once: while another chapter is shown, work in the background may free its memory.
    last, run = chapters[-1], chapters[-1].run
    ends.append(last.position if run is None else run.seen)
    for k, (branch, end) in enumerate(zip(chapters, ends, strict=True), 1):
        facts = [f"Chapter {k}: {branch.name}", f"{branch.variables:,} variables"]
        facts += [label(branch.cause)] * bool(branch.cause)
        if branch.lower_before > (kept["lower"] if kept else -math.inf):
            by = "cycles" if branch.proven == branch.lower_before else f"chapter {k - 1}"
            kept = {"lower": branch.lower_before, "least": _least(branch), "by": by}
        # The engine of the run shown may be at work.
        curve = branch.curve if branch is branches.shown else branch.look()
        found.append(
            {
                "summary": facts,
                "cycles": bool(branch.lineage.forks) and branch.lineage.forks[-1].change.cycles is not None,
                "variables": branch.variables,
                "length": end,
                "kept": kept,
                **_climb(curve, end),
            }
        )
    return found


class _Climb(TypedDict):
    """The bounds of a chapter, as in `Chapter`."""

    event: list[int]
    lower: list[float]
    upper: list[float]


def _climb(curve: Curve, end: int) -> _Climb:
    """The bounds of a run up to an event, thinned to a few points."""
    known = int(np.searchsorted(curve.events, end, "right"))
    picked = np.unique(np.linspace(0, known - 1, min(known, CHAPTER_POINTS)).astype(int))
    return {
        "event": curve.events[picked].tolist(),
        "lower": listed(curve.lower[picked], 12),
        "upper": listed(curve.upper[picked], 12),
    }


def only_chapter(branch: Branch) -> list[protocol.Chapter]:
    """The timeline of a run beside another: itself alone."""
    run = branch.run
    assert run is not None
    return [
        {
            "summary": [branch.name],
            "cycles": False,
            "variables": branch.variables,
            "length": run.seen,
            "kept": None,
            **_climb(branch.curve, run.seen),
        }
    ]


def stretch_view(stretch: Stretch, model: str, now: protocol.Chosen) -> protocol.Stretch:
    """A part of a run in a frame of another page, with what makes the run."""
    variant = f"variant {now['variant']}: {VARIANTS[now['variant']].name}"
    run = " · ".join([model, f"M {now['M']}", variant])
    return {"begin": stretch.begin, "end": stretch.end, "loops": stretch.loops, "run": run}


def _least(branch: Branch) -> float:
    """The least energy that the bounds of a branch's ancestors leave possible, as far as it has been computed."""
    lower = branch.lower_before
    return lower if branch.run is None else branch.run.engine.margin.lattice.raised(lower, branch.run.opening[1])


def proving_text(proof: ProofInProgress | None) -> str | None:
    """How far a proof is, in words; None if none is being made."""
    if proof is None or not proof.alive:
        return None
    if not proof.points:
        return "proving…"
    point = proof.points[-1]
    return f"proving: chapter {proof.chapter + point.rounds}, {point.undecided:,} variables undecided…"


def reference_lines(found: Reference | None) -> list[protocol.ReferenceLine]:
    """The horizontal lines of a reference in the chart of the bounds: a name and an energy each."""
    if found is None:
        return []
    # An LP that was not solved in time gives no line.
    lines = list[protocol.ReferenceLine]()
    if not np.isnan(found.fractional):
        lines.append({"name": "variable LP", "energy": found.lp_bound})
    if found.group_lp_bound is not None:
        lines.append({"name": "group LP", "energy": found.group_lp_bound})
    if found.optimum is not None:
        lines.append({"name": "optimum", "energy": found.optimum})
    elif np.isfinite(found.energy):
        lines.append({"name": "best of HiGHS", "energy": found.energy})
    return lines


def exact_view(engine: Engine, opened: int, states: Sequence[int], stop: Stop = never) -> protocol.Exact | None:
    """The exact parts of some states of an update, one per neighbour; None if no update was opened at that position."""
    if not 0 < opened <= len(engine.trace) or engine.trace[opened - 1].kind != Kind.NODE_OPENED:
        return None
    p = engine.trace[opened - 1].node
    known = [state for state in states[:EXACT_STATES] if 0 <= state < len(engine.graph.energies(p))]
    # Messages into the group do not change until it passes its own.
    go_to(engine, opened, stop)
    nu = []
    for state in known:
        stop.check()
        nu.append(listed(np.array([answer.exact for answer in looking.answers(engine, p, state)]), 12))
    return {"opened": opened, "states": known, "nu": nu}


def talk_view(talk: Talk | None) -> protocol.Talk | None:
    """How far a talk has been given; None if there is none."""
    if talk is None or not talk.moments:
        return None
    shown = talk.moments[talk.at] if talk.at >= 0 else Moment("")
    after = talk.moments[talk.at + 1].note if talk.at + 1 < len(talk.moments) else ""
    return {
        "title": talk.title,
        "count": len(talk.moments),
        "at": talk.at,
        "turn": talk.turn,
        "query": shown.address,
        "note": shown.note,
        "following": after,
    }
