"""The version of the code that decides a result, which is part of the key of a run in a store.

Modules left out affect only texts and files, or the groups and the model, which are in the key themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from bender_core.resources import LIBRARY

# The code that decides the result of a run, besides the model and its groups: it makes, ends or records the run.
OF_RUNS = (
    "account.py",
    "engine/*.py",
    "experiments/lane.py",
    "experiments/outcome.py",
    "experiments/perform.py",
    "forms/*.py",
    "given.py",
    "groups.py",
    "hypergraph.py",
    "kernels/**/*.py",
    "labelings/*.py",
    "model.py",
    "seeds.py",
    "stopping.py",
    "sums.py",
    "variants.py",
)
# The code that decides the result of a method besides.
OF_METHODS = (
    "checking/*.py",
    "cycles/*.py",
    "experiments/methods.py",
    "looking/*.py",
    "rivals/*.py",
    "strategies/**/*.py",
    "trying/*.py",
    "warming.py",
)
# Packages of others that do so, too; and those that only methods use.
OF_OTHERS = ("numba", "numpy", "networkx")
OTHERS_OF_METHODS = ("highspy",)


@lru_cache
def code_version(by_method: bool, external: str = "") -> str:
    """A hash of the code that decides results, with the versions of the packages it uses.

    Parameters
    ----------
    by_method : bool
        Whether the results are those of methods without chosen groups (`experiments.methods`).
    external : str
        The package of an external solver, if it is one.

    Returns
    -------
    str
    """
    deciding, others = OF_RUNS + OF_METHODS * by_method, packages(by_method, external)
    digest = hashlib.sha256(" ".join(others.values()).encode())
    for path in sorted({path for pattern in deciding for path in LIBRARY.glob(pattern)}):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(LIBRARY).as_posix()} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]


def packages(by_method: bool, external: str = "") -> dict[str, str]:
    """The versions of the packages that decide results; empty for one that is not installed.

    Parameters
    ----------
    by_method : bool
    external : str
        The package of an external solver, if it is one.
    """
    names = OF_OTHERS + OTHERS_OF_METHODS * by_method + ((external,) if external else ())
    return {name: _installed(name) for name in names}


def difference(code: str, versions: Mapping[str, str], own_code: str) -> str:
    """What decides results in another way here than elsewhere, as the end of a sentence; empty if nothing does.

    Parameters
    ----------
    code : str
        The `code_version` there.
    versions : mapping
        The `packages` there.
    own_code : str
        The `code_version` here.
    """
    for name, other in versions.items():
        own = _installed(name)
        if own != other:
            return f"has {f'{name} {own}' if own else f'no {name}'} where the runs are planned with {other or 'none'}"
    return "" if own_code == code else "has other code of Bender Lab than the runs are planned with"


@lru_cache
def _installed(package: str) -> str:
    """The version of a package; empty if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
