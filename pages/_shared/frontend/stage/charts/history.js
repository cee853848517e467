// The bounds of the whole run over events or sweeps.

import { KIND } from "../kinds.js";

const CLOSE = 1e-6; // sweeps that count as equal

// The bounds at the start, those of the history, and those of the events after it: [events until then, LB, UB].
export const boundsOf = ({ graph, history, events, player }) => {
  const { event, lower, upper } = history;
  const points = [[0, graph.lower, graph.upper], ...event.map((e, k) => [e, lower[k], upper[k]])];
  for (let k = event.length ? event[event.length - 1] : 0; k < player.seen && events.has(k); k += 1) {
    points.push([k + 1, events.get(k).lower, events.get(k).upper]);
  }
  return points;
};

// Sweeps completed until an event, parts of one included. How long a sweep is that is not complete can only be guessed:
// as long as the one before, or as what is known.
export const sweepsAt = ({ history, player }, position) => {
  const ends = history.sweeps;
  const done = sweepsUntil(ends, position);
  const begin = ends[done - 1] || 0;
  const guess = Math.max(begin + begin - (ends[done - 2] || 0), player.seen + 1);
  return done + (position - begin) / Math.max((ends[done] || guess) - begin, 1);
};

// The same for two runs on one clock: with the share of the groups that were updated since, so that runs in which the
// same group is updated are at one place. In the middle of an update it is halfway.
export const sweepsBeside = (stage, position) => {
  const { history, graph, events } = stage;
  const last = history.event.at(-1) ?? 0;
  const done = sweepsUntil(history.sweeps, position);
  let [sweeps, begin, kind] = [done, history.sweeps[done - 1] ?? 0, null];
  let updates = history.updates.filter((end) => end > begin && end <= position).length;
  for (let k = last; k < position; k += 1) {
    kind = events.get(k)?.kind;
    if (kind === KIND.MESSAGE) updates += 1;
    else if (kind === KIND.SWEEP) [sweeps, updates, begin] = [sweeps + 1, 0, k + 1];
  }
  // Too many to be sent one by one.
  if (!history.updates.length && last > 0) return sweepsAt(stage, position);
  const within = events.get(position - 1)?.kind < KIND.MESSAGE ? 0.5 : 0;
  return sweeps + (updates + within) / (graph.nodes.length + 1);
};

const sweepsUntil = (ends, position) => ends.filter((end) => end <= position).length;

// The last complete sweep before the event shown, and by how much LB rose in it; null if there is none.
export const lastSweep = ({ history, player }) => {
  const done = sweepsUntil(history.sweeps, player.position);
  return done ? { number: done, rise: Math.max(history.gains[done - 1], 0) } : null;
};

// LB of the run to compare with, after as many complete sweeps as here; null if there are none, or it is not known.
export const otherThen = ({ history, player, parent }) => {
  const sweeps = sweepsUntil(history.sweeps, player.position);
  const value = sweeps > 0 ? parent?.lower[parent.sweep.findIndex((at) => at > sweeps - CLOSE)] : undefined;
  return value === undefined ? null : { sweeps, value };
};

// LB after a number of sweeps, those before its beginning included; as far as they are known one by one.
export const lowerAfter = ({ history, graph, data }, sweeps) => {
  const own = history.gains.slice(0, Math.max(sweeps - data.clocked.begins, 0));
  return own.reduce((lower, gain) => lower + gain, graph.lower);
};

// Points in sight, and one more at either end; of those that share a pixel, the last.
export const inSight = (points, [from, to], pixels) => {
  const starts = (i) => (points[i + 1] || [Infinity])[0] >= from;
  const ends = (i) => (points[i - 1] || [-Infinity])[0] <= to;
  const seen = points.filter(([k], i) => (k >= from || starts(i)) && (k <= to || ends(i)));
  const pixel = ([k]) => Math.floor(((k - from) / (to - from || 1)) * pixels);
  return seen.filter((point, i) => i === seen.length - 1 || pixel(point) !== pixel(seen[i + 1]));
};
