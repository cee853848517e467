// The circle of a group: its number of variables inside, its name below, a ring for when it is updated.

import { make } from "../svg.js";

const LINE = 16; // pixels between lines of a name
const RING = 4; // pixels around the circle

export const radiusOf = (size, crowded) => (crowded ? 3 + 0.5 * size : 8 + 0.8 * size);

// `name`: its lines, each with its text and how far its middle is to the right of the circle's.
export const groupCircle = (parent, index, { label, size, at, crowded, name }) => {
  const radius = radiusOf(size, crowded);
  const role = { "data-node": index, tabindex: crowded ? -1 : 0, role: "button", "aria-label": label };
  const group = make(parent, "g", { class: "node", transform: `translate(${at})`, ...role });
  make(group, "circle", { class: "ring", r: radius + RING });
  make(group, "circle", { class: "body", r: radius });
  if (crowded) return group;
  make(group, "text", { class: "bits", y: 5 }, String(size));
  name.forEach(({ text, x }, k) => {
    make(group, "text", { x, y: radius + LINE * (k + 1) }, text);
  });
  return group;
};
