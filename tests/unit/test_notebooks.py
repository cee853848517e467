"""The notebooks run from beginning to end, and show what their sentences say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
PLOTLY = "application/vnd.plotly.v1+json"
# The figures of each, and what its sentences rest on.
FIGURES = {"loose-edges": 8, "own-model": 4, "spin-glass-proof": 3, "two-variants": 3}
PRINTED = {
    "loose-edges": [
        "neck – right wrist holds 19% of the gap",
        "RMC       lifts the mean by 0.121",
        "MWC_1     lifts the mean by 0.217",
        "MWC_HALF  lifts the mean by 0.217",
        "MWC_0     lifts the mean by 0.217",
        "mean slack 0.793 → 0.577; LB -35.114 → -35.114",
        " 4.064  the schedule srmp\n 3.932  more sweeps\n",
        " 3.932  a row from ",
        "as before: GAP_CLOSED, 29 more sweeps",
        "the schedule srmp: GAP_CLOSED, 4 more sweeps",
    ],
    "own-model": [
        "17 pixels were wrong, 5 are",
        "optimal: True\nbounds: 56.000000 and 56.000000\nClosed: ",
        "cut weight: 179 of 231, optimal: True",
        "optimal: True, xᵀ Q x = -206, bounds -206 and -206",
        "energy -1.5 optimal True",
    ],
    "spin-glass-proof": [
        "100 of 100 variables decided",
        "8 rounds, 81 cycles, proven: True",
        "0 verified, 1 step: energy -131.00561437404374 is optimal",
        "HiGHS: proven -131.005614",
        "2 error: the labelling costs -131.00561437404374, not -132.00561437404374",
        "2 error: the steps do not prove that the labelling is optimal",
        "2 error: the proof is of another model",
    ],
    "two-variants": [
        "variant 11, MPLP by enumeration: GAP_CLOSED, 6 sweeps",
        "variant 9, RMC on all loose edges: GAP_CLOSED, 9 sweeps",
        "17.4×",
        "variant  9: LB -70.559 after",
    ],
}


def outputs(notebook: nbformat.NotebookNode) -> Iterator[nbformat.NotebookNode]:
    return (output for cell in notebook.cells for output in cell.get("outputs", ()))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert not list(outputs(notebook)), "committed without outputs"
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    kinds = [kind for output in outputs(notebook) for kind in output.get("data", {})]
    assert kinds.count(PLOTLY) == FIGURES[path.stem]
    printed = "".join(output.get("text", "") for output in outputs(notebook))
    assert [line for line in PRINTED[path.stem] if line not in printed] == []


def test_the_gallery_shows_every_notebook() -> None:
    gallery = (ROOT / "docs/notebooks.md").read_text(encoding="utf-8")
    assert {path.stem for path in NOTEBOOKS} == FIGURES.keys() == PRINTED.keys()
    assert [path.name for path in NOTEBOOKS if f"](notebooks/{path.name})" not in gallery] == []
