// Each neighbour's part of the cost, written on its edge: the lower bound, the exact value, and the share it gets. If
// there is no free room at some edge, or there are many neighbours, a list is drawn instead.

import { STEP } from "../play/moment.js";
import { short } from "../../text.js";
import { meets } from "./names.js";
import { apportioned, grown, shown, sum } from "../charts/sums.js";

const LISTED = 7; // neighbours from which on there is a list
const LINES = [5, 4, 3, 2, 1, 0]; // of the list, besides the one of all others: as many as leave the circles free
const [LETTER, NARROW] = [7.4, 6.4]; // pixels that a letter takes, in a value and in a name
const HIGH = 21; // pixels
const NAME = 12; // characters of a name in the list
const PLACES = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74]; // along an edge, as wanted
const [FAR, NAMED] = [0.004, 0.4]; // what a pixel from its place costs, and a name that it covers; of a circle it is 1
const CLOSE = 1e-7; // energies nearer than this count as equal
const SURE = 11; // digits of a share that are those of all equal to it

// The parts of y*'s cost: one for every slot.
const partsOf = (moment, isExact) => {
  const { act, update } = moment;
  if (!update) return null;
  if (act === "floor") return floorOf(moment, isExact);
  if (act === "answer" || act === "rows" || act === "deep") return answered(moment);
  return act === "pass" ? shared(moment) : null;
};

const floorOf = ({ update }, isExact) => {
  const column = update.columns.find(({ state }) => state === update.y);
  return column && { what: isExact ? "exactly" : "at least", from: column.parts, to: null };
};

const answered = ({ act, t, update }) => {
  if (!update.nu) return null;
  const known = act === "answer" && t < 0.72;
  return {
    what: known ? "at least" : "exactly",
    from: update.known,
    to: known ? null : update.nu,
    done: isDone(act, t),
  };
};

// Rows have been added: the parts are no longer too low.
const isDone = (act, t) => act === "deep" || (act === "rows" && t >= 0.4);

const shared = ({ after: { detail } }) =>
  detail && { what: "share", from: detail.before.shares, to: detail.shares, kept: [detail.before.kept, detail.kept] };

const isLoose = (from, to) => to - from > CLOSE * Math.max(1, Math.abs(to));

const increments = ({ from, to }) => to.map((value, slot) => value - from[slot]);

// The text of every slot, whether the rows were too low, and its value in a sum; with the digits and the rounding of
// the sums below the ground, so that sums agree.
const words = (moment, parts, digits) => {
  const { update } = moment;
  const { from, to, kept } = parts;
  if (kept) return shareWords(moment, parts, digits);
  const units = grown([update.rest, ownOf(update), ...from], [update.rest, ownOf(update), ...(to ?? from)], digits);
  const [low, high] = [units.from.slice(2), units.to.slice(2)];
  if (!to) return low.map((value) => [`${signOf(parts)} ${shown(value, digits)}`, false, value]);
  return high.map((value, slot) => {
    if (parts.done || !isLoose(from[slot], to[slot])) return [`= ${shown(value, digits)}`, false, value - low[slot]];
    return [`${shown(low[slot], digits)} ↗ ${shown(value, digits)}`, true, value - low[slot]];
  });
};

const signOf = ({ what }) => (what === "exactly" ? "=" : "≥");

const ownOf = ({ columns, y }) => columns.find(({ state }) => state === y)?.own ?? 0;

// Every share, equal ones in equal digits; and by how much it is more than before: the increments sum to LB's rise, as
// the numbers show it.
const shareWords = ({ before, after }, { from, to, kept }, digits) => {
  const unit = 10 ** digits;
  const values = [...to, kept[1]];
  const rise = Math.round(after.lower * unit) - Math.round(before.lower * unit);
  const more = values.map((value, slot) => value - (from[slot] ?? kept[0]));
  const added = apportioned(more, digits, rise);
  // Without the last digits, in which equal shares may differ by the rounding of a sum.
  return values.map((value, slot) => [
    `${slot < to.length ? "share" : "keeps"} ${shown(Math.round(Number((value * unit).toPrecision(SURE))), digits)} ` +
      `(${signed(added[slot], digits)})`,
    false,
    added[slot],
  ]);
};

const signed = (units, digits) => (units < 0 ? "" : "+") + shown(units, digits);

const valueOf = ({ from, to }, slot) => (to ?? from)[slot];

export const chipMarks = (pane, moment) => {
  const parts = partsOf(moment, pane.stage.graph.exact);
  if (!parts || pane.crowded) return [];
  const opacity = moment.act === "floor" ? moment.part(0.35, 0.6) : moment.act === "pass" ? moment.part(0.1, STEP) : 1;
  if (opacity === 0) return [];
  const { digits } = pane.stage.charts.energy;
  const texts = words(moment, parts, digits);
  const many = moment.update.arcs.length >= LISTED;
  const chips = (!many && onEdges(pane, moment, parts, texts)) || list(pane, moment, parts, texts, digits);
  return chips.map((mark) => ({ ...mark, opacity: opacity < 1 ? opacity : null }));
};

const chip = ({ id, text, kind, means }, [x, y, right]) => [
  { id: `${id}-box`, class: `chip ${kind}`, x, y, width: right - x, height: HIGH, rx: 6 },
  { id, class: `chip ${kind}`, x: (x + right) / 2, y: y + HIGH / 2 + 5, text, means },
];

// Null if one of them has no free room.
const onEdges = (pane, moment, parts, texts) => {
  const { arcs, node } = moment.update;
  const put = placer(pane, node);
  const planned = arcs.flatMap((arc, slot) => {
    const places = PLACES.map(pane.runs[arc >> 1].place).filter((place) => pane.shows(place));
    if (!places.length) return [];
    const [text, loose] = texts[slot];
    const means = { what: "chip", arc, value: valueOf(parts, slot), says: parts.what };
    const kind = loose ? "loose" : parts.what === "share" ? "share" : "";
    return [{ id: `chip-${arc}`, text, kind, means, places, offsets: beside }];
  });
  if (parts.kept && pane.shows(pane.at[node])) {
    const means = { what: "share", group: node, value: parts.kept[1] };
    const [text] = texts.at(-1);
    planned.push({ id: "chip-kept", text, kind: "share", means, places: [pane.at[node]], offsets: around });
  }
  const chips = planned.map((each) => {
    const width = LETTER * each.text.length + 12;
    const found = put(each.places, width, each.offsets(width, pane.radius));
    return found && chip(each, found);
  });
  return chips.includes(null) ? null : chips.flat();
};

// Puts one chip after the other: whole and near one of its places, where it covers least; null where it would cover
// more than a name or two.
const placer = (pane, active) => {
  const { size } = pane;
  const ground = groundOf(pane, active);
  const isWhole = ([left, top, right, bottom]) => left > 0 && top > 0 && right < size[0] && bottom < size[1];
  return (places, width, offsets) => {
    let [least, found] = [1, null];
    for (const [aside, down] of offsets) {
      const far = FAR * Math.hypot(aside, down);
      if (far >= least) continue;
      for (const place of places) {
        const [x, y] = [place[0] + aside, place[1] + down];
        const mine = [x - width / 2, y - HIGH / 2, x + width / 2, y + HIGH / 2];
        const cost = isWhole(mine) ? far + covered(ground, mine) : Infinity;
        if (cost < least) [least, found] = [cost, mine];
      }
    }
    if (found) ground.taken.push(found);
    return found;
  };
};

// The boxes of what is to stay in sight: the solution, circles, the name of the group that is updated; and other names.
const groundOf = ({ at, radius, names, solution }, active) => {
  const circles = at.map(([x, y]) => [x - radius, y - radius, x + radius, y + radius]);
  const boxes = (isOne) => names.filter((name, p) => name && isOne(name, p)).map((name) => name.box);
  return {
    taken: [...solution.boxes, ...circles, ...boxes((_, p) => p === active)],
    names: boxes(({ fits }, p) => fits && p !== active),
  };
};

const covered = ({ taken, names }, mine) => {
  const count = (boxes) => boxes.reduce((found, other) => found + meets(mine, other), 0);
  return count(taken) + NAMED * count(names);
};

// From a place on an edge to where its chip may be: on it, beside it, above or below it.
const beside = (width, radius) => {
  const [near, far, off] = [width / 2 + 8, width / 2 + 26, radius + HIGH / 2 + 3];
  const sides = [0, near, -near, far, -far, near / 2, -near / 2];
  return [0, -off, off].flatMap((down) => sides.map((aside) => [aside, down]));
};

// The same from a circle, for what the group keeps for itself.
const around = (width, radius) => {
  const [aside, above, below] = [radius + width / 2 + 6, -radius - 18, radius + 34];
  return [0, above, below, above - HIGH - 3, below + HIGH + 3].flatMap((down) =>
    [aside, -aside, aside / 2, -aside / 2, 0].map((right) => [right, down]),
  );
};

// Those that say most, and one line for all others: no term is dropped.
const list = (pane, moment, parts, texts, digits) => {
  const weight = parts.to ? increments(parts) : parts.from.map((value) => -value);
  const order = moment.update.arcs.map((_, slot) => slot).sort((a, b) => weight[b] - weight[a]);
  const panels = [];
  const ground = groundOf(pane, moment.update.node);
  for (const lines of LINES) {
    const parted = [order.slice(0, lines), order.slice(lines)];
    panels.push(panel(pane, ground, linesOf(pane, moment, parts, texts, digits, parted)));
    if (panels.at(-1).covers < 1) break;
  }
  return panels.reduce((best, next) => (next.covers < best.covers ? next : best)).marks;
};

const linesOf = (pane, { update }, parts, texts, digits, [kept, rest]) => {
  const { nodes } = pane.stage.graph;
  const rows = kept.map((slot) => {
    const [text, loose] = texts[slot];
    const means = { what: "chip", arc: update.arcs[slot], value: valueOf(parts, slot), says: parts.what };
    const name = short(nodes[update.senders[slot]].label, NAME);
    return { id: `chip-${update.arcs[slot]}`, text: bare(text), name, loose, means };
  });
  const more = parts.to ? increments(parts) : parts.from;
  const units = sum(rest.map((slot) => texts[slot][2]));
  const others = parts.to ? signed(units, digits) : `${signOf(parts)} ${shown(units, digits)}`;
  const means = { what: "chip", arc: -1, value: sum(rest.map((slot) => more[slot])), says: "others" };
  if (rest.length) rows.push({ id: "chip-others", text: others, name: `${rest.length} others`, loose: false, means });
  if (!parts.kept) return rows;
  const own = { what: "share", group: update.node, value: parts.kept[1] };
  return [{ id: "chip-kept", text: bare(texts.at(-1)[0]), name: "kept", loose: false, means: own }, ...rows];
};

// In the list the name says who has a share.
const bare = (text) => text.replace(/^(share|keeps) /, "");

const TALL = 17; // pixels of a line of the list
const APART = 6; // pixels between the places that are tried

// Where it covers least; of those places the lowest.
const panel = ({ size: [width, height] }, ground, rows) => {
  const wide = Math.max(...rows.map(({ text, name }) => LETTER * text.length + NARROW * name.length)) + 18;
  const high = TALL * rows.length + 9;
  let [least, x, y] = [Infinity, 0, 0];
  for (let down = height - high; down >= 0 && least > 0; down -= APART) {
    for (let right = 0; right <= width - wide && least > 0; right += APART) {
      const count = covered(ground, [right, down, right + wide, down + high]);
      if (count < least) [least, x, y] = [count, right, down];
    }
  }
  const frame = { id: "chips", class: "chip list", x, y, width: wide, height: high, rx: 6 };
  const lines = rows.flatMap(({ id, text, name, loose, means }, k) => {
    const base = y + TALL * (k + 1);
    return [
      { id: `${id}-name`, class: "chip-name", x: x + 8, y: base, text: name },
      { id, class: `chip-value ${loose ? "loose" : ""}`, x: x + wide - 8, y: base, text, means },
    ];
  });
  return { covers: least, marks: [frame, ...lines] };
};
