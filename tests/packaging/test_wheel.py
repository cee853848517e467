"""A wheel in an empty environment: the library, its types, the command line and the app, from a foreign folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

import bender_core as bc
from bender_core.resources import SAMPLES
from tests.browser.server import free_port, running

pytestmark = pytest.mark.wheel
ROOT = Path(__file__).parents[2]
CLIENT = 'import bender_core as bc\n\nreveal_type(bc.solve(bc.sample("tiny")))\nreveal_type(bc.__version__)\n'
# A run of the app's script, and an experiment, which is a process of its own.
SCRIPT = """
import sys
from pathlib import Path
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest
from bender_core.resources import APP

sys.path.insert(0, str(APP))
import pages
from pages._shared.running import solver

solver._solver.wait()
PagesManager.uses_pages_directory = False
test = AppTest.from_file(APP / "app.py", default_timeout=120)
test.query_params.update({"sample": "tiny", "M": "3"})
test.run()
assert not test.exception, test.exception
assert not test.error, test.error
print(pages.__file__, test.session_state.lab.mrf.n)

from pages._shared.experiments.experimenting import Experiment
from bender_core.experiments import Store

Path("plan.toml").write_text(sys.argv[1])
experiment = Experiment()
experiment.start(Path("plan.toml"), Path("runs.sqlite"), workers=1)
experiment.thread.join()
print(experiment.failure or f"{len(Store(Path('runs.sqlite')).runs())} runs")
"""
PLAN = """
[[instances]]
family = "ising_grid"
rows = 3

[runs]
sizes = [3]
variants = [4, 9]
"""


def output_of(*command: str | Path, folder: Path, code: int = 0) -> str:
    """What a command prints where nothing else is, without the paths of this environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a source distribution, and of the wheel that is built from that."""
    folder = tmp_path_factory.mktemp("dist")
    output_of(sys.executable, "-m", "build", "--outdir", folder, ROOT, folder=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def empty(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel and what it depends on, and no more."""
    folder = tmp_path_factory.mktemp("empty")
    output_of(sys.executable, "-m", "venv", folder, folder=folder)
    output_of(folder / "bin/python", "-m", "pip", "install", "--quiet", wheel, folder=folder)
    return folder / "bin"


@pytest.fixture(scope="module")
def with_app(empty: Path, wheel: Path) -> Path:
    """The same with the packages of the app; the tests before need that they are missing."""
    output_of(empty / "python", "-m", "pip", "install", "--quiet", f"{wheel}[app]", folder=wheel.parent)
    return empty


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder with modules of the names of ours."""
    for name in ("pages", "app", "bender_core"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise AssertionError('the wrong one')")
    return tmp_path


def test_a_wheel_has_all_and_only_what_is_used(wheel: Path) -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    kept = re.compile(r"(\.streamlit|bender_core|docs/study|pages|sample_instances)/|app\.py$")
    tools = re.compile(r"sample_instances/.*\.py$|pages/_shared/frontend/(\.npmrc|eslint.*|package.*)$")
    expected = {name for name in tracked if kept.match(name) and not tools.match(name)}
    names = {name for name in contents(wheel) if ".dist-info/" not in name}
    assert {name.removeprefix("bender_lab/") for name in names} == expected
    assert {name.partition("/")[0] for name in names} == {"bender_core", "bender_lab"}


def test_a_source_distribution_gives_the_same_wheel(built: Path, wheel: Path, tmp_path: Path) -> None:
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        assert any(name.endswith("/CITATION.cff") for name in archive.getnames())
    # The one built first came out of the source distribution; this one comes out of the repository.
    output_of(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT, folder=tmp_path)
    assert contents(tmp_path / wheel.name) == contents(wheel)


def test_the_command_line_in_an_empty_environment(empty: Path, foreign: Path) -> None:
    said = json.loads(output_of(empty / "bender-lab", "solve", SAMPLES / "tiny.mrf.json", "--json", folder=foreign))
    assert (said["optimal"], said["lower_bound"]) == (True, -3.0)
    assert output_of(empty / "bender-lab", "--version", folder=foreign) == f"Bender Lab {bc.__version__}\n"
    assert "usage: bender-lab solve" in output_of(empty / "bender-lab", "solve", folder=foreign, code=2)
    said_of_app = output_of(empty / "bender-lab", "app", folder=foreign, code=2)
    assert said_of_app == "error: the app needs packages that are not installed: pip install 'bender-lab[app]'\n"


def test_the_library_in_an_empty_environment(empty: Path, foreign: Path) -> None:
    code = "import bender_core as bc; print(bc.solve(bc.sample('karate')).optimal, bc.__file__)"
    optimal, place = output_of(empty / "python", "-P", "-c", code, folder=foreign).split()
    assert optimal == "True"
    assert Path(place).is_relative_to(empty.parent)
    # Louvain's communities are found by another process.
    code = "import bender_core as bc; print(len(bc.partition(bc.sample('karate'), 8, 'community')))"
    assert int(output_of(empty / "python", "-P", "-c", code, folder=foreign)) > 1


def test_a_client_sees_the_types(empty: Path, tmp_path: Path) -> None:
    (tmp_path / "client.py").write_text(CLIENT)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", empty / "python", "client.py"]
    said = output_of(*command, folder=tmp_path)
    assert re.findall(r'Revealed type is "(.+)"', said) == ["bender_core.engine.result.Result", "str"], said


def test_the_app_of_a_wheel_is_served(with_app: Path, foreign: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    port, log = free_port(), tmp_path_factory.mktemp("log") / "server.log"
    url = f"http://127.0.0.1:{port}"
    with running([str(with_app / "bender-lab"), "app", "--port", str(port)], foreign, log, url):
        with urllib.request.urlopen(url, timeout=10) as page:
            assert b"<title>" in page.read()
        # The page of the app's own server: this address is not Streamlit's.
        with urllib.request.urlopen(f"{url}/watch", timeout=10) as page:
            assert page.url.rstrip("/") == url
    assert "error" not in log.read_text().lower()


def test_the_script_of_a_wheel_runs(with_app: Path, foreign: Path) -> None:
    lines = output_of(with_app / "python", "-P", "-c", SCRIPT, PLAN, folder=foreign).splitlines()
    (place,) = with_app.parent.rglob("bender_lab/pages/__init__.py")
    assert f"{place} {bc.sample('tiny').n}" in lines
    assert "2 runs" in lines
