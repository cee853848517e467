"""Compare's chart: the names of runs, their records, and who wins."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from bender_core.experiments.outcome import CURVE, NOT_COUNTED
from pages._shared.compare.curves import Curve, as_csv, full_name, labels, picked, view
from pages._shared.compare.standings import _columns, columns
from pages._shared.compare.verdict import compared, cut_short, remarks, verdict

SPREAD = 20.0


def curve(
    variant: int = 9,
    lower: tuple[float, ...] = (-2.0, -1.0),
    upper: float = -0.5,
    max_size: int = 8,
    strategy: str = "groups",
    schedule: str = "mplp",
    turn: float = 1.0,
    note: str = "",
) -> Curve:
    records = [(turn * (k + 1), k, low, upper, k, 100 * k) for k, low in enumerate(lower)]
    key = f"{variant} {max_size} {strategy} {schedule} {note}"
    return Curve(key, variant, max_size, strategy, schedule, "racing", np.array(records, CURVE), 1, SPREAD, note)


def test_names_contain_the_settings_that_differ() -> None:
    assert labels([curve(4), curve(9)]) == ["4", "9"]
    assert labels([curve(9), curve(9, max_size=5), curve(4)]) == ["9 · M 8", "9 · M 5", "4 · M 8"]
    assert labels([curve(9, strategy="manual"), curve(9, schedule="srmp", note="pinned")]) == [
        "9 · by hand · mplp",
        "9 · groups · srmp · pinned",
    ]


def test_methods_are_named_by_what_they_do() -> None:
    """M belongs to those alone that make groups."""
    proof, cycles, rival = (curve(0, strategy=name, max_size=0) for name in ("proof", "cycles", "mplp-cp"))
    proof = replace(proof, max_size=8)
    assert labels([curve(9), proof, cycles, rival]) == ["9", "proof", "cycles", "mplp-cp"]
    assert labels([curve(9, max_size=5), proof, replace(cycles, note="pinned")]) == [
        "9 · M 5",
        "proof · M 8",
        "cycles · pinned",
    ]
    assert [full_name(each) for each in (proof, cycles)] == [
        "proof: groups and cycles · M up to 8",
        "cycles: each cycle pays once",
    ]
    runs = [curve(9, lower=(-3.0,)), replace(rival, note="pinned")]
    assert verdict(runs, going=False).startswith("MPLP with cycle pursuit (pinned) has the best lower bound, ")
    assert verdict([curve(9, lower=(-3.0,)), cycles], going=False).startswith("The bound by cycles has the best lower")


def test_a_width_tells_other_groups_or_another_largest_size() -> None:
    methods = [curve(0, strategy=name, max_size=size) for name, size in (("cycles", 0), ("proof", 8), ("proof", 5))]
    a, b, c, d, e, f = (run["width"] for run in view("", [*methods, curve(4), curve(9), curve(9, max_size=5)])["runs"])
    assert a == b == d == e
    assert c == f != a


def test_the_chart_gets_the_records_of_the_runs() -> None:
    runs = [curve(4, lower=(-3.0, -2.0, -1.5)), curve(9, max_size=5), curve(9, lower=())]
    sent = view("a model", runs)
    assert [one["label"] for one in sent["runs"]] == labels(runs)
    first, second, unbegun = sent["runs"]
    assert (first["lower"], first["upper"]) == ([-3.0, -2.0, -1.5], [-0.5] * 3)
    assert (first["sweeps"], first["rows"], first["seconds"]) == ([0, 1, 2], [0, 1, 2], [1.0, 2.0, 3.0])
    assert first["work"] == [0, 100, 200]
    assert (first["symbol"], first["dash"], second["symbol"], second["dash"]) == ("circle", "solid", "x", "dot")
    assert first["width"] != second["width"]
    assert first["width"] == unbegun["width"]
    assert unbegun["lower"] == []


def test_a_full_field_takes_at_most_60_kb() -> None:
    steps = np.arange(3000)
    records = np.zeros(3000, CURVE)
    records["seconds"], records["sweep"], records["rows"] = steps * 0.0123456, steps // 8, 12345 + steps
    records["work"] = 1234567890 + steps * 12345
    records["lower_bound"], records["upper_bound"] = -1234.56789012345 + steps / 7, -1000 / 7
    field = [
        Curve(f"{k}", 1 + k % 12, k, "community", "srmp", "racing", records, 1, SPREAD, "earlier, older code")
        for k in range(36)
    ]
    assert len(json.dumps(view("a model", field))) <= 60_000


def test_ends_of_sweeps_are_drawn_first() -> None:
    sweeps = np.repeat(np.arange(50), 40)
    chosen = picked(sweeps, 120)
    assert 100 <= len(chosen) <= 120
    assert set(np.arange(0, 2000, 40)) <= set(chosen)
    assert (chosen[0], chosen[-1]) == (0, 1999)
    only_ends = picked(np.arange(4000), 100)
    assert len(only_ends) <= 100
    assert (only_ends[0], only_ends[-1]) == (0, 3999)
    # The beginning is closer looked at: axes may be logarithmic.
    assert only_ends[10] < 20
    assert picked(sweeps[:7], 120).tolist() == list(range(7))


def test_the_best_bound_wins_and_among_equal_ones_the_first() -> None:
    late = curve(4, lower=(-2.0, -1.5, -1.0), turn=2.0)
    early = curve(9, lower=(-2.0, -1.0 - 1e-10), turn=1.5)
    low = curve(12, lower=(-2.0, -1.1), upper=-0.9, turn=0.1)
    table = compared([late, early, low])
    assert table.order == [1, 0, 2]
    assert table.reached == [6.0, 3.0, np.inf]
    assert (table.lower_bound, table.upper_bound) == (-1.0, -0.9)
    assert remarks(table) == ["★ bound", "★ first, bound", "★ labelling"]
    assert verdict([late, early, low], going=True) == (
        "Variant 9 is first so far: it reaches the best lower bound, −1, in 3 s of computing time, 2 times as fast as "
        "variant 4; 2 of 3 runs reach it. The best labelling has energy −0.9; the gap is 10 %."
    )
    assert verdict([late, low], going=False).startswith(
        "Variant 4 has the best lower bound, −1, after 6 s of computing time. "
        "Variant 12 reached its own bound, −1.1, which is 0.1 lower, after only 0.2 s. The best labelling"
    )


def test_a_run_with_the_best_bound_has_not_won_where_another_was_sooner_and_nearly_as_good() -> None:
    best = curve(2, lower=(-126.0, -124.4), turn=0.085)
    near = curve(11, lower=(-126.0, -124.5), turn=0.027)
    poor = curve(1, lower=(-126.0, -125.9), turn=0.001)
    said = verdict([poor, near, best], going=False)
    assert "first" not in said
    assert said.startswith("Variant 2 has the best lower bound, −124.4, after 0.17 s of computing time. ")
    assert "Variant 11 reached its own bound, −124.5, which is 0.1 lower, after only 54 ms. " in said
    # The best bound, and the soonest.
    slow = curve(11, lower=(-126.0, -124.5), turn=1.0)
    alone = verdict([slow, best], going=True)
    assert alone.startswith(
        "Variant 2 has the best lower bound so far, −124.4, after 0.17 s of computing time. The best"
    )


def test_a_closed_gap_is_reported() -> None:
    runs = [curve(4, lower=(-2.0, -0.5)), curve(9, lower=(-2.0, -0.5), turn=0.5)]
    assert verdict(runs, going=False) == (
        "Variant 9 is first: it reaches the best lower bound, −0.5, in 1 s of computing time, 2 times as fast as "
        "variant 4; both runs reach it. The best labelling has this energy: the gap is closed."
    )
    assert remarks(compared(runs)) == ["", "★ first"]


def test_runs_that_one_race_cannot_tell_apart_tie() -> None:
    """Within a factor of 1.25, or 10 ms: where all end in milliseconds, the next race has another order."""
    slow = curve(4, lower=(-2.0, -0.5), turn=5.0)
    near, first = curve(9, lower=(-2.0, -0.5), turn=1.2), curve(12, lower=(-2.0, -0.5), turn=1.0)
    table = compared([slow, near, first])
    assert (table.tied, remarks(table)) == ([2, 1], ["", "★ tie", "★ tie"])
    assert verdict([slow, near, first], going=False).startswith(
        "Variants 12 and 9 tie: they reach the best lower bound, −0.5, in 2 s to 2.4 s of computing time, and "
        "one race cannot tell apart times within 10 ms or a factor of 1.25; all 3 runs reach it. "
    )
    quick = [curve(k, lower=(-2.0, -0.5), turn=turn) for k, turn in ((4, 0.0085), (9, 0.0045), (12, 0.0105))]
    assert compared(quick).tied == [1, 0]
    assert compared([curve(4, lower=(-2.0, -0.5), turn=1.3), first]).tied == [1]


def test_runs_without_a_bound_are_not_among_those_that_could_have_reached_it() -> None:
    runs = [curve(4, lower=(-2.0, -1.5), turn=3.0), curve(9, lower=(-2.0, -1.5)), curve(1, lower=(-2.0,)), LABELLED]
    assert "; 2 of 3 runs with a bound reach it." in verdict(runs, going=False)


def test_a_run_is_named_in_a_sentence_by_its_settings_and_its_remark() -> None:
    runs = [
        curve(12, lower=(-3.0, -1.0), max_size=16, note="pinned"),
        replace(curve(0, lower=(-3.0, -1.0), strategy="proof", turn=3.0), max_size=8),
        of_solver("annealing", [(9.0, 1, -np.inf, -1.0, 0)]),
    ]
    assert verdict(runs, going=False).startswith("Variant 12 (M 16, pinned) is first: ")
    assert " times as fast as the proof (M 8); " in verdict(runs, going=False)
    assert verdict(runs[1:], going=False).startswith("The proof has the best lower bound, ")
    assert verdict(runs[2:], going=False).startswith("No run has a lower bound. Simulated annealing was the first ")


def test_what_ended_for_want_of_memory_is_a_sentence() -> None:
    full = replace(curve(9, max_size=16, turn=0.025), status="limit reached: memory")
    assert cut_short([curve(12), curve(9)]) == ""
    assert cut_short([curve(12), full]).startswith(
        "Variant 9 (M 16) after 50 ms ended because the memory was full: what more time would have brought is not "
    )
    assert cut_short([replace(BOUNDED, status="limit reached: memory"), full]).startswith(
        "HiGHS after 2 s and variant 9 after 50 ms ended because "
    )


def test_what_found_no_room_did_not_begin() -> None:
    never = replace(curve(9, max_size=16), records=curve(9).records[:0], status="limit reached: memory")
    assert cut_short([curve(12), never]).startswith(
        "Variant 9 (M 16) did not begin: there was no room in memory. Race "
    )


def test_nobody_is_first_with_a_bound_that_nobody_has() -> None:
    found = compared([LABELLED, of_solver("annealing", [(9.0, 1, -np.inf, -1.0, 0)])])
    assert (found.tied, remarks(found)) == ([], ["★ labelling", ""])


def test_a_clock_may_show_no_time_at_all() -> None:
    quick = replace(curve(4, lower=(-2.0, -1.0), turn=1.0), records=curve(4, lower=(-1.0,), turn=0.0).records)
    assert quick.records["seconds"][0] == 0.0
    text = verdict([quick, curve(9, lower=(-2.0, -1.0), turn=3.0)], going=False)
    assert "many times as fast as variant 9" in text


def test_the_curves_are_saved_as_csv() -> None:
    first, *rows = csv.reader(as_csv([curve(9), BOUNDED]).splitlines())
    assert first == ["run", "seconds", "work", "sweeps", "lower", "upper"]
    assert rows == [
        ["9", "1", "0", "0", "-2.0", "-0.5"],
        ["9", "2", "100", "1", "-1.0", "-0.5"],
        ["HiGHS", "0.5", "", "", "", ""],
        ["HiGHS", "1", "", "", "-4.0", ""],
        ["HiGHS", "2", "", "", "-2.0", "-1.0"],
    ]


def test_the_table_has_what_decides_first_and_no_sweeps_of_solvers() -> None:
    found = columns([curve(9, max_size=16), BOUNDED], [0, 1])
    assert list(found)[:5] == ["run", "to proof", "to 0.1 %", "to 1 %", "gap"]
    assert (found["run"], found["sweeps"]) == (["9", "HiGHS"], [1, None])
    assert found["it is"] == ["RMC on all loose edges", "branch and cut on the integer program"]
    shown = _columns()
    assert (shown["run"]["pinned"], shown["gap"]["type_config"]["format"]) == (True, "%.3g %%")
    assert columns([curve(9, lower=(-1.0,), upper=-1.0, turn=0.0000297)], [0])["to proof"] == [0.0]


def test_only_a_proof_says_that_a_labelling_is_optimal() -> None:
    met = [curve(4, lower=(-2.0, -0.5)), curve(9, lower=(-2.0, -0.5), strategy="proof", turn=0.5)]
    assert verdict(met, going=True).endswith("the gap is closed.")
    ended = [replace(each, status="gap closed") for each in met]
    assert verdict(ended[:1], going=False).endswith("the gap is closed.")
    assert verdict(ended, going=False).endswith("it is optimal.")


def test_a_run_that_stops_just_short_of_the_optimum_has_closed_the_gap() -> None:
    """Its sweeps gained less than the tolerance; the rest is less than ten times the tolerance."""
    short = curve(9, lower=(-20.0, -17.000000041), upper=-17.0)
    assert short.gap == 0
    for status in ("no progress", "limit reached: sweeps", "limit reached: time"):
        assert replace(short, status=status).ending == "gap closed"
    assert replace(short, status="limit reached: memory").ending == "limit reached: memory"
    assert replace(curve(9), status="no progress").ending == "no progress"
    assert verdict([short], going=False).endswith("the gap is closed.")


def test_bounds_that_differ_by_rounding_have_no_gap() -> None:
    assert curve(9, lower=(-3.0, -1e-14), upper=1e-14).gap == 0
    assert curve(9, lower=(-3.0, 0.0), upper=0.0).gap == 0
    # The paper's gap would be infinite.
    assert curve(9, lower=(-3.0, 0.0), upper=2.0).gap == 1.0


def test_before_the_start_no_run_leads() -> None:
    assert verdict([curve(4, lower=()), curve(9, lower=())], going=True) == ""
    assert (curve(4, lower=()).gap, curve(4, lower=()).last("rows")) == (np.inf, 0)


# -- bounds and labellings that are missing -------------------------------------------------------------------


def of_solver(kind: str, reports: list[tuple[float, int, float, float, int]], status: str = "racing") -> Curve:
    records = [(*each, NOT_COUNTED) for each in reports]
    return Curve(kind, 0, 0, kind, "", status, np.array(records, CURVE), None, SPREAD)


NOTHING, NONE = (0.5, 0, -np.inf, np.inf, 0), float("inf")
BOUNDED = of_solver("highs", [NOTHING, (1.0, 1, -4.0, NONE, 0), (2.0, 2, -2.0, -1.0, 0)])
LABELLED = of_solver("tabu", [(0.25, 0, -np.inf, np.inf, 0), (1.0, 1, -NONE, -0.75, 0), (3.0, 2, -NONE, -1.5, 0)])


def test_the_chart_gets_what_is_known_and_null_for_the_rest() -> None:
    bounded, labelled = view("", [BOUNDED, LABELLED])["runs"]
    assert (bounded["lower"], bounded["upper"]) == ([-4.0, -2.0], [None, -1.0])
    assert bounded["work"] is labelled["work"] is None
    assert (labelled["lower"], labelled["upper"]) == ([None, None], [-0.75, -1.5])
    json.dumps([bounded, labelled], allow_nan=False)


def test_a_constant_makes_no_bounds_equal() -> None:
    """Bounds are compared relative to the energy at stake: 7.7 of 20 is much, also beside a billion."""
    far, near = curve(4, (1e9 - 60.0, 1e9 - 57.7), 1e9), curve(9, (1e9 - 60.0, 1e9 - 50.0), 1e9)
    assert compared([far, near]).best == [False, True]
    assert "Variant 9 has the best lower bound" in verdict([far, near], going=False)


def test_a_run_without_a_bound_was_never_quicker() -> None:
    labelled, bounded = curve(4, (-math.inf, -math.inf), -1.0), curve(9, (-math.inf, -2.0), -1.0)
    assert "reached its own bound" not in verdict([labelled, bounded], going=False)


def test_the_verdict_names_who_has_a_bound_and_who_a_labelling() -> None:
    text = verdict([BOUNDED, LABELLED], going=False)
    assert text.startswith("HiGHS has the best lower bound, −2, after 2 s")
    assert "The best labelling has energy −1.5" in text
    assert verdict([LABELLED], going=False) == (
        "No run has a lower bound. Tabu search was the first with the best labelling, of energy −1.5, after 3 s."
    )
    early = of_solver("highs", [NOTHING, (1.0, 1, -4.0, NONE, 0)])
    assert verdict([early], going=True) == "Lower bound −4. No labelling is known yet."
    assert (
        verdict([of_solver("highs", [NOTHING])], going=True) == "No run has a lower bound. No labelling is known yet."
    )


def test_the_time_to_build_a_model_is_stated_apart() -> None:
    assert (BOUNDED.building, curve(9).building) == (0.5, None)
    chosen = replace(curve(9), records=np.array([(4.2, 0, -np.inf, np.inf, 0, 0), (5.0, 1, -2.0, -1.0, 3, 9)], CURVE))
    assert columns([chosen], [0])["building"] == pytest.approx([4.2])
    assert columns([BOUNDED, curve(9)], [0, 1])["building"] == [0.5, None]
    assert "building" not in columns([curve(9)], [0])


def test_times_are_taken_where_a_bound_comes_near_the_best_labelling_of_all() -> None:
    run = curve(9, lower=(-120.0, -100.9, -100.05, -100.0), upper=-100.0)
    other = of_solver("tabu", [(1.0, 1, -np.inf, -100.0, 0)])
    worse = curve(4, lower=(-120.0, -100.9), upper=-99.0)
    found = columns([run, other, worse], [0, 1, 2])
    assert [found[name] for name in ("to 1 %", "to 0.1 %", "to proof")] == [
        [2.0, None, 2.0],
        [3.0, None, None],
        [4.0, None, None],
    ]


def test_that_bounds_meet_is_a_proof_only_of_a_method_that_proves() -> None:
    met = [(1.0, 1, -1.0, -1.0, 0)]
    for kind, said in (("mplp", "the gap is closed"), ("highs", "it is optimal"), ("proof", "it is optimal")):
        assert said in verdict([of_solver(kind, met, "gap closed")], going=False)
    better = of_solver("tabu", [(1.0, 1, -np.inf, -2.0, 0)])
    assert "optimal" not in verdict([of_solver("highs", met, "gap closed"), better], going=False)
