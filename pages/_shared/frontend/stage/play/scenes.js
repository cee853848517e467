// Events as scenes: the visible acts of an update. A scene goes from one position to another; the floor, at which
// nothing happens but a look at the lowest column, ends where it begins.

import { KIND, STOP } from "../kinds.js";

// Milliseconds at ×1, of the first round; a later round is quicker, as its pictures are known by then.
const LASTS = { start: 1500, floor: 1600, answer: 1900, rows: 1900, pass: 2200, deep: 1200, sweep: 900, finish: 2500 };
const LATER = 2 / 3;
const MUCH = 0.2; // share of what a round could lift the floor by from which on it is a main round
const WORTH = 0.01; // share of the gap by which LB rises in an update worth watching

const ACTS = { [KIND.NODE_OPENED]: "start", [KIND.ROW]: "rows", [KIND.MESSAGE]: "pass", [KIND.SWEEP]: "sweep" };
const PER_ROUND = new Set(["floor", "answer", "rows"]);

const actOf = ({ kind, depth }) => {
  if (depth > 0 && (kind === KIND.ORACLE || kind === KIND.ROW)) return "deep";
  return ACTS[kind] ?? (kind === KIND.ORACLE ? "answer" : "finish");
};

// Whether an event belongs to the current round: a row, or another answer at the same y*.
const isWithin = (event, y) => event.kind === KIND.ROW || (event.kind === KIND.ORACLE && event.state === y);

const isDeep = (event) => actOf(event) === "deep";

// Whether a round ends after the first k events; null if that is not known yet.
const endsRound = (events, k) => {
  const event = events.get(k - 1);
  if (event.kind >= KIND.MESSAGE) return true;
  if (event.kind === KIND.NODE_OPENED) return false;
  const next = events.get(k);
  return next ? !isWithin(next, event.update.y) : null;
};

// The position after one step, `first` at the least; null if the events held do not reach that far.
export const targetOf = (events, [position, first], grain, backward) => {
  const way = backward ? -1 : 1;
  for (let k = position + way; k > first; k += way) {
    const event = events.get(k - 1);
    if (!event) return null;
    const stops = grain === "round" ? endsRound(events, k) : event.kind >= STOP[grain];
    if (stops !== false) return stops && k;
  }
  return first;
};

const scene = (act, from, to, events) => {
  const update =
    act === "floor" ? (events.get(from)?.asks ?? events.get(from - 1)?.update) : events.get(to - 1)?.update;
  const round = update?.round ?? 0;
  return { act, from, to, round, ms: LASTS[act] * (PER_ROUND.has(act) && round > 0 ? LATER : 1) };
};

// The end of a run of events that `goesOn` with; null if the events held do not reach that far.
const endOf = (events, from, limit, goesOn) => {
  let to = from + 1;
  while (to < limit && events.has(to) && goesOn(events.get(to))) to += 1;
  return to === limit || events.has(to) ? to : null;
};

// The scene after another; it ends at `limit` at the latest. Null if the events held do not reach that far.
export const following = (events, before, limit) => {
  const from = before.to;
  const [last, next] = [events.get(from - 1), events.get(from)];
  if (before.act === "start") return scene("floor", from, from, events);
  if (!next || from >= limit || (from > 0 && !last)) return null;
  const act = actOf(next);
  if (act === "answer" && next.asks?.round > 0 && before.act !== "floor") return scene("floor", from, from, events);
  // Another answer at the same y*, and its rows.
  const again = act === "answer" && !next.asks && last?.kind !== KIND.NODE_OPENED;
  if (act === "deep") return ending("deep", from, endOf(events, from, limit, isDeep), events);
  if (act !== "rows" && !again) return scene(act, from, from + 1, events);
  const { y } = last.update;
  return ending(
    "rows",
    from,
    endOf(events, from, limit, (event) => isWithin(event, y) && !isDeep(event)),
    events,
  );
};

const ending = (act, from, to, events) => (to === null ? null : scene(act, from, to, events));

// The scene at a position where nothing moves: the end of the one that led there.
export const resting = (events, position) => {
  if (position === 0) return { act: "origin", from: 0, to: 0, round: 0, ms: 0 };
  const event = events.get(position - 1);
  if (!event) return { act: "unknown", from: position, to: position, round: 0, ms: 0 };
  if (event.kind === KIND.NODE_OPENED) return scene("floor", position, position, { get: (k) => k < position && event });
  const act = actOf(event);
  const again = act === "answer" && !event.asks && events.get(position - 2)?.kind === KIND.ROW;
  return scene(again ? "rows" : act, position - 1, position, events);
};

// Whether a scene belongs to a main round: one that lifts the floor much or ends an update, of an update that lifts LB.
export const isMain = (events, { act, from, to, round }) => {
  if (act === "deep" || act === "sweep") return false;
  if (act === "finish" || !isWorth(events, from)) return act === "finish";
  if (!PER_ROUND.has(act) || round === 0) return true;
  const [first, last] = roundAround(events, Math.min(from, to - 1), round);
  if (!last) return true;
  const next = events.get(last.index + 1);
  if (!next || next.kind === KIND.MESSAGE || isDeep(next)) return true;
  const before = first.asks ?? first.update;
  return last.update.floor - before.floor >= MUCH * (first.ceiling - before.floor);
};

// Whether the update around a position lifts LB by something; it may, where its end is not known yet.
const isWorth = (events, from) => {
  let k = from;
  while (events.has(k) && events.get(k).kind < KIND.MESSAGE) k += 1;
  const [before, end] = [events.get(from - 1) ?? events.origin, events.get(k)];
  return !end || !before || end.lower - before.lower >= WORTH * (before.upper - before.lower);
};

// The first and the last event held of a round.
const roundAround = (events, at, round) => {
  const isOf = (k) => events.get(k)?.update?.round === round;
  let first = isOf(at) ? at : at + 1;
  if (!isOf(first)) return [null, null];
  while (isOf(first - 1)) first -= 1;
  let last = first;
  while (isOf(last + 1)) last += 1;
  return [events.get(first), events.get(last)];
};
