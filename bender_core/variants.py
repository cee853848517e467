"""The variants of the algorithm: the Benders rows that each adds, in one table.

Source: docs/method.md §4.1 and §6 (paper, its table of variants).
"""

from __future__ import annotations

from dataclasses import dataclass

# The largest number of a group's states at which envelopes are made tight when progress is slow.
DEEPEST = 32
# The order of updates, and the shares.
SCHEDULES = {
    "mplp": "the paper's: one group after the other, equal shares for all edges",
    "srmp": "forward and backward, the cost of a group goes to the edges ahead",
}


@dataclass(frozen=True)
class Variant:
    """How a group's min-marginals are bounded, or computed, before it passes its messages.

    Attributes
    ----------
    number : int
        The paper's number (1-10; 11 is its baseline), or 12.
    name : str
        For display.
    alphas : tuple of float
        Magnanti-Wong rows of these alphas are added on the loosest edge.
    everywhere : bool
        Reverse Magnanti-Wong rows are added on every loose edge; otherwise only on the loosest.
    exact : bool
        Min-marginals are computed exactly, without rows.
    enumerated : bool
        Exact, and by enumerating the states of both groups, as the paper's baseline does.
    """

    number: int
    name: str
    alphas: tuple[float, ...] = ()
    everywhere: bool = False
    exact: bool = False
    enumerated: bool = False

    @property
    def title(self) -> str:
        """Its number and its name, as every list of variants shows them."""
        return f"{self.number}: {self.name}"

    @property
    def sentence(self) -> str:
        """A description of the variant in one line."""
        if self.enumerated:
            return "the baseline: min-marginals by enumerating the states of both groups"
        if self.exact:
            return "exact min-marginals by pruning or elimination, whichever is cheaper for a message"
        where = "every loose edge" if self.everywhere else "the loosest edge"
        reverse = f"reverse Magnanti-Wong rows on {where}"
        if not self.alphas:
            return reverse
        return f"Magnanti-Wong rows (α = {_listed(self.alphas)}) on the loosest edge, and {reverse}"


def _listed(alphas: tuple[float, ...]) -> str:
    return ", ".join("½" if alpha == 0.5 else f"{alpha:g}" for alpha in alphas)


def _with_rows() -> list[Variant]:
    """The paper's ten: five choices of alpha, with reverse rows on the loosest edge, then on all loose ones."""
    alphas = {1: (1.0,), 2: (0.0,), 3: (0.5,), 4: (), 5: (1.0, 0.0, 0.5)}
    cuts = {number: f"MWC α = {_listed(chosen)} + RMC" if chosen else "RMC" for number, chosen in alphas.items()}
    return [
        Variant(
            number + 5 * everywhere,
            f"{cuts[number]} on {'all loose edges' if everywhere else 'the loosest edge'}",
            alphas[number],
            bool(everywhere),
        )
        for everywhere in (0, 1)
        for number in alphas
    ]


VARIANTS: dict[int, Variant] = {
    v.number: v
    for v in (
        *_with_rows(),
        Variant(11, "MPLP by enumeration", exact=True, enumerated=True),
        Variant(12, "exact min-marginals by pruning", exact=True),
    )
}


def variant(which: int | Variant) -> Variant:
    """The variant of a number, or the variant itself.

    Parameters
    ----------
    which : int or Variant

    Returns
    -------
    Variant

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
