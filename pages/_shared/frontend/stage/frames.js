// Reads chunks of events (`Frames` in pages/_shared/watch/protocol.py), and stores those near the event shown.

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

// A proof decides all.
const known = (decided, proven) => (proven ? decided.map((members) => members.replaceAll("?", "!")) : decided);

// The state before a chunk that does not start within an update.
const stateBefore = (first, { rows, tension, gained, read, decided, ...rest }) => ({
  ...{ ...rest, index: first - 1, decided: known(decided, rest.proven) },
  rows: Int32Array.from(rows),
  tension: { groups: Float64Array.from(tension.groups), edges: Float64Array.from(tension.edges) },
  gained: { groups: Float64Array.from(gained.groups), messages: Float64Array.from(gained.messages) },
  read: { before: Float64Array.from(read), within: {} },
  ...{ update: null, passed: null },
});

// The entries read for all messages: up to the last complete update, and those messages that have more since.
const readOn = ({ before, within }, kind, more) => {
  const since = { ...within, ...more };
  return kind < KIND.MESSAGE ? { before, within: since } : { before: changed(before, since), within: {} };
};

// Table entries read for a message until a state.
export const readFor = ({ read }, arc) => read.within[arc] ?? read.before[arc];

// The events of a chunk, each with the state after it, which shares unchanged parts with the previous one.
// `origin`: the state before the first event; `last`: the event that the chunk continues, if any.
export const decode = ({ first, before, columns }, last = null) => {
  const origin = before ? stateBefore(first, before) : last;
  const unfolding = new Unfolding(origin.update, origin.passed);
  let { rows, tension, gained, read, best, decided } = origin;
  const events = columns.kind.map((kind, k) => {
    const record = Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[k]]));
    const { moved, gained: credited, read: more, ...fields } = record;
    if (kind === KIND.ROW) rows = changed(rows, { [fields.arc]: rows[fields.arc] + 1 });
    if (credited) {
      const { groups, messages } = credited;
      gained = { groups: changed(gained.groups, groups), messages: changed(gained.messages, messages) };
    }
    read = readOn(read, kind, more);
    if (moved) {
      tension = { groups: changed(tension.groups, moved.groups), edges: changed(tension.edges, moved.edges) };
      best = changed(best, moved.best);
      decided = changed(decided, moved.decided);
    }
    const state = { rows, tension, gained, read, best, decided: known(decided, fields.proven) };
    return { ...fields, index: first + k, ...state, ...unfolding.take(fields) };
  });
  return { first, origin, events };
};

export class Events {
  constructor() {
    this.stored = new Map();
    this.origin = null; // the state before the first event of the run
    this.end = Infinity; // the events from there on belong to another chapter, or do not exist
  }

  has(k) {
    return k < this.end && this.stored.has(k);
  }

  get(k) {
    return k < this.end ? this.stored.get(k) : undefined;
  }

  // Take in a chunk; if there are too many, those far from a position are dropped. One that continues an event dropped
  // meanwhile is of no use.
  take(chunk, position) {
    const last = this.get(chunk.first - 1);
    if (!chunk.before && !last) return;
    const { first, origin, events } = decode(chunk, last);
    if (first === 0) this.origin = origin;
    events.forEach((event, k) => {
      this.stored.set(first + k, event);
    });
    if (this.stored.size <= KEEP) return;
    for (const k of this.stored.keys()) if (Math.abs(k - position) > KEEP / 2) this.stored.delete(k);
  }

  // The first event from one on that is not held.
  gap(from) {
    let k = from;
    while (this.has(k)) k += 1;
    return k;
  }
}
