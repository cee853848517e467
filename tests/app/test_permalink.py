"""Links: what they say is what opens, and what cannot be opened is said."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core import synth
from pages._shared.permalink import LONGEST, LinkError, made_by
from pages._shared.session import FIRST, Lab, Run, linked, sample
from tests.app.test_pages import ROOT, app, complaints, lab


def opened(link: str, **more: object) -> Lab:
    return linked(dict(parse_qsl(link)) | {name: str(value) for name, value in more.items()})


def same(one: Lab, other: Lab) -> None:
    assert one.mrf.content_hash() == other.mrf.content_hash()
    assert [group.tolist() for group in one.partition.groups] == [group.tolist() for group in other.partition.groups]
    assert (one.max_size, one.variant, one.schedule) == (other.max_size, other.variant, other.schedule)
    assert (one.run.position, one.run.arc) == (other.run.position, other.run.arc)
    assert one.run.engine.lower_bound == other.run.engine.lower_bound
    assert one.link == other.link != ""


@pytest.mark.parametrize("variant", [1, 9, 12])
@pytest.mark.parametrize("position", [0, 1, 37, 200])
def test_a_link_to_a_sample_opens_the_same_picture(variant: int, position: int) -> None:
    mine = linked(FIRST | {"sample": "pose"})
    mine.cut(bc.partition(mine.mrf, 6, "greedy"), 6, variant, "srmp")
    mine.run.engine.run(max_events=position)
    mine.run.show(position)
    mine.run.engine.seek(mine.run.position)
    mine.run.arc = 5
    same(opened(mine.link, at=mine.run.position, arc=5), mine)


@pytest.mark.parametrize("family", synth.FAMILIES)
def test_a_link_to_a_generated_model_makes_it_again(family: str) -> None:
    values = {p.name: p.default for p in synth.FAMILIES[family].parameters}
    if "seed" in values:
        values["seed"] = 5
    if family == "ising_grid":
        values |= {"torus": True, "coupling": "gaussian"}
    mine = linked(FIRST)
    mine.load(synth.generate(family, **values), made_by(family, values))
    same(opened(mine.link), mine)


def test_a_link_holds_groups_made_by_hand() -> None:
    mine = linked(FIRST | {"sample": "karate"})
    owner = np.random.default_rng(2).permutation(np.arange(mine.mrf.n) % 7)
    part = bc.manual(mine.mrf, [np.flatnonzero(owner == p) for p in range(7)])
    mine.cut(part, 8, 9, "mplp")
    same(opened(mine.link), mine)


def test_what_cannot_be_linked_to_has_no_link() -> None:
    mine = linked(FIRST)
    mine.load(bc.BinaryMRF(unary=[[0.0, 1.0]]), {})
    assert mine.link == ""
    large = synth.ising_grid(rows=70, columns=70)
    part = bc.manual(large, [range(k, k + 2) for k in range(0, 4900, 2)])
    assert Lab(large, 2, part, 9, "mplp", Run(bc.Engine(large, part)), made_by("ising_grid", {"rows": 70})).link == ""
    assert len(urlencode({"groups": "-".join(map(str, part.group_of()))})) > LONGEST


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"sample": "no such"}, "no sample 'no such'"),
        ({"make": "no such"}, "no family 'no such'"),
        ({"make": "ising_grid", "rows": "many"}, "Rows is 'many', which is no whole number"),
        ({"make": "ising_grid", "rows": "1000000000"}, "a whole number from"),
        ({"make": "ising_grid", "coupling": "<b>"}, "it must be one of"),
        ({"M": "x"}, "M is 'x'"),
        ({"M": "-3"}, "M"),
        ({"strategy": "x"}, "strategy"),
        ({"strategy": "manual", "groups": "0-1"}, "puts 2 variables into groups"),
        ({"strategy": "manual", "groups": "0-1-x"}, "'x', which is no whole number"),
        ({"variant": "99"}, "variant 99"),
        ({"schedule": "x"}, "schedule 'x'"),
        ({"at": "soon"}, "the event is 'soon'"),
        ({"arc": "999"}, "message 999"),
        ({"arc": "-1"}, "message -1"),
        ({"sample": "pose", "M": "30", "strategy": "greedy"}, "would fit"),
    ],
)
def test_a_link_that_says_what_cannot_be(said: dict[str, str], why: str) -> None:
    with pytest.raises(LinkError, match=why):
        linked(FIRST | said)


def test_the_address_is_what_a_session_opens_on() -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update(
        {"sample": "karate", "M": "6", "strategy": "greedy", "variant": "4", "at": "25", "arc": "2"}
    )
    test.run()
    mine = lab(test)
    assert (mine.mrf.content_hash(), mine.max_size, mine.variant) == (sample("karate").content_hash(), 6, 4)
    assert (mine.run.position, mine.run.arc) == (25, 2)
    assert complaints(test) == []


def test_an_address_that_cannot_be_opened_is_said_until_something_else_is() -> None:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params["sample"] = "<b>none</b>"
    test.run()
    assert complaints(test) == [
        "This link cannot be opened: there is no sample '<b>none</b>'. Here is a sample instead."
    ]
    assert lab(test).mrf.n == lab(app()).mrf.n
    lab(test).load(sample("tiny"), {"sample": "tiny"})
    assert complaints(test.run()) == []
