"""MAP inference in binary Markov random fields by block message passing with Benders rows.

After "Accelerating Message Passing for MAP with Benders Decomposition" (Yarkony & Wang). docs/method.md specifies the
method, docs/formats.md the file formats.

Examples
--------
>>> import bender_core as bc
>>> mrf = bc.sample("tiny")
>>> part = bc.partition(mrf, max_size=3)
>>> result = bc.solve(mrf, part, variant=9)
>>> result.lower_bound, result.upper_bound, result.status
(-3.0, -3.0, 'closed')
"""

from bender_core import looking
from bender_core.account import Account
from bender_core.checking.certificate import Certificate
from bender_core.checking.checker import RefusedError, check_proof
from bender_core.checking.proof import Proof, load_proof
from bender_core.cycles.mplp import CyclePursuit
from bender_core.cycles.packing import Packing
from bender_core.engine.arrays import Start
from bender_core.engine.engine import Engine, EngineError, Grain
from bender_core.engine.gap import relative_gap
from bender_core.engine.memory_needed import TooLargeError, required_bytes
from bender_core.engine.result import Result
from bender_core.engine.rows import RowAt
from bender_core.engine.settings import Settings
from bender_core.engine.trace import Event, Trace
from bender_core.forms.normal_form import NormalForm, to_normal_form
from bender_core.groups import Partition, PartitionError, manual
from bender_core.hypergraph import HyperGraph
from bender_core.io import FormatError, load, save
from bender_core.io.objects import from_bqm, from_networkx, from_pgmpy, from_scipy, to_bqm
from bender_core.io.samples import sample
from bender_core.labelings.searching import Found, search
from bender_core.looking.attribution import Attribution
from bender_core.looking.message import Tightness
from bender_core.looking.rows import Row
from bender_core.looking.what_if import WhatIfRow, what_if
from bender_core.model import BinaryMRF, ModelError
from bender_core.objective import Objective
from bender_core.rivals.reference import Reference, reference
from bender_core.stopping import Stop, Stopped
from bender_core.strategies import partition
from bender_core.trying.advice import Remedy, what_would_help
from bender_core.trying.auto import auto
from bender_core.trying.change import Change, ChangeError
from bender_core.trying.comparison import Comparison, compare_partitions
from bender_core.trying.pricing import Price, price, prices
from bender_core.trying.pursuit import pursuit
from bender_core.trying.solving import certify, solve
from bender_core.trying.timing import SweepTime, time_sweep
from bender_core.variants import VARIANTS, Variant
from bender_core.warming import warm_up

__version__ = "0.1.0"

__all__ = [
    "VARIANTS",
    "Account",
    "Attribution",
    "BinaryMRF",
    "Certificate",
    "Change",
    "ChangeError",
    "Comparison",
    "CyclePursuit",
    "Engine",
    "EngineError",
    "Event",
    "FormatError",
    "Found",
    "Grain",
    "HyperGraph",
    "ModelError",
    "NormalForm",
    "Objective",
    "Packing",
    "Partition",
    "PartitionError",
    "Price",
    "Proof",
    "Reference",
    "RefusedError",
    "Remedy",
    "Result",
    "Row",
    "RowAt",
    "Settings",
    "Start",
    "Stop",
    "Stopped",
    "SweepTime",
    "Tightness",
    "TooLargeError",
    "Trace",
    "Variant",
    "WhatIfRow",
    "auto",
    "certify",
    "check_proof",
    "compare_partitions",
    "from_bqm",
    "from_networkx",
    "from_pgmpy",
    "from_scipy",
    "load",
    "load_proof",
    "looking",
    "manual",
    "partition",
    "price",
    "prices",
    "pursuit",
    "reference",
    "relative_gap",
    "required_bytes",
    "sample",
    "save",
    "search",
    "solve",
    "time_sweep",
    "to_bqm",
    "to_normal_form",
    "warm_up",
    "what_if",
    "what_would_help",
]
