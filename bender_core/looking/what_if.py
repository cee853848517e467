"""What if: the rows of the paper at any state of any message, compared without changing the run.

The rows are made by the run's kernels, in separate scratch: the run does not change.
Source: docs/method.md §12.2.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from bender_core.engine import memory
from bender_core.engine.engine import Engine
from bender_core.engine.rows import over_states
from bender_core.given import require_index
from bender_core.kernels.layout import RowKind
from bender_core.kernels.rows.pool import describe_row, make_row
from bender_core.kernels.tables.projection import active_state
from bender_core.looking.message import envelope, incoming, is_tight, min_marginal
from bender_core.looking.rows import row_payments, row_terms
from bender_core.model import FloatArray
from bender_core.stopping import Stop, never

# If a row takes microseconds, calling the kernel takes longer: the time is the difference between several rows and one,
# each the best of a few trials. A slower row is timed by itself.
REPEATS, TRIALS, LONG_SECONDS = 20, 5, 1e-3


@dataclass(frozen=True, eq=False)
class WhatIfRow:
    """A row that could be added to a message.

    Attributes
    ----------
    kind : RowKind
    state : int
        The state of the receiver at which it was made, where it equals the true min-marginal.
    values : ndarray, shape (2^|Y_p|,)
        The row over the states of the receiver, energy.
    looseness : float
        Mean over all states of the true min-marginal minus the row, energy.
    rise : ndarray, shape (2^|Y_p|,)
        The rise of the envelope at every state, energy.
    lift : float
        The mean of ``rise``: the mean slack that it removes.
    tightened : int
        The number of states that would become tight.
    u : ndarray, shape (members of the receiver, 2)
    v : ndarray, shape (members of the sender, 2)
        The charge for each value of each member (as in `Row`).
    pivots : int
        Pivots of the active-set method; 0 for the closed form.
    seconds : float
        Wall-clock time to make it, with its tables, but without the oracle, which all rows share.
    """

    kind: RowKind
    state: int
    values: FloatArray
    looseness: float
    rise: FloatArray
    lift: float
    tightened: int
    u: FloatArray
    v: FloatArray
    pivots: int
    seconds: float


def what_if(engine: Engine, p: int, q: int, state: int, stop: Stop = never) -> list[WhatIfRow]:
    """The four rows at a state of the message from q into p: reverse, and Magnanti-Wong with alpha = 1, 1/2, 0.

    Source: docs/method.md §3.3, §3.4, §12.2.

    Parameters
    ----------
    engine : Engine
        The run at its position, which does not change.
    p, q : int
        Receiving and sending group.
    state : int
        A state of p, an integer whose bit k is the value of member k.
    stop : Stop
        Checked about every 10 ms.

    Returns
    -------
    list of WhatIfRow

    Raises
    ------
    ValueError
        If the groups are not coupled, or p has no such state.
    Stopped
        If ``stop`` says so.
    """
    state = require_index(state, len(engine.graph.energies(p)), "state")
    truth = min_marginal(engine, p, q, [state], stop)
    nu, below = min_marginal(engine, p, q, stop=stop), envelope(engine, p, q, stop)
    cuts = []
    for kind in (RowKind.RMC, RowKind.MWC_1, RowKind.MWC_HALF, RowKind.MWC_0):
        stop.check()
        cuts.append(_cut(engine, p, q, state, kind, float(truth[0]), nu, below))
    return cuts


def _cut(
    engine: Engine, p: int, q: int, state: int, kind: RowKind, truth: float, nu: FloatArray, below: FloatArray
) -> WhatIfRow:
    problem, arc = engine.graph.problem, engine.graph.arc(p, q)
    edge, side = divmod(arc, 2)
    room, work, table = memory.pool(memory.dimensions(engine.graph), 1), engine.arrays.probe, incoming(engine, arc)
    describe_row(room, 0, arc, active_state(problem, arc, state), int(kind), truth)

    def timed(repeats: int) -> tuple[float, int]:
        begin = time.perf_counter()
        pivots = make_row(problem, room, 0, table, work, repeats)
        return time.perf_counter() - begin, int(pivots)

    seconds, pivots = timed(1)
    if seconds >= LONG_SECONDS:
        # The very first call takes longer.
        seconds = min(seconds, timed(1)[0])
    if seconds < LONG_SECONDS:
        more, one = (min(timed(repeats)[0] for _ in range(TRIALS)) for repeats in (1 + REPEATS, 1))
        # If the clock shows no difference, an upper limit.
        seconds = (more - one) / REPEATS if more > one else more / (1 + REPEATS)
    u, v = (
        row_terms(engine.graph, row_payments(engine.graph, room, 0, edge, end), edge, end) for end in (side, 1 - side)
    )
    values = float(room.intercept[0, side]) - over_states(u)
    rise = np.maximum(values - below, 0.0)
    loose = ~is_tight(engine, arc, nu, below)
    return WhatIfRow(
        kind=kind,
        state=state,
        values=values,
        looseness=float((nu - values).mean()),
        rise=rise,
        lift=float(rise.mean()),
        tightened=int((loose & is_tight(engine, arc, nu, below + rise)).sum()),
        u=u,
        v=v,
        pivots=pivots,
        seconds=seconds,
    )
