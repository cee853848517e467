"""Requests of one page, or a part of it, to another: kept until that one is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from pages._shared.app.branches import Branch
from pages._shared.app.fields import CYCLES, WATCH
from pages._shared.running.kept import Kept


@dataclass(frozen=True, eq=False)
class BranchRequest:
    """A request about one of the runs."""

    what: str  # "show", "show" it "beside" the present one, "turn" to a chapter, or "run on"
    branch: Branch
    at: int | None = None  # of "beside", the position; None: the same place as that of the present one


# The page that shows what a method does, if there is one: on Watch by a proof, or by its run on single variables.
PAGE_OF = {
    "proof": WATCH,
    "proof by groups": WATCH,
    "proof by cycles": CYCLES,
    "cycles": CYCLES,
    "mplp-cp": CYCLES,
    "mplp": WATCH,
    "trw-s": WATCH,
}
# There, what raises its bound.
BY_OF = {"proof by cycles": "program", "cycles": "program", "mplp-cp": "messages"}

# A proof on Watch: True, or its beginning.
PROOF = Kept[object]("proof_requested")
# What raises the bound on Cycles: one of `BY_OF`, or "both".
CYCLES_BY = Kept[str]("cycles_by")
# A run to show, or to continue.
BRANCH = Kept[BranchRequest]("branch_request")
# Another page, and the fields of its address.
DESTINATION = Kept[tuple[str, dict[str, str]]]("destination")
# Whether the whole page has to run, not only the stage.
WHOLE_PAGE = Kept[bool]("runs_whole_page")
# The fields of the address by which a page was opened, for one that takes more of it than the run.
OPENED_BY = Kept[dict[str, str]]("opened_by")
# Whether Edge shall take the order and the class from its address.
EDGE = Kept[bool]("edge_requested")
