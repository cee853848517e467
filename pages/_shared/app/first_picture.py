"""The first picture of a page: drawn by the page's own component as soon as its document is there.

Streamlit's code takes a second to load, connect and run the page. A page that draws itself in the browser does not
depend on that: its code is in the document, which shows it in the place where the page will mount it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qsl

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages._shared.app.frame import TYPE_SIZE
from pages._shared.app.frontend import FRONTEND, Component, functions
from pages._shared.app.routing import own_path

# What the app must not know: that the browser has the document, as what is added may have changed; and that it takes
# it compressed, or wants a part of it.
_UNTOLD = (b"if-none-match", b"if-modified-since", b"accept-encoding", b"range")
_FONT = re.compile(r'href="(\./static/media/SourceSans[^"]*Upright[^"]*\.woff2)"')
_ROOT = '<div id="root"></div>'
_STYLE = (FRONTEND / "first_picture.css").read_text(encoding="utf-8")
# The loader, as a function, and the module that uses it.
_SCRIPTS = (
    (FRONTEND / "loader.js")
    .read_text(encoding="utf-8")
    .replace("export default async function", "async function load"),
    functions("first_picture.js"),
)


class View(NamedTuple):
    """What a page shows before it is run.

    Attributes
    ----------
    title : str
        Its heading.
    component : Component
    data : callable
        What its component receives, from the fields of the address; None if that is not known beforehand.
    """

    title: str
    component: Component
    data: Callable[[Mapping[str, str]], Mapping[str, object] | None]


class FirstPicture:
    """Middleware of the server that adds the first picture to the documents of pages.

    Parameters
    ----------
    app : ASGIApp
    views : mapping of str to View
        By the names of pages in addresses.
    """

    def __init__(self, app: ASGIApp, views: Mapping[str, View]) -> None:
        self.app, self.views = app, views

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        added = self._added(scope)
        if added is None:
            await self.app(scope, receive, send)
            return
        whole = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] not in _UNTOLD]}
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        await self.app(whole, receive, keep)
        for message in _with(messages, added, "gzip" in Headers(scope=scope).get("accept-encoding", "")):
            await send(message)

    def _added(self, scope: Scope) -> str | None:
        """What is added to the document that is asked for; None if it stays as it is."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return None
        view = next((view for name, view in self.views.items() if scope["path"] == own_path(name)), None)
        fields = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        data = None if view is None or fields.get("embed") == "true" else view.data(fields)
        return None if view is None or data is None else picture(view, data)


def picture(view: View, data: Mapping[str, object]) -> str:
    """The elements that draw a view of a page."""
    given = {"name": view.component.name, "title": view.title, "page": view.component.page, "themes": _themes()}
    script = f"""(() => {{
        {_code(view.component)}
        draw(load, {_json({**given, "data": {**data, "code": None}})});
    }})();"""
    assert "</script" not in script
    return f"<style>{TYPE_SIZE}{_STYLE}</style><script>{script}</script>"


@cache
def _code(component: Component) -> str:
    """What is the same in every document: the component as the loader finds it, the loader, and what draws with it."""
    load, draw = _SCRIPTS
    shared = {key: value for key, value in component.code.items() if key not in ("script", "style")}
    return f"""globalThis.benderLab = {_json(shared)};
        const main = (() => {{ {component.functions} return all.at(-1); }})();
        const {{ draw }} = (() => {{ {draw} return all.at(-1); }})();
        benderLab[{_json(component.name)}] = {{ style: {_json(component.code["style"])}, main }};
        {load}"""


def _themes() -> dict[str, dict[str, str]]:
    """The colours of the light and of the dark theme, as Streamlit passes them to components."""
    names = {"text-color": "textColor", "background-color": "backgroundColor", "primary-color": "primaryColor"}
    names |= {"secondary-background-color": "secondaryBackgroundColor"}
    return {
        theme: {f"--st-{name}": str(st.get_option(f"theme.{theme}.{option}")) for name, option in names.items()}
        for theme in ("light", "dark")
    }


def _json(value: object) -> str:
    """A value in a script, which it must not end."""
    return json.dumps(value, separators=(",", ":")).replace("</", "<\\/")


def _with(messages: list[Message], added: str, compresses: bool) -> list[Message]:
    """An answer with something added to its document; as it is, if it is none."""
    if not messages or messages[0]["type"] != "http.response.start" or messages[0]["status"] != 200:
        return messages
    body = b"".join(message.get("body", b"") for message in messages[1:])
    headers = MutableHeaders(raw=list(messages[0]["headers"]))
    if not headers.get("content-type", "").startswith("text/html") or "content-encoding" in headers:
        return messages
    document = body.decode()
    body = document.replace(_ROOT, f"{_face(document)}{added}{_ROOT}").encode()
    for name in ("etag", "last-modified", "accept-ranges"):
        del headers[name]
    if compresses:
        body = gzip.compress(body, compresslevel=6)
        headers["content-encoding"] = "gzip"
        headers["vary"] = "Accept-Encoding"
    headers["content-length"] = str(len(body))
    return [{**messages[0], "headers": headers.raw}, {"type": "http.response.body", "body": body}]


def _face(document: str) -> str:
    """The type of the app, which its document loads beforehand."""
    found = _FONT.search(document)
    face = '@font-face { font-family: "Source Sans"; font-weight: 200 900; src: url("%s"); }'
    return f"<style>{face % found[1]}</style>" if found else ""
