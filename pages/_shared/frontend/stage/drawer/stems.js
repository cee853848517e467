// The classes of a message as stems: a dot at ν, a dash at the envelope below it in the colour of the kind of row that
// it is there, the slack between, and by how much it has risen since the event before; below them the values of the
// members that the message depends on.

import { levelMarks } from "../../marks/levels.js";
import { ROWS } from "../../palette.js";
import { linear } from "../../scales.js";
import { number } from "../../text.js";
import { bitMarks, bitsHeight, chosenMembers } from "../charts/bits.js";
import { valuesText } from "./values.js";

const [TOP, RIGHT, GAP] = [20, 8, 8]; // pixels above, beside, and above the bits
const LETTER = 7.2;
const WIDEST = 0.32; // share of the width that names take at most
const LEAST = 0.4; // share of the height for the stems at least, before members are left out
const APART = 34; // pixels between two levels
const AIR = 0.08; // share of the heights that is free above and below
const [THIN, THICK] = [3, 9]; // pixels of the slack
const LEVELS = 44; // pixels for the numbers of the axis

// The places of the columns.
const placed = (names, count, width) => {
  const longest = Math.max(...names.map((name) => name.length), 4);
  const left = Math.min(Math.max(LETTER * longest + 12, LEVELS), WIDEST * width);
  const step = (width - left - RIGHT) / count;
  return { left, step, right: left - 6, end: width - RIGHT, x: (k) => left + (k + 0.5) * step };
};

// `before`: the envelope, by the states of classes, at the event before; `star`: the name of the state asked last.
export const stemMarks = ({ drawer, view, before, star, names, width, height }) => {
  const { stems, at_oracle: oracle, chosen } = view;
  const columns = placed(names, stems.rank.length, width);
  const most = Math.max(0, Math.floor((height * (1 - LEAST) - TOP - GAP) / bitsHeight(1)));
  const states = stems.bits.map((bits, k) => ({ bits, state: k }));
  const members = chosenMembers({ columns: states, best: oracle }, most);
  const box = { top: TOP, bottom: height - bitsHeight(members.members.length) - GAP, height };
  const scale = scaleOf(stems, before, box);
  return [
    ...levels(scale, columns, box),
    ...lookedAt(columns, chosen, box),
    ...stems.rank.flatMap((_, k) => stem(view, before, k, columns, scale)),
    ...bitMarks({ update: { columns: states, best: oracle }, columns, chosen: members, names, top: box.bottom + GAP }),
    ...starMarks(columns, oracle, star, box),
    ...stems.rank.map((_, k) => hit(drawer, view, names, k, columns, box)),
  ];
};

const starMarks = ({ x, left, end }, oracle, star, { height }) => {
  const [at, half] = [x(oracle), (LETTER * star.length) / 2];
  const name = { x: Math.min(Math.max(at, left + half), end - half), y: 13, "text-anchor": "middle", text: star };
  return [
    { id: "asked", class: "asked", x1: at, x2: at, y1: TOP - 4, y2: height },
    { id: "y*", class: "asked-name", ...name },
  ];
};

const scaleOf = ({ nu, envelope, state }, before, { top, bottom }) => {
  const earlier = state.map((each) => before.get(each)).filter((value) => value !== undefined);
  const [low, high] = [Math.min(...envelope, ...nu, ...earlier), Math.max(...nu)];
  const span = high - low || Math.abs(high) * 1e-6 || 1e-6;
  const range = [low - AIR * span, high + AIR * span];
  return { range, y: (value) => bottom - ((value - range[0]) / (range[1] - range[0])) * (bottom - top) };
};

const levels = ({ range, y }, { left, end }, { top, bottom }) =>
  levelMarks(linear.ticks(...range, Math.max(2, (bottom - top) / APART)), { left, right: end }, y);

const lookedAt = (columns, chosen, { top, height }) => {
  const x = columns.x(chosen) - columns.step / 2;
  const area = { x, width: columns.step, y: top - 4, height: height - top + 4 };
  return [{ id: "chosen", class: "chosen-column", ...area }];
};

const stem = ({ stems, arc }, before, k, columns, { y }) => {
  const [state, nu, envelope, kind] = ["state", "nu", "envelope", "kind"].map((key) => stems[key][k]);
  const [x, { step }] = [columns.x(k), columns];
  const means = { what: "nu", arc, state, value: nu };
  const place = { cx: x, cy: y(nu), r: Math.min(step * 0.26, 4) };
  const truth = { id: `nu ${state}`, class: "nu", ...place, means };
  if (kind < 0) return [truth];
  const wide = Math.max(Math.min(step * 0.36, THICK), THIN);
  const slack = { x1: x, x2: x, y1: y(nu), y2: y(envelope), "stroke-width": wide };
  const across = { x1: x - step * 0.48, x2: x + step * 0.48, y1: y(envelope), y2: y(envelope) };
  const was = before.get(state) ?? envelope;
  const risen = { x1: x, x2: x, y1: y(envelope), y2: y(was), "stroke-width": wide };
  const bound = { what: "envelope", arc, state, value: envelope };
  return [
    !stems.tight[k] && { id: `slack ${state}`, class: `slack row-${kind}`, ...slack },
    was < envelope && { id: `risen ${state}`, class: "risen", ...risen },
    { id: `bar ${state}`, class: `bar row-${kind}`, ...across, means: bound },
    truth,
  ];
};

const hit = (drawer, view, names, k, columns, { top, height }) => {
  const { stems, at_oracle: oracle } = view;
  const bits = stems.bits[k];
  return {
    ...{ id: `hit ${stems.state[k]}`, class: "hit", x: columns.x(k) - columns.step / 2 },
    ...{ width: columns.step, y: top - 6, height: Math.max(height - top + 6, 0) },
    tip: () => textOf(view, names, k),
    press: () => drawer.choose(k === oracle ? "" : bits),
  };
};

// All that is known of a class.
const textOf = ({ stems }, names, k) => {
  const [nu, envelope] = [stems.nu[k], stems.envelope[k]];
  const lines = [valuesText(names, stems.bits[k])];
  if (stems.kind[k] < 0) lines.push(`ν = ${number(nu)}`);
  else {
    const slack = stems.tight[k] ? "tight" : `slack ${number(nu - envelope)}`;
    lines.push(`ν = ${number(nu)}, ν⁻ = ${number(envelope)}, ${slack}`);
    lines.push(`ν⁻ by row ${stems.row[k]}, ${ROWS[stems.kind[k]].name}`);
  }
  lines.push(`its cheapest state costs at least ${number(stems.least[k])}`);
  return lines;
};
