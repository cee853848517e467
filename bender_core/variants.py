"""The variants of the algorithm: which Benders rows are added where (paper, Table 1), in one table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """How a node's min-marginals are bounded, or computed, before it passes its messages.

    Attributes
    ----------
    number : int
        The paper's number (1-10; 11 is its baseline).
    name : str
        For people.
    exact : bool
        Min-marginals are computed outright and no rows are used.
    enumerated : bool
        Exact, and by enumerating the states of both groups, as the paper's baseline does.
    everywhere : bool
        Reverse Magnanti-Wong rows go on every loose edge; otherwise on the loosest only.
    """

    number: int
    name: str
    exact: bool = False
    enumerated: bool = False
    everywhere: bool = False

    @property
    def sentence(self) -> str:
        """What the variant does, in one line."""
        if self.exact and not self.enumerated:
            return "exact min-marginals by pruning or elimination, whichever is cheaper for a message"
        if self.exact:
            return "the baseline: min-marginals by enumerating the states of both groups"
        where = "every loose edge" if self.everywhere else "the loosest edge"
        return f"reverse Magnanti-Wong rows on {where}"


VARIANTS: dict[int, Variant] = {
    v.number: v
    for v in (
        Variant(4, "RMC on the loosest edge"),
        Variant(9, "RMC on all loose edges", everywhere=True),
        Variant(11, "MPLP by enumeration", exact=True, enumerated=True),
        Variant(12, "exact min-marginals by pruning", exact=True),
    )
}


def variant(which: int | Variant) -> Variant:
    """The variant of a number, or the variant itself.

    Raises
    ------
    ValueError
        If there is no such variant.
    """
    if isinstance(which, Variant):
        return which
    if which not in VARIANTS:
        raise ValueError(f"there is no variant {which!r}; choose one of {', '.join(map(str, VARIANTS))}")
    return VARIANTS[which]
