// The line of a run: its lower bounds with symbols, its upper bounds thin, and dotted on from where it ended.

import { make } from "../svg.js";
import { path } from "./line.js";
import { symbol } from "./symbol.js";

const DASHES = { solid: "", dot: "2 4", dash: "8 5" };
const APART = 64; // pixels between the symbols of a line
const SHIFT = 23; // pixels by which the symbols of the next run are shifted, so that they do not cover these

// `lower` and `upper`: points in pixels, `upper` may be null; `index`: which of the runs it is.
export const runLine = (parent, run, { lower, upper, index }, box) => {
  const style = { stroke: run.colour, "stroke-dasharray": DASHES[run.dash] };
  const thick = { "data-run": run.key, "stroke-width": run.width, d: path(lower) };
  make(parent, "path", { ...style, class: "run lower", ...thick });
  if (upper) make(parent, "path", { ...style, class: "run upper", "stroke-width": 1, d: path(upper) });
  const end = lower[lower.length - 1];
  const on = [end, [box.right, end[1]]];
  if (end[0] < box.right) make(parent, "path", { class: "on", stroke: run.colour, d: path(on) });
  let next = box.left + ((index * SHIFT) % APART);
  lower.forEach(([x, y], k) => {
    if (x < next && k !== lower.length - 1) return;
    next = x + APART;
    symbol(parent, run.symbol, x, y, 6 + run.width, run.colour);
  });
};

// A piece of its line with its symbol, for a button.
export const swatch = (svg, run) => {
  const style = { stroke: run.colour, "stroke-width": run.width, "stroke-dasharray": DASHES[run.dash] };
  make(svg, "path", { d: "M1 8L43 8", ...style, class: "run" });
  symbol(svg, run.symbol, 22, 8, 8, run.colour);
};
