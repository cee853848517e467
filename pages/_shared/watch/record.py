"""Record the beginning of the run that a new session opens with: ``make opening``."""

from __future__ import annotations

import gzip
import json

from bender_core.stopping import never
from pages._shared.app.session import FIRST, Lab, linked
from pages._shared.watch.event_frames import Encoder
from pages._shared.watch.recorded import PATH
from pages._shared.watch.stage import run_data
from pages._shared.watch.stage_answers import Answers, Question

# The first raises the bound from far below; in the second its rounds can be read.
SWEEPS = 2


def record(lab: Lab) -> bytes:
    """The beginning of a lab's run, as the stage is sent it."""
    run = lab.run
    for _ in range(SWEEPS):
        run.engine.step("sweep")
    last = run.engine.position
    answer = Answers(run).answer_to(Question(), never)
    answer["frames"] = Encoder(run).frames(0, last, last)
    return json.dumps({"run": run_data(lab), "answer": answer}, separators=(",", ":")).encode()


def main() -> None:
    """Write it where the app reads it."""
    PATH.write_bytes(gzip.compress(record(linked(FIRST)), mtime=0))


if __name__ == "__main__":
    main()
