"""The lesson plans: every link opens without a complaint, and shows the bounds that stand beside it."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.app.session import FIRST, linked
from pages._shared.learn import LESSONS
from tests.app.pages.test_pages import ROOT, complaints, lab, ran
from tests.labs import is_shown

pytestmark = pytest.mark.usefixtures("patient", "answered")

TEACHING = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")
# In backquotes: the name of a page (none: Watch), and its fields.
_LINK = re.compile(r"`(\w*)\?(\w+=[^`]+)`")


class Link(NamedTuple):
    """A link as it is written, without the app's own address."""

    page: str
    query: str

    @property
    def fields(self) -> dict[str, str]:
        return dict(parse_qsl(self.query, strict_parsing=True))


LINKS = sorted({Link(*found) for found in _LINK.findall(TEACHING)})
# By line: its link to a moment of Watch, and the bounds that it says are seen there.
SEEN = [
    (Link(*_LINK.findall(line)[0]), re.findall(r"\b(LB|UB) (−?\d+\.\d+)", line))
    for line in TEACHING.splitlines()
    if re.search(r"`\?[^`]*at=.*\b(LB|UB) −?\d+\.", line)
]


def test_the_lesson_plans_have_links_of_every_kind() -> None:
    assert {"", "learn", "cycles", "game"} == {link.page for link in LINKS}
    assert {link.fields["level"] for link in LINKS if link.page == "game"} == set("12345")
    assert {link.fields["lesson"] for link in LINKS if link.page == "learn"} <= set(LESSONS)
    assert sum(len(bounds) for _, bounds in SEEN) >= 10


@pytest.mark.parametrize("link", LINKS, ids=lambda link: f"{link.page}?{link.query}")
def test_a_link_of_a_lesson_plan_opens_without_a_complaint(link: Link) -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update(link.fields)
    ran(test.switch_page(f"pages/{link.page or 'watch'}.py").run())
    assert complaints(test) == []
    if not link.page:
        assert str(lab(test).run.position) == link.fields.get("at", "0")
        assert (lab(test).branches.beside is not None) == ("beside" in link.fields)


@pytest.mark.parametrize(("link", "bounds"), SEEN, ids=lambda part: getattr(part, "query", ""))
def test_a_moment_has_the_bounds_that_the_plan_says(link: Link, bounds: list[tuple[str, str]]) -> None:
    run = linked(FIRST | link.fields).run
    if run.work.thread is not None:
        run.work.thread.join()
        run.settle()
    assert run.position == int(link.fields["at"])
    run.engine.seek(run.position)
    for side, text in bounds:
        assert is_shown(run.engine.lower_bound if side == "LB" else run.engine.upper_bound, text)
