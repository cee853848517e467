"""Files of code are compressed once; everything else goes out as it is."""

from __future__ import annotations

import gzip

import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pages._shared.app.compressing import Compressing
from tests.app.asgi import get

CODE = "let answer = 42;\n" * 200


class Files:
    """Serves code, and counts how often; a file named ``gone.js`` is not there."""

    def __init__(self) -> None:
        self.asked = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked += 1
        gone = scope["path"].endswith("gone.js")
        await Response(CODE, 404 if gone else 200, media_type="text/javascript")(scope, receive, send)


def test_code_is_compressed_once() -> None:
    files = Files()
    app = Compressing(files)
    for _ in range(3):
        status, headers, body = get(app, "/static/js/index.123.js", accept_encoding="gzip, br")
        assert (status, headers["content-encoding"]) == (200, "gzip")
        assert int(headers["content-length"]) == len(body) < len(CODE) / 3
        assert gzip.decompress(body).decode() == CODE
        assert "accept-encoding" in headers["vary"].lower()
    assert files.asked == 1


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/static/js/index.123.js", {}),
        ("/static/js/index.123.js", {"accept_encoding": "br"}),
        ("/static/js/index.123.js", {"accept_encoding": "gzip", "range": "bytes=0-9"}),
        ("/static/media/font.woff2", {"accept_encoding": "gzip"}),
        ("/media/model.js", {"accept_encoding": "gzip"}),
    ],
)
def test_everything_else_goes_out_as_it_is(path: str, headers: dict[str, str]) -> None:
    status, told, body = get(Compressing(Files()), path, **headers)
    assert (status, body.decode()) == (200, CODE)
    assert "content-encoding" not in told


def test_a_file_that_is_not_there_is_asked_for_again() -> None:
    files = Files()
    app = Compressing(files)
    for k in range(1, 3):
        assert get(app, "/static/js/gone.js", accept_encoding="gzip")[0] == 404
        assert files.asked == k


@pytest.mark.parametrize("pieces", [0, 1])
def test_what_was_not_answered_whole_is_asked_for_again(pieces: int) -> None:
    """A browser may leave before the answer, or in the middle of it."""

    class Left(Files):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            self.asked += 1
            if self.asked > 1:
                await Response(CODE, media_type="text/javascript")(scope, receive, send)
            elif pieces:
                headers = [(b"content-type", b"text/javascript")]
                await send({"type": "http.response.start", "status": 200, "headers": headers})
                await send({"type": "http.response.body", "body": CODE[:40].encode(), "more_body": True})

    files = Left()
    app = Compressing(files)
    assert get(app, "/static/js/index.js", accept_encoding="gzip")[0] == (200 if pieces else 0)
    assert gzip.decompress(get(app, "/static/js/index.js", accept_encoding="gzip")[2]).decode() == CODE
