"""What one page, or a part of it, asks of another: kept until that is drawn."""

from __future__ import annotations

from pages._shared.running.kept import Kept

# A proof on Watch: True, or where it begins.
PROOF = Kept[object]("proof_requested")
# A run of the tree of forks to show, or to run on.
BRANCH = Kept[object]("branch_request")
# Another page, and the fields of its address.
DESTINATION = Kept[tuple[str, dict[str, str]]]("destination")
# Whether the whole page is to run, not only the stage.
WHOLE_PAGE = Kept[bool]("runs_whole_page")
# Whether Edge is to take the order and the class from its address.
EDGE = Kept[bool]("edge_requested")
