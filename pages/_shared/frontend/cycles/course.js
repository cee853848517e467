// The events of one history, or of two side by side, in the order of the work after which they have happened. A place
// in it is a number of events, of all histories together: those that have happened after the same work.

export class Course {
  constructor(histories) {
    // `movers`: whose event comes next, at every place; `counts`: how many of each have happened.
    Object.assign(this, { histories, movers: [], counts: [histories.map(() => 0)] });
    this.extend();
  }

  // More events may have come.
  extend() {
    for (let k = this.next(); k !== null; k = this.next()) {
      this.movers.push(k);
      this.counts.push(this.counts.at(-1).map((count, other) => count + (other === k ? 1 : 0)));
    }
  }

  // Those whose next event is not known, although it may follow.
  starving() {
    const counts = this.counts.at(-1);
    return [...counts.keys()].filter((k) => !this.histories[k].isOver && counts[k] === this.histories[k].length);
  }

  // Whose event comes after all others; null if that is not known yet, or if none follows.
  next() {
    if (this.starving().length) return null;
    const counts = this.counts.at(-1);
    const going = [...counts.keys()].filter((k) => counts[k] < this.histories[k].length);
    const works = going.map((k) => this.histories[k].events[counts[k]].work);
    return going[works.indexOf(Math.min(...works))] ?? null;
  }

  get length() {
    return this.movers.length;
  }

  // The place after the last event; null if more events may follow.
  get end() {
    return this.histories.every(({ isOver }) => isOver) ? this.length : null;
  }

  // Why some events are missing although no more will come; empty: none is missing, or more may come.
  get failure() {
    return this.end === null ? "" : (this.histories.map(({ failure }) => failure).find(Boolean) ?? "");
  }

  // Whose event leads to a place; at the start, whose is the first one.
  moverTo(position) {
    return this.movers[Math.max(position - 1, 0)] ?? 0;
  }

  // The event that leads to a place; null at the start.
  eventTo(position) {
    const k = this.moverTo(position);
    return position ? this.histories[k].events[this.counts[position][k] - 1] : null;
  }

  // The work after which a place is reached.
  workAt(position) {
    return Math.max(...this.histories.map((history, k) => history.workOf(this.counts[position][k])));
  }

  // Where a step ends, as in a history.
  following(position, grain) {
    if (position === this.end) return position;
    if (position === this.length) return null;
    if (grain === "cycle") return position + 1;
    const k = this.movers[position];
    const to = this.histories[k].following(this.counts[position][k], grain);
    const place = to === null ? -1 : this.counts.findIndex((counts) => counts[k] === to);
    return place < 0 ? null : place;
  }

  // Where a step begins that leads to a place.
  before(position, grain) {
    if (grain === "cycle" || position === 0) return Math.max(position - 1, 0);
    const k = this.moverTo(position);
    const from = this.histories[k].before(this.counts[position][k], grain);
    return this.movers.findIndex((mover, place) => mover === k && this.counts[place][k] === from);
  }
}
