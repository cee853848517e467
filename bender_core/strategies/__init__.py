"""Partitions made from the model alone: one registry of named rules, and the quality of a partition."""

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
