// Reads the chunks of events that Python sends (`frames` in protocol.json), and holds those near the event shown.

export const KIND = { NODE_OPENED: 0, ORACLE: 1, ROW: 2, MESSAGE: 3, SWEEP: 4, FINISHED: 5 };

const KEEP = 700; // events held at most

// NaN, which JSON lacks: the arc has not been looked at yet.
export const slacks = (values) => Float64Array.from(values, (v) => (v === null ? Number.NaN : v));

// The state before the first event, and every event with the state after it: the slack of every arc, the rows of
// every edge. A state shares its arrays with the one before where nothing has changed.
export const decode = ({ first, before, columns }) => {
  const origin = { slack: slacks(before.slack), rows: Int32Array.from(before.rows) };
  let { slack, rows } = origin;
  const { changed_arcs: arcs, changed_slack: values, ...said } = columns;
  const events = said.kind.map((kind, k) => {
    if (arcs[k].length) slack = slack.slice();
    arcs[k].forEach((arc, j) => {
      slack[arc] = values[k][j];
    });
    const event = Object.fromEntries(Object.entries(said).map(([name, column]) => [name, column[k]]));
    if (kind === KIND.ROW) {
      rows = rows.slice();
      rows[event.arc >> 1] += 1;
    }
    return { ...event, slack, rows };
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
