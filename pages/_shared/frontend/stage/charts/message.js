// One message on the columns of the ground, that of the event unless one is pinned: its envelope at each state (a bar),
// its exact value at y* (a dot), and the rows added, which touch it there and are nowhere above it.

import { bar, clipped } from "../../marks/clip.js";
import { Picture } from "../../marks/picture.js";
import { ROWS } from "../../palette.js";
import { linear } from "../../scales.js";
import { wrapped } from "../../text.js";
import { KIND } from "../kinds.js";
import { awaited } from "./ground.js";
import { answerOf } from "./sums.js";
import { bitMarks, bitsHeight, chosenMembers } from "./bits.js";
import { levelMarks } from "../../marks/levels.js";
import { truthMarks } from "./truth.js";

const TOP = 24; // pixels above the frame
const LEAST = 0.34; // share of the height for the frame at least, before rows of bits are left out
const NARROW = 0.1; // share of the widest message's range that is shown at least
const AIR = 0.3; // share of the heights that is free above what is known when the update opens
const LOWER = 0.12; // and below it
const APART = 34;
const LETTERS = 60; // of a line of text
const [BESIDE, LETTER] = [8, 6.6]; // pixels from the bits to the note beside them, and of a character of it

export class Message {
  constructor(charts) {
    Object.assign(this, { charts, stage: charts.stage });
    this.svg = charts.stage.$("svg.message");
    this.picture = new Picture(this.svg, "message", charts.stage.tip);
  }

  draw(moment, progress, columns) {
    const slot = progress && this.slotOf(progress.update, moment.after);
    if (slot === null) return this.nothing(moment);
    const { update } = progress;
    const { width, height } = this.stage.sizes.of(this.svg);
    if (!width) return;
    const most = Math.max(0, Math.floor((height * (1 - LEAST) - TOP - 8) / bitsHeight(1)));
    const chosen = chosenMembers(update, most);
    this.arc = update.arcs[slot];
    const box = {
      top: TOP,
      bottom: height - bitsHeight(chosen.members.length) - 10,
      left: columns.left,
      right: columns.end,
    };
    Object.assign(this, { moment, progress, update, columns, slot, box, chosen, begun: this.begunOf(moment) });
    this.parts = new Map(update.columns.map((column, i) => [column.state, progress.part(column, i, slot)]));
    this.others = this.stage.pair.partsBeside(this.stage, this.arc);
    this.scale();
    this.title(this.heading(update.arcs[slot]));
    const names = this.stage.graph.nodes[update.node].members;
    this.picture.draw([
      ...levelMarks(linear.ticks(...this.range, Math.max(2, (box.bottom - box.top) / APART)), box, this.y),
      this.column(),
      ...this.bars(),
      ...this.rows(),
      ...this.beside(),
      ...truthMarks(this),
      ...bitMarks({ update, columns, chosen, names, top: box.bottom + 8 }),
      ...this.rest(),
      ...this.legend(),
      ...this.hits(height),
    ]);
  }

  // No message of the update is shown: there is no update, no room for its pictures, or the message pinned is not into
  // its group.
  nothing(moment) {
    const { after } = moment;
    const { arc, refusal } = this.stage;
    Object.assign(this, { slot: null, arc: -1, parts: null });
    if (refusal && after.kind < KIND.MESSAGE) this.note(wrapped(refusal, LETTERS), "No pictures");
    else if (arc < 0) this.note([awaited(moment, "its loosest message")], "Message");
    else this.note(this.absent(), this.heading(arc));
  }

  note(lines, title) {
    const { width, height } = this.stage.sizes.of(this.svg);
    this.title(title);
    const place = { class: "soft", x: width / 2, "text-anchor": "middle" };
    this.picture.draw(lines.map((text, k) => ({ id: `note ${k}`, ...place, y: height / 2 + 22 * k, text })));
  }

  title(text) {
    this.charts.title("message", text);
  }

  absent() {
    const { nodes, edges } = this.stage.graph;
    const { arc } = this.stage;
    return ["The pinned message is shown", `while ${nodes[edges[arc >> 1][arc & 1]].label} is updated.`];
  }

  heading(arc) {
    const { nodes, edges } = this.stage.graph;
    const [to, from] = [arc & 1, 1 - (arc & 1)].map((side) => nodes[edges[arc >> 1][side]].label);
    return `Message ${from} → ${to}${arc === this.stage.arc ? ", pinned" : ""}`;
  }

  isPinned({ arcs }) {
    return arcs.includes(this.stage.arc);
  }

  // The pinned message, that of the event, the loosest one, the one with the last row, or the one that differs most
  // between states; null if there is none.
  slotOf(update, { arc }) {
    if (this.stage.arc >= 0) return this.isPinned(update) ? update.arcs.indexOf(this.stage.arc) : null;
    const beside = update.arcs.indexOf(this.stage.pair.arcOf(this.stage));
    if (beside >= 0) return beside;
    if (update.arcs.includes(arc)) return update.arcs.indexOf(arc);
    if (update.loosest >= 0) return update.loosest;
    if (update.rows.length) return update.rows.at(-1).slot;
    if (!update.arcs.length) return null;
    const spreads = update.arcs.map((_, slot) => spread(update.columns, slot));
    return spreads.indexOf(Math.max(...spreads));
  }

  // The update as it was when the round's answer came, before its rows.
  begunOf({ update, after }) {
    const { events } = this.stage;
    let begun = update;
    const isSame = (event) =>
      event?.update?.round === update.round && event.update.nu && event.update.arcs === update.arcs;
    for (let k = after.index; isSame(events.get(k)); k -= 1) begun = events.get(k).update;
    return begun;
  }

  // The scale of a message stays for the whole update: that at its opening, and not much finer than for other messages.
  scale() {
    const { update, slot, box, charts } = this;
    const opening = charts.energy.opening ?? update;
    const parts = opening.columns.map((column) => column.parts[slot]);
    const low = Math.min(...parts);
    const widest = Math.max(...opening.arcs.map((_, s) => spread(opening.columns, s)));
    const span = Math.max(Math.max(...parts) - low, NARROW * widest, 1e-12);
    this.ownRange = [low - LOWER * span, low + (1 + AIR) * span];
    this.range = this.stage.pair.commonRangeOfMessage(this.stage, this.ownRange);
    const [from, to] = this.range;
    this.y = (v) => box.bottom - ((v - from) / (to - from)) * (box.bottom - box.top);
  }

  // The column of y*, through the bars and the bits.
  column() {
    const { progress, columns, update, box, svg, stage } = this;
    const x = columns.of(update.y);
    if (!progress.hasFloor || x === null) return null;
    const area = {
      x: x - columns.step / 2,
      width: columns.step,
      y: box.top - 6,
      height: stage.sizes.of(svg).height - box.top + 2,
    };
    return { id: "asked", class: "asked-column", ...area };
  }

  bars() {
    const { update, columns, progress, slot, box, range } = this;
    return update.columns.flatMap((column, i) => {
      const { state } = column;
      const now = progress.part(column, i, slot);
      const was = Math.min(this.before(column, i), now);
      const { x, width } = columns.bar(i, 0.66);
      const piece = (kind, from, to, means) => {
        const shape = to > from && bar(x, width, this.y(to), this.y(from), box);
        return shape && { id: `${kind} ${state}`, class: kind, ...shape, means };
      };
      return [
        piece("known", range[0] - 1, was, { what: "envelope", arc: update.arcs[slot], state, value: now }),
        piece("lifted", was, now, { what: "lifted", state, value: now - was }),
      ];
    });
  }

  // A part before this round's rows.
  before(column, i) {
    return this.begun.columns[i]?.parts[this.slot] ?? column.parts[this.slot];
  }

  // The rows of this round in this message.
  own() {
    const { update, slot } = this;
    return update.rows.filter((row) => row.round === update.round && row.slot === slot);
  }

  // A row comes down onto the truth at y*.
  rows() {
    const { columns, update, box, progress, moment } = this;
    const lands = moment.act === "rows" ? moment.part(0, 0.4) : 1;
    const isNew = (row) => !progress.previous?.rows.includes(row);
    if (moment.act !== "rows" && moment.act !== "deep") return [];
    return this.own().map((row) => {
      const fall = isNew(row) ? (1 - lands) * (box.bottom - box.top) * 0.6 : 0;
      const points = row.values.flatMap((value, i) => {
        if (value === null) return [];
        const { x, width } = columns.bar(i, 1);
        return [
          [x, this.y(value) - fall],
          [x + width, this.y(value) - fall],
        ];
      });
      const { dash, name } = ROWS[row.kind];
      const means = { what: "row", row: row.row, state: update.y, value: row.values[this.index(update.y)] };
      const d = clipped(points, { ...box, top: box.top - TOP + 2 });
      const look = { class: `row row-${row.kind}`, "stroke-dasharray": dash || null };
      const tip = () => [`${name} row ${row.row}`, `lifts ${row.lifted} of ${update.count} states`];
      return d && { id: `row ${row.row}`, ...look, d, means, tip };
    });
  }

  // The envelope of the same message in the run beside this one.
  beside() {
    const { others, columns, box, update } = this;
    if (!others) return [];
    const marks = update.columns.map(({ state }, i) => {
      const [value, { x, width }] = [others.get(state), columns.bar(i, 0.9)];
      const y = value === undefined ? NaN : this.y(value);
      const means = { what: "beside", state, value };
      const line = { x1: x, x2: x + width, y1: y, y2: y };
      return y > box.top && y < box.bottom && { id: `beside ${state}`, class: "beside-part", ...line, means };
    });
    const text = `━ the other run, ${this.stage.pair.other(this.stage).data.clocked.name}`;
    return [...marks, { id: "beside name", class: "beside-name", x: box.right, y: 14, "text-anchor": "end", text }];
  }

  index(state) {
    return this.update.columns.findIndex((column) => column.state === state);
  }

  // Beside the bits, if not all members have a row and there is room.
  rest() {
    const { chosen, columns, box } = this;
    const { width } = this.stage.sizes.of(this.svg);
    const lines = ["dot: as in the", "best labelling", `(+ ${chosen.others} more)`];
    const room = width - columns.end - BESIDE;
    const fits =
      chosen.members.length >= lines.length && room >= LETTER * Math.max(...lines.map((text) => text.length));
    if (!chosen.differing || !fits) return [];
    const place = { class: "soft", x: columns.end + BESIDE };
    return lines.map((text, k) => ({ id: `bits note ${k}`, ...place, y: box.bottom + 18 + 15 * k, text }));
  }

  // The legend of lines and bars, above the frame.
  legend() {
    const { box, update, slot, moment, progress, charts } = this;
    const at = { x: box.left, y: 14 };
    const kinds = moment.act === "rows" ? [...new Set(this.own().map(({ kind }) => kind))] : [];
    if (kinds.length) {
      let { x } = at;
      return kinds.map((kind) => {
        const { name, term } = ROWS[kind];
        const text = `━ ${name}`;
        const mark = { id: `kind ${kind}`, ...at, x, class: `kind row-${kind}`, text, "data-term": term };
        x += 7.6 * mark.text.length + 12;
        return mark;
      });
    }
    if (!update.nu || progress.dot < 1) return [{ id: "said", ...at, class: "soft", ...this.barsAre() }];
    const [was, is] = answerOf(update, slot, charts.energy.digits);
    const isTight = was === is;
    const text = isTight ? `exact at y*: ν = ν⁻ = ${is}` : `at y*: ν⁻ = ${was} ↗ ν = ${is}`;
    return [{ id: "said", ...at, class: isTight ? "soft" : "said-loose", text, "data-term": "oracle" }];
  }

  barsAre() {
    if (this.stage.graph.exact) return { text: "bar: its part, ν", "data-term": "min-marginal" };
    if (this.charts.exact.of(this.update.y)) return { text: "bar: ν⁻ · circle: ν", "data-term": "slack" };
    return { text: "bar: its part at least, ν⁻", "data-term": "envelope" };
  }

  hits(height) {
    const { update, columns, slot, charts } = this;
    return update.columns.map((column, i) => ({
      ...{ id: `column ${column.state}`, class: "hit", x: columns.x(i) - columns.step / 2 },
      ...{ width: columns.step, y: TOP, height: Math.max(height - TOP, 0) },
      tip: () => [`State ${column.bits}`, `its part at least ${charts.energy.text(column.parts[slot])}`],
      hover: (on) => charts.look(on ? column.state : null),
    }));
  }
}

const spread = (columns, slot) => {
  const parts = columns.map((column) => column.parts[slot]);
  return Math.max(...parts) - Math.min(...parts);
};
