// The line of a run: its lower bounds with symbols, its upper bounds thin, and dotted on from where it ended.

import { clipped } from "./clip.js";
import { path } from "./line.js";
import { symbol } from "./symbol.js";

export const DASHES = { solid: "", dot: "2 4", dash: "8 5" };
const APART = 64; // pixels between the symbols of a line
const BEYOND = 4; // pixels above the box in which lines are still drawn
const SHIFT = 23; // pixels by which the symbols of the next run are shifted, so that they do not cover these

// `lower` and `upper`: points in pixels, one of them may have none; `index`: which of the runs it is.
export const runLine = (run, { lower, upper, index }, { top, bottom, left, right }) => {
  const box = { top: top - BEYOND, bottom, left, right: right + 1 };
  const isSeen = ([x, y]) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  const { key, colour, width, dash } = run;
  const style = { stroke: colour, "stroke-dasharray": DASHES[dash] };
  const marked = lower.length ? lower : upper;
  const [end] = marked.slice(-1);
  let next = box.left + ((index * SHIFT) % APART);
  const symbols = marked.map(([x, y], k) => {
    if (x < next && k !== marked.length - 1) return null;
    next = x + APART;
    return isSeen([x, y]) && symbol(`at ${key} ${k}`, run.symbol, x, y, 6 + width, colour);
  });
  return [
    lower.length && {
      id: `lower ${key}`,
      class: "run lower",
      ...style,
      "data-run": key,
      "stroke-width": width,
      d: clipped(lower, box),
    },
    upper.length && { id: `upper ${key}`, class: "run upper", ...style, "stroke-width": 1, d: clipped(upper, box) },
    end[0] < right && isSeen(end) && { id: `on ${key}`, class: "on", stroke: colour, d: path([end, [right, end[1]]]) },
    ...symbols,
  ].filter(Boolean);
};

// A piece of its line with its symbol, for a button.
export const swatch = (run) => {
  const style = { stroke: run.colour, "stroke-width": run.width, "stroke-dasharray": DASHES[run.dash] };
  return [{ id: "line", d: "M1 8L43 8", ...style, class: "run" }, symbol("symbol", run.symbol, 22, 8, 8, run.colour)];
};
