// Updates of the past as rounds of floor and ceiling, read from the events held, the latest first.

import { KIND } from "../kinds.js";

const WIDEST = 400; // events looked at

// The updates until an event of some index, each with its rounds, in order of time: as many rounds as wanted, if the
// events held reach back that far.
export const roundsUntil = (events, last, wanted) => {
  const updates = [];
  let [current, rounds] = [null, 0];
  for (let k = last; events.has(k) && k > last - WIDEST; k -= 1) {
    const event = events.get(k);
    if (event.kind === KIND.MESSAGE) current = ended(event);
    else if (event.kind < KIND.MESSAGE) current ??= { node: event.node, to: k + 1, lifted: null, told: [] };
    if (!current) continue;
    current.told.unshift(event);
    if (event.kind !== KIND.NODE_OPENED) continue;
    const update = unfolded(current, k);
    updates.unshift(update);
    rounds += update.rounds.length;
    current = null;
    if (rounds >= wanted) break;
  }
  return updates;
};

const ended = ({ node, index, lower }) => ({ node, to: index + 1, lifted: lower, told: [] });

// The floor before the answer of a round, the ceiling after it, and the exact cost where that is above the ceiling.
const unfolded = ({ node, to, lifted, told }, from) => {
  const rounds = [];
  let [y, lower] = [-1, told[0].lower];
  for (const event of told) {
    if (event.kind === KIND.MESSAGE && rounds.length === 0) {
      rounds.push({ from: event.index, floor: event.floor, ceiling: event.ceiling, exact: null });
    }
    if (event.kind === KIND.MESSAGE || event.depth > 0) continue;
    lower = event.lower;
    const isNew = event.kind === KIND.ORACLE && event.state !== y;
    if (isNew) {
      const exact = event.detail?.exact ?? null;
      rounds.push({ from: event.index, floor: event.floor, ceiling: event.ceiling, exact });
      y = event.state;
    }
  }
  const opened = told[0];
  if (!rounds.length) rounds.push({ from: opened.index, floor: opened.floor, ceiling: null, exact: null });
  const begun = { node, from, to, lower, lifted, rounds, opened: opened.floor };
  return begun;
};
