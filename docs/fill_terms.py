"""Write the app's table of terms into docs/terms.md: ``python -m docs.fill_terms``."""

from __future__ import annotations

from pathlib import Path

from pages._shared.app.glossary import GLOSSARY, in_markdown

DOCUMENT = Path(__file__).parent / "terms.md"
_HEAD = "| term | symbol | meaning | where it is seen |\n|---|---|---|---|\n"


def filled(text: str) -> str:
    """A document with all terms in its table, which is at its end."""
    lines = "".join(f"{in_markdown(f'**{name}**', term)}\n" for name, term in GLOSSARY.items())
    return text.partition(_HEAD)[0] + _HEAD + lines


if __name__ == "__main__":
    DOCUMENT.write_text(filled(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
