"""The choices of a partition, its cost and its quality."""

from __future__ import annotations

import streamlit as st

import bender_core as bc
from bender_core.groups import LARGEST_GROUP, Partition
from bender_core.strategies import applicable
from bender_core.units import storage
from bender_core.variants import SCHEDULES
from pages._shared.app.glossary import GLOSSARY, STRATEGIES
from pages._shared.app.session import Lab
from pages._shared.app.text import complaint, table
from pages._shared.partition.table import TELL_SECONDS, fill
from pages._shared.partitioning.making import Costing
from pages._shared.running.following import follow

# Of the measures in the table.
_TERMS = {"groups": "hyper-variable", "hyper-edges": "hyper-edge", "time\u00a0per\u00a0sweep": "sweep"}


def choices(current: Lab, part: Partition) -> None:
    state = st.session_state
    st.slider("M: most variables per group", 1, LARGEST_GROUP, key="partition_size", help=GLOSSARY["M"].meaning)
    st.selectbox(
        "Strategy",
        applicable(current.mrf) + (["manual"] if part.strategy == "manual" else []),
        format_func=STRATEGIES.__getitem__,
        key="partition_strategy",
        help=GLOSSARY["partition"].meaning,
    )
    st.selectbox(
        "Variant",
        list(bc.VARIANTS),
        format_func=lambda v: bc.VARIANTS[v].title,
        key="partition_variant",
        help=bc.VARIANTS[state.partition_variant].sentence,
    )
    st.segmented_control(
        "Schedule", list(SCHEDULES), key="partition_schedule", required=True, help=SCHEDULES[state.partition_schedule]
    )


def cost(current: Lab, part: Partition, costing: Costing) -> bool:
    """The cost and quality of the choice, as known so far; returns False if it is known not to fit."""
    costing.ask(part, st.session_state.partition_variant, st.session_state.partition_schedule)
    # Read once: it may become known while the page is drawn.
    going = costing.busy
    found, limit = costing.cost, current.account.limit
    if going:
        follow(lambda: costing.busy, lambda: st.caption("Measuring the cost…"), TELL_SECONDS)
    if found is None:
        table(["", ""], [["groups", _sizes(part)]], _TERMS)
        return True
    kept, needed = found.kept, found.bytes
    rows = [
        ["groups", _sizes(part)],
        ["hyper-edges", f"{kept.hyper_edges}"],
        ["cycles left", f"{kept.cycles}" + (" (a forest: the bound will be exact)" if kept.cycles == 0 else "")],
        ["kept\u00a0together", f"{_percent(kept.inside)} in groups, {_percent(kept.covered)} with a forest"],
    ]
    if needed is not None:
        rows.append(["memory", f"{storage(needed)} at the start, limit {storage(limit)}"])
    if found.sweep is not None:
        rows.append(["time\u00a0per\u00a0sweep", f"{found.sweep}{', measured just now' * bool(found.sweep.sweeps)}"])
    table(["", ""], rows, _TERMS)
    if needed is None or needed <= limit:
        return True
    advice = f" M = {found.fits} would fit." if found.fits else " No smaller groups would fit: raise BENDER_MEMORY_MB."
    complaint(f"This choice needs {storage(needed)}, more than the limit of {storage(limit)}.{advice}")
    if found.fits:
        st.button(f"Take M = {found.fits}", on_click=fill, args=("partition_size", found.fits))
    return False


def _sizes(part: Partition) -> str:
    return f"{len(part)}, the largest with {part.largest} variables ({1 << part.largest:,} states)"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
