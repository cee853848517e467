"""Each formula with numbers: put together from the values of its symbols, and checked by another way to compute it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bender_core import looking
from bender_core.engine.messages import least_of_edge
from bender_core.kernels.layout import RowKind
from bender_core.looking.rows import row_value
from pages._shared.method import values
from pages._shared.method.notation import Here
from pages._shared.method.tex import DOTS, extreme, plus, total


class Sides(NamedTuple):
    """What two ways of computing the same give; or, of a bound, what is never below what."""

    left: float
    right: float
    is_bound: bool = False


class Example(NamedTuple):
    """A formula with numbers.

    Attributes
    ----------
    latex : str
    sides : tuple of Sides
        Of its equations: what the engine has, and what follows from the other values.
    """

    latex: str
    sides: tuple[Sides, ...]


def energy(here: Here) -> Example:
    """The energy of the best labelling, from the tables of the model."""
    mrf, x = here.scene.engine.mrf, here.scene.engine.labeling
    unary = float(mrf.unary[np.arange(mrf.n), x].sum())
    pairwise = float(mrf.pairwise[np.arange(mrf.n_edges), *x[mrf.edges].T].sum())
    template = r"""
f(x) &= «c» + «unary|\sum \theta_i» + «pairwise|\sum \theta_{ij}»
&= ‹f(x)›"""
    return Example(
        here.fill(template, unary=unary, pairwise=pairwise),
        (Sides(here.number("f(x)"), here.number("c") + unary + pairwise),),
    )


def normal_form(here: Here) -> Example:
    """One coupling, and the entry that is left of its table."""
    pair, w, t = here.scene.pair, here.number("w_{ij}"), here.scene.pair.before
    kept = float(pair.normal[pair.entry])
    template = r"""
w_{ij} &= ‹t_11› - ‹t_01› - ‹t_10› + ‹t_00›
&= ‹w_{ij}› ‹sign› 0
\theta_{ij}(‹a›, ‹b›) &\leftarrow ‹kept›"""
    named: dict[str, float | str] = {f"t_{x}{y}": float(t[x, y]) for x in (0, 1) for y in (0, 1)}
    named |= {"a": pair.entry[0], "b": pair.entry[1], "kept": kept, "sign": "<" if w < 0 else r"\ge"}
    return Example(
        here.fill(template, **named),
        (Sides(kept, -abs(w)), Sides(float(pair.normal.sum()), kept)),
    )


def hyper_variables(here: Here) -> Example:
    """The energy of the best labelling, from the tables of the groups and the couplings between them."""
    engine = here.scene.engine
    form, x, owner = engine.graph.normal_form, engine.labeling, engine.partition.group_of()
    own = sum(float(engine.graph.energies(p)[y]) for p, y in enumerate(engine.graph.states(x).tolist()))
    between = (owner[form.edges[:, 0]] != owner[form.edges[:, 1]]) & (x[form.edges] == form.entry).all(axis=1)
    paid = float(form.weight[between].sum())
    template = r"""
f(x) &= «c'» + «own|\sum \phi_p» + «paid|\sum \phi_{pq}»
&= ‹f(x)›
|\mathcal{Y}_p| &= ‹size› \le ‹M›"""
    return Example(
        here.fill(template, own=own, paid=paid, size=len(here.scene.members(here.scene.p))),
        (Sides(here.number("f(x)"), here.number("c'") + own + paid),),
    )


def lower_bound(here: Here) -> Example:
    """The bound, term by term, from the messages alone."""
    engine, stop = here.scene.engine, here.scene.stop
    groups = [float(looking.reparametrized(engine, p).min()) for p in range(engine.graph.n_groups)]
    edges = [least_of_edge(engine.arrays, 2 * edge, stop) for edge in range(len(engine.graph.edges))]
    template = r"""
LB &= «c'»
&+ «groups|\text{groups}»
&+ «edges|\text{edges}»
&= ‹c'› + ‹of_groups› + ‹of_edges›
&= ‹LB›"""
    return Example(
        here.fill(
            template,
            groups=f"({total(groups)})",
            edges=f"({total(edges)})",
            of_groups=sum(groups),
            of_edges=sum(edges),
        ),
        (Sides(here.number("LB"), here.number("c'") + sum(groups) + sum(edges)),),
    )


def min_marginal(here: Here) -> Example:
    """The min-marginal at y*, by trying all states of q."""
    answers = here.scene.answers
    template = r"""
\nu_{pq}(‹y_p›) &= ‹least›
&= «\phi_{pq}» - «\lambda_{pq \to q}»
&= ‹\nu_{pq}›"""
    return Example(
        here.fill(template, least=extreme("min", answers.tolist())),
        (
            Sides(here.number(r"\nu_{pq}"), float(answers.min())),
            Sides(float(answers.min()), here.number(r"\phi_{pq}") - here.number(r"\lambda_{pq \to q}")),
        ),
    )


def update(here: Here) -> Example:
    """The update at y*, from what the neighbours answer there; under srmp, what mplp would pass."""
    scene, kept = here.scene, here.number(r"\nu_p")
    exact = [answer.exact for answer in looking.answers(scene.engine, scene.p, scene.y)]
    passed = here.number(r"\nu_{pq}") - kept
    template = r"""
\nu_p &= \frac{«\phi_p» + «exact|\sum \nu_{pq}»}{1 + ‹\deg p›}
&= ‹\nu_p›
\lambda_{pq \to p} &\leftarrow «\nu_{pq}» - «\nu_p»
&= ‹passed› \quad (\text{mplp})"""
    sides = [Sides(kept, (here.number(r"\phi_p") + sum(exact)) / (1 + len(exact)))]
    if scene.engine.settings.schedule == "mplp":
        sides.append(Sides(here.number(r"\lambda_{pq \to p}"), passed))
    return Example(here.fill(template, exact=f"({total(exact)})", passed=passed), tuple(sides))


def labelling(here: Here) -> Example:
    """The cheapest state of p under its messages, and the gap."""
    scene, low, high = here.scene, here.number("LB"), here.number("UB")
    received = [float(looking.message(scene.engine, scene.p, q)[scene.y]) for q in scene.neighbours]
    cheapest = float(looking.reparametrized(scene.engine, scene.p).min())
    larger = max(abs(low), abs(high))
    template = r"""
\min_{y_p} &= «\phi_p» + «received|\sum \lambda_{pq \to p}»
&= ‹cheapest›
y_p &= ‹y_p›
\text{gap} &= \frac{«UB» - «LB»}{‹larger›}
&= ‹\text{gap}›"""
    return Example(
        here.fill(template, received=f"({total(received)})", cheapest=cheapest, larger=larger),
        (
            Sides(cheapest, here.number(r"\phi_p") + sum(received)),
            Sides(here.number(r"\text{gap}"), (high - low) / larger if larger else 0.0),
        ),
    )


def row(here: Here) -> Example:
    """A row of the edge, at y* and its answer."""
    u, v = here.scene.row_at
    bound = -sum(u) - sum(v)
    template = r"""
u(‹y_p›) &= ‹each_u› = ‹u›
v(‹y_q›) &= ‹each_v› = ‹v›
«\phi_{pq}» &\ge -«u» - «v»
&= ‹bound›"""
    return Example(
        here.fill(template, each_u=total(u), each_v=total(v), u=sum(u), v=sum(v), bound=bound),
        (Sides(here.number(r"\phi_{pq}"), bound, is_bound=True),),
    )


def recycled(here: Here) -> Example:
    """The same row, its constant computed by trying all states of q."""
    scene, (u, _) = here.scene, here.scene.row_at
    found = -scene.claimed - scene.states @ np.diff(scene.row.v)[:, 0] - scene.row.v[:, 0].sum()
    value = here.number(r"\beta^0") - sum(u)
    template = r"""
\beta^0 &= ‹least›
&= ‹\beta^0›
\text{row}(‹y_p›) &= «\beta^0» - «u»
&= ‹value› \le «\nu_{pq}»"""
    return Example(
        here.fill(template, least=extreme("min", found.tolist()), u=sum(u), value=value),
        (Sides(here.number(r"\beta^0"), float(found.min())), Sides(here.number(r"\nu_{pq}"), value, is_bound=True)),
    )


def envelope(here: Here) -> Example:
    """The envelope at y*, which is exact there, and the total, which is least there with and without rows."""
    scene, nu = here.scene, here.number(r"\nu_{pq}")
    # Without rows it is the min-marginal itself.
    rows = [row_value(each, scene.y) for each in scene.rows] or [nu]
    least, exact = float(scene.total.min()), values.exact_total(scene)
    every = scene.engine.graph.energies(scene.p) + sum(
        looking.min_marginal(scene.engine, scene.p, q, stop=scene.stop) for q in scene.neighbours
    )
    template = r"""
\nu^-_{pq}(‹y_p›) &= ‹highest›
&= ‹\nu^-_{pq}› = «\nu_{pq}»
\min_{y_p} &= ‹least› \text{ with all } \nu^-
\min_{y_p} &= ‹exact› \text{ with all } \nu"""
    return Example(
        here.fill(template, highest=extreme("max", rows), least=least, exact=exact),
        (
            Sides(here.number(r"\nu^-_{pq}"), max(rows)),
            Sides(here.number(r"\nu^-_{pq}"), nu),
            Sides(least, exact),
            Sides(exact, float(every.min())),
        ),
    )


def reverse(here: Here) -> Example:
    """What the reverse row at y* makes of one coupling; the engine's row, from all couplings in this way."""
    scene, pair, cut = here.scene, here.scene.pair, here.scene.cuts[RowKind.RMC]
    (a, b), t, (first, second) = pair.entry, pair.normal, values.split(pair.normal, pair.anchor)
    u, v = np.zeros_like(cut.u), np.zeros_like(cut.v)
    for member, other, entry, weight in zip(*scene.couplings, strict=True):
        table = np.zeros((2, 2))
        table[tuple(entry)] = -weight
        for charges, end, part in zip((u, v), (member, other), values.split(table, scene.y >> member & 1), strict=True):
            charges[end] += part
    template = r"""
\beta^1_{ij}(‹a›) &= -[‹a› \ne ‹x^*_i›] \cdot ‹least›
&= ‹first›
\beta^2_{ij}(‹b›) &= -\min\{‹at_0›, ‹at_1›\}
&= ‹second›"""
    named = {"a": a, "b": b, "least": float(t[a].min()), "first": float(first[a]), "second": float(second[b])}
    return Example(
        here.fill(template, at_0=plus(t[0, b], first[0]), at_1=plus(t[1, b], first[1]), **named),
        (
            Sides(float(first[a] + second[b]), -float(t[a, b])),
            Sides(float(np.abs(cut.u - u).max()), 0.0),
            Sides(float(np.abs(cut.v - v).max()), 0.0),
        ),
    )


def magnanti_wong(here: Here) -> Example:
    """The Magnanti-Wong row at y*: what it costs, beside the reverse row, and the constraint that is the tightest."""
    scene, alpha = here.scene, here.number(r"\alpha")

    def cost(paid: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
        return float((alpha * paid + (1 - alpha) * paid**2).sum())

    nu = here.number(r"\nu_{pq}")
    members = np.arange(len(scene.cut.payments))
    paid = scene.cut.payments[members, scene.states.astype(np.int64)]
    rest = -scene.between(None)
    needed = scene.claimed + nu + rest
    tight = int((paid.sum(axis=1) - needed).argmin())
    template = r"""
\text{objective} &= ‹cost› \;\; (\text{RMC: } ‹most›)
\text{tight at } y_q &= ‹state›
\textstyle\sum_j \beta^3_j &= ‹paid›
&\ge «lam|\lambda_{pq \to q}» + «\nu_{pq}» + «rest|-\sum \theta_{ij}»
&= ‹needed›"""
    return Example(
        here.fill(
            template,
            cost=cost(scene.cut.payments),
            most=cost(scene.cut.capacity),
            state=values.bits(scene, scene.q, tight),
            paid=float(paid[tight].sum()),
            lam=float(scene.claimed[tight]),
            rest=float(rest[tight]),
            needed=float(needed[tight]),
        ),
        (
            # Tight, as the row is at y*.
            Sides(float(paid[tight].sum()), float(needed[tight])),
            Sides(float(scene.cut.row.values[scene.y]), nu),
            Sides(cost(scene.cut.capacity), cost(scene.cut.payments), is_bound=True),
            Sides(float((scene.cut.capacity - scene.cut.payments).min()), 0.0, is_bound=True),
            Sides(float(scene.cut.payments.min()), 0.0, is_bound=True),
        ),
    )


def pruning(here: Here) -> Example:
    """The min-marginal from what each state of q costs, and whether one of them can be dropped at once."""
    scene, affine, ones = here.scene, here.scene.affine, here.scene.bits(here.scene.p, here.scene.y)
    slopes, rival = float(ones @ affine.slope[:, scene.answer]), float(affine.constant[affine.rival])
    gains, worse = float(affine.change[affine.rival]), float(affine.beaten[affine.rival])
    template = r"""
\nu_{pq}(‹y_p›) &= «a» + «slopes|\sum y_{p,k} D_k»
&= ‹\nu_{pq}›
\text{all } k \text{ open:} &\;\; «rival|a(y'_q)» - «a|a(y_q)» + «gains|\sum \min»
&= ‹worse› ‹verdict›"""
    verdict = r"\ge 0: \text{dropped}" if worse >= 0 else r"< 0: \text{kept}"
    named: dict[str, float | str] = {"gains": gains, "worse": worse, "verdict": verdict}
    every = affine.constant + ones @ affine.slope
    return Example(
        here.fill(template, slopes=slopes, rival=rival, **named),
        (
            Sides(here.number(r"\nu_{pq}"), float(every.min())),
            Sides(here.number(r"\nu_{pq}"), here.number("a") + slopes),
            Sides(worse, rival - here.number("a") + gains),
        ),
    )


def elimination(here: Here) -> Example:
    """The members of q eliminated at y*, the last one first."""
    table, sizes, last = here.scene.answers, list[str](), ""
    while len(table) > 1:
        sizes.append(str(len(table)))
        last = extreme("min", table.tolist())
        table = table.reshape(2, -1).min(axis=0)
    template = r"""
\text{costs left:} &\;\; ‹sizes›
\nu_{pq}(‹y_p›) &= ‹last›
&= ‹\nu_{pq}›"""
    return Example(
        here.fill(
            template, sizes=r" \to ".join([*sizes[:2], *([DOTS] if len(sizes) > 3 else sizes[2:]), "1"]), last=last
        ),
        (Sides(here.number(r"\nu_{pq}"), float(table[0])),),
    )


def forward(here: Here) -> Example:
    """What srmp passes at y* on the way out; under mplp, what it would pass."""
    scene, total_there = here.scene, values.exact_total(here.scene)
    after, before = (len(values.ahead(scene, later)) for later in (True, False))
    is_ahead = scene.q in values.ahead(scene, later=True)
    part = here.number(r"\rho") if is_ahead else 0.0
    passed = here.number(r"\nu_{pq}") - part * total_there
    template = r"""
\rho &= \frac{1}{\max(‹after›, ‹before›, 1)} = ‹\rho›
\lambda_{pq \to p} &\leftarrow «\nu_{pq}» - ‹part› \cdot «total|\phi_p + \sum \nu_{pq}»
&= ‹passed› \quad (\text{srmp, } q \in ‹where›)"""
    sides = [Sides(total_there, float(scene.total[scene.y]))]
    if values.is_outward(scene):
        sides.append(Sides(here.number(r"\lambda_{pq \to p}"), passed))
    named: dict[str, float | str] = {"after": after, "before": 0 if values.is_forest(scene) else before}
    return Example(
        here.fill(template, part=part, total=total_there, passed=passed, where="F" if is_ahead else "B", **named),
        tuple(sides),
    )


def cycle_bound(here: Here) -> Example:
    """The bound by the frustrated cycles of the model, from their shares."""
    loops, base = here.scene.loops, here.number("f_0")
    costs = float(loops.packing.graph.cost[loops.broken].sum())
    shares, short = float(loops.packing.shares.sum()), float(np.minimum(loops.left, 0.0).sum())
    template = r"""
f(x) &= «f_0» + «costs|\sum c_e y_e»
&= ‹f(x)›
LB_C &= ‹f_0› + «shares|\sum \mu_C» + «short|\sum \min(0, r_e)»
&= ‹LB_C›"""
    return Example(
        here.fill(template, costs=costs, shares=shares, short=short),
        (
            Sides(here.number("f(x)"), base + costs),
            Sides(here.number("LB_C"), base + shares + short),
            Sides(here.number("f(x)"), here.number("LB_C"), is_bound=True),
        ),
    )


def cycle_gap(here: Here) -> Example:
    """The gap of that bound, part by part."""
    loops = here.scene.loops
    unlent = float(np.where(loops.broken, np.maximum(loops.left, 0.0), np.maximum(-loops.left, 0.0)).sum())
    template = r"""
«f(x)» - «LB_C» &= «overpaid|\sum_C» + «unlent|\sum_e»
&= ‹gap›
r_e &= «c_e» - «lent|\sum \mu_C» = ‹r_e›"""
    lent = here.number("c_e") - here.number("r_e")
    return Example(
        here.fill(template, overpaid=loops.overpaid, unlent=unlent, gap=loops.overpaid + unlent, lent=lent),
        (
            Sides(here.number("f(x)") - here.number("LB_C"), loops.overpaid + unlent),
            Sides(float(loops.packing.parts(here.scene.engine.labeling).edges.sum()), unlent),
        ),
    )
