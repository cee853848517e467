// The bounds: the floor and the ceiling of an update converge, a step a round, and LB steps to where they meet. The
// energy axis is that of the ground, from which the lines run on.

import { clipped, stairs } from "../../marks/clip.js";
import { Picture } from "../../marks/picture.js";
import { clamp } from "../../numbers.js";
import { counts } from "../../scales.js";
import { Zoom } from "../../zoom.js";
import { endNames } from "./ends.js";
import { fanMarks } from "./fans.js";
import { proofMarks } from "./ground.js";
import { belowClimb, chapterMarks, climbOf } from "./climb.js";
import { boundsOf, inSight, otherThen, sweepsAt } from "./history.js";
import { levelMarks } from "../../marks/levels.js";
import { roundsUntil } from "./rounds.js";

const ROUNDS = 9; // rounds in sight
const APART = 0.6; // rounds between two updates
const SHORTEST = 12; // events that are shown at least
const DENSEST = 5; // pixels of a round from which on fans are drawn
const LETTER = 7.5;

export class Fan {
  constructor(charts) {
    const { stage } = charts;
    Object.assign(this, { charts, stage, chosen: "rounds", frame: null, range: null });
    this.svg = stage.$("svg.fan");
    this.picture = new Picture(this.svg, "fan", stage.tip);
    this.zoom = new Zoom(this);
    const unit = stage.$("[data-act=unit]");
    unit.onchange = () => {
      this.chosen = unit.value;
      this.zoom.show(null);
    };
    // A handler that returned false would keep every other key, Tab among them, from doing anything.
    this.svg.onkeydown = (event) => {
      this.zoom.press(event, this.along(stage.player.position));
    };
  }

  // The unit of the axis; a run in the background has no rounds yet, and at the end they are too many.
  get unit() {
    if (this.begin) return "events";
    return this.chosen === "rounds" && (this.stage.running || this.charts.isWhole) ? "events" : this.chosen;
  }

  // The events of the runs before, which are shown at the end.
  get begin() {
    return this.charts.isWhole ? this.stage.chapters.before : 0;
  }

  // The interface for Zoom.
  draw() {
    this.stage.draw();
  }

  extent() {
    const { seen } = this.stage.player;
    return [0, this.unit === "events" ? Math.max(this.along(seen), SHORTEST) : Math.max(this.along(seen), 1)];
  }

  along(position) {
    return this.unit === "sweeps" ? sweepsAt(this.stage, position) : this.begin + position;
  }

  show(moment, progress, box) {
    const updates = this.placed(roundsUntil(this.stage.events, moment.after.index ?? -1, ROUNDS + 6), progress);
    const range = this.unit === "rounds" ? rangeOf(updates) : this.zoom.shown();
    const [from, to] = range;
    const x = (k) => box.left + ((k - from) / (to - from || 1)) * (box.right - box.left);
    this.range = range;
    this.frame = this.unit === "rounds" ? null : { box, range }; // what Zoom may change
    Object.assign(this, { moment, progress, box, x, energy: this.charts.energy });
    const fans = updates.filter((update) => x(update.x1) > box.left && x(update.x0) < box.right);
    this.updates = fans;
    const present = fans.find(({ current }) => current);
    const below = this.charts.isWhole && belowClimb(box);
    // Where the name of the present update begins: those of the past end before it.
    this.named = box.right - (present ? LETTER * this.stage.graph.nodes[present.node].label.length : 0);
    this.picture.draw([
      ...levelMarks(this.energy.levels(), box, undefined, !this.charts.beside),
      ...fans.flatMap((update) => (this.isWide(update) ? fanMarks(this, update) : [])),
      ...(this.unit === "rounds"
        ? [...this.otherThen(), ...this.stair(fans)]
        : [...this.parent(range), ...this.bounds(range)]),
      ...this.references(),
      ...this.levels(),
      ...this.waiting(),
      ...(below ? proofMarks(moment, below) : []),
      ...endNames(this),
      this.rim(),
      ...this.axis(),
    ]);
  }

  // Where updates are on the axis. The present one has the same place from its first round on: its rounds to come push
  // the past to the left, a round at a time.
  placed(updates, progress) {
    let place = 0;
    return updates.map((update, k) => {
      const isLast = k === updates.length - 1;
      const current = isLast && progress !== null;
      const rounds = update.rounds.map((round, i) => {
        const next = update.rounds[i + 1]?.from ?? update.to;
        if (this.unit === "rounds") return { ...round, x0: place + i, x1: place + i + 1 };
        const begin = i === 0 ? update.from : round.from;
        return { ...round, x0: this.along(begin), x1: this.along(next) };
      });
      place += update.rounds.length + APART;
      return { ...update, rounds, current, x0: rounds[0].x0, x1: rounds.at(-1).x1 };
    });
  }

  isWide({ x0, x1, rounds, current }) {
    return current || (this.x(x1) - this.x(x0)) / rounds.length >= DENSEST;
  }

  curve(id, points, means) {
    const at = points.map(([k, v]) => [this.x(k), this.energy.y(v)]);
    const d = clipped(stairs(at), this.box);
    return d && { id, class: id, d, means };
  }

  // LB over the rounds in sight: a step where an update has passed its messages, nothing in between.
  stair(updates) {
    const points = updates.flatMap((update, k) => {
      const { x1, lower, lifted, current } = update;
      const begin = [k === 0 ? this.range[0] : update.x0, lower];
      const after = current && !this.moment.passed ? null : lifted;
      return after === null ? [begin] : [begin, [x1, after]];
    });
    points.push([this.range[1], this.moment.lower]);
    const value = this.moment.lower;
    return [this.curve("lb", points, { what: "lb", value })];
  }

  bounds(range) {
    this.climb = (this.charts.isWhole ? climbOf : boundsOf)(this.stage);
    const all = this.climb.map(([e, low, high]) => [this.along(e), low, high]);
    const points = inSight(all, range, this.box.right - this.box.left);
    const curve = (what, k, value) => {
      const side = points.map((point) => [point[0], point[k]]);
      return this.curve(what, side, { what, value });
    };
    // The distance of UB to itself is no curve.
    const both = [curve("lb", 1, this.moment.lower), !this.energy.isFar && curve("ub", 2, this.moment.upper)];
    const here = this.x(this.along(this.stage.player.position));
    const { left, right, top, bottom } = this.box;
    const now = here >= left && here <= right && !this.stage.running;
    return [
      ...(this.begin ? chapterMarks(this) : []),
      ...both,
      now && { id: "now", class: "now", x1: here, x2: here, y1: top, y2: bottom },
    ];
  }

  // LB of the run to compare with, at this place.
  otherThen() {
    const found = otherThen(this.stage);
    const { left, right, top, bottom } = this.box;
    const y = found ? this.energy.y(found.value) : NaN;
    if (!(y > top && y < bottom)) return [];
    const { name } = this.stage.parent;
    const { sweeps, value } = found;
    const text = `LB of ${name}`;
    const tip = () => [text, `after ${sweeps} sweep${sweeps > 1 ? "s" : ""}: ${this.energy.text(value)}`];
    const means = { what: "parent", name, value };
    return [
      { id: "parent", class: "parent", x1: left, x2: right, y1: y, y2: y, means, tip },
      { id: "parent name", class: "parent-name", x: left, y: y - 6 < top + 14 ? y + 16 : y - 6, text },
    ];
  }

  // LB of the run to compare with, counted from where the two part.
  parent(range) {
    const { parent } = this.stage;
    if (!parent?.event.length) return [];
    const along = this.unit === "sweeps" ? parent.sweep : parent.event;
    const points = inSight(
      along.map((k, i) => [k, parent.lower[i]]),
      range,
      this.box.right - this.box.left,
    );
    const curve = this.curve("parent", points, { what: "parent", name: parent.name });
    if (!curve) return [];
    const { left, right, top, bottom } = this.box;
    const isIn = ([x, y]) => x > left && x < right && y > top && y < bottom;
    const [x, y] = points.map(([k, value]) => [this.x(k), this.energy.y(value)]).findLast(isIn) ?? [right, NaN];
    const text = `LB of ${parent.name}`;
    // Beside the end of a curve that is short.
    const isLong = x - left > LETTER * text.length;
    const place = isLong ? { x, y: y + 16, "text-anchor": "end" } : { x: x + 6, y: y + 5, "text-anchor": "start" };
    const name = { id: "parent name", class: "parent-name", ...place, text };
    return [{ ...curve, tip: () => [text, "counted from where the two part"] }, y > top && name];
  }

  references() {
    const { left, right } = this.box;
    return this.stage.data.references.map(({ name, energy: value }) => {
      const y = this.energy.y(value);
      const isIn = y >= this.box.top && y <= this.box.bottom;
      const means = { what: "reference", name, value };
      return isIn && { id: `reference ${name}`, class: "reference", x1: left, x2: right, y1: y, y2: y, means };
    });
  }

  // The lines that run on from the ground, to the point of LB; UB where it is in the frame.
  levels() {
    const { moment, progress, energy, box } = this;
    const end = box.right + 6;
    // They are faint before the present update, as earlier updates had others.
    const here = this.updates.find(({ current }) => current);
    const begun = here ? clamp(this.x(here.x0), box.left, box.right) : box.left;
    const level = (what, value, x2 = end) => {
      const y = energy.y(value);
      if (y < box.top || y > box.bottom) return [];
      const means = { what, value: progress?.numbers[what] ?? value };
      const line = { class: `${what}-line`, y1: y, y2: y, means };
      return [
        { ...line, id: `${what} way`, class: `${what}-line way`, x1: box.left, x2: Math.min(begun, x2) },
        x2 > begun && { ...line, id: `${what} line`, x1: begun, x2 },
      ];
    };
    const marks = this.unit === "rounds" ? level("ub", moment.upper) : [];
    if (progress) {
      const ran = Math.max(progress.run * 2 - 1, 0);
      if (progress.ceiling !== null) marks.push(...level("ceiling", progress.ceiling));
      if (progress.hasFloor && ran > 0)
        marks.push(...level("floor", progress.floor, box.left + ran * (end - box.left)));
    }
    const y = energy.y(moment.lower);
    const x = this.unit === "rounds" ? box.right : this.x(this.along(this.stage.player.position));
    const isIn = y >= box.top && y <= box.bottom && x >= box.left && x <= box.right + 1;
    if (isIn) marks.push({ id: "lb now", class: "lb-dot", cx: x, cy: y, r: 6 });
    return marks;
  }

  // Messages have not passed yet: LB waits below the floor. If the rows give less than LB, the floor is below it.
  waiting() {
    const { moment, progress, energy, box } = this;
    if (!progress?.hasFloor || progress.run < 1 || moment.over) return [];
    const [from, to] = [energy.y(moment.lower), Math.max(energy.y(progress.floor), box.top)];
    const x = box.right - 14;
    const lags = progress.floor < moment.lower && to - from >= 1;
    const text = lags ? "old rows give less than LB" : this.waitsFor(progress);
    const place = { x: box.right, y: box.bottom + 32, "text-anchor": "end", text };
    const isArrow = from - to >= 14 && from <= box.bottom;
    return [
      isArrow && { id: "waits", class: "waits", d: `M${x} ${from - 7}V${to + 3}m-4 6l4 -6l4 6` },
      { id: "waits name", class: lags ? "floor-name" : "waits-name", ...place },
    ];
  }

  // LB could already rise to the floor; but the higher floor and ceiling meet, the more it gains.
  waitsFor({ met, numbers: { floor, ceiling } }) {
    const isMet = met && this.energy.text(ceiling) === this.energy.text(floor);
    return isMet ? "they meet: LB rises to there" : "LB waits: more to gain";
  }

  // A button that shows the part below the scale, and back.
  rim() {
    const { energy, box, stage } = this;
    const first = this.charts.isWhole ? climbOf(stage)[0][1] : stage.graph.lower;
    const from = this.unit === "rounds" ? (this.updates[0]?.lower ?? first) : first;
    if (!energy.whole && !energy.isBelow(from)) return null;
    const text = energy.whole ? "↕ zoom in" : `↓ LB from ${energy.text(from)}`;
    const at = { x: box.left + 4, y: box.bottom + 48, tabindex: 0, role: "button", text };
    const hint = energy.whole ? "Back to the energies that matter now" : "Press to show the whole range";
    const act = { press: () => energy.toggle("whole"), tip: () => [hint] };
    return { id: "rim", class: "lb-name off-scale", ...at, ...act };
  }

  axis() {
    const { left, right, bottom } = this.box;
    if (this.unit === "rounds") return [];
    const place = { x: right, y: bottom + 32, "text-anchor": "end" };
    const name = { id: "unit", class: "soft", ...place, text: this.unit };
    return [name, ...ticksOf(this, Math.max(2, (right - left) / (8 * LETTER)))];
  }
}

const rangeOf = (updates) => {
  const last = updates.length ? updates.at(-1).x1 : 1;
  return [last - ROUNDS, last];
};

const ticksOf = ({ range, x, box }, count) =>
  counts.ticks(...range, count).map(([at, text]) => ({
    ...{ id: `tick ${text}`, class: "soft tick", "text-anchor": "middle" },
    ...{ x: x(at), y: box.bottom + 16, text },
  }));
