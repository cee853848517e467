// The parts of one column, that of y* unless another is under the pointer: its own cost, a part of each neighbour and
// the rest sum to what the state costs at least; when the neighbours answer, each grows to its exact value.

import { Picture } from "../../marks/picture.js";
import { short } from "../../text.js";
import { columnOf, costOf, shown, sum } from "./sums.js";

const MOST = 5; // neighbours that are named, where there is room
const WIDTH = 108; // pixels of a part that grows
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
    const isAsked = state === update.y;
    const isKnown = isAsked && update.nu && progress.dot > 0.5;
    const { digits } = this.charts.energy;
    const { from, to, added } = costOf(update, column, isKnown, digits);
    const named = this.named(update, from, added);
    const terms = [{ id: "rest", name: "rest", ks: [0] }, { id: "own", name: "own", ks: [1] }, ...named].map(
      (term) => ({ ...term, from: pick(from, term.ks), to: pick(to, term.ks), added: pick(added, term.ks) }),
    );
    const total = {
      id: "total",
      name: isKnown || this.stage.graph.exact ? "exactly" : "at least",
      from: sum(from),
      to: sum(to),
      added: sum(added),
    };
    return [
      this.head(state, column, isAsked),
      ...terms.flatMap((term, k) => this.term(term, k, digits, state)),
      { id: "equals", shape: "span", class: "sign", text: "=" },
      ...this.term(total, 0, digits, state),
    ];
  }

  head(state, { bits }, isAsked) {
    return {
      id: "state",
      shape: "span",
      class: "state-name",
      text: `${isAsked ? "y*" : "state"} ${bits}`,
      means: { what: "bits", state, bits },
    };
  }

  // The neighbours whose parts grow most, then those that count most; the others as one.
  named({ senders }, from, added) {
    const slots = senders.map((_, k) => k + 2);
    const one = (k) => ({
      id: `part ${senders[k - 2]}`,
      name: short(this.stage.graph.nodes[senders[k - 2]].label, LETTERS),
      ks: [k],
    });
    const room = Math.floor(this.picture.root.clientWidth / WIDTH) - 4; // besides y*, rest, own and sum
    const most = Math.min(Math.max(room, 2), MOST);
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
    return [
      {
        id,
        shape: "span",
        class: `term${grows ? " grows" : ""}${id === "total" ? " total" : ""}`,
        text,
        means,
        "data-name": name,
      },
    ];
  }
}

const pick = (units, ks) => sum(ks.map((k) => units[k]));
