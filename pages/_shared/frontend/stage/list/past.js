// Tension so far: at the ends of the sweeps that this tab has seen. A run repeats itself exactly, so values seen at
// an event stay valid.

import { KIND } from "../kinds.js";

const MOST = 64; // samples kept
const [WIDE, TALL] = [60, 16]; // pixels of a line drawn of them

export class Past {
  constructor() {
    this.samples = []; // { at, edges }: the tension of every edge after an event, rising
    this.version = 0;
  }

  // Events that have come: the state before the first of the run, and the ends of sweeps.
  take({ first, columns }, events) {
    if (events.origin) this.add(0, events.origin.tension.edges);
    columns.kind.forEach((kind, k) => {
      if (kind === KIND.SWEEP && events.has(first + k)) this.add(first + k + 1, events.get(first + k).tension.edges);
    });
  }

  // Where there are too many, every other one goes.
  add(at, edges) {
    if (this.samples.some((sample) => sample.at === at)) return;
    this.samples = [...this.samples, { at, edges }].sort((a, b) => a.at - b.at);
    if (this.samples.length > MOST) this.samples = this.samples.filter((_, k) => k % 2 === 0);
    this.version += 1;
  }

  // A stepped line through the tensions of an edge up to an event, and the one there; in its own scale, from 0.
  line(edge, position, now) {
    const points = this.samples.filter(({ at }) => at < position).map(({ at, edges }) => [at, edges[edge]]);
    if (!points.length) return "";
    points.push([position, now]);
    const most = Math.max(...points.map(([, value]) => value)) || 1;
    const places = points.map(([at, value]) => [(WIDE * at) / position, TALL - 1 - ((TALL - 2) * value) / most]);
    const [start, ...steps] = places.map((place) => place.map((value) => value.toFixed(1)));
    return `M${start.join(" ")}${steps.map(([x, y]) => `H${x}V${y}`).join("")}`;
  }
}
