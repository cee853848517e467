"""The formats: one module each, with a ``FORMAT`` that is listed in ``FORMATS`` (docs/formats.md §2)."""

from __future__ import annotations

from bender_core.io.formats import (
    bif,
    bqm,
    bqpjson,
    cfn,
    coo,
    dimod_json,
    edge_lists,
    fg,
    native,
    orlib,
    qh,
    qplib,
    qubo,
    rudy,
    sparse,
    uai,
    wcsp,
)
from bender_core.io.formats._format import Format

# If the content fits several and the ending decides nothing, the first is taken, and `load` says so.
FORMATS: tuple[Format, ...] = (
    native.FORMAT,
    bqpjson.FORMAT,
    dimod_json.FORMAT,
    bqm.FORMAT,
    cfn.FORMAT,
    uai.FORMAT,
    uai.LOGARITHMS,
    bif.FORMAT,
    fg.FORMAT,
    qplib.FORMAT,
    qubo.FORMAT,
    coo.FORMAT,
    qh.FORMAT,
    sparse.FORMAT,
    rudy.FORMAT,
    edge_lists.MATRIX,
    edge_lists.DIMACS,
    edge_lists.EDGES,
    orlib.FORMAT,
    wcsp.FORMAT,
)
