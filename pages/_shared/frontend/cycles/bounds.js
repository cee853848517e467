// Both bounds over the events.

import { isClosed } from "../gap.js";
import { axes } from "../marks/axis.js";
import { clipped, stairs } from "../marks/clip.js";
import { Picture } from "../marks/picture.js";
import { clamp } from "../numbers.js";
import { follow } from "../pressing.js";
import { counts } from "../scales.js";
import { placeIn } from "../screen.js";
import { atLeast, number } from "../text.js";
import { isFound } from "./history.js";

const RIGHT = 96; // pixels for the names of the lines
const APART = 18; // pixels between them
const MOST = 600; // points of a line
const FIRST = 10; // events that the axis has at least

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

  jump(event) {
    if (!this.frame) return;
    const { box, range } = this.frame;
    const share = (placeIn(this.svg, event)[0] - box.left) / Math.max(box.right - box.left, 1);
    this.owner.player.show(Math.round(clamp(share, 0, 1) * range[1]));
  }

  draw(moment) {
    const { history } = this.owner;
    const size = this.owner.sizes.of(this.svg);
    if (!size.width) return;
    const all = [history.start, ...history.events];
    // As far as it has been seen: what comes next is not given away.
    const { seen } = this.owner.player;
    const last = Math.max(seen, FIRST);
    const { limit } = this.owner.data;
    const lowest = Math.min(history.start.lower, limit?.value ?? history.start.lower);
    const highest = Math.max(this.top(seen), lowest);
    const up = { range: [lowest, highest], name: "energy" };
    const across = { range: [0, last], name: "events", ticks: counts.ticks };
    this.frame = axes(size, across, up, RIGHT);
    const { x, y, box } = this.frame;
    const { position } = moment.state;
    const every = Math.max(1, Math.ceil(last / MOST));
    const points = (key, low, high) =>
      all.flatMap((event, k) => (k >= low && k <= high && (k % every === 0 || k === high) ? [[k, event[key]]] : []));
    const line = (key, low, high) => clipped(stairs(points(key, low, high).map(([k, v]) => [x(k), y(v)])), box);
    const { lower, upper } = moment.state;
    const closed = isClosed(lower, upper, history.graph.scale);
    const [low, high] = [y(lower), y(upper)];
    const near = Math.max(APART - (low - high), 0) / 2;
    const name = (id, text, at, value) => ({
      ...{ id, class: id, x: box.right + 8, y: clamp(at, 12, size.height - 4) + 5, text },
      means: { what: id, value },
    });
    this.picture.draw([
      ...this.frame.marks,
      ...this.rounds(x, box, seen),
      { id: "upper ahead", class: "upper ahead", d: line("upper", position, seen) },
      { id: "lower ahead", class: "lower ahead", d: line("lower", position, seen) },
      { id: "upper", class: "upper", d: line("upper", 0, position) },
      { id: "lower", class: "lower", d: line("lower", 0, position) },
      { id: "here", class: "here", cx: x(position), cy: low, r: 5, means: { what: "here", position } },
      name("upper-name", `UB ${number(upper)}`, high - near, upper),
      name("lower-name", `LB ${closed ? number(lower) : atLeast(lower)}`, low + near, lower),
      ...this.limit(limit, upper, this.frame),
    ]);
    this.svg.setAttribute("aria-label", `After ${position} events: LB ${atLeast(lower)}, UB ${number(upper)}`);
  }

  // How far the linear program has raised the bound of the same model.
  limit(limit, upper, { y, box }) {
    if (!limit) return [];
    const { value } = limit;
    const at = y(value);
    const shown = isClosed(value, upper, this.owner.history.graph.scale) ? number(value) : atLeast(value);
    const text = `${limit.is_last ? "limit: linear program" : "linear program so far"} ${shown}`;
    // Above the upper bound, which is mostly near.
    const name = { x: box.right - 6, y: clamp(y(upper), box.top + 20, at) - 6, text, "text-anchor": "end" };
    return [
      { id: "limit", class: "limit", x1: box.left, x2: box.right, y1: at, y2: at, means: { what: "limit", ...limit } },
      { id: "limit-name", class: "limit-name", ...name },
    ];
  }

  // The highest energy of the axis. Messages come before the first search for a labelling, whose predecessor may be far
  // above all else.
  top(seen) {
    const { by, start, events } = this.owner.history;
    return by === "messages" && seen > 0 ? events[0].upper : start.upper;
  }

  // Where rounds end, unless there are too many to tell them apart.
  rounds(x, box, seen) {
    const ends = this.owner.history.events.flatMap((event, k) => (k >= seen || isFound(event) ? [] : [k + 1]));
    if (ends.length > 60) return [];
    return ends.map((end) => ({
      ...{ id: `round ${end}`, class: "round", x1: x(end), x2: x(end), y1: box.bottom - 6, y2: box.bottom },
    }));
  }
}
