// Scales of axes: from values to units of the axis and back, and the ticks between two ends, with their labels.

import { entries, number } from "./text.js";

// The round steps from which ticks are chosen, in units of a power of ten: the first that gives two values.
const STEPS = { 1: [1, 0.5], 2: [2, 1], 5: [5, 4, 2], 10: [10, 5] };

// Round values between two ends, about as many as requested, and at least two where there are: one value is no scale.
export const ticks = (low, high, count) => {
  const raw = (high - low) / count || 1;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const coarsest = [1, 2, 5].find((m) => m * magnitude >= raw) ?? 10;
  const found = STEPS[coarsest].map((m) => multiples(low, high, m * magnitude));
  return found.find((values) => values.length > 1) ?? found.at(-1);
};

const multiples = (low, high, step) => {
  const out = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) {
    out.push(Math.abs(t) < step * 1e-9 ? 0 : t);
  }
  return out;
};

// Energies from here on are written as powers, and ranges below this.
const [MOST, LEAST] = [1e10, 1e-3];

const zeros = (step) => Math.floor(Math.log10(step || 1) + 1e-9);

export const linear = {
  of: (v) => v,
  ticks: (low, high, count) => {
    const values = ticks(low, high, count);
    const digits = Math.max(0, -Math.floor(Math.log10(values[1] - values[0] || 1) + 1e-9));
    const largest = Math.max(...values.map(Math.abs));
    const isPlain = largest < MOST && (digits <= 6 || (largest >= LEAST && digits <= 15));
    if (isPlain) return values.map((v) => [v, v.toFixed(digits).replace("-", "−")]);
    // Enough digits to distinguish neighbours.
    const places = Math.max(0, Math.floor(Math.log10(largest)) + digits - (digits ? 0 : zeros(values[1] - values[0])));
    return values.map((v) => [v, v === 0 ? "0" : v.toExponential(Math.min(places, 15)).replaceAll("-", "−")]);
  },
};

// For counts: no ticks between whole numbers.
export const counts = {
  of: (v) => v,
  ticks: (low, high, count) =>
    ticks(low, high, count)
      .filter(Number.isInteger)
      .map((v) => [v, String(v)]),
};

// For work: table entries.
export const works = {
  of: (v) => v,
  ticks: (low, high, count) => linear.ticks(low, high, count).map(([at]) => [at, entries(at)]),
};

const RAISED = [..."⁰¹²³⁴⁵⁶⁷⁸⁹"];

const power = (k) => {
  if (k >= -2 && k <= 5) return String(10 ** k);
  const digits = [...String(Math.abs(k))].map((d) => RAISED[d]);
  return `10${k < 0 ? "⁻" : ""}${digits.join("")}`;
};

export const logarithmic = {
  of: (v) => Math.log10(v),
  ticks: (low, high, count) => {
    const labelled = (values) => values.map((v) => [Math.log10(v), number(v, 4)]);
    if (high - low < 0.7) return labelled(ticks(10 ** low, 10 ** high, count).filter((v) => v > 0));
    const [first, last] = [Math.ceil(low - 1e-9), Math.floor(high + 1e-9)];
    if (high - low < 2.5) {
      const values = [];
      for (let k = first - 1; k <= last; k += 1) values.push(...[1, 2, 5].map((m) => m * 10 ** k));
      return labelled(values.filter((v) => Math.log10(v) >= low && Math.log10(v) <= high));
    }
    const step = Math.max(1, Math.ceil((last - first) / count));
    const out = [];
    for (let k = first; k <= last; k += step) out.push([k, power(k)]);
    return out;
  },
};
