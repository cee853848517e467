// The energy axis that the ground and the bounds share. Its range is chosen when an update opens, and stays until the
// update has passed its messages; it widens only if the first ceiling is above it.

import { mix } from "../../numbers.js";
import { linear, logarithmic } from "../../scales.js";
import { decimalsOf } from "../../text.js";
import { KIND } from "../kinds.js";
import { isEnd, isMet } from "../play/moment.js";
import { climbOf } from "./climb.js";
import { boundsOf, lastSweep } from "./history.js";
import { shown } from "./sums.js";

const LOWEST = 8; // the range reaches up to the state of this rank
const FARTHEST = 4; // how many times wider it may become for a ceiling, or for an LB far below all states
const BELOW = 0.14; // shares of the range that are left free
const ABOVE = 0.06;
const NARROWEST = 1e-3; // share of the gap that is shown at least
const NEAREST = 30; // on the logarithmic axis: how many times nearer to the best than LB the top is
const FINE = 0.01; // at the end bounds have digits for this share of the climb
const ZERO = 5; // on the logarithmic axis: how many times nearer than any distance 0 is drawn
const CLOSED = 0.4; // share of the gap that is shown below LB between updates
const STEEPEST = 3; // at the end: how many times farther than halfway through the run LB may begin to be shown
const SAME = 1e-12; // share of an energy that is rounding
const CLOSEST = 1e-6; // share of the energy at stake that is shown at least
const APART = 34; // pixels between levels at least

export class Energy {
  constructor(stage) {
    Object.assign(this, { stage, whole: false, distance: false, box: null, range: null, from: null, opening: null });
  }

  // Range: everything from the first bounds to UB, or that of the update; scale: distance to the best, or energy.
  toggle(name) {
    this[name] = !this[name];
    this.stage.draw();
  }

  // Choose the range for a moment, and place it in a box.
  settle(moment, box) {
    const opening = this.openingOf(moment);
    if (opening?.arcs !== this.opening?.arcs) [this.from, this.opening] = [this.range, opening];
    const isOwn = opening && !this.whole;
    const range = isOwn ? this.around(opening, moment, moment.after.index) : this.between(moment);
    const before = isOwn && this.before(opening, moment);
    this.own = before ? range.map((end, k) => mix(before.range[k], end, before.share)) : range;
    this.range = this.stage.pair.commonRange(this.stage, this.own);
    // Numbers have as many digits from the opening to the end, and no fewer than in the sentence.
    const [low, high] = opening ? this.around(opening, moment, this.opened) : range;
    const begun = (opening && this.stage.events.get(this.opened)) ?? moment;
    const digits = digitsFor(isEnd(moment) ? FINE * (high - low) : high - low);
    this.digits = Math.max(digits, decimalsOf(begun.lower));
    this.best = moment.upper;
    this.box = box;
    this.nearest = this.distance ? this.nearestOf(moment) : 0;
    this.isFar = this.nearest > 0;
    this.ends = this.isFar ? [this.along(this.range[0]), -Math.log10(this.nearest)] : this.range;
  }

  // The range before an act: that of the last update, or of this one before its answer.
  before(opening, moment) {
    if (moment.act === "start") return this.from && { range: this.from, share: moment.part(0, 0.35) };
    if (moment.act !== "answer") return null;
    return { range: this.around(opening, moment, moment.after.index - 1), share: moment.part(0.55, 0.75) };
  }

  // The update at its opening.
  openingOf({ update, after }) {
    if (!update || update.arcs === this.opening?.arcs) return update && this.opening;
    this.opened = this.firstOf(after.index);
    return this.stage.events.get(this.opened)?.update ?? update;
  }

  // The event that opened the update of another.
  firstOf(index) {
    const { events } = this.stage;
    let k = index;
    while (events.has(k) && events.get(k).kind !== KIND.NODE_OPENED) k -= 1;
    return k;
  }

  // The cheapest states of an update, LB, and the first ceiling known at an event that is not too far.
  around({ columns }, { before, upper }, index) {
    const costs = columns.map(({ g0 }) => g0).sort((a, b) => a - b);
    const cheap = Math.max(costs[Math.min(LOWEST, costs.length) - 1], costs[0] + NARROWEST * (upper - before.lower));
    const isNear = costs[0] - before.lower <= (FARTHEST - 1) * (cheap - costs[0]);
    const low = isNear ? Math.min(before.lower, costs[0]) : costs[0] - (cheap - costs[0]) / 2;
    const high = Math.max(before.lower, cheap);
    const limit = low + FARTHEST * (high - low);
    for (let k = this.opened + 1; k <= index; k += 1) {
      const { ceiling } = this.stage.events.get(k) ?? {};
      if (ceiling > high && ceiling <= limit) return this.padded(low, ceiling);
    }
    return this.padded(low, high);
  }

  // Without an update: the gap, and a part of what has been closed; at the end, how the last sweep closed it.
  between(moment) {
    const { lower, upper } = moment;
    if (this.whole) return this.everything(moment);
    if (isEnd(moment)) return this.climb(moment);
    const isOver = isMet(moment, this.stage.graph);
    const below = isOver ? (lastSweep(this.stage)?.rise ?? 0) : CLOSED * (upper - lower);
    return this.padded(lower - below, upper);
  }

  // At the end, the climb of the whole run. If LB leaps so far at first that the rest would be a flat line, the leap
  // leaves the frame; on a logarithmic axis it does not.
  climb({ lower, upper }) {
    const points = climbOf(this.stage).filter(([, low]) => Number.isFinite(low));
    const halfway = points.findLast(([e]) => e <= (points[0][0] + points.at(-1)[0]) / 2)[1];
    const steepest = !this.distance && halfway < lower ? lower - STEEPEST * (lower - halfway) : -Infinity;
    const low = Math.max(Math.min(...points.map(([, value]) => value)), steepest);
    const highest = Math.max(upper, ...points.map(([, , value]) => value).filter(Number.isFinite));
    return this.padded(low, Math.min(highest, upper + (upper - low) / 4));
  }

  everything(moment) {
    const [{ lower, upper }, { data }] = [moment, this.stage];
    const points = (isEnd(moment) ? climbOf : boundsOf)(this.stage);
    const lows = [...points.map(([, low]) => low), lower, ...data.references.map(({ energy }) => energy)];
    return this.padded(Math.min(...lows), Math.max(upper, lower));
  }

  // The range with air above and below.
  padded(low, high) {
    const span = Math.max(high - low, CLOSEST * this.stage.graph.scale, 1e-9 * Math.abs(low), 1e-12);
    return [low - BELOW * span, Math.max(high, low + span) + ABOVE * span];
  }

  // The distance at the top of the logarithmic axis. Where the bounds meet, less than any before, which stands for 0;
  // 0 if there has been none.
  nearestOf({ lower, upper }) {
    const least = SAME * Math.abs(lower);
    this.isZeroShown = upper - lower <= least;
    if (!this.isZeroShown) return (upper - lower) / NEAREST;
    const before = climbOf(this.stage).map(([, low]) => upper - low);
    const distances = before.filter((distance) => distance > least);
    return distances.length ? Math.min(...distances) / ZERO : 0;
  }

  along(v) {
    if (!this.isFar) return v;
    return -Math.log10(Math.max(this.best - v, this.isZeroShown ? this.nearest : Number.MIN_VALUE));
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
    const count = Math.max(2, height / APART);
    const place = (at) => this.box.bottom - ((at - low) / (high - low)) * height;
    if (!this.isFar) return linear.ticks(low, high, count).map(([v, text]) => [place(v), text]);
    const levels = logarithmic.ticks(-high, -low, count).map(([v, text]) => [place(-v), text]);
    if (!this.isZeroShown) return levels;
    return [...levels.filter(([y]) => y > this.box.top + APART / 2), [this.box.top, "0"]];
  }

  text(v) {
    return shown(Math.round(v * 10 ** this.digits), this.digits);
  }
}

// A hundredth of what is shown can be read.
const digitsFor = (span) => Math.min(Math.max(Math.ceil(2 - Math.log10(span)), 0), 15);
