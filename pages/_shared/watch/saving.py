"""The files of a run for download: the trace, its parts, the labelling, figures, and a script."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st

import bender_core as bc
from bender_core import looking
from bender_core.io import dump_labeling, dumps
from bender_core.looking.classes import classes
from bender_core.looking.words import number
from bender_core.stopping import never
from bender_core.trying.script import as_script
from bender_core.visualization.document import document
from bender_core.visualization.figures import MOST_STATES, plot_bounds, plot_model, plot_tension, plot_tightness
from bender_core.visualization.message import MOST, plot_classes, stems
from pages._shared.app.naming import file_of, moment, run_file
from pages._shared.app.scripting import expression
from pages._shared.app.session import Lab, lab
from pages._shared.running.kept import Kept
from pages._shared.running.watched import go_to, tensions
from pages._shared.watch.found_below import found_below
from pages._shared.watch.stage_views import BOUND_DIGITS

# Of the file of parts.
COLUMNS = ["part", "group", "neighbour", "tension", "disagreement", "unclaimed", "gained", "work", "rows"]


@dataclass(frozen=True)
class Saved:
    """The files of a run at one moment."""

    number: int  # of the run
    position: int
    files: Mapping[str, tuple[str, str | bytes]]  # by name: what it is, and what is in it


# The run and the event whose files were requested, and the files made last.
_REQUESTED, _SAVED = Kept[tuple[int, int]]("saving"), Kept[Saved]("saved")


@st.fragment
def saving() -> None:
    """Below the stage: files of the run as it is shown, made on request."""
    current = lab()

    def ask() -> None:
        _REQUESTED.set((current.number, current.run.position))

    with st.expander("Save this run"):
        st.caption(
            "The trace so far; for every group, edge and message its part of the gap, its share in the rise of the "
            "bound, and its work; the best labelling; the figures; and a script that repeats the run."
        )
        st.button("Make the files", on_click=ask)
        if _REQUESTED.get() == (current.number, current.run.position):
            make(current)
        kept = _SAVED.get()
        if kept is None or kept.number != current.number:
            return
        st.caption(f"As of event {kept.position:,}:")
        with st.container(horizontal=True):
            for name, (what, content) in kept.files.items():
                st.download_button(what, content, file_name=name, key=f"save-{what}")


def make(current: Lab) -> None:
    """Make the files, or show the progress."""
    files = found_below(current.run, "the files", None, lambda engine, stop: saved(current, stop))
    if files is not None:
        _SAVED.set(files)
        _REQUESTED.set(None)


def saved(current: Lab, stop: bc.Stop = never) -> Saved:
    """The files of the run at the event that is shown.

    Raises
    ------
    Stopped
        If ``stop`` says so.
    """
    engine, mrf = current.run.engine, current.mrf
    go_to(engine, current.run.position, stop)
    labeling, trace = engine.whole.restored(engine.labeling), engine.trace.until(current.run.position)
    contents: dict[str, tuple[str, str | bytes]] = {
        "trace.csv": ("Trace, CSV", trace.to_csv()),
        "trace.parquet": ("Trace, Parquet", trace.to_parquet()),
        "parts.csv": ("Groups, edges and messages, CSV", parts_csv(engine, stop)),
        "labeling.csv": ("Labelling, CSV", dump_labeling(mrf, labeling, "csv")),
        "labeling.json": ("Labelling, JSON", dump_labeling(mrf, labeling, "json")),
        "labeling.MPE": ("Labelling, UAI", dump_labeling(mrf, labeling, "mpe")),
        "run.py": ("Script, Python", as_script(current.branches.shown.lineage, expression(current), engine.position)),
        "figures.html": ("Figures, HTML", document(f"{mrf.name}, {outcome(current)}", figures(current, stop))),
    }
    files = {run_file(current, what): content for what, content in contents.items()}
    if not current.is_public:
        files[file_of(mrf)] = ("Model, for the script", dumps(mrf))
    return Saved(current.number, current.run.position, files)


def parts_csv(engine: bc.Engine, stop: bc.Stop = never) -> str:
    """The gap, the rise of the bound and the work, part by part: docs/formats.md §8."""
    labels, tension, gained = engine.partition.labels, tensions(engine), looking.attribution(engine)
    work, rows = looking.work(engine), looking.rows_made(engine)
    parts: list[dict[str, object]] = [
        {"part": "group", "group": name, "tension": there, "gained": gain}
        for name, there, gain in zip(labels, tension.groups.tolist(), gained.groups.tolist(), strict=True)
    ]
    for (p, q), there in zip(engine.graph.edges.tolist(), tension.edges.tolist(), strict=True):
        stop.check()
        edge = {"part": "edge", "group": labels[p], "neighbour": labels[q], "tension": there}
        parts.append(edge | _parts_of_tension(engine, p, q))
    of_messages = zip(gained.messages.tolist(), work.messages.tolist(), rows.tolist(), strict=True)
    for arc, (gain, read, made) in enumerate(of_messages):
        receiver, sender = (labels[p] for p in engine.graph.ends(arc))
        message = {"part": "message", "group": receiver, "neighbour": sender}
        parts.append(message | {"gained": gain, "work": read, "rows": made})
    parts.append({"part": "rest", "work": work.rest})
    sums = {
        "tension": float(tension.groups.sum() + tension.edges.sum()),
        "gained": float(gained.groups.sum() + gained.messages.sum()),
        "work": int(work.messages.sum()) + work.rest,
        "rows": int(rows.sum()),
    }
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows([*parts, {"part": "sum"} | sums])
    return out.getvalue()


def _parts_of_tension(engine: bc.Engine, p: int, q: int) -> dict[str, object]:
    """The two parts of the tension of an edge; none where there is no room to compute them."""
    try:
        disagreement, unclaimed = looking.edge_tension(engine, p, q)
    except bc.TooLargeError:
        return {}
    return {"disagreement": max(disagreement, 0.0), "unclaimed": max(unclaimed, 0.0)}


def outcome(current: Lab) -> str:
    """The state of the run in a line; the lower bound is the best one known, as on the stage."""
    engine, branches = current.run.engine, current.branches
    chapters = branches.chapters[: branches.chapters.index(branches.shown) + 1]
    lower = max(engine.lower_bound, *(chapter.lower_before for chapter in chapters))
    return (
        f"M {current.max_size}, variant {current.variant}, {current.schedule}; {moment(engine)}: "
        f"lower bound {number(lower, BOUND_DIGITS)}, upper bound {number(engine.upper_bound, BOUND_DIGITS)}"
    )


def figures(current: Lab, stop: bc.Stop = never) -> dict[str, go.Figure]:
    """The figures of Watch and Edge about the run, by their captions."""
    engine, part = current.run.engine, current.run.engine.partition
    bounds = "The bounds over the events of the run."
    try:
        looseness, message_shown = _looseness(engine, stop), _message(current, stop)
    except bc.TooLargeError as error:
        bounds += f" There was no room to draw messages: {error}."
        looseness = message_shown = {}
    variables = "The variables, their strongest couplings, and the groups around them."
    plain = {bounds: plot_bounds(engine.trace.until(current.run.position)), variables: plot_model(engine.mrf, part)}
    tension = (
        "Tension, where the gap lives: a circle is a group of variables, a line an edge, darker where they hold "
        "more of the gap (energy)."
    )
    return {tension: plot_tension(engine, tensions(engine))} | looseness | plain | message_shown


def _looseness(engine: bc.Engine, stop: bc.Stop) -> dict[str, go.Figure]:
    """The looseness of the messages; none for an exact variant."""
    if engine.variant.exact:
        return {}
    sentence = (
        "Slack, how loose messages are: the darker and wider a line, the lower the envelope of its looser message lies "
        f"below the true min-marginal (on average over its states, {MOST_STATES:,} of them at most; energy)."
    )
    return {sentence: plot_tightness(engine, stop)}


def message_of(current: Lab) -> tuple[int, str]:
    """The most interesting message at this position, and why, as the stage chooses it; there is at least one edge."""
    run, engine = current.run, current.run.engine
    event = looking.last_event(engine)
    if run.pinned:
        return run.arc, "which is pinned"
    if event is not None and event.arc >= 0:
        return event.arc, "which the event shown is about"
    return 2 * int(tensions(engine).edges.argmax()), "whose edge holds most of the gap"


def _message(current: Lab, stop: bc.Stop) -> dict[str, go.Figure]:
    """One message, if there is one."""
    engine, part = current.run.engine, current.run.engine.partition
    if not len(engine.graph.edges):
        return {}
    arc, why = message_of(current)
    p, q = engine.graph.ends(arc)
    shown = classes(engine, p, q, stop)
    names = [engine.mrf.names[part.groups[p][k]] for k in shown.members]
    sentence = (
        f"The message {part.labels[q]} → {part.labels[p]}, {why}: the true min-marginal ν and below it its envelope "
        "ν⁻, by classes of states, cheapest first. A filled dot below: the variable is 1."
    )
    return {sentence: plot_classes(shown, stems(shown, "cost", (1, MOST)), names)}
