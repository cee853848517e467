"""Cycles: the bound by frustrated cycles, cycle by cycle."""

from contextlib import suppress

import streamlit as st

from pages._shared.app.address import state
from pages._shared.app.field_types import LinkError
from pages._shared.app.fields import BY, CYCLE, GROUPED
from pages._shared.app.pictures import load_pictures
from pages._shared.app.requests import CYCLES_BY
from pages._shared.app.session import lab, next_run, show_next
from pages._shared.app.text import complaint
from pages._shared.cycles.picture import GATHERED, halves_of, key_of, mount, position_of, show, shown_by
from pages._shared.partitioning.applying import show_making
from pages._shared.running.kept import Kept

# Whether the position of the address has been taken over.
_ARRIVED = Kept[bool]("cycles_arrived")

# A model whose cycles another page has requested.
if (following := next_run(lab())) is not None and following.choice.mrf is not lab().mrf:
    if following.alive:
        show_making(following)
    elif not show_next(lab()) and following.refusal:
        complaint(following.refusal)
if lab().notice:
    with st.container(key="notice"):
        complaint(lab().notice)
is_first = _ARRIVED.get() is None
if is_first:
    with suppress(LinkError):  # the notice says so
        CYCLES_BY.made(lambda: BY.of(st.query_params, "program"))  # unless another page has requested it
    with suppress(LinkError):
        GATHERED.set(GROUPED.of(st.query_params, False))
halves = halves_of(lab())
if is_first:
    with suppress(LinkError):
        show(key_of(halves), CYCLE.of(st.query_params, 0))
_ARRIVED.set(True)
mount(lab(), halves)
by = shown_by(halves)
state(
    (BY.say(by) if by != BY.usual else {})
    | CYCLE.say(position_of(halves))
    | (GROUPED.say(True) if GATHERED.get() else {})
)
load_pictures()
