// RMC and Magnanti-Wong rows: two ways to charge for the same discounts.

import { number } from "../../text.js";
import { anchorMarks, halves } from "../../friends/columns.js";
import { valueOf } from "../../friends/exact.js";
import { OfTables, dotMarks, rowMark } from "../tables.js";

const STEP = 0.05; // between the recorded α
const [TALL, BAR, HEAD] = [66, 15, 58]; // pixels from friend to friend at most, of a bar, and above the bars
const OPTIONS = ["level with it, or above", "level with it, or below", "now above, now below"];

export class Kinds extends OfTables {
  begin(world) {
    super.begin(world);
    this.spread = world.spread;
    this.nu = this.tables.nu();
    this.drags = { alpha: { value: 1, low: 0, high: 1, step: STEP, label: "α" } };
    this.guesses = {
      higher: { options: () => OPTIONS, judge: (k) => ({ right: k === 0, why: this.reason() }) },
    };
  }

  reason() {
    const { reverse } = this.spread;
    const total = (charges) => number(charges.reduce((sum, charge) => sum + charge, 0));
    const cheapest = this.charges(1);
    const totals = `RMC takes off ${total(reverse)} in all, MWC with α = 1 only ${total(cheapest)}`;
    return `it takes off no more for any friend. ${totals}.`;
  }

  charges(alpha) {
    return this.spread.rows[Math.round(alpha / STEP)].charges;
  }

  // Its intercept is the oracle's value at y*, where nobody is charged.
  values(charges) {
    const { anchor } = this.spread;
    const here = charges.map((charge, k) => ((anchor >> k) & 1 ? 0 : charge));
    return this.states.map((state) => valueOf(this.nu[anchor], here, state));
  }

  facts() {
    const mean = (values) => number(values.reduce((sum, value) => sum + value, 0) / values.length, 3);
    return {
      anchor: this.text(this.spread.anchor),
      "mean-rmc": mean(this.values(this.spread.reverse)),
      "mean-mwc": mean(this.values(this.charges(this.get("alpha")))),
    };
  }

  says() {
    const { "mean-rmc": rmc, "mean-mwc": mwc } = this.facts();
    const first = `On average RMC is at ${rmc}`;
    return this.shown ? `${first}, and MWC with α ${number(this.get("alpha"))} at ${mwc}.` : `${first}.`;
  }

  // The charges of the MWC, once they are to be seen.
  get shown() {
    return this.isGuessed("higher") ? this.charges(this.get("alpha")) : null;
  }

  marks(size) {
    const [left, right] = halves(size, 0.42);
    const { reverse, anchor } = this.spread;
    const { shown, nu } = this;
    const columns = this.columns(right, [Math.min(...this.values(reverse)) - 1, Math.max(...nu) + 3]);
    return [
      ...this.bars(left, "RMC", reverse, 0),
      ...(shown ? this.bars(left, "MWC", shown, 1) : []),
      columns.title("ν: dots · RMC, MWC: lines"),
      ...columns.axis(),
      ...columns.bits(),
      ...anchorMarks(columns, anchor),
      rowMark(columns, this.values(reverse), "rmc", "rmc"),
      shown && rowMark(columns, this.values(shown), "mwc", "mwc"),
      ...dotMarks(columns, nu),
      ...columns.hits({
        label: (state) => `State ${this.text(state)}`,
        tip: (state) => [
          `State ${this.text(state)}: ν = ${number(nu[state])}`,
          `RMC ${number(this.values(reverse)[state])}`,
          ...(shown ? [`MWC ${number(this.values(shown)[state])}`] : []),
        ],
      }),
    ];
  }

  // What a row charges every friend of A.
  bars({ left, right, top, bottom }, kind, charges, line) {
    const most = Math.max(...this.spread.reverse);
    const tall = Math.min(TALL, (bottom - top - HEAD) / this.a.length);
    const [x0, wide] = [left + 54, right - left - 120];
    const name = kind === "MWC" ? `MWC, α = ${number(this.get("alpha"))}` : "RMC";
    const total = number(
      charges.reduce((sum, charge) => sum + charge, 0),
      3,
    );
    return [
      {
        ...{ id: `${kind} title`, class: `title ${kind.toLowerCase()}`, x: left, y: top + 18 + 24 * line },
        text: `${name}: ${total} in all`,
      },
      ...charges.flatMap((charge, k) => {
        const y = top + HEAD + tall * k + (BAR + 3) * line;
        return [
          !line && { id: `who ${k}`, class: "soft", x: x0 - 8, y: y + 20, "text-anchor": "end", text: this.a[k] },
          {
            ...{ id: `${kind} charge ${k}`, class: `charge ${kind.toLowerCase()}`, x: x0, y, height: BAR },
            ...{ width: (charge / most) * wide, means: { what: kind, friend: k, value: charge } },
          },
          {
            ...{ id: `${kind} worth ${k}`, class: "soft", x: x0 + (charge / most) * wide + 6, y: y + 12 },
            text: number(charge, 3),
          },
        ];
      }),
    ];
  }
}
