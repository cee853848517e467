// The parts of one column, that of y* unless another is under the pointer: its own cost, a part of each neighbour and
// the rest sum to the lower bound on the state's cost; when the neighbours answer, each grows to its exact value.

import { Picture } from "../../marks/picture.js";
import { short } from "../../text.js";
import { columnOf, costOf, shown, sum } from "./sums.js";

const MOST = 5; // neighbours that are named, where there is room
const [WIDE, NARROW, APART] = [7.2, 6.9, 14]; // pixels of a character of a value and of a name, and between two terms
const LETTERS = 13; // of a name

export class Over {
  constructor(charts) {
    Object.assign(this, { charts, stage: charts.stage });
    this.picture = new Picture(charts.stage.$("[data-chart=parts]"), "parts", charts.stage.tip);
  }

  draw(moment, progress) {
    this.picture.draw(progress?.hasFloor ? this.spans(progress) : []);
  }

  spans(progress) {
    const { update } = progress;
    const state = this.charts.seen ?? update.y;
    const column = columnOf(update, state);
    if (!column) return [];
    const isEvaluated = state === update.y;
    const isKnown = isEvaluated && update.nu && progress.dot > 0.5;
    const { digits } = this.charts.energy;
    const { from, to, added } = costOf(update, column, isKnown, digits);
    const own = [
      { id: "rest", name: "rest", ks: [0] },
      { id: "own", name: "own", ks: [1] },
    ];
    const total = {
      id: "total",
      name: isKnown || this.isExact(update, column) ? "exactly" : "at least",
      ks: from.map((_, k) => k),
    };
    const written = (most) => {
      const terms = [...own, ...this.named(update, from, added, most), total].map((term) => ({
        ...term,
        from: pick(from, term.ks),
        to: pick(to, term.ks),
        added: pick(added, term.ks),
      }));
      const spans = terms.flatMap((term, k) => this.term(term, k === terms.length - 1 ? 0 : k, digits, state));
      const equals = { id: "equals", shape: "span", class: "sign", text: "=" };
      return [this.head(state, column, isEvaluated), ...spans.slice(0, -1), equals, spans.at(-1)];
    };
    // As many neighbours are named as there is room for.
    let most = MOST;
    while (most > 1 && widthOf(written(most)) > this.stage.sizes.of(this.picture.root).width) most -= 1;
    return written(most);
  }

  // Whether the lower bound on a state is known to be exact: all rows are, or the oracle's answer equals it.
  isExact({ evaluated }, { state, g }) {
    const { energy } = this.charts;
    return this.stage.graph.exact || (evaluated.has(state) && energy.text(evaluated.get(state)) === energy.text(g));
  }

  head(state, { bits }, isEvaluated) {
    return {
      id: "state",
      shape: "span",
      class: "state-name",
      text: `${isEvaluated ? "y*" : "state"} ${bits}`,
      means: { what: "bits", state, bits },
      "data-term": isEvaluated && "y*",
    };
  }

  // The neighbours whose parts grow most, then those that count most; the others as one.
  named({ senders }, from, added, most) {
    const slots = senders.map((_, k) => k + 2);
    const one = (k) => ({
      id: `part ${senders[k - 2]}`,
      name: short(this.stage.graph.nodes[senders[k - 2]].label, LETTERS),
      ks: [k],
    });
    if (slots.length <= most + 1) return slots.map(one);
    const order = slots.slice().sort((a, b) => added[b] - added[a] || Math.abs(from[b]) - Math.abs(from[a]));
    const [kept, others] = [order.slice(0, most), order.slice(most)];
    return [...kept.sort((a, b) => a - b).map(one), { id: "others", name: `${others.length} others`, ks: others }];
  }

  term({ id, name, from, to, added }, k, digits, state) {
    const grows = added !== 0;
    const signed = (units) => (k > 0 && units >= 0 ? "+" : "") + shown(units, digits);
    const means = { what: "part", state, name, before: shown(from, digits), value: shown(to, digits) };
    const text = grows ? `${signed(from)} ↗ ${signed(to)}` : signed(from);
    const look = `term${grows ? " grows" : ""}${id === "total" ? " total" : ""}`;
    return [{ id, shape: "span", class: look, text, means, "data-name": name }];
  }
}

const widthOf = (spans) =>
  sum(spans.map(({ text, "data-name": name = "" }) => Math.max(WIDE * text.length, NARROW * name.length) + APART));

const pick = (units, ks) => sum(ks.map((k) => units[k]));
