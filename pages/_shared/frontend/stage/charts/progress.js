// The progress of an update at a moment: each act moves values from those of the engine before it to those after it.

import { mix } from "../../numbers.js";

// The values at an opening are shown until the next event; an answer is not shown before its act.
export class Progress {
  constructor(moment) {
    const { update, act, before } = moment;
    const isSame = before?.update && before.update.arcs === update.arcs;
    Object.assign(this, { moment, update, act, previous: isSame ? before.update : null });
    this.lifts = act === "rows" || act === "deep" ? moment.part(0.35, 0.95) : 1;
    this.grows = act === "start" ? moment.part(0.2, 0.95) : 1;
    // The dot rises from the floor, then the ceiling appears, then states above it are ruled out.
    const answering = act === "answer" || (act === "pass" && !this.previous?.evaluated.size);
    const of = (from, to) => (answering ? moment.part(from, to) : 1);
    Object.assign(this, act === "pass" ? { dot: of(0, 0.3) } : { dot: of(0.6, 0.85) });
    Object.assign(this, act === "pass" ? { rules: of(0.2, 0.4) } : { rules: of(0.75, 1) });
  }

  // The lower bound on the cost of a column.
  cost(column, i) {
    if (this.lifts === 1 || !this.previous) return column.g;
    return mix(this.before(column, i), column.g, this.lifts);
  }

  before(column, i) {
    const { columns } = this.previous;
    const old = columns[i]?.state === column.state ? columns[i] : columns.find(({ state }) => state === column.state);
    return old?.g ?? column.g;
  }

  // The cost by which a column counts as ruled out: as the counter, it changes when the columns have risen.
  counted(column) {
    return this.lifts < 1 && this.previous ? this.before(column, -1) : column.g;
  }

  // A part of a column.
  part(column, i, slot) {
    if (this.lifts === 1 || !this.previous) return column.parts[slot];
    return mix(this.previous.columns[i]?.parts[slot] ?? column.parts[slot], column.parts[slot], this.lifts);
  }

  get floor() {
    const { update, previous, act, moment } = this;
    if (act === "pass" && previous) return mix(previous.floor, update.floor, moment.part(0, 0.4));
    if (this.lifts === 1 || !previous) return update.floor;
    return Math.min(update.floor, ...update.columns.map((column, i) => this.cost(column, i)));
  }

  // Null before the first answer.
  get ceiling() {
    const { update, previous, rules } = this;
    if (update.ceiling === null || rules === 0) return previous?.ceiling ?? null;
    return mix(previous?.ceiling ?? update.ceiling, update.ceiling, rules);
  }

  // The floor and the ceiling in numbers: the engine's, while their lines are on the way from one to the next.
  get numbers() {
    const { update, previous, act, moment, lifts, rules } = this;
    const isRising = previous && (act === "pass" ? moment.part(0, 0.4) < 1 : lifts < 1);
    const falls = rules < 1 ? previous?.ceiling : null;
    return { floor: isRising ? previous.floor : update.floor, ceiling: falls ?? this.ceiling };
  }

  // The state at the ceiling; −1 if there is none yet.
  get bestSoFar() {
    return this.rules > 0.5 ? this.update.bestSoFar : (this.previous?.bestSoFar ?? -1);
  }

  // The states that the first answer rules out are shaded with it; a later answer moves the limit.
  get shades() {
    return this.previous?.bestSoFar >= 0 ? 1 : this.rules;
  }

  get suspects() {
    if (this.lifts < 1 && this.previous) return this.previous.suspects;
    return this.rules > 0.5 ? this.update.suspects : (this.previous?.suspects ?? -1);
  }

  // As the counter, they change when the columns have risen.
  get dead() {
    return this.lifts < 1 && this.previous ? this.previous.dead : this.update.dead;
  }

  // The evaluated states and their exact costs; the last one rises from its lower bound.
  get evaluated() {
    const { update, dot } = this;
    const known = dot === 0 ? (this.previous?.evaluated ?? new Map()) : update.evaluated;
    return [...known].map(([state, exact]) => {
      const i = update.columns.findIndex((column) => column.state === state);
      const isNew = dot < 1 && state === update.y;
      const from = update.columns[i]?.gRound ?? exact;
      return { state, exact, at: isNew ? mix(from, exact, dot) : exact, isLast: state === update.y };
    });
  }

  // Where the mark of y* is between two columns: the state it comes from, and how far it is.
  get sliding() {
    const { act, previous, update, moment } = this;
    if (act !== "floor" && act !== "answer") return { from: update.y, share: 1 };
    return { from: previous?.y ?? update.y, share: moment.part(0, act === "floor" ? 0.4 : 0.2) };
  }

  // Whether y* and the floor are shown: only once the ground has risen.
  get hasFloor() {
    return this.act !== "start";
  }

  // The share of the line of the floor that is drawn.
  get run() {
    return this.act === "floor" && this.update.round === 0 ? this.moment.part(0.35, 1) : 1;
  }

  get met() {
    return this.update.ceiling !== null && this.update.suspects === 0;
  }
}
