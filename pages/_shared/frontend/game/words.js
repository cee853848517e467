// What the game says of moves and plays; the aims of its levels are in game.html.

import { NEAR, written } from "../friends/exact.js";
import { number } from "../text.js";

export const KINDS = { r: "RMC", m: "MWC" };

// Hundredths are enough to play with.
export const short = (value) => number(Math.round(value * 100) / 100);

const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

const change = (what, from, to) => {
  if (Math.abs(to - from) < NEAR) return `${what} stays at ${short(to)}`;
  return `${what} ${to > from ? "rises" : "falls"} from ${short(from)} to ${short(to)}`;
};

const passed = ({ last, level, asked }) => {
  const fell = last.to < last.from - NEAR ? ": its rows promise too little yet, and the score keeps the best LB" : "";
  const paid = level.price && asked ? `; ${counted(asked, "question")} cost ${short(level.price * asked)}` : "";
  return `The messages into ${last.passed} are passed. ${change("LB", last.from, last.to)}${fell}${paid}.`;
};

const answered = ({ last, board, level }) => {
  const table = board.tables.find(({ label }) => label[0] === last.table);
  const sender = board.tables.find(({ label }) => label[0] === last.sender);
  const about = written(last.state, table.friends.length);
  const kind = level.kinds.length > 1 ? ` (${KINDS[last.kind]})` : "";
  const row = `The row${kind} lifts ${counted(last.lifted, "column")}; ${change("the floor", last.from, last.to)}`;
  return `${sender.label}, asked about ${about}, adds exactly ${short(last.exact)}. ${row}.`;
};

// What the last move of a state did.
export const news = (state) => {
  const { last, bound } = state;
  if (!last) return "";
  if (last.merge) return `${last.merge[0]} and ${last.merge[1]} are one table now. ${change("LB", last.from, bound)}.`;
  return last.passed ? passed(state) : answered(state);
};

// How far a play got: `below` par, `par`, `above` it, or `best`.
export const verdictOf = ({ score }, { par, best }) => {
  if (score > best.score - NEAR) return "best";
  if (score > par.score + NEAR) return "above";
  return score > par.score - NEAR ? "par" : "below";
};

export const ending = (state, puzzle) => {
  const [score, par, best] = [state.score, puzzle.par.score, puzzle.best.score].map(short);
  return {
    best: `${score}: the best possible with these questions. The engine gets ${par}.`,
    above: `${score}: better than par. The engine gets ${par}, the best possible is ${best}.`,
    par: `${score}: par, as the engine. The best possible is ${best}.`,
    below: `${score}: below par. The engine gets ${par}, the best possible is ${best}.`,
  }[verdictOf(state, puzzle)];
};
