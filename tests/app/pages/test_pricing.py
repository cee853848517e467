"""How sure the answer is, on Watch: the library's prices, as they are found."""

from __future__ import annotations

import csv
import io
import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import bender_core as bc
from bender_core.looking.words import number
from bender_core.trying.proof import Descent
from pages._shared.app.requests import WHOLE_PAGE
from pages._shared.app.session import FIRST
from pages._shared.running import background
from pages._shared.watch import pricing, protocol, stage
from pages._shared.watch.pricing import Pricing, table, words
from tests import labs
from tests.app.pages.test_pages import app, complaints, lab, press, ran
from tests.naive import energies, labelings
from tests.protocol import check

pytestmark = pytest.mark.usefixtures("patient")


def priced(mrf: bc.BinaryMRF, variables: tuple[int, ...]) -> Pricing:
    """All prices, once they are found."""
    found = Pricing(mrf, variables, None, bc.Account())
    found.start()
    assert found.thread is not None
    found.thread.join()
    return found


def test_the_prices_are_those_by_brute_force() -> None:
    mrf = bc.sample("tiny")
    found = priced(mrf, tuple(range(mrf.n)))
    assert found.failure == ""
    costs = list(zip(labelings(mrf.n), energies(mrf, np.array(labelings(mrf.n))), strict=True))
    least = min(cost for _, cost in costs)
    assert {price.variable for price in found.found} == set(range(mrf.n))
    for price in found.found:
        other = min(cost for x, cost in costs if x[price.variable] == price.value)
        assert price.exact
        assert price.at_least == pytest.approx(other - least)


def test_the_page_prices_the_chosen_variables_and_says_which_is_the_least_sure() -> None:
    test = app("watch")
    mine = lab(test)
    ran(test.multiselect("pricing-variables").set_value([0, 5]).run())
    press(test, "Price them")
    held = test.session_state["pricing"]
    held.thread.join()
    ran(test.run())
    expected = sorted(bc.prices(mine.mrf, None, [0, 5]), key=lambda price: price.at_least)
    shown = next(each for each in test.dataframe if "its other value costs more by" in each.value)
    assert list(shown.value["variable"]) == [mine.mrf.names[price.variable] for price in expected]
    assert list(shown.value["its other value costs more by"]) == [f"exactly {number(p.at_least)}" for p in expected]
    least = f"The least sure: **{mine.mrf.names[expected[0].variable]}**."
    assert any(each.value.startswith(least) for each in test.markdown)
    assert complaints(test) == []
    # The proof of the best labelling is used again.
    press(test, "Price them")
    assert test.session_state["pricing"].best is held.best
    # They belong to the model.
    labs.take_model(mine, bc.sample("tiny"), {"sample": "tiny"})
    ran(test.run())
    assert "pricing" not in test.session_state


def test_stopped_prices_keep_what_is_complete() -> None:
    mrf = bc.sample("pose-small")
    found = Pricing(mrf, tuple(range(mrf.n)), None, bc.Account())
    stopped = threading.Event()

    class Few(list[bc.Price]):
        def append(self, price: bc.Price) -> None:
            super().append(price)
            if len(self) == 3:
                stopped.set()

    found.found = Few()
    found._price(stopped)
    assert len(found.found) == 3
    assert all(price.exact for price in found.found)


def test_a_variable_that_is_clicked_is_priced_ahead_of_those_still_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.0)
    mine, goes_on, really = labs.lab("tiny", 3, 9), threading.Event(), bc.prices
    is_at_1 = threading.Event()

    def prices(mrf: bc.BinaryMRF, best: bc.Certificate, chosen: Sequence[int], *more: Any) -> Iterator[bc.Price]:
        if 1 in chosen:
            is_at_1.set()
            goes_on.wait()
        yield from really(mrf, best, chosen)

    monkeypatch.setattr(pricing.bc, "prices", prices)
    monkeypatch.setattr(pricing.st, "session_state", labs.SessionState())
    pricing.price_next(mine, [0])
    first = pricing._present(mine)
    assert first is not None
    assert first.thread is not None
    first.thread.join()
    assert not first.put_first([3])  # it has ended
    pricing._replace(mine, pricing.Pricing(mine.mrf, tuple(range(mine.mrf.n)), None, mine.account, list(first.found)))
    assert is_at_1.wait(60)
    pricing.price_next(mine, [4])
    found = pricing._present(mine)
    assert found is not None
    assert found.best is first.best
    view = pricing.prices_view(mine)
    assert {each["variable"] for each in view if each["pending"]} == set(range(mine.mrf.n)) - {0}
    goes_on.set()
    assert found.thread is not None
    found.thread.join()
    assert [price.variable for price in found.found] == [0, 1, 4, *(k for k in range(2, mine.mrf.n) if k != 4)]
    assert not any(each["pending"] for each in pricing.prices_view(mine))
    # It is known.
    pricing.price_next(mine, [4])
    assert pricing._present(mine) is found


def test_a_click_on_the_stage_prices_a_variable_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pricing.st, "session_state", labs.SessionState())
    mine = labs.lab("tiny", 3, 9)
    command: Any = labs.command("price", variables=[3])
    for _ in range(2):
        stage.carry_out(mine, command)
        found = pricing._present(mine)
        assert found is not None
        assert found.thread is not None
        found.thread.join()
        assert [price.variable for price in found.found] == [3]
    assert WHOLE_PAGE.get()
    data = stage.stage_data(mine)
    check(protocol.Stage, data)
    ((priced,), (price,)) = data["prices"], found.found
    more = words(price).removeprefix("exactly ")
    assert priced["variable"] == 3
    assert (
        priced["words"] == f"With the value {price.value} here, the best labelling costs {more} more than the optimum."
    )


def test_a_click_counts_though_a_proof_has_just_shown_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    state = labs.SessionState()
    monkeypatch.setattr(pricing.st, "session_state", state)
    mine = state.lab = labs.lab("tiny", 3, 9)
    before = mine.number
    mine.fork(bc.Change(variant=4), bc.Change(variant=4).fork(mine.run.engine))
    assert mine.number != before
    # That of a run of another model does not.
    for run, counts in ((-1, False), (before, True)):
        state.stage = {"command": labs.command("price", variables=[3], run=run)}
        stage._on_command()
        assert (pricing._present(mine) is not None) == counts


def test_a_proof_that_was_stopped_does_not_stand_for_the_best_labelling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pricing.st, "session_state", labs.SessionState())
    mine = labs.lab("tiny", 3, 9)
    whole = bc.certify(mine.mrf)
    for certificate, is_taken in ((replace(whole, optimal=False), False), (whole, True)):
        monkeypatch.setattr(mine, "proof", SimpleNamespace(certificate=certificate))
        pricing._PRICING.forget()
        pricing.price_next(mine, [0])
        found = pricing._present(mine)
        assert found is not None
        assert found.thread is not None
        found.thread.join()
        assert found.best is not None
        assert found.best.optimal
        assert (found.best is certificate) == is_taken


def test_prices_are_charged_to_the_account_of_the_session() -> None:
    mrf, account = bc.sample("pose-small"), bc.Account()
    used = []

    def tell(descent: Descent) -> None:
        used.append(account.used)

    bc.certify(mrf, on_progress=tell, account=account)
    assert max(used) > 0
    tight = bc.Account(1 << 12)
    found = Pricing(mrf, (0,), None, tight)
    found.start()
    assert found.thread is not None
    found.thread.join()
    assert "more than the limit of 0.00391 MB" in found.failure
    assert found.found == []


def test_words_and_files_say_what_is_known() -> None:
    mrf = bc.sample("tiny")
    x = bc.certify(mrf).labeling
    prices = [
        bc.Price(0, 1, 2.0, 2.0, x),
        bc.Price(1, 0, 1.5, 4.0, x),
        bc.Price(2, 1, 1.5, math.inf, x),
        bc.Price(0, 0, math.inf, math.inf, x),
    ]
    assert [words(price) for price in prices] == [
        "exactly 2",
        "between 1.5 and 4",
        "at least 1.5",
        "no labelling has it",
    ]
    assert [pricing.in_full(price) for price in prices] == [
        "With the value 1 here, the best labelling costs 2 more than the optimum.",
        "With the value 0 here, the best labelling costs between 1.5 and 4 more than the optimum.",
        "With the value 1 here, the best labelling costs at least 1.5 more than the optimum.",
        "No labelling has the value 0 here.",
    ]
    assert [pricing.short(price) for price in prices] == ["=1: +2", "=0: ≥ +1.5", "=1: ≥ +1.5", "=0: +∞"]
    rows = list(csv.DictReader(io.StringIO(table(mrf, prices[:2]))))
    assert [row["variable"] for row in rows] == list(mrf.names[:2])
    assert [(row["value"], row["price at least"], row["exact"]) for row in rows] == [
        ("0", "2.0", "1"),
        ("1", "1.5", "0"),
    ]


def test_a_session_begins_without_prices() -> None:
    test = app("watch")
    assert FIRST["sample"] in lab(test).address
    assert not [each for each in test.dataframe if "its other value costs more by" in each.value]
