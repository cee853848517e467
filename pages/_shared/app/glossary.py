"""The terms of the app, each defined in a sentence: listed on Method, and shown as help on the pages."""

from __future__ import annotations

GLOSSARY: dict[str, str] = {
    "Benders row": "A sum of one term per variable, nowhere above the true min-marginal, for any messages.",
    "certificate": "The lower bound recomputed from the messages alone, without anything else that a run stores.",
    "coupling": "The energy of two variables together, beyond the energy of each by itself.",
    "cut": "The paper's name for a Benders row: reverse Magnanti-Wong cut (RMC) or Magnanti-Wong cut (MWC).",
    "envelope": "The maximum of all rows of an edge: the best lower bound on its min-marginals so far.",
    "frustrated": "A cycle is frustrated if its couplings cannot all be satisfied at once.",
    "gap": "Upper bound minus lower bound; in per cent, relative to the larger of the two in size. Closed: 0.",
    "hyper-edge": "Two groups joined by at least one coupling; it has a message in each direction.",
    "hyper-variable": "A group of at most M binary variables, treated as one variable of up to 2^M states.",
    "labelling": "A value, 0 or 1, for every variable.",
    "lower bound": "An energy that no labelling can go below.",
    "M": "The largest number of variables in a group; a group of M variables has 2^M states.",
    "MAP": "The labelling of least energy: the most probable one, where energies are negative log probabilities.",
    "message": "A table over the states of a group: its share of the cost of a hyper-edge.",
    "min-marginal": "For every state of a group, the least that the rest of a hyper-edge costs.",
    "MWC": "Magnanti-Wong cut: of the rows that are tight at a state, one that minimises the total slack elsewhere.",
    "oracle": "The true min-marginal at one state, found by one pass over all states of the neighbour.",
    "partition": "The division of all variables into groups.",
    "proof": "A sequence of runs, each on the variables that the bound has left undecided, in groups that grow up to "
    "M, until no labelling can be better than the best one.",
    "RMC": "Reverse Magnanti-Wong cut: in closed form, and tight at its state for all later messages.",
    "schedule": "The order in which groups are updated, and the share of the cost that each message takes.",
    "slack": "How far the envelope is below the true min-marginal; where it is 0, the envelope is tight.",
    "sweep": "Every group updated once; under srmp, once forward and once backward.",
    "upper bound": "The energy of the best labelling found so far.",
    "variant": "Which rows are added on which edges: the paper's ten, its baseline 11, and our 12 without rows.",
}

# Strategies: a name, and what they do.
STRATEGIES = {
    "auto": "auto: a short trial of each rule, the best bound wins",
    "pursuit": "pursuit: merge where tension sits (takes seconds)",
    "groups": "by kind (the paper's): one kind of variable per group",
    "greedy": "greedy: grow by the strongest coupling",
    "refined": "refined: grow by relevant coupling, then exchange",
    "layers": "layers: level by level, a chain where possible",
    "blocks": "blocks: compact tiles of the drawing",
    "community": "community: strongly coupled clusters",
    "random": "random: for comparison",
    "singletons": "singletons: one variable per group",
    "manual": "by hand",
}
