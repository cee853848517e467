"""The sample models that come with the library."""

from __future__ import annotations

from bender_core.io import load
from bender_core.model import BinaryMRF
from bender_core.resources import SAMPLES

_ENDING = ".mrf.json"


def sample_names() -> list[str]:
    """The names of the sample models, in alphabetical order."""
    return sorted(path.name.removesuffix(_ENDING) for path in SAMPLES.glob(f"*{_ENDING}"))


def sample(name: str) -> BinaryMRF:
    """Load a sample model by its name.

    Parameters
    ----------
    name : str
        Of a file in ``sample_instances``, without its ending.

    Returns
    -------
    BinaryMRF

    Raises
    ------
    ValueError
        If there is no sample of this name; lists those that there are.

    Examples
    --------
    >>> import bender_core as bc
    >>> bc.sample("tiny").n
    6
    """
    names = sample_names()
    if name not in names:
        known = f"choose one of {', '.join(names)}" if names else f"there are none in {SAMPLES}"
        raise ValueError(f"there is no sample {name!r}; {known}")
    return load(SAMPLES / f"{name}{_ENDING}")
