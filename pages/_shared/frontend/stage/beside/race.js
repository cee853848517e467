// The bounds of both runs in one chart, what each has done so far, and who leads.

import { html } from "../../html.js";
import { clipped, stairs } from "../../marks/clip.js";
import { levelMarks } from "../../marks/levels.js";
import { Picture } from "../../marks/picture.js";
import { clamp } from "../../numbers.js";
import { counts, linear } from "../../scales.js";
import { entries, grouped, number } from "../../text.js";
import { boundsOf, inSight, lowerAfter, sweepsBeside } from "../charts/history.js";
import { Progress } from "../charts/progress.js";
import { write } from "../../layout.js";
import { KIND } from "../kinds.js";
import { workIn, workOf } from "./clock.js";

const [TOP, BOTTOM, LEFT, RIGHT] = [10, 20, 54, 8]; // pixels around the frame
const LETTER = 7.5;
const NAMED = 8; // pixels between a curve and its name
const APART = 34;
const BELOW = 0.8; // how much below LB is shown, as a multiple of the gap
const CLOSEST = 1e-3; // the same, at least, as a share of the energy at stake
const APART_IN_TIME = 120; // milliseconds between two drawings while something moves
const EQUAL = 1e-9; // of the energy at stake: bounds that differ by less count as equal
const NAMES = ["first", "second"];

export class Race {
  constructor(pair) {
    this.pair = pair;
    const { first } = pair;
    this.svg = first.$("svg.race");
    this.picture = new Picture(this.svg, "race", first.tip);
    this.table = first.$("table.race");
    first.$("[data-act=alone]").onclick = () => pair.toggle();
    for (const where of ["difference", "lead"]) {
      first.$(`[data-act=${where}]`).onclick = () => pair.clock.meet(where);
    }
    this.begin();
  }

  // Of every run the work and the bounds at the places that were shown, by position.
  begin() {
    this.worked = new Map();
    this.drawn = Number.NEGATIVE_INFINITY;
  }

  // What moves is drawn by the stages; numbers and curves follow a few times a second, in a film at every picture.
  draw() {
    const { pair } = this;
    const moments = pair.stages.map((stage) => stage.moment());
    if (!pair.second || moments.some((moment) => !moment)) return;
    for (const [k, stage] of pair.stages.entries()) this.note(stage, moments[k]);
    const moves = pair.stages.some(({ player }) => player.scene && player.filmed === null);
    if (moves && performance.now() - this.drawn < APART_IN_TIME) return;
    Object.assign(this, { moments, drawn: performance.now() });
    pair.clock.select.value = pair.clock.beat;
    write(pair.first.$("[data-out=lead]"), this.busy() ?? this.lead());
    this.fill();
    this.plot();
  }

  note({ run, running }, { state }) {
    if (running) return;
    if (!this.worked.has(run)) this.worked.set(run, new Map());
    const known = this.worked.get(run);
    if (!known.has(state.index)) known.set(state.index, [workIn(state), state.lower, state.upper]);
  }

  get isByWork() {
    return this.pair.clock.beat === "work";
  }

  // -- words ---------------------------------------------------------------------------------------------------

  // What is being computed, or what could not be found; null: nothing.
  busy() {
    const found = this.pair.stages.map(({ working, running, stopping, player }) => {
      if (running || working) return stopping ? "stopping…" : (working ?? "running…");
      return player.missed;
    });
    return found.find(Boolean) ?? null;
  }

  // Who leads where both have done the same, by how much and since when.
  lead() {
    const { stages, clock } = this.pair;
    const compared = { node: () => this.afterGroups(), sweep: () => this.afterSweeps(), work: () => this.now() };
    const ended = stages.filter(({ player }) => player.atLast());
    const [lowers, where] = ended.length && !this.isByWork ? this.atEnds(ended) : compared[clock.beat]();
    const ahead = aheadOf(lowers, stages[0].graph.scale);
    if (ahead < 0) return `LB is the same in both ${where(ahead)}`;
    const by = number(Math.abs(lowers[0] - lowers[1]));
    const since = this.isByWork || ended.length ? "" : this.since(ahead);
    return `${stages[ahead].data.clocked.name} leads by ${by} ${where(ahead)}${since}`;
  }

  // The bounds now. Their work is equal if the one that has done more had done no more before its last update.
  now() {
    const { stages } = this.pair;
    const works = stages.map(({ player }) => workOf(player));
    const more = works[0] > works[1] ? 0 : 1;
    const isOpen = stages[more].player.last()?.kind < KIND.MESSAGE;
    const before = lastUpdates(stages[more])[isOpen ? 0 : 1];
    const isEqual = before && workIn(before) <= works[1 - more];
    const unequal = (ahead) => (ahead < 0 ? "(unequal work)" : ahead === more ? "(more work)" : "(less work)");
    const where = (ahead) => (isEqual ? "(equal work)" : before ? unequal(ahead) : "");
    return [this.moments.map(({ lower }) => lower), where];
  }

  // The bounds now, as a run that has ended waits for nobody.
  atEnds(ended) {
    const where = ended.length === 2 ? "(both at their ends)" : `(${ended[0].data.clocked.name} at its end)`;
    return [this.moments.map(({ lower }) => lower), () => where];
  }

  // The bounds after the last group that both have updated: one of them may be a group ahead.
  afterGroups() {
    const { stages, clock } = this.pair;
    const places = stages.map(({ player }) => clock.placeOf(player));
    const least = Math.min(...places);
    const states = stages.map((stage, k) => (places[k] > least && lastUpdates(stage)[1]) || this.moments[k]);
    return [states.map(({ lower }) => lower), () => "(same groups)"];
  }

  // The bounds after the last sweep that both have completed.
  afterSweeps() {
    const done = Math.min(...this.sweepsDone());
    const lowers = this.pair.stages.map((stage) => lowerAfter(stage, done));
    return [lowers, () => (done ? `(after sweep ${done})` : "(at the start)")];
  }

  // The sweeps that both have completed.
  sweepsDone() {
    return this.pair.stages.map(({ history, player, data }) => {
      return data.clocked.begins + history.sweeps.filter((end) => end <= player.position).length;
    });
  }

  // Whether, and since when, it has led at the end of every sweep.
  since(ahead) {
    const done = Math.min(...this.sweepsDone());
    const begin = Math.max(...this.pair.stages.map(({ data }) => data.clocked.begins));
    const { scale } = this.pair.first.graph;
    const led = (k) =>
      aheadOf(
        this.pair.stages.map((stage) => lowerAfter(stage, k)),
        scale,
      ) === ahead;
    let k = done;
    while (k > begin && led(k)) k -= 1;
    if (k === done) return "";
    return `, since sweep ${k + 1}`;
  }

  // What each run has done.
  fill() {
    const { stages } = this.pair;
    const rows = (stage) => (stage.graph.exact ? "none: exact" : stage.status.rows(stage.moment()));
    const lines = [
      ["run", ...stages.map(({ data }) => data.clocked.name)],
      ["event", ...stages.map(({ player }) => this.place(player))],
      ["Benders rows", ...stages.map(rows)],
      ["states evaluated", ...stages.map((stage, k) => evaluated(stage, this.moments[k]))],
      ["entries read", ...stages.map(({ player }) => entries(workOf(player)))],
    ];
    const { table } = this;
    while (table.rows.length < lines.length) {
      const line = table.insertRow();
      for (let k = 0; k < 3; k += 1) line.append(html(k && table.rows.length > 1 ? "td" : "th"));
    }
    lines.forEach((texts, i) => {
      texts.forEach((text, k) => {
        const cell = table.rows[i].cells[k];
        write(cell, text);
        if (i === 0 && k) cell.className = NAMES[k - 1];
      });
    });
  }

  // Where a run is, and whether it waits for the other.
  place(player) {
    const waits = !player.atEnd() && this.pair.clock.isAhead(player);
    return `${player.position}${waits ? ", waits" : ""}`;
  }

  // -- the chart -----------------------------------------------------------------------------------------------

  // Points of a run on the axis: places, LB and UB.
  pointsOf(stage) {
    if (!this.isByWork) return boundsOf(stage).map(([e, ...bounds]) => [this.sweepsOf(stage, e), ...bounds]);
    return [...(this.worked.get(stage.run)?.entries() ?? [])].sort(([a], [b]) => a - b).map(([, point]) => point);
  }

  sweepsOf(stage, position) {
    return stage.data.clocked.begins + sweepsBeside(stage, position);
  }

  plot() {
    const { stages, first } = this.pair;
    const { width, height } = first.sizes.of(this.svg);
    if (!width) return;
    const all = stages.map((stage) => this.pointsOf(stage));
    const box = { top: TOP, bottom: height - BOTTOM, left: LEFT, right: width - RIGHT };
    const last = Math.max(...all.flat().map(([at]) => at), this.isByWork ? 1 : 1e-9);
    const placeOf = (stage) => (this.isByWork ? workOf(stage.player) : this.sweepsOf(stage, stage.player.position));
    const here = stages.map(placeOf);
    const [low, high] = this.rangeOf(all);
    const x = (at) => box.left + (at / last) * (box.right - box.left);
    const y = (v) => box.bottom - ((v - low) / (high - low)) * (box.bottom - box.top);
    const levels = linear.ticks(low, high, Math.max(2, (box.bottom - box.top) / APART));
    const curve = (k, what, index) => {
      const points = inSight(all[k], [0, last], box.right - box.left).map((point) => [x(point[0]), y(point[index])]);
      const d = clipped(stairs(points), box);
      const means = { what, run: stages[k].data.clocked.name, value: all[k].at(-1)?.[index] ?? null };
      return d && { id: `${what} ${NAMES[k]}`, class: `${what} ${NAMES[k]}`, d, means };
    };
    const curves = [0, 1].flatMap((k) => [curve(k, "ub", 2), curve(k, "lb", 1)]);
    this.picture.draw([
      ...levelMarks(levels, box, y),
      ...curves,
      ...this.places(here, x, y, box),
      ...this.names(here, x, y, box),
      ...this.axis(last, x, box),
    ]);
  }

  // Up to UB, from some sweeps ago; of the steep beginning no more than keeps the last steps visible.
  rangeOf(all) {
    const { stages } = this.pair;
    const highest = Math.max(...all.flat().map(([, , upper]) => upper));
    const now = Math.min(...this.moments.map(({ lower }) => lower));
    const begin = Math.min(...stages.map(({ graph }) => graph.lower));
    const low = Math.max(begin, now - BELOW * Math.max(highest - now, CLOSEST * stages[0].graph.scale));
    const span = Math.max(highest - low, CLOSEST * stages[0].graph.scale, 1e-9 * Math.abs(low), 1e-12);
    return [low - 0.04 * span, highest + 0.06 * span];
  }

  places(here, x, y, { left, right, top, bottom }) {
    return this.pair.stages.map((stage, k) => {
      const [cx, cy] = [x(here[k]), y(this.moments[k].lower)];
      const isIn = cx >= left && cx <= right + 1 && cy >= top && cy <= bottom;
      const means = { what: "place", run: stage.data.clocked.name, value: this.moments[k].lower };
      return isIn && { id: `place ${NAMES[k]}`, class: `lb-dot ${NAMES[k]}`, cx, cy, r: 5, means };
    });
  }

  // At the places of both, one above and one below; at the bottom both above.
  names(here, x, y, { left, right, top, bottom }) {
    const lowers = this.moments.map(({ lower }) => lower);
    const upper = lowers[0] >= lowers[1] ? 0 : 1;
    const [over, under] = [y(lowers[upper]) - NAMED, y(lowers[1 - upper]) - NAMED];
    const isHigh = under + APART <= bottom;
    const heights = { [1 - upper]: isHigh ? under + 26 : under, [upper]: isHigh ? over : Math.min(over, under - 18) };
    return this.pair.stages.map(({ data }, k) => {
      const at = y(lowers[k]);
      if (!(at >= top && at <= bottom)) return null;
      const text = `${data.clocked.name}: ${number(lowers[k])}`;
      const wide = LETTER * text.length;
      const end = clamp(x(here[k]) + wide / 2, left + wide, right) - 4;
      const look = { id: `name ${NAMES[k]}`, class: `lb-name ${NAMES[k]}`, "text-anchor": "end" };
      return { ...look, text, x: end, y: heights[k] };
    });
  }

  axis(last, x, { right, bottom }) {
    const count = Math.max(2, (right - LEFT) / (9 * LETTER));
    const unit = this.isByWork ? "entries read" : "sweeps";
    const name = { id: "unit", class: "soft", x: right, y: bottom + 16, "text-anchor": "end", text: unit };
    const works = () => linear.ticks(0, last, count).map(([at]) => [at, entries(at)]);
    const ticks = this.isByWork ? works() : counts.ticks(0, last, count);
    const look = { class: "soft tick", "text-anchor": "middle", y: bottom + 16 };
    const isFree = ([at]) => x(at) < right - LETTER * (unit.length + 3);
    return [...ticks.filter(isFree).map(([at, text]) => ({ id: `tick ${text}`, ...look, x: x(at), text })), name];
  }
}

const aheadOf = ([one, two], scale) => (Math.abs(one - two) <= EQUAL * scale ? -1 : Number(two > one));

// How many states of the group that is updated were evaluated.
const evaluated = ({ graph, running }, moment) => {
  const { update } = moment;
  if (running || !update) return "–";
  if (graph.exact) return `all ${grouped(update.count)}`;
  return `${new Progress(moment).evaluated.length} of ${grouped(update.count)}`;
};

// The states after the last complete update and after the one before it; undefined if they are not held.
const lastUpdates = ({ events, player }) => {
  const found = [];
  for (let k = player.position - 1; found.length < 2; k -= 1) {
    if (k >= 0 && !events.has(k)) break;
    if (k < 0) found.push(events.origin);
    else if (events.get(k).kind === KIND.MESSAGE) found.push(events.get(k));
  }
  return found;
};
