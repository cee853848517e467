"""Seeded generators of models, in one registry.

The same parameters give the same model everywhere; every model states the call that makes it in ``source``. A family is
one entry of ``FAMILIES``, which is all a form needs to offer it.
"""

from __future__ import annotations

from bender_core.model import BinaryMRF, ModelError
from bender_core.synth import cycles, grids, pose, trees
from bender_core.synth._family import Family, Parameter, Value
from bender_core.synth.cycles import frustrated_cycle
from bender_core.synth.grids import ising_grid
from bender_core.synth.pose import body_pose
from bender_core.synth.trees import random_tree

__all__ = [
    "FAMILIES",
    "Family",
    "Parameter",
    "body_pose",
    "frustrated_cycle",
    "generate",
    "ising_grid",
    "random_tree",
]

FAMILIES: dict[str, Family] = {
    family.name: family for family in (pose.FAMILY, grids.FAMILY, cycles.FAMILY, trees.FAMILY)
}


def generate(family: str, **values: Value) -> BinaryMRF:
    """A model of a family, its parameters checked.

    Parameters
    ----------
    family : str
        A key of ``FAMILIES``.
    **values
        Parameters of the family; defaults for those left out.

    Raises
    ------
    ModelError
        If the family or a parameter is unknown, or a value not allowed.
    """
    if family not in FAMILIES:
        raise ModelError(f"there is no family {family!r}; known are {', '.join(FAMILIES)}")
    return FAMILIES[family](**values)
