// The bounds over events or sweeps.

import { axes, COMPACT } from "../marks/axis.js";
import { path } from "../marks/line.js";
import { level, upright } from "../marks/rule.js";
import { counts } from "../scales.js";
import { make } from "../svg.js";
import { number } from "../text.js";
import { Zoom } from "../zoom.js";

const LONG = 150; // points from which on the first leaps of LB would flatten all that follows
const SETTLED = 0.25; // share of a long range whose first part does not count for the heights
const SHORTEST = 12; // events that are shown at least

export class Bounds {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$(".bounds svg");
    this.unit = "events";
    this.frame = null;
    this.zoom = new Zoom(this);
    stage.$("[data-act=unit]").onchange = (event) => {
      this.unit = event.target.value;
      this.zoom.show(null);
    };
    this.svg.onkeydown = (event) => this.zoom.press(event, this.along(stage.player.position));
  }

  // Where an event is on the axis: its number, or the sweeps completed until then, parts of one included.
  along(position) {
    if (this.unit === "events") return position;
    const ends = this.stage.history.sweeps;
    const done = ends.filter((end) => end <= position).length;
    const begin = ends[done - 1] || 0;
    // How long a sweep is that is not complete can only be guessed: as long as the one before, or as what is known.
    const guess = Math.max(begin + begin - (ends[done - 2] || 0), this.stage.player.seen + 1);
    return done + (position - begin) / Math.max((ends[done] || guess) - begin, 1);
  }

  extent() {
    const { seen } = this.stage.player;
    return [0, this.unit === "events" ? Math.max(seen, SHORTEST) : Math.max(this.along(seen), 1)];
  }

  // The bounds at the start, those of the history, and those of the events after it: [place, LB, UB].
  points() {
    const { graph, history, events, player } = this.stage;
    const { event, lower, upper } = history;
    const points = [[0, graph.lower, graph.upper], ...event.map((e, k) => [e, lower[k], upper[k]])];
    for (let k = event.length ? event[event.length - 1] : 0; k < player.seen && events.has(k); k += 1) {
      points.push([k + 1, events.get(k).lower, events.get(k).upper]);
    }
    return points.map(([e, low, high]) => [this.along(e), low, high]);
  }

  // Those in sight, and one more at either end.
  shown(points, [from, to]) {
    const starts = (i) => (points[i + 1] || [0])[0] >= from;
    const ends = (i) => (points[i - 1] || [0])[0] <= to;
    return points.filter(([k], i) => (k >= from || starts(i)) && (k <= to || ends(i)));
  }

  // In a long run the first leaps of LB leave the frame at the bottom.
  heights(points, [from, to], references) {
    const late = points.find(([k]) => k >= from + SETTLED * (to - from));
    const first = (points.length > LONG && late) || points[0];
    const low = Math.min(first[1], ...references.map(({ energy }) => energy));
    return [low, Math.max(...points.map(([, , upper]) => upper))];
  }

  draw() {
    const { stage, svg } = this;
    if (!svg.getBoundingClientRect().width) return;
    const { references } = stage.data;
    const range = this.zoom.shown();
    const points = this.shown(this.points(), range);
    const across = { range, name: this.unit, ticks: counts.ticks };
    svg.replaceChildren();
    this.frame = axes(svg, across, { range: this.heights(points, range, references), name: "energy" }, COMPACT);
    const { x, y, box } = this.frame;
    const at = (k, v) => [Math.min(Math.max(x(k), box.left), box.right), Math.min(y(v), box.bottom)];
    make(svg, "path", { class: "lower", d: path(points.map(([k, lower]) => at(k, lower))) });
    make(svg, "path", { class: "upper", d: path(points.map(([k, , upper]) => at(k, upper))) });
    for (const { energy } of references) level(svg, "reference", y(energy), box);
    this.names(references);
    this.now();
  }

  // LB rises, so the lower right corner is free.
  names(references) {
    const { box } = this.frame;
    const lines = references.map(({ name, energy }) => ["soft", `┈ ${name} ${number(energy)}`]).reverse();
    const names = [["lower-name", "━ LB lower bound"], ["upper-name", "╍ UB best labelling"], ...lines];
    names.forEach(([kind, text], k) => {
      const place = { x: box.right - 6, y: box.bottom - 8 - 18 * k, "text-anchor": "end" };
      make(this.svg, "text", { class: kind, ...place }, text);
    });
  }

  // Where the run is shown.
  now() {
    const { stage, svg } = this;
    const { x, y, box, range } = this.frame;
    const { position } = stage.player;
    const here = this.along(position);
    if (stage.running || here < range[0] || here > range[1]) return;
    upright(svg, "now", x(here), box);
    const known = stage.player.last() || (position === 0 ? stage.graph : null);
    if (known) make(svg, "circle", { class: "tight", cx: x(here), cy: Math.min(y(known.lower), box.bottom), r: 4 });
  }
}
