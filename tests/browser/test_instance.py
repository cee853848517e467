"""Picking, uploading and making models; and that nothing in a file becomes markup."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from bender_core import synth
from bender_core.io import dumps
from tests.browser.lab import SAMPLES, Lab, sample

pytestmark = pytest.mark.browser

TABLES = '"unary": [[0, 1], [0, 1]], "edges": [[0, 1]], "pairwise": [[[0, 0], [0, -3]]]'
UAI = "MARKOV\n2\n2 2\n3\n1 0\n1 1\n2 0 1\n\n2\n1 2\n\n2\n1 3\n\n4\n1 2\n3 4\n"
BROKEN = {
    "truncated.uai": UAI[:-12].encode(),
    "counts.uai": UAI.replace("\n4\n1", "\n5\n1").encode(),
    "three-states.uai": UAI.replace("2 2\n3", "2 3\n3").encode(),
    "nan.mrf.json": f'{{"format": "bender-lab-mrf", "version": 1, {TABLES.replace("-3", "NaN")}}}'.encode(),
    "promise.uai": b"MARKOV\n1000000000000\n" + b"2 " * 130 + b"\n1000000000000\n",
    "junk.bin": random.Random(0).randbytes(500),
    "bomb.uai.gz": gzip.compress(b"MARKOV\n" + bytes(30 << 20)),
    "empty.uai": b"",
}


@pytest.fixture
def lab(page: Page, settle: Callable[[Page], None]) -> Lab:
    return Lab(page, settle).open("/instance")


def test_every_sample_is_loaded_from_the_gallery_and_watched(lab: Lab) -> None:
    for path in sorted(SAMPLES.glob("*.mrf.json")):
        name = path.name.removesuffix(".mrf.json")
        mrf = sample(name)
        lab.load(name)
        expect(lab.heading).to_have_text(mrf.name)
        expect(lab.page.get_by_test_id("stMetricValue").first).to_have_text(str(mrf.n))
        expect(lab.page.locator(".js-plotly-plot").first).to_be_visible()
    lab.go("Watch")
    expect(lab.stage.locator(".title")).to_contain_text(mrf.name)


def test_a_broken_file_is_one_sentence_and_the_model_stays(lab: Lab) -> None:
    lab.load("tiny")
    lab.tab("Upload")
    for name, content in BROKEN.items():
        lab.upload(name, content)
        # The file goes its own way to the server, before the script is asked to run.
        expect(lab.complaint).to_have_text(re.compile(f"^{re.escape(name)}: "))
        said = lab.complaint.inner_text()
        assert said.endswith("The model you had is still here.")
        assert "\n" not in said
        assert "Traceback" not in lab.page.content()
        expect(lab.heading).to_have_text("tiny")
    lab.upload("two.uai", UAI.encode())
    expect(lab.complaint).to_have_count(0)
    expect(lab.heading).to_have_text("two")
    lab.upload("karate.mrf.json.gz", gzip.compress(dumps(sample("karate"), "native")))
    expect(lab.complaint).to_have_count(0)
    expect(lab.heading).to_have_text("karate")


def test_every_family_is_made_with_its_defaults(lab: Lab) -> None:
    lab.tab("Make one")
    for name, family in synth.FAMILIES.items():
        lab.choose("Family", family.title)
        lab.press("Make it")
        expect(lab.heading).to_have_text(synth.generate(name).name)
        expect(lab.complaint).to_have_count(0)


def test_what_is_typed_just_before_the_click_counts(lab: Lab) -> None:
    lab.tab("Make one")
    lab.choose("Family", synth.FAMILIES["random_tree"].title)
    lab.page.get_by_label("Variables", exact=True).fill("12")
    lab.press("Make it")
    expect(lab.heading).to_have_text(synth.random_tree(n=12).name)


def test_the_normal_form_of_an_edge_keeps_its_energies(lab: Lab) -> None:
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


NASTY = [
    "<img src=x onerror=\"document.title='owned'\">",
    "<script>document.title='owned'</script>",
    "**bold** _it_ :red[red] [link](http://example.com)",
    "$x^2$ $$\\frac{a}{b}$$",
    "</svg></div><iframe></iframe>",
    "&lt;b&gt; &amp; <br>",
]


def test_text_from_a_file_is_shown_as_it_is(lab: Lab) -> None:
    model = {
        "format": "bender-lab-mrf",
        "version": 1,
        "name": NASTY[0],
        "description": " ".join(NASTY),
        "source": NASTY[1],
        "variables": [{"name": text, "group": NASTY[k // 2]} for k, text in enumerate(NASTY)],
        "unary": [[0, 1]] * 6,
        "edges": [[0, 2], [2, 4], [4, 0], [1, 3], [0, 1]],
        "pairwise": [[[0, 1], [1, 0]]] * 5,
    }

    def nothing_is_markup() -> None:
        """No element of the kinds that the texts above would make."""
        expect(lab.page).to_have_title("Bender Lab")
        made = "iframe, .katex, img[src=x], strong:has-text('bold'), a[href*='example.com'], b:has-text('&')"
        expect(lab.page.locator(made)).to_have_count(0)

    lab.tab("Upload")
    lab.upload(f"{NASTY[5].replace('/', '')}.mrf.json", json.dumps(model).encode())
    expect(lab.complaint).to_have_count(0)
    expect(lab.heading).to_have_text(NASTY[0])
    expect(lab.page.get_by_text(model["description"], exact=True)).to_be_visible()
    lab.page.get_by_text("Source", exact=True).click()
    expect(lab.page.get_by_text(NASTY[1], exact=True)).to_be_visible()
    lab.tab("Normal form")
    expect(lab.page.locator("table.plain th").nth(3)).to_have_text(f"moved to {NASTY[0]}")
    nothing_is_markup()

    lab.go("Partition")
    for label in NASTY[:3]:
        drawn = lab.page.locator(".js-plotly-plot text").get_by_text(label, exact=True)
        expect(drawn.first).to_be_visible()
    lab.edit_by_hand()
    lab.choose("Variable", NASTY[3])
    lab.press("Move")
    lab.tab("Groups")
    expect(lab.page.get_by_text(f"{NASTY[0]}: {NASTY[0]}, {NASTY[1]}", exact=False).first).to_be_visible()
    nothing_is_markup()

    lab.press("Cut and watch")
    expect(lab.stage.locator(".title")).to_contain_text(NASTY[0])
    for label in NASTY[:3]:
        expect(lab.stage.locator(".node").get_by_text(label, exact=True)).to_be_visible()
    lab.click("[data-step=node]")
    assert NASTY[0] in lab.text("sentence")
    lab.click(".node[data-node='1']")
    assert NASTY[1] in lab.stage.locator(".edge .name").inner_text()
    lab.stage.locator(".node[data-node='1']").hover()
    expect(lab.stage.locator(".tip")).to_contain_text(NASTY[2])
    expect(lab.stage.locator("img, script, iframe, a, strong")).to_have_count(0)
    nothing_is_markup()

    lab.go("Instance")
    lab.tab("Upload")
    lab.upload(f"{NASTY[0].replace('/', '')}.uai", b"MARKOV")
    expect(lab.complaint).to_contain_text("<img")
    nothing_is_markup()
