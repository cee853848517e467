// How far the bound has come: from the beginning of the puzzle to the least energy.

import { mix } from "../numbers.js";
import { hundredths } from "./words.js";

const [TOP, HIGH] = [24, 20]; // pixels
const MARGIN = 12; // pixels, at both ends
const NAME = 75; // pixels that half a name needs
const STAR = 7; // pixels, half of one: it stands at its place

// The score in words: within its bar where there is room, else beside it.
const scoreName = ({ level }, { now, low, score }) => {
  const isInside = now - low > NAME;
  const place = isInside ? { x: now - 6, "text-anchor": "end" } : { x: Math.max(now, low) + 6 };
  const text = `${level.price ? "score" : "LB"} ${hundredths(score)}`;
  return { id: "score name", class: isInside ? "score-name" : "lb-name", y: TOP + HIGH / 2 + 5, ...place, text };
};

// A goal on the way, and its name above or below.
const goalMarks = (name, { at, value, text, above, star = "", tip }, width) => {
  const isFar = at > width - NAME - (star ? NAME : 0);
  const anchor = isFar ? "end" : star || at < NAME ? "start" : "middle";
  const x = at + (star ? (isFar ? STAR : -STAR) : 0);
  const words = `${text} ${hundredths(value)}`;
  return [
    {
      ...{ id: name, class: `goal ${name}`, x1: at, x2: at, y1: TOP - (above ? 6 : 0) },
      ...{ y2: TOP + HIGH + (above ? 0 : 6), means: { what: name, value } },
    },
    {
      ...{ id: `${name} name`, class: `goal-name ${name}`, x, y: above ? TOP - 9 : TOP + HIGH + 19 },
      ...{ "text-anchor": anchor, text: isFar ? `${words} ${star}`.trim() : `${star} ${words}`.trim(), tip },
    },
  ];
};

export const trackMarks = (state, { width }, { moved, from }) => {
  const { puzzle, score } = state;
  const low = Math.min(puzzle.first, puzzle.par.score, from, score) - 1;
  const high = puzzle.optimum;
  const x = (value) => MARGIN + ((value - low) / (high - low)) * (width - 2 * MARGIN);
  const now = x(mix(from, score, moved));
  const { par, best } = puzzle;
  const engine = () => ["Par", "What the engine's own questions reach, if it has to stop after as many as you have"];
  const search = () => ["Best possible", "With these questions and turns, found by trying all plays"];
  const cheapest = () => ["Optimum", "The least energy: no bound can be higher"];
  // What passing now would add, by the columns as they are drawn; or what it is about to add.
  const gain = state.isOver ? 0 : Math.max(Math.min(...state.leastAt(moved)) - state.lower, 0);
  const offered = Math.max(now, x(score + gain));
  return [
    { id: "way", class: "track", x: x(low), y: TOP, width: x(high) - x(low), height: HIGH },
    {
      ...{ id: "score", class: "lb-bar now", x: x(low), y: TOP, width: Math.max(now - x(low), 0), height: HIGH },
      means: { what: "score", value: score },
    },
    {
      ...{ id: "offer", class: "lb-bar", x: now, y: TOP, width: offered - now, height: HIGH },
      means: { what: "offer", value: state.isOver ? score : state.offer },
    },
    {
      ...{ id: "optimum", class: "goal optimum", x1: x(high), x2: x(high), y1: TOP, y2: TOP + HIGH, tip: cheapest },
      means: { what: "optimum", value: high },
    },
    x(par.score) < x(high) - 2 * NAME && {
      ...{ id: "optimum name", class: "soft", x: x(high), y: TOP + HIGH + 19, "text-anchor": "end" },
      text: `optimum ${hundredths(high)}`,
    },
    ...goalMarks("par", { at: x(par.score), value: par.score, text: "par", above: false, tip: engine }, width),
    ...goalMarks(
      "best",
      { at: x(best.score), value: best.score, text: "best possible", above: true, star: "★", tip: search },
      width,
    ),
    // A number is never one between two of the game's.
    scoreName(state, { now, low: x(low), score: moved < 1 ? from : score }),
  ];
};
