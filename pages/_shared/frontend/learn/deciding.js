// What the bound on tables decides: states of a table that no cheaper evening has, and the few evenings that are left.

import { number } from "../text.js";
import { Friends, NEAR, bit, leastOf, statesOf, whoGoes, written } from "../friends/exact.js";

// Pixels of a title, between rows of bits, and below and beside a table.
const [TITLE, BIT, FOOT, GAP] = [20, 9, 14, 12];
// Shares of a table's width for its name, and of a column's width between columns.
const [NAME, AIR] = [0.12, 0.2];
// Whole energies above the highest column that may stay: higher ones reach the top.
const ABOVE = 3;
// The tables as they stand in the picture of the friends: column and row.
const SEATS = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];

export class Deciding {
  // `least`: by table, what evenings cost at least that give it a state.
  constructor({ names, own, wishes, climb, optimum, least }) {
    Object.assign(this, { names, least, groups: climb.groups, labels: climb.labels });
    // All energies are whole numbers: the most that a cheaper evening can cost.
    this.limit = optimum.energy - 1;
    this.stays = least.map((costs) => statesOf(3).filter((state) => costs[state] <= this.limit + NEAR));
    const model = new Friends(own, wishes);
    this.evenings = this.stays.reduce((some, states) => some.flatMap((each) => states.map((s) => [...each, s])), [[]]);
    const costs = this.evenings.map((states) => model.energy(this.state(states)));
    this.cheapest = Math.min(...costs);
    this.best = this.evenings[leastOf(costs)];
    // In the order in which they leave the picture.
    this.out = least
      .flatMap((all, table) => statesOf(3).map((state) => ({ table, state, cost: all[state] })))
      .filter(({ table, state }) => !this.stays[table].includes(state))
      .sort((a, b) => b.cost - a.cost);
  }

  // Of all friends, as a number.
  state(states) {
    return this.groups.reduce(
      (sum, group, table) => group.reduce((all, friend, k) => all + bit(states[table], k) * 2 ** friend, sum),
      0,
    );
  }

  get labeling() {
    return this.names.map((_, friend) => bit(this.state(this.best), friend));
  }

  facts() {
    return {
      limit: String(this.limit),
      out: `${this.out.length} of ${this.least.flat().length}`,
      left: String(this.evenings.length),
      cheapest: number(this.cheapest),
    };
  }

  says() {
    const { out, left, cheapest } = this.facts();
    return `${out} states of the tables are out; of ${left} evenings left the cheapest costs ${cheapest}.`;
  }

  // `moved`: the share of those that go that is out by now.
  marks({ left, right, top, bottom }, moved) {
    const gone = new Set(this.out.slice(0, Math.round(moved * this.out.length)).map((each) => this.id(each)));
    const [wide, high] = [(right - left) / 2, (bottom - top - TITLE) / 2];
    const title = `Evenings with each state cost at least`;
    return [
      { id: "title", class: "title", x: left, y: top + 12, text: title },
      ...this.groups.flatMap((_, table) => {
        const [column, row] = SEATS[table];
        const box = { left: left + column * wide, top: top + TITLE + row * high, wide: wide - GAP, high };
        return this.table(table, box, gone, moved === 1);
      }),
    ];
  }

  id({ table, state }) {
    return `least ${this.labels[table]} ${state}`;
  }

  // The columns of a table, with the bits of each state below.
  table(table, { left, top, wide, high }, gone, isOver) {
    const costs = this.least[table];
    const [x0, step] = [left + NAME * wide, ((1 - NAME) * wide) / costs.length];
    const names = this.groups[table].map((friend) => this.names[friend]);
    const foot = top + high - FOOT - BIT * names.length;
    const [low, most] = [Math.floor(Math.min(...this.least.flat())), this.limit + ABOVE];
    const y = (value) => foot - ((Math.min(value, most) - low) / (most - low)) * (foot - top - 6);
    const label = this.labels[table];
    const columns = costs.map((cost, state) => {
      const id = this.id({ table, state });
      const kind = gone.has(id) ? " ruled-out" : isOver && this.best[table] === state ? " least" : "";
      const at = { x: x0 + step * (state + AIR / 2), width: step * (1 - AIR) };
      return {
        ...{ id, class: `known${kind}`, ...at, y: y(cost), height: foot - y(cost) },
        means: { what: gone.has(id) ? "out" : "left", table, state, value: cost },
      };
    });
    return [
      { id: `table ${label}`, class: "title", x: left, y: foot + BIT * names.length, text: label },
      ...[low, this.limit].map((value) => ({
        ...{ id: `axis ${label} ${value}`, class: "soft", x: x0 - 3, y: y(value) + 4, "text-anchor": "end" },
        text: number(value),
      })),
      ...columns,
      { id: `limit ${label}`, class: "ceiling-line", x1: x0, x2: left + wide, y1: y(this.limit), y2: y(this.limit) },
      ...costs.flatMap((_, state) =>
        names.map((name, k) => ({
          ...{ id: `bit ${label} ${state}-${k}`, class: `state-bit${bit(state, k) ? " one" : ""}` },
          ...{ cx: x0 + step * (state + 0.5), cy: foot + 8 + BIT * k, r: Math.min(3.6, 0.3 * step) },
        })),
      ),
      ...costs.map((cost, state) => ({
        ...{ id: `hit ${label} ${state}`, class: "hit", x: x0 + step * state, width: step, y: top, height: high },
        tip: () => [
          `Table ${label}, ${written(state, names.length)}: ${whoGoes(names, state)}`,
          `at least ${number(cost)}`,
        ],
      })),
    ];
  }
}
