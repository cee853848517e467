"""The symbols of the method, in one table: what each means, its name in the code, and its value in a scene."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from bender_core import looking
from pages._shared.method import values
from pages._shared.method.scene import Scene
from pages._shared.method.tex import lines, tex, under

Value = float | str


@dataclass(frozen=True)
class Symbol:
    """A symbol of the formulas.

    Attributes
    ----------
    latex : str
    meaning : str
    name : str
        In the code.
    value : callable
        Its value in a scene: a number, or text.
    marks : tuple of str
        The forms in which it stands in formulas; by default as in ``latex``.
    """

    latex: str
    meaning: str
    name: str
    value: Callable[[Scene], Value]
    marks: tuple[str, ...] = ()

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms in which it stands in formulas."""
        return self.marks or tuple(self.latex.split(", "))


NOTATION = (
    # The model.
    Symbol("f(x)", "the energy of a labelling", "energy", lambda s: s.engine.upper_bound, ("f",)),
    Symbol("x", "a labelling; here the best so far", "labeling", values.labelling),
    Symbol(
        "i, j",
        "two variables with a coupling, $i$ in $p$ and $j$ in $q$",
        "edges",
        lambda s: values.variables(s, (s.pair.i, s.pair.j)),
    ),
    Symbol(
        "x_i, x_j",
        "the values of variables, 0 or 1; here in the best labelling",
        "labeling",
        lambda s: values.listed(s.engine.labeling[[s.pair.i, s.pair.j]]),
    ),
    Symbol("n", "the number of variables", "n", lambda s: s.engine.mrf.n),
    Symbol("c", "the constant of the model", "constant", lambda s: s.engine.mrf.constant),
    Symbol(r"\theta_i", "the unary term: the energies of $i$ at 0 and at 1", "unary", values.unary),
    Symbol(
        r"\theta_{ij}",
        "the pairwise term: the energies at (0, 0), (0, 1), (1, 0), (1, 1)",
        "pairwise",
        values.pairwise,
    ),
    Symbol(
        "w_{ij}",
        "the coupling: the one number of a pairwise table that no unary term can express",
        "coupling",
        values.coupling,
    ),
    Symbol(
        "c'",
        "the constant of the normal form: $c$, and the least energy of every variable",
        "constant of a NormalForm",
        lambda s: s.engine.graph.normal_form.constant,
    ),
    # Groups.
    Symbol(
        "p, q",
        "groups, that is hyper-variables; here the receiver and the sender of the message",
        "node",
        lambda s: values.groups(s, (s.p, s.q)),
    ),
    Symbol(
        r"\mathcal{Y}_p", "the members of a group", "groups", lambda s: values.variables(s, s.members(s.p).tolist())
    ),
    Symbol("M", "the most variables that a group may have", "max_size", lambda s: s.max_size),
    Symbol(
        "y_p",
        "the state of $p$, an integer whose bit $k$ is member $k$; here $y^*$, from bit 0 on",
        "state",
        lambda s: values.bits(s, s.p, s.y),
    ),
    Symbol(
        "y_q",
        "the state of $q$; here the cheapest answer to $y^*$",
        "state",
        lambda s: values.bits(s, s.q, s.answer),
    ),
    Symbol(r"\phi_p", "the energy within $p$, at $y_p$", "phi", values.own),
    Symbol(
        r"\phi_{pq}",
        "the energy between $p$ and $q$, at $y_p$ and $y_q$",
        "coupling_energy",
        lambda s: float(s.between(s.y)[s.answer]),
    ),
    Symbol(r"\deg p", "the number of neighbours of $p$", "neighbours", lambda s: len(s.neighbours), (r"\deg",)),
    # Messages and bounds.
    Symbol(
        r"\lambda_{pq \to p}",
        "the message to $p$, at $y_p$: its share of the cost of the edge",
        "lam",
        lambda s: float(looking.message(s.engine, s.p, s.q)[s.y]),
        (r"\lambda_{pq \to p}", r"\lambda"),
    ),
    Symbol(r"\lambda_{pq \to q}", "the message to $q$, at $y_q$", "lam", lambda s: float(s.claimed[s.answer])),
    Symbol("LB", "the lower bound", "lower_bound", lambda s: s.engine.lower_bound),
    Symbol("UB", "the upper bound: the energy of the best labelling", "upper_bound", lambda s: s.engine.upper_bound),
    Symbol(r"\text{gap}", "the relative gap", "gap", lambda s: s.engine.gap),
    Symbol(
        r"\nu_{pq}",
        "the min-marginal, at $y_p$: the least that the rest of the edge costs",
        "min_marginal",
        lambda s: float(looking.min_marginal(s.engine, s.p, s.q, [s.y], s.stop)[0]),
    ),
    Symbol(r"\nu_p", "the share of $p$, and of each of its edges, in the total, at $y_p$", "edge_share", values.share),
    Symbol(
        r"\nu^-_{pq}",
        r"the envelope of the rows, at $y_p$; nowhere above $\nu_{pq}$",
        "envelope",
        lambda s: float(looking.envelope(s.engine, s.p, s.q, s.stop)[s.y]),
    ),
    # Rows.
    Symbol(
        "y^*",
        "the state at which a row is made tight: the minimiser of the total",
        "state of an event",
        lambda s: values.bits(s, s.p, s.y),
    ),
    Symbol("x^*_i", "the value of $i$ in $y^*$", "anchor of a Row", lambda s: s.pair.anchor),
    Symbol(
        "q^*",
        "the loosest neighbour of $p$: the one with the largest slack at $y^*$",
        "arc of an oracle",
        lambda s: values.groups(s, [values.loosest(s)]),
    ),
    Symbol(
        "u, v",
        "the two sides of a row, at $y_p$ and at $y_q$; the paper writes −ω for $u$",
        "u, v of a Row",
        values.charges,
    ),
    Symbol(
        "u_i, v_j",
        "what a row charges for the value of one variable",
        "u, v of a Row",
        values.charge_of_each,
    ),
    Symbol(
        r"\beta^0",
        "the constant of a row under the current messages; the paper also writes ω₀",
        "intercept",
        lambda s: s.row.constant,
    ),
    Symbol(
        r"\beta^1_{ij}, \beta^2_{ij}",
        "the parts of a coupling in $u$ and in $v$; here in the RMC at $y^*$, where the coupling has its energy",
        "paid",
        values.sides,
    ),
    Symbol(
        r"[x_i \ne x^*_i]",
        "1 if it holds, else 0; here where the coupling has its energy",
        "taken",
        lambda s: int(s.pair.entry[0] != s.pair.anchor),
        (r"[x_i \ne",),
    ),
    Symbol(
        r"\beta^3_j",
        "what an MWC charges $p$ for the couplings of a value of $j$",
        "payment",
        lambda s: float(s.cut.payments[s.pair.other, s.pair.entry[1]]),
        (r"\beta^3_j", r"\beta^3"),
    ),
    Symbol(
        "Q",
        "the most that it can charge: the weight of those not taken at $y^*$",
        "capacity",
        lambda s: float(s.cut.capacity[s.pair.other, s.pair.entry[1]]),
    ),
    Symbol(
        r"\alpha",
        "the objective of a Magnanti-Wong cut: 1 the sum, 0 the sum of squares, ½ both",
        "alphas of a Variant",
        lambda s: s.cut.alpha,
    ),
    Symbol(
        "x^{y_q}_j",
        "the value of $j$ in the state $y_q$",
        "state",
        lambda s: int(s.bits(s.q, s.answer)[s.pair.other]),
    ),
    Symbol("x^{ij}_j", "the value of $j$ at which the coupling has its energy", "entry", lambda s: s.pair.entry[1]),
    Symbol(
        "[x^{ij}_j = x^{y_q}_j]",
        "1 if it holds, else 0",
        "entry",
        lambda s: int(s.bits(s.q, s.answer)[s.pair.other] == s.pair.entry[1]),
        ("[x^{ij}_j =",),
    ),
    # Beyond the paper.
    Symbol("k", "the number of a member of $p$, from 0; here of $i$", "k", lambda s: s.pair.mine),
    Symbol("y_{p,k}", "the value of member $k$", "state", lambda s: int(s.bits(s.p, s.y)[s.pair.mine])),
    Symbol(
        "a", "the cost of $y_q$ if all members of $p$ are 0", "constant", lambda s: float(s.affine.constant[s.answer])
    ),
    Symbol(
        "D_k",
        "what member $k$ adds to it by being 1",
        "slope",
        lambda s: float(s.affine.slope[s.pair.mine, s.answer]),
    ),
    Symbol("y'_q", "another state of $q$", "state", lambda s: values.bits(s, s.q, s.affine.rival)),
    Symbol(
        r"x_1, \dots, x_m",
        "the members of $q$",
        "order",
        lambda s: values.variables(s, s.members(s.q).tolist()),
        ("x_1", "x_m"),
    ),
    Symbol(
        "F, B",
        "the neighbours of $p$ still to come, and those passed; here on the way out",
        "is_ahead",
        lambda s: "; ".join(values.groups(s, values.ahead(s, later)) for later in (True, False)),
    ),
    Symbol(r"\rho", "the share of an edge ahead in the total", "edge_share", values.forward_share),
    Symbol(
        "f_0", "the energy if no coupling were broken", "base of a SignedGraph", lambda s: s.loops.packing.graph.base
    ),
    Symbol("e", "a coupling, or the field of a variable", "edge", values.broken_edge),
    Symbol("c_e", "what it costs to break it", "cost", lambda s: values.of_edge(s, s.loops.packing.graph.cost)),
    Symbol(
        "y_e",
        "1 if the labelling breaks it, else 0",
        "broken",
        lambda s: int(values.of_edge(s, s.loops.broken.astype(float))),
    ),
    Symbol("C", "a frustrated cycle", "cycles", values.cycle),
    Symbol(
        r"\mu_C",
        "the share of the cycle: what each of its couplings lends to it",
        "shares",
        lambda s: float(s.loops.packing.shares[s.loops.largest]) if s.loops.largest >= 0 else 0.0,
    ),
    Symbol(
        "LB_C",
        "the lower bound by frustrated cycles",
        "lower_bound of a Packing",
        lambda s: s.loops.packing.lower_bound,
    ),
    Symbol("r_e", "what the coupling has left", "rests", lambda s: values.of_edge(s, s.loops.left)),
)

BY_LATEX = {symbol.latex: symbol for symbol in NOTATION}

_TOKEN = re.compile(r"\\(?:text|begin|end)\{[^}]*\}|\\[A-Za-z]+|\\.|\S")
# Symbols that stand below or above others.
_INDICES = frozenset((letter,) for letter in "ijkpqeC")
_PLACE = re.compile("([‹«])([^›»]*)[›»]")


def _tokens(latex: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(latex))


# Of TeX what says nothing by itself.
_SIGNS = frozenset(
    _tokens(
        r"\sum \min \max \arg \big \Big \quad \qquad \in \ni \le \ge \ne \to \leftarrow \Rightarrow \frac \forall "
        r"\dots \begin{gathered} \end{gathered}"
    )
)


@cache
def _parsed(latex: str) -> tuple[tuple[Symbol, ...], tuple[str, ...]]:
    forms = sorted(((_tokens(form), symbol) for symbol in NOTATION for form in symbol.forms), key=lambda f: -len(f[0]))
    indices = {form[0]: symbol for form, symbol in forms if form in _INDICES}
    tokens, found, rest = _tokens(latex), set[str](), list[str]()
    while tokens:
        # The longest form: a symbol with indices is not the one without.
        form, symbol = next((each for each in forms if tokens[: len(each[0])] == each[0]), (tokens[:1], None))
        if symbol is not None:
            found |= {symbol.latex, *(indices[token].latex for token in form[1:] if token in indices)}
        elif re.search("[A-Za-z]", form[0]) and form[0] not in _SIGNS and not form[0].startswith(r"\text"):
            rest.append(form[0])
        # Within brackets there are more.
        tokens = tokens[1 if form[0] == "[" else len(form) :]
    return tuple(symbol for symbol in NOTATION if symbol.latex in found), tuple(rest)


def symbols_of(latex: str) -> tuple[Symbol, ...]:
    """The symbols of a formula, in the order of the table."""
    return _parsed(latex)[0]


def unexplained(latex: str) -> tuple[str, ...]:
    """What is in a formula beside symbols, words and signs."""
    return _parsed(latex)[1]


class Here:
    """The values of all symbols in a scene.

    Parameters
    ----------
    scene : Scene
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._known: dict[str, Value] = {}

    def __getitem__(self, latex: str) -> Value:
        """The value of a symbol."""
        if latex not in self._known:
            self._known[latex] = BY_LATEX[latex].value(self.scene)
        return self._known[latex]

    def number(self, latex: str) -> float:
        """The value of a symbol that stands for a number."""
        return float(self[latex])

    def fill(self, template: str, **more: float | str) -> str:
        """An equation with values in place of names, each line a line.

        Parameters
        ----------
        template : str
            In it ``‹name›`` is replaced by the value of a symbol or of one of ``more``, and ``«name»`` as well, with
            the symbol below it; for one of ``more`` it is given as ``«name|symbol»``.
        """

        def value(found: re.Match[str]) -> str:
            name, _, symbol = found[2].partition("|")
            given = more[name] if name in more else self[name]
            text = given if isinstance(given, str) else tex(given)
            before = template[: found.start()].rstrip()
            if text.startswith("-") and before.endswith(("+", "-", r"\cdot")):
                text = f"({text})"
            return under(text, symbol or name) if found[1] == "«" else text

        return lines(_PLACE.sub(value, template.strip()))
