"""Which way the arrows run: the library knows no app, the kernels know no library."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "bender_core"
SOURCES = sorted(LIBRARY.rglob("*.py"))
OF_THE_APP = {"streamlit"}
OF_FIGURES = {"plotly", "networkx"}
# Louvain's communities; loaded where they are asked for, as the test of a fresh process sees.
BORROWED = {"bender_core/strategies/communities.py": {"networkx"}, "bender_core/synth/_graphs.py": {"networkx"}}


def imported(source: Path) -> set[str]:
    """All modules that a file imports, also within functions."""
    found = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}: imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def name(source: Path) -> str:
    return source.relative_to(ROOT).as_posix()


def test_the_library_loads_neither_the_app_nor_its_figures() -> None:
    code = "import sys, bender_core, bender_core.__main__; print(*{name.partition('.')[0] for name in sys.modules})"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "bender_core" in loaded
    assert not loaded & (OF_THE_APP | OF_FIGURES)


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_imports(source: Path) -> None:
    modules = imported(source)
    roots = {module.partition(".")[0] for module in modules}
    assert not roots & OF_THE_APP
    assert not roots & {"pages", "app", "tests", "benchmarks"}
    within = source.relative_to(LIBRARY).parts[0]
    if within != "visualization":
        assert not roots & OF_FIGURES - BORROWED.get(name(source), set())
        assert not any(module.startswith("bender_core.visualization") for module in modules)
    if within == "kernels":
        ours = {module for module in modules if module.startswith("bender_core")}
        assert all(module.startswith("bender_core.kernels.") for module in ours)


def test_partitions_know_no_runs() -> None:
    """What runs a model in order to judge a partition is planning's."""
    for source in (LIBRARY / "partition").glob("*.py"):
        for module in imported(source):
            assert not module.startswith(
                ("bender_core.run.engine", "bender_core.planning", "bender_core.costs.estimate")
            )


def test_everything_compiled_lives_in_the_kernels() -> None:
    outside = [source for source in SOURCES if source.parent.name != "kernels"]
    assert len(outside) < len(SOURCES)
    assert not [name(source) for source in outside if any(m.startswith("numba") for m in imported(source))]
