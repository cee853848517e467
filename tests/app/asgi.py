"""A request to an app of the server, without a server."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.types import Message


def get(app: Any, address: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """The status, the headers and the body of an answer; 0 and nothing if there is none."""
    path, _, query = address.partition("?")
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": raw}
    said: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        said.append(message)

    # In a thread of its own, as this one may have a loop already.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, app(scope, receive, send)).result()
    if not said:
        return 0, {}, b""
    sent = {name.decode(): value.decode() for name, value in said[0]["headers"]}
    return said[0]["status"], sent, b"".join(message.get("body", b"") for message in said[1:])
