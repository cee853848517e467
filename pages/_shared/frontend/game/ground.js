// The open table: a column for each state, from what it costs at least to what it may cost at most.

import { Columns, NARROW, anchorMarks } from "../friends/columns.js";
import { NEAR, leastOf, written } from "../friends/exact.js";
import { mix } from "../numbers.js";
import { short } from "./words.js";

const NAMES = 92; // pixels beside the columns for the names of floor and ceiling, where there is room
const TIPS = {
  floor: ["Floor", "The lowest column: LB is at least this when the messages are passed"],
  ceiling: ["Ceiling", "What the cheapest column may cost by the answers known: passing gives no more"],
};
const AIR = 1; // energy, below the lowest column and above the highest

const level = (columns, { name, value, at = value, apart }, isBeside) => {
  const { left, right } = columns.box;
  const y = columns.y(at);
  const place = isBeside ? { x: right + 8, y: y + apart } : { x: right - 4, y: y - 5, "text-anchor": "end" };
  return [
    { id: name, class: `${name}-line`, x1: left, x2: right + 4, y1: y, y2: y, means: { what: name, value } },
    { id: `${name} name`, class: `${name}-name`, ...place, text: `${name} ${short(value)}`, tip: () => TIPS[name] },
  ];
};

// Its least cost up to a column, what the last row lifted, and the way that is open.
const columnMarks = (columns, state, { before, least, most }, { low, moved, ceiling }) => {
  const now = mix(before[state], least[state], moved);
  const dead = least[state] > ceiling + NEAR ? " ruled-out" : "";
  const [x, top] = [columns.x(state), columns.y(most[state])];
  return [
    { id: `least ${state}`, class: `known${dead}`, ...columns.bar(state, low, before[state]) },
    now > before[state] + NEAR && {
      ...{ id: `lift ${state}`, class: `lifted${dead}`, ...columns.bar(state, before[state], now) },
      means: { what: "lift", state, value: least[state] - before[state] },
    },
    most[state] > now + NEAR
      ? { id: `open ${state}`, class: "way", d: `M${x} ${columns.y(now)}V${top}M${x - 6} ${top}h12` }
      : { id: `exact ${state}`, class: `exact${most[state] < ceiling + NEAR ? " best" : ""}`, cx: x, cy: top, r: 5.5 },
  ];
};

const title = (label, width) => {
  const parts = `at least (bar), at most (dotted)`;
  return width < NARROW ? `States of ${label}: ${parts}` : `What each state of ${label} costs: ${parts}`;
};

export const groundMarks = (state, { width, height }, { chosen, choose, moved, names }) => {
  const { opening, ground, before, floor, ceiling, table, board } = state;
  const low = Math.min(...opening.least) - AIR;
  const range = [low, Math.max(...opening.most) + AIR];
  const states = board.states(table);
  const isBeside = width >= NARROW;
  const text = (each) => written(each, names.length);
  // Whole names have no room beside columns as wide as fingers.
  const shown = isBeside ? names : names.map((name) => name.slice(0, 3));
  const columns = new Columns(
    { left: 0, right: isBeside ? width - NAMES : width, top: 0, bottom: height },
    states,
    shown,
    range,
  );
  const fallen = mix(Math.min(...before), floor, moved);
  const close = columns.y(floor) - columns.y(ceiling) < 16;
  const [above, below] = close ? [-6, 14] : [5, 5];
  return [
    columns.title(title(board.tables[table].label, width)),
    ...columns.axis(),
    ...columns.bits(),
    ...states.flatMap((each) => columnMarks(columns, each, { before, ...ground }, { low, moved, ceiling })),
    ...level(columns, { name: "ceiling", value: ceiling, apart: above }, isBeside),
    ...level(columns, { name: "floor", value: floor, at: fallen, apart: below }, isBeside),
    ...anchorMarks(columns, leastOf(ground.least), "lowest"),
    ...columns.hits({
      chosen,
      label: (each) =>
        `State ${text(each)}: at least ${short(ground.least[each])}, at most ${short(ground.most[each])}`,
      press: choose,
      tip: (each) => [
        `State ${text(each)}`,
        `at least ${short(ground.least[each])}, at most ${short(ground.most[each])}`,
      ],
    }),
  ];
};
