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
# The code that decides the result of a proof besides.
OF_PROOFS = ("checking/*.py", "looking/*.py", "strategies/**/*.py", "trying/*.py", "warming.py")
# Packages of others that do so, too.
OF_OTHERS = ("numba", "numpy", "networkx")


@lru_cache(maxsize=2)
def code_version(proves: bool) -> str:
    """A hash of the code that decides results, with the versions of the packages it uses.

    Parameters
    ----------
    proves : bool
        Whether the results are those of proofs.

    Returns
    -------
    str
    """
    deciding = OF_RUNS + OF_PROOFS * proves
    digest = hashlib.sha256(" ".join(map(version, OF_OTHERS)).encode())
    for path in sorted({path for pattern in deciding for path in LIBRARY.glob(pattern)}):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(LIBRARY).as_posix()} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]
