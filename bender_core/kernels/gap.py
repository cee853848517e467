"""When bounds meet, up to a tolerance (docs/method.md §9.3)."""

from __future__ import annotations

from bender_core.kernels._jit import inner
from bender_core.kernels.rows.pool import TIGHT

# Where a sweep has gained no more than the tolerance, a gap of up to NEARLY tolerances counts as closed, but none above
# CLOSED (unless the tolerance itself is larger).
NEARLY, CLOSED = 10.0, 1e-8


@inner
def negligible(tolerance, problem, rule, bounds):
    """The difference of energies that is nothing beside the bound, or beside what is at stake if that is less.

    What is at stake, unlike the bound, does not depend on the constant that the model carries.
    """
    scale = min(abs(bounds.lower + rule.constant), problem.scale)
    return max(tolerance * scale, TIGHT * problem.scale)


@inner
def gains_nothing(problem, rule, bounds):
    """Whether a sweep has raised the bound by no more than what is negligible."""
    return bounds.lower - bounds.sweep_start <= negligible(rule.tolerance, problem, rule, bounds)


@inner
def is_closed(problem, rule, bounds):
    """Whether the bounds meet."""
    return _meet(rule.tolerance, problem, rule, bounds)


@inner
def is_nearly_closed(problem, rule, bounds):
    """Whether they meet where sweeps have stopped bringing anything, which may be a little before they would."""
    return _meet(max(rule.tolerance, min(NEARLY * rule.tolerance, CLOSED)), problem, rule, bounds)


@inner
def _meet(tolerance, problem, rule, bounds):
    """Whether the gap is negligible, and rounding hides none."""
    gap = bounds.upper - bounds.lower
    return problem.gap_scale > 0.0 and gap <= negligible(tolerance, problem, rule, bounds)
