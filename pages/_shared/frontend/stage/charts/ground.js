// The ground: a lower bound on the cost of each state of the group, one column per state, on the axis of the bounds.

import { bar } from "../../marks/clip.js";
import { Picture } from "../../marks/picture.js";
import { mix } from "../../numbers.js";
import { grouped } from "../../text.js";
import { proofOf } from "../play/moment.js";
import { place } from "./columns.js";
import { levelMarks } from "../../marks/levels.js";
import { columnOf } from "./sums.js";
import { tailMarks } from "./tail.js";

const [LETTER, NARROW] = [7.5, 6.6]; // pixels that a character of a name takes, and one of the counter
const CLEAR = 19; // pixels from a line of the axis to the foot of a note
const SENT = 1e-6; // of the energy at stake: sums of what is sent are as near as this to the engine's

// The note shown without an update.
export const awaited = ({ act, after }, what) =>
  act === "finish" || after.proven ? "No group is updated any more." : `With the next update: ${what}.`;

// That it is proven, around a point.
export const proofMarks = (moment, [x, y]) => {
  const opacity = proofOf(moment);
  if (!opacity) return [];
  const at = { x, "text-anchor": "middle", opacity };
  const means = { what: "proof", value: opacity };
  const lines = ["no other labelling costs less:", moment.after.why];
  return [
    { id: "proof", class: "proof", ...at, y, text: "optimal, proven", means },
    ...lines.map((text, k) => ({ id: `proof ${k}`, class: "soft", ...at, y: y + 24 + 20 * k, text })),
  ];
};

const stageName = ({ graph }, node) => {
  const { label } = graph.nodes[node];
  return label[0].toUpperCase() + label.slice(1);
};

export class Ground {
  constructor(charts) {
    this.charts = charts;
    this.svg = charts.stage.$("svg.ground");
    this.picture = new Picture(this.svg, "ground", charts.stage.tip);
  }

  draw(moment, progress, box) {
    const { energy } = this.charts;
    if (!progress) return this.rest(box, moment);
    const update = progress.update;
    const columns = place(update, box.left, box.right);
    Object.assign(this, { moment, progress, update, box, columns, energy });
    this.picture.draw([
      ...levelMarks(this.energy.levels(), box),
      ...this.bars(),
      ...(columns.tail ? tailMarks(this) : []),
      ...this.ruledOut(),
      ...this.cut(),
      ...this.lines(),
      ...this.others(),
      ...this.dots(),
      ...this.hits(),
      ...this.feet(),
      this.counter(),
    ]);
    const last = moment.act === "sweep" ? ", updated last" : "";
    const least = `${this.isExact ? "" : " at least"}${this.energy.isFar ? ", as distance to UB" : ""}`;
    this.charts.title("ground", `${stageName(this.charts.stage, update.node)}${last}: what each state costs${least}`);
    return columns;
  }

  get size() {
    return this.charts.stage.sizes.of(this.svg);
  }

  get isExact() {
    return this.charts.stage.graph.exact;
  }

  // Between updates; at the end the proof.
  rest(box, moment) {
    Object.assign(this, { box, energy: this.charts.energy });
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const proof = proofMarks(moment, [x, y]);
    const text = awaited(moment, "what each state costs");
    const levels = this.energy.levels();
    const crossed = levels.map(([line]) => line).find((line) => Math.abs(line - y) < CLEAR);
    const at = { x, y: crossed === undefined ? y : crossed + CLEAR, "text-anchor": "middle" };
    const note = { id: "note", class: "soft", ...at, text };
    this.picture.draw([...levelMarks(levels, box), ...(proof.length ? proof : [note])]);
    this.charts.title("ground", this.energy.isFar ? "Bounds, as distance to UB" : "Bounds on the energy");
  }

  // The lower bound before the update, and the additions of earlier rounds and of this round, stacked.
  bars() {
    const { progress, update, columns, energy, box } = this;
    const dead = new Set(progress.dead.states);
    return update.columns.flatMap((column, i) => {
      const { state, g0 } = column;
      const g = progress.cost(column, i);
      const was = Math.min(column.gRound, g);
      const top = mix(energy.range[0], g0, progress.grows);
      const { x, width } = columns.bar(i);
      const faded = dead.has(state) ? " dead" : this.isRuledOut(state, progress.counted(column)) ? " ruled-out" : "";
      const piece = (kind, from, to, means) => {
        const shape = to > from && bar(x, width, energy.y(to), energy.y(from), box);
        return shape && { id: `${kind} ${state}`, class: `${kind}${faded}`, ...shape, means };
      };
      return [
        piece("known", energy.range[0] - 1, Math.min(top, g), { what: "ground", state, value: g }),
        progress.grows === 1 && piece("lifted-earlier", g0, was, { what: "lifted earlier", state, value: was - g0 }),
        progress.grows === 1 && piece("lifted", was, g, { what: "lifted", state, value: g - was }),
      ];
    });
  }

  // States above it are ruled out: in this update they are "not cheaper", and "out for good" where every cost is exact.
  get limit() {
    return this.isExact ? this.moment.upper : this.progress.ceiling;
  }

  // The best so far is at the ceiling: it is not ruled out.
  isRuledOut(state, g) {
    const { ceiling, bestSoFar } = this.progress;
    return !this.isExact && bestSoFar >= 0 && state !== bestSoFar && !this.isSuspect(g, ceiling);
  }

  isSuspect(g, ceiling) {
    return g < ceiling - SENT * this.charts.stage.graph.scale;
  }

  ruledOut() {
    const { progress, energy, box, limit, isExact } = this;
    if (limit === null) return [];
    const height = Math.min(energy.y(limit), box.bottom) - box.top;
    if (height <= 0) return [];
    const area = { x: box.left, y: box.top, width: box.right - box.left, height };
    const text = isExact ? "out for good" : "not cheaper";
    const name = { x: box.right - 4, y: box.top + 16, "text-anchor": "end", text };
    const term = { "data-term": isExact ? "out for good" : "suspect" };
    return [
      { id: "ruled out", class: "shade", ...area, opacity: isExact ? null : progress.shades },
      height > 22 && !this.columns.tail && { id: "ruled out name", class: isExact ? "out" : "soft", ...name, ...term },
    ];
  }

  // Columns do not begin at 0: a wave cuts them all at the bottom, and another those that go on above the frame.
  cut() {
    const { update, progress, columns, energy, box } = this;
    const wave = (from, to, y) => {
      const teeth = Math.max(2, Math.round((to - from) / 8));
      const points = Array.from({ length: teeth + 1 }, (_, k) => [
        from + ((to - from) * k) / teeth,
        y + (k % 2 ? 2.5 : -2.5),
      ]);
      return points.map(([x, h], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${h.toFixed(1)}`).join("");
    };
    const above = update.columns.flatMap((column, i) => {
      if (!energy.isAbove(progress.cost(column, i))) return [];
      const { x, width } = columns.bar(i);
      return [{ id: `cut ${column.state}`, class: "cut-mark", d: wave(x - 1, x + width + 1, box.top + 6) }];
    });
    return [{ id: "cut", class: "cut-mark", d: wave(box.left, columns.end, box.bottom - 7) }, ...above];
  }

  // LB, the ceiling and the floor run on into the bounds.
  lines() {
    const { moment, progress, energy, box } = this;
    const { floor, ceiling } = progress;
    const ran = mix(this.columns.of(this.update.y) ?? box.left, box.right, Math.min(progress.run * 2, 1));
    const line = (what, value, x1, x2) => {
      const y = energy.y(value);
      if (y < box.top || y > box.bottom) return null;
      const means = { what, value: progress.numbers[what] ?? value };
      return { id: what, class: `${what}-line`, x1, x2, y1: y, y2: y, means };
    };
    const begun = mix(this.columns.of(this.update.y) ?? box.left, box.left, Math.min(progress.run * 2, 1));
    return [
      line("lb", moment.lower, box.left, this.size.width),
      line("ub", moment.upper, box.left, box.right),
      ceiling !== null && line("ceiling", ceiling, box.left, this.size.width),
      progress.hasFloor && progress.run > 0 && line("floor", floor, begun, progress.run >= 0.5 ? this.size.width : ran),
    ];
  }

  // The exact costs of states that the oracle has not evaluated, if requested.
  others() {
    const { update, columns, energy, box, charts } = this;
    return update.columns.flatMap((column) => {
      const value = update.evaluated.has(column.state) ? null : charts.exact.costOf(update, column);
      const x = columns.of(column.state);
      if (value === null || x === null || energy.isAbove(value) || energy.y(value) > box.bottom) return [];
      const { state } = column;
      const means = { what: "exact, not asked", state, value };
      const at = { cx: x, cy: energy.y(value), r: 3 };
      return [{ id: `other ${state}`, class: "exact other", ...at, means }];
    });
  }

  // Exact costs: filled at the best so far, hollow above the ceiling; beyond the frame an arrow at its edge.
  dots() {
    const { progress, update, columns, energy, box } = this;
    return progress.evaluated.map(({ state, exact, at, isLast }) => {
      const x = columns.of(state);
      if (x === null) return null;
      const kind = state === update.bestSoFar ? "exact best" : "exact";
      const common = { means: { what: "exact", state, value: exact }, tip: () => this.tipOf(state) };
      const r = isLast ? 6 : 4.5;
      if (!energy.isAbove(at)) return { id: `exact ${state}`, class: kind, cx: x, cy: energy.y(at), r, ...common };
      const d = `M${x - 5} ${box.top + 3}l5 -7l5 7m-5 -7v13`;
      return { id: `exact ${state}`, class: `${kind} off-scale`, d, ...common };
    });
  }

  tipOf(state) {
    const { update, energy } = this;
    const column = columnOf(update, state);
    const exact = update.evaluated.get(state) ?? this.charts.exact.costOf(update, column) ?? undefined;
    return [
      `State ${column.bits}`,
      `at least ${energy.text(column.g)}`,
      exact === undefined ? "not evaluated" : `exactly ${energy.text(exact)}`,
      ...(update.dead.states.includes(state) ? ["no better labelling takes it: out for good"] : []),
      ...(state === update.best ? ["its state in the best labelling"] : []),
      ...(state === update.bestSoFar ? ["the best so far: at the ceiling"] : []),
    ];
  }

  // Where the pointer finds a column; its parts are then shown in place of those of y*.
  hits() {
    const { update, columns, box } = this;
    const area = { y: box.top, height: this.size.height - box.top, width: columns.step };
    return update.columns.map(({ state }, i) => ({
      ...{ id: `column ${state}`, class: "hit", x: columns.x(i) - columns.step / 2, ...area },
      tip: () => this.tipOf(state),
      hover: (on) => this.charts.look(on ? state : null),
    }));
  }

  // Below the axis: y*, and the group's state in the best labelling.
  feet() {
    const { progress, update, columns, box } = this;
    const marks = [];
    const name = (id, x, y, text, term) => {
      const right = x + 10 + text.length * LETTER < box.right;
      const side = right ? { x: x + 10, "text-anchor": "start" } : { x: x - 10, "text-anchor": "end" };
      marks.push({ id: `${id} name`, class: `${id}-name`, ...side, y: y + 5, text, "data-term": term });
    };
    const { from, share } = progress.sliding;
    if (progress.hasFloor) {
      const x = mix(columns.of(from) ?? columns.of(update.y), columns.of(update.y), share);
      const y = box.bottom + 10;
      const means = { what: "y*", state: update.y };
      marks.push({ id: "asked", class: "asked", d: `M${x - 8} ${y + 5}h16l-8 -13z`, means });
      name("asked", x, y, "y*", "y*");
    }
    const x = columns.of(update.best);
    if (x === null) return marks;
    const y = box.bottom + 27;
    const means = { what: "best", state: update.best };
    marks.push({ id: "labelled", class: "labelled", d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z`, means });
    name("labelled", x, y, "best labelling", "labelling");
    return marks;
  }

  // The remaining work, and the savings of Benders' rows; as much as there is room for.
  counter() {
    const { progress, update, box } = this;
    const { suspects, dead } = progress;
    const parts = this.isExact ? ["all exact"] : this.counted();
    if (dead.count) parts.splice(1, 0, `${grouped(dead.count)} out for good`);
    const text = () => `of ${grouped(update.count)} states: ${parts.join(" · ")}`;
    while (parts.length > 1 && text().length * NARROW > this.size.width - box.left) parts.pop();
    const means = { what: "suspects", value: suspects };
    const at = { x: box.left, y: box.bottom + 52 };
    return { id: "counter", class: "counter", ...at, text: text(), means, "data-term": "suspect" };
  }

  counted() {
    const { update, progress } = this;
    const { suspects } = progress;
    const left = suspects === 0 ? "none can be cheaper" : `${grouped(suspects)} may be cheaper`;
    const rows = update.rows.filter(({ round }) => round === update.round);
    const lifted = Math.max(0, ...rows.map((row) => row.lifted));
    const lifts = `${lifted} lifted by ${rows.length > 1 ? `one of ${rows.length} rows` : "the row"}`;
    return [
      ...(suspects >= 0 ? [left] : []),
      `${progress.evaluated.length} evaluated`,
      ...(rows.length && progress.lifts > 0.5 ? [lifts] : []),
    ];
  }
}
