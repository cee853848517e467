// The known part of the solution, at the edge of the graph: a cell for each variable of the whole model, golden if it
// is decided, which means that no better labelling has another value; pale if that value is 0, and only framed if it
// is tied to another variable, which will decide both.

import { isNew } from "../../marks/picture.js";
import { bit } from "./content.js";

const SIDE = 10; // pixels that it takes at the left
const FOOT = 16; // pixels for the words below it
const WORDS = 160; // pixels that these take
const TALLEST = 12; // pixels of a cell

// For each variable of the whole model its value if decided, or the earlier variable that it is tied to, and how.
export const knownOf = ({ group, bit: place, value }, { best, decided }) => {
  const first = new Map();
  return group.map((p, i) => {
    if (p < 0) return { value: value[i] };
    if (decided[p][place[i]] !== "?") return { value: bit(best[p], place[i]) ^ value[i] };
    const key = `${p}-${place[i]}`;
    if (!first.has(key)) first.set(key, i);
    const tie = first.get(key);
    return tie === i ? {} : { tie, same: value[i] === value[tie] };
  });
};

const lookOf = ({ value, tie }) => (value !== undefined ? `is-${value}` : tie !== undefined ? "tied" : "open");

// The corner of a cell, and its sides.
const cellOf = (i, [columns, wide, high]) => [(i % columns) * wide, Math.floor(i / columns) * high, wide, high];

export const tipText = (names, i, { value, tie, same }, where) => {
  if (value !== undefined) return [`${names[i]} = ${value}`, `decided${where}: no better labelling has another value`];
  if (tie === undefined) return [names[i], "not decided yet"];
  return [`${names[i]} ${same ? "=" : "≠"} ${names[tie]}`, "tied: this holds in every better labelling"];
};

export class Solution {
  constructor(pane) {
    Object.assign(this, { pane, key: pane.stage.$(".net .key") });
  }

  // The areas of the picture that it covers: corners of boxes.
  get boxes() {
    const [, height] = this.pane.size;
    return [
      [0, 0, SIDE, height],
      [0, height - FOOT, WORDS, height],
    ];
  }

  // The middle of the cell of the first variable that a bit of a group decides.
  cellOf({ solution }, p, k) {
    if (!solution) return [SIDE / 2, 0];
    const { group, bit: place } = solution;
    if (this.of !== solution) this.first = new Map(group.map((q, i) => [`${q}-${place[i]}`, i]).reverse());
    this.of = solution;
    const [x, y, wide, high] = cellOf(this.first.get(`${p}-${k}`), this.sides(group.length));
    return [x + wide / 2, y + high / 2];
  }

  // Cells in a row, and their sides: about as high as wide, and no higher than enough.
  sides(n) {
    const height = this.pane.size[1] - FOOT;
    const columns = Math.max(1, Math.round(Math.sqrt((SIDE * n) / height)));
    return [columns, SIDE / columns, Math.min(height / Math.ceil(n / columns), TALLEST)];
  }

  marks({ solution }, { best, decided }) {
    const scene = [solution, best, decided, this.pane.size[1]];
    if (isNew(this, scene)) this.drawn = solution && decided ? this.draw(solution, { best, decided }) : [];
    this.key.hidden = !this.drawn.length;
    return this.drawn;
  }

  draw(solution, labelled) {
    const known = knownOf(solution, labelled);
    if (known.every((each) => lookOf(each) === "open")) return [];
    const sides = this.sides(known.length);
    const { all, at } = this.pane.stage.chapters;
    const where = (i) => (all.length > 1 ? ` by chapter ${solution.chapter[i] || at + 1}` : "");
    return known.map((each, i) => {
      const [x, y, wide, high] = cellOf(i, sides);
      const look = { class: `solution ${lookOf(each)}`, x, y, width: 0.85 * wide, height: 0.85 * high };
      const means = { what: "solution", variable: i, ...each };
      return { id: `cell ${i}`, ...look, tip: () => tipText(solution.names, i, each, where(i)), means };
    });
  }
}
