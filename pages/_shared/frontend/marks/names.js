// The names of lines, in a column beside their ends.

import { make } from "../svg.js";
import { path } from "./line.js";
import { stacked } from "./stacked.js";
import { symbol } from "./symbol.js";

const SPACING = 17;

// Pixels that the longest of some names takes, with its symbol.
export const widthOfNames = (labels) => 38 + 8 * Math.max(...labels.map((label) => label.length));

// `ends`: of each line its `label`, `colour`, `symbol`, and the height `y` at which it ends.
export const names = (svg, ends, box) => {
  const wanted = ends.map(({ y }) => Math.min(Math.max(y, box.top), box.bottom));
  const places = stacked(wanted, box.top + 4, box.bottom - 2, SPACING);
  ends.forEach(({ label, colour, symbol: kind }, k) => {
    const to = [box.right + 16, places[k]];
    make(svg, "path", { class: "on", stroke: colour, d: path([[box.right, wanted[k]], to]) });
    symbol(svg, kind, box.right + 22, places[k], 8, colour);
    make(svg, "text", { class: "name", x: box.right + 31, y: places[k] + 5 }, label);
  });
};
