// What the game says of moves and plays; the aims of its levels are in game.html.

import { NEAR, written } from "../friends/exact.js";
import { number } from "../text.js";

export const KINDS = { r: "RMC", m: "MWC" };

// Hundredths are enough to play with. "…": there are more digits, so that no bound is overstated.
export const hundredths = (value) => {
  const nearest = Math.round(value * 100) / 100;
  if (Math.abs(nearest - value) < NEAR) return number(nearest);
  return `${(Math.trunc(value * 100) / 100).toFixed(2).replace("-", "−")}…`;
};

const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

// A number with more digits ends its sentence.
const ended = (text) => (text.endsWith("…") ? text : `${text}.`);

const change = (what, from, to) => {
  if (Math.abs(to - from) < NEAR) return ended(`${what} stays at ${hundredths(to)}`);
  return ended(`${what} ${to > from ? "rises" : "falls"} from ${hundredths(from)} to ${hundredths(to)}`);
};

const passed = ({ last, level, asked }) => {
  const [floor, before, after] = [last.floor, last.from, last.to].map(hundredths);
  const rises = last.to > last.from + NEAR;
  const now = rises
    ? `LB rises from ${before} to the floor, ${after}`
    : `LB stays at ${after}: the floor is ${last.floor < last.to - NEAR ? "only" : "also"} ${floor}`;
  const paid = level.price && asked ? ` ${counted(asked, "question")} cost ${hundredths(level.price * asked)}.` : "";
  return `${last.passed}'s messages are passed. ${ended(now)}${paid}`;
};

const answered = ({ last, board, level }) => {
  const table = board.tables.find(({ label }) => label[0] === last.table);
  const sender = board.tables.find(({ label }) => label[0] === last.sender);
  const about = written(last.state, table.friends.length);
  const kind = level.kinds.length > 1 ? ` (${KINDS[last.kind]})` : "";
  const row = `The row${kind} lifts ${counted(last.lifted, "column")}; ${change("the floor", last.from, last.to)}`;
  const other = last.other ? " Dashes: where the other kind of row would be." : "";
  return `${sender.label} adds exactly ${hundredths(last.exact)} to state ${about}. ${row}${other}`;
};

const merged = ({ merge: [a, b], from, to }) => {
  const can = to > from + NEAR ? "could not have" : "can have";
  return `${a} and ${b} are one table now. They ${can} all their lowest costs at once: ${change("LB", from, to)}`;
};

// What the last move of a state did.
export const news = (state) => {
  const { last } = state;
  if (!last) return "";
  if (last.merge) return merged(last);
  return last.passed ? passed(state) : answered(state);
};

// How far a play got: `below` par, `par`, `above` it, or `best`.
export const verdictOf = ({ score }, { par, best }) => {
  if (score > best.score - NEAR) return "best";
  if (score > par.score + NEAR) return "above";
  return score > par.score - NEAR ? "par" : "below";
};

export const ending = (state, puzzle) => {
  const [score, par, best] = [state.score, puzzle.par.score, puzzle.best.score].map(hundredths);
  const goal = `The best possible is ${best}`;
  return ended(
    {
      best: `You have reached ${score}, the best possible. Par is ${par}`,
      above: `You have reached ${score}, better than par: ${par}. ${goal}`,
      par: `You have reached ${score}: par, the same as the engine. ${goal}`,
      below: `You have reached ${score}, below par: ${par}. ${goal}`,
    }[verdictOf(state, puzzle)],
  );
};
