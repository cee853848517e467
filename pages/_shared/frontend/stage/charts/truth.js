// The exact values of a message: at y*, once the sender has answered, and at all states, on request. Values above the
// frame are arrows at its edge.

import { mix } from "../../numbers.js";

export const truthMarks = (message) => [...atAll(message), atEvaluated(message)];

const atAll = ({ update, columns, slot, box, charts, y }) =>
  update.columns.flatMap(({ state }) => {
    const value = charts.exact.of(state)?.[slot];
    const x = columns.of(state);
    if (value === undefined || x === null || y(value) > box.bottom) return [];
    const means = { what: "nu", arc: update.arcs[slot], state, value };
    return [mark(`nu ${state}`, "nu other", [x, y(value), 3], box, means)];
  });

const atEvaluated = ({ update, columns, progress, slot, box, y }) => {
  if (!update.nu || progress.dot === 0) return null;
  const value = update.nu[slot];
  const at = y(mix(update.known[slot], value, progress.dot));
  const x = columns.of(update.y);
  if (x === null || at > box.bottom) return null;
  return mark("nu", "nu", [x, at, 5.5], box, { what: "nu", arc: update.arcs[slot], state: update.y, value });
};

const mark = (id, kind, [x, y, r], { top }, means) => {
  if (y >= top - 8) return { id, class: kind, cx: x, cy: y, r, means };
  const arrow = `M${x - r} ${top - 3}l${r} ${-1.3 * r}l${r} ${1.3 * r}m${-r} ${-1.3 * r}v${2 * r}`;
  return { id, class: `${kind} off-scale`, d: arrow, means };
};
