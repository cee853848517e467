// Reads the chunks of events that Python sends (`frames` in protocol.json), and holds those near the event shown.

import { KIND } from "./kinds.js";
import { Unfolding } from "./unfolding.js";

const KEEP = 900; // events held at most

// Values with those changed that a table of changes names; the same values if there are none.
const changed = (values, changes) => {
  const entries = Object.entries(changes ?? {});
  if (!entries.length) return values;
  const out = values.slice();
  for (const [k, value] of entries) out[k] = value;
  return out;
};

// The state before the first event, and every event with the state after it: tensions, the best labelling, the rows of
// every edge, and the update in progress. A state shares with the one before whatever has not changed.
export const decode = ({ first, before, columns }) => {
  const origin = {
    index: first - 1,
    lower: before.lower,
    upper: before.upper,
    rows: Int32Array.from(before.rows),
    tension: { groups: Float64Array.from(before.tension.groups), edges: Float64Array.from(before.tension.edges) },
    best: before.best,
    update: null,
    passed: null,
  };
  const unfolding = new Unfolding();
  let { rows, tension, best } = origin;
  const events = columns.kind.map((kind, k) => {
    const { moved, ...said } = Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[k]]));
    if (kind === KIND.ROW) rows = changed(rows, { [said.arc >> 1]: rows[said.arc >> 1] + 1 });
    if (moved) {
      tension = { groups: changed(tension.groups, moved.groups), edges: changed(tension.edges, moved.edges) };
      best = changed(best, moved.best);
    }
    return { ...said, index: first + k, rows, tension, best, ...unfolding.take(said) };
  });
  return { first, origin, events };
};

export class Events {
  constructor() {
    this.held = new Map();
    this.origin = null; // the state before the first event of the run
  }

  has(k) {
    return this.held.has(k);
  }

  get(k) {
    return this.held.get(k);
  }

  // Take in a chunk; if there are too many, those far from a position go.
  take(chunk, position) {
    const { first, origin, events } = decode(chunk);
    if (first === 0) this.origin = origin;
    events.forEach((event, k) => {
      this.held.set(first + k, event);
    });
    if (this.held.size <= KEEP) return;
    for (const k of this.held.keys()) if (Math.abs(k - position) > KEEP / 2) this.held.delete(k);
  }

  // The first event from one on that is not held.
  gap(from) {
    let k = from;
    while (this.held.has(k)) k += 1;
    return k;
  }
}
