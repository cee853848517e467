"""docs/method.md and docs/formats.md: citations exist, GitHub renders the formulas, and the examples are correct."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import bender_core as bc
from bender_core.engine.trace import COLUMNS
from bender_core.experiments import PlanError, read_plan
from bender_core.io import FORMATS, Format, FormatError, load, load_evidence, load_labeling

ROOT = Path(__file__).parents[2]
DOCUMENTS = {name: (ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("method", "formats", "cycles")}
SECTIONS = {
    name: dict(re.findall(r"^##+ (\d+(?:\.\d+)?) (.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    for name, text in DOCUMENTS.items()
}
BY_FORMAT = {match[1]: text for text in SECTIONS["formats"].values() if (match := re.match(r"`([\w-]+)`\n", text))}
# "docs/method.md §3.4 and §4.2", and "method.md, section 5".
_NUMBER = r"\d+(?:\.\d+)?"
_CITATION = re.compile(rf"\b(method|formats|cycles)\.md((?: §|, sections? ){_NUMBER}(?:(?:,| and)+ §?{_NUMBER})*)")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
_REFUSALS = re.compile(r"^\| refused[^|\n]* \| sentence \|\n\|---\|---\|\n((?:\|.*\n)+)", re.MULTILINE)


def refusals(text: str) -> list[tuple[str, str]]:
    """The refused files of a section, with their sentences."""
    return [
        (file.encode().decode("unicode_escape"), sentence)
        for table in _REFUSALS.findall(text)
        for file, sentence in re.findall(r"^\| `(.*?)` \| (.*) \|$", table, re.MULTILINE)
    ]


def first_block(text: str) -> str:
    return re.findall(r"^```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]


def test_sections_are_numbered_in_order() -> None:
    for text in DOCUMENTS.values():
        numbers = [tuple(map(int, n.split("."))) for n in re.findall(r"^##+ (\d+(?:\.\d+)?) ", text, re.MULTILINE)]
        assert numbers == sorted(set(numbers))
        assert len(text.splitlines()) <= 800


def test_cited_sections_exist() -> None:
    cited = 0
    for path in [*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("[bpt]*/**/*.py")]:
        for document, numbers in _CITATION.findall(re.sub(r"[\s#]+", " ", path.read_text(encoding="utf-8"))):
            for number in re.findall(r"\d+(?:\.\d+)?", numbers):
                cited += 1
                assert number in SECTIONS[document], f"{path.name} cites {document}.md §{number}"
    assert cited > 50
    for document, text in DOCUMENTS.items():
        for number in re.findall(r"§(\d+(?:\.\d+)?)", _CITATION.sub("", text)):
            assert number in SECTIONS[document], f"{document}.md cites its §{number}"


def documented() -> Iterator[tuple[str, Callable[..., object]]]:
    """Every public function, and every public method of a public class."""
    things = [(name, getattr(bc, name)) for name in bc.__all__]
    for name, thing in [*things, *((f"looking.{name}", getattr(bc.looking, name)) for name in bc.looking.__all__)]:
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            methods = inspect.getmembers(thing, inspect.isfunction)
            yield from ((f"{name}.{method}", found) for method, found in methods if not method.startswith("_"))


def test_public_functions_document_what_they_take_and_give() -> None:
    for name, function in documented():
        told, signature = inspect.getdoc(function) or "", inspect.signature(function)
        if told.startswith("The old name of"):
            continue
        for parameter in signature.parameters.keys() - {"self"}:
            assert re.search(rf"(?m)^(\w+, )*(\*\*)?{parameter}(, \w+)*( :|$)", told), (
                f"{name} does not say what {parameter} is"
            )
        gives = len(signature.parameters) > 1 and signature.return_annotation != "None"
        assert not gives or "Returns\n-------" in told, f"{name} does not say what it returns"


def test_links_between_documents_lead_somewhere() -> None:
    for path in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/notebooks").glob("*.ipynb"), *ROOT.glob("*.md")]:
        for target, anchor in _LINK.findall(path.read_text(encoding="utf-8")):
            there = path.parent / target if target else path
            assert there.exists(), f"{path.name} links to {target}"
            if anchor:
                headings = re.findall(r"^#+ (.*)", there.read_text(encoding="utf-8"), re.MULTILINE)
                slugs = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
                assert anchor in slugs, f"{path.name} links to {target}#{anchor}"


def test_formulas_survive_markdown() -> None:
    """GitHub takes ``\\{``, ``*`` and an underscore after a brace for Markdown, within a formula too."""
    for text in DOCUMENTS.values():
        prose = re.sub(r"`[^`\n]+`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
        for line in prose.splitlines():
            assert line.count("$") % 2 == 0, line
            for formula in re.findall(r"\$(.*?)\$", line):
                assert not re.search(r"\\[^a-zA-Z]|\*|\||[^\w\s]_", formula), formula


def test_every_format_has_its_section() -> None:
    assert list(BY_FORMAT) == [name for name in BY_FORMAT if name in {form.name for form in FORMATS}]
    assert set(BY_FORMAT) == {form.name for form in FORMATS}
    for form in FORMATS:
        endings = " ".join(form.endings) if form.name != "native" else ".mrf.json"
        assert all(f"`{ending}`" in BY_FORMAT[form.name].lower() for ending in endings.split()), form.name
        assert ("only read" in BY_FORMAT[form.name]) == (form.write is None)


def content_of(form: Format, example: str) -> bytes:
    """The file that an example shows: one that is binary with escapes, in lines."""
    if not form.magic:
        return example.encode()
    return "".join(example.splitlines()).encode().decode("unicode_escape").encode("latin-1")


@pytest.mark.parametrize("name", [form.name for form in FORMATS])
def test_examples_of_formats_have_the_energies_stated(name: str) -> None:
    form = next(form for form in FORMATS if form.name == name)
    example = content_of(form, first_block(BY_FORMAT[name]))
    (stated,) = re.findall(r"^Energies of 00, 01, 10, 11: (.*)\.$", BY_FORMAT[name], re.MULTILINE)
    mrf = load(example, name="example" + next(iter(form.endings), ""))
    forced = load(example, format=name)
    assert mrf.content_hash() == forced.content_hash()
    for k, said in enumerate(stated.split(", ")):
        labeling = [k >> 1, k & 1]
        if said == "forbidden":
            assert mrf.violations(labeling)
        else:
            assert not mrf.violations(labeling)
            assert mrf.energy(labeling) == pytest.approx(float(said), abs=1e-6)


@pytest.mark.parametrize("name", [None, *(form.name for form in FORMATS)])
def test_refused_files_are_refused_in_the_words_stated(name: str | None) -> None:
    stated = refusals(BY_FORMAT[name] if name else SECTIONS["formats"]["1.1"])
    assert stated
    for file, sentence in stated:
        with pytest.raises((FormatError, bc.ModelError)) as caught:
            load(file.encode(), format=name)
        assert str(caught.value) == sentence


SPINS = load(b"# vartype=SPIN\n0 0 -1\n0 1 1.5\n")


@pytest.mark.parametrize(
    ("number", "reader"),
    [("3", lambda file: load_evidence(file, 2)), ("4", lambda file: load_labeling(file, SPINS))],
)
def test_evidence_and_labellings_are_read_and_refused_as_stated(number: str, reader: Callable[[bytes], object]) -> None:
    text = SECTIONS["formats"][number]
    read = reader(first_block(text).encode())
    assert read == {0: 1} if number == "3" else np.array_equal(read, [1, 0])
    for file, sentence in refusals(text):
        with pytest.raises(FormatError) as caught:
            reader(file.encode())
        assert str(caught.value) == sentence


def test_the_plan_is_read_and_others_are_refused_as_stated(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(first_block(SECTIONS["formats"]["9.1"]), encoding="utf-8")
    assert len(read_plan(path)) == 97 * (4 * 3 + 4 + 1)
    for plan, sentence in refusals(SECTIONS["formats"]["9.1"]):
        path.write_text(plan, encoding="utf-8")
        with pytest.raises(PlanError) as caught:
            read_plan(path)
        assert str(caught.value) == sentence


def test_the_columns_of_traces_are_those_stated() -> None:
    header = first_block(SECTIONS["formats"]["7"]).splitlines()[0]
    assert header == ",".join(("index", *COLUMNS))
