"""Every term that a page marks is in the glossary, and every term of the glossary is marked on the pages it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pages._shared.app.frontend import FRONTEND
from pages._shared.app.glossary import GLOSSARY

PAGES = Path(__file__).parents[2] / "pages"
# The components of pages.
DRAWN = {"learn": "learn", "watch": "stage", "compare": "curves"}
# What stands on a page: names, and symbols.
KNOWN = {name: name for name in GLOSSARY} | {term.symbol: name for name, term in GLOSSARY.items() if term.symbol}
MARK = re.compile(r"""<dfn(?: data-term=(?:\\?['"])([^'"\\]+)\\?['"])?>([^<]+)</dfn>""")
# Lines of code that name terms: of parts of a picture, of cells of tables, and where Streamlit shows them as help.
NAMING = re.compile(r"""data-term|TERMS = |\bterm: "|GLOSSARY\[""")
QUOTED = re.compile(r"""(['"])(.+?)\1""")


def sources(page: str) -> list[Path]:
    """The files that make a page."""
    shared = PAGES / "_shared"
    found = [PAGES / f"{page}.py", *(shared / page).rglob("*.py")]
    drawn = FRONTEND / DRAWN[page] if page in DRAWN else None
    return found + ([path for path in drawn.rglob("*") if path.suffix in (".js", ".html")] if drawn else [])


def marks(path: Path) -> list[str]:
    """What the marks in HTML of a file are about, as it says it."""
    return [term or text for term, text in MARK.findall(path.read_text(encoding="utf-8")) if "{" not in term + text]


def named(path: Path) -> set[str]:
    """The terms that a file explains."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if NAMING.search(line)]
    quoted = {text for line in lines for _, text in QUOTED.findall(line)}
    return {KNOWN[text] for text in {*marks(path), *(quoted & set(GLOSSARY))}}


def pages_of(seen: str) -> set[str]:
    """The pages that show a term, from "Watch: …; Edge: …", "Watch and Compare: …" or "Learn, lesson 3"."""
    return {page.lower() for place in seen.split("; ") for page in re.split(", |: ", place)[0].split(" and ")}


def test_names_and_symbols_are_of_one_term_each() -> None:
    symbols = [term.symbol for term in GLOSSARY.values() if term.symbol]
    assert len(set(symbols)) == len(symbols)
    assert all(GLOSSARY[symbol].symbol == symbol for symbol in symbols if symbol in GLOSSARY)


def test_every_mark_is_of_a_term() -> None:
    files = [path for path in PAGES.rglob("*") if path.suffix in (".py", ".js", ".html")]
    found = {(path.name, mark) for path in files if "node_modules" not in path.parts for mark in marks(path)}
    assert len(found) > 50
    assert {(name, mark) for name, mark in found if mark not in KNOWN} == set()


@pytest.mark.parametrize("page", ["watch", "edge", "compare", "partition", "instance", "learn"])
def test_a_page_explains_the_terms_that_it_is_said_to_show(page: str) -> None:
    explained = set().union(*map(named, sources(page)))
    shown = {name for name, term in GLOSSARY.items() if page in pages_of(term.seen)}
    assert shown - explained == set()
    assert shown
