"""How partitions are made from the model alone: a rule a name, one registry, and what a partition keeps together."""

from bender_core.strategies.choice import (
    AUTO,
    STRATEGIES,
    Quality,
    applicable,
    default_strategy,
    partition,
    quality,
    register,
)

__all__ = [
    "AUTO",
    "STRATEGIES",
    "Quality",
    "applicable",
    "default_strategy",
    "partition",
    "quality",
    "register",
]
