"""Picking, uploading and making models; and that nothing in a file becomes markup."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import bender_core as bc
from bender_core import synth
from bender_core.io import dumps, load
from pages._shared.app.text import SHORT, label
from tests.browser.lab import Lab
from tests.labs import sample

pytestmark = pytest.mark.browser

UAI = "MARKOV\n2\n2 2\n3\n1 0\n1 1\n2 0 1\n\n2\n1 2\n\n2\n1 3\n\n4\n1 2\n3 4\n"


@pytest.fixture
def lab(page: Page, settle: Callable[[Page], None]) -> Lab:
    return Lab(page, settle).open("/instance")


@pytest.mark.slow
def test_families_are_made_and_samples_are_loaded_from_the_gallery_and_watched(lab: Lab) -> None:
    # One form with fields of every kind is among these; tests/app makes all families.
    lab.tab("Generate")
    for name in ("ising_grid", "planted", "random_tree"):
        lab.choose("Family", synth.FAMILIES[name].title)
        lab.press("Make it")
        expect(lab.heading).to_have_text(synth.generate(name).name)
        expect(lab.complaint).to_have_count(0)
    # What is typed just before the click counts.
    lab.page.get_by_label("Variables", exact=True).fill("12")
    lab.press("Make it")
    expect(lab.heading).to_have_text(synth.random_tree(n=12).name)

    # The smallest and one of the largest samples; tests/app loads and draws them all.
    lab.tab("Samples")
    for name in ("frustrated-cycle", "torus-10x10"):
        mrf = sample(name)
        lab.load(name)
        expect(lab.heading).to_have_text(mrf.name)
        expect(lab.page.get_by_test_id("stMetricValue").first).to_have_text(str(mrf.n))
        expect(lab.page.locator(".js-plotly-plot").first).to_be_visible()
    lab.go("Watch")
    lab.expect_run(model=mrf.name)


@pytest.mark.slow
def test_text_is_pasted_and_evidence_taken_into_account(lab: Lab, tmp_path: Path) -> None:
    lab.tab("Upload")
    lab.expand("Paste a model as text")
    text = lab.page.get_by_label("Text of a model")
    text.fill("1 1 2\n1 2 -1\n")
    lab.press("Read it")
    expect(lab.complaint).to_have_text(re.compile("^The text: line 1: rows i j value do not say what they are"))
    lab.choose("Format", "qh")
    lab.press("Read it")
    expect(lab.complaint).to_have_count(0)
    expect(lab.heading).to_have_text("pasted")
    lab.expand("Evidence: observed values")
    lab.upload("wrong.evid", b"1 7 1", "evidence")
    expect(lab.complaint).to_have_text(
        re.compile("^wrong.evid: line 1: variable 7 is observed; variables run from 0 to 1")
    )
    lab.upload("right.evid", b"1 1 1", "evidence")
    expect(lab.complaint).to_have_count(0)
    expect(lab.heading).to_have_text("pasted, 1 observed")
    expect(lab.page.get_by_text("1 table entries forbid a state")).to_be_visible()

    # What is too large is refused with the limit, and how to raise it.
    large = tmp_path / "large.uai"
    large.write_bytes(b"MARKOV\n" + b" " * 21 * 2**20)
    for field, small in (("evidence", b"1 1 1"), ("upload", UAI.encode())):
        name = lab.heading.inner_text()
        refused = lab.page.locator(f".st-key-{field}_field .refused")
        expect(refused).to_be_hidden()
        lab.upload_file(large, field)
        expect(refused).to_be_visible()
        expect(refused).to_contain_text("the limit is 20 MB")
        expect(refused).to_contain_text("BENDER_MAX_UPLOAD_MB")
        expect(lab.heading).to_have_text(name)
        lab.page.get_by_role("button", name="Remove large.uai").click()
        expect(refused).to_be_hidden()
        lab.upload("small.uai", small, field)
        expect(refused).to_be_hidden()
        expect(lab.heading).not_to_have_text(name)


@pytest.mark.slow
def test_a_model_is_looked_at_in_normal_form_saved_and_read_again(lab: Lab, tmp_path: Path) -> None:
    """The normal form of an edge keeps its energies, and so does a file."""
    lab.load("tiny")
    lab.tab("Normal form")
    for edge in (1, 4, 11):
        lab.enter("Edge (1 to 11)", str(edge))
        cells = lab.page.locator("table.plain td").all_inner_texts()
        rows = [cells[k : k + 6] for k in range(0, 24, 6)]
        assert [row[0] for row in rows] == ["0 0", "0 1", "1 0", "1 1"]
        for (a, b), row in zip(((0, 0), (0, 1), (1, 0), (1, 1)), rows, strict=True):
            before, after, moved_i, moved_j, total = (float(cell.replace("−", "-")) for cell in row[1:])
            assert before == sample("tiny").pairwise[edge - 1, a, b]
            assert after + moved_i + moved_j == total == before
    lab.tab("Save")
    for title in ("native", "max-cut", "qh", "COO"):
        lab.choose("Format of the file", title)
        if title == "max-cut":
            expect(lab.complaint).to_contain_text("which a cut cannot express")
            continue
        missing = lab.page.get_by_text("This format has no place for the constant")
        expect(missing).to_have_count(1 if title == "qh" else 0)
        with lab.page.expect_download() as download:
            lab.page.get_by_role("button", name="Save the model").click()
        name = download.value.suggested_filename
        assert name.partition(".")[0] == "tiny"
        path = tmp_path / name
        download.value.save_as(path)
        mrf, x, y = sample("tiny"), [0] * 6, [1, 0, 1, 0, 1, 0]
        again = load(path)
        assert again.energy(x) - again.energy(y) == pytest.approx(mrf.energy(x) - mrf.energy(y))


LONG = "A name that goes on and on " + "without an end" * 7
STRANGE = [
    "first\nsecond\n\n# third",
    "\u0645\u0631\u062d\u0628\u0627",
    "\u202eturned around",
    "\U0001f469\u200d\U0001f467 \U0001f388",
    LONG,
    "\x00",
]


@pytest.mark.slow
def test_names_of_any_length_and_script_leave_every_page_as_it_is(lab: Lab) -> None:
    """On a screen and on a phone."""
    names = [f"{STRANGE[k % 6]} {k}" for k in range(12)]
    edges = [(k, (k + 1) % 12) for k in range(12)]
    tables = np.tile([[0.0, 1.0], [1.5, 0.0]], (12, 1, 1))
    kinds = [STRANGE[k // 2] for k in range(12)]
    mrf = bc.BinaryMRF(np.ones((12, 2)), edges, tables, names=names, groups=kinds, name=LONG, description=LONG * 50)
    lab.upload("strange.mrf.json", dumps(mrf))
    expect(lab.complaint).to_have_count(0)
    expect(lab.heading).to_have_attribute("title", LONG)
    for page in ("instance", "partition", "watch", "edge", "compare"):
        if page != "instance":
            lab.go(page.capitalize())
        for width, height in ((390, 844), (1280, 800)):
            lab.page.set_viewport_size({"width": width, "height": height})
            lab.settle()
            assert lab.page.evaluate("document.documentElement.scrollWidth") <= width, page
            expect(lab.complaint).to_have_count(0)
            if page == "instance":
                assert lab.heading.bounding_box()["height"] < 80
            if page == "watch":
                assert lab.stage.locator(".run [name=model]").bounding_box()["width"] < width
                assert lab.stage.locator("[data-out=message]").bounding_box()["height"] < 30
        if page == "watch":
            lab.expect_run(model=label(LONG), M=8)
            expect(lab.stage.locator(".node").nth(2)).to_have_attribute("aria-label", "turned around")
            lab.click("[data-step=node]")
            # What just happened stays in sight.
            said = lab.stage.locator(".said").bounding_box()
            assert said["y"] + said["height"] <= height
            assert lab.stage.locator(".status").bounding_box()["height"] < 40


NASTY = [
    "<img src=x onerror=\"document.title='owned'\">",
    "<script>document.title='owned'</script>",
    "**bold** _it_ :red[red] [link](http://example.com)",
    "$x^2$ $$\\frac{a}{b}$$",
    "</svg></div><iframe></iframe>",
    "&lt;b&gt; &amp; <br>",
]


@pytest.mark.slow
def test_text_from_a_file_is_shown_as_it_is(lab: Lab) -> None:
    model = {
        "format": "bender-lab-mrf",
        "version": 1,
        "name": NASTY[0],
        "description": " ".join(NASTY),
        "source": NASTY[1],
        "objective": {"name": NASTY[2], "sense": "max", "scale": -1},
        "variables": [{"name": text, "group": NASTY[k // 2]} for k, text in enumerate(NASTY)],
        "unary": [[0, 1]] * 6,
        "edges": [[0, 2], [2, 4], [4, 0], [1, 3], [0, 1]],
        "pairwise": [[[0, 1], [1, 0]]] * 5,
    }

    def nothing_is_markup() -> None:
        """No element of the kinds that the texts above would make."""
        expect(lab.page).to_have_title(re.compile("Bender Lab$"))
        made = "iframe, .katex, img[src=x], strong:has-text('bold'), a[href*='example.com'], b:has-text('&')"
        expect(lab.page.locator(made)).to_have_count(0)

    lab.tab("Upload")
    lab.upload(f"{NASTY[5].replace('/', '')}.mrf.json", json.dumps(model).encode())
    expect(lab.complaint).to_have_count(0)
    expect(lab.heading).to_have_text(NASTY[0])
    expect(lab.page.get_by_text(model["description"], exact=True)).to_be_visible()
    expect(lab.page.get_by_text(f"The source maximises its {NASTY[2]} = −energy.", exact=True)).to_be_visible()
    lab.page.get_by_text("Source", exact=True).click()
    expect(lab.page.get_by_text(NASTY[1], exact=True)).to_be_visible()
    lab.tab("Normal form")
    expect(lab.page.locator("table.plain th").nth(3)).to_have_text(f"moved to {label(NASTY[0], SHORT)}")
    nothing_is_markup()

    lab.go("Partition")
    for name in NASTY[:3]:
        drawn = lab.page.locator(".js-plotly-plot text").get_by_text(name, exact=True)
        expect(drawn.first).to_be_visible()
    lab.edit_by_hand()
    lab.choose("Variable", NASTY[3])
    lab.press("Move")
    lab.tab("Groups")
    expect(lab.page.get_by_text(f"{NASTY[0]}: {NASTY[0]}, {NASTY[1]}", exact=False).first).to_be_visible()
    nothing_is_markup()

    lab.press("Partition and watch")
    lab.expect_run(model=NASTY[0])
    for name in NASTY[:3]:
        expect(lab.stage.get_by_label(name, exact=True)).to_be_visible()
        expect(lab.stage.locator(".node-name").get_by_text(label(name, SHORT), exact=True)).to_be_visible()
    lab.click("[data-step=node]")
    assert NASTY[0] in lab.text("sentence")
    lab.click(".node[data-node='1']")
    assert NASTY[1] in lab.text("message")
    lab.stage.locator(".node[data-node='1']").hover()
    expect(lab.stage.locator(".tip")).to_contain_text(NASTY[2])
    expect(lab.stage.locator("[data-out=own]")).to_contain_text(label(NASTY[2], SHORT))
    expect(lab.stage.locator("[data-out=own]")).to_have_attribute("title", NASTY[2])
    # The links of the stage itself lead to the tour.
    expect(lab.stage.locator("img, script, iframe, a:not([href^=learn], [data-act=whole]), strong")).to_have_count(0)
    nothing_is_markup()

    lab.go("Edge")
    expect(lab.page.get_by_role("combobox", name="Message")).to_have_value(re.compile(re.escape(NASTY[1])))
    for look in ("Row anatomy", "Over time", "What if"):
        lab.page.get_by_role("radio", name=look).click()
        lab.settle()
        nothing_is_markup()

    lab.go("Instance")
    lab.tab("Upload")
    lab.upload(f"{NASTY[0].replace('/', '')}.uai", b"MARKOV")
    expect(lab.complaint).to_contain_text("<img")
    nothing_is_markup()
