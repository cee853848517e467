"""The decoder of events reads what Python encodes, to the values that the engine has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from bender_core.run.explain import explain
from pages._shared.watch.frames import frames
from tests.labs import lab
from tests.protocol import KINDS, faults, fields

pytestmark = pytest.mark.browser
# Reads a chunk, and says so in plain JSON; NaN has no place there.
DECODE = """async (chunk) => {
    const { decode, KIND } = await import('/stage/frames.js');
    const plain = ({ slack, rows, ...said }) =>
        ({ ...said, slack: Array.from(slack, (v) => (Number.isNaN(v) ? 'NaN' : v)), rows: Array.from(rows) });
    const { first, origin, events } = decode(chunk);
    return { kinds: KIND, first, origin: plain(origin), events: events.map(plain) };
}"""


def floats(values: list[Any]) -> np.ndarray:
    return np.array([float(value) for value in values])


@pytest.mark.parametrize(
    ("name", "max_size", "variant"), [("pose-small", 8, 9), ("torus-10x10", 5, 4), ("karate", 6, 12)]
)
@pytest.mark.parametrize("first", [0, 23])
def test_events_are_read_as_they_happened(page: Page, name: str, max_size: int, variant: int, first: int) -> None:
    mine, plain = lab(name, max_size, variant), lab(name, max_size, variant).run.engine
    plain.run(max_sweeps=2)
    plain.seek(first)
    mine.run.engine.run(max_sweeps=2)
    chunk = frames(mine.run.engine, first, first + 120)
    assert faults("frames", chunk) == []
    read = page.evaluate(DECODE, chunk)
    edges = len(plain.graph.edges)
    assert read["kinds"] == KINDS
    assert read["first"] == first
    assert floats(read["origin"]["slack"]) == pytest.approx(plain.slack, rel=1e-5, nan_ok=True)
    assert read["origin"]["rows"] == np.bincount(plain.row_edges(), minlength=edges).tolist()
    assert len(read["events"]) == 120
    for event in read["events"]:
        (truth,) = plain.step("event")
        said = explain(truth, plain.graph, plain.variant, plain.schedule)
        assert event == {
            "kind": truth.kind,
            "node": truth.node,
            "arc": truth.arc,
            "sweep": truth.sweep,
            "total_rows": truth.rows,
            "lower": truth.lower_bound,
            "upper": truth.upper_bound,
            "sentence": said.sentence,
            "formula": said.formula,
            "rows": np.bincount(plain.row_edges(), minlength=edges).tolist(),
            "slack": event["slack"],
        }
        assert floats(event["slack"]) == pytest.approx(plain.slack, rel=1e-3, nan_ok=True)
        # What the protocol says of changes has become the slack; everything else is there by its name.
        assert event.keys() == (fields("columns") - {"changed_arcs", "changed_slack"}) | {"slack", "rows"}
