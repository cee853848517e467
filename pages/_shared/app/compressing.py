"""The code that pages load is sent compressed: it is a third as large."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CODE = (".js", ".css")


class Compressing:
    """Middleware of the server that compresses every file of code, once; Streamlit would do so with every request.

    Parameters
    ----------
    app : ASGIApp
        Serves the files. They do not change: their names contain a hash.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.compressed = app, GZipMiddleware(app)
        self._kept: dict[str, list[Message]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if not _wants_code(scope):
            await self.app(scope, receive, send)
            return
        answer = self._kept.get(scope["path"], [])
        if not answer:

            async def keep(message: Message) -> None:
                answer.append(message)

            await self.compressed(scope, receive, keep)
            # A browser that has left meanwhile may have received nothing, or only a part.
            if _is_whole(answer) and _is_code(answer[0]):
                self._kept[scope["path"]] = answer
        for message in answer:
            await send(message)


def _is_whole(answer: list[Message]) -> bool:
    return bool(answer) and answer[-1]["type"] == "http.response.body" and not answer[-1].get("more_body", False)


def _is_code(start: Message) -> bool:
    """Whether an answer with this beginning contains code; for unknown names Streamlit may send the page of the app."""
    kind = Headers(raw=start["headers"]).get("content-type", "")
    return bool(start["status"] == 200) and kind.startswith(("text/javascript", "application/javascript", "text/css"))


def _wants_code(scope: Scope) -> bool:
    """Whether a request is for a whole file of code, and accepts it compressed."""
    if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].endswith(CODE):
        return False
    headers = Headers(scope=scope)
    return "/static/" in scope["path"] and "gzip" in headers.get("accept-encoding", "") and "range" not in headers
