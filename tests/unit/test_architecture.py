"""The direction of imports: the library does not import the app, the kernels do not import the library."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
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
        assert all(module.startswith(("bender_core.kernels.", "bender_core.files.")) for module in ours)


# Rooms and single files of the library, from the ground up: each may know those on the lines above its own.
LIBRARY_FLOORS = (
    "files given objective resources sums",
    "account child_process kernels model seeds stopping units variants",
    "forms groups io statistics synth",
    "checking hypergraph strategies",
    "labelings memory rivals",
    "costs",
    "run",
    "proofs",
    "planning",
    "experiments",
    "__init__ visualization",
    "__main__",
)
# The same of what pages share; every page knows `running`, `app`, `cuts`, `forks` and the room of its own name.
APP_FLOORS = ("running", "app", "cuts forks", "compare edge experiments instance learn method partition", "watch")


def room(module: str, folder: Path, package: str) -> str:
    """The room of an imported module."""
    parts = module.removeprefix(f"{package}.").split(".") if module != package else ["__init__"]
    return parts[0] if (folder / parts[0]).is_dir() or (folder / f"{parts[0]}.py").is_file() else "__init__"


def upward(sources: list[Path], folder: Path, package: str, floors: tuple[str, ...]) -> list[str]:
    """Imports between rooms that do not go down."""
    floor = {name: k for k, names in enumerate(floors) for name in names.split()}
    found = []
    for source in sources:
        own = source.relative_to(folder).parts[0].removesuffix(".py")
        for module in imported(source):
            if module == package or module.startswith(f"{package}."):
                other = room(module, folder, package)
                if other != own and floor[other] >= floor[own]:
                    found.append(f"{name(source)} knows {module}")
    return found


def test_arrows_between_rooms_of_the_library_go_down() -> None:
    assert upward(SOURCES, LIBRARY, "bender_core", LIBRARY_FLOORS) == []
    rooms = {source.relative_to(LIBRARY).parts[0].removesuffix(".py") for source in SOURCES}
    assert rooms == set(" ".join(LIBRARY_FLOORS).split()), "the table names every room once"


def test_arrows_between_rooms_of_the_app_go_down() -> None:
    shared = ROOT / "pages" / "_shared"
    assert upward(sorted(shared.rglob("*.py")), shared, "pages._shared", APP_FLOORS) == []
    for page in sorted((ROOT / "pages").glob("*.py")):
        known = {module.split(".")[2] for module in imported(page) if module.startswith("pages.")}
        assert known <= {"running", "app", "cuts", "forks", page.stem}, f"{page.name} knows the room of another page"


def test_pages_and_files_are_short() -> None:
    for page in (ROOT / "pages").glob("*.py"):
        assert len(page.read_text(encoding="utf-8").splitlines()) <= 200, f"{page.name}: read state, call, draw"
    for folder in ("bender_core", "pages", "benchmarks", "tests"):
        for source in (ROOT / folder).rglob("*.py"):
            assert len(source.read_text(encoding="utf-8").splitlines()) <= 540, name(source)


def test_folders_can_be_read_at_a_glance() -> None:
    files = [
        path for folder in ("bender_core", "pages", "benchmarks", "tests") for path in (ROOT / folder).rglob("*.py")
    ]
    sizes = Counter(name(path.parent) for path in files if path.name != "__init__.py")
    assert {"bender_core/kernels", "pages/_shared/app", "tests/unit/run"} <= sizes.keys()
    assert {folder: size for folder, size in sizes.items() if size > 20} == {}, "a folder with more needs rooms"


def test_everything_compiled_lives_in_the_kernels() -> None:
    outside = [source for source in SOURCES if "kernels" not in source.relative_to(LIBRARY).parts]
    assert len(outside) < len(SOURCES)
    assert not [name(source) for source in outside if any(m.startswith("numba") for m in imported(source))]
