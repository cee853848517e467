// Updates of the past as rounds of floor and ceiling, read from the events held, the latest first.

import { KIND } from "../kinds.js";

// The updates up to an event, each with its rounds, in order of time: as many rounds as requested, if the stored events
// reach back that far.
export const roundsUntil = (events, last, count) => {
  const updates = [];
  let [current, rounds] = [null, 0];
  const close = (from) => {
    const update = unfolded(current, from);
    updates.unshift(update);
    rounds += update.rounds.length;
    current = null;
  };
  for (let k = last; events.has(k) && rounds < count; k -= 1) {
    const event = events.get(k);
    if (event.kind === KIND.MESSAGE) current = ended(event);
    else if (event.kind < KIND.MESSAGE) current ??= { node: event.node, to: k + 1, lifted: null, record: [] };
    current?.record.push(event);
    if (event.kind === KIND.NODE_OPENED) close(k);
  }
  if (current) close(current.record.at(-1).index);
  return updates;
};

const ended = ({ node, index, lower }) => ({ node, to: index + 1, lifted: lower, record: [] });

const roundOf = ({ index, floor, ceiling, detail }) => ({ from: index, floor, ceiling, exact: detail?.exact ?? null });

// The floor before the answer of a round, the ceiling after it, and the exact cost. Before its first answer an update
// has a floor alone; an exact variant has all at once when its messages pass.
const unfolded = ({ node, to, lifted, record: backwards }, from) => {
  const record = backwards.reverse();
  const rounds = [];
  let y = -1;
  for (const event of record) {
    if (event.kind !== KIND.ORACLE || event.depth > 0 || event.state === y) continue;
    rounds.push(roundOf(event));
    y = event.state;
  }
  if (!rounds.length) rounds.push(roundOf(record.at(-1)));
  return { node, from, to, lower: record.at(lifted === null ? -1 : -2)?.lower ?? lifted, lifted, rounds };
};
