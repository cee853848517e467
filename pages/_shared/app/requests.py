"""Requests of one page, or a part of it, to another: kept until that one is drawn."""

from __future__ import annotations

from pages._shared.running.kept import Kept

# A proof on Watch: True, or its beginning.
PROOF = Kept[object]("proof_requested")
# A run of the tree of forks to show, or to continue.
BRANCH = Kept[object]("branch_request")
# Another page, and the fields of its address.
DESTINATION = Kept[tuple[str, dict[str, str]]]("destination")
# Whether the whole page has to run, not only the stage.
WHOLE_PAGE = Kept[bool]("runs_whole_page")
# Whether Edge shall take the order and the class from its address.
EDGE = Kept[bool]("edge_requested")
