"""The direction of imports: the library does not import the app, the kernels do not import the library."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "bender_core"
SOURCES = sorted(LIBRARY.rglob("*.py"))
OF_THE_APP = {"streamlit"}
OF_FIGURES = {"plotly", "networkx", "matplotlib"}
# Louvain's communities; loaded where they are asked for, as the test of a fresh process sees.
BORROWED = {"bender_core/strategies/communities.py": {"networkx"}, "bender_core/synth/_graphs.py": {"networkx"}}


@cache
def parsed(source: Path) -> ast.Module:
    return ast.parse(source.read_text(encoding="utf-8"))


def imported(source: Path) -> set[str]:
    """All modules that a file imports, also within functions."""
    found = set()
    for node in ast.walk(parsed(source)):
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
    # The command line draws figures, and loads them when it does.
    if within not in ("visualization", "__main__.py"):
        assert not any(module.startswith("bender_core.visualization") for module in modules)
    if within == "kernels":
        ours = {module for module in modules if module.startswith("bender_core")}
        assert all(module.startswith(("bender_core.kernels.", "bender_core.files.")) for module in ours)


# The layers of the library, folders and single files, the lowest first: each may know those on the lines above its own.
LIBRARY_LAYERS = (
    "files given objective resources sums",
    "account child_process kernels model seeds stopping units variants",
    "forms groups io statistics synth",
    "checking hypergraph strategies",
    "labelings",
    "engine",
    "cycles looking rivals",
    "warming",
    "trying",
    "dimod experiments",
    "__init__ visualization",
    "__main__",
)
# The same of what pages share; every page knows `running`, `app`, `partitioning`, `forks` and the folder of its name.
APP_LAYERS = (
    "running",
    "app",
    "partitioning forks",
    "compare cycles edge experiments game instance learn method partition",
    "watch",
    "beforehand",
)


def entry(module: str, folder: Path, package: str) -> str:
    """The entry of the layers that an imported module belongs to."""
    parts = module.removeprefix(f"{package}.").split(".") if module != package else ["__init__"]
    return parts[0] if (folder / parts[0]).is_dir() or (folder / f"{parts[0]}.py").is_file() else "__init__"


def upward(sources: list[Path], folder: Path, package: str, layers: tuple[str, ...]) -> list[str]:
    """Imports that do not go down to a lower layer."""
    layer = {name: k for k, names in enumerate(layers) for name in names.split()}
    found = []
    for source in sources:
        own = source.relative_to(folder).parts[0].removesuffix(".py")
        for module in imported(source):
            if module == package or module.startswith(f"{package}."):
                other = entry(module, folder, package)
                if other != own and layer[other] >= layer[own]:
                    found.append(f"{name(source)} knows {module}")
    return found


def test_the_library_imports_from_lower_layers_only() -> None:
    assert upward(SOURCES, LIBRARY, "bender_core", LIBRARY_LAYERS) == []
    entries = {source.relative_to(LIBRARY).parts[0].removesuffix(".py") for source in SOURCES}
    assert entries == set(" ".join(LIBRARY_LAYERS).split()), "the table names every folder and file once"


def test_the_app_imports_from_lower_layers_only() -> None:
    shared = ROOT / "pages" / "_shared"
    assert upward(sorted(shared.rglob("*.py")), shared, "pages._shared", APP_LAYERS) == []
    for page in sorted((ROOT / "pages").glob("*.py")):
        known = {module.split(".")[2] for module in imported(page) if module.startswith("pages.")}
        assert known <= {"running", "app", "partitioning", "forks", page.stem}, (
            f"{page.name} knows the folder of another page"
        )


# What is larger than the rest, and why. What becomes smaller leaves the table.
MANY_ARGUMENTS = {
    "solve": "a keyword for every setting of a run, as scripts say it",
    "certify": "a keyword for every setting of a proof",
    "price": "a keyword for every setting of a proof",
    "explain": "the numbers of an event that its sentence may need",
    "verdict": "the numbers that decide what a run has shown",
    "_cut": "a row, where it is made and what it is compared with",
    "task_of": "the columns of a plan",
    "looks": "what a page shows of a message",
    "_run": "the settings of a run",
    "Descent.__init__": "a proof from the start, or from a run",
    "ising_grid": "the parameters of a family of models",
    "emit": "the columns of an event",
    "_carry_messages": "two runs, and how one came from the other",
    "_add_couplings": "two runs, and how one came from the other",
    "add_often": "an array for every operand",
}
LONG = {
    "_workspace_shapes": "a table of all arrays of a run",
    "_parser": "every option of the command line",
    "_works": "a table of what is stopped",
    "app": "a table of what is stopped",
    "run": "one experiment of the benchmark of forks",
}
MANY_NAMES = {"BinaryMRF": 29}


@cache
def functions() -> list[tuple[str, ast.FunctionDef]]:
    """All functions, those of classes by both names."""
    found = []
    for source in (
        source for folder in ("bender_core", "pages", "benchmarks") for source in (ROOT / folder).rglob("*.py")
    ):
        for node in ast.walk(parsed(source)):
            owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
            children = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.FunctionDef)]
            found += [(owner + child.name, child) for child in children]
    return found


def test_functions_take_few_arguments() -> None:
    def count(function: ast.FunctionDef) -> int:
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        return len(names) + len(function.args.kwonlyargs) - (names[:1] in (["self"], ["cls"]))

    many = {name for name, function in functions() if count(function) > 6}
    assert many == {name for name in many if name in MANY_ARGUMENTS}
    assert set(MANY_ARGUMENTS) <= many, "what has become smaller leaves the table"


def test_functions_are_short() -> None:
    def lines(function: ast.FunctionDef) -> int:
        body = function.body[1:] if ast.get_docstring(function) else function.body
        return function.body[-1].end_lineno - body[0].lineno + 1 if body else 0

    long = {name for name, function in functions() if lines(function) > 50}
    assert long == {name for name in long if name in LONG}
    assert set(LONG) <= long, "what has become shorter leaves the table"


def test_classes_have_few_public_names() -> None:
    def names(node: ast.ClassDef) -> set[str]:
        methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        fields = {
            each.target.id
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
        return {name for name in methods | fields if not name.startswith("_")}

    many = {}
    for source in [*SOURCES, *(ROOT / "pages").rglob("*.py")]:
        for node in ast.walk(parsed(source)):
            if isinstance(node, ast.ClassDef) and len(names(node)) > 25:
                many[node.name] = len(names(node))
    assert many == MANY_NAMES


def test_an_engine_has_few_public_names() -> None:
    import bender_core as bc

    mrf = bc.BinaryMRF([[0.0, 1.0]])
    engine = bc.Engine(mrf, bc.manual(mrf, [[0]]))
    assert len([name for name in dir(engine) if not name.startswith("_")]) <= 25
    assert bc.Engine.__mro__ == (bc.Engine, object)


# They say nothing of what they name; see the words of docs/architecture.md.
EMPTY_WORDS = {"told", "said", "came", "stand", "stands", "held", "wanted", "looked", "asked", "heard", "reckoning"}


def test_names_say_what_they_name() -> None:
    """Of functions, classes, arguments, variables and attributes of the library and the pages, word by word."""
    found = set()
    for source in [*SOURCES, *(ROOT / "pages").rglob("*.py")]:
        for node in ast.walk(parsed(source)):
            given = [getattr(node, field, None) for field in ("name", "id", "arg", "attr")]
            words = {word for each in given if isinstance(each, str) for word in each.lower().split("_")}
            found |= {(name(source), word) for word in words & EMPTY_WORDS}
    assert found == set()


def test_everything_compiled_lives_in_the_kernels() -> None:
    outside = [source for source in SOURCES if "kernels" not in source.relative_to(LIBRARY).parts]
    assert len(outside) < len(SOURCES)
    assert not [name(source) for source in outside if any(m.startswith("numba") for m in imported(source))]
