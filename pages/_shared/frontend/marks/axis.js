// The axes of a chart: levels with their lines at the left, ticks below, a name for each.

import { linear } from "../scales.js";
import { levelMarks } from "./levels.js";

const LETTER = 8; // pixels that a digit takes
const ABOVE = 8; // pixels above the highest level
const AIR = 0.06; // share of the heights that is left free at the top, and at the bottom

// Sizes in pixels: room at the left (beside the labels) and below; between levels at least; the length of a
// tick; from the box to its label; from the names to the edges.
const SIZE = { left: 30, below: 40, apart: 34, tick: 5, label: 19, foot: 3, side: 12 };

// `across` has its `range`, `name` and, if it has any, `ticks` of a scale; `up` the same, and levels if need be other
// than linear ones; `right` is the room at the right. Returns the places of values, the box that the axes enclose, and
// their marks.
export const axes = ({ width, height }, across, up, right) => {
  const [x0, x1] = across.range;
  const [y0, y1] = up.range;
  const pad = (y1 - y0 || Math.abs(y1) || 1) * AIR;
  const [low, high] = [y0 - pad, y1 + pad];
  const [top, bottom] = [ABOVE, height - SIZE.below];
  const levels = (up.ticks ?? linear.ticks)(low, high, Math.max(2, (bottom - top) / SIZE.apart));
  const left = SIZE.left + LETTER * Math.max(...levels.map(([, text]) => text.length));
  const box = { top, bottom, left, right: width - right };
  const x = (v) => box.left + ((v - x0) / (x1 - x0 || 1)) * (box.right - box.left);
  const y = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);
  const centred = { "text-anchor": "middle" };
  const ticks = across.ticks?.(x0, x1, Math.max(2, (box.right - box.left) / 90)) ?? [];
  const middle = (box.left + box.right) / 2;
  const turned = `translate(${SIZE.side} ${(top + bottom) / 2}) rotate(-90)`;
  const marks = [
    ...levelMarks(levels, box, y),
    ...ticks.flatMap(([at, text], k) => [
      { id: `foot ${k}`, class: "grid", x1: x(at), x2: x(at), y1: bottom, y2: bottom + SIZE.tick },
      { id: `tick ${k}`, class: "soft tick", x: x(at), y: bottom + SIZE.label, ...centred, text },
    ]),
    { id: "x-name", class: "soft x-name", x: middle, y: height - SIZE.foot, ...centred, text: across.name },
    { id: "y-name", class: "soft y-name", x: 0, y: 0, ...centred, transform: turned, text: up.name },
  ];
  return { x, y, box, range: across.range, marks };
};
