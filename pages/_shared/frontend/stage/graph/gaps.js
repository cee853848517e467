// The parts of the gap, largest first, and the sum of all others; together they are UB − LB.

import { isNew, Picture } from "../../marks/picture.js";
import { tension as tint } from "../../palette.js";
import { isTouched } from "../../screen.js";
import { number as numberText, shortInside } from "../../text.js";
import { lastSweep } from "../charts/history.js";
import { apportioned, shown as inWords, sum } from "../charts/sums.js";
import { write } from "../../layout.js";
import { isMet } from "../play/moment.js";
import { digitsFor, fixed } from "./digits.js";
import { shareOf } from "./measures.js";

const TALL = isTouched ? 45 : 21; // pixels of a row
const WIDE = 220; // pixels that a column of rows takes at least
const BAR = 90; // pixels of the longest bar
const LETTER = 7; // pixels
const HINT = "While LB still rises, tension mostly says that the run has not converged.";
const DASH = " – ";
const ROUNDING = 1e-12; // energies below this share of what is at stake are rounding error
const SHORTEST = 6; // letters of a name that are kept at least

export class Gaps {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$("svg.gaps");
    this.picture = new Picture(this.svg, "gaps", stage.tip);
  }

  // All parts, largest first.
  parts({ groups, edges }) {
    const { nodes, edges: ends } = this.stage.graph;
    const name = (p) => nodes[p].label;
    return [
      ...Array.from(edges, (value, edge) => ({ value, edge, names: ends[edge].map(name) })),
      ...Array.from(groups, (value, group) => ({ value, group, names: [`inside ${name(group)}`] })),
    ].sort((a, b) => b.value - a.value);
  }

  draw(moment) {
    const { width, height } = this.stage.sizes.of(this.svg);
    const { tension } = moment;
    const { stage } = this;
    const closed = isMet(moment, stage.graph);
    this.head(moment, closed);
    if (!width || !tension || closed) return this.clear(closed);
    // Parts, and what marks them, mostly are as they were a frame ago.
    const scene = [tension, moment.upper - moment.lower, width, height, stage.highlighted, stage.arc, stage.dark];
    if (!isNew(this, scene)) return;
    const columns = Math.max(1, Math.floor(width / WIDE));
    const perColumn = Math.max(2, Math.floor(height / TALL));
    const parts = this.parts(tension);
    const room = columns * perColumn;
    const shown = parts.length <= room ? parts : parts.slice(0, room - 1);
    const all = [...shown, ...others(parts.slice(shown.length))];
    const rows = withText(all, moment.upper - moment.lower, digitsOf(moment, stage.graph.scale));
    const top = Math.max(parts[0].value, 1e-12);
    const number = 8 * Math.max(...rows.map(({ text }) => text.length)) + 4;
    const column = width / columns;
    this.picture.draw(
      rows.flatMap((row, k) => {
        const [x, y] = [column * Math.floor(k / perColumn), TALL * (k % perColumn)];
        const size = Math.min(row.value / top, 1);
        return this.row(row, { x, y, column, number, share: shareOf(row.value, top), size });
      }),
    );
  }

  clear(closed) {
    this.scene = null;
    this.picture.draw(closed ? [{ id: "none", class: "soft", x: 0, y: TALL, text: "Its parts are all 0." }] : []);
  }

  row({ value, text, names, edge, group, others }, { x, y, column, number, share, size }) {
    const { stage } = this;
    const key = others ? "others" : edge === undefined ? `group-${group}` : `edge-${edge}`;
    const { highlighted, arc } = stage;
    const lit = edge === undefined ? group !== undefined && highlighted?.group === group : highlighted?.edge === edge;
    const pinned = edge !== undefined && arc >= 0 && arc >> 1 === edge;
    const room = Math.min(BAR, 0.2 * column);
    const base = y + TALL / 2 + 4.5;
    const named = x + number + room + 12;
    const press = others ? null : () => (edge === undefined ? stage.panes.selectInto(group) : this.pin(edge));
    const hit = others ? {} : { "data-edge": edge, "data-group": group, role: "button", tabindex: "0" };
    const of = edge === undefined ? { group } : { edge };
    const means = { what: "gap part", ...(others ? { others } : of), value };
    const name = names.join(DASH);
    const cut = fitted(names, Math.floor((x + column - 8 - named) / LETTER));
    const bar = { x: x + number + 6, y: y + TALL / 2 - 5.5, width: Math.max(1.5, room * size), height: 12, rx: 2 };
    return [
      {
        ...{ id: `value-${key}`, class: "gap-value", x: x + number, y: base },
        ...{ text, means },
      },
      // The sum of the others may be longer than the longest: it has no bar.
      !others && { id: `bar-${key}`, ...bar, fill: tint(share, stage.dark) },
      { id: `name-${key}`, class: "gap-name", x: named, y: base, text: cut },
      {
        ...{ id: `part-${key}`, x, y: y + 1, width: column - 4, height: TALL - 1, rx: 4, ...hit },
        class: ["part", lit && "lit", pinned && "pinned"].filter(Boolean).join(" "),
        "aria-label": others ? null : `${name}: ${text}`,
        press,
        hover: others ? null : (on) => stage.highlight(on ? of : null),
        tip: () => this.tip(name, value, others),
      },
    ];
  }

  pin(edge) {
    const { stage } = this;
    stage.select(stage.arc >= 0 && stage.arc >> 1 === edge ? -1 : 2 * edge);
  }

  tip(name, value, others) {
    const share = `${value.toPrecision(5)} of the gap`;
    return others ? [name, share] : [name, share, "its energy at the best labelling, less what LB certifies of it"];
  }

  // Whether LB rose in the last complete sweep: while it does, tension mostly says that the run has not converged.
  head(moment, closed) {
    const { stage } = this;
    const gap = moment.upper - moment.lower;
    const here = stage.chapters.keeper(moment) && " here";
    stage.$("[data-out=gap-open]").hidden = closed;
    stage.$("[data-out=gap-closed]").hidden = !closed;
    write(stage.$("[data-out=gap-of]"), closed ? "" : fixed(gap, digitsOf(moment, stage.graph.scale)) + here);
    const chip = stage.$("[data-out=rising]");
    const last = lastSweep(stage);
    chip.hidden = last === null || moment.after.proven;
    if (chip.hidden) return;
    const stalled = !closed && last.rise <= 1e-6 * stage.graph.scale;
    write(chip, stalled ? "LB stalled" : "LB rising");
    chip.title = `In sweep ${last.number}, LB rose by ${numberText(last.rise, 3)}. ${HINT}`;
    chip.classList.toggle("stalled", stalled);
  }
}

// All parts that have no row of their own, as one.
const others = (parts) =>
  parts.length
    ? [{ value: sum(parts.map((part) => part.value)), names: [`all ${parts.length} others`], others: true }]
    : [];

// The parts with their numbers in words, which sum to the gap as it is shown.
const withText = (parts, gap, digits) => {
  const values = parts.map((part) => part.value);
  const units = apportioned(values, digits, Math.round(gap * 10 ** digits));
  return parts.map((part, k) => ({ ...part, text: inWords(units[k], digits) }));
};

// As many digits as the gap needs, and at least two of its largest part; none for what is rounding error.
const digitsOf = ({ lower, upper, tension }, scale) => {
  const largest = Math.max(...(tension ? [...tension.edges, ...tension.groups] : []), 0);
  const needed = (value) => (value > ROUNDING * scale ? digitsFor([value]) : 0);
  return Math.max(needed(upper - lower), needed(largest) - 1);
};

// The names of the ends of an edge, or of a group, cut to some letters; the longer of two is cut first.
const fitted = (names, letters) => {
  const [first, second] = names;
  if (second === undefined) return shortInside(first, Math.max(letters, SHORTEST));
  const room = letters - DASH.length;
  const half = Math.max(Math.floor(room / 2), SHORTEST);
  const rest = (other) => Math.max(room - Math.min(other.length, half), half);
  return [shortInside(first, rest(second)), shortInside(second, rest(first))].join(DASH);
};
