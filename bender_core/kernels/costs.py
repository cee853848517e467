"""The costs of everything, in one table: as the loop counts them, and as fitted to measured seconds.

The loop counts the *entries* of tables that it reads. Its budget, its choice of a method and the share of work given to
searching depend on these counts alone, never on a clock, so that a run is the same on every machine. Seconds are
predicted from the second part of the table (`bender_core.costs`); its units are measured on the machine at hand.
"""

from __future__ import annotations

from bender_core.kernels.layout import STEP

# -- counted by the loop, in entries ------------------------------------------------------------------------------

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
SPELL, SCANNED, LOOKED_UP, ASKED, MEMBER = 60000, 4, 10, 60, 600
# Flips between two looks at the budget.
FLIPPING = STEP >> 4

# -- fitted to measured seconds -----------------------------------------------------------------------------------

# In units of the overhead of one enumerated state: a run (the call, events and snapshots); a sweep; an update; a
# message; an entry projected from or to active states; a round of oracles, per message and once more; a row; a
# Magnanti-Wong row, per bit of the sender.
RUN, SWEEP, UPDATE, MESSAGE, PROJECTED, ROUND, ROW, CUT = 3890, 64, 14, 2.3, 0.115, 1.4, 95, 15.2
# In passes: over the tables of a group in an update; over the sender's table in an oracle; over the total in a round;
# over the envelope and the total when a row is added; over the sender's table in a cut; over both tables of a recycled
# row.
UPDATED, READ, SOUGHT, RAISED, CUT_PASSES, RECYCLED = 0.73, 5.4, 0.01, 1.5, 1.8, 1.05
# Enumeration: a state of the receiver, per bit of the sender (overhead); a pair of states (entries of a pass).
STATE_OVERHEAD, PAIR = 0.33, 0.89
# Elimination: a message (overhead); an entry of a table.
ELIMINATION_OVERHEAD, TABLE_ENTRY = 21, 0.75
# Pruning: a message (overhead); an entry read to list the first candidates; and an entry of the receiver for every
# surviving candidate, of which there are SURVIVING for every round of the receiver.
PRUNING_OVERHEAD, LOOKED_AT, SURVIVING = 476, 20, 100
# An entry counted by the loop where min-marginals are exact.
COUNTED = 1.1
