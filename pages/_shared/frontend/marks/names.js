// The names of lines, in a column beside their ends.

import { short } from "../text.js";
import { path } from "./line.js";
import { stacked } from "./stacked.js";
import { symbol } from "./symbol.js";

const SPACING = 17;

const [SYMBOL, LETTER] = [38, 8]; // pixels that a symbol takes, and a letter
const FEWEST = 10; // letters; with less room there are only symbols

// The names that fit into a column of some pixels: whole, abbreviated, or empty.
export const fitted = (labels, width) => {
  const most = Math.floor((width - SYMBOL) / LETTER);
  return labels.map((label) => (most < FEWEST ? "" : short(label, most)));
};

// Pixels that the longest of some names takes, with its symbol.
export const widthOfNames = (labels) => SYMBOL + LETTER * Math.max(...labels.map((label) => label.length));

// `ends`: of each line its `key`, `label`, `colour`, `symbol`, and the height `y` at which it ends.
export const names = (ends, { top, bottom, right }) => {
  const heights = ends.map(({ y }) => Math.min(Math.max(y, top), bottom));
  const places = stacked(heights, top + 4, bottom - 2, SPACING);
  return ends.flatMap(({ key, label, colour, symbol: kind }, k) => {
    const to = [right + 16, places[k]];
    const lead = [[right, heights[k]], to];
    return [
      { id: `to ${key}`, class: "on", stroke: colour, d: path(lead) },
      symbol(`of ${key}`, kind, right + 22, places[k], 8, colour),
      label && { id: `name ${key}`, class: "name", x: right + 31, y: places[k] + 5, text: label },
    ]
      .filter(Boolean)
      .map((mark) => ({ ...mark, "data-run": key }));
  });
};
