"""What everything costs: the one table, of what the loop counts and of what it takes.

The loop counts *entries* of tables read. Its budget, its choice of a method and the work it gives to searching depend
on these counts alone, never on a clock, so that a run is the same on every machine. Seconds are predicted from the
second part of the table (`bender_core.costs`), whose units are measured on the machine at hand.
"""

from __future__ import annotations

from bender_core.kernels.layout import STEP

# -- counted by the loop, in entries ------------------------------------------------------------------------------

# A step of the loop beside its passes: small groups are all overhead, and the budget has to see it.
STEPPED = 512
# Exact min-marginals beside and per entry; measured (`make bench` prints the times).
STATE = 400
ELIMINATED, ELIMINATION = 12, 4000
PRUNED, PRUNING = 4, 60000
# A flip of the search for better labellings: for every member of the model, and for every member of a neighbour.
FLIP, NEIGHBOUR = 4, 40
# Of the work that goes into messages, 1 / SHARE goes into better labellings. Small groups take more than `STEPPED`
# says, so that is the most.
SHARE = 8
# Flips between two looks at the budget.
FLIPPING = STEP >> 4

# -- fitted to measured seconds -----------------------------------------------------------------------------------

# In the overhead of one enumerated state: a run (the call, events and snapshots), a sweep, an update, a message, an
# entry that is projected from or to active states, a round of oracles for every message and one more, a row, a
# Magnanti-Wong row per bit of the sender.
RUN, SWEEP, UPDATE, MESSAGE, PROJECTED, ROUND, ROW, CUT = 3890, 64, 14, 2.3, 0.115, 1.4, 95, 15.2
# In passes: over a group's tables in an update, over what is sent in an oracle, over the total in a round, over the
# envelope and the total when a row is put to use, over what is sent in a cut, over both tables of a recycled row.
UPDATED, READ, SOUGHT, RAISED, CUT_PASSES, RECYCLED = 0.73, 5.4, 0.01, 1.5, 1.8, 1.05
# Enumeration: a state of the receiver, per bit of the sender (overhead); a pair of states (entries of a pass).
STATE_OVERHEAD, PAIR = 0.33, 0.89
# Elimination: a message (overhead); an entry of a table.
ELIMINATION_OVERHEAD, TABLE_ENTRY = 21, 0.75
# Pruning: a message (overhead); an entry looked at to list the first candidates, and an entry of the receiver for every
# candidate that survives, SURVIVING of them for every round of the receiver.
PRUNING_OVERHEAD, LOOKED_AT, SURVIVING = 476, 20, 100
# An entry that the loop counts where min-marginals are exact.
COUNTED = 1.1
