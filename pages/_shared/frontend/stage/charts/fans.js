// The fan of one update: its floor and its ceiling as steps, one per round, and the open range between them.

import { bar, clipped } from "../../marks/clip.js";

const LETTER = 7.2;

export const fanMarks = (fan, update) => {
  const { x, energy, box, stage, progress, moment } = fan;
  const { current, rounds, node, lower, from } = update;
  const age = current ? "" : " past";
  const id = (what, k = "") => `${what} ${from} ${k}`;
  const known = rounds.map((round, k) => shownOf(round, current && k === rounds.length - 1 ? progress : null));
  const end = current && progress ? progress.floor : update.lifted;
  const marks = known.map(({ floor, ceiling }, k) => {
    const { x0, x1 } = rounds[k];
    const certain = Math.max(floor, lower);
    if (ceiling === null || ceiling <= certain) return null;
    const area = bar(x(x0), x(x1) - x(x0), energy.y(ceiling), energy.y(certain), box);
    return area && cut({ id: id("open", k), class: `open${age}`, ...area }, box);
  });
  const floors = known.flatMap(({ floor }, k) => [
    [rounds[k].x0, floor],
    [rounds[k].x1, floor],
  ]);
  if (end !== null) floors.push([rounds.at(-1).x1, end]);
  const ceilings = known.flatMap(({ ceiling }, k) =>
    ceiling === null
      ? []
      : [
          [rounds[k].x0, ceiling],
          [rounds[k].x1, ceiling],
        ],
  );
  const line = (what, points) => {
    const d = clipped(
      points.map(([k, v]) => [x(k), energy.y(v)]),
      box,
    );
    return (
      d && {
        id: id(what),
        class: `${what}-steps${age}`,
        d,
        means: { what: `${what} steps`, node, values: points.map(([, v]) => v) },
      }
    );
  };
  if (!current || !progress || (progress.hasFloor && progress.run === 1))
    marks.push(line("floor", floors), line("ceiling", ceilings));
  return [...marks, ...above(), ...named()];

  function above() {
    return rounds.map(({ exact, ceiling, x0 }, k) => {
      const isOpen = current && k === rounds.length - 1 && progress && progress.rules < 1;
      if (exact === null || isOpen || exact <= ceiling + 1e-9 * Math.abs(ceiling)) return null;
      const [cx, cy] = [x(x0 + 0.5), energy.y(exact)];
      const isIn = cy >= box.top && cy <= box.bottom && cx >= box.left && cx <= box.right;
      return isIn && { id: id("beaten", k), class: `exact${age}`, cx, cy, r: 3.5 };
    });
  }

  function named() {
    const { label } = stage.graph.nodes[node];
    const [left, right] = [Math.max(x(update.x0), box.left), Math.min(x(update.x1), box.right)];
    const width = label.length * LETTER;
    const fits = current ? width <= box.right - box.left : width <= right - left + 4 && right <= fan.named - 4;
    const area = { x: left, width: Math.max(right - left, 1), y: box.top, height: box.bottom - box.top };
    const hit = { id: id("fan"), class: "hit", ...area, tip: () => [label, tipOf(update)] };
    if (!fits) return [hit];
    const at = current ? { x: right, "text-anchor": "end" } : { x: (left + right) / 2, "text-anchor": "middle" };
    const name = { class: current ? "fan-name" : "soft", ...at, y: box.bottom + 16, text: label };
    return [hit, { id: id("name"), ...name }];
  }

  function tipOf({ lifted }) {
    const count = `${rounds.length} ${rounds.length === 1 ? "round" : "rounds"}`;
    if (lifted === null || (current && !moment.passed)) return `${count} so far`;
    return `${count}; LB from ${energy.text(lower)} to ${energy.text(lifted)}`;
  }
};

// The present round is drawn as far as the moment has got.
const shownOf = ({ floor, ceiling }, progress) =>
  progress ? { floor, ceiling: progress.ceiling } : { floor, ceiling };

// A bar no wider than its box.
const cut = (mark, { left, right }) => {
  const [from, to] = [Math.max(mark.x, left), Math.min(mark.x + mark.width, right)];
  return to > from ? { ...mark, x: from, width: to - from } : null;
};
