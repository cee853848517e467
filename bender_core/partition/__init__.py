"""Cutting the variables into hyper-variables of at most M members, by named strategies or by hand."""

from bender_core.partition.choice import (
    AUTO,
    STRATEGIES,
    Quality,
    applicable,
    default_strategy,
    partition,
    quality,
    register,
)
from bender_core.partition.groups import (
    LARGEST_GROUP,
    Partition,
    PartitionError,
    coupled_groups,
    independent_cycles,
    manual,
    merge,
    move,
    require_cover,
    split,
    split_by_coupling,
)

__all__ = [
    "AUTO",
    "LARGEST_GROUP",
    "STRATEGIES",
    "Partition",
    "PartitionError",
    "Quality",
    "applicable",
    "coupled_groups",
    "default_strategy",
    "independent_cycles",
    "manual",
    "merge",
    "move",
    "partition",
    "quality",
    "register",
    "require_cover",
    "split",
    "split_by_coupling",
]
