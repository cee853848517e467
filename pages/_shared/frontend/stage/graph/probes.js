// The marks that travel along the edges: the question for the cost of y*, the answers, rows, and shares of the cost.

import { STEP } from "../play/moment.js";
import { GLYPHS } from "./glyphs.js";

const BIG = 7; // pixels

const mark = (id, kind, d, means) => ({ id, class: `probe ${kind}`, d, means });

// A row is a short bar: no other mark is one.
const bar = (x, y) => `M${x - 9} ${y - 3.5}h18v7h-18z`;

export const probeMarks = (pane, moment) => {
  const { act, update } = moment;
  const travels = { answer: asking, rows: falling, pass: sharing }[act];
  if (!update || !travels || moment.rest) return [];
  const end = pane.radius + BIG;
  return update.arcs.flatMap((arc, slot) => {
    const course = pane.runs[arc >> 1];
    // Seen from the group that is updated: 0 there, 1 at the neighbour. The message of arc 2e is into the first group.
    const place = (u) => {
      const clear = end / Math.max(course.length, 2 * end);
      const along = clear + (1 - 2 * clear) * u;
      return course.place(arc & 1 ? 1 - along : along);
    };
    return travels(moment, arc, slot, place);
  });
};

const asking = (moment, arc, slot, place) => {
  const { update, t } = moment;
  if (t < 0.35) {
    const [x, y] = place(moment.part(0, 0.35));
    return [mark(`probe-${arc}`, "y", GLYPHS["y*"](x, y, BIG), { what: "y*", arc, state: update.y })];
  }
  if (t >= 0.72 || !update.answers) return [];
  const [x, y] = place(1 - moment.part(0.37, 0.72));
  const { state, bits } = update.answers[slot];
  return [mark(`probe-${arc}`, "answer", GLYPHS.answer(x, y, BIG), { what: "answer", arc, state, bits })];
};

const falling = (moment, arc, slot, place) => {
  const { update } = moment;
  const row = update.rows.findLast((each) => each.slot === slot && each.round === update.round);
  if (!row || moment.t >= 0.4) return [];
  const [x, y] = place(1 - moment.part(0, 0.4));
  return [mark(`row-${arc}`, "row", bar(x, y), { what: "row", arc, row: row.row })];
};

const sharing = (moment, arc, slot, place) => {
  const { detail } = moment.after;
  if (!detail || !detail.ahead[slot] || moment.t >= STEP) return [];
  const [x, y] = place(moment.part(0.05, STEP));
  const means = { what: "share", arc, value: detail.shares[slot] };
  return [{ id: `share-${arc}`, class: "probe share", cx: x, cy: y, r: BIG, means }];
};
