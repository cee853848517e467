// Lines between dots that may be in each other's way, as on a torus.

import { mix } from "../numbers.js";

const NEAR = 1; // pixels within which dots are on a line
const STUB = 14; // pixels of a line that goes around

// Whether a line along an axis crosses other dots, as one around a torus would.
export const isCrossing = (at, i, j) => {
  const [[x1, y1], [x2, y2]] = [at[i], at[j]];
  const isUpright = Math.abs(x1 - x2) < NEAR;
  if (!isUpright && Math.abs(y1 - y2) >= NEAR) return false;
  const [k, from, to, on] = isUpright ? [1, y1, y2, x1] : [0, x1, x2, y1];
  const [low, high] = [Math.min(from, to) + NEAR, Math.max(from, to) - NEAR];
  return at.some((dot) => Math.abs(dot[1 - k] - on) < NEAR && dot[k] > low && dot[k] < high);
};

// The two ends of a line that goes around the picture, each from its dot away from the other.
export const stubs = (one, two, length = STUB) => {
  const far = Math.hypot(one[0] - two[0], one[1] - two[1]);
  const out = ([x, y], [u, v]) => [
    [x, y],
    [x + ((x - u) / far) * length, y + ((y - v) / far) * length],
  ];
  return [out(one, two), out(two, one)];
};

export const written = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

export const between = ([x, y], [u, v], share) => [mix(x, u, share), mix(y, v, share)];

// The part of each piece of a line from one share of its length to another.
export const partOf = (pieces, from, to) =>
  pieces.map(([a, b]) => `M${written(between(a, b, from))}L${written(between(a, b, to))}`).join("");
