"""The documents of Learn and the game have their first picture; all others stay as they are."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pages._shared.app import routing
from pages._shared.app.first_picture import FirstPicture, View
from pages._shared.game import page as game
from pages._shared.learn import LESSONS
from pages._shared.learn import page as learn
from tests.app import asgi
from tests.protocol import check

FONT = '<link href="./static/media/SourceSansVF-Upright.ttf.X.woff2">'
DOCUMENT = f'<html><head>{FONT}</head><body><div id="root"></div></body></html>'
VIEWS = {
    "learn": View("Learn", learn.COMPONENT, learn.at_first),
    "game": View("Game", game.COMPONENT, game.at_first),
}


class Documents:
    """Serves the document of the app, as Streamlit does: compressed, and not at all to a browser that has it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        told = dict(scope["headers"])
        body, headers = DOCUMENT.encode(), {"etag": "x", "last-modified": "y"}
        if b"gzip" in told.get(b"accept-encoding", b""):
            body, headers = gzip.compress(body), headers | {"content-encoding": "gzip"}
        if b"if-none-match" in told or b"range" in told:
            await Response(status_code=304)(scope, receive, send)
        elif scope["path"].endswith("gone/learn"):
            await Response("gone", 404, media_type="text/html")(scope, receive, send)
        elif scope["path"].endswith("data/learn"):
            await Response(DOCUMENT, media_type="text/plain")(scope, receive, send)
        else:
            await Response(body, headers=headers, media_type="text/html")(scope, receive, send)


def get(address: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
    """The status, the headers and the text of an answer."""
    status, sent, body = asgi.get(FirstPicture(Documents(), VIEWS), address, method, **headers)
    assert int(sent.get("content-length", len(body))) == len(body)
    return status, sent, (gzip.decompress(body) if "content-encoding" in sent else body).decode()


@pytest.mark.parametrize(
    "address",
    [
        "/learn",
        "/learn?lesson=row",
        "/learn?lesson=zz&lesson=row",
        "/learn?embed=false",
        "/game",
        "/game?level=3&moves=A_",
    ],
)
def test_the_document_of_a_page_has_its_first_picture(address: str) -> None:
    status, headers, text = get(address)
    name = "game" if "game" in address else "learn"
    assert status == 200
    before, after = DOCUMENT.split('<div id="root">')
    assert text.startswith(before)
    assert text.endswith(after)
    assert text.count("<script>") == text.count("</script>") == 1
    assert f'benderLab["{name}"]' in text
    # What is added may be another one the next time.
    assert "etag" not in headers
    assert "last-modified" not in headers
    assert 'src: url("./static/media/SourceSansVF-Upright.ttf.X.woff2")' in text


def test_it_begins_with_what_the_address_names() -> None:
    assert '"lesson":"row"' in get("/learn?lesson=row")[2]
    assert '"lesson":"friends"' in get("/learn?lesson=row&lesson=")[2]
    assert '"lesson":"row","done":["loop"]' in get("/learn?lesson=row&done=loop,gone")[2]
    assert f'"lesson":"{next(iter(LESSONS))}"' in get("/learn")[2]
    assert '"level":3,"puzzle":2,"moves":"A_"' in get("/game?level=3&puzzle=2&moves=A_")[2]


@pytest.mark.parametrize(
    "address",
    [
        *("/", "/edge", "/learning", "/learn/learn.js", "/static/learn", "/below/learn"),
        *("/learn?embed=true", "/learn?lesson=none", "/learn?lesson=%3C/script%3E"),
        *("/game?level=9", "/game?level=x", "/game?puzzle=99", "/game?moves=Z"),
    ],
)
def test_other_documents_stay_as_they_are(address: str) -> None:
    assert get(address)[2] == DOCUMENT


@pytest.mark.parametrize("address", ["/gone/learn", "/data/learn"])
def test_what_is_no_document_stays_as_it_is(address: str) -> None:
    assert get(address)[2] in ("gone", DOCUMENT)


def test_below_a_path_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routing.st, "get_option", lambda _: "/lab/")
    assert get("/learn")[2] == get("/lab/lab/learn")[2] == DOCUMENT
    assert "<script>" in get("/lab/learn")[2]


def test_other_requests_stay_as_they_are() -> None:
    assert get("/learn", method="POST")[2] == DOCUMENT


def test_it_is_compressed_for_those_who_take_that_and_is_always_sent_whole() -> None:
    _, headers, text = get("/learn", accept_encoding="gzip, br", if_none_match="x", range="bytes=0-9")
    assert headers["content-encoding"] == "gzip"
    assert text == get("/learn")[2]
    assert int(headers["content-length"]) < len(text) / 3


@pytest.mark.parametrize(("view", "fields"), [("learn", {}), ("game", {"level": "2", "moves": "B-A2m_A"})])
def test_the_data_are_those_that_the_page_receives(view: str, fields: dict[str, str]) -> None:
    data: Any = VIEWS[view].data(fields)
    check(learn.Page if view == "learn" else game.Play, data)
