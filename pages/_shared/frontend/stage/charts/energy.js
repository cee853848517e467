// The energy axis that the ground and the bounds share. Its range is chosen when an update opens, from what is known
// then, and stays until the update has passed its messages.

import { linear, logarithmic } from "../../scales.js";
import { KIND } from "../kinds.js";
import { shown } from "./sums.js";

const LOWEST = 14; // the range reaches up to the state of this rank
const BELOW = 0.14; // shares of the range that are left free
const ABOVE = 0.06;
const NARROWEST = 1e-3; // share of the gap that is shown at least
const NEAREST = 30; // on the logarithmic axis: how many times nearer to the best than LB the top is
const APART = 34; // pixels between levels at least

const mix = (a, b, share) => a + (b - a) * share;

export class Energy {
  constructor(stage) {
    Object.assign(this, { stage, whole: false, distance: false, box: null, range: null, from: null, opening: null });
  }

  // Everything from the first bounds to UB, or what the update is about; the distance to the best, or the energy.
  toggle(name) {
    this[name] = !this[name];
    this.stage.draw();
  }

  // Choose the range for a moment, and place it in a box.
  settle(moment, box) {
    const opening = this.openingOf(moment);
    if (opening?.arcs !== this.opening?.arcs) [this.from, this.opening] = [this.range, opening];
    const range = opening && !this.whole ? around(opening, moment) : this.everything(moment);
    const moving = moment.act === "start" && this.from;
    this.range = moving ? range.map((end, k) => mix(this.from[k], end, moment.part(0, 0.35))) : range;
    this.digits = digitsFor(range[1] - range[0]);
    this.best = moment.upper;
    this.box = box;
    this.ends = this.distance ? this.distances(moment) : this.range;
  }

  // The update as it was when it opened: it is known before its axis is.
  openingOf({ update, after }) {
    if (!update || update.arcs === this.opening?.arcs) return update && this.opening;
    const { events } = this.stage;
    let k = after.index;
    while (events.has(k) && events.get(k).kind !== KIND.NODE_OPENED) k -= 1;
    return events.get(k)?.update ?? update;
  }

  everything({ lower, upper }) {
    const { history, graph, data } = this.stage;
    const lows = [graph.lower, ...history.lower, lower, ...data.references.map(({ energy }) => energy)];
    return padded(Math.min(...lows), Math.max(upper, lower));
  }

  distances({ lower }) {
    const nearest = Math.max(this.best - lower, Number.MIN_VALUE) / NEAREST;
    return [this.along(this.range[0]), -Math.log10(nearest)];
  }

  along(v) {
    return this.distance ? -Math.log10(Math.max(this.best - v, Number.MIN_VALUE)) : v;
  }

  y(v) {
    const [low, high] = this.ends;
    return this.box.bottom - ((this.along(v) - low) / (high - low)) * (this.box.bottom - this.box.top);
  }

  isAbove(v) {
    return this.y(v) < this.box.top;
  }

  isBelow(v) {
    return this.y(v) > this.box.bottom;
  }

  // Levels of the axis: heights and labels.
  levels() {
    const [low, high] = this.ends;
    const height = this.box.bottom - this.box.top;
    const wanted = Math.max(2, height / APART);
    const place = (at) => this.box.bottom - ((at - low) / (high - low)) * height;
    if (!this.distance) return linear.ticks(low, high, wanted).map(([v, text]) => [place(v), text]);
    return logarithmic.ticks(-high, -low, wanted).map(([v, text]) => [place(-v), text]);
  }

  text(v) {
    return shown(Math.round(v * 10 ** this.digits), this.digits);
  }
}

const around = ({ columns }, { before, upper }) => {
  const costs = columns.map(({ g0 }) => g0).sort((a, b) => a - b);
  const low = Math.min(before.lower, costs[0]);
  const high = Math.max(before.lower, costs[Math.min(LOWEST, costs.length) - 1]);
  return padded(low, high, NARROWEST * (upper - before.lower));
};

const padded = (low, high, least = 0) => {
  const span = Math.max(high - low, least, 1e-9 * Math.abs(low), 1e-12);
  return [low - BELOW * span, Math.max(high, low + span) + ABOVE * span];
};

// A hundredth of what is shown can be read.
const digitsFor = (span) => Math.min(Math.max(Math.ceil(2 - Math.log10(span)), 0), 9);
