// The states without a column: one curve of their lower bounds by rank, on a log axis, which the ceiling crosses.

import { clipped } from "../../marks/clip.js";
import { grouped } from "../../text.js";

const ROOM = 11; // pixels between a line and the middle of a text

// The lowest place of a text that lies on none of some lines.
const freeHeight = (lines, { top, bottom }) => {
  const isFree = (y) => lines.every((line) => Math.abs(line - y + 5) > ROOM);
  for (let y = bottom - 20; y > top + 10; y -= 4) if (isFree(y)) return y;
  return bottom - 20;
};

// The marks of the ground's tail.
export const tailMarks = ({ update, progress, columns, energy, box, limit, isExact, moment: { lower } }) => {
  const { rank, g } = update.tail;
  const { left, right, x } = columns.tail;
  const first = Math.max(rank.findIndex((r) => r >= columns.count) - 1, 0);
  const points = rank.slice(first).map((r, k) => [x(Math.max(r, columns.count)), energy.y(g[first + k])]);
  const { ceiling, suspects } = progress;
  const cut = limit === null ? box.top : Math.min(Math.max(energy.y(limit), box.top), box.bottom);
  const within = { left, right, top: box.top, bottom: box.bottom };
  const below = clipped(points, { ...within, top: cut });
  const above = clipped(points, { ...within, bottom: cut });
  const others = update.count - columns.count;
  const gone = update.count - suspects - 1;
  const isOpen = isExact || ceiling === null || suspects < 0;
  const words = isOpen ? `${grouped(others)} not drawn` : `${grouped(gone)} not cheaper`;
  const occupied = [lower, progress.floor, ceiling ?? lower].map((v) => energy.y(v));
  const middle = { x: right - 4, "text-anchor": "end" };
  return [
    above && { id: "tail above", class: "tail ruled-out", d: above },
    below && { id: "tail", class: "tail", d: below, means: { what: "tail", rank, value: g } },
    { id: "tail name", class: "tail-name", ...middle, y: freeHeight(occupied, box), text: words },
    (above || below) && {
      id: "tail axis",
      class: "soft",
      ...middle,
      y: box.bottom + 15,
      text: "by rank →",
    },
  ];
};
