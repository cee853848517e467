"""A study in one file, from which anybody can repeat it: plan, instances, runs, tables, figures, and environment."""

from __future__ import annotations

import io
import json
import os
import platform
import re
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bender_core.experiments.comparison import tables
from bender_core.experiments.contenders import Study
from bender_core.experiments.deciding import packages
from bender_core.experiments.methods import METHODS
from bender_core.experiments.plan import Instance, PlanError, read_plan
from bender_core.experiments.report import report
from bender_core.experiments.store import FinishedRun, Store
from bender_core.experiments.tables import columns, to_csv

# In a plan, the pattern of some files.
_FILES = re.compile(r"""files\s*=\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*')""")
_README = """# {name}

{question}

{runs} runs of the study `plan.toml`, by Bender Lab {version}.

- `runs.sqlite`: the runs with their curves and labellings; `runs.csv`, `runs.parquet`: one line for each.
- `report.txt`: the tables; those of contenders and of pairs are in `tables/`, too, for programs (CSV) and for papers
  (LaTeX, with the package booktabs). `figures/`: the figures, and what they show.
- `environment.json`: the machine that wrote this file, its versions of packages, and the versions of the code that did
  the runs.

```sh
pip install "bender-lab[{extras}]=={version}"
python -m bender_core experiment report plan.toml --store runs.sqlite    # the tables again, from these runs
python -m bender_core experiment run plan.toml --store mine.sqlite       # all runs again
```
"""


def bundle(plan: Path, study: Study, store: Store, figures: Mapping[str, bytes], version: str) -> bytes:
    """A ZIP file with all that a study is made of and has found.

    Parameters
    ----------
    plan : Path
        Its file; the instances that it names lie relative to its folder.
    study : Study
        The runs of this plan (`tables.of_plan`).
    store : Store
        Where they are kept.
    figures : mapping
        By the names of their files.
    version : str
        Of this library.

    Raises
    ------
    PlanError
        If the plan's patterns of files are written in a way that cannot be replaced.
    StoreError, OSError
        If a file cannot be read, or there is no room for a copy of the runs.
    """
    out = io.BytesIO()
    runs = study.runs
    text, instances = _moved(plan)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as whole:
        described = read_plan(plan)
        has_rivals = any(run.task.method is not None and run.task.method.package for run in runs)
        extras = "app,experiments" + ",rivals" * has_rivals
        facts = {"name": described.name, "question": described.question, "runs": len(runs), "version": version}
        whole.writestr("README.md", _README.format(**facts, extras=extras))
        whole.writestr("plan.toml", text)
        for place, path in instances.items():
            # Without its date, which ZIP files may be unable to say.
            whole.writestr(place, path.read_bytes())
        whole.writestr("runs.sqlite", _copy(store, runs, instances))
        whole.writestr("runs.csv", to_csv(runs))
        whole.writestr("runs.parquet", to_parquet(runs))
        whole.writestr("report.txt", report(runs, study.tasks) + "\n")
        for name, table in tables(study).items():
            whole.writestr(f"tables/{name}.csv", table.csv())
            whole.writestr(f"tables/{name}.tex", table.latex())
        whole.writestr("environment.json", json.dumps({"bender-lab": version} | environment(runs), indent=2) + "\n")
        for file, content in figures.items():
            whole.writestr(f"figures/{file}", content)
    return out.getvalue()


def to_parquet(runs: Sequence[FinishedRun]) -> bytes:
    """The runs as a Parquet file, with the columns of `tables.columns`."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    out = io.BytesIO()
    parquet.write_table(pa.table(columns(runs)), out)
    return out.getvalue()


def environment(runs: Sequence[FinishedRun]) -> dict[str, object]:
    """Describe this machine, and the versions that results and times depend on."""
    versions = packages(by_method=True)
    for method in METHODS.values():
        versions |= packages(by_method=True, external=method.package)
    return {
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "packages": versions,
        "code of the runs": sorted({run.code for run in runs}),
    }


def processor() -> str:
    """The name of the processor, as Linux has it; elsewhere what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _copy(store: Store, runs: Sequence[FinishedRun], instances: Mapping[str, Path]) -> bytes:
    """A store with these runs alone, whose instances lie beside it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.sqlite"
        store.copy((run.task.key for run in runs), path, {str(file): place for place, file in instances.items()})
        return path.read_bytes()


def _moved(plan: Path) -> tuple[str, dict[str, Path]]:
    """The text of a plan with its instances in folders beside it, and their files by their places there."""
    text = plan.read_text(encoding="utf-8")
    patterns = [entry["files"] for entry in tomllib.loads(text)["instances"] if "files" in entry]
    folders: dict[str, str] = {}
    places: dict[Path, str] = {}
    for pattern in dict.fromkeys(patterns):
        # Patterns may overlap: a file is moved once.
        found = [path for path in sorted(plan.parent.glob(pattern)) if not path.is_dir()]
        new = [path for path in found if path not in places]
        folder = folders[pattern] = (
            f"instances/{len(folders) + 1}" if new else "/".join(places[found[0]].split("/")[:2])
        )
        # Files in several folders may share a name; those of one family keep their order.
        are_unique = len({path.name for path in new}) == len(new)
        for number, path in enumerate(new):
            name = path.name.replace("\\", "-")
            # There, too, the name of its folder is that of its family.
            family = Instance(str(path)).family.replace("\\", "-")
            places[path] = f"{folder}/{family}/{name if are_unique else f'{number:06}-{name}'}"

    def moved(found: re.Match[str]) -> str:
        try:
            pattern = tomllib.loads(found[0])["files"]
        except tomllib.TOMLDecodeError:
            return found[0]  # in a comment, or in a text
        return f'files = "{folders[pattern]}/*/*"' if pattern in folders else found[0]

    text = _FILES.sub(moved, text)
    if [entry["files"] for entry in tomllib.loads(text)["instances"] if "files" in entry] != [
        f"{folders[pattern]}/*/*" for pattern in patterns
    ]:
        raise PlanError(f'{plan.name}: its files cannot be moved; write every pattern like files = "models/*.uai"')
    return text, {place: path for path, place in places.items()}
