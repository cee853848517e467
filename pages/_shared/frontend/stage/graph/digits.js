// Numbers that are shown side by side, rounded so that those that add up still do.

import { apportioned as inUnits } from "../charts/sums.js";

// Digits after the point for values of a size.
export const digitsFor = (values) => {
  const largest = Math.max(...values.map(Math.abs), 1e-12);
  return Math.min(Math.max(2 - Math.floor(Math.log10(largest)), 0), 4);
};

export const fixed = (value, digits) => {
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(text) !== 0 ? "−" : "") + text;
};

export const signed = (value, digits) => (fixed(value, digits).startsWith("−") ? "" : "+") + fixed(value, digits);

// Values rounded so that their sum is the sum rounded.
export const apportioned = (values, digits) => inUnits(values, digits).map((units) => units / 10 ** digits);
