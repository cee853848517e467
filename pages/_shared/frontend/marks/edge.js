// The line of an edge between two groups: the visible line, and a wider one that takes the presses.

import { make } from "../svg.js";

const CLEAR = 26; // least distance in pixels from a line to another circle
const BY = 34; // distance in pixels at which a bent line passes

export const tie = (parent) => make(parent, "path", { class: "tie" });

export const tiePress = (parent, index, label, silent) => {
  const role = { "data-edge": index, tabindex: silent ? -1 : 0, role: "button", "aria-label": label };
  const press = make(parent, "path", { class: "pick", ...role });
  press.classList.toggle("unpainted", silent);
  return press;
};

// Its colour and width; dashed where it is loose; faint where many lines would hide each other.
export const paintTie = (line, { colour, width, loose, faint }) => {
  line.setAttribute("stroke", colour);
  line.setAttribute("stroke-width", width.toFixed(2));
  line.setAttribute("stroke-dasharray", loose ? "7 4" : "none");
  line.setAttribute("stroke-opacity", loose ? 1 : faint ? 0.35 : 0.7);
};

export const straight = (at, p, q) => `M${at[p]}L${at[q]}`;

// A line between two circles, bent just enough to pass by others in its way.
export const arch = (at, p, q, width) => {
  const [[x0, y0], [x1, y1]] = [at[p], at[q]];
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [nx, ny] = [-(y1 - y0) / length, (x1 - x0) / length];
  let bend = 0;
  at.forEach(([x, y], k) => {
    if (k === p || k === q) return;
    const along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length ** 2;
    const off = (x - x0) * nx + (y - y0) * ny;
    if (along <= 0.05 || along >= 0.95 || Math.abs(off) >= CLEAR) return;
    const needed = (off > 0 ? off - BY : off + BY) / (2 * along * (1 - along));
    if (Math.abs(needed) > Math.abs(bend)) bend = needed;
  });
  bend = Math.max(-0.5 * length, Math.min(0.5 * length, bend));
  const outside = (b) => Math.abs((x0 + x1) / 2 + (nx * b) / 2 - width / 2) > width / 2 - 6;
  if (outside(bend) && !outside(-bend)) bend = -bend;
  const [cx, cy] = [(x0 + x1) / 2 + nx * bend, (y0 + y1) / 2 + ny * bend];
  return `M${x0.toFixed(1)} ${y0.toFixed(1)}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${x1.toFixed(1)} ${y1.toFixed(1)}`;
};
