// Both bounds over the events; of two side by side, over the work that each has done, and which one leads.

import { isClosed } from "../gap.js";
import { write } from "../layout.js";
import { axes } from "../marks/axis.js";
import { clipped, stairs } from "../marks/clip.js";
import { Picture } from "../marks/picture.js";
import { stacked } from "../marks/stacked.js";
import { clamp } from "../numbers.js";
import { follow } from "../pressing.js";
import { counts, works } from "../scales.js";
import { placeIn } from "../screen.js";
import { atLeast, entries, number } from "../text.js";
import { isFound } from "./history.js";
import { placeOf } from "./player.js";

const RIGHT = [96, 128]; // pixels for the names of the lines of one, and of two
const APART = 18; // pixels between them
const MOST = 600; // points of a line
const FIRST = [10, 1000]; // events that the axis has at least; entries that were read
const [BELOW, CLOSEST] = [0.8, 0.05]; // what is seen below LB, as a multiple of the gap, or of all that is gained
const EQUAL = 1e-9; // of the energy at stake: bounds that differ by less count as equal
const NAMES = ["", " second"];

export class Bounds {
  constructor(owner) {
    this.owner = owner;
    this.svg = owner.$("svg.bounds");
    this.picture = new Picture(this.svg, "bounds", owner.tip);
    this.svg.onpointerdown = (event) => {
      this.jump(event);
      follow((moved) => this.jump(moved));
    };
  }

  get isByWork() {
    return this.owner.halves.length > 1;
  }

  jump(event) {
    if (!this.frame || !this.owner.course) return;
    const { box, range } = this.frame;
    const share = (placeIn(this.svg, event)[0] - box.left) / Math.max(box.right - box.left, 1);
    const { course, player } = this.owner;
    const at = clamp(share, 0, 1) * range[1];
    if (!this.isByWork) return player.show(Math.round(at));
    const beyond = course.counts.findIndex((_, place) => course.workAt(place) > at);
    player.show(beyond < 0 ? course.length : Math.max(beyond - 1, 0));
  }

  // The place of a number of events on the axis.
  along(history, position) {
    return this.isByWork ? history.workOf(position) : position;
  }

  draw(moments) {
    const { owner } = this;
    const { course } = owner;
    const size = owner.sizes.of(this.svg);
    if (this.isByWork) this.tell(moments);
    if (!size.width) return;
    // As far as it has been seen: what comes next is not given away.
    const seen = course.counts[Math.min(owner.player.seen, course.length)];
    const histories = owner.halves.map(({ history }) => history);
    const ends = histories.map((history, k) => this.along(history, seen[k]));
    const last = Math.max(...ends, FIRST[Number(this.isByWork)]);
    const up = { range: this.range(moments, histories, seen), name: "energy" };
    const across = this.isByWork
      ? { range: [0, last], name: "table entries read", ticks: works.ticks }
      : { range: [0, last], name: "events", ticks: counts.ticks };
    this.frame = axes(size, across, up, RIGHT[histories.length - 1]);
    const { marks, x, box } = this.frame;
    const now = this.isByWork ? course.workAt(placeOf(moments)) : moments[0].state.position;
    this.picture.draw([
      ...marks,
      ...(this.isByWork ? [] : rounds(histories[0], x, box, seen[0])),
      ...histories.flatMap((history, k) => this.lines(k, history, moments[k].state, seen[k], now)),
      ...this.names(moments),
    ]);
    this.svg.setAttribute("aria-label", this.words(moments));
  }

  // From the first bound to the highest energy; of two, so much of the steep beginning that what follows can be seen.
  range(moments, histories, seen) {
    const first = Math.min(...histories.map(({ start }) => start.lower));
    const highest = Math.max(...histories.map((history, k) => top(history, seen[k])), first);
    if (!this.isByWork) return [first, highest];
    const lower = Math.min(...moments.map(({ state }) => state.lower));
    const gap = Math.max(...moments.map(({ state }) => state.upper)) - lower;
    return [Math.max(first, lower - BELOW * Math.max(gap, CLOSEST * (highest - first))), highest];
  }

  // `now`: the place on the axis up to which a bound is what it is.
  lines(k, history, { position, lower }, seen, now) {
    const { x, y, box } = this.frame;
    const every = Math.max(1, Math.ceil(seen / MOST));
    const values = [history.start, ...history.events.slice(0, seen)];
    const line = (key, low, high, end) => {
      const isShown = (at) => at >= low && at <= high && (at % every === 0 || at === high);
      const points = values.flatMap((event, at) => (isShown(at) ? [[x(this.along(history, at)), y(event[key])]] : []));
      return clipped(stairs([...points, [x(end), y(values[high][key])]]), box);
    };
    const ends = this.along(history, seen);
    const made = (key, ahead, low, high, end) => ({
      ...{ id: `${key}${ahead}${NAMES[k]}`, class: `${key}${ahead}${NAMES[k]}`, d: line(key, low, high, end) },
    });
    const means = { what: "here", half: k, position, value: lower };
    return [
      made("upper", " ahead", position, seen, ends),
      made("lower", " ahead", position, seen, ends),
      made("upper", "", 0, position, now),
      made("lower", "", 0, position, now),
      { id: `here${NAMES[k]}`, class: `here${NAMES[k]}`, cx: x(now), cy: y(lower), r: 5, means },
    ];
  }

  // Beside the ends of the lines. Of two upper bounds, the better one.
  names(moments) {
    const { y, box } = this.frame;
    const states = moments.map(({ state }) => state);
    const upper = Math.min(...states.map((state) => state.upper));
    const { scale } = this.owner.halves[0].history.graph;
    const of = states.map(({ lower: value }, k) => {
      const half = this.owner.halves[k];
      const lower = this.isByWork ? half.lowerAt(moments[k]) : value;
      const shown = isClosed(lower, upper, scale) ? number(lower) : atLeast(lower);
      const text = this.isByWork ? `${SHORT[half.way] ?? half.way} ${shown}` : `LB ${shown}`;
      return { id: `lower-name${NAMES[k]}`, text, value, what: "lower-name" };
    });
    const all = [{ id: "upper-name", text: `UB ${number(upper)}`, value: upper, what: "upper-name" }, ...of];
    const heights = all.map(({ value }) => y(value));
    const places = stacked(heights, 12, box.bottom, APART);
    return all.map(({ id, text, value, what }, k) => ({
      ...{ id, class: id, x: box.right + 8, y: places[k] + 5, text, means: { what, value } },
    }));
  }

  // What passes quickly is not read out.
  tell(moments) {
    const line = this.owner.$("[data-out=lead]");
    line.setAttribute("aria-live", this.owner.player.playing ? "off" : "polite");
    write(line, this.lead(moments));
  }

  // Who leads, after the same work.
  lead(moments) {
    const { halves, course } = this.owner;
    const lowers = moments.map((moment, k) => halves[k].lowerAt(moment));
    const [more, less] = lowers[0] >= lowers[1] ? [0, 1] : [1, 0];
    const place = placeOf(moments);
    const stuck = halves.find(({ history }, k) => history.failure && moments[k].state.position === history.length);
    const read = place ? `each has read ${entries(course.workAt(place))} at most` : "at the start";
    const isOver = halves.every((half, k) => half.ended(moments[k]) !== null);
    const where = stuck ? `the ${stuck.way} could not go on` : isOver ? "both have ended" : read;
    const by = lowers[more] - lowers[less];
    if (by <= EQUAL * halves[0].history.graph.scale) return `LB is the same in both (${where})`;
    return `${halves[more].leads} by ${number(by)} (${where})`;
  }

  words(moments) {
    const of = moments.map(({ state: { position, lower, upper } }, k) => {
      const bounds = `after ${position} events: LB ${atLeast(lower)}, UB ${number(upper)}`;
      return this.isByWork ? `${this.owner.halves[k].way} ${bounds}` : bounds;
    });
    return of.join("; ");
  }
}

// Names that have to be short.
const SHORT = { "linear program": "program" };

// The highest energy of the axis. Messages come before the first search for a labelling, whose predecessor may be far
// above all else.
const top = ({ by, start, events }, seen) => (by === "messages" && seen > 0 ? events[0].upper : start.upper);

// Where rounds end, unless there are too many to tell them apart.
const rounds = ({ events }, x, box, seen) => {
  const ends = events.flatMap((event, k) => (k >= seen || isFound(event) ? [] : [k + 1]));
  if (ends.length > 60) return [];
  return ends.map((end) => ({
    ...{ id: `round ${end}`, class: "round", x1: x(end), x2: x(end), y1: box.bottom - 6, y2: box.bottom },
  }));
};
