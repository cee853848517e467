// The end of a run, or of a proof: the bounds of all runs of the line as one curve.

import { boundsOf } from "./history.js";

const [WIDE, HIGH] = [300, 180]; // pixels of a frame with room for words below the climb
const NAMED = 15; // pixels of a run whose number is written

// The climb of the bounds over the runs up to the one shown, with the best that are known of them: [events, LB, UB].
// Positions before the run shown are negative.
export const climbOf = (stage) => {
  const { all, at, before } = stage.chapters;
  let begin = -before;
  const points = all.slice(0, at).flatMap(({ event, lower, upper, length, kept }) => {
    const own = event.map((e, k) => [begin + e, Math.max(lower[k], kept?.lower ?? -Infinity), upper[k]]);
    begin += length;
    return own;
  });
  const shown = boundsOf(stage).map(([e, low, high]) => [e, stage.chapters.best(low), high]);
  let [best, least] = [-Infinity, Infinity];
  return [...points, ...shown].map(([e, low, high]) => {
    [best, least] = [Math.max(best, low), Math.min(least, high)];
    return [e, best, least];
  });
};

// Where the runs begin in a chart of them all.
export const chapterMarks = ({ box, x, stage }) => {
  let begin = 0;
  const places = stage.chapters.all.map(({ length }) => {
    begin += length;
    return x(begin - length);
  });
  return places.flatMap((at, k) => {
    if (at < box.left || at > box.right) return [];
    const wide = (places[k + 1] ?? box.right) - at;
    const name = { id: `chapter ${k} name`, class: "soft", x: at + 4, y: box.bottom - 5, text: String(k + 1) };
    return [{ id: `chapter ${k}`, class: "grid", x1: at, x2: at, y1: box.top, y2: box.bottom }, wide >= NAMED && name];
  });
};

// A point below the climb, which is steepest at first; null if there is no room for words.
export const belowClimb = ({ left, right, top, bottom }) => {
  const [width, height] = [right - left, bottom - top];
  return width < WIDE || height < HIGH ? null : [left + 0.7 * width, top + 0.7 * height];
};
