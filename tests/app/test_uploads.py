"""Uploaded models stay on the server for a while, for those who uploaded them."""

from __future__ import annotations

from urllib.parse import parse_qsl

import numpy as np
import pytest

import bender_core as bc
from pages._shared.app.permalink import LinkError
from pages._shared.app.session import FIRST, linked
from pages._shared.app.uploads import Uploads, uploads
from tests.labs import take_model


def model(value: float, n: int = 3) -> bc.BinaryMRF:
    return bc.BinaryMRF(unary=np.full((n, 2), value))


def test_the_model_unused_for_longest_goes_first() -> None:
    kept = Uploads(most=2)
    keys = [kept.keep(model(1)), kept.keep(model(2))]
    assert kept.find(keys[0]).unary[0, 0] == 1
    keys.append(kept.keep(model(3)))
    assert [kept.find(key) is not None for key in keys] == [True, False, True]


def test_their_memory_is_bounded_but_the_last_one_stays() -> None:
    kept = Uploads(most_bytes=100 * 16)
    keys = [kept.keep(model(1, n)) for n in (60, 30, 20, 500)]
    assert [kept.find(key) is not None for key in keys] == [False, False, False, True]


def test_a_key_cannot_be_guessed_from_the_model() -> None:
    kept = Uploads()
    assert kept.keep(model(1)) != kept.keep(model(1))


def test_the_address_of_an_uploaded_model_finds_it_and_is_no_link_for_others() -> None:
    mine = linked(FIRST)
    take_model(mine, model(2.5), {"upload": uploads().keep(model(2.5))})
    assert not mine.is_public
    again = linked(FIRST | dict(parse_qsl(mine.address)))
    assert again.mrf.content_hash() == mine.mrf.content_hash()
    assert again.address == mine.address


def test_an_upload_that_is_gone_is_said() -> None:
    with pytest.raises(LinkError, match="no longer on this server; upload its file again"):
        linked(FIRST | {"upload": "0" * 32})
