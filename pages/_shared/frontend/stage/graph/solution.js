// The solution as far as it is known, at the edge of the graph: a cell for each variable of the whole model, golden if
// it is decided, which means that no better labelling has another value; pale where that value is 0.

import { isNew } from "../../marks/picture.js";
import { bit } from "./content.js";

const SIDE = 10; // pixels that it takes at the left
const FOOT = 16; // pixels for the words below it
const TALLEST = 12; // pixels of a cell

// The value of each variable of the whole model; null where it is not decided.
const decidedOf = ({ group, bit: place, value }, { best, decided }) =>
  group.map((p, i) => {
    if (p < 0) return value[i];
    return decided[p][place[i]] === "?" ? null : bit(best[p], place[i]) ^ value[i];
  });

const lookOf = (value) => (value === null ? "open" : `is-${value}`);

// The corner of a cell, and its sides.
const cellOf = (i, [columns, wide, high]) => [(i % columns) * wide, Math.floor(i / columns) * high, wide, high];

const told = (name, value, where) =>
  value === null
    ? [name, "not decided yet"]
    : [`${name} = ${value}`, `decided${where}: no better labelling has another value`];

export class Solution {
  constructor(pane) {
    Object.assign(this, { pane, key: pane.stage.$(".net .key") });
  }

  // What it takes of the picture: corners of boxes.
  get boxes() {
    const [, height] = this.pane.size;
    return [
      [0, 0, SIDE, height],
      [0, height - FOOT, 115, height],
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
    const values = decidedOf(solution, labelled);
    if (values.every((value) => value === null)) return [];
    const sides = this.sides(values.length);
    const { all, at } = this.pane.stage.chapters;
    const where = (i) => (all.length > 1 ? ` by chapter ${solution.chapter[i] || at + 1}` : "");
    const cells = values.map((value, i) => {
      const [x, y, wide, high] = cellOf(i, sides);
      const look = { class: `solution ${lookOf(value)}`, x, y, width: 0.85 * wide, height: 0.85 * high };
      const means = { what: "solution", variable: i, value };
      return { id: `cell ${i}`, ...look, tip: () => told(solution.names[i], value, where(i)), means };
    });
    return cells;
  }
}
