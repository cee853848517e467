// A group as the area around its variables.

import { make } from "../svg.js";
import { path } from "./line.js";

// The corners of the convex hull of some points, in order.
const corners = (points) => {
  const sorted = [...points].sort(([a, b], [c, d]) => a - c || b - d);
  const half = (list) => {
    const out = [];
    for (const [x, y] of list) {
      while (out.length > 1) {
        const [[a, b], [c, d]] = out.slice(-2);
        if ((c - a) * (y - b) - (d - b) * (x - a) > 0) break;
        out.pop();
      }
      out.push([x, y]);
    }
    return out.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
};

// The area around some points, as the data of a path.
export const around = (points) => `${path(corners(points))}Z`;

export const hull = (parent, index, points, colour) => {
  return make(parent, "path", { class: "hull", d: around(points), fill: colour, stroke: colour, "data-node": index });
};
