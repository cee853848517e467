"""The worked notebook runs from beginning to end, and shows what it says."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_notebook_runs() -> None:
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "committed without outputs"
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    shown = [kind for cell in notebook.cells for output in cell.get("outputs", ()) for kind in output.get("data", {})]
    assert shown.count("application/vnd.plotly.v1+json") == 5
    said = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", ()))
    assert "12 exact min-marginals by pruning · closed · " in said
