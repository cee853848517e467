"""Pages of the library's API from its docstrings, made by pdoc, for the site that ``docs/conf.py`` describes."""

from __future__ import annotations

import pkgutil
import re
import warnings
from pathlib import Path

import pdoc

import bender_core

_CITATION = re.compile(r"docs/(method|formats)\.md((?:(?:,| and)?\s§\d+(?:\.\d+)?)+)")
_SECTION = re.compile(r'<section id="([^"]+)">\s*(?:<span[^>]*></span>)*<h[23]>(\d+(?:\.\d+)?) ')


def write(folder: Path) -> set[str]:
    """Write a page for each public module; returns the anchors on the page of ``bender_core``."""
    # pdoc leaves out the modules of packages that have ``__all__``, and finds those of the others by itself.
    found = pkgutil.walk_packages(bender_core.__path__, "bender_core.")
    names = ["bender_core", *(module.name for module in found if "._" not in module.name)]
    pdoc.render.configure(
        docformat="numpy",
        footer_text=f"Bender Lab {bender_core.__version__}",
        template_directory=Path(__file__).parent / "_templates/api",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The constructor of a NamedTuple has its annotations as text alone; pdoc shows that text.
        warnings.filterwarnings("ignore", r"Error parsing type annotation ForwardRef\(.*\.__init__\.")
        warnings.filterwarnings("ignore", r"The module specification .* has already been added")
        pdoc.pdoc(*names, output_directory=folder)
    return set(re.findall(r'id="([\w.]+)"', (folder / "bender_core.html").read_text(encoding="utf-8")))


def link_citations(folder: Path, documents: Path) -> None:
    """Make a link of every section that a page cites, like "docs/method.md §3.4", to its page in ``documents``."""
    anchors = {
        name: {number: anchor for anchor, number in _SECTION.findall((documents / f"{name}.html").read_text("utf-8"))}
        for name in ("method", "formats")
    }
    for page in folder.rglob("*.html"):
        up = "../" * len(page.relative_to(folder).parts) + documents.name

        def linked(citation: re.Match[str], up: str = up) -> str:
            name = citation[1]
            return f"docs/{name}.md" + re.sub(
                r"§(\d+(?:\.\d+)?)",
                lambda section: f'<a href="{up}/{name}.html#{anchors[name][section[1]]}">{section[0]}</a>',
                citation[2],
            )

        page.write_text(_CITATION.sub(linked, page.read_text("utf-8")), "utf-8")
