"""Settings of the site of documents that Sphinx makes: ``make docs``.

Its pages are the Markdown files at the root and in docs/, as they are; the API pages are beside them, in api/. Nothing
is loaded from the network: formulas are MathML, and the search is a script that also works on files.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import bender_core  # noqa: E402
from docs import api_pages  # noqa: E402

project = "Bender Lab"
version = release = bender_core.__version__
html_title = f"Bender Lab {release}"
html_theme = "furo"
html_favicon = "../pages/_shared/icon.svg"
html_copy_source = False
html_show_copyright = False
html_math_renderer = "mathml"
html_css_files = ["site.css"]
html_static_path = ["_static"]
templates_path = ["_templates"]
html_sidebars = {
    "**": [f"sidebar/{part}.html" for part in ("brand", "search", "scroll-start", "navigation", "api", "scroll-end")]
}
html_additional_pages = {"index": "index.html"}

root_doc = "README"
include_patterns = ["*.md", "docs/*.md"]
exclude_patterns = [".*", "**/node_modules", "docs/site"]
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3

CONTENTS = {
    "Using it": ["docs/guide", "docs/teaching", "docs/notebooks", "docs/hosting", "docs/terms", "docs/formats"],
    "The method": ["docs/method", "docs/cycles", "docs/proofs", "docs/benchmarks", "docs/study"],
    "The project": ["docs/architecture", "CONTRIBUTING", "CHANGELOG"],
}


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (_mathml("inline"), None), (_mathml("block"), None))
    app.connect("builder-inited", _write_api)
    app.connect("source-read", _add_contents)
    app.connect("doctree-resolved", _link_to_api)
    app.connect("build-finished", _link_from_api)


def _mathml(display: str):
    def visit(translator, node) -> None:
        translator.body.append(convert(node.astext(), display=display))
        raise nodes.SkipNode

    return visit


def _write_api(app: Sphinx) -> None:
    app.documented = api_pages.write(Path(app.outdir) / "api")


def _add_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """Append the table of contents, which would be noise in the file README.md itself."""
    if name == root_doc:
        source[0] += "".join(
            f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
            for caption, pages in CONTENTS.items()
        )


def _link_to_api(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Make a link of code like ``bc.solve``, ``Engine`` and ``Engine.fork`` that has an entry on the API pages."""
    for code in list(doctree.findall(nodes.literal)):
        entry = re.sub(r"^(bc|bender_core)\.|\(.*", "", code.astext())
        # A lower-case name on its own is perhaps that of something else.
        if entry in app.documented and (entry != code.astext() or entry[0].isupper()):
            uri = relative_uri(app.builder.get_target_uri(name), f"api/bender_core.html#{entry}")
            code.replace_self(nodes.reference("", "", code.deepcopy(), refuri=uri, internal=True))


def _link_from_api(app: Sphinx, failure: Exception | None) -> None:
    if not failure:
        api_pages.link_citations(Path(app.outdir) / "api", Path(app.outdir) / "docs")
