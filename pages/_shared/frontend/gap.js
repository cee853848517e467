// The distance of two bounds, as the library defines it (bender_core/engine/gap.py).

import { number } from "./text.js";

// The distance of two bounds, relative to the larger of them in size.
export const relativeGap = (lower, upper) => {
  const difference = upper - lower;
  if (!(difference > 0)) return 0;
  const largest = Math.max(Math.abs(lower), Math.abs(upper));
  return largest < Infinity ? difference / largest : Infinity;
};

// The distance at which two energies are equal within the tolerance of a run; `scale`: the energy at stake.
export const closeness = (lower, upper, scale) =>
  Math.max(1e-8 * Math.min(Math.max(Math.abs(lower), Math.abs(upper)), scale), 1e-12 * scale);

// With no energy at stake, rounding hides whether bounds meet.
export const isClosed = (lower, upper, scale) => scale > 0 && upper - lower <= closeness(lower, upper, scale);

// A part of the gap; 0 if the run cannot distinguish it from 0.
export const partText = (value, { lower, upper }, scale) =>
  value <= closeness(lower, upper, scale) ? "0" : value.toPrecision(4);

// `closed`: whether the bounds count as met.
export const gapText = (lower, upper, closed, digits) => {
  if (lower === null || upper === null) return "–";
  return closed ? "0, closed" : `${number(100 * relativeGap(lower, upper), digits)} %`;
};
