// The symbol of a run: the paper's o and x, a square and a diamond.

import { make } from "../svg.js";

const SHAPES = {
  circle: (x, y, s) => ["circle", { cx: x, cy: y, r: s }],
  x: (x, y, s) => ["path", { d: `M${x - s} ${y - s}L${x + s} ${y + s}M${x - s} ${y + s}L${x + s} ${y - s}` }],
  square: (x, y, s) => ["rect", { x: x - s, y: y - s, width: 2 * s, height: 2 * s }],
  diamond: (x, y, s) => {
    const r = s * 1.3;
    return ["path", { d: `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z` }];
  },
};

export const symbol = (parent, kind, x, y, size, colour) => {
  const [name, shape] = SHAPES[kind](x, y, size / 2);
  return make(parent, name, { class: "mark", stroke: colour, ...shape });
};
