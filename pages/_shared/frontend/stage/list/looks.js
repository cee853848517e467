// Python's values of the messages that it has examined, and the event at which it did.

export class Looks {
  constructor() {
    this.known = new Map();
    this.version = 0;
    this.verdict = null; // on what holds the most of the gap
  }

  // `Lines` of the protocol.
  hear(lines) {
    if (!lines || lines === this.latest) return;
    this.latest = lines;
    this.version += 1;
    const { at, arcs, verdict, ...columns } = lines;
    this.verdict = verdict && { at, ...verdict };
    arcs.forEach((arc, k) => {
      this.known.set(arc, { at, ...Object.fromEntries(Object.entries(columns).map(([key, all]) => [key, all[k]])) });
    });
  }

  // The latest that is known; null if nothing is.
  of(arc, key) {
    return this.known.get(arc)?.[key] ?? null;
  }

  // The event that this is of; null if nothing is known.
  eventOf(arc) {
    return this.known.get(arc)?.at ?? null;
  }
}
