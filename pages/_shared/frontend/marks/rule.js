// A line across the box of a chart: at a height, or at a place along it.

import { make } from "../svg.js";

export const level = (parent, kind, y, box) =>
  make(parent, "line", { class: kind, x1: box.left, x2: box.right, y1: y, y2: y });

export const upright = (parent, kind, x, box) =>
  make(parent, "line", { class: kind, x1: x, x2: x, y1: box.top, y2: box.bottom });
