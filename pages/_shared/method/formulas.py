"""The method, formula by formula: its meaning, its code, and the page that shows it.

After the paper and docs/method.md; the sections named are the paper's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from bender_core.resources import ROOT
from pages._shared.method import examples
from pages._shared.method.examples import Example
from pages._shared.method.notation import Here


@dataclass(frozen=True)
class Formula:
    """One step of the method.

    Attributes
    ----------
    title : str
    latex : str
    words : str
        Its meaning, as Markdown with terms marked by ``<dfn>``.
    file, function : str
        The code that computes it; the path starts where the library is imported from.
    page : str
        The page that shows it: the name of a file in ``pages``.
    seen : str
        Its form on that page.
    example : callable
        The formula with the numbers of a scene.
    """

    title: str
    latex: str
    words: str
    file: str
    function: str
    page: str
    seen: str
    example: Callable[[Here], Example]


BOUND = (
    Formula(
        "Energy",
        r"f(x) = c + \sum_i \theta_i(x_i) + \sum_{(ij)} \theta_{ij}(x_i, x_j), \qquad x \in \{0, 1\}^n",
        "The cost of a <dfn>labelling</dfn>. <dfn>MAP</dfn> inference asks for the labelling of least energy.",
        "bender_core/model.py",
        "energy",
        "instance",
        "the variables and their couplings, drawn",
        examples.energy,
    ),
    Formula(
        "Normal form",
        r"w_{ij} = \theta_{ij}(1,1) - \theta_{ij}(0,1) - \theta_{ij}(1,0) + \theta_{ij}(0,0)",
        "Every pairwise table is rewritten so that one entry remains, and it is negative: w at (1, 1) if w < 0; else "
        "−w where the first of the two variables is 1 and the second 0. The rest moves into the unary terms; every "
        "labelling keeps its energy.",
        "bender_core/forms/normal_form.py",
        "to_normal_form",
        "instance",
        "the tables of an edge before and after, under “Normal form”",
        examples.normal_form,
    ),
    Formula(
        "Hyper-variables",
        r"\begin{gathered} f(x) = c' + \sum_p \phi_p(y_p) + \sum_{(pq)} \phi_{pq}(y_p, y_q), \\ y_p \in \{0, "
        r"1\}^{|\mathcal{Y}_p|}, \; |\mathcal{Y}_p| \le M \end{gathered}",
        "<dfn data-term='hyper-variable'>Groups</dfn> of at most <dfn>M</dfn> variables become one variable each. The "
        "energy within a group is tabulated over its states; the energy between two groups never is: that table would "
        "have up to $4^M$ entries.",
        "bender_core/hypergraph.py",
        "_problem",
        "partition",
        "the groups as circles, and what a run on them costs",
        examples.hyper_variables,
    ),
    Formula(
        "The lower bound",
        r"\begin{gathered} LB(\lambda) = c' + \sum_p \min_{y_p} \Big[\phi_p + \sum_q \lambda_{pq \to p}\Big] \\ {} + "
        r"\sum_{(pq)} \min_{y_p, y_q} \Big[\phi_{pq} - \lambda_{pq \to p} - \lambda_{pq \to q}\Big] \end{gathered}",
        "A <dfn data-term='lower bound'>bound</dfn> for any messages <dfn>λ</dfn>: every term is minimised by itself, "
        "so no labelling can be cheaper. It can be "
        "recomputed from λ alone at any time.",
        "bender_core/looking/bounds.py",
        "certified_bound",
        "watch",
        "LB, the blue line in the chart of the bounds",
        examples.lower_bound,
    ),
    Formula(
        "The min-marginal",
        r"\nu_{pq}(y_p) = \min_{y_q} \; \phi_{pq}(y_p, y_q) - \lambda_{pq \to q}(y_q)",
        "The least cost of a state of p on the <dfn data-term='hyper-edge'>edge</dfn> to q. The baseline enumerates "
        "all pairs of states; the <dfn>oracle</dfn> "
        "computes it at one state.",
        "bender_core/kernels/min_marginals/enumerate.py",
        "oracle",
        "edge",
        "ν, the dots of the figure",
        examples.min_marginal,
    ),
    Formula(
        "The update of a group",
        r"\begin{gathered} \nu_p = \frac{\phi_p + \sum_q \nu_{pq}}{1 + \deg p}, \\ \lambda_{pq \to p} \leftarrow "
        r"\nu_{pq} - \nu_p \end{gathered}",
        "The cost of a group and of all its edges is shared equally; the bound cannot fall. With an "
        "<dfn>envelope</dfn> in place "
        "of <dfn>ν</dfn> it rises just as much, provided the envelope is tight at the state where the total is "
        "least.",
        "bender_core/kernels/messages.py",
        "pass_messages",
        "watch",
        "the end of an update, where LB rises to the floor",
        examples.update,
    ),
    Formula(
        "The labelling and the gap",
        r"\begin{gathered} y_p = \arg\min \; \phi_p + \sum_q \lambda_{pq \to p}, \\ UB = \min_{\text{so far}} "
        r"f(x), \\ \text{gap} = \frac{UB - LB}{\max(|LB|, |UB|)} \end{gathered}",
        "Each group's cheapest state gives a labelling, which local search improves; the best so far is kept. When the "
        "bounds meet, it is optimal.",
        "bender_core/kernels/primal.py",
        "decode",
        "watch",
        "the best labelling in the view “answer”, and the gap",
        examples.labelling,
    ),
)

ROWS = (
    Formula(
        "A Benders row",
        r"\begin{gathered} \phi_{pq}(y_p, y_q) \;\ge\; -u(y_p) - v(y_q), \\ u_i(x_i) = \sum_j \beta^1_{ij}(x_i), "
        r"\; v_j(x_j) = \sum_i \beta^2_{ij}(x_j) \end{gathered}",
        "The energy of an edge, bounded from below by a sum of one term per variable. The bound is valid for all "
        "states and does not depend on λ, so a <dfn data-term='Benders row'>row</dfn> is never removed and serves "
        "both directions.",
        "bender_core/kernels/rows/pool.py",
        "make_row",
        "edge",
        "how a row splits the couplings into u and v, under “Row anatomy”",
        examples.row,
    ),
    Formula(
        "A row under new messages",
        r"\begin{gathered} \beta^0 = \min_{y_q} \; \big[-\lambda_{pq \to q}(y_q) - v(y_q)\big], \\ "
        r"\text{row}(y_p) = \beta^0 - u(y_p) \end{gathered}",
        "When <dfn>λ</dfn> changes, a row is recycled: only its constant <dfn>β⁰</dfn> is recomputed, by one pass "
        "over the states of the "
        "neighbour.",
        "bender_core/kernels/rows/pool.py",
        "recycle",
        "edge",
        "the rows in the table, each with its intercept β⁰",
        examples.recycled,
    ),
    Formula(
        "The envelope and its condition",
        r"\begin{gathered} \nu^-_{pq} = \max_{\text{rows}} (\beta^0 - u), \\ \min_{y_p} \Big[\phi_p + \sum_q "
        r"\nu^-_{pq}\Big] = \min_{y_p} \Big[\phi_p + \sum_q \nu_{pq}\Big] \end{gathered}",
        "Rows are added until the total with envelopes is exact at its own minimiser <dfn>y*</dfn>. Elsewhere it "
        "may be "
        "arbitrarily low. Where progress is slow it is made exact at the next best states too (not in the paper).",
        "bender_core/kernels/update.py",
        "consult_oracle",
        "watch",
        "a round: the neighbours answer, and rows lift the envelope",
        examples.envelope,
    ),
    Formula(
        "Reverse Magnanti-Wong cut (RMC)",
        r"\begin{gathered} \beta^1_{ij}(x_i) = -[x_i \ne x^*_i] \, \min_{x_j} \theta_{ij}(x_i, x_j), \\ "
        r"\beta^2_{ij}(x_j) = -\min_{x_i} \big(\theta_{ij}(x_i, x_j) + \beta^1_{ij}(x_i)\big) \end{gathered}",
        "In closed form: u pays for the couplings not taken at <dfn>y*</dfn>, v for all others. It stays tight at y* "
        "for every λ.",
        "bender_core/kernels/rows/pool.py",
        "write_reverse_row",
        "edge",
        "the RMC among the four rows of “What if”",
        examples.reverse,
    ),
    Formula(
        "Magnanti-Wong cut (MWC)",
        r"\begin{gathered} \min_{0 \le \beta^3 \le Q} \; \sum \alpha \beta^3 + (1 - \alpha) (\beta^3)^2 \quad "
        r"\text{s.t.} \\ \sum_j \beta^3_j(x^{y_q}_j) \ge \lambda_{pq \to q}(y_q) + \nu_{pq}(y^*) \\ {} - \sum_{ij} "
        r"[x^{ij}_j = x^{y_q}_j] \, \theta_{ij}\;\; \forall y_q \end{gathered}",
        "Among all rows tight at <dfn>y*</dfn>, one with the smallest charges; <dfn>α</dfn> weighs their sum against "
        "the sum of their "
        "squares. Solved by an active-set method that adds the most violated of the $2^{|q|}$ constraints, one by one.",
        "bender_core/kernels/rows/magnanti_wong.py",
        "_active_set",
        "edge",
        "the MWC of three α among the four rows of “What if”, with time and pivots",
        examples.magnanti_wong,
    ),
)

BEYOND = (
    Formula(
        "Exact min-marginals by pruning",
        r"\begin{gathered} \nu_{pq}(y_p) = \min_{y_q} \; a(y_q) + \sum_k y_{p,k} D_k(y_q), \\ a(y'_q) - a(y_q) \\ {} + "
        r"\sum_{k \text{ open}} \min\big(0, D_k(y'_q) - D_k(y_q)\big) \ge 0 \\ \Rightarrow\; y'_q \text{ is dropped} "
        r"\end{gathered}",
        "Not in the paper. The min-marginal is the least of $2^{|q|}$ functions that are affine in the bits of "
        "p. Walking the tree of those bits, a candidate $y'_q$ that can never beat another, $y_q$, below this branch "
        "is dropped.",
        "bender_core/kernels/min_marginals/prune.py",
        "halve_box",
        "compare",
        "variant 12 next to the baseline: the same bound, sooner",
        examples.pruning,
    ),
    Formula(
        "Exact min-marginals by elimination",
        r"\nu_{pq} = \min_{x_1} \Big[ \dots \min_{x_m} \big[ -\lambda_{pq \to q} + \sum_{ij} \theta_{ij} \big] "
        r"\Big]",
        "Not in the paper. Where few couplings join two groups, the bits of q are eliminated one by one, and all "
        "tables stay small.",
        "bender_core/kernels/min_marginals/eliminate.py",
        "eliminate",
        "compare",
        "variant 12 on a grid partitioned into layers",
        examples.elimination,
    ),
    Formula(
        "Forward and backward (srmp)",
        r"\begin{gathered} \rho = \frac{1}{\max(|F|, |B|, 1)}, \\ \lambda_{pq \to p} \leftarrow \nu_{pq} - \rho \, "
        r"\Big[\phi_p + \sum_q \nu_{pq}\Big] \;\; (q \in F), \\ \lambda_{pq \to p} \leftarrow \nu_{pq} \;\; (q \in B) "
        r"\end{gathered}",
        "Another schedule, after Kolmogorov's SRMP: the cost of a group goes only to the neighbours still to come (F), "
        "none to those passed (B). A chain of groups is exact after one sweep.",
        "bender_core/kernels/schedule.py",
        "edge_share",
        "partition",
        "the choice of the schedule",
        examples.forward,
    ),
    Formula(
        "The bound by frustrated cycles",
        r"\begin{gathered} f(x) = f_0 + \sum_e c_e y_e(x) \;\ge\; LB_C, \\ LB_C = f_0 + \sum_C \mu_C \\ {} + \sum_e "
        r"\min\Big(0, c_e - \sum_{C \ni e} \mu_C\Big) \end{gathered}",
        "Not in the paper. A labelling breaks some couplings ($y_e = 1$) and pays their costs $c_e$; of every "
        "<dfn data-term='frustrated'>frustrated</dfn> cycle it breaks at least one. So what the couplings of a cycle "
        "lend to it, its <dfn>share</dfn> $\\mu_C$, is paid once, whatever the labelling.",
        "bender_core/cycles/shares.py",
        "bound",
        "cycles",
        "couplings that fill up with what they lend",
        examples.cycle_bound,
    ),
    Formula(
        "Where the gap of the cycles lives",
        r"\begin{gathered} f(x) - LB_C = \sum_C \mu_C \Big(\sum_{e \in C} y_e(x) - 1\Big) \\ {} + \sum_e \big(r_e "
        r"y_e(x) - \min(0, r_e)\big), \\ r_e = c_e - \sum_{C \ni e} \mu_C \end{gathered}",
        "Not in the paper. The <dfn>gap</dfn> is the sum of what cycles pay beyond once and of what broken couplings "
        "have not lent; no part is negative.",
        "bender_core/cycles/shares.py",
        "parts_of",
        "cycles",
        "the list “The gap lives in”",
        examples.cycle_gap,
    ),
)

FORMULAS = {"Bound": BOUND, "Rows": ROWS, "Beyond the paper": BEYOND}

MISPRINTS = (
    (
        "Conversion to the normal form, both cases",
        "The printed unary terms count a row and a column twice. With ours all four states keep their energy.",
    ),
    ("Conversion, second case", "Its condition is w ≥ 0, and its entry sits at (1, 0)."),
    ("The increase of the bound", "The second bracket is a sum, λ_p + Σ λ_pq, not a difference."),
    ("The penalty of a Magnanti-Wong cut", "It runs over j ∈ Y_q, not Y_p."),
    (
        "Where Magnanti-Wong cuts go",
        "The text leaves open whether on each edge or on the most violated; the table of variants decides: on the most "
        "violated.",
    ),
    (
        "The table of gaps",
        "It repeats whole rows (1 and 4, 6 and 9, nearly 7 and 10), so we compare with its shape, not its digits.",
    ),
)


@cache
def source(file: str, function: str) -> tuple[int, str]:
    """The line at which a function begins, and its text."""
    text = (ROOT / file).read_text(encoding="utf-8")
    node = next(n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name == function)
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return node.lineno, "\n".join(text.splitlines()[first - 1 : node.end_lineno])
