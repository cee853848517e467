"""The stage: hyper-graph, bounds, edge and transport in one component with its own clock.

The component keeps its DOM between reruns, plays the events it has been given on its own, and asks for more
by one trigger, ``command``. This module turns a run into what the component draws (pure functions, tested
without a browser) and a command into what the run does.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from bender_core import Engine, Reference
from bender_core.engine import SENTENCES
from bender_core.explain import explain
from bender_core.visualization.layout import hypergraph_layout
from pages._shared.session import Lab, Run

# Events sent around the present one; the component asks for more when it runs low.
AHEAD, BEHIND = 80, 32
# Computing ahead must not keep the person waiting.
AHEAD_SECONDS = 0.15
HISTORY_POINTS = 300
EDGE_POINTS = 400

_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "bender_stage",
    html=(_HERE / "stage.html").read_text(),
    css=(_HERE / "stage.css").read_text(),
    js=(_HERE / "stage.js").read_text(),
)


def stage(lab: Lab) -> None:
    """Mount the stage for a lab's run."""
    _component(key="stage", data=stage_data(lab), on_command_change=_on_command)


def _on_command() -> None:
    command = st.session_state.stage.command
    lab = st.session_state.get("lab")
    if command and lab is not None and command.get("run") == lab.number:
        if command["do"] == "reference":
            lab.references.ask(lab.mrf, lab.partition)
        st.session_state.to_edge = command["do"] == "look"
        obey(lab.run, command)


def obey(run: Run, command: dict[str, Any]) -> None:
    """Do what the component asks for.

    Parameters
    ----------
    run : Run
    command : dict
        ``do``: "show", "step", "run", "stop", "poll", "reference" or "look"; ``at``: the event shown; ``arc``: the arc
        selected; ``first``: the first event wanted; ``serial``: the command's number, sent back with the answer.
    """
    run.arc, run.first, run.serial = int(command["arc"]), int(command["first"]), int(command["serial"])
    if command["do"] == "stop":
        run.halt()
    run.settle()
    if run.busy or command["do"] in ("poll", "stop", "reference"):
        return
    run.show(int(command["at"]))
    if command["do"] == "step":
        run.step(command["grain"], command["backward"])
    elif command["do"] == "run":
        run.start()


def stage_data(lab: Lab) -> dict[str, Any]:
    """All that the component needs to draw the present state."""
    run, engine = lab.run, lab.run.engine
    run.settle()
    data: dict[str, Any] = {
        "run": lab.number,
        "title": " · ".join(
            [
                lab.mrf.name,
                f"M {lab.max_size}",
                f"variant {engine.variant.number}: {engine.variant.name}",
                engine.schedule,
            ]
        ),
        "graph": _graph(lab),
        "running": run.progress if run.busy else None,
        "failure": run.failure,
        "asking": lab.references.busy,
        "references": reference_lines(lab.references.found),
    }
    if not run.busy:
        window = frames(engine, max(run.first, run.position - BEHIND), run.position + AHEAD)
        # What the stage holds is known while it asks; one that is mounted anew holds nothing.
        run.first = 0
        engine.seek(run.position)
        data |= {
            "serial": run.serial,
            "position": run.position,
            "seen": run.seen,
            "done": len(engine.trace) if _is_complete(engine) else None,
            "status": SENTENCES[engine.status],
            "window": window,
            "history": history(engine, run.seen),
            "edge": edge_view(engine, run.arc) if len(engine.graph.edges) else None,
        }
    return data


def _is_complete(engine: Engine) -> bool:
    return len(engine.trace) > 0 and engine.trace[-1].kind.name == "FINISHED"


def _graph(lab: Lab) -> dict[str, Any]:
    if "stage_graph" not in st.session_state or st.session_state.stage_graph[0] != lab.number:
        st.session_state.stage_graph = (lab.number, graph_view(lab.run.engine))
    view: dict[str, Any] = st.session_state.stage_graph[1]
    return view


def graph_view(engine: Engine) -> dict[str, Any]:
    """The hyper-graph as the component draws it; fixed for a run, so that nothing jumps."""
    graph, part = engine.graph, engine.partition
    points = hypergraph_layout(engine.mrf, part)
    engine.seek(0)
    return {
        "nodes": [
            {
                "label": label,
                "x": round(float(x), 4),
                "y": round(float(y), 4),
                "size": len(group),
                "members": ", ".join(engine.mrf.names[i] for i in group),
            }
            for label, group, (x, y) in zip(part.labels, part.groups, points, strict=True)
        ],
        "edges": graph.edges.tolist(),
        "exact": engine.variant.exact,
        "slack_scale": float(f"{graph.problem.edge_weight.max(initial=0.0) / 4:.2g}"),
        "lower": engine.lower_bound,
        "upper": engine.upper_bound,
    }


def frames(engine: Engine, first: int, last: int) -> dict[str, Any]:
    """Events ``first`` to ``last`` as the component plays them, and the state they start from.

    Returns
    -------
    dict
        ``first``; ``slack`` of every arc and ``rows`` of every edge before the first event; and ``frames``,
        each ``[kind, node, arc, sweep, rows, lower, upper, sentence, formula, changes]`` with ``changes`` the
        arcs whose slack changed.
    """
    engine.seek(min(first, len(engine.trace)))
    first = engine.position
    known = len(engine.trace)
    edges = len(engine.graph.edges)
    slack = engine.slack
    data = {
        "first": first,
        "slack": _rounded(slack),
        "rows": np.bincount(engine.row_edges(), minlength=edges).tolist(),
        "frames": [],
    }
    deadline = time.perf_counter() + AHEAD_SECONDS
    while engine.position < last and not engine.finished:
        if engine.position > known and time.perf_counter() > deadline:
            break
        engine.step("event")
        event = engine.trace[engine.position - 1]
        said = explain(event, engine.graph, engine.variant)
        now = engine.slack
        changed = np.flatnonzero((now != slack) & ~np.isnan(now))
        data["frames"].append(
            [
                int(event.kind),
                event.node,
                event.arc,
                event.sweep,
                event.rows,
                event.lower_bound,
                event.upper_bound,
                said.sentence,
                said.formula,
                [[int(arc), float(f"{now[arc]:.4g}")] for arc in changed],
            ]
        )
        slack = now
    return data


def history(engine: Engine, length: int) -> dict[str, list[float]]:
    """The bounds over the first ``length`` events, thinned to a few hundred points."""
    trace = engine.trace
    picked = (
        np.unique(np.linspace(0, length - 1, min(length, HISTORY_POINTS)).astype(int)) if length else np.zeros(0, int)
    )
    return {
        "event": (picked + 1).tolist(),
        "sweep": trace.column("sweep")[picked].tolist(),
        "lower": trace.column("lower_bound")[picked].tolist(),
        "upper": trace.column("upper_bound")[picked].tolist(),
    }


def reference_lines(found: Reference | None) -> list[dict[str, Any]]:
    """The horizontal lines that a reference puts into the chart of the bounds: a name and an energy each."""
    if found is None:
        return []
    lines = [{"name": "LP over variables", "energy": found.lp_bound}]
    if found.group_lp_bound is not None:
        lines.append({"name": "LP over groups", "energy": found.group_lp_bound})
    if found.optimum is not None:
        lines.append({"name": "optimum (HiGHS)", "energy": found.optimum})
    elif np.isfinite(found.energy):
        lines.append({"name": f"best of HiGHS, {found.status}", "energy": found.energy})
    return lines


def edge_view(engine: Engine, arc: int) -> dict[str, Any]:
    """The true min-marginal of one message and its envelope, over the states that matter most."""
    p, q = engine.graph.ends(arc)
    envelope = engine.envelope(p, q)
    cost = engine.reduced_cost(p)
    minimiser = int(cost.argmin())
    last = engine.trace[engine.position - 1] if engine.position else None
    if last is not None and last.node == p:
        minimiser = last.state
    best = np.union1d(np.argsort(cost, kind="stable")[:EDGE_POINTS], minimiser)
    nu = engine.min_marginal(p, q, best)
    order = np.lexsort((best, nu))
    states, nu, low = best[order], nu[order], envelope[best[order]]
    shown = f"all {len(cost)} states" if len(cost) <= EDGE_POINTS else f"the best {EDGE_POINTS} of {len(cost)} states"
    slack = np.maximum(nu - low, 0.0)
    tight = slack <= 1e-9 * (np.abs(nu) + engine.graph.problem.edge_weight[arc // 2])
    return {
        "arc": arc,
        "to": engine.partition.labels[p],
        "from": engine.partition.labels[q],
        "nu": _rounded(nu),
        "envelope": _rounded(low),
        "states": [engine.partition.describe(p, int(y)) for y in states],
        "minimiser": int(np.flatnonzero(states == minimiser)[0]),
        "rows": len(engine.rows(p, q)),
        "shown": shown,
        "mean_slack": float(slack.mean()),
        "tight": float(tight.mean()),
    }


def _rounded(values: np.ndarray) -> list[float | None]:
    """Six digits are plenty on a screen and a third of the bytes; NaN becomes null."""
    return [None if np.isnan(v) else float(f"{v:.6g}") for v in values]
