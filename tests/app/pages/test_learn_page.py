"""The guided tour without a browser: every lesson opens, and judges answers correctly.

The right answers are computed here independently, by brute force or by other formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core import looking
from bender_core.kernels.layout import Kind, Method
from bender_core.looking.rows import row_values
from bender_core.looking.words import number
from bender_core.synth import ising_grid
from pages._shared.app.session import sample
from pages._shared.learn import LESSONS, cuts, envelope, exact, explaining, message, recycling
from pages._shared.learn.models import body, glass, two_parts
from pages._shared.learn.timing import plot_times, sweep_time
from tests.app.pages.test_pages import ROOT, complaints, go, html, lab, press, ran, tables
from tests.tiers import thinned

Answer = str | float


def learn(slug: str | None = None, **more: str) -> AppTest:
    test = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    for name, value in ({"lesson": slug} if slug else {}).items() | more.items():
        test.query_params[name] = value
    return go(test, "learn")


def answer(test: AppTest, slug: str, given: Answer) -> AppTest:
    key = f"learn-{slug}-answer"
    if LESSONS[slug].question().options:
        return ran(test.radio(key).set_value(given).run())
    return ran(test.number_input(key).set_value(float(given)).run())


def verdict(test: AppTest) -> tuple[str, str]:
    """The text and style of the box under the question."""
    ((look, text),) = [
        (str(attributes["class"]), piece.text)
        for piece in html(test)
        for _, attributes in piece.tags
        if attributes.get("role") == "status"
    ]
    return look.removeprefix("verdict").strip(), text


def said(test: AppTest, name: str) -> str:
    """What the address says."""
    return dict(parse_qsl(test.session_state.page_address)).get(name, "")


def headings(test: AppTest) -> str:
    return test.subheader[0].value


def titles(test: AppTest) -> str:
    """All Markdown texts, including the titles of figures."""
    return " ".join(piece.value for piece in test.markdown)


# -- the right answers, found in other ways -------------------------------------------------------------------


def states(n: int) -> Iterable[tuple[int, ...]]:
    """All states of n variables, by code: the first changes fastest."""
    return (bits[::-1] for bits in product((0, 1), repeat=n))


def tiny_couplings() -> list[tuple[int, int, float, int, int]]:
    """The couplings between A (variables 0 to 2) and B (3 to 5) in normal form, with the values that pay."""
    form = bc.to_normal_form(sample("tiny"))
    return [
        (i, j - 3, w, a, b)
        for (i, j), w, (a, b) in zip(form.edges.tolist(), form.weight, form.entry.tolist(), strict=True)
        if i < 3 <= j
    ]


def nu() -> np.ndarray:
    """The min-marginal of every state of A while all messages are 0, by trying every answer."""
    found = tiny_couplings()
    return np.array(
        [min(sum(w * (x[i] == a and y[j] == b) for i, j, w, a, b in found) for y in states(3)) for x in states(3)]
    )


def reverse_row(anchor: tuple[int, ...]) -> np.ndarray:
    """The reverse Magnanti-Wong row at a state of A (docs/method.md §3.3), while all messages are 0."""
    u, v = np.zeros((3, 2)), np.zeros((3, 2))
    for i, j, w, a, b in tiny_couplings():
        theta = np.zeros((2, 2))
        theta[a, b] = w
        pays = np.array([0.0 if x == anchor[i] else -theta[x].min() for x in (0, 1)])
        u[i] += pays
        v[j] -= (theta + pays[:, None]).min(axis=0)
    front = min(-sum(v[j, y[j]] for j in range(3)) for y in states(3))
    return np.array([front - sum(u[i, x[i]] for i in range(3)) for x in states(3)])


def least_energy() -> float:
    mrf = sample("tiny")
    return min(mrf.energy(x) for x in states(mrf.n))


def smallest_piece() -> str:
    """By the LP over the groups, which messages cannot exceed."""
    mrf = sample("frustrated-cycle")
    least = min(mrf.energy(x) for x in states(mrf.n))
    for size in range(1, mrf.n + 1):
        part = bc.manual(mrf, [list(range(k, min(k + size, mrf.n))) for k in range(0, mrf.n, size)])
        if bc.reference(mrf, part).group_lp_bound == pytest.approx(least):
            return str(size)
    raise AssertionError


def cheapest_coupling() -> float:
    """By its table: equal and opposite ends differ by what a labelling pays that breaks it."""
    return float(min(abs(table[0, 0] - table[0, 1]) for table in sample("frustrated-cycle").pairwise))


def still_loose() -> float:
    """The states of A at which no row reaches the min-marginal when A passes its message."""
    engine = bc.Engine(sample("tiny"), bc.partition(sample("tiny"), 3), variant=9)
    while engine.trace[engine.position - 1].kind != Kind.MESSAGE if engine.position else True:
        engine.step("event")
    return float(np.sum(nu() - looking.envelope(engine, 0, 1) > 1e-6))


def closest_row() -> str:
    mrf, part, _ = glass()
    engine = bc.Engine(mrf, part, variant=9)
    engine.step("node")
    engine.step("node")
    p, q = engine.graph.ends(3)
    truth = looking.min_marginal(engine, p, q, range(32))
    state = sum(int(bit) << k for k, bit in enumerate("10100"))
    names = ("RMC", "MWC α = 1", "MWC α = ½", "MWC α = 0")
    distances = [float(np.mean(truth - cut.values)) for cut in bc.what_if(engine, p, q, state)]
    return names[int(np.argmin(distances))]


def possible_gain() -> str:
    engine = bc.Engine(sample("pose-small"), bc.partition(sample("pose-small"), 8, "groups"), variant=9)
    engine.step("sweep")
    engine.step("sweep")
    return number(engine.upper_bound - looking.certified_bound(engine))


def way_for_rows_of_a_grid() -> str:
    mrf = ising_grid(2, 16, coupling="gaussian", seed=1)
    graph = bc.HyperGraph(mrf, bc.manual(mrf, [list(range(16)), list(range(16, 32))]))
    return {Method.ENUMERATE: "enumeration", Method.ELIMINATE: "elimination", Method.PRUNE: "pruning"}[
        Method(int(graph.problem.methods.method[0]))
    ]


RIGHT: dict[str, Callable[[], Answer]] = {
    "map": least_energy,
    "loose": smallest_piece,
    "cycles": cheapest_coupling,
    "message": lambda: float(nu()[0b101]),
    "cost": lambda: str((2**17) ** 2 // (2**16) ** 2),
    "row": lambda: float(np.isclose(reverse_row((0, 0, 0)), nu()).sum()),
    "envelope": still_loose,
    "cuts": closest_row,
    "recycle": lambda: "β⁰ alone",
    "bound": possible_gain,
    "ours": way_for_rows_of_a_grid,
}


def wrong(slug: str) -> list[Answer]:
    """All other choices; or numbers below and above."""
    right, options = RIGHT[slug](), LESSONS[slug].question().options
    if options:
        return [option for option in options if option != right]
    return [float(right) - 1, float(right) + 1]


# -- every lesson ---------------------------------------------------------------------------------------------


def test_the_tour_has_an_answer_for_each_of_its_few_lessons() -> None:
    assert 8 <= len(LESSONS) <= 11
    assert list(RIGHT) == list(LESSONS)


@pytest.mark.parametrize("slug", thinned(LESSONS, 3))
def test_a_lesson_opens_in_few_words_with_a_figure_that_can_be_heard(slug: str) -> None:
    test = learn(slug)
    lesson = LESSONS[slug]
    assert headings(test) == lesson.title
    assert lesson.text.strip() in [piece.value for piece in test.markdown]
    assert len(f"{lesson.title} {lesson.text} {lesson.question().text}".split()) <= 150
    assert "**Try it:**" in lesson.text
    assert complaints(test) == []
    (figure,) = test.get("plotly_chart")
    assert figure.proto.alt
    assert test.caption
    assert verdict(test) == ("", " Answer as often as you like.")
    assert said(test, "lesson") == slug


@pytest.mark.parametrize("slug", thinned(LESSONS, 3))
def test_a_wrong_answer_is_explained_and_a_right_one_is_kept(slug: str) -> None:
    test = learn(slug)
    for given in wrong(slug):
        look, text = verdict(answer(test, slug, given))
        assert look == "wrong", given
        assert text.startswith("✗ Incorrect. ")
        assert any(sign.isdigit() for sign in text), "it says why, in numbers"
        assert said(test, "done") == ""
    look, text = verdict(answer(test, slug, RIGHT[slug]()))
    assert look == "right", text
    assert text.startswith("✓ Right. ")
    assert any(sign.isdigit() for sign in text)
    assert said(test, "done") == slug


@pytest.mark.parametrize(
    ("slug", "given", "why"),
    thinned(
        [
            ("map", -100.0, "None of the 64 choices"),
            ("map", 100.0, "64 of the 64 choices cost less than 100"),
            ("loose", "3", "form a ring again: the bound stays at −21"),
            ("loose", "9", "a smaller M is enough"),
            ("cycles", 1.0, "every coupling has something left; LB is −20"),
            ("cycles", 5.0, "6 couplings lend more than they cost; LB is −22"),
            ("message", -100.0, "No answer of B is that cheap"),
            ("message", -3.0, "That is B's worst answer"),
            ("row", 0.0, "at more states than that"),
            ("row", 8.0, "below ν at more states than that"),
            ("envelope", 0.0, "More are loose"),
            ("envelope", 8.0, "Fewer are loose"),
            ("bound", "0", "The bounds have not met"),
        ],
        3,
        several=True,
    ),
)
def test_a_wrong_answer_gets_a_specific_explanation(slug: str, given: Answer, why: str) -> None:
    assert why in verdict(answer(learn(slug), slug, given))[1]


@pytest.mark.parametrize("slug", thinned(LESSONS, 3))
def test_a_lesson_opens_a_page_with_its_model(slug: str) -> None:
    test = learn(slug)
    opens = LESSONS[slug].opens
    press(test, f"Open this on {opens.page.capitalize()}")
    models = {
        "map": "tiny",
        "loose": "frustrated cycle",
        "cycles": "torus 4×4",
        "message": "tiny",
        "cost": "pose 14×8",
        "row": "tiny",
        "envelope": "tiny",
        "cuts": "Sherrington–Kirkpatrick 15",
        "recycle": "Sherrington–Kirkpatrick 15",
        "bound": "pose, small",
        "ours": "pose, small",
    }
    assert lab(test).mrf.name == models[slug]
    assert lab(test).address, "what is opened can be linked to"
    assert not test.subheader or headings(test) != LESSONS[slug].title
    assert complaints(test) == []


def test_the_opened_page_is_at_the_position_of_the_lesson() -> None:
    test = learn("envelope")
    ran(test.slider("learn-envelope-event").set_value(3).run())
    press(test, "Open this on Watch")
    assert lab(test).run.position == 3
    test = learn("bound")
    ran(test.slider("learn-bound-sweep").set_value(4).run())
    press(test, "Open this on Watch")
    engine = lab(test).run.engine
    engine.seek(lab(test).run.position)
    assert engine.sweep == 4


def test_a_model_that_does_not_fit_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    test = learn("cost")
    ran(test.slider("learn-cost-size").set_value(16).run())
    monkeypatch.setenv("BENDER_MEMORY_MB", "16")
    press(test, "Open this on Partition")
    (sentence,) = complaints(test)
    assert "more than the limit" in sentence
    assert headings(test) == LESSONS["cost"].title


# -- the way through ------------------------------------------------------------------------------------------


def test_the_tour_begins_with_the_first_lesson_and_returns_to_the_last_open_one() -> None:
    test = learn()
    assert headings(test) == LESSONS["map"].title
    test.query_params["lesson"] = "row"
    answer(test.run(), "row", RIGHT["row"]())
    go(test, "watch")
    test.query_params.clear()
    go(test, "learn")
    assert headings(test) == LESSONS["row"].title
    assert verdict(test)[0] == "right", "answers stay"
    assert said(test, "done") == "row"


def test_an_unknown_lesson_is_reported_and_the_first_is_shown() -> None:
    test = learn("<b>nothing</b>")
    assert headings(test) == LESSONS["map"].title
    assert complaints(test) == ["There is no lesson '<b>nothing</b>'; here is the first."]


def test_progress_comes_with_the_address() -> None:
    test = learn("row", done="bound,map,nonsense")
    assert "**Lesson 6 of 11, 2 answered**" in titles(test)
    assert said(test, "done") == "map,bound"
    answer(test, "row", RIGHT["row"]())
    assert "**Lesson 6 of 11, 3 answered**" in titles(test)


# -- what is dragged ------------------------------------------------------------------------------------------


def test_the_ring_shows_the_effect_of_a_partition() -> None:
    test = learn("loose")
    least = number(sum(-abs(w) for w in sample("frustrated-cycle").coupling()) / 4)
    assert least in tables(test)
    for size in (1, 4, 5, 9):
        ran(test.slider("learn-loose-size").set_value(size).run())
        part = bc.manual(sample("frustrated-cycle"), [list(range(k, min(k + size, 9))) for k in range(0, 9, size)])
        bound = bc.reference(sample("frustrated-cycle"), part).group_lp_bound
        assert number(bound) in tables(test)
        assert ("0, closed" in tables(test)) == (size >= int(smallest_piece()))


def test_pairs_across_the_ring_leave_only_rounding() -> None:
    test = learn("loose")
    (way,) = test.segmented_control
    ran(way.select("pairs across the ring").run())
    assert "still missing0, closed" in tables(test)


@pytest.mark.parametrize("state", range(8))
def test_the_best_answer_is_the_min_marginal(state: int) -> None:
    engine = bc.Engine(sample("tiny"), bc.partition(sample("tiny"), 3), variant=9)
    assert message.answers(engine, state).min() == pytest.approx(nu()[state])
    engine.step("sweep")
    assert message.answers(engine, state).min() == pytest.approx(looking.min_marginal(engine, 0, 1)[state])


@pytest.mark.parametrize(("lift", "word"), [(-1.0, "it could be raised"), (0.0, "it touches ν"), (0.5, "Not a bound")])
def test_a_raised_row_is_not_a_bound(lift: float, word: str) -> None:
    test = learn("row")
    ran(test.slider("learn-row-lift").set_value(lift).run())
    assert word in titles(test)


def test_the_envelope_is_tight_at_the_minimiser() -> None:
    test = learn("envelope")
    last = envelope.last()
    ran(test.slider("learn-envelope-event").set_value(last).run())
    assert f"tight at {8 - int(still_loose())} of 8" in titles(test)
    low, true = envelope.totals(envelope.tiny_run(last))
    assert low.min() == pytest.approx(true.min())
    assert (low <= true + 1e-9).all()


def test_an_old_row_stays_below_the_truth_and_tight_at_its_own_state() -> None:
    for passed in range(recycling.sweeps() + 1):
        engine = recycling.run(passed)
        row = recycling.followed(engine)
        assert recycling.distance(engine, row) == pytest.approx(0, abs=1e-9)
        assert (row_values(row) <= looking.min_marginal(engine, 0, 1) + 1e-9).all()
    assert recycling.followed(engine).intercept != recycling.followed(recycling.run(0)).intercept


def test_the_rows_of_the_lesson_differ() -> None:
    found = cuts.rows_at(cuts.code(cuts.FIRST))
    assert len({round(cut.looseness, 2) for cut in found}) == 4


@pytest.mark.parametrize("exact", [False, True])
def test_every_kind_of_event_has_a_lesson_that_explains_it(exact: bool) -> None:
    assert set(explaining(exact)) == set(Kind)
    assert explaining(exact)[Kind.ROW] is LESSONS["row"]
    assert explaining(exact)[Kind.NODE_OPENED] is LESSONS["ours" if exact else "recycle"]


@pytest.mark.parametrize(("slug", "size"), [("cost", 3), ("cost", 12), ("ours", 2), ("ours", 11)])
def test_the_time_in_a_chart_is_that_in_its_table(slug: str, size: int) -> None:
    test = learn(slug)
    test.slider(key=f"learn-{slug}-size").set_value(size)
    ran(test.run())
    names = {11: "enumeration"} if slug == "cost" else exact.NAMES
    model = body if slug == "cost" else two_parts
    drawn = plot_times(model, exact.SIZES, size, names)
    large = {trace.name: trace for trace in drawn.data if trace.mode == "markers"}
    assert set(large) == set(names.values())
    for variant, name in names.items():
        taken = sweep_time(model, size, variant)
        assert (large[name].x, large[name].y) == ((size,), (taken.seconds,))
        assert large[name].text[0].startswith(str(taken))
        assert ("measured" in large[name].text[0]) == taken.measured
        assert str(taken) in tables(test)
    # Every time says how it is known.
    for line in drawn.data:
        assert all(text.endswith((", measured", ", extrapolated")) for text in line.text)
