"""Components that draw themselves in the browser, from the modules in ``pages/_shared/frontend``.

A component ``name`` is a folder there, with ``name.html``, its styles, the module ``name.js`` and its imports.
Streamlit knows only the page and the loader; the modules, as one script, styles, colours, the fields of addresses and
whatever else a component shares are sent to a tab once, with the first data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import starmap
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from bender_core.visualization.styles import PALETTE
from pages._shared.app.fields import for_browser
from pages._shared.running.kept import Kept

FRONTEND = Path(__file__).parents[1] / "frontend"
# Figures of the library have colours of their own.
_COLOURS = {name: PALETTE[name] for name in ("light", "dark", "rows")}
# The look of a term that explains itself, in components and pages.
MARKS = (FRONTEND / "marks.css").read_text(encoding="utf-8")
# Styles of pictures in panes, with a bar, menus and a sentence.
PANES = ("panes.css", "menu.css")
# What modules import, and what they export: written in the same way everywhere.
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";$', re.MULTILINE)
_AS = re.compile(r" as ")
_EXPORT = re.compile(r"^export ((?:async )?(?:const|class|function\*?) (\w+|\[[^\]]*\]))", re.MULTILINE)


# The pages whose code is in their document (`first_picture`), which have the names of their components.
AT_FIRST = ("learn", "game")
# The components whose code a tab has.
_SENT = Kept[set[str]]("components_sent")


class Component:
    """A component that can be mounted.

    Parameters
    ----------
    name : str
        Of its folder.
    styles : tuple of str
        Files of styles that it shares with others.
    **shared
        Values that its modules find in ``benderLab``.

    Attributes
    ----------
    name : str
    page : str
        Its elements.
    functions : str
        Its modules, as `functions` makes them.
    code : dict
        What a tab is sent once.
    """

    def __init__(self, name: str, styles: tuple[str, ...] = (), **shared: object) -> None:
        self.name, main = name, f"{name}/{name}.js"
        self.page, self.functions = _text(f"{name}/{name}.html"), functions(main)
        self.code: dict[str, object] = {
            "script": script(main),
            "style": _style(name, styles),
            "palette": _COLOURS,
        }
        self.code |= {"fields": for_browser(), **shared}
        self._mount = st.components.v2.component(f"bender_{name}", html=self.page, js=_text("loader.js"))

    def mount(self, data: Mapping[str, object], **on_change: Any) -> None:
        """Draw some data; a tab that lacks the code asks for it and receives it, whatever the server remembers."""
        sent = _SENT.made(_in_the_document)
        code = None if self.name in sent else self.code
        sent.add(self.name)
        self._mount(
            key=self.name,
            data={**data, "code": code},
            on_missing_change=lambda: sent.discard(self.name),
            **on_change,
        )


def _in_the_document() -> set[str]:
    """The component whose code the document of a new session has; a tab that lacks it all the same asks for it."""
    page = urlsplit(st.context.url or "").path.rpartition("/")[2]
    return {page} & set(AT_FIRST)


def modules(main: str) -> dict[str, str]:
    """The sources of a module and of all its imports, by path; each comes after those that it imports."""
    found: dict[str, str] = {}
    begun: set[str] = set()

    def visit(path: str) -> None:
        if path not in begun:
            begun.add(path)
            text = _text(path)
            for _, target in _IMPORT.findall(text):
                visit(_at(path, target))
            found[path] = text

    visit(main)
    return found


def script(main: str) -> str:
    """A module and all its imports as one, which a browser loads several times as fast."""
    return f"{functions(main)}export const {{ {_exported(_text(main))} }} = all.at(-1);\n"


def functions(main: str) -> str:
    """A module and all its imports: each becomes a function, and what it exports an entry of ``all``, its own last."""
    every = modules(main)
    places = {path: place for place, path in enumerate(every)}

    def imported(path: str, names: str, target: str) -> str:
        return f"const {{{_AS.sub(':', names)}}} = all[{places[_at(path, target)]}];"

    def function(path: str, text: str) -> str:
        inside = _IMPORT.sub(lambda found: imported(path, *found.groups()), _EXPORT.sub(r"\1", text))
        return f"// {path}\nall.push((() => {{\n{inside}\nreturn {{ {_exported(text)} }};\n}})());\n"

    return "const all = [];\n" + "".join(starmap(function, every.items()))


def _exported(text: str) -> str:
    """The names that a module exports."""
    return ", ".join(name for _, names in _EXPORT.findall(text) for name in re.findall(r"\w+", names))


def _at(path: str, target: str) -> str:
    """The path of what a module imports."""
    return normpath(join(dirname(path), target))


def _style(name: str, styles: tuple[str, ...]) -> str:
    """The styles of a component: what all share, what some do, then its own."""
    own = sorted((FRONTEND / name).glob("*.css"))
    common = [_text("shared.css"), MARKS, *map(_text, styles)]
    return "".join([*common, *(path.read_text(encoding="utf-8") for path in own)])


def _text(path: str) -> str:
    return (FRONTEND / path).read_text(encoding="utf-8")
