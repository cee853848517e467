// The solution as far as it is known, at the edge of the graph: a cell for each variable of the whole model, golden if
// it is decided, which means that no better labelling has another value.

import { bit } from "./content.js";

export const SIDE = 10; // pixels that it takes at the left
const FOOT = 16; // pixels for the words below it
const TEXT = "decided for good";
const TALLEST = 12; // pixels of a cell

// The value of each variable of the whole model; null where it is not decided.
const decidedOf = ({ group, bit: place, value }, { best, decided }) =>
  group.map((p, i) => {
    if (p < 0) return value[i];
    return decided[p][place[i]] === "?" ? null : bit(best[p], place[i]) ^ value[i];
  });

// The corner of a cell, and its sides.
const cellOf = (i, [columns, wide, high]) => [(i % columns) * wide, Math.floor(i / columns) * high, wide, high];

export class Solution {
  constructor(pane) {
    Object.assign(this, { pane, known: null });
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
    if (!solution || !decided) return [];
    const scene = [solution, best, decided, this.pane.size[1]];
    if (!this.known?.every((part, k) => part === scene[k])) this.drawn = this.draw(solution, { best, decided });
    this.known = scene;
    return this.drawn;
  }

  draw(solution, labelled) {
    const values = decidedOf(solution, labelled);
    if (values.every((value) => value === null)) return [];
    const [n, height] = [values.length, this.pane.size[1] - FOOT];
    const sides = this.sides(n);
    const path = (known, look) => {
      const d = values.map((value, i) => {
        if (value !== known) return "";
        const [x, y, wide, high] = cellOf(i, sides).map((each, k) => (k < 2 ? each : 0.85 * each));
        return `M${x} ${y}h${wide}v${high}h${-wide}z`;
      });
      return { id: `solution ${look}`, class: `solution ${look}`, d: d.join("") };
    };
    const told = [TEXT, "no better labelling has another value", "full gold: 1, pale: 0, grey: not decided"];
    const means = { what: "solution", values };
    return [
      ...[path(null, "open"), path(0, "is-0"), path(1, "is-1")],
      { id: "solution", class: "hit", width: SIDE, height, tip: () => told, means },
      { id: "solution name", class: "solution", x: 0, y: height + FOOT - 3, text: TEXT },
    ];
  }
}
