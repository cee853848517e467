"""The version of the code that decides a result, which is part of the key of a run in a store.

Modules left out affect only texts and files, or the groups and the model, which are in the key themselves.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.metadata import version

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


@lru_cache(maxsize=2)
def code_version(by_method: bool) -> str:
    """A hash of the code that decides results, with the versions of the packages it uses.

    Parameters
    ----------
    by_method : bool
        Whether the results are those of methods without chosen groups (`experiments.methods`).

    Returns
    -------
    str
    """
    deciding, others = OF_RUNS + OF_METHODS * by_method, OF_OTHERS + OTHERS_OF_METHODS * by_method
    digest = hashlib.sha256(" ".join(map(version, others)).encode())
    for path in sorted({path for pattern in deciding for path in LIBRARY.glob(pattern)}):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(LIBRARY).as_posix()} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]
