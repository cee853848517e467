"""The pages as Streamlit runs them, without a browser: no errors, and choices take effect."""

from __future__ import annotations

import json
import threading
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bender_core as bc
from bender_core import synth
from bender_core.strategies import STRATEGIES
from pages._shared.app.session import Lab, sample_names
from pages._shared.running import background
from tests.tiers import quick, thinned

# Pages wait for what they compute in the background.
pytestmark = pytest.mark.usefixtures("patient")

ROOT = Path(__file__).parents[3]
PAGES = ("instance", "partition", "watch", "cycles", "edge", "compare")


def app(page: str = "watch") -> AppTest:
    return go(AppTest.from_file(ROOT / "app.py", default_timeout=60), page)


def go(test: AppTest, page: str) -> AppTest:
    return ran(test.switch_page(f"pages/{page}.py").run())


def ran(test: AppTest) -> AppTest:
    """The app after a run without exceptions."""
    assert not test.exception, test.exception
    return test


def lab(test: AppTest) -> Lab:
    found: Lab = test.session_state.lab
    return found


class _Reader(HTMLParser):
    """The elements with their attributes, the text, and the cells of tables, of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.cells: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag in ("th", "td"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.cells:
            self.cells[-1] += data


def html(test: AppTest) -> list[_Reader]:
    return [_Reader(element.proto.body) for element in test.get("html")]


def complaints(test: AppTest) -> list[str]:
    return [piece.text for piece in html(test) if any(a.get("role") == "alert" for _, a in piece.tags)]


def tables(test: AppTest) -> str:
    return " ".join(piece.text for piece in html(test) if ("table", {"class": "plain"}) in piece.tags)


def press(test: AppTest, label: str) -> AppTest:
    (button,) = [button for button in test.button if button.label == label]
    return ran(button.click().run())


# -- all pages ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_ready_with_a_sample(page: str) -> None:
    test = app(page)
    assert lab(test).mrf.n == 84
    assert lab(test).run.position == 0
    assert complaints(test) == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_itself_and_the_model(page: str) -> None:
    headings = [piece.text for piece in html(app(page)) if any(tag == "h1" for tag, _ in piece.tags)]
    assert headings == [f"{page.capitalize()} pose, small"]


@pytest.mark.parametrize(
    ("page", "label"), [("partition", "Variant"), ("compare", "Variants"), ("experiments", "Variants")]
)
def test_a_variant_has_the_same_name_on_every_page(page: str, label: str) -> None:
    test = app(page)
    if page == "experiments":
        ran(test.selectbox("plan_kind").select("own").run())
    (field,) = [each for each in [*test.selectbox, *test.multiselect] if each.label == label]
    assert field.options == [variant.title for variant in bc.VARIANTS.values()]


@pytest.mark.parametrize("page", PAGES)
def test_every_figure_has_a_text_alternative(page: str) -> None:
    test = app(page)
    assert all(chart.proto.alt for chart in test.get("plotly_chart"))


@pytest.mark.parametrize("name", quick(sample_names(), ["tiny", "karate"]))
def test_every_sample_is_shown_on_every_page(name: str) -> None:
    test = app("instance")
    if not test.button(f"load-{name}").disabled:  # it is the one that is loaded first
        ran(test.button(f"load-{name}").click().run())
    assert lab(test).mrf.content_hash() == bc.sample(name).content_hash()
    assert any(piece.text == lab(test).mrf.name for piece in html(test))
    assert [metric.value for metric in test.metric][:2] == [str(lab(test).mrf.n), str(lab(test).mrf.n_edges)]
    variables = json.loads(test.get("plotly_chart")[0].proto.spec)["data"][-1]["x"]
    assert len(np.frombuffer(b64decode(variables["bdata"]), variables["dtype"])) == lab(test).mrf.n
    for page in PAGES[1:]:
        go(test, page)
    assert complaints(test) == []


def test_two_sessions_share_nothing_but_the_sample() -> None:
    one, other = app(), app()
    assert lab(one) is not lab(other)
    lab(one).run.step("sweep", backward=False)
    press(go(other, "partition"), "Partition and watch")
    assert lab(one).run.position > 0
    assert (lab(other).run.position, lab(one).number, lab(other).number) == (0, 0, 1)


# -- instance -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", thinned(synth.FAMILIES, 4))
def test_a_family_is_made_with_its_defaults(family: str) -> None:
    test = app("instance")
    (choice,) = [box for box in test.selectbox if box.label == "Family"]
    ran(choice.select(family).run())
    press(test, "Make it")
    assert lab(test).mrf.content_hash() == synth.generate(family).content_hash()
    assert lab(test).mrf.source == synth.generate(family).source
    assert complaints(test) == []


def test_a_family_is_made_with_what_was_entered() -> None:
    test = app("instance")
    (choice,) = [box for box in test.selectbox if box.label == "Family"]
    ran(choice.select("ising_grid").run())
    test.number_input("make-ising_grid-rows").set_value(4)
    test.number_input("make-ising_grid-seed").set_value(7)
    test.toggle("make-ising_grid-torus").set_value(True)
    test.selectbox("make-ising_grid-coupling").select("gaussian")
    press(test, "Make it")
    expected = synth.ising_grid(rows=4, columns=10, torus=True, coupling="gaussian", seed=7)
    assert lab(test).mrf.content_hash() == expected.content_hash()


def test_a_model_too_large_for_the_present_cut_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    test = app("instance")
    before = lab(test).mrf
    monkeypatch.setenv("BENDER_MEMORY_MB", "3")
    ran(test.button("load-pose").click().run())
    (said,) = complaints(test)
    assert said.startswith("M 8 does not fit: ")
    assert lab(test).mrf is before
    ran(test.button("load-tiny").click().run())
    assert complaints(test) == []
    assert lab(test).mrf.name == "tiny"


def test_a_model_too_large_for_the_present_cut_is_opened_with_the_nearest_that_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    test = app("instance")
    monkeypatch.setenv("BENDER_MEMORY_MB", "3")
    ran(test.button("load-pose").click().run())
    (offered,) = [button for button in test.button if button.label.startswith("Take M = ")]
    ran(offered.click().run())
    assert complaints(test) == []
    assert (lab(test).mrf.name, lab(test).max_size) == ("pose", int(offered.label.split()[-1]))


def test_a_model_keeps_the_settings_of_the_run_and_begins_anew() -> None:
    test = app("partition")
    ran(test.slider("partition_size").set_value(5).run())
    ran(test.selectbox("partition_strategy").select("random").run())
    ran(test.selectbox("partition_variant").select(4).run())
    press(test, "Partition and watch")
    lab(test).run.step("sweep", backward=False)
    ran(go(test, "instance").button("load-karate").click().run())
    mine = lab(test)
    assert (mine.max_size, mine.variant, mine.partition.strategy) == (5, 4, "groups")
    assert (mine.run.position, mine.run.seen, mine.run.arc) == (0, 0, 0)
    assert mine.run.engine.mrf is mine.mrf


def test_the_page_goes_on_while_the_run_of_a_model_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    test = app("instance")
    before, goes_on, really = lab(test).mrf, threading.Event(), bc.partition

    def slowly(*given: Any, stop: bc.Stop, **more: Any) -> bc.Partition:
        while not goes_on.wait(0.01):
            stop.check()
        return really(*given, stop=stop, **more)

    monkeypatch.setattr(bc, "partition", slowly)
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.0)
    ran(test.button("load-tiny").click().run())
    assert lab(test).mrf is before
    assert [caption.value for caption in test.caption if caption.value.startswith("Making groups by")]
    press(test, "Stop")
    assert not [button for button in test.button if button.label == "Stop"]
    ran(test.button("load-tiny").click().run())
    goes_on.set()
    test.session_state.next_run.thread.join()
    ran(test.run())
    assert lab(test).mrf.name == "tiny"


def test_the_sample_that_is_current_is_marked() -> None:
    test = app("instance")
    marked = [button.key for button in test.button if button.label == "Loaded" and button.disabled]
    assert marked == ["load-pose-small"]
    ran(test.button("load-tiny").click().run())
    assert [button.key for button in test.button if button.label == "Loaded"] == ["load-tiny"]


@pytest.mark.parametrize("name", ["tiny", "karate"])
def test_the_normal_form_of_every_edge_keeps_the_energies(name: str) -> None:
    test = app("instance")
    test.session_state.model_view = "Normal form"
    ran(test.button(f"load-{name}").click().run())
    mrf = lab(test).mrf
    (edge,) = [field for field in test.number_input if field.label.startswith("Edge")]
    assert edge.max == mrf.n_edges
    for e in range(0, mrf.n_edges, max(mrf.n_edges // 5, 1)):
        ran(edge.set_value(e + 1).run())
        (table,) = [piece for piece in html(test) if ("table", {"class": "plain"}) in piece.tags]
        i, j = (mrf.names[v] for v in mrf.edges[e])
        assert table.cells[:6] == [
            "states",
            "table before",
            "table after",
            f"moved to {i}",
            f"moved to {j}",
            "sum after",
        ]
        rows = np.array(table.cells[6:]).reshape(4, 6)
        assert rows[:, 0].tolist() == ["0 0", "0 1", "1 0", "1 1"]
        before, after, moved_i, moved_j, total = np.char.replace(rows[:, 1:], "−", "-").astype(float).T
        assert before == pytest.approx(mrf.pairwise[e].reshape(-1), rel=1e-4)
        assert total == pytest.approx(before, rel=1e-4)
        assert after + moved_i + moved_j == pytest.approx(total, rel=1e-3)
        assert np.count_nonzero(after) <= 1
        assert after.max() <= 0


# -- partition ------------------------------------------------------------------------------------------------


def test_the_choices_are_those_of_the_run() -> None:
    test = app("partition")
    assert test.slider("partition_size").value == 8
    assert test.selectbox("partition_strategy").value == "groups"
    assert test.selectbox("partition_variant").value == 9
    assert "14, the largest with 6 variables (64 states)" in tables(test)


def test_a_cut_starts_a_run_and_goes_to_watch() -> None:
    test = app("partition")
    ran(test.slider("partition_size").set_value(5).run())
    ran(test.selectbox("partition_variant").select(4).run())
    assert lab(test).max_size == 8
    press(test, "Partition and watch")
    mine = lab(test)
    assert (mine.max_size, mine.variant, mine.partition.largest, mine.number) == (5, 4, 5, 1)
    assert mine.run.engine.variant.number == 4
    assert not test.slider


@pytest.mark.parametrize("strategy", thinned(STRATEGIES, 3))
def test_a_strategy_is_the_librarys(strategy: str) -> None:
    test = app("partition")
    ran(test.slider("partition_size").set_value(7).run())
    ran(test.selectbox("partition_strategy").select(strategy).run())
    press(test, "Partition and watch")
    expected = bc.partition(lab(test).mrf, 7, strategy)
    assert lab(test).partition.labels == expected.labels
    for mine, theirs in zip(lab(test).partition.groups, expected.groups, strict=True):
        assert (mine == theirs).all()


def test_choices_survive_a_visit_to_another_page() -> None:
    test = app("partition")
    for page in ("watch", "partition"):
        go(test, page)
    assert (test.slider("partition_size").value, test.selectbox("partition_variant").value) == (8, 9)
    ran(test.slider("partition_size").set_value(5).run())
    ran(test.selectbox("partition_strategy").select("greedy").run())
    ran(test.selectbox("partition_variant").select(4).run())
    shown = tables(test)
    for page in ("instance", "partition"):
        go(test, page)
    assert tables(test) == shown
    assert test.slider("partition_size").value == 5
    assert test.selectbox("partition_strategy").value == "greedy"
    assert test.selectbox("partition_variant").value == 4
    press(test, "Partition and watch")
    assert (lab(test).max_size, lab(test).variant, lab(test).partition.strategy) == (5, 4, "greedy")


def test_a_choice_that_does_not_fit_is_refused_with_one_that_would() -> None:
    test = app("instance")
    ran(test.button("load-pose").click().run())
    go(test, "partition")
    ran(test.selectbox("partition_strategy").select("greedy").run())
    ran(test.slider("partition_size").set_value(24).run())
    (said,) = complaints(test)
    assert "more than the limit of 1 GB" in said
    fits = int(said.split("M = ")[1].split(" ")[0])
    (cut,) = [button for button in test.button if button.label == "Partition and watch"]
    assert cut.disabled
    ran(test.slider("partition_size").set_value(fits).run())
    assert complaints(test) == []
    press(test, "Partition and watch")
    assert lab(test).partition.largest == fits


def test_groups_are_edited_by_hand_and_undone() -> None:
    test = app("partition")

    def sizes() -> list[int]:
        return [len(group) for group in test.session_state.draft.now.part.groups]

    start = sizes()
    ran(test.selectbox("move_variable").select(0).run())
    ran(test.selectbox("move_target").select_index(1).run())
    press(test, "Move")
    moved = sizes()
    assert moved == [start[0] - 1, start[1] + 1, *start[2:]]
    assert test.selectbox("partition_strategy").value == "manual"
    ran(test.selectbox("merge_first").select_index(0).run())
    ran(test.selectbox("merge_second").select_index(2).run())
    press(test, "Merge")
    merged = sizes()
    assert merged == [moved[0] + moved[2], moved[1], *moved[3:]]
    ran(test.selectbox("split_group").select_index(1).run())
    press(test, "Split")
    assert sizes() == [merged[0], 4, 3, *merged[2:]]
    assert lab(test).number == 0
    for earlier in (merged, moved, start):
        press(test, "Undo")
        assert sizes() == earlier
    assert test.selectbox("partition_strategy").value == "groups"
    (undo,) = [button for button in test.button if button.label == "Undo"]
    assert undo.disabled
    ran(test.selectbox("move_target").select_index(1).run())
    press(test, "Move")
    press(test, "Partition and watch")
    assert lab(test).partition.strategy == "manual"
    assert [len(group) for group in lab(test).partition.groups][:2] == [start[0] - 1, start[1] + 1]


def test_an_invalid_edit_gives_one_sentence() -> None:
    test = app("partition")
    ran(test.selectbox("merge_second").select_index(0).run())
    press(test, "Merge")
    assert complaints(test) == ["a group cannot be merged with itself; choose two groups"]
    ran(test.selectbox("merge_second").select_index(1).run())
    press(test, "Merge")
    assert complaints(test) == []
