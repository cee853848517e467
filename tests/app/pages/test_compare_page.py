"""Compare: the field, the winner, pinned runs, and the data of the chart."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core.engine.gap import relative_gap
from bender_core.engine.memory_needed import required_bytes
from bender_core.experiments import Store
from bender_core.experiments.methods import METHODS
from bender_core.experiments.outcome import CURVE, MEMORY_REACHED
from bender_core.kernels.layout import Status
from bender_core.strategies import BY_RUNS
from pages._shared.app.session import FIRST, Lab, linked, sample
from pages._shared.compare import outcome
from pages._shared.compare.curves import Curve, view
from pages._shared.compare.outcome import partition_of, why_not
from pages._shared.compare.racing import Contest, Racing
from pages._shared.partitioning.making import PartitionMaker
from pages._shared.running import kept
from tests.app.pages.test_compare_curves import SPREAD
from tests.app.pages.test_pages import ROOT, app, complaints, go, html, lab, press, ran
from tests.app.pages.test_partition_page import named
from tests.labs import SessionState, take_model


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test begins without runs of earlier sessions."""
    monkeypatch.setenv("BENDER_DATA_DIR", str(tmp_path))
    return tmp_path


def contest(test: AppTest) -> Contest:
    found: Contest = test.session_state.contest
    return found


def join(work: PartitionMaker | Racing | None) -> None:
    """Wait for the work in the background."""
    if work is not None and work.thread is not None:
        work.thread.join(60)
        assert not work.thread.is_alive()


def choose(test: AppTest, **boxes: Any) -> AppTest:
    for name, value in boxes.items():
        kind = test.number_input if name in ("sweeps", "seconds") else test.multiselect
        ran(kind(f"race_{name}").set_value(value).run())
    join(contest(test).maker)
    return ran(test.run())


def raced(test: AppTest, **boxes: Any) -> AppTest:
    """The app after a race of the chosen field."""
    press(choose(test, **boxes), "Race")
    join(contest(test).racing)
    return ran(test.run())


def watch(test: AppTest, press: Callable[..., None], *what: object) -> AppTest:
    """The app after a button has been pressed that is offered for rows which only a browser can select."""
    state = SessionState(lab=lab(test))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept.st, "session_state", state)
        press(*what)
    for name, value in state.items():
        test.session_state[name] = value
    return ran(test.run())


def table(test: AppTest) -> dict[str, list[Any]]:
    return {name: column.tolist() for name, column in test.dataframe[0].value.items()}


def said(test: AppTest) -> str:
    return " ".join(piece.text for piece in html(test)) + " ".join(caption.value for caption in test.caption)


def button(test: AppTest, label: str) -> Any:
    (found,) = [one for one in test.button if one.label.startswith(label)]
    return found


def opened(mrf: bc.BinaryMRF, max_size: int) -> AppTest:
    """The page with the test's model."""
    test = app()
    mine: Lab = lab(test)
    mine.max_size = max_size
    take_model(mine, mrf, {})
    return go(test, "compare")


# -- racing ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_first_field_is_the_run_on_watch_and_its_rivals() -> None:
    test = app("compare")
    assert test.multiselect("race_variants").value == [4, 9, 11, 12]
    assert (test.multiselect("race_sizes").value, test.multiselect("race_strategies").value) == ([8], ["groups"])
    assert "4 runs, " in said(test)
    assert not test.dataframe


def test_a_race_ends_as_every_run_does_alone() -> None:
    test = raced(app("compare"), variants=[9, 4, 12], sizes=[8, 3], schedules=["srmp"])
    shown, mrf = table(test), lab(test).mrf
    assert sorted(shown["run"]) == sorted(f"{v} · M {m}" for v in (4, 9, 12) for m in (3, 8))
    for k, name in enumerate(shown["run"]):
        variant, max_size = (int(part) for part in name.split(" · M "))
        assert shown["it is"][k] == bc.VARIANTS[variant].name
        part = bc.partition(mrf, max_size, "groups")
        engine = bc.Engine(mrf, part, variant=variant, schedule="srmp")
        engine.run()
        assert (shown["LB"][k], shown["UB"][k]) == (engine.lower_bound, engine.upper_bound)
        assert (shown["sweeps"][k], shown["rows"][k]) == (engine.sweep, engine.n_rows)
        gap = relative_gap(engine.lower_bound, engine.upper_bound)
        assert shown["gap"][k] == (0 if engine.status == Status.GAP_CLOSED else pytest.approx(100 * gap))
        assert shown["MB"][k] == required_bytes(mrf, part, variant) / 2**20
        assert (shown["status"][k] == "gap closed") == (engine.status == Status.GAP_CLOSED)
    variant, size = shown["run"][0].split(" · ")
    assert re.search(rf"Variants? {variant} \({size}\)( is first: it|.* tie: they) reach", said(test))
    assert shown["remarks"][0].startswith(("★ first", "★ tie"))


def test_the_entered_limits_are_used() -> None:
    shown = table(raced(app("compare"), variants=[4], sweeps=2))
    assert (shown["sweeps"], shown["status"]) == ([2], ["limit reached: sweeps"])


def test_equal_runs_race_once() -> None:
    test = choose(app("compare"), variants=[9], sizes=[6, 8], strategies=["as on Watch", "groups"])
    assert "1 run, " in said(test)
    assert "2 would repeat another run and are left out" in said(test)


def test_a_cut_by_hand_races_as_on_watch() -> None:
    test = app()
    mine = lab(test)
    by_hand = bc.manual(mine.mrf, np.array_split(np.arange(mine.mrf.n), 21))
    mine.repartition(by_hand, 4, 9, "srmp")
    go(test, "compare")
    assert test.multiselect("race_strategies").value == ["as on Watch"]
    assert test.multiselect("race_sizes").disabled
    shown = table(raced(test, variants=[12]))
    engine = bc.Engine(mine.mrf, by_hand, variant=12, schedule="srmp")
    engine.run()
    assert shown["LB"] == [engine.lower_bound]


def test_a_proof_races_whatever_the_variants_and_is_proven_again_on_watch() -> None:
    test = raced(app("compare"), variants=[4], sizes=[4, 16], strategies=[], methods=["proof"])
    shown, found = table(test), bc.certify(lab(test).mrf)
    assert sorted(shown["run"]) == ["proof · M 16", "proof · M 4"]
    k = shown["run"].index("proof · M 16")
    assert (shown["LB"][k], shown["UB"][k], shown["gap"][k]) == (found.upper_bound, found.upper_bound, 0.0)
    assert (shown["status"][k], shown["rows"][k]) == ("gap closed", 0)
    assert shown["sweeps"][k] == sum(one.sweeps for one in found.rounds)
    assert "The proof (M " in said(test)
    assert "it is optimal." in said(test)
    kept_contest = contest(test)
    (one,) = [curve for curve in kept_contest.curves() if curve.max_size == 16]
    assert (one.kind, one.memory) == ("proof", None)
    choose(test, variants=[9], strategies=["groups"], sizes=[8])
    assert "2 runs, " in said(test)
    assert view("", [one, replace(one, strategy="groups")])["runs"][0]["kind"] == "proof"
    kept_contest.open(METHODS["proof"])
    ran(test.run())
    assert not [box for box in test.multiselect if box.key.startswith("race")], "Watch is open"
    assert lab(test).proof is not None


def test_methods_without_groups_race_beside_runs_and_cycles_open_their_page() -> None:
    ours = [name for name, method in METHODS.items() if not (method.package or method.schedule)]
    test = choose(app("compare"), variants=[9], methods=ours, sizes=[4, 8])
    assert "9 runs, " in said(test), "two runs, two proofs at two sizes, and three methods without groups"
    shown = table(raced(test, sizes=[8]))
    assert sorted(shown["run"]) == [
        "9",
        "cycles",
        "mplp-cp",
        "proof",
        "proof by cycles",
        "proof by groups",
    ]
    mrf = lab(test).mrf
    packing = bc.Packing(mrf)
    packing.run()
    k = shown["run"].index("cycles")
    assert (shown["LB"][k], shown["UB"][k], shown["sweeps"][k]) == (
        packing.upper_bound,
        packing.upper_bound,
        packing.rounds,
    )
    assert (shown["status"][k], np.isnan(shown["rows"][k]), np.isnan(shown["MB"][k])) == ("gap closed", True, True)
    drawn = {run["kind"]: run for run in view("", contest(test).curves())["runs"]}
    assert {kind: run["step"] for kind, run in drawn.items()} == {
        "9": "sweep",
        "proof": "sweep",
        "proof by groups": "sweep",
        "proof by cycles": "sweep",
        "cycles": "round",
        "mplp-cp": "round",
    }
    assert drawn["cycles"]["name"] == "cycles: each cycle pays once"
    contest(test).open(METHODS["cycles"])
    ran(test.run())
    assert test.session_state.packing.mrf is mrf, "Cycles is open"
    assert "pursuit" not in test.session_state


@pytest.mark.slow
def test_solvers_of_others_race_beside_ours() -> None:
    names = [name for name in ("trw-s", "highs", "toulbar2", "tabu") if not METHODS[name].missing]
    test = choose(app("compare"), strategies=[], methods=["proof", *names], sizes=[8], seconds=4)
    shown = table(raced(test))
    found = {name: shown["run"].index(METHODS[name].label) for name in ("proof", *names)}
    best = shown["UB"][found["proof"]]
    assert shown["status"][found["proof"]] == "gap closed"
    assert np.isfinite(shown["LB"][found["highs"]])
    assert shown["LB"][found["highs"]] <= best + 1e-9
    assert shown["building"][found["highs"]] > 0.0
    assert np.isnan(shown["building"][found["proof"]])
    if "tabu" in found:
        assert np.isnan(shown["LB"][found["tabu"]]), "it has no bound"
        assert shown["UB"][found["tabu"]] >= best - 1e-9
    if "toulbar2" in found:
        assert (shown["status"][found["toulbar2"]], shown["UB"][found["toulbar2"]]) == ("gap closed", best)
    for run in view("", contest(test).curves())["runs"]:
        assert all(
            lower is not None or upper is not None for lower, upper in zip(run["lower"], run["upper"], strict=True)
        )
    curves = {curve.kind: curve for curve in contest(test).curves()}
    for kind, label, is_possible in (("highs", "Watch highs", False), ("trw-s", "Watch trw-s", True)):
        calls = list[tuple[str, bool]]()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(outcome.st, "button", lambda label, of=calls, **kind: of.append((label, kind["disabled"])))
            outcome._opening(lab(test), contest(test), curves[kind], f" {kind}")
        assert calls == [(label, not is_possible)]
    part = partition_of(lab(test), contest(test), curves["trw-s"])
    assert part is not None
    choice = contest(test)._choice(part, curves["trw-s"])
    assert (part.largest, choice.max_size, choice.variant, choice.schedule) == (1, 1, 12, "srmp")


def test_solvers_that_are_not_installed_are_not_offered_but_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(METHODS["toulbar2"].__class__, "version", "")
    test = app("compare")
    offered = test.multiselect("race_methods").options
    assert not {"HiGHS", "toulbar2", "tabu search"} & set(offered)
    names, packages = "HiGHS, toulbar2, simulated annealing, tabu search", "highspy pytoulbar2 dwave-samplers"
    text = f"Not installed here: {names} (pip install {packages})."
    assert text in [caption.value for caption in test.caption]


def test_cycles_and_messages_are_opened_side_by_side() -> None:
    test = raced(choose(app("compare"), variants=[9], methods=["cycles", "mplp-cp"], sizes=[8]))
    both = next(button for button in test.button if button.label == "Watch both, side by side")
    assert both.disabled, "nothing is selected"
    curves = {curve.kind: curve for curve in contest(test).curves()}
    for one, two, is_possible in (("cycles", "mplp-cp", True), ("cycles", "9", False), ("cycles", "cycles", False)):
        calls = list[dict[str, Any]]()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(outcome.st, "button", lambda *_, of=calls, **kind: of.append(kind))
            outcome._opening_both(lab(test), contest(test), [curves[one], curves[two]])
        assert calls[0]["disabled"] != is_possible
    contest(test).open_both()
    ran(test.run())
    assert test.session_state.packing.mrf is test.session_state.pursuit.mrf is lab(test).mrf


def test_a_run_of_a_method_is_found_by_later_sessions(own_folder: Path) -> None:
    kept = Store(own_folder / "runs.sqlite")
    first = raced(app("compare"), strategies=[], methods=["mplp-cp"])
    curve = pin(first, kept=kept)
    later = app("compare")
    (option,) = later.multiselect("race_earlier").options
    assert option.startswith("mplp-cp: MPLP with cycle pursuit · 20")
    (stored,) = kept.of_model(lab(later).mrf)
    assert (stored.task.strategy, stored.task.max_size) == ("mplp-cp", 0)
    ran(later.multiselect("race_earlier").set_value([stored.task.key]).run())
    shown = table(later)
    assert shown["run"] == ["mplp-cp · earlier"]
    assert (shown["LB"], shown["sweeps"]) == ([curve.lower_bound], [curve.last("sweep")])


@pytest.mark.slow
def test_every_run_of_a_full_field_has_the_room_that_it_needs() -> None:
    found = [name for name, method in METHODS.items() if not method.missing]
    racing = contest(raced(app("compare"), variants=[4, 9, 11, 12], methods=found, seconds=1, sizes=[8])).racing
    assert racing is not None
    assert racing.failure == ""
    assert all(lane.limits.megabytes << 20 >= lane.entry.memory for lane in racing.lanes)
    assert sum(lane.limits.megabytes for lane in racing.lanes if lane.entry.is_process) << 20 < 1 << 30


@pytest.mark.slow
def test_a_field_that_cannot_race_is_refused_with_an_alternative(monkeypatch: pytest.MonkeyPatch) -> None:
    test = choose(app("compare"), variants=[])
    assert complaints(test) == ["Nothing to race: choose a method, or at least one variant, strategy, M and schedule."]
    choose(test, variants=list(bc.VARIANTS), sizes=[2, 3, 4])
    assert complaints(test) == ["36 runs are too many to tell apart; choose at most 24."]
    assert button(test, "Race").disabled
    choose(test, variants=[9, 12], sizes=[2, 10, 12], strategies=["greedy"])
    mine = lab(test)
    needs = {
        (size, variant): -(-required_bytes(mine.mrf, bc.partition(mine.mrf, size, "greedy"), variant) >> 20)
        for size in (2, 10, 12)
        for variant in (9, 12)
    }
    watched = mine.account.used
    smaller = sum(need for (size, _), need in needs.items() if size <= 10)

    def limited(megabytes: int) -> None:
        """Leave this much memory besides the run on Watch."""
        monkeypatch.setenv("BENDER_MEMORY_MB", str(megabytes + -(-watched >> 20)))

    limited(smaller)
    choose(test)
    (refusal,) = complaints(test)
    assert refusal.startswith(f"Together these runs need {sum(needs.values())} MB, more than the {smaller} MB that ")
    assert refusal.endswith("; those with M up to 10 would fit.")
    one, other = sorted(needs[12, variant] for variant in (9, 12))
    for room, advice in ((other, "1 of them would fit"), (one - 1, "choose a smaller M")):
        limited(room)
        choose(test, sizes=[12])
        (refusal,) = complaints(test)
        assert refusal.startswith(f"Together these runs need {one + other} MB, more than the {room} MB that ")
        assert refusal.endswith(f"; {advice}.")
        assert button(test, "Race").disabled
    limited(10)
    choose(test, sizes=[2])
    assert complaints(test) == []
    assert len(table(raced(test))["status"]) == 2


def test_runs_share_the_available_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENDER_MEMORY_MB", "50")
    test = raced(app("compare"))
    racing = contest(test).racing
    assert racing is not None
    mine = lab(test)
    assert {one.limits.megabytes for one in racing.lanes} == {((50 << 20) - mine.run.engine.arrays.charges.used) >> 20}
    assert {one.account for one in racing.lanes} == {mine.account}
    assert racing.limits.megabytes == racing.lanes[0].limits.megabytes, "the script has it, too"


def test_a_run_that_ends_for_want_of_memory_is_a_sentence_in_sight() -> None:
    test = raced(app("compare"), variants=[4, 9])
    racing = contest(test).racing
    assert racing is not None
    assert racing.lanes[1].outcome is not None
    racing.lanes[1].outcome = replace(racing.lanes[1].outcome, status=MEMORY_REACHED)
    (sentence,) = complaints(ran(test.run()))
    assert sentence.startswith("Variant 9 after ")
    assert "ended because the memory was full" in sentence


def long_race() -> AppTest:
    """A race that would go on for minutes."""
    test = go(ran(app("instance").button("load-pose").click().run()), "compare")
    return press(choose(test, variants=[11], sizes=[16]), "Race")


@pytest.mark.slow
def test_a_race_continues_behind_other_pages_until_it_is_stopped() -> None:
    test = long_race()
    assert contest(test).busy
    go(test, "instance")
    go(test, "compare")
    assert contest(test).busy
    assert "runs have ended" in test.get("progress")[0].proto.text
    press(test, "Stop the race")
    join(contest(test).racing)
    assert table(ran(test.run()))["status"] == ["stopped"]
    assert button(test, "Race")


def test_what_a_race_uses_is_no_objection_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    test = long_race()
    assert contest(test).busy
    monkeypatch.setenv("BENDER_MEMORY_MB", str((lab(test).account.used >> 20) + 1))
    assert complaints(ran(test.run())) == []
    press(test, "Stop the race")
    join(contest(test).racing)


@pytest.mark.slow
def test_another_model_stops_the_race_and_starts_afresh() -> None:
    test = long_race()
    racing = contest(test).racing
    assert racing is not None
    go(test, "instance")
    ran(test.button("load-tiny").click().run())
    # Nobody has looked at the page since.
    join(racing)
    assert [racing.status(one) for one in racing.lanes] == ["stopped"]
    go(test, "compare")
    assert contest(test).racing is None
    assert contest(test).mrf is lab(test).mrf
    assert not test.dataframe


@pytest.mark.slow
def test_two_sessions_race_independently() -> None:
    one, other = long_race(), app("compare")
    assert contest(other).racing is None
    raced(other)
    assert contest(one).busy
    press(one, "Stop the race")


def test_choices_survive_a_visit_to_another_page() -> None:
    test = choose(app("compare"), variants=[2, 7], sizes=[5], sweeps=17)
    go(test, "watch")
    go(test, "compare")
    assert (test.multiselect("race_variants").value, test.multiselect("race_sizes").value) == ([2, 7], [5])
    assert test.number_input("race_sweeps").value == 17


def test_another_model_keeps_what_was_chosen_as_far_as_it_fits() -> None:
    test = choose(
        app("compare"), variants=[2, 7], sizes=[5], seconds=7, methods=["proof"], strategies=["groups", "random"]
    )
    go(test, "instance")
    ran(test.button("load-tree").click().run())
    go(test, "compare")
    assert contest(test).mrf is lab(test).mrf
    assert lab(test).mrf.groups is None
    boxes = {name: test.multiselect(f"race_{name}").value for name in ("variants", "sizes", "strategies", "methods")}
    assert boxes == {"variants": [2, 7], "sizes": [5], "strategies": ["random"], "methods": ["proof"]}
    assert test.number_input("race_seconds").value == 7
    # What nobody has chosen is as usual for the model.
    assert test.multiselect("race_schedules").value == [lab(test).schedule]


def test_what_nobody_has_chosen_is_usual_for_another_model() -> None:
    test = choose(app("compare"), seconds=7)
    go(test, "instance")
    ran(test.button("load-tiny").click().run())
    go(test, "compare")
    assert test.multiselect("race_strategies").value == [lab(test).partition.strategy]
    assert test.multiselect("race_sizes").value == [lab(test).max_size]
    assert test.number_input("race_seconds").value == 7


def test_why_runs_cannot_be_watched_is_in_sight_and_two_are_pinned_at_once() -> None:
    test = raced(app("compare"), variants=[9, 12], methods=["proof", "highs"], sizes=[8], seconds=1)
    current, held = lab(test), contest(test)
    curves = {curve.kind: curve for curve in held.curves()}

    def reasons(*kinds: str) -> str:
        return " ".join(why_not(current, held, [curves[kind] for kind in kinds]))

    assert reasons() == reasons("9") == reasons("9", "12") == ""
    assert reasons("12", "highs") == (
        "HiGHS cannot be watched: it is an external solver, which cannot be stepped through."
    )
    assert reasons("9", "proof").startswith("Only two runs on groups, or one of cycles ")
    assert reasons("9", "12", "proof") == "At most two runs are watched side by side."
    pairs = [(held.lanes()[curves[kind].key], curves[kind]) for kind in ("12", "highs")]
    held.pin(pairs, None)
    assert sorted(name for name in table(ran(test.run()))["run"] if "pinned" in name) == [
        "12 · pinned",
        "HiGHS · pinned",
    ]
    held.unpin([curves[kind].key for kind in ("12", "highs")])
    assert held.pins == {}


def test_a_failure_is_one_sentence_and_the_rest_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    run, turns = bc.Engine.run, iter(range(100))

    def failing(engine: bc.Engine, most: int, **limits: Any) -> bool:
        if next(turns) == 5:
            raise bc.EngineError("this should not happen")
        return run(engine, most, **limits)

    test = choose(app("compare"))
    monkeypatch.setattr(bc.Engine, "run", failing)
    press(test, "Race")
    join(contest(test).racing)
    ran(test.run())
    assert complaints(test) == ["this should not happen"]
    assert table(test)["status"] == ["stopped"] * 4


# -- the address ----------------------------------------------------------------------------------------------

LINK = {
    "variants": "2_12",
    "sizes": "3_8",
    "strategies": "greedy_as on Watch",
    "schedules": "srmp",
    "methods": "proof by cycles_mplp-cp",
    "sweeps": "17",
    "seconds": "5",
    "against": "work",
    "drawn": "gap",
}


def linked_to(**changes: str) -> AppTest:
    """A session that begins with a link to Compare."""
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    test.query_params.update(FIRST | {"sample": "tiny", "M": "3"} | LINK | changes)
    go(test, "compare")
    join(contest(test).maker)
    return ran(test.run())


def address(test: AppTest) -> dict[str, str]:
    return dict(parse_qsl(test.session_state.page_address))


def test_a_link_opens_with_its_model_its_field_and_its_axes() -> None:
    test = linked_to()
    assert lab(test).mrf.content_hash() == sample("tiny").content_hash()
    boxes = {name: test.multiselect(f"race_{name}").value for name in ("variants", "sizes", "strategies")}
    assert boxes == {"variants": [2, 12], "sizes": [3, 8], "strategies": ["greedy", "as on Watch"]}
    assert test.multiselect("race_methods").value == ["proof by cycles", "mplp-cp"]
    assert (test.number_input("race_sweeps").value, test.number_input("race_seconds").value) == (17, 5)
    assert test.session_state.race_axes == {"x": "work", "scale": "linear", "y": "gap"}
    assert (contest(test).racing, complaints(test)) == (None, [])
    # So it can be passed on.
    assert {name: text for name, text in address(test).items() if name in LINK} == LINK
    assert "scale" not in address(test)


def test_the_address_follows_the_choices_also_where_nothing_is_chosen() -> None:
    test = choose(app("compare"), variants=[], schedules=["mplp", "srmp"], methods=["proof"])
    said = address(test)
    assert {name: said[name] for name in LINK if name in said} == {
        "variants": "none",
        "sizes": "8",
        "strategies": "groups",
        "schedules": "mplp_srmp",
        "methods": "proof",
        "sweeps": "400",
        "seconds": "60",
    }
    other = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    other.query_params.update(said)
    assert go(other, "compare").multiselect("race_variants").value == []


@pytest.mark.parametrize(
    ("changes", "sentence", "left"),
    [
        ({"variants": "4_99"}, "This link races the variants '99'; choose from 1 to 12.", {"variants": "4"}),
        ({"sizes": "99"}, "This link is wrong: its values of M are '99'; choose from 1 to 30.", {"sizes": "3"}),
        ({"methods": "magic"}, "This link races the methods 'magic'; choose from proof, proof by groups, ", {}),
        (
            {"schedules": "x_srmp"},
            "This link is wrong: its schedules are 'x'; choose from mplp, srmp.",
            {"schedules": "srmp"},
        ),
        (
            {"strategies": "magic"},
            "This link is wrong: its strategies are 'magic'; choose from as on Watch, auto, ",
            {},
        ),
        ({"sweeps": "0"}, "This link is wrong: its limit of sweeps is '0'; choose from 1 to 5000.", {"sweeps": "400"}),
        ({"against": "x"}, "This link draws bounds against 'x'; the axes are sweeps, rows, seconds, work.", {}),
    ],
)
def test_what_a_link_cannot_choose_is_one_sentence_and_the_rest_is_kept(
    changes: dict[str, str], sentence: str, left: dict[str, str]
) -> None:
    test = linked_to(**changes)
    (complaint,) = complaints(test)
    assert complaint.startswith(sentence)
    kept = {name: text for name, text in LINK.items() if name not in changes} | left
    assert {name: text for name, text in address(test).items() if name in kept} == kept
    # It is no longer of interest once a race has begun.
    assert complaints(raced(test)) == []


def test_back_finds_the_field_that_its_address_names() -> None:
    test = choose(app("compare"), variants=[2, 7], sizes=[5])
    before = address(test)
    go(choose(test, variants=[3], sizes=[8]), "watch")
    # A link of the app has no address yet: what was chosen last stays.
    go(test, "compare")
    assert test.multiselect("race_variants").value == [3]
    go(test, "watch")
    test.query_params.update(before)
    go(test, "compare")
    assert (test.multiselect("race_variants").value, test.multiselect("race_sizes").value) == ([2, 7], [5])


# -- pins, and earlier sessions -------------------------------------------------------------------------------


def pin(test: AppTest, k: int = 0, kept: Store | None = None) -> Curve:
    """Pin a run of the race; without a browser no row of the table can be chosen."""
    held = contest(test)
    curve = held.curves()[k]
    held.pin([(held.lanes()[curve.key], curve)], kept)
    ran(test.run())
    return curve


def test_a_pinned_run_stays_when_others_race() -> None:
    test = raced(app("compare"), variants=[4])
    curve = pin(test)
    assert table(test)["run"] == ["4 · pinned"]
    shown = table(raced(test, variants=[12]))
    assert sorted(shown["run"]) == ["12", "4 · pinned"]
    contest(test).unpin([curve.key])
    assert len(table(ran(test.run()))["run"]) == 1


def test_a_pinned_run_is_found_by_later_sessions(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Store(own_folder / "runs.sqlite")
    first = raced(app("compare"), variants=[4])
    curve = pin(first, kept=kept)
    # It is there already: not to be overlaid once more.
    assert not [box for box in first.multiselect if box.key == "race_earlier"]
    later = raced(app("compare"), variants=[12])
    (option,) = later.multiselect("race_earlier").options
    assert option.startswith("4: RMC on the loosest edge · M 8 · groups · mplp · 20")
    (stored,) = kept.of_model(lab(later).mrf)
    ran(later.multiselect("race_earlier").set_value([stored.task.key]).run())
    shown = table(later)
    k = shown["run"].index("4 · earlier")
    assert (shown["LB"][k], shown["sweeps"][k], shown["rows"][k]) == (
        curve.lower_bound,
        curve.last("sweep"),
        curve.last("rows"),
    )
    for page in ("watch", "compare"):
        go(later, page)
    assert later.multiselect("race_earlier").value == [stored.task.key]
    with sqlite3.connect(kept.path) as connection:
        connection.execute("UPDATE runs SET code = 'old'")
    assert "by older code" in app("compare").multiselect("race_earlier").options[0]


def test_a_run_that_cannot_be_kept_is_pinned_for_this_session(own_folder: Path) -> None:
    test = raced(app("compare"), variants=[4])
    kept = Store(own_folder / "elsewhere.sqlite")
    kept.path.write_bytes(b"something else " * 1000)
    pin(test, kept=kept)
    (said,) = complaints(test)
    assert said.startswith("The run is pinned for this session only; it cannot be kept for later ones: ")
    assert "elsewhere.sqlite" in said
    assert "it is not a store of runs" in said
    assert table(test)["run"] == ["4 · pinned"]


def test_the_page_works_without_a_store(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own_folder / "file").write_text("")
    monkeypatch.setenv("BENDER_DATA_DIR", str(own_folder / "file" / "folder"))
    test = raced(app("compare"), variants=[4])
    (problem,) = complaints(test)
    assert problem.startswith("Runs cannot be kept for later sessions: ")
    assert table(test)["status"] == ["gap closed"]


def test_a_run_is_watched() -> None:
    test = raced(app("compare"), variants=[4], sizes=[3], schedules=["srmp"])
    held = contest(test)
    watch(test, held.watch, next(iter(held.lanes().values())).entry.part, held.curves()[0])
    mine = lab(test)
    assert (mine.variant, mine.max_size, mine.schedule, mine.partition.strategy) == (4, 3, "srmp", "groups")
    assert not [box for box in test.multiselect if box.key.startswith("race")]


def test_two_runs_are_watched_side_by_side() -> None:
    test = raced(app("compare"), variants=[4, 11], sizes=[3, 8], schedules=["srmp"])
    held = contest(test)
    curves = {(curve.variant, curve.max_size): curve for curve in held.curves()}
    parts = {lane.entry.max_size: lane.entry.part for lane in held.lanes().values()}
    watch(test, held.watch_both, [(parts[8], curves[4, 8]), (parts[3], curves[11, 3])])
    mine = lab(test)
    assert (mine.variant, mine.max_size, mine.schedule) == (4, 8, "srmp")
    second = mine.branches.beside
    assert second is not None
    assert (second.max_size, second.settings["variant"], second.settings["schedule"]) == (3, "variant 11", "srmp")


def test_names_are_shown_verbatim() -> None:
    mrf = named(5, 4)
    test = raced(opened(bc.BinaryMRF(mrf.unary, mrf.edges, mrf.pairwise, name="<b>x</b> $y$ *z*"), 2))
    assert set(table(test)["status"]) == {"gap closed"}
    written = [element.value for kind in (test.markdown, test.caption) for element in kind]
    assert not any("<b>" in text or "$y$" in text for text in [*written, *(one.label for one in test.button)])


@pytest.mark.parametrize("mrf", [named(1, 0), bc.BinaryMRF(np.zeros((3, 2)))], ids=["one variable", "no edges"])
def test_odd_models_race(mrf: bc.BinaryMRF) -> None:
    test = raced(opened(mrf, 2))
    assert set(table(test)["status"]) == {"gap closed"}
    assert "the gap is closed" in said(test)


def test_groups_that_a_search_has_found_race_without_another_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bc.Partition:
        raise AssertionError("a search takes seconds")

    monkeypatch.setitem(BY_RUNS, "pursuit", refuse)
    test = app("partition")
    mine = lab(test)
    mine.repartition(replace(bc.partition(mine.mrf, 6, "greedy"), strategy="pursuit"), 6, 9, "mplp")
    test = go(test, "compare")
    assert (test.multiselect("race_sizes").value, test.multiselect("race_strategies").value) == ([6], ["pursuit"])
    assert contest(test).maker.parts == {(6, "pursuit"): mine.partition}
    (race,) = [button for button in test.button if button.label == "Race"]
    assert not race.disabled


def test_an_earlier_run_of_a_search_is_opened_once_its_groups_are_made() -> None:
    current, part = linked(FIRST), bc.manual(sample(FIRST["sample"]), [[i] for i in range(84)])
    held = Contest(current, current.mrf, PartitionMaker(current.mrf), {})
    asked = Curve("", 9, 1, "pursuit", "mplp", "earlier", np.zeros(1, CURVE), 1, SPREAD, "")
    assert partition_of(current, held, asked) is None
    held.maker.parts[1, "pursuit"] = part
    assert partition_of(current, held, asked) is part
    assert partition_of(current, held, replace(asked, strategy="greedy")).strategy == "greedy"


# -- the script -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_public", [True, False])
def test_a_script_of_the_race_is_offered_with_a_model_that_it_cannot_make(
    is_public: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = dict[str, str | bytes]()

    def note(label: str, content: str | bytes, **_: object) -> None:
        saved[label] = content

    monkeypatch.setattr(outcome.st, "download_button", note)
    test = app("compare") if is_public else opened(named(6, 5), 2)
    choose(test, variants=[4, 12], sizes=[2], methods=["cycles"], sweeps=17)
    assert saved == {}
    curve = pin(raced(test))
    script = str(saved["Save the script"])
    compile(script, "race.py", "exec")
    assert ("bc.sample('pose-small')" in script) == is_public
    assert saved.keys() == {"Save the curves", "Save the script", *["Model, for the script"] * (not is_public)}
    racing = contest(test).racing
    assert racing is not None
    limits = f"Limits(sweeps=17, seconds=60.0, megabytes={racing.lanes[0].limits.megabytes})"
    assert f"LIMITS = {limits}" in script
    assert "Race.of(runs.values(), LIMITS)" in script
    for run in ("'4': Entry(mrf, groups[0], 2, 4, 'mplp')", "'cycles': entry_by(METHODS['cycles'], mrf)"):
        assert run in script
    # A run of another race is in the chart, but not of this one.
    ran(test.multiselect("race_variants").set_value([12]).run())
    raced(test)
    assert curve.key in contest(test).pins
    assert "'4'" not in str(saved["Save the script"])
