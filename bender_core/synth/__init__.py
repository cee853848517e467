"""Seeded generators of models, in one registry.

The same parameters give the same model everywhere; every model states the call that makes it in ``source``. A family is
one entry of ``FAMILIES``, with everything a form needs to offer it.
"""

from __future__ import annotations

from bender_core.model import BinaryMRF, ModelError
from bender_core.synth import boltzmann, chimeras, cuts, cycles, glasses, grids, images, loops, modularity, pose, trees
from bender_core.synth._family import Family, Parameter, Value
from bender_core.synth.boltzmann import restricted_boltzmann
from bender_core.synth.chimeras import chimera
from bender_core.synth.cuts import max_cut, random_max_cut
from bender_core.synth.cycles import frustrated_cycle
from bender_core.synth.glasses import random_regular, sherrington_kirkpatrick
from bender_core.synth.grids import ising_grid
from bender_core.synth.images import image_denoising, image_segmentation
from bender_core.synth.loops import planted
from bender_core.synth.modularity import communities, planted_communities
from bender_core.synth.pose import body_pose
from bender_core.synth.trees import random_tree, tree_plus

__all__ = [
    "FAMILIES",
    "Family",
    "Parameter",
    "Value",
    "body_pose",
    "chimera",
    "communities",
    "frustrated_cycle",
    "generate",
    "image_denoising",
    "image_segmentation",
    "ising_grid",
    "max_cut",
    "planted",
    "planted_communities",
    "random_max_cut",
    "random_regular",
    "random_tree",
    "restricted_boltzmann",
    "sherrington_kirkpatrick",
    "tree_plus",
]

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        pose.FAMILY,
        grids.FAMILY,
        chimeras.FAMILY,
        *glasses.FAMILIES,
        loops.FAMILY,
        cycles.FAMILY,
        *trees.FAMILIES,
        *cuts.FAMILIES,
        *modularity.FAMILIES,
        *images.FAMILIES,
        boltzmann.FAMILY,
    )
}


def generate(family: str, **values: Value) -> BinaryMRF:
    """A model of a family, its parameters checked.

    Parameters
    ----------
    family : str
        A key of ``FAMILIES``.
    **values
        Parameters of the family; defaults for omitted ones.

    Raises
    ------
    ModelError
        If the family or a parameter is unknown, or a value is not allowed.
    """
    if family not in FAMILIES:
        raise ModelError(f"there is no family {family!r}; known are {', '.join(FAMILIES)}")
    return FAMILIES[family](**values)
