"""The costs of everything, as the loop counts them, in one table.

The loop counts the *entries* of tables that it reads. Its budget, its choice of a method and the share of work given to
searching depend on these counts alone, never on a clock, so that a run is the same on every machine.
"""

from __future__ import annotations

from bender_core.kernels.layout import STEP

# The overhead of a step of the loop. Small groups are almost all overhead, so the budget includes it.
STEPPED = 512
# Exact min-marginals: enumeration, per state of the receiver; elimination and pruning, per entry and per message.
# Measured (`make bench` prints the times).
STATE = 400
ELIMINATED, ELIMINATION = 12, 4000
PRUNED, PRUNING = 4, 60000
# A flip in the search for better labellings: per member of the model, and per member of a neighbour.
FLIP, NEIGHBOUR = 4, 40
# The search for better labellings takes at most 1 / SHARE of the work that goes into messages.
SHARE = 8
# The search without groups (kernels.search): a spell; a variable that is scanned, a neighbour that is looked up, a
# variable that may be eliminated, and one that is.
SPELL, SCANNED, NEIGHBOUR_LOOKUP, CONSIDERED, MEMBER = 60000, 4, 10, 60, 600
# Flips between two looks at the budget.
FLIPPING = STEP >> 4
