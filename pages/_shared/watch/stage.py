"""The stage: hyper-graph, bounds, edge and transport in one component with its own clock.

The component keeps its DOM between reruns, plays the events it has been given on its own, and asks for more
by one trigger, ``command``. This module turns a run into what the component draws (pure functions, tested
without a browser) and a command into what the run does.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import cycle
from typing import Any

import numpy as np
import streamlit as st

from bender_core import Engine, Objective, Reference, TooLargeError, Trace
from bender_core.kernels.layout import Kind
from bender_core.run.result import STATUSES
from bender_core.visualization.layout import hypergraph_layout, variable_layout
from bender_core.visualization.message import message
from bender_core.visualization.styles import GROUP_COLOURS
from pages._shared.app.frontend import Component
from pages._shared.app.session import Lab, WatchedRun
from pages._shared.app.text import label
from pages._shared.learn import explaining
from pages._shared.watch.details import listed
from pages._shared.watch.frames import Encoder, told

# Events sent from before the present one: those of a step, so that it can be played, or a few. The component asks for
# as many after it as it needs, up to a limit.
MOST_BEHIND, BEHIND, MOST_AHEAD = 400, 8, 400
HISTORY_POINTS = 200
# The most ends of sweeps, and of updates, that are sent: more sweeps than a run makes by default.
SWEEP_MARKS = 500
# Variables and couplings drawn at most.
VARIABLES, LINKS = 2000, 1500
EDGE_POINTS = 400
# States of an update whose exact costs are computed at a time.
EXACT_STATES = 64
# Where the stage may send a person.
PAGES = ("edge", "learn")

_component = Component("stage")


def stage(lab: Lab) -> None:
    """Mount the stage for a lab's run."""
    _component.mount(stage_data(lab), on_command_change=_on_command)


def _on_command() -> None:
    # A press may come just as the page is left: then there is no stage any more, and nothing is to be done.
    command, lab = st.session_state.get("stage", {}).get("command"), st.session_state.get("lab")
    if command and lab is not None and command.get("run") == lab.number:
        if command["do"] == "reference":
            lab.references.ask(lab.mrf, lab.partition)
        st.session_state.destination = destination(command)
        obey(lab.run, command)


def destination(command: dict[str, Any]) -> tuple[str, dict[str, str]] | None:
    """The page that a command goes to, and what the address is to say there; None if it stays."""
    if command["do"] != "go" or command["page"] not in PAGES:
        return None
    return command["page"], {str(name): str(value) for name, value in command["said"].items()}


def obey(run: WatchedRun, command: dict[str, Any]) -> None:
    """Do what the component asks for, by a ``command`` of ``pages/_shared/frontend/protocol.json``."""
    run.first, run.serial, run.pinned = int(command["first"]), int(command["serial"]), int(command["arc"]) >= 0
    if run.pinned:
        run.arc = int(command["arc"])
    run.ahead = min(max(int(command["ahead"]), 0), MOST_AHEAD)
    run.held, run.goes_on, run.measure = bool(command["held"]), bool(command["goes_on"]), str(command["measure"])
    run.exact = (int(command["opened"]), list(map(int, command["states"]))) if command["do"] == "exact" else None
    if command["do"] == "stop":
        run.halt()
    settled = run.settle()
    if not settled or command["do"] in ("poll", "stop", "reference"):
        return
    run.show(int(command["at"]))
    if command["do"] == "step":
        run.step(command["grain"], command["backward"])
    elif command["do"] == "run":
        run.start()


def stage_data(lab: Lab) -> dict[str, Any]:
    """All that the component needs to draw the present state: ``stage`` of the protocol."""
    run, engine = lab.run, lab.run.engine
    settled = run.settle()
    data: dict[str, Any] = {
        "run": lab.number,
        "model": label(lab.mrf.name),
        "title": f" · M {lab.max_size} · variant {engine.variant.number}: {engine.variant.name} · {engine.schedule}",
        "graph": None if run.held else _graph(lab),
        "link": lab.link,
        # Streamlit passes nothing on that is as it was; the serial is not, so that every question is answered.
        "serial": run.serial,
        "running": None if settled else following(run),
        "failure": run.failure,
        "asking": lab.references.busy,
        "references": reference_lines(lab.references.found),
    }
    # What the stage holds is known while it asks; one that is mounted anew holds nothing.
    held, run.held = run.held, False
    if settled:
        encoder = _encoder(lab)
        if run.ahead:
            first = _first(run, held)
            goes_on = held and run.goes_on and first == run.first
            chunk = encoder.frames(first, run.position, run.position + run.ahead, goes_on)
        else:
            chunk = encoder.last_frame()
        run.first = 0
        exact = None if run.exact is None else exact_view(engine, *run.exact)
        engine.seek(run.position)
        data |= {
            "position": run.position,
            "seen": run.seen,
            "done": len(engine.trace) if _is_complete(engine) else None,
            "status": STATUSES[engine.status],
            "frames": chunk,
            "history": history(engine.trace, run.seen, run.opening[0]),
            "edge": edge_view(engine, run.arc) if run.pinned and len(engine.graph.edges) else None,
            "tightness": edge_tightness(engine, run.measure),
            "exact": exact,
        }
    return data


def _first(run: WatchedRun, held: bool) -> int:
    """The first event to send: what a stage lacks of a step, or a few events before the one shown."""
    is_step = held and run.position - run.first <= MOST_BEHIND
    return run.first if is_step else max(run.first, run.position - BEHIND)


def following(run: WatchedRun) -> dict[str, Any] | None:
    """What the stage draws of a run in the background."""
    progress = run.progress
    if progress is None:
        return None
    return {
        "sweep": progress.sweep,
        "events": progress.events,
        "lower": progress.lower,
        "upper": progress.upper,
        "total_rows": progress.rows,
        "tension": told(progress.tension),
        "rows": np.bincount(progress.row_edges, minlength=len(progress.tension.edges)).tolist(),
        "history": history(progress.trace, progress.events, run.opening[0]),
    }


def _is_complete(engine: Engine) -> bool:
    return len(engine.trace) > 0 and engine.trace[-1].kind.name == "FINISHED"


def _encoder(lab: Lab) -> Encoder:
    if "stage_encoder" not in st.session_state or st.session_state.stage_encoder.engine is not lab.run.engine:
        st.session_state.stage_encoder = Encoder(lab.run.engine)
    encoder: Encoder = st.session_state.stage_encoder
    return encoder


def _graph(lab: Lab) -> dict[str, Any]:
    if "stage_graph" not in st.session_state or st.session_state.stage_graph[0] != lab.number:
        st.session_state.stage_graph = (lab.number, graph_view(lab.run))
    view: dict[str, Any] = st.session_state.stage_graph[1]
    return view


def graph_view(run: WatchedRun) -> dict[str, Any]:
    """The hyper-graph as the component draws it; fixed for a run, so that nothing jumps.

    The engine may be at work meanwhile: only what stays the same is read.
    """
    engine, (lower, upper) = run.engine, run.opening
    graph, part = engine.graph, engine.partition
    points = hypergraph_layout(engine.mrf, part)
    return {
        "nodes": [
            {
                "label": label(name),
                "x": round(float(x), 4),
                "y": round(float(y), 4),
                "size": len(group),
                "members": [label(engine.mrf.names[i]) for i in group],
                "colour": colour,
            }
            for name, group, (x, y), colour in zip(part.labels, part.groups, points, cycle(GROUP_COLOURS), strict=False)
        ],
        "edges": graph.edges.tolist(),
        "key": _key(engine),
        "variables": _variables(engine),
        "objective": _objective(engine.mrf.objective),
        "exact": engine.variant.exact,
        "lessons": [[lesson.slug, lesson.title] for _, lesson in sorted(explaining(engine.variant.exact).items())],
        "slack_scale": float(f"{graph.problem.edge_weight.max(initial=0.0) / 4:.2g}"),
        "scale": graph.problem.scale,
        "lower": lower,
        "upper": upper,
    }


def _key(engine: Engine) -> str:
    """What tells this hyper-graph from others, for what a browser remembers of it."""
    owner = engine.partition.group_of()
    return blake2b(engine.mrf.content_hash().encode() + owner.tobytes(), digest_size=8).hexdigest()


def _objective(objective: Objective) -> dict[str, Any] | None:
    """In what terms of its own the source states bounds; none if these are energies already."""
    if objective.scale == 1 and objective.offset == 0:
        return None
    return {"name": label(objective.name)} | {key: getattr(objective, key) for key in ("sense", "scale", "offset")}


def _variables(engine: Engine) -> dict[str, Any] | None:
    """The variables with their strongest couplings, or None if they are too many to be drawn."""
    mrf = engine.mrf
    if mrf.n > VARIABLES:
        return None
    points, coupling = variable_layout(mrf), mrf.coupling()
    strongest = np.argsort(-np.abs(coupling), kind="stable")[:LINKS]
    return {
        "x": points[:, 0].round(4).tolist(),
        "y": points[:, 1].round(4).tolist(),
        "names": [label(name) for name in mrf.names],
        "group": engine.partition.group_of().tolist(),
        "attractive": mrf.edges[strongest[coupling[strongest] < 0]].ravel().tolist(),
        "repulsive": mrf.edges[strongest[coupling[strongest] > 0]].ravel().tolist(),
    }


def edge_tightness(engine: Engine, measure: str) -> dict[str, Any] | None:
    """A measure of the looseness of every hyper-edge, the worse of its two messages, where the run stands.

    Parameters
    ----------
    engine : Engine
    measure : str
        "mean" or "largest" slack, energy; "loose": share of the states that are not tight; "tension", which the events
        tell, so that there is nothing to add. Neither is there where a look does not fit into memory.
    """
    if measure == "tension" or engine.variant.exact:
        return None
    try:
        tightness = engine.tightness()
    except TooLargeError:
        # Why, the message below says.
        return None
    arcs = {"mean": tightness.mean, "largest": tightness.largest, "loose": 1.0 - tightness.tight_share}[measure]
    return {"measure": measure, "at": engine.position, "values": listed(arcs.reshape(-1, 2).max(axis=1))}


def history(trace: Trace, length: int, start: float) -> dict[str, Any]:
    """The first ``length`` events at a glance: bounds, thinned to a few hundred points, and what is worth going to.

    Returns
    -------
    dict
        ``event``, ``lower`` and ``upper``: the bounds; ``sweeps``: after which events sweeps end; ``gains``: by how
        much the lower bound rose in each, from ``start`` on; ``updates``: after which events updates end, unless they
        are too many; ``rise``: after which event the lower bound had risen most, and by how much.
    """
    picked = (
        np.unique(np.linspace(0, length - 1, min(length, HISTORY_POINTS)).astype(int)) if length else np.zeros(0, int)
    )
    lower = trace.column("lower_bound")[:length]
    kinds = trace.column("kind")[:length]
    ends, updates = (np.flatnonzero(kinds == kind) + 1 for kind in (Kind.SWEEP, Kind.MESSAGE))
    told = np.unique(np.linspace(0, len(ends) - 1, SWEEP_MARKS).astype(int)) if len(ends) else np.zeros(0, int)
    gains = np.diff(lower)
    most = int(gains.argmax()) if len(gains) else 0
    return {
        "event": (picked + 1).tolist(),
        "lower": listed(lower[picked], 12),
        "upper": listed(trace.column("upper_bound")[picked], 12),
        "sweeps": ends[told].tolist(),
        "gains": listed(np.diff(lower[ends - 1], prepend=start)[told]),
        "updates": updates.tolist() if len(updates) <= SWEEP_MARKS else [],
        "rise": {"event": most + 2, "gain": float(gains[most])} if len(gains) and gains[most] > 0 else None,
    }


def reference_lines(found: Reference | None) -> list[dict[str, Any]]:
    """The horizontal lines that a reference puts into the chart of the bounds: a name and an energy each."""
    if found is None:
        return []
    # An LP that was not solved in time has told nothing.
    lines = [] if np.isnan(found.fractional) else [{"name": "variable LP", "energy": found.lp_bound}]
    if found.group_lp_bound is not None:
        lines.append({"name": "group LP", "energy": found.group_lp_bound})
    if found.optimum is not None:
        lines.append({"name": "optimum", "energy": found.optimum})
    elif np.isfinite(found.energy):
        lines.append({"name": "best of HiGHS", "energy": found.energy})
    return lines


def exact_view(engine: Engine, opened: int, states: list[int]) -> dict[str, Any] | None:
    """The exact parts of some states of an update, one a neighbour; None if no update was opened at that position."""
    if not 0 < opened <= len(engine.trace) or engine.trace[opened - 1].kind != Kind.NODE_OPENED:
        return None
    p = engine.trace[opened - 1].node
    known = [state for state in states[:EXACT_STATES] if 0 <= state < len(engine.graph.energies(p))]
    # Messages into the group stay the same until it passes its own.
    engine.seek(opened)
    nu = [listed(np.array([answer.exact for answer in engine.answers(p, state)]), 12) for state in known]
    return {"opened": opened, "states": known, "nu": nu}


def edge_view(engine: Engine, arc: int) -> dict[str, Any]:
    """The true min-marginal of a message and its envelope over the states that matter most; or why there is no room."""
    p, q = engine.graph.ends(arc)
    ends = {"arc": arc, "to": label(engine.partition.labels[p]), "from": label(engine.partition.labels[q])}
    try:
        return ends | _over_states(engine, p, q)
    except TooLargeError as error:
        return ends | {"refusal": f"There is no room to draw this message: {error}."}


def _over_states(engine: Engine, p: int, q: int) -> dict[str, Any]:
    """The message at its cheapest states; the numbers beside it are over all states, as everywhere."""
    seen = message(engine, p, q)
    best = np.union1d(np.argsort(seen.cost, kind="stable")[:EDGE_POINTS], seen.minimiser)
    states = best[np.lexsort((best, seen.nu[best]))]
    count = len(seen.nu)
    return {
        "nu": listed(seen.nu[states]),
        "envelope": listed(seen.envelope[states]),
        "states": [engine.partition.describe(p, int(y)) for y in states],
        "minimiser": int(np.flatnonzero(states == seen.minimiser)[0]),
        "rows": len(engine.rows(p, q)),
        "shown": f"all {count} states" if count <= EDGE_POINTS else f"the best {EDGE_POINTS} of {count} states",
        "mean_slack": float(seen.slack.mean()),
        "tight_share": float(seen.tight.mean()),
        "tight": np.flatnonzero(seen.tight[states]).tolist(),
    }
