// The circles of the groups: in each the bits of a state, and a mark that says which state it is.

import { tension as tint } from "../../palette.js";
import { short } from "../../text.js";
import { proofOf } from "../play/moment.js";
import { shareOf } from "./measures.js";

const DOTS = 8; // bits that are dots; more are a strip
const ROOM = 14; // radius in pixels from which on a circle has room for bits
const NAMED = 24; // characters of a name below its circle; the tip has all of it
const LINE = 15; // pixels between lines of a name
const LETTER = 7.4; // pixels that a letter takes, about
const NARROW = 400; // pixels of width below which names take two lines

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

const bitsOf = (state, size) => Array.from({ length: size }, (_, k) => Math.floor(state / 2 ** k) % 2).join("");

// As large as the nearest two circles leave room for.
export const radiusFor = (at, width, crowded) => {
  if (crowded) return 6;
  let nearest = width;
  at.forEach(([x, y], p) => {
    for (const [u, v] of at.slice(p + 1)) nearest = Math.min(nearest, Math.hypot(x - u, y - v));
  });
  return clamp(0.36 * nearest, 11, 24);
};

// What each circle shows: its state, and of which kind that is.
const contents = (graph, moment) => {
  const best = moment.best ?? [];
  const out = graph.nodes.map(({ size }, p) => ({ kind: "best", bits: p in best ? bitsOf(best[p], size) : null }));
  const { update, act, t } = moment;
  if (!update || act === "start" || (act === "pass" && moment.passed)) return out;
  const asking = act === "floor" && t < 0.35;
  const y = asking ? moment.before.update?.y : update.y;
  const told = asking && (!update.round || y === undefined) ? null : y;
  if (told !== null) out[update.node] = { kind: "y*", bits: bitsOf(told, graph.nodes[update.node].size) };
  const heard =
    (act === "answer" && t >= 0.35) || act === "rows" || act === "deep" || (act === "pass" && !moment.passed);
  if (!heard || !update.answers) return out;
  update.senders.forEach((q, slot) => {
    out[q] = { kind: "answer", bits: update.answers[slot].bits };
  });
  return out;
};

const dots = (p, [x, y], radius, { bits, kind }) =>
  [...bits].map((bit, k) => {
    const turn = (2 * Math.PI * k) / bits.length - Math.PI / 2;
    const off = bits.length === 1 ? 0 : 0.57 * radius;
    const r = bits.length === 1 ? 0.4 * radius : Math.min(0.21 * radius, (1.5 * radius) / bits.length);
    const place = { cx: x + off * Math.cos(turn), cy: y + off * Math.sin(turn), r };
    return {
      id: `bit-${p}-${k}`,
      shape: "circle",
      class: `bit ${kind === "best" ? "best" : "asked"} is-${bit}`,
      ...place,
    };
  });

const strip = (p, [x, y], radius, { bits, kind }) => {
  const step = (1.5 * radius) / bits.length;
  return [...bits].map((bit, k) => {
    const height = (bit === "1" ? 0.9 : 0.25) * radius;
    const place = { x: x - 0.75 * radius + k * step, width: 0.8 * step, y: y + 0.45 * radius - height, height };
    return {
      id: `bit-${p}-${k}`,
      shape: "rect",
      class: `bit strip ${kind === "best" ? "best" : "asked"} is-1`,
      ...place,
    };
  });
};

// ◆ the best labelling, ▲ y*, ■ a neighbour's answer.
export const GLYPHS = {
  best: (x, y, r) => `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`,
  "y*": (x, y, r) => `M${x} ${y - r}l${1.1 * r} ${1.9 * r}h${-2.2 * r}z`,
  answer: (x, y, r) => `M${x - 0.8 * r} ${y - 0.8 * r}h${1.6 * r}v${1.6 * r}h${-1.6 * r}z`,
};

const badge = (p, [x, y], radius, { kind, bits }) => ({
  id: `badge-${p}`,
  shape: "path",
  class: `badge ${kind === "y*" ? "y" : kind}`,
  d: GLYPHS[kind](x + 0.78 * radius, y - 0.78 * radius, kind === "best" ? 5.5 : 7),
  means: { what: kind, group: p, bits },
});

// A name below its circle, moved sideways as far as it has to be in sight.
const nameMarks = (p, label, [x, y], radius, [width], bold) => {
  const cut = short(label, NAMED);
  const lines = width < NARROW ? cut.split(/ (?=\S+$)/) : [cut];
  return lines.map((text, k) => {
    const half = Math.min(LETTER * text.length, width) / 2;
    const place = { x: clamp(x, half, width - half), y: y + radius + LINE * (k + 1) };
    return { id: `name-${p}-${k}`, shape: "text", class: bold ? "node-name active" : "node-name", ...place, text };
  });
};

// The boxes of all names: left, top, right, bottom.
export const nameBoxes = ({ stage, at, radius, size }, active) =>
  stage.graph.nodes.flatMap(({ label }, p) =>
    nameMarks(p, label, at[p], radius, size, p === active).map(({ x, y, text }) => {
      const half = (LETTER * text.length) / 2;
      return { corners: [x - half, y - LINE + 3, x + half, y + 3], bold: p === active };
    }),
  );

export const circleMarks = (pane, moment, { groups, top }) => {
  const { stage, at, radius, crowded, size } = pane;
  const { graph, dark, arc } = stage;
  const chosen = arc >= 0 ? graph.edges[arc >> 1][arc & 1] : -1;
  const active = activeOf(moment);
  const proof = proofOf(moment, graph);
  const shown = !crowded && radius >= ROOM ? contents(graph, moment) : [];
  return graph.nodes.flatMap(({ label, size: bits, members }, p) => {
    const [cx, cy] = at[p];
    const colour = groups ? tint(shareOf(groups[p], top), dark) : null;
    const classes = ["node", crowded && "crowded", p === active && "active", p === chosen && "chosen"];
    const body = {
      id: `node-${p}`,
      shape: "circle",
      class: classes.filter(Boolean).join(" "),
      ...{ cx, cy, r: radius, fill: crowded ? colour : null, stroke: crowded ? null : colour },
      ...{ "data-node": p, tabindex: crowded ? "-1" : "0", role: "button", "aria-label": label },
      means: { what: "tension", group: p, value: groups ? groups[p] : null },
      press: () => pane.pressed(p),
      hover: (on) => stage.highlight(on ? { group: p } : null),
      tip: () => [label, `${bits} variables, ${2 ** bits} states`, ...told(moment, p), members.join(", ")],
    };
    const [gold, r] = [{ class: "ring proven", opacity: proof }, radius + 3.5];
    const proven = proof > 0 && { id: `proven-${p}`, shape: "circle", ...gold, cx, cy, r };
    const ring = p === active && { id: "ring", shape: "circle", class: "ring", cx, cy, r: radius + 4.5 };
    const content = shown[p]?.bits ? [...inside(p, at[p], radius, shown[p]), badge(p, at[p], radius, shown[p])] : [];
    const named = !crowded || p === active || stage.highlighted?.group === p;
    return [proven, ring, body, ...content, ...(named ? nameMarks(p, label, at[p], radius, size, p === active) : [])];
  });
};

const inside = (p, at, radius, shown) => (shown.bits.length <= DOTS ? dots : strip)(p, at, radius, shown);

const told = (moment, p) =>
  moment?.tension ? [`inside it: ${moment.tension.groups[p].toPrecision(4)} of the gap`] : [];

// The group that is being updated.
export const activeOf = (moment) => moment.update?.node ?? moment.after.node ?? -1;
