"""Partitions made from the model alone: one registry of named rules, and the quality of a partition."""

from bender_core.strategies.choice import (
    AUTO,
    BY_RUNS,
    PURSUIT,
    STRATEGIES,
    Quality,
    Tell,
    applicable,
    applicable_rules,
    default_strategy,
    partition,
    quality,
    register,
    soon,
)

__all__ = [
    "AUTO",
    "BY_RUNS",
    "PURSUIT",
    "STRATEGIES",
    "Quality",
    "Tell",
    "applicable",
    "applicable_rules",
    "default_strategy",
    "partition",
    "quality",
    "register",
    "soon",
]
