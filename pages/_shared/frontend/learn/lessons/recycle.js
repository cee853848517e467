// Rows stay valid when messages change: only their intercept moves.

import { number } from "../../text.js";
import { anchorMarks, halves } from "../../friends/columns.js";
import { NEAR, valueOf } from "../../friends/exact.js";
import { OfTables, dotMarks, rowMark } from "../tables.js";

const ANCHOR = 1; // as in the lesson about rows: only the first friend of A goes
const PARTS = ["the charges", "the constant", "both"];

export class Recycle extends OfTables {
  begin(world) {
    super.begin(world);
    const change = (name, value) => ({
      value,
      low: -4,
      high: 4,
      step: 1,
      label: `By how much going changes for ${name}`,
    });
    this.drags = { dan: change(this.b[0], -3), finn: change(this.b[2], 0) };
    this.guesses = {
      part: { options: () => PARTS, judge: (k) => ({ right: k === 1, why: this.reason() }) },
    };
  }

  get changes() {
    return [this.get("dan"), 0, this.get("finn")];
  }

  reason() {
    const charges = this.tables
      .charges(ANCHOR)
      .map((charge, k) => `${this.a[k]} ${number(charge)}`)
      .join(", ");
    return `${PARTS[1]} alone. The charges (${charges}) come from the wishes between A and B: they stay as they were.`;
  }

  facts() {
    const [before, now] = [this.tables.intercept(ANCHOR), this.tables.intercept(ANCHOR, this.changes)];
    const nu = this.tables.nu(this.changes);
    const above = this.tables.row(ANCHOR).filter((value, state) => value > nu[state] + NEAR).length;
    return {
      anchor: this.text(ANCHOR),
      old: above ? `above ν at ${above} of ${nu.length} states` : "still nowhere above ν",
      intercept: before === now ? number(now) : `${number(now)} (it was ${number(before)})`,
    };
  }

  says() {
    const [dan, , finn] = this.changes.map((cost) => number(cost));
    const changes = `What going costs changes by ${dan} for Dan and by ${finn} for Finn`;
    return `${changes}; the row is ${this.formula(this.intercept, this.tables.charges(ANCHOR))}.`;
  }

  marks(size) {
    const [left, right] = halves(size, 0.46);
    const { changes } = this;
    const nu = this.tables.nu(changes);
    const old = this.tables.row(ANCHOR);
    const charges = this.tables.charges(ANCHOR);
    const first = this.intercept;
    const values = this.states.map((state) => valueOf(first, charges, state));
    const above = values.some((value, state) => value > nu[state] + NEAR);
    const columns = this.columns(right, [Math.min(...old) - 8, Math.max(...this.tables.nu()) + 9]);
    return [
      ...this.friends(left, { state: ANCHOR, answer: this.tables.answer(ANCHOR, changes) }),
      this.formulaMark(left, first, charges),
      columns.title("ν now: dots · the row: line"),
      ...columns.axis(),
      ...columns.bits(),
      ...anchorMarks(columns, ANCHOR),
      first !== this.tables.intercept(ANCHOR) && rowMark(columns, old, "old row", "old"),
      rowMark(columns, values, "row", above ? "wrong" : "rmc"),
      ...dotMarks(columns, nu),
      ...columns.hits({
        label: (state) => `State ${this.text(state)}`,
        tip: (state) => [
          `State ${this.text(state)}: ν = ${number(nu[state])}`,
          `the row promises ${number(values[state])}`,
        ],
      }),
    ];
  }

  // The part that moves is in front: as it was, until it is known which part that is.
  get intercept() {
    return this.tables.intercept(ANCHOR, this.isGuessed("part") ? this.changes : []);
  }
}
