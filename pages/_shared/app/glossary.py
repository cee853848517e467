"""The words of the app, each in a sentence: listed on Method, and shown where a word is met."""

from __future__ import annotations

GLOSSARY: dict[str, str] = {
    "Benders row": "A sum of one term a variable, nowhere above the true min-marginal, whatever the messages are.",
    "certificate": "The lower bound computed anew from the messages alone, trusting nothing the run kept on the way.",
    "coupling": "What two variables pay or gain together, beyond what each pays by itself.",
    "cut": "A Benders row, after the way it is found: reverse Magnanti-Wong (RMC) or Magnanti-Wong (MWC).",
    "envelope": "The maximum of all rows of an edge: the best lower bound on its min-marginals that there is so far.",
    "frustrated": "Said of a cycle whose couplings cannot all be satisfied at once.",
    "gap": "Upper bound less lower bound; in per cent, relative to the larger of the two in size. Closed: 0.",
    "hyper-edge": "Two groups that share at least one coupling; a message goes either way.",
    "hyper-variable": "A group of at most M binary variables, treated as one variable of up to 2^M states.",
    "labelling": "A value, 0 or 1, for every variable.",
    "lower bound": "An energy that no labelling can go below.",
    "M": "The most variables that a group may hold: a group of M has 2^M states.",
    "MAP": "The labelling of least energy: the most probable one, where energies are negative log probabilities.",
    "message": "A table over the states of a group: how much of the cost of a hyper-edge the group is told.",
    "min-marginal": "For every state of a group, the least that the rest of a hyper-edge costs.",
    "MWC": "Magnanti-Wong cut: of the rows that are tight at a state, one that minimises the total slack elsewhere.",
    "oracle": "The true min-marginal at one state, by looking at all states of the neighbour.",
    "partition": "The division of all variables into groups.",
    "RMC": "Reverse Magnanti-Wong cut: in closed form, and tight at its state whatever the messages become.",
    "schedule": "In which order groups are updated, and what share of the cost each message takes.",
    "slack": "How far the envelope is below the true min-marginal; where it is 0, the envelope is tight.",
    "sweep": "Every group updated once; under srmp, once forward and once backward.",
    "upper bound": "The energy of the best labelling found so far.",
    "variant": "Which rows are added where: the paper's ten, its baseline 11, and our 12 without rows.",
}
