"""Learn: a guided tour in short lessons, each with something to step or drag, a question, and a way into the app."""

from __future__ import annotations

from html import escape

import streamlit as st

import bender_core as bc
from pages._shared.app.address import Tour, complete, from_address, recalled, state
from pages._shared.app.compiling import tell_progress
from pages._shared.app.field_types import LONGEST_WORD
from pages._shared.app.fields import DONE, LESSON
from pages._shared.app.session import has_lab, lab
from pages._shared.app.text import complaint, label, markdown
from pages._shared.learn import LESSONS
from pages._shared.learn.lesson import Answer, Lesson, Question
from pages._shared.running.kept import Kept

# Text and question next to the figure where there is room; otherwise one below the other, in this order.
_GRID = ".st-key-lesson > [data-testid='stLayoutWrapper'] > [data-testid='stHorizontalBlock']"
_PLACES = "\n".join(
    f"{_GRID} > [data-testid='stColumn']:nth-child({k}) {{ grid-area: {name}; }}"
    for k, name in enumerate(("words", "live", "ask", "way"), start=1)
)
_CSS = f"""<style>
  {_GRID} {{ display: grid; gap: 1.2rem 2rem; grid-template-rows: auto;
    grid-template-columns: minmax(0, 1fr); grid-template-areas: "words" "live" "ask" "way"; }}
  {_GRID} > [data-testid="stColumn"] {{ width: auto; min-width: 0; }}
  {_PLACES}
  @media (min-width: 760px) {{
    {_GRID} {{ grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); grid-template-rows: auto 1fr auto;
      grid-template-areas: "words live" "ask live" "way way"; }} }}
  @media (min-width: 1120px) {{
    {_GRID} {{ grid-template-columns: minmax(0, 5fr) minmax(0, 6fr) minmax(0, 3fr); grid-template-rows: auto 1fr;
      grid-template-areas: "words live way" "ask live way"; }} }}
  .verdict {{ border-left: 4px solid #808890; padding: 0.4rem 0.9rem; min-height: 5.2rem; border-radius: 0.3rem; }}
  .verdict.right {{ border-color: #009E73; background: rgba(0, 158, 115, 0.12); }}
  .verdict.wrong {{ border-color: #D55E00; background: rgba(213, 94, 0, 0.12); }}
  .verdict p {{ margin: 0; }}
  /* Streamlit takes all of these for links to the page that is open, and cuts their text. */
  .st-key-lesson a {{ background: none; line-height: 1.35; }}
  .st-key-lesson a:hover {{ background: rgba(128, 128, 128, 0.18); }}
  .st-key-lesson a p {{ white-space: normal; overflow: visible; font-weight: 400; }}
  .st-key-lesson-list [data-testid="stElementContainer"] {{ margin: 0; }}
  .st-key-lesson-list a {{ padding: 0.25rem 0.5rem; }}
  .st-key-lesson-steps a {{ padding: 0.3rem 0.8rem; border: 1px solid rgba(128, 128, 128, 0.5); }}
</style>"""


def chosen(before: Tour) -> Lesson:
    """The lesson named in the address, else the one last open, else the first."""
    slug = before.lesson or from_address(LESSON, st.session_state.get("lesson", next(iter(LESSONS))))
    if slug not in LESSONS:
        complaint(f"There is no lesson {label(slug, LONGEST_WORD)!r}; here is the first.")
        slug = next(iter(LESSONS))
    st.session_state.lesson = slug
    return LESSONS[slug]


# The lessons whose questions were answered correctly.
_DONE = Kept[set[str]]("lessons_done")


def answered(before: Tour) -> set[str]:
    """The lessons whose questions were answered correctly, according to the address, the session and the browser."""
    done_before = (*from_address(DONE, ()), *before.done)
    done = _DONE.made(set)
    done.update(slug for slug in done_before if slug in LESSONS)
    return done


def address(lesson: Lesson, done: set[str]) -> dict[str, str]:
    """The address's fields of a lesson and of the progress made."""
    progress = tuple(slug for slug in LESSONS if slug in done)
    return LESSON.say(lesson.slug) | (DONE.say(progress) if progress else {})


def ask(lesson: Lesson) -> bool:
    """Ask the question and respond to the answer; returns whether it was right."""
    question = lesson.question()
    answer = field(question, f"learn-{lesson.slug}-answer")
    if answer is None:
        say("", "", "Answer as often as you like.")
        return False
    verdict = question.judge(answer)
    if verdict.right:
        say("right", "✓ Right.", verdict.why)
    else:
        say("wrong", "✗ Incorrect.", f"{verdict.why} Try again.")
    return verdict.right


def field(question: Question, key: str) -> Answer | None:
    title = f"**{markdown(question.text)}**"
    if question.options:
        return st.radio(
            title, question.options, index=None, key=key, horizontal=True, width="stretch", persist_state="session"
        )
    return st.number_input(
        title, value=None, step=1.0, format="%g", placeholder="a number, then Enter", key=key, persist_state="session"
    )


def say(kind: str, first: str, rest: str) -> None:
    """A verdict in a box that is there from the start, so that nothing moves."""
    st.html(f"<div class='verdict {kind}' role='status'><p><strong>{escape(first)}</strong> {escape(rest)}</p></div>")


def go_on(lesson: Lesson, done: set[str]) -> None:
    """Navigation from a lesson: back, forward, into the app, or to any other."""
    slugs = list(LESSONS)
    place = slugs.index(lesson.slug)
    with st.container(horizontal=True, key="lesson-steps"):
        # Next comes first, so that it stays where it is.
        for name, to in (("Next →", place + 1), ("← Back", place - 1)):
            if 0 <= to < len(slugs):
                st.page_link("pages/learn.py", label=name, query_params=complete(address(LESSONS[slugs[to]], done)))
    into_app(lesson)
    st.markdown(f"**Lesson {place + 1} of {len(slugs)}, {len(done)} answered**")
    with st.container(key="lesson-list", gap=None):
        for k, other in enumerate(LESSONS.values(), start=1):
            name = f"{k}. {other.title}" + (" ✓" if other.slug in done else "")
            shown = f"▸ **{name}**" if other is lesson else name
            st.page_link("pages/learn.py", label=shown, query_params=complete(address(other, done)))


def into_app(lesson: Lesson) -> None:
    """A button that loads the lesson's model and opens the page that shows it."""
    opens = lesson.opens
    pressed = st.button(
        f"Open this on {opens.page.capitalize()}", key="lesson-open", width="stretch", disabled=not has_lab()
    )
    st.caption(f"You will see {opens.sees}. This replaces the model you are working on.")
    if pressed:
        try:
            opens.put(lab())
        except (bc.TooLargeError, bc.PartitionError) as error:
            complaint(error)
        else:
            st.switch_page(f"pages/{opens.page}.py")


def show() -> None:
    st.html(_CSS)
    before = recalled()
    lesson, done = chosen(before), answered(before)
    with st.container(key="lesson"):
        words, live, question, way = st.columns(4)
    with words:
        st.subheader(lesson.title, anchor=False)
        st.markdown(lesson.text, unsafe_allow_html=True)
    if has_lab() or not lesson.computes:
        with live:
            lesson.show()
        with question:
            if ask(lesson):
                done.add(lesson.slug)
    else:
        live.caption("The figure and the question follow once the solver is compiled.")
    with way:
        go_on(lesson, done)
    state(address(lesson, done), place=lesson.slug, tour=Tour(lesson.slug, tuple(sorted(done))))


show()
if not has_lab():
    tell_progress("What the lessons compute, and the way into the app, follow")
