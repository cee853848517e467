// The open table: a column for each state, from what it costs at least to what it may cost at most.

import { Columns, NARROW, anchorMarks } from "../friends/columns.js";
import { NEAR, leastOf, written } from "../friends/exact.js";
import { stacked } from "../marks/stacked.js";
import { mix } from "../numbers.js";
import { hundredths } from "./words.js";

const NAMES = 92; // pixels beside the columns for the names of floor and ceiling, where there is room
const TIPS = {
  floor: ["Floor", "The lowest bar: LB becomes this when the messages are passed, unless it is higher already"],
  ceiling: ["Ceiling", "The lowest dotted end or circle: in this turn no question lifts the floor above it"],
  lb: ["LB", "What is proven so far: nothing that all friends could do costs less"],
};
const NAMES_OF = { ceiling: "ceiling", floor: "floor", lb: "LB" };
const AIR = 1; // energy, below the lowest column and above the highest
const LINE = 17; // pixels between two names

// The lines that are in sight, `at` where they are now, and their names, none above another.
const levelMarks = (columns, levels, isBeside) => {
  const { left, right, top, bottom } = columns.box;
  const shown = levels.map((each) => ({ ...each, y: columns.y(each.at) })).filter(({ y }) => y >= top && y <= bottom);
  // Of equal heights the thinnest is on top.
  const lines = shown.map(({ name, value, y }) => {
    const means = { what: name, value };
    return { id: name, class: `${name}-line`, x1: left, x2: right + 4, y1: y, y2: y, means };
  });
  const heights = shown.map(({ y }) => y + (isBeside ? 5 : -5));
  const places = stacked(heights, top, bottom + LINE, LINE);
  const beside = isBeside ? { x: right + 8 } : { x: right - 4, "text-anchor": "end" };
  const names = shown.map(({ name, value }, k) => {
    const text = `${NAMES_OF[name]} ${hundredths(value)}`;
    return { id: `${name} name`, class: `${name}-name`, ...beside, y: places[k], text, tip: () => TIPS[name] };
  });
  return [...lines.reverse(), ...names];
};

// Its least cost up to a column, what the last row lifted, and the way that is open.
const columnMarks = (columns, state, { before, least, most, now: all }, { low, ceiling }) => {
  const now = all[state];
  const dead = now > ceiling + NEAR ? " ruled-out" : "";
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

// Where columns would be by the other kind of row, if it differs there.
const otherMarks = (columns, { last, ground }, { low }) =>
  (last?.other ?? []).flatMap((other, state) => {
    if (Math.abs(other - ground.least[state]) < NEAR) return [];
    const { x, width, y } = columns.bar(state, low, other);
    const means = { what: "other row", state, value: other };
    return [{ id: `other ${state}`, class: "other-row", x1: x, x2: x + width, y1: y, y2: y, means }];
  });

const title = (label, width) => {
  if (width < NARROW) return `States of ${label}: proven (bar), possible (dotted)`;
  return `States of ${label}: cost proven so far (bar), and what this turn can prove at most (dotted)`;
};

export const groundMarks = (state, { width, height }, { chosen, choose, moved, names }) => {
  const { opening, ground, before, floor, ceiling, lower, last, table, board } = state;
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
  const now = state.leastAt(moved);
  const was = last?.passed ? last.from : lower;
  // A line goes with the columns; its number is never one between two of the game's.
  const levels = [
    { name: "ceiling", value: ceiling, at: ceiling },
    { name: "floor", value: moved < 1 ? Math.min(...before) : floor, at: Math.min(...now) },
    { name: "lb", value: moved < 1 ? was : lower, at: mix(was, lower, moved) },
  ];
  return [
    columns.title(title(board.tables[table].label, width)),
    ...columns.axis(),
    ...columns.bits(),
    ...states.flatMap((each) => columnMarks(columns, each, { before, ...ground, now }, { low, ceiling })),
    ...otherMarks(columns, state, { low }),
    ...levelMarks(columns, levels, isBeside),
    ...anchorMarks(columns, leastOf(now), "lowest"),
    ...columns.hits({
      chosen,
      label: (each) =>
        `State ${text(each)}: proven ${hundredths(ground.least[each])}, at most ${hundredths(ground.most[each])}`,
      press: choose,
      tip: (each) => [
        `State ${text(each)}`,
        `proven ${hundredths(ground.least[each])}, at most ${hundredths(ground.most[each])}`,
      ],
    }),
  ];
};
