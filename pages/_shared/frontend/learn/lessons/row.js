// A row: one question, and a promise about every state.

import { number } from "../../text.js";
import { anchorMarks, halves } from "../../friends/columns.js";
import { NEAR, valueOf, whoGoes } from "../../friends/exact.js";
import { OfTables, dotMarks, rowMark } from "../tables.js";

const GUESSED = 1; // only the first friend of A goes

export class Row extends OfTables {
  begin(world) {
    super.begin(world);
    this.nu = this.tables.nu();
    this.drags = {
      anchor: {
        ...{ value: GUESSED, low: 0, high: 7, step: 1, label: "The state that is asked about" },
        words: (state) => this.text(state),
      },
      raise: { value: 0, low: -2, high: 2, step: 0.5, label: "How much the row is raised" },
    };
    this.guesses = {
      touches: {
        options: () => [1, 2, 4, 8].map(String),
        judge: (k) => {
          const touched = this.touched(this.tables.row(GUESSED));
          return { right: touched.length === 2 ** k, why: this.reason(touched) };
        },
      },
    };
  }

  touched(row) {
    return this.states.filter((state) => Math.abs(row[state] - this.nu[state]) < NEAR);
  }

  reason(touched) {
    const others = this.states.length - touched.length;
    const where = touched.map((state) => this.text(state)).join(" and ");
    return `it touches at ${where}; at the other ${others} it promises less than ν.`;
  }

  rowAt(raise) {
    const anchor = this.get("anchor");
    const first = this.tables.intercept(anchor) + raise;
    const charges = this.tables.charges(anchor);
    return { first, charges, values: this.states.map((state) => valueOf(first, charges, state)) };
  }

  // The row as it is shown: raised in the last step only.
  get row() {
    return this.rowAt(this.step === "raise" ? this.get("raise") : 0);
  }

  above({ values }) {
    return this.states.filter((state) => values[state] > this.nu[state] + NEAR);
  }

  facts() {
    const anchor = this.get("anchor");
    const raised = this.rowAt(this.get("raise"));
    const above = this.above(raised);
    const over = `✗ no bound: above ν at ${above.map((state) => this.text(state)).join(", ")}`;
    const touches = this.touched(raised.values).length;
    const under = touches ? "✓ a bound, and it touches ν" : "✓ a bound, but it touches ν nowhere";
    return {
      asked: `ν(${this.text(anchor)}) = ${number(this.nu[anchor])}`,
      charges: raised.charges.map((charge, k) => `${this.a[k]} ${number(charge)}`).join(", "),
      verdict: above.length ? over : under,
    };
  }

  says() {
    const { first, charges } = this.row;
    const sum = charges.map((charge, k) => `${number(charge)} if ${this.a[k]} goes`).join(", ");
    return `A row made at ${this.text(this.get("anchor"))}: ${number(first)} minus ${sum}.`;
  }

  marks(size) {
    const [left, right] = halves(size, 0.46);
    const anchor = this.get("anchor");
    const { first, charges } = this.row;
    return [
      ...this.friends(left, {
        state: anchor,
        answer: this.tables.answer(anchor),
        press: (k) => this.set("anchor", anchor ^ (1 << k)),
      }),
      this.reached("charges") && this.formulaMark(left, first, charges),
      ...this.promise(right, anchor),
    ];
  }

  promise(box, anchor) {
    const { nu } = this;
    const every = this.states.flatMap((state) => this.tables.row(state));
    const columns = this.columns(box, [Math.min(...every) - 2, Math.max(...nu) + 3]);
    const all = this.isGuessed("touches");
    const { values } = this.row;
    const above = this.above(this.row);
    const promised = this.reached("charges");
    return [
      columns.title("ν: dots · the row: line"),
      ...columns.axis(),
      ...columns.bits(),
      ...anchorMarks(columns, anchor),
      promised && rowMark(columns, values, "row", above.length ? "wrong" : "rmc"),
      ...dotMarks(columns, nu).filter((_, state) => all || state === anchor),
      ...above.map((state) => ({ id: `above ${state}`, class: "cross", ...this.cross(columns, state, values[state]) })),
      ...columns.hits({
        label: (state) => `Ask at ${this.text(state)}`,
        press: (state) => this.set("anchor", state),
        tip: (state) => this.tip(state, all, promised),
      }),
    ];
  }

  cross(columns, state, value) {
    const [x, y] = [columns.x(state), columns.y(value)];
    return { d: `M${x - 5} ${y - 5}l10 10m-10 0l10 -10` };
  }

  tip(state, all, promised) {
    const { values } = this.row;
    return [
      `${this.text(state)}: ${whoGoes(this.a, state)}`,
      ...(promised ? [`the row promises ${number(values[state])}`] : []),
      ...(all ? [`ν is ${number(this.nu[state])}`] : []),
    ];
  }
}
