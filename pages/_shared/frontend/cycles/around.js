// Lines and triangles between variables; on a torus those that are nearer go around the picture.

import { isCrossing, stubs, written } from "../marks/link.js";
import { clamp } from "../numbers.js";

const NEAR = 1; // pixels
const AROUND = [14, 30]; // pixels by which what goes around leaves the variables, at least and at most

export class Around {
  constructor(net) {
    const { places, lines } = net;
    Object.assign(this, { net, places, around: clamp(0.4 * net.apart, ...AROUND), known: new Map() });
    this.sides = [0, 1].map((axis) => [
      Math.min(...places.map((place) => place[axis])),
      Math.max(...places.map((place) => place[axis])),
    ]);
    const isAround = (axis) => lines.some((pieces) => pieces?.length === 2 && this.joinsSides(pieces, axis));
    this.periods = [0, 1].map((axis) => (isAround(axis) ? this.period(axis) : 0));
  }

  // Whether a line that goes around begins at one side of the picture and ends at the other.
  joinsSides(pieces, axis) {
    const [low, high] = pieces.map(([place]) => place[axis]).sort((a, b) => a - b);
    return Math.abs(low - this.sides[axis][0]) < NEAR && Math.abs(high - this.sides[axis][1]) < NEAR;
  }

  // After how many pixels a torus begins again: one step beyond its other side.
  period(axis) {
    const at = this.places.map((place) => place[axis]).sort((a, b) => a - b);
    const steps = at.slice(1).map((value, k) => value - at[k]);
    return at.at(-1) - at[0] + Math.min(...steps.filter((step) => step > NEAR));
  }

  // The place of a variable, or that beyond a side of the picture which is nearer to another place.
  seenFrom(from, v) {
    return this.places[v].map((value, axis) => {
      const period = this.periods[axis];
      const far = value - from[axis];
      return period && Math.abs(far) > period / 2 + NEAR ? value - Math.sign(far) * period : value;
    });
  }

  // The line between two variables, or its two ends.
  pieces(v, w) {
    const [from, to] = [this.places[v], this.places[w]];
    const seen = this.seenFrom(from, w);
    if (seen.every((value, axis) => value === to[axis])) {
      return isCrossing(this.places, v, w) ? halves(stubs(from, to, this.around)) : [[from, to]];
    }
    const away = seen.map((value, axis) => value - from[axis]);
    const part = this.around / Math.max(Math.hypot(...away), NEAR);
    const out = away.map((value) => value * part);
    return [
      [from, from.map((value, axis) => value + out[axis])],
      [to.map((value, axis) => value - out[axis]), to],
    ];
  }

  // The area of a triplet, on all sides of the picture where it is seen.
  triangle({ vertices }) {
    const key = vertices.join();
    if (!this.known.has(key)) this.known.set(key, this.drawn(vertices));
    return this.known.get(key);
  }

  drawn(vertices) {
    const first = this.places[vertices[0]];
    const [a, b, c] = vertices.map((v) => this.seenFrom(first, v));
    const turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    // All in the same sense, so that overlapping ones make one area.
    const corners = turn < 0 ? [a, c, b] : [a, b, c];
    const [across, down] = this.periods.map((period) => (period ? [-period, 0, period] : [0]));
    return across
      .flatMap((x) => down.map((y) => this.cut(corners.map(([u, v]) => [u + x, v + y]))))
      .map((shape) => (shape.length ? `M${shape.map(written).join("L")}Z` : ""))
      .join("");
  }

  // The part of a shape that is not too far beyond the variables.
  cut(shape) {
    return [0, 1].reduce((left, axis) => {
      if (!this.periods[axis]) return left;
      const [low, high] = this.sides[axis];
      const above = clipped(left, (place) => place[axis] - low + this.around);
      return clipped(above, (place) => high + this.around - place[axis]);
    }, shape);
  }
}

const halves = ([one, two]) => [one, two.toReversed()];

// The part of a convex shape where a linear function is not negative.
const clipped = (shape, inside) =>
  shape.flatMap((place, k) => {
    const next = shape[(k + 1) % shape.length];
    const [here, there] = [inside(place), inside(next)];
    const kept = here >= 0 ? [place] : [];
    if (here < 0 === there < 0) return kept;
    const share = here / (here - there);
    return [...kept, place.map((value, axis) => value + share * (next[axis] - value))];
  });
