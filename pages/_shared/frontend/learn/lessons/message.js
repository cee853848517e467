// A message: what B's best answer costs, for each state of A.

import { mix } from "../../numbers.js";
import { number } from "../../text.js";
import { halves } from "../../friends/columns.js";
import { leastOf } from "../../friends/exact.js";
import { OfTables } from "../tables.js";

const ALL = 7; // every friend of A goes

export class Message extends OfTables {
  begin(world) {
    super.begin(world);
    this.state = 0;
    this.nu = this.tables.nu();
    this.own = this.states.map((state) => this.tables.receiver.energy(state));
    const answers = [...new Set([this.tables.answer(ALL), this.tables.answer(0), 7, 0])].slice(0, 3).sort();
    this.guesses = {
      answer: {
        options: () => answers.map((answer) => `${this.text(answer)}, own cost ${number(this.tables.sent(answer))}`),
        judge: (k) => ({ right: answers[k] === this.tables.answer(ALL), why: this.reason(answers[k]) }),
      },
    };
  }

  sum(state, answer) {
    const own = this.tables.sent(answer);
    const cost = this.tables.cost(state, answer);
    return `${this.text(answer)} costs ${number(own)} − ${number(own - cost)} = ${number(cost)}`;
  }

  reason(answer) {
    const best = this.tables.answer(ALL);
    const mine = `its own cost minus the discounts: ${this.sum(ALL, answer)}`;
    return answer === best ? `${mine}; no other answer is cheaper.` : `${mine}; ${this.sum(ALL, best)}.`;
  }

  // The answer shown: none where it is to be guessed.
  get answer() {
    return this.state === ALL && !this.isGuessed("answer") ? null : this.tables.answer(this.state);
  }

  facts() {
    const { answer } = this;
    const least = Math.min(...this.totals);
    return {
      answer: answer === null ? "to be guessed" : this.sum(this.state, answer),
      least: number(least),
    };
  }

  get totals() {
    return this.nu.map((value, state) => value + this.own[state]);
  }

  says() {
    return `A is ${this.text(this.state)}; B's best answer: ${this.facts().answer}.`;
  }

  // The state that it was about.
  answered() {
    this.state = ALL;
  }

  turn(state) {
    this.state = state;
    this.draw();
  }

  marks(size) {
    const [left, right] = halves(size, 0.46);
    const { state } = this;
    return [
      ...this.friends(left, { state, answer: this.answer, press: (k) => this.turn(state ^ (1 << k)) }),
      ...this.table(right),
    ];
  }

  // ν of the state shown; from the second step on, of all states; then with A's own cost below it.
  table(box) {
    const { nu, own, totals, state } = this;
    const [all, summed] = [this.reached("table"), this.reached("table") ? this.moved : 0];
    const whole = this.step === "table" ? summed : 1;
    const range = [Math.min(...nu) - 1, Math.max(...own, ...totals, ...nu) + 1];
    const columns = this.columns(box, range);
    const least = leastOf(totals);
    return [
      columns.title(this.title()),
      ...columns.axis(),
      ...columns.bits(),
      ...nu.flatMap((value, k) => {
        if (!all && (k !== state || this.answer === null)) return [];
        const from = all ? own[k] * whole : 0;
        const to = mix(value, totals[k], all ? whole : 0);
        return [
          all && { id: `own ${k}`, class: "own", ...columns.bar(k, 0, from), means: { what: "own", state: k } },
          all
            ? { id: `total ${k}`, class: `total${k === least ? " least" : ""}`, ...this.level(columns, k, to) }
            : { id: `nu bar ${k}`, class: "nu-bar", ...columns.bar(k, 0, value) },
          { id: `nu text ${k}`, class: "soft value", ...this.beside(columns, k, Math.max(all ? to : value, 0)) },
        ].map(
          (mark) => mark && (mark.id.startsWith("nu text") ? { ...mark, text: number(all ? totals[k] : value) } : mark),
        );
      }),
      ...columns.hits({
        chosen: state,
        label: (k) => `A in state ${this.text(k)}`,
        press: (k) => this.turn(k),
        tip: (k) => [`A is ${this.text(k)}`, ...(all ? [`ν = ${number(nu[k])}`] : [])],
      }),
    ];
  }

  title() {
    return this.reached("table") ? "A's own cost (grey) + ν = line" : "ν: what B's best answer costs";
  }

  level(columns, k, value) {
    const { x, width } = columns.bar(k, 0, 0);
    const y = columns.y(value);
    return { x1: x, x2: x + width, y1: y, y2: y, means: { what: "total", state: k, value } };
  }

  beside(columns, k, value) {
    return { x: columns.x(k), y: columns.y(value) - 5, "text-anchor": "middle" };
  }
}
