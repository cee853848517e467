"""The code of a component is sent to a browser once: its modules and its style."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pages._shared.app import frontend
from pages._shared.app.frontend import FRONTEND, Component, modules, script

COMPONENTS = ("ahead", "stage", "cycles", "pictures", "curves", "address", "terms", "learn", "game")
SOURCES = [
    path for path in FRONTEND.rglob("*") if path.suffix in (".js", ".css", ".html") and "node_modules" not in path.parts
]


@pytest.fixture
def session_state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    state: dict[str, Any] = {}
    monkeypatch.setattr(frontend.st, "session_state", state)
    return state


def test_code_goes_to_a_tab_once_and_again_if_it_is_missing(session_state: dict[str, Any]) -> None:
    component = Component("curves")
    mounted: list[dict[str, Any]] = []
    component._mount = lambda **given: mounted.append(given)
    component.mount({"runs": []})
    component.mount({"runs": []})
    mounted[-1]["on_missing_change"]()
    component.mount({"runs": []})
    assert [given["data"]["code"] for given in mounted] == [component.code, None, component.code]
    assert {given["key"] for given in mounted} == {"curves"}


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_is_sent_all_modules_it_imports_and_no_others(name: str) -> None:
    found = modules(f"{name}/{name}.js")
    assert found == {path: (FRONTEND / path).read_text(encoding="utf-8") for path in found}
    other = set(COMPONENTS) - {name}
    assert not [path for path in found if path.split("/")[0] in other]


@pytest.mark.parametrize("name", COMPONENTS)
def test_modules_become_one_script_without_imports_in_which_each_follows_what_it_imports(name: str) -> None:
    main = f"{name}/{name}.js"
    text = script(main)
    (exported,) = re.findall(r"^(?:import|export)\b.*", text, re.MULTILINE)
    names = re.fullmatch(r"export const \{ (.*) \} = all\.at\(-1\);", exported)
    assert names
    assert names[1].split(", ") == re.findall(r"^export [a-z* ]+ (\w+)", modules(main)[main], re.MULTILINE)
    assert re.findall(r"^// (\S+\.js)\nall\.push", text, re.MULTILINE) == list(modules(main))
    # What is imported is there: no module imports one that imports it.
    parts = text.split("all.push(")
    for place, part in enumerate(parts[1:]):
        for taken, of in re.findall(r"^const \{([^}]*)\} = all\[(\d+)\];$", part, re.MULTILINE):
            assert int(of) < place
            given = re.findall(r"\w+", parts[int(of) + 1].rsplit("return {", 1)[1].split("}")[0])
            assert {name.split(":")[0].strip() for name in taken.split(",") if name.strip()} <= set(given)


def test_every_module_is_part_of_a_component() -> None:
    sent = {path for name in COMPONENTS for path in modules(f"{name}/{name}.js")}
    there = {
        path.relative_to(FRONTEND).as_posix() for path in FRONTEND.rglob("*.js") if "node_modules" not in path.parts
    }
    assert there - sent == {"loader.js", "first_picture.js", "eslint.config.js"}


def test_files_of_the_frontend_are_short() -> None:
    for path in SOURCES:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 300, path
        assert max(map(len, lines)) <= 120, path


def test_code_is_not_large() -> None:
    """Each is less than a tenth of the scripts of Plotly, which other pages load. Nothing is minified."""
    for name, most in {
        "stage": 470_000,
        "pictures": 60_000,
        "curves": 73_000,
        "learn": 160_000,
        "game": 125_000,
        "terms": 40_000,
    }.items():
        assert len(json.dumps(Component(name).code)) <= most


def test_packages_are_locked_wherever_they_come_from() -> None:
    locked = json.loads((FRONTEND / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    asked = json.loads((FRONTEND / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in asked} == asked
    packages = [package for path, package in locked.items() if path]
    assert all("integrity" in package and "resolved" not in package for package in packages)
