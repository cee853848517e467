// The circles of the groups: in each the bits of a state, and a mark that says which state it is.

import { partText } from "../../gap.js";
import { clamp } from "../../numbers.js";
import { tension as tint } from "../../palette.js";
import { proofOf } from "../play/moment.js";
import { contentMarks, LARGE } from "./content.js";
import { GLYPHS } from "./glyphs.js";
import { shareOf } from "./measures.js";
import { nameMarks } from "./names.js";

const DOTS = 8; // bits that are dots; more are a strip
const ROOM = 14; // radius in pixels from which on a circle has room for bits
const SMALLEST = { crowded: 6, usual: 7 }; // radius in pixels
const LARGEST = { usual: 24, few: 80, zoomed: 240 };
export const FEW = 4; // groups up to which circles show their content at once

const bitsOf = (state, size) => Array.from({ length: size }, (_, k) => Math.floor(state / 2 ** k) % 2).join("");

// The distance of the nearest two circles.
export const nearestOf = (at, width) => {
  let nearest = width;
  at.forEach(([x, y], p) => {
    for (const [u, v] of at.slice(p + 1)) nearest = Math.min(nearest, Math.hypot(x - u, y - v));
  });
  return nearest;
};

// As large as the nearest two circles leave room for, and the more the closer one looks.
export const radiusFor = (nearest, count, scale, crowded) => {
  if (crowded) return SMALLEST.crowded;
  const [share, most] = count <= FEW ? [0.3, LARGEST.few] : [0.36, LARGEST.usual];
  return clamp(share * nearest * scale, SMALLEST.usual, Math.min(most * scale, LARGEST.zoomed));
};

// The states of each group that are known and count now: in the best labelling, y*, a neighbour's answer.
const statesOf = (graph, moment) => {
  const best = moment.best ?? [];
  const out = graph.nodes.map((_, p) => (p in best ? { best: best[p] } : {}));
  const { update, act, t } = moment;
  if (!update || act === "start" || moment.over) return out;
  const asking = act === "floor" && t < 0.35;
  const y = asking ? moment.before.update?.y : update.y;
  const shown = asking && (!update.round || y === undefined) ? null : y;
  if (shown !== null) out[update.node]["y*"] = shown;
  const answered =
    (act === "answer" && t >= 0.35) || act === "rows" || act === "deep" || (act === "pass" && !moment.passed);
  if (!answered || !update.answers) return out;
  update.senders.forEach((q, slot) => {
    out[q].answer = update.answers[slot].state;
  });
  return out;
};

// The one that a small circle shows, and of which kind it is.
const latestOf = (states, size) => {
  const kind = ["answer", "y*", "best"].find((each) => states[each] !== undefined);
  return kind && { kind, bits: bitsOf(states[kind], size) };
};

// A decided bit is the same in all labellings that are better.
const lookOf = (decided, k) => (decided && decided[k] !== "?" ? "decided " : "");

// Where a bit of some is in a circle.
export const dotAt = ([x, y], radius, k, count) => {
  const turn = (2 * Math.PI * k) / count - Math.PI / 2;
  const off = count === 1 ? 0 : 0.57 * radius;
  return { cx: x + off * Math.cos(turn), cy: y + off * Math.sin(turn) };
};

const dots = (p, at, radius, { bits, kind }, decided) =>
  [...bits].map((bit, k) => ({
    id: `bit-${p}-${k}`,
    class: `bit ${lookOf(decided, k)}${kind === "best" ? "best" : "asked"} is-${bit}`,
    ...dotAt(at, radius, k, bits.length),
    r: bits.length === 1 ? 0.4 * radius : Math.min(0.21 * radius, (1.5 * radius) / bits.length),
  }));

const strip = (p, [x, y], radius, { bits, kind }) => {
  const step = (1.5 * radius) / bits.length;
  return [...bits].map((bit, k) => {
    const height = (bit === "1" ? 0.9 : 0.25) * radius;
    const place = { x: x - 0.75 * radius + k * step, width: 0.8 * step, y: y + 0.45 * radius - height, height };
    return {
      id: `bit-${p}-${k}`,
      class: `bit strip ${kind === "best" ? "best" : "asked"} is-1`,
      ...place,
    };
  });
};

const badge = (p, [x, y], radius, { kind, bits }) => ({
  id: `badge-${p}`,
  class: `badge ${kind === "y*" ? "y" : kind}`,
  d: GLYPHS[kind](x + 0.78 * radius, y - 0.78 * radius, kind === "best" ? 5.5 : 7),
  means: { what: kind, group: p, bits },
});

export const circleMarks = (pane, moment, { groups, top }) => {
  const { stage, at, radius, crowded } = pane;
  const { graph, dark, arc } = stage;
  const chosen = arc >= 0 ? graph.edges[arc >> 1][arc & 1] : -1;
  const active = activeOf(moment);
  const proof = proofOf(moment);
  const states = !crowded && radius >= ROOM ? statesOf(graph, moment) : [];
  return graph.nodes.flatMap(({ label, size: bits, members, inner }, p) => {
    if (!pane.shows(at[p], radius)) return [];
    const [cx, cy] = at[p];
    const colour = groups ? tint(shareOf(groups[p], top), dark) : null;
    const classes = ["node", crowded && "crowded", p === active && "active", p === chosen && "chosen"];
    const body = {
      id: `node-${p}`,
      class: classes.filter(Boolean).join(" "),
      ...{ cx, cy, r: radius, fill: crowded ? colour : null, stroke: crowded ? null : colour },
      ...{ "data-node": p, tabindex: crowded ? "-1" : "0", role: "button", "aria-label": label },
      means: { what: "tension", group: p, value: groups ? groups[p] : null },
      press: () => pane.pressed(p),
      hover: (on) => stage.highlight(on ? { group: p } : null),
      tip: () => [
        label,
        `${bits} variables, ${2 ** bits} states`,
        ...tipLines(moment, p, graph),
        members.join(", "),
        ...omitted(inner),
      ],
    };
    const settled = states[p] || crowded ? null : settledMark(p, at[p], radius, moment.decided?.[p]);
    const [gold, r] = [{ class: "ring proven", opacity: proof }, radius + 3.5];
    const proven = proof > 0 && { id: `proven-${p}`, ...gold, cx, cy, r };
    const ring = p === active && { id: "ring", class: "ring", cx, cy, r: radius + 4.5 };
    const content = states[p] ? inside(pane, p, states[p], moment.decided?.[p]) : [];
    const name = pane.names[p];
    const named = name?.fits || p === active || stage.highlighted?.group === p;
    const part = groups && partText(groups[p], moment, graph.scale);
    const names = named ? nameMarks(p, name, p === active, more(radius, part)) : [];
    // The halo of a name must not cut the rim of its circle.
    return [...names, proven, ring, body, settled, ...content];
  });
};

// In a circle that has no room for its bits: a disc whose area is the share of its variables that are decided.
const settledMark = (p, [cx, cy], radius, members) => {
  const share = members ? decidedIn(members) / members.length : 0;
  const means = { what: "decided", group: p, value: share };
  const r = Math.sqrt(share) * (radius - 3);
  return share > 0 && { id: `settled-${p}`, class: "settled", cx, cy, r, means };
};

const decidedIn = (members) => members.length - members.split("?").length + 1;

const omitted = (inner) => (inner?.left ? [`the ${inner.left} weakest of its inner couplings are not drawn`] : []);

// Below the name of a large circle: its share of the gap.
const more = (radius, part) => (radius >= LARGE && part ? [`inside ${part}`] : []);

// The content of a large circle; in a small one the bits of its latest state.
const inside = ({ stage, at, radius }, p, states, decided) => {
  const { nodes, variables } = stage.graph;
  const { inner, size, members } = nodes[p];
  if (radius >= LARGE && inner) {
    return contentMarks(p, at[p], radius, { inner, names: members, decided }, states, variables.spins);
  }
  const latest = latestOf(states, size);
  if (!latest) return [];
  return [...(size <= DOTS ? dots : strip)(p, at[p], radius, latest, decided), badge(p, at[p], radius, latest)];
};

const tipLines = (moment, p, { scale }) => [
  ...(moment?.tension ? [`inside it: ${partText(moment.tension.groups[p], moment, scale)} of the gap`] : []),
  ...(moment?.decided ? [`${decidedIn(moment.decided[p])} of its variables decided`] : []),
];

// The group that is being updated.
export const activeOf = ({ update, after }) => update?.node ?? (after.proven ? -1 : (after.node ?? -1));
