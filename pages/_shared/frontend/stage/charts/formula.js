// The formula of an event, with its numbers: the row that it adds, term by term, or the rise of LB. The row is of the
// message in the sentence, whichever message is pinned.

import { Picture } from "../../marks/picture.js";
import { ROWS } from "../../palette.js";
import { short } from "../../text.js";
import { KIND } from "../kinds.js";
import { apportioned, columnOf, costOf, shown, sum } from "./sums.js";

const LETTERS = 16; // of the name of a sender

export class Formula {
  constructor(charts) {
    Object.assign(this, { charts, stage: charts.stage });
    this.picture = new Picture(charts.stage.$("[data-chart=formula]"), "formula", charts.stage.tip);
  }

  draw(moment, progress) {
    this.picture.draw(progress ? this.spans(moment, progress) : []);
  }

  spans(moment, progress) {
    const { update } = progress;
    if (moment.act === "pass" && moment.passed) return this.rise(moment);
    if (moment.act !== "rows" && moment.act !== "deep") return [];
    return moment.after.kind === KIND.ROW ? this.row(moment, update, update.rows.at(-1)) : [];
  }

  // LB before, its rise, and LB after.
  rise({ before, lower }) {
    const { digits } = this.charts.energy;
    const [from, to] = [before.lower, lower].map((value) => Math.round(value * 10 ** digits));
    const text = `LB = ${shown(from, digits)} + ${shown(to - from, digits)} = ${shown(to, digits)}`;
    const means = { what: "lb", before: before.lower, value: lower };
    return [{ id: "rise", shape: "span", class: "term lb-name", text, means }];
  }

  // The intercept less the charges of the bits of a state, y* unless another is under the pointer: one after the other.
  row(moment, update, { slot, row, kind, intercept, u }) {
    const { node, y, nu, senders } = update;
    const state = this.charts.seen ?? y;
    const at = state === y ? "y*" : "this state";
    const { digits } = this.charts.energy;
    const { nodes } = this.stage.graph;
    const { members } = nodes[node];
    const { name, term } = ROWS[kind];
    const from = short(nodes[senders[slot]].label, LETTERS);
    const charges = u.map((terms, i) => terms[(state >> i) & 1]);
    // At y* the row is the part of the exact cost, and shows the same number.
    const cost = state === y && nu ? costOf(update, columnOf(update, y), true, digits).to[slot + 2] : undefined;
    const [begin, ...units] = apportioned([intercept, ...charges.map((charge) => -charge)], digits, cost);
    const counted = charges.flatMap((charge, i) => (charge === 0 ? [] : [i]));
    // Charges of 0 show as 0: their share of rounding goes to the intercept.
    const lost = sum(units.filter((_, i) => charges[i] === 0));
    const filled = moment.act === "rows" ? moment.part(0.1, 0.6) * (counted.length + 1) : Infinity;
    const bits = columnOf(update, state)?.bits ?? "";
    const terms = counted.slice(0, Math.max(0, Math.floor(filled))).map((i) => ({
      ...{ id: `charge ${i}`, shape: "span", class: "term", "data-name": `${members[i]} = ${bits[i]}` },
      text: `${units[i] <= 0 ? "−" : "+"} ${shown(Math.abs(units[i]), digits)}`,
      means: { what: "charge", row, member: i, value: charges[i] },
      tip: () => [`${members[i]} is ${bits[i]} in ${at}`, `charge ${shown(-units[i], digits)}`],
      hover: (on) => this.stage.highlight?.(on ? { group: node, member: i } : null),
    }));
    const done = filled > counted.length;
    const value = intercept - sum(charges);
    const begun = { text: shown(begin + lost, digits), means: { what: "intercept", row, value: intercept } };
    return [
      {
        id: "row",
        shape: "span",
        class: `term kind row-${kind}`,
        "data-term": term,
        text: `${name} row from ${from} at ${at}:`,
      },
      { id: "intercept", shape: "span", class: "term", "data-name": "β⁰", "data-term": "intercept", ...begun },
      ...terms,
      !counted.length && { id: "no charge", shape: "span", class: "term", text: "no bit is charged" },
      done && {
        id: "value",
        shape: "span",
        class: "term total",
        "data-name": state === y ? "ν at y*" : "its value",
        text: `= ${shown(begin + sum(units), digits)}`,
        means: { what: "row", row, state, value },
      },
    ];
  }
}
