"""Pages of the library's API from its docstrings, and of the two specifications that they cite: ``make docs``.

pdoc makes the pages. Formulas become MathML, which every browser shows without a connection, and "docs/method.md §3.4"
becomes a link.
"""

from __future__ import annotations

import pkgutil
import re
import shutil
import warnings
from functools import partial
from pathlib import Path

import pdoc
from latex2mathml.converter import convert
from pdoc.render_helpers import to_html

import bender_core

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs/api"
SPECIFICATIONS = ("method", "formats")
_CODE = r"^```(?!math).*?^```|`[^`\n]+`"
_FORMULA = r"^```math\n(?P<block>.*?)^```|\$(?P<inline>[^$\n]+)\$"
_CODE_OR_FORMULA = re.compile(f"(?P<code>{_CODE})|{_FORMULA}", re.MULTILINE | re.DOTALL)
_CITATION = re.compile(r"docs/(method|formats)\.md((?:(?:,| and)?\s§\d+(?:\.\d+)?)+)")
_PAGE = """{% extends "frame.html.jinja2" %}
{% block title %}{{ title }}{% endblock %}
{% block nav %}<a class="pdoc-button" href="index.html">API</a>{{ text.toc_html | safe }}{% endblock %}
{% block content %}<main class="pdoc"><section class="module-info"><div class="docstring">{{ text | safe }}</div>
</section></main>{% endblock %}"""

_INDEX = """{% extends "index.html.jinja2" %}
{% block nav %}<h2>Specification</h2><ul><li><a href="method.html">The method</a></li>
<li><a href="formats.html">Formats</a></li></ul>{{ super() }}{% endblock %}
{% block logo %}<h1>Bender Lab</h1>{% endblock %}"""


def main() -> None:
    """Write all pages, in place of those of the last time."""
    # The constructor of a NamedTuple has its annotations as text alone; pdoc shows that text.
    warnings.filterwarnings("ignore", r"Error parsing type annotation ForwardRef\(.*\.__init__\.")
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir()
    anchors = {name: _write_specification(name) for name in SPECIFICATIONS}
    # Found here: pdoc leaves out the modules of packages that have ``__all__``.
    found = pkgutil.walk_packages(bender_core.__path__, "bender_core.")
    names = ["bender_core", *(module.name for module in found if "._" not in module.name)]
    modules = {name: pdoc.doc.Module.from_name(name) for name in names}
    pdoc.render.configure(docformat="numpy", footer_text="Bender Lab")
    for name, module in modules.items():
        link = partial(_linked, up="../" * name.count("."), anchors=anchors)
        page = PAGES / f"{name.replace('.', '/')}.html"
        page.parent.mkdir(exist_ok=True)
        page.write_text(_CITATION.sub(link, pdoc.render.html_module(module, modules)), encoding="utf-8")
    index = pdoc.render.env.from_string(_INDEX).render(all_modules=modules, root_module_name=None)
    (PAGES / "index.html").write_text(index, encoding="utf-8")
    (PAGES / "search.js").write_text(pdoc.render.search_index(modules), encoding="utf-8")


def _write_specification(name: str) -> dict[str, str]:
    """Write a document as a page; returns the anchor of every section, by its number."""
    formulas: list[str] = []

    def set_aside(found: re.Match[str]) -> str:
        if found["code"]:
            return found["code"]
        display = "inline" if found["inline"] else "block"
        formulas.append(convert(found["inline"] or found["block"], display=display))
        return f"FORMULA{len(formulas) - 1}X"

    markdown = _CODE_OR_FORMULA.sub(set_aside, (ROOT / f"docs/{name}.md").read_text(encoding="utf-8"))
    markdown = re.sub(rf"\]\(({'|'.join(SPECIFICATIONS)})\.md", r"](\1.html", markdown)
    markdown = markdown.replace("](architecture.md", "](../architecture.md")
    html = to_html(markdown)
    title = markdown.splitlines()[0].removeprefix("# ")
    page = pdoc.render.env.from_string(_PAGE).render(title=title, text=html)
    page = re.sub(r"FORMULA(\d+)X", lambda found: formulas[int(found[1])], page)
    (PAGES / f"{name}.html").write_text(page, encoding="utf-8")
    return {number: anchor for anchor, number in re.findall(r'<h[23] id="([^"]+)">(\d+(?:\.\d+)?) ', page)}


def _linked(citation: re.Match[str], up: str, anchors: dict[str, dict[str, str]]) -> str:
    """A citation, its sections made links."""
    name = citation[1]
    numbers = re.sub(
        r"§(\d+(?:\.\d+)?)",
        lambda found: f'<a href="{up}{name}.html#{anchors[name][found[1]]}">{found[0]}</a>',
        citation[2],
    )
    return f"docs/{name}.md{numbers}"


if __name__ == "__main__":
    main()
