"""Below the stage: a talk, moment by moment."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from pages._shared.app.address import TALK_IN_TAB
from pages._shared.app.arrival import arrival
from pages._shared.app.field_types import LONGEST
from pages._shared.app.fields import AT, BESIDE, CHAPTER, END, FORKS, MAKE, SAMPLE, TALK, VARIANT, M
from pages._shared.app.session import Lab, open_address
from pages._shared.app.text import complaint, markdown
from pages._shared.running.kept import Kept
from pages._shared.watch.talk import LONGEST_NOTE, LONGEST_TITLE, Moment, Talk, TalkError, read, ready, recalled, unpack

# From the press on "Save the talk" until the note that was being written is known.
NOTE_SECONDS = 0.5

_TALK, _SELECTED, _FAULT = Kept[Talk]("talk"), Kept[int]("talk-selected"), Kept[str]("talk-fault")


def present_talk() -> Talk | None:
    """The talk of the session; at first the one that its address names, or else the one that the tab has kept."""
    text, in_tab = arrival().fields.pop(TALK.name, ""), TALK_IN_TAB.get()
    if text:
        _take(lambda: unpack(text))
    elif in_tab and _TALK.get() is None:
        _take(lambda: recalled(in_tab))
        kept = _TALK.get()
        if kept is None:
            TALK_IN_TAB.set("")
        else:
            _SELECTED.set(max(kept.at, 0))
    return _TALK.get()


def close() -> None:
    """Give up the talk, in the tab as well."""
    _TALK.forget()
    TALK_IN_TAB.set("")


def keep_moment(current: Lab, address: str) -> None:
    """Add the moment shown, by its address, at the end of the talk; a run that has none is a notice."""
    if not 0 < len(address) <= LONGEST:
        current.notice = (
            "This moment is not in the talk: its run has too many groups made by hand, or forks, for a link."
        )
        return
    talk = _TALK.made(Talk)
    talk.moments.append(Moment(address))
    _SELECTED.set(len(talk.moments) - 1)


def go(number: int) -> None:
    """Show a moment of the talk."""
    talk = _TALK.get()
    moment = None if talk is None else talk.go(number)
    if talk is not None and moment is not None:
        _SELECTED.set(talk.at)
        open_address(moment.fields, is_moment=True)


def talking() -> None:
    """The talk, to be put together and given."""
    talk = present_talk()
    with st.expander("A talk", expanded=talk is not None):
        st.caption(
            "Moments of runs, in an order, with notes. *Share*, *add to a talk* above the stage adds the moment shown. "
            "In lecture mode (`P`) a presenter's keys, page ↓ and page ↑, go through them; `N` opens the notes in a "
            "window of their own, for another screen."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for name, text in ready().items():
                st.button(f"Open “{read(text).title}”", on_click=_take, args=(partial(unpack, name),))
            if talk is not None and talk.moments:
                st.download_button("Save the talk", partial(_written, talk), file_name="talk.json", on_click="ignore")
                st.button("Close the talk", on_click=close)
        file = st.file_uploader("A talk's file", "json", key="talk-file")
        if file is not None and st.button("Open the file"):
            _take(lambda: read(file.getvalue().decode(errors="replace")))
            st.rerun()
        fault = _FAULT.take()
        if fault:
            complaint(f"This talk cannot be opened. {fault}.")
        if talk is not None and talk.moments:
            edit(talk)
    if talk is not None:
        TALK_IN_TAB.set(talk.in_tab)


def edit(talk: Talk) -> None:
    """The moments of a talk, and what one can do with the selected one."""
    talk.title = st.text_input("Title", talk.title, max_chars=LONGEST_TITLE) or talk.title
    numbers, count = range(len(talk.moments)), len(talk.moments)
    selected = min(_SELECTED.get() or 0, count - 1)
    selected = st.radio("Moments", numbers, selected, format_func=lambda k: describe(k, talk.moments[k]))
    _SELECTED.set(selected)
    moment = talk.moments[selected]
    key = f"talk-note-{id(moment)}"
    st.text_area("Note", moment.note, max_chars=LONGEST_NOTE, key=key, on_change=_note, args=(moment, key))
    with st.container(horizontal=True):
        st.button("Go there", on_click=go, args=(selected,), type="primary")
        st.button("Earlier", on_click=_move, args=(talk, selected, -1), disabled=selected == 0)
        st.button("Later", on_click=_move, args=(talk, selected, 1), disabled=selected == count - 1)
        st.button("Remove", on_click=_remove, args=(talk, selected))
    packed = talk.packed
    if packed:
        st.caption("A link that opens the app with this talk:")
        st.code(f"{(st.context.url or '').split('?')[0]}?{urlencode(TALK.say(packed))}", language=None, wrap_lines=True)
    else:
        st.caption("This talk is too long for a link, or about an uploaded model: save it as a file.")


def describe(number: int, moment: Moment) -> str:
    """A moment in a line."""
    fields = moment.fields
    model = fields.get(SAMPLE.name) or fields.get(MAKE.name) or "an uploaded model"
    run = (
        f"{model}, M {fields.get(M.name, '?')}, variant {fields.get(VARIANT.name, '?')}, event {fields.get(AT.name, 0)}"
    )
    is_first = fields.get(CHAPTER.name) == "0"  # the run before all forks
    if END.name in fields and not is_first:
        run += " of a proof"
    elif FORKS.name in fields and not is_first:
        run += " of a fork"
    run += ", two runs" * (BESIDE.name in fields)
    note = " ".join(moment.note.split())
    return markdown(f"{number + 1}. {run}" + f" – {note[:70]}{'…' * (len(note) > 70)}" * bool(note))


def _written(talk: Talk) -> str:
    """The file of a talk. The press that asks for it also ends the writing of a note, which comes a moment later."""
    time.sleep(NOTE_SECONDS)
    return talk.text


def _take(opened: Callable[[], Talk]) -> None:
    try:
        _TALK.set(opened())
        _SELECTED.set(0)
    except TalkError as error:
        _FAULT.set(str(error))


def _move(talk: Talk, number: int, by: int) -> None:
    _SELECTED.set(talk.move(number, by))


def _note(moment: Moment, key: str) -> None:
    moment.note = st.session_state[key]


def _remove(talk: Talk, number: int) -> None:
    del talk.moments[number]
