// Which messages the list shows, and in which order.

import { closeness } from "../../gap.js";

const ONLY = {
  all: { test: null },
  tension: { test: ({ state, moment, stage }, arc) => holds(state, moment, stage, arc) },
  disagree: { measured: true, test: (list, arc) => list.looks.of(arc, "disagreement") > 0 },
  loose: { measured: true, test: (list, arc) => list.looks.of(arc, "mean") > 0 },
};

const holds = (state, { lower, upper }, { graph }, arc) =>
  state.tension.edges[arc >> 1] > closeness(lower, upper, graph.scale);

const isSame = (a, b) => a === b || (a.length > 0 && a.length === b.length && a.every((value, k) => value === b[k]));

export class Order {
  constructor() {
    Object.assign(this, { key: "tension", ascends: false, text: "", only: "all" });
  }

  // Sort by a column; once more, the other way round.
  by(column) {
    this.ascends = column.key === this.key ? !this.ascends : Boolean(column.ascends);
    this.key = column.key;
  }

  column(list) {
    return list.columns.find(({ key }) => key === this.key) ?? list.columns.find(({ key }) => key === "tension");
  }

  // Whether the order depends on values from Python.
  asks(list) {
    return Boolean(ONLY[this.only].measured || this.column(list).measured);
  }

  // The messages that may be shown, whatever their values.
  candidates({ names }) {
    const text = this.text.trim().toLowerCase();
    if (this.found?.names !== names || this.found.text !== text) {
      const every = Array.from({ length: 2 * names.edges.length }, (_, arc) => arc);
      this.found = { names, text, arcs: text ? every.filter((arc) => names.match(arc, text)) : every };
    }
    return this.found.arcs;
  }

  // The messages shown, in order: unknown values come last, ties by number. Mostly nothing of it has
  // changed since the last event, and then the order is the same array as before.
  of(list) {
    const { test } = ONLY[this.only];
    const candidates = this.candidates(list);
    const shown = test ? candidates.filter((arc) => test(list, arc)) : candidates;
    const [column, last] = [this.column(list), this.ascends ? Infinity : -Infinity];
    const values = new Float64Array(2 * list.names.edges.length);
    for (const arc of shown) values[arc] = column.value(list, arc) ?? last;
    const scene = { names: list.names, column, ascends: this.ascends, shown, values };
    if (!this.last || !Object.keys(scene).every((part) => isSame(scene[part], this.last[part]))) {
      const way = this.ascends ? 1 : -1;
      const compare = (a, b) => (values[a] === values[b] ? a - b : way * (values[a] - values[b]));
      this.order = shown.slice().sort(compare);
      this.last = scene;
    }
    return this.order;
  }
}
