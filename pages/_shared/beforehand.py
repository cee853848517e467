"""What the first visit of a page would wait for, made ready once the first page is there."""

from __future__ import annotations

import logging
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from plotly.io import to_json

from bender_core.visualization.figures import figure
from bender_core.warming import Once
from pages._shared.experiments.planning import list_first


def _prepare() -> None:
    try:
        _import_and_make()
    except Exception:  # pages do without it
        logging.getLogger(__name__).exception("First visits cannot be prepared")


def _import_and_make() -> None:
    here = Path(__file__).parent
    for path in sorted(here.rglob("*.py")):
        parts = path.relative_to(here).with_suffix("").parts
        if parts[0] != "frontend":  # installed tools may be there
            import_module(".".join((__package__, *parts)).removesuffix(".__init__"))
    # The parts of these libraries are loaded with the first figure, and with the first table.
    to_json(figure([{"type": kind, "x": np.zeros(1), "y": np.zeros(1)} for kind in ("scatter", "bar")]).to_dict())
    pa.Table.from_pandas(pd.DataFrame({"": [""]}))
    list_first()


begin = Once(_prepare).begin
