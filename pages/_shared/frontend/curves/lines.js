// The lines of runs: their points in units of the axes, and the ranges of these.

import { closeness } from "../gap.js";
import { linear, logarithmic, works } from "../scales.js";

const STEPS = 40; // places along the axis at which the heights of lines count
const LOWEST = 0.15; // share of the lower bounds that may leave the frame at the bottom
const HIGHEST = 0.9; // share of the upper bounds that is within the frame
const ABOVE = 0.5; // height above the best labelling, at most, as a share of that below it

export const scaleOf = ({ x, scale }) => (scale === "log" ? logarithmic : x === "work" ? works : linear);

// The least energy of a labelling that any of the runs has found.
const best = (runs) => Math.min(...runs.flatMap((run) => run.upper.slice(-1)).filter((upper) => upper !== null));

// The points of a run: `x`; `lower`, the bound or its distance to the best; `upper`; and `k`, its record. Both may be
// null, but not at once.
const points = (run, choice, known, floor) => {
  const gap = choice.y === "gap";
  const along = run[choice.x];
  const isKnown = Number.isFinite(known);
  const distance = (lower) => (lower === null || !isKnown ? null : Math.log10(Math.max(known - lower, floor)));
  const out = [];
  along.forEach((value, k) => {
    // A record within a sweep is drawn only if it is the last: halfway to the end of the sweep.
    const within = choice.x === "sweeps" && k > 0 && value === along[k - 1];
    if (within && k < along.length - 1) return;
    if (choice.scale === "log" && value <= 0 && !within) return;
    const lower = gap ? distance(run.lower[k]) : run.lower[k];
    const upper = choice.y === "bounds" ? run.upper[k] : null;
    if (lower === null && upper === null) return;
    out.push({ x: scaleOf(choice).of(within ? value + 0.5 : value), lower, upper, k });
  });
  return out;
};

// What a run has none of: exact ones of rows, external solvers of sweeps and of work.
export const lacks = (run, x) =>
  (x === "rows" && run.exact) || (x === "sweeps" && run.step === "report") || (x === "work" && !run.work);

// Runs with the points of their lines, except those that are hidden or have none.
export const linesOf = ({ runs, scale }, choice, hidden) => {
  const known = best(runs);
  const floor = closeness(known, known, scale) || 1e-12;
  return runs
    .filter((run) => !hidden.has(run.key) && !lacks(run, choice.x))
    .map((run) => ({ run, points: points(run, choice, known, floor) }))
    .filter((line) => line.points.length);
};

export const extentOf = (lines, choice) => {
  const all = lines.flatMap((line) => [line.points[0].x, line.points[line.points.length - 1].x]);
  const low = choice.scale === "log" ? Math.min(...all) : 0;
  return [low, Math.max(...all, low + 1e-6)];
};

const quantile = (values, share) => {
  const sorted = values.slice().sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))];
};

// From the lowest to the highest value, without the leaps at the start, which would flatten everything after them; and
// poor labellings do not take the room of the bounds below the best one.
export const heightsOf = (lines, [from, to], choice) => {
  const gap = choice.y === "gap";
  const late = lines.map((line) => line.points.filter(({ k }) => gap || line.run.sweeps[k] > 0));
  const settled = late.filter((some) => some.length);
  const lower = [];
  const upper = [];
  for (const some of settled.length ? settled : lines.map((line) => line.points)) {
    let k = 0;
    for (let step = 0; step <= STEPS; step += 1) {
      const x = from + ((to - from) * step) / STEPS;
      while (k + 1 < some.length && some[k + 1].x <= x) k += 1;
      if (some[k].x > x && step < STEPS) continue;
      if (some[k].lower !== null) lower.push(some[k].lower);
      if (some[k].upper !== null) upper.push(some[k].upper);
    }
  }
  if (gap) return [Math.min(...lower), Math.max(...lower)];
  if (!lower.length) return [Math.min(...upper), quantile(upper, HIGHEST)];
  const low = quantile(lower, LOWEST);
  if (!upper.length) return [low, Math.max(...lower)];
  const known = Math.min(...upper);
  const most = low < known ? known + ABOVE * (known - low) : Infinity;
  return [low, Math.min(quantile(upper, HIGHEST), most)];
};

// Where a point is drawn: its bound, or its energy where there is none.
export const heightOf = ({ lower, upper }) => lower ?? upper;

// Who leads along the axis: stretches with the run whose lower bound is the highest; of equal ones, the first along the
// axis, and of those the first in time.
export const leadersOf = (lines, scale) => {
  const news = lines
    .flatMap(({ run, points: some }) => some.map(({ x, k }) => ({ x, run, lower: run.lower[k], at: run.seconds[k] })))
    .filter(({ lower }) => lower !== null)
    .sort((a, b) => a.x - b.x || a.at - b.at);
  const found = [];
  let highest = -Infinity;
  for (const { x, run, lower } of news) {
    const isMore = lower > highest + (Number.isFinite(highest) ? closeness(lower, highest, scale) : 0);
    if (!isMore) continue;
    highest = lower;
    const last = found.at(-1);
    if (last?.run !== run) found.push({ run, from: x });
  }
  const end = Math.max(...news.map(({ x }) => x));
  return found.map(({ run, from }, k) => ({ run, from, to: found[k + 1]?.from ?? end }));
};

// The index of the point of a line nearest to a position on the axis; the last of several.
export const nearest = (some, x) => {
  let k = 0;
  while (k + 1 < some.length && Math.abs(some[k + 1].x - x) <= Math.abs(some[k].x - x)) k += 1;
  return k;
};
