// The lines of the hyper-graph: their courses and colours, and the areas that take presses.

import { bow, pathOf, straight, straightPathOf } from "../../marks/edge.js";
import { tension } from "../../palette.js";
import { number, short } from "../../text.js";
import { MEASURES, shareOf } from "./measures.js";

const SHADES = 25;
const TOLD = 60; // characters of a name in the tip of a line

// The courses of all lines: the path, and the place at a share of the way from the first group to the second.
export const courses = (edges, at, width, many) =>
  edges.map(([p, q]) => {
    const points = many ? straight(at, p, q) : bow(at, p, q, width);
    const [[x0, y0], [cx, cy], [x1, y1]] = points;
    const place = (u) => {
      const [a, b, c] = [(1 - u) ** 2, 2 * u * (1 - u), u ** 2];
      return [a * x0 + b * cx + c * x1, a * y0 + b * cy + c * y1];
    };
    const d = (many ? straightPathOf : pathOf)(points);
    return { d, place, length: Math.hypot(x1 - x0, y1 - y0), ends: [x0, y0, x1, y1] };
  });

// Coloured and as wide as the measure says; grey where it is not known.
export const lineMarks = (runs, { edges, top, measure }, styleOf) =>
  runs.map(({ d }, e) => ({
    id: `line-${e}`,
    class: "tie",
    d,
    ...styleOf(edges ? shareOf(edges[e], top) : 0),
    means: { what: measure, edge: e, value: edges ? edges[e] : null },
  }));

export const wide =
  ({ edges }, dark) =>
  (share) => ({ stroke: edges ? tension(share, dark) : null, "stroke-width": 1.5 + 7.5 * share ** 2 });

// Where lines are many, they are thin and in one of a few shades, which are drawn faster than any.
export const shadeOf = (share) => Math.round(share * (SHADES - 1));

export const thinStyles = ({ edges }, dark) =>
  Array.from({ length: edges ? SHADES : 1 }, (_, shade) => {
    const share = shade / (SHADES - 1);
    return { stroke: edges ? tension(share, dark) : null, "stroke-width": 0.8 + 3 * share ** 2 };
  });

export const pickMarks = (runs, stage) => {
  const { graph } = stage;
  return runs.map(({ d }, e) => {
    const [p, q] = graph.edges[e].map((node) => graph.nodes[node].label);
    return {
      id: `pick-${e}`,
      class: "pick",
      d,
      "data-edge": e,
      role: "button",
      tabindex: "0",
      "aria-label": `${p} to ${q}`,
      ...answering(stage, e),
    };
  });
};

// The reaction of a line to the pointer.
export const answering = (stage, e) => ({
  press: () => stage.select(nextArc(stage, e)),
  hover: (on) => stage.highlight(on ? { edge: e } : null),
  tip: () => edgeTip(stage, e),
});

// A first press pins one direction of an edge, a second the other, a third none.
const nextArc = ({ arc }, e) => {
  if (arc >> 1 !== e || arc < 0) return 2 * e;
  return arc === 2 * e ? 2 * e + 1 : -1;
};

const edgeTip = (stage, e) => {
  const { graph, tightness, player } = stage;
  const [p, q] = graph.edges[e].map((node) => short(graph.nodes[node].label, TOLD));
  const moment = player.moment();
  if (!moment) return [`${p} – ${q}`];
  const made = moment.state.rows[2 * e] + moment.state.rows[2 * e + 1];
  const rows = graph.exact ? "messages are exact here" : `${made} rows`;
  const lines = [`${p} – ${q}: ${rows}`];
  if (moment.tension) lines.push(`tension: ${number(moment.tension.edges[e])} of the gap`);
  if (!tightness || tightness.at !== player.position) return lines;
  const { name, value } = MEASURES[tightness.measure];
  return [...lines, `${name} at event ${tightness.at}: ${value(tightness.values[e])}`];
};

// A wide mark under a line.
export const haloMark = (runs, e, kind) => ({ id: `${kind}-${e}`, class: `halo ${kind}`, d: runs[e].d });
