// Which messages the list shows, and in which order.

import { closeness } from "../../gap.js";

const ONLY = {
  all: { test: () => true },
  tension: { test: ({ state, moment, stage }, arc) => holds(state, moment, stage, arc) },
  disagree: { looked: true, test: (list, arc) => list.looks.of(arc, "disagreement") > 0 },
  loose: { looked: true, test: (list, arc) => list.looks.of(arc, "mean") > 0 },
};

const holds = (state, { lower, upper }, { graph }, arc) =>
  state.tension.edges[arc >> 1] > closeness(lower, upper, graph.scale);

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

  // Whether it depends on what Python has looked at.
  asks(list) {
    return Boolean(ONLY[this.only].looked || this.column(list).looked);
  }

  // The messages that may be shown, whatever Python finds.
  candidates({ names }) {
    const text = this.text.trim().toLowerCase();
    const every = Array.from({ length: 2 * names.edges.length }, (_, arc) => arc);
    return text ? every.filter((arc) => names.match(arc, text)) : every;
  }

  // The messages shown, in order: what is not known comes last, ties as they are numbered. `before`: how they were in
  // order last, which is mostly still nearly right.
  of(list, before) {
    const column = this.column(list);
    const { test } = ONLY[this.only];
    const shown = this.candidates(list).filter((arc) => test(list, arc));
    const wanted = new Uint8Array(2 * list.names.edges.length);
    for (const arc of shown) wanted[arc] = 1;
    const kept = before.filter((arc) => wanted[arc]);
    const way = this.ascends ? 1 : -1;
    const last = this.ascends ? Infinity : -Infinity;
    const values = new Float64Array(wanted.length);
    for (const arc of shown) values[arc] = column.value(list, arc) ?? last;
    const compare = (a, b) => (values[a] === values[b] ? a - b : way * (values[a] - values[b]));
    return (kept.length === shown.length ? kept : shown).sort(compare);
  }
}
