"""The Dockerfile agrees with the rest of the repository, and keeps the rules that its linters check."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from streamlit import config

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
KNOWN = {"FROM", "RUN", "WORKDIR", "COPY", "USER", "ENV", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD"}


def instructions() -> list[tuple[str, str]]:
    """The instructions with their arguments, without comments, and with continued lines joined."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    joined = re.sub(r"\\\n\s*", "", text).split("\n")
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in joined if line]


def arguments(name: str) -> list[str]:
    return [argument for instruction, argument in instructions() if instruction == name]


def sole(name: str) -> str:
    """The arguments of an instruction that is given once."""
    (argument,) = arguments(name)
    return argument


def test_every_instruction_is_known() -> None:
    names = [name for name, _ in instructions()]
    assert set(names) == KNOWN
    assert names[0] == "FROM"
    assert names[-1] == "CMD"


def test_its_python_is_one_that_is_supported() -> None:
    version = re.fullmatch(r"python:(3\.\d+)-slim", sole("FROM"))
    assert version is not None, "a version, not the latest"
    assert f"Programming Language :: Python :: {version[1]}" in PROJECT["project"]["classifiers"]
    assert {f"python{version[1]}"} == set(re.findall(r"python3\.\d+", " ".join(arguments("RUN"))))


def test_it_has_what_a_wheel_has() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if not line.startswith("#")]
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    let_through = {pattern[1:] for pattern in patterns if pattern.startswith("!")}
    assert patterns[0] == "*", "nothing but what is named"
    assert let_through == {*wheel["only-include"], *wheel["force-include"], "requirements.txt"}
    assert all((ROOT / name).exists() for name in let_through)
    assert {"**/node_modules", "**/__pycache__"} == {pattern for pattern in patterns[1:] if not pattern.startswith("!")}


def test_a_change_of_the_code_installs_no_package_again() -> None:
    steps = [f"{name} {argument}" for name, argument in instructions()]
    (installs,) = (k for k, step in enumerate(steps) if "pip install" in step)
    assert steps.index("COPY requirements.txt .") < installs < steps.index("COPY . .")
    assert "--no-cache-dir -r requirements.txt" in steps[installs]


def test_an_ordinary_user_runs_it_and_owns_its_data() -> None:
    user, steps = sole("USER"), [f"{name} {argument}" for name, argument in instructions()]
    assert f"RUN useradd --create-home --uid 1000 {user}" in steps
    after = steps[steps.index(f"USER {user}") :]
    data = dict(pair.split("=") for pair in sole("ENV").split())["BENDER_DATA_DIR"]
    assert data.startswith(f"/home/{user}/")
    assert any(step.startswith(f"RUN mkdir {data} ") for step in after), "made by its owner"
    assert sole("VOLUME") == data


def test_one_port_is_served_exposed_and_checked() -> None:
    # As lists: by a shell, the server would not receive the signal to stop.
    served, checked = json.loads(sole("CMD")), json.loads(sole("HEALTHCHECK").partition("CMD ")[2])
    port = sole("EXPOSE")
    assert f"--server.port={port}" in served
    assert "--server.address=0.0.0.0" in served
    assert f"http://localhost:{port}/" in checked[-1]
    compile(checked[-1], "HEALTHCHECK", "exec")


def test_its_settings_are_those_of_the_guide() -> None:
    guide = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    names = [pair.partition("=")[0] for pair in sole("ENV").split()]
    assert names
    assert [name for name in names if f"| `{name}` |" not in guide] == []


def test_hosting_names_settings_that_there_are() -> None:
    hosting, guide = ((ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("hosting", "guide"))
    of_streamlit = {option.env_var for option in config._config_options_template.values()}
    named = set(re.findall(r"`(STREAMLIT_\w+)`", hosting))
    assert named
    assert named - of_streamlit == set()
    assert {name for name in re.findall(r"`(BENDER_\w+)`", hosting) if f"| `{name}` |" not in guide} == set()
    given = dict(pair.split("=") for pair in sole("ENV").split())
    assert f"| `BENDER_MEMORY_MB` | {given['BENDER_MEMORY_MB']} in the image" in hosting


def test_the_documents_give_its_command() -> None:
    (begin,) = re.findall(r"^# (docker build .*)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    for name in ("README.md", "docs/guide.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert all(f"\n{command}\n" in text for command in begin.split(" && ")), name
