"""The terms of the app, in one table: listed on Method and in docs/terms.md, and explained wherever they stand.

A term has one meaning on all pages. Its symbol is written as on the screen, its meaning in a sentence or two. Pages
mark a term by ``<dfn>``; `explaining` shows the tip of a mark.
"""

from __future__ import annotations

from typing import NamedTuple


class Term(NamedTuple):
    """A term of the app.

    Attributes
    ----------
    symbol : str
        As the pictures write it, in plain text; empty if it has none.
    meaning : str
        What it is, in plain text.
    seen : str
        The page that shows it, and where on it.
    picture : str
        The picture that explains it, a file of ``frontend/terms`` without its ending; empty if words suffice.
    """

    symbol: str
    meaning: str
    seen: str
    picture: str = ""


GLOSSARY: dict[str, Term] = {
    "answer": Term(
        "",
        "The state of a neighbour that is cheapest once a group is in state y*. On Watch, the view “answer” draws the "
        "answer to the whole model: the best labelling.",
        "Watch: the dots beside a neighbour, and the view “answer”; Learn: “What would your best answer cost me?”",
    ),
    "Benders row": Term(
        "β⁰ − Σ uᵢ",
        "A sum of one term per variable, nowhere above the true min-marginal, for any messages.",
        "Watch: the steps in the chart of a message; Edge: the table of rows",
        "row",
    ),
    "ceiling": Term(
        "",
        "In an update, the least exact cost of the states evaluated so far: the bound cannot rise above it. It only "
        "falls.",
        "Watch: the dashed line above the floor, in the chart of the bounds",
        "meeting",
    ),
    "certificate": Term(
        "",
        "The lower bound, recomputed from the messages alone, without anything else that a run stores.",
        "Learn: “Three ways to close a gap”",
    ),
    "chapter": Term(
        "",
        "One run among those that lead to the run shown: a fork, or a run of a proof. Chapters follow one another "
        "on one timeline.",
        "Watch: the parts of the timeline",
    ),
    "class": Term(
        "",
        "All states of a group with the same values of the members that a message depends on. Min-marginal, envelope "
        "and slack are the same for all of them.",
        "Watch: the columns of “look closer”; Edge: the columns of the figure",
    ),
    "coupling": Term(
        "w",
        "The energy of two variables together, beyond the energy of each by itself.",
        "Instance: the lines between variables",
    ),
    "cut": Term(
        "",
        "The paper's name for a Benders row: reverse Magnanti-Wong cut (RMC) or Magnanti-Wong cut (MWC).",
        "Edge: the kinds of row",
    ),
    "envelope": Term(
        "ν⁻",
        "The maximum of all rows of an edge: the best lower bound on its min-marginals so far.",
        "Watch: the chart of a message; Edge: the dashes of the figure",
        "envelope",
    ),
    "event": Term(
        "",
        "The smallest step of a run that is recorded: a group opened, y* evaluated, a row added, messages passed, a "
        "sweep completed.",
        "Watch: the buttons “event”, and the timeline",
    ),
    "floor": Term(
        "",
        "In an update, the least cost of a state as far as the rows show. LB rises to it when the messages are passed, "
        "unless LB is higher already. The floor only rises, and the update ends where it meets the ceiling.",
        "Watch: the line below the ceiling, in the chart of the bounds",
        "meeting",
    ),
    "fork": Term(
        "",
        "A run that goes on from a moment of another one with one change: other groups, rows or schedule, or an added "
        "row. The other run stays as it is.",
        "Watch: “Runs and forks”",
    ),
    "frustrated": Term(
        "",
        "A cycle is frustrated if its couplings cannot all be satisfied at once.",
        "Cycles; Instance: the statistics",
    ),
    "gap": Term(
        "UB − LB",
        "Upper bound minus lower bound; in per cent, relative to the larger of the two in size. Closed: 0.",
        "Watch: the line of bounds, and “The gap lives in”; Compare: the curves",
        "bounds",
    ),
    "hyper-edge": Term(
        "pq",
        "Two groups joined by at least one coupling; it has a message in each direction.",
        "Watch: the lines of the graph",
        "groups",
    ),
    "hyper-variable": Term(
        "p",
        "A group of at most M binary variables, treated as one variable of up to 2^M states.",
        "Partition; Watch: the circles of the graph",
        "groups",
    ),
    "intercept": Term(
        "β⁰",
        "The constant of a Benders row, from which a charge for the value of each variable is subtracted. Only it "
        "changes when messages change.",
        "Watch: the formula of a new row; Edge: the table of rows",
    ),
    "labelling": Term(
        "x",
        "A value, 0 or 1, for every variable.",
        "Watch: the view “answer”",
    ),
    "lower bound": Term(
        "LB",
        "An energy that no labelling can go below.",
        "Watch and Compare: the solid curve",
        "bounds",
    ),
    "M": Term(
        "M",
        "The largest number of variables in a group; a group of M variables has 2^M states.",
        "Partition; Watch: the run bar",
        "groups",
    ),
    "MAP": Term(
        "",
        "The labelling of least energy: the most probable one, where energies are negative log probabilities.",
        "Learn: “Three friends, eight evenings”",
    ),
    "message": Term(
        "λ",
        "A table over the states of a group: its share of the cost of a hyper-edge.",
        "Watch: what a group passes at the end of its update; Edge: one of them, with its min-marginal and envelope",
        "message",
    ),
    "min-marginal": Term(
        "ν",
        "For every state of a group, the least that the rest of a hyper-edge costs.",
        "Watch: the chart of a message; Edge: the dots of the figure",
        "envelope",
    ),
    "MWC": Term(
        "α",
        "Magnanti-Wong cut: of the rows that are tight at a state, one with the least charges. α = 1: their "
        "least sum, and so the least total slack at the other states; α = 0: the least sum of their squares.",
        "Edge: the kinds of row",
        "magnanti-wong",
    ),
    "oracle": Term(
        "ν(y*)",
        "The true min-marginal at one state, found by one pass over all states of the neighbour.",
        "Watch: the act in which the neighbours answer; Edge: the dots of the figure",
    ),
    "out for good": Term(
        "",
        "A state is out for good if the lower bound shows that no labelling with it is better than the best one. Later "
        "messages cannot bring it back.",
        "Watch: the golden dashes in the chart of costs",
    ),
    "partition": Term(
        "",
        "The division of all variables into groups.",
        "Partition",
    ),
    "proof": Term(
        "",
        "A sequence of runs, each on the variables that the bound has left undecided, in groups that grow up to "
        "M, beside a bound by frustrated cycles, until no labelling can be better than the best one.",
        "Watch: “Prove it”",
    ),
    "RMC": Term(
        "",
        "Reverse Magnanti-Wong cut: in closed form, and tight at its state for all later messages.",
        "Edge: the kinds of row",
        "reverse",
    ),
    "round": Term(
        "",
        "All that an update does at one state y*: the neighbours are asked, and rows are added where the envelopes are "
        "too low. Then the cheapest state is another one, or floor and ceiling have met.",
        "Watch: the buttons “round”, and the steps in the chart of the bounds",
    ),
    "schedule": Term(
        "ρ",
        "The order in which groups are updated, and the share of the cost that each message takes.",
        "Watch: the run bar",
    ),
    "share": Term(
        "μ",
        "What every coupling of a frustrated cycle lends to it. Each labelling breaks one of them, so the lower bound "
        "rises by the share.",
        "Cycles: the fillings of the couplings",
    ),
    "slack": Term(
        "ν − ν⁻",
        "How far the envelope is below the true min-marginal; where it is 0, the envelope is tight.",
        "Watch: “look closer”; Edge: the bars of the figure",
        "envelope",
    ),
    "suspect": Term(
        "",
        "In an update, a state that may still be cheaper than the best one evaluated: its rows are below the ceiling.",
        "Watch: below the chart of costs, those that “may be cheaper”",
        "suspect",
    ),
    "sweep": Term(
        "",
        "Every group updated once; under srmp, once forward and once backward.",
        "Watch: the buttons “sweep”, and the marks of the timeline",
    ),
    "tension": Term(
        "T",
        "The part of the gap that lies in one hyper-edge or group: what it costs in the best labelling beyond its "
        "share of the lower bound. All tensions add up to the gap.",
        "Watch: the colour of the lines, and “The gap lives in”",
        "tension",
    ),
    "tied": Term(
        "",
        "Two variables are tied if in every better labelling they are equal, or in every one opposite. One variable "
        "stands for both from then on.",
        "Watch: the squares in the circles during a proof",
    ),
    "upper bound": Term(
        "UB",
        "The energy of the best labelling found so far.",
        "Watch and Compare: the dashed curve",
        "bounds",
    ),
    "variant": Term(
        "",
        "Which rows are added on which edges: the paper's ten, its baseline 11, and our 12 without rows.",
        "Watch: the run bar; Compare: the entries of a race",
    ),
    "y*": Term(
        "y*",
        "In an update, the state of the group that is cheapest as far as the rows show. The neighbours are asked for "
        "its exact cost.",
        "Watch: the triangle below the chart of costs, and in the circles; Edge: the class selected at first",
        "asked",
    ),
}


def in_markdown(name: str, term: Term) -> str:
    """A line of a table in Markdown: the name as it is given, symbol, meaning, and where the term is seen."""
    return f"| {name} | {term.symbol} | {term.meaning} | {term.seen} |".replace("y*", r"y\*")


# Of runs that no chosen groups, variants and schedules concern.
METHODS_HELP = (
    "Each is one run, whatever the variants, strategies and schedules; one that makes groups is a run for every M, "
    "their largest size. A proof decides variables and goes on with the rest: “proof” by groups and frustrated cycles, "
    "“proof by groups” and “proof by cycles” by one of the two. “cycles” is the bound of the page Cycles; “MPLP with "
    "cycle pursuit” raises the same bound by messages. “MPLP on single variables” and “TRW-S” pass messages between "
    "single variables. HiGHS, toulbar2, simulated annealing and tabu search are external solvers with their default "
    "settings, each in a process of its own. Bounds, where they give any, are theirs; the energies of their labellings "
    "are computed here."
)

# Strategies: a name, and what they do.
STRATEGIES = {
    "auto": "auto: a short trial of each rule, the best bound wins",
    "pursuit": "pursuit: merge where tension sits (takes seconds)",
    "groups": "groups: the paper's, one kind of variable per group",
    "greedy": "greedy: grow by the strongest coupling",
    "refined": "refined: grow by relevant coupling, then exchange",
    "layers": "layers: level by level, a chain where possible",
    "blocks": "blocks: compact tiles of the drawing",
    "community": "community: strongly coupled clusters",
    "random": "random: for comparison",
    "singletons": "singletons: one variable per group",
    "manual": "by hand",
}


def groups_in_words(max_size: int, strategy: str) -> str:
    """How groups were made, in words."""
    return f"M {max_size} by {'hand' if strategy == 'manual' else strategy}"
