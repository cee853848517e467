"""Benchmarks, each measured side by side with its reference: ``python -m benchmarks [topic ...]``.

Seconds are processor time unless a table says otherwise, and so hardly depend on other load. Runs that are compared
take turns, so that their ratios hardly depend on the machine. An aim is printed next to its figure; missing it is not
an error.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import bender_core as bc
from benchmarks.common import Options
from benchmarks.others import classes, formats, instances, peers
from benchmarks.proving import labelings, parts, relaxations, scaling, side_by_side
from benchmarks.solver import (
    defaults,
    exact,
    forking,
    helping,
    many,
    memory,
    partitions,
    pursuit,
    rows,
    stopping,
    streaming,
    unrolled,
    variants,
    workers,
)

TOPICS = {
    "rows": rows.run,
    "streaming": streaming.run,
    "unrolled": unrolled.run,
    "variants": variants.run,
    "exact": exact.run,
    "partitions": partitions.run,
    "pursuit": pursuit.run,
    "formats": formats.run,
    "stopping": stopping.run,
    "memory": memory.run,
    "defaults": defaults.run,
    "helping": helping.run,
    "forking": forking.run,
    "labelings": labelings.run,
    "workers": workers.run,
    "many": many.run,
    "classes": classes.run,
    "instances": instances.run,
    "peers": peers.run,
    "proving": side_by_side.run,
    "parts": parts.run,
    "scaling": scaling.run,
    "relaxations": relaxations.run,
}


def main() -> None:
    """Run the topics named, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Figures, with what they compare to.")
    parser.add_argument("topics", nargs="*", metavar="topic", help=f"{', '.join(TOPICS)}; all by default")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="of every single run, in place of its own")
    parser.add_argument("--instances", type=Path, default=instances.FOLDER, metavar="DIR")
    given = parser.parse_args()
    unknown = [topic for topic in given.topics if topic not in TOPICS]
    if unknown:
        parser.error(f"there is no topic {unknown[0]!r}; choose from {', '.join(TOPICS)}")
    bc.warm_up()
    for topic in given.topics or TOPICS:
        print(f"== python -m benchmarks {topic} ==\n", flush=True)
        begin = time.perf_counter()
        TOPICS[topic](Options(given.limit, given.instances))
        print(f"({topic}: {time.perf_counter() - begin:.0f} s)\n", flush=True)


if __name__ == "__main__":
    main()
