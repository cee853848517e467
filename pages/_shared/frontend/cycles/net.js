// Variables and couplings. A coupling is a bar: its width is its cost, its filled part what it has lent to cycles. A
// variable with a field has a ring, which fills in the same way.

import { Camera } from "../camera.js";
import { isCrossing, stubs } from "../marks/link.js";
import { Picture } from "../marks/picture.js";
import { clamp, mix } from "../numbers.js";
import { number } from "../text.js";
import { isFound } from "./history.js";
import { TAKES, WALKS } from "./player.js";
import { triplets, walker } from "./triplets.js";

const MARGIN = 34; // pixels around the variables
const PICKED = 1500; // couplings up to which each can be pointed at
const [MOST, FEWER] = [3500, 1500]; // couplings up to which all are drawn, and how many of more
const NAMED = 24; // variables up to which their names are written
const AROUND = [14, 30]; // pixels of the ends of a line that goes around, at least and at most
const CORE = 0.35; // of the width of a coupling: the line that marks it as broken

const between = ([x, y], [u, v], share) => [mix(x, u, share), mix(y, v, share)];
const written = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
// The part of each piece of a line from one share of its length to another.
const partOf = (pieces, from, to) =>
  pieces.map(([a, b]) => `M${written(between(a, b, from))}L${written(between(a, b, to))}`).join("");

export class Net {
  constructor(picture) {
    this.owner = picture;
    this.svg = picture.$(".net svg");
    this.picture = new Picture(this.svg, "net", picture.tip);
    this.size = [0, 0];
    this.camera = new Camera(this);
    this.places = [];
  }

  // -- places -----------------------------------------------------------------------------------------------

  moved() {
    this.layout();
    this.owner.draw();
  }

  sight() {
    return this.size.map((side) => side / 2);
  }

  layout() {
    const { graph } = this.owner.history;
    const { width, height } = this.owner.sizes.of(this.svg);
    if (this.size[0] !== width || this.size[1] !== height) this.camera.refit(this.size, [width, height]);
    this.size = [width, height];
    const [wide, high] = this.size.map((side) => Math.max(side - 2 * MARGIN, 1));
    this.places = graph.x.map((x, i) => this.camera.see([MARGIN + x * wide, MARGIN + graph.y[i] * high]));
    const apart = Math.sqrt((wide * high) / Math.max(graph.x.length, 1)) * this.camera.scale;
    this.apart = apart;
    this.widest = clamp(apart * 0.16, 1.5, 10);
    this.radius = clamp(apart * 0.1, 2, 8);
    const most = Math.max(...graph.cost, 1e-300);
    this.widths = graph.cost.map((cost) => this.widest * (0.35 + (0.65 * cost) / most));
    // Where lines cover each other they are paler.
    const crowd = Math.sqrt(graph.cost.length / Math.max(2 * graph.x.length, 1));
    this.svg.style.setProperty("--faint", 0.28 / Math.max(crowd, 1));
    this.svg.style.setProperty("--full", 1 / Math.max(0.7 * crowd, 1));
    this.lines = graph.cost.map((_, edge) => this.line(edge));
    this.drawn = graph.cost.map(() => ({}));
    this.shown = this.drawnOf(graph.cost);
  }

  // The edges that are drawn, unless they are on a cycle that lights up: of too many, the costliest.
  drawnOf(cost) {
    const all = cost.map((_, edge) => edge);
    return cost.length <= MOST ? all : all.sort((a, b) => cost[b] - cost[a]).slice(0, FEWER);
  }

  // The pieces of an edge's line; null for the ring of a field.
  line(edge) {
    const { ends, names } = this.owner.history.graph;
    const [i, j] = [ends[2 * edge], ends[2 * edge + 1]];
    if (j === names.length || !this.places.length) return null;
    const [one, two] = [this.places[i], this.places[j]];
    return isCrossing(this.places, i, j) ? stubs(one, two, clamp(0.4 * this.apart, ...AROUND)) : [[one, two]];
  }

  // The path of an edge from one share of its length to another.
  path(edge, from, to) {
    if (this.lines[edge]) return partOf(this.lines[edge], from, to);
    const [x, y] = this.places[this.owner.history.graph.ends[2 * edge]];
    const r = this.radius + this.widths[edge] / 2 + 1;
    const at = (share) => [x + r * Math.sin(2 * Math.PI * share), y - r * Math.cos(2 * Math.PI * share)];
    const middle = (from + to) / 2;
    const arc = (share) => `A${r.toFixed(1)} ${r.toFixed(1)} 0 0 1 ${written(at(share))}`;
    return `M${written(at(from))}${arc(middle)}${arc(to - (to - from >= 1 ? 1e-4 : 0))}`;
  }

  // -- marks ------------------------------------------------------------------------------------------------

  draw(moment) {
    if (!this.places.length) return this.picture.draw([]);
    const edges = this.shown.map((edge) => this.edge(moment, edge));
    this.picture.draw([
      ...triplets(this, moment),
      ...this.halos(moment),
      ...edges.map(({ base }) => base),
      ...edges.map(({ fill }) => fill),
      ...edges.map(({ taken }) => taken),
      ...edges.map(({ core }) => core),
      ...edges.map(({ pick }) => pick),
      ...this.variables(moment),
      this.runner(moment) ?? walker(this, moment),
    ]);
  }

  // The marks of an edge; mostly those of the frame before.
  edge(moment, edge) {
    const { cost, opposite } = this.owner.history.graph;
    const { before, after, state, event } = moment;
    const lent = mix(before.lent[edge], after.lent[edge], moment.part(...TAKES));
    const from = event && isFound(event) ? before.lent[edge] : lent;
    const broken = state.broken[edge];
    const known = this.drawn[edge];
    if (known.lent === lent && known.from === from && known.broken === broken) return known;
    const look = `${opposite[edge] ? "opposite" : "equal"}${broken ? " broken" : ""}`;
    const width = this.widths[edge];
    const means = { what: "coupling", edge, lent, broken: Boolean(broken) };
    const [filled, taken] = [from, lent].map((of) => clamp(of / cost[edge], 0, 1));
    const made = (id, name, low, high, more = {}) =>
      high > low + 1e-9 && {
        ...{ id: `${id} ${edge}`, class: `${name} ${look}`, d: this.path(edge, low, high), "stroke-width": width },
        ...more,
      };
    return (this.drawn[edge] = {
      ...{ lent, from, broken },
      base: made("base", "cost", 0, 1, { means }),
      fill: made("fill", "fill", 0, filled),
      taken: made("taken", "taken", filled, taken, { class: `taken ${opposite[edge] ? "opposite" : ""}` }),
      core: broken && made("core", "core", 0, 1, { class: "core broken", "stroke-width": CORE * width }),
      pick: cost.length <= PICKED && this.pick(edge),
    });
  }

  pick(edge) {
    return {
      ...{ id: `pick ${edge}`, class: "pick", d: this.path(edge, 0, 1), "data-edge": edge },
      tip: () => this.tipOf(edge),
      hover: (on) => this.owner.point(on ? { edge } : null),
    };
  }

  tipOf(edge) {
    const { history, player } = this.owner;
    const { graph } = history;
    const { lent, broken, cycles, triplets: all } = player.moment().state;
    const users = cycles.filter(({ edges }) => edges.includes(edge)).length;
    const ends = graph.ends.slice(2 * edge, 2 * edge + 2);
    const around = all.filter(({ vertices }) => ends.every((v) => vertices.includes(v))).length;
    const wants = graph.opposite[edge] ? "opposite" : "equal";
    return [
      history.name(edge),
      `wants ${wants} ends; costs ${number(graph.cost[edge])} if broken`,
      history.by === "messages"
        ? `in ${around} triplet${around === 1 ? "" : "s"}`
        : `has lent ${number(lent[edge])} to ${users} cycle${users === 1 ? "" : "s"}, ` +
          `${number(Math.max(graph.cost[edge] - lent[edge], 0))} left`,
      ...(this.lines[edge] ? [] : ["a field is a coupling to one more variable, which is always 1"]),
      broken[edge] ? "broken by the best labelling" : "not broken by the best labelling",
    ];
  }

  variables({ state }) {
    const { names } = this.owner.history.graph;
    return this.places.flatMap(([cx, cy], i) => [
      {
        ...{ id: `variable ${i}`, class: `variable${state.values[i] ? "" : " is-0"}`, cx, cy, r: this.radius },
        tip: () => [names[i], `${state.values[i]} in the best labelling`],
      },
      names.length <= NAMED && {
        ...{ id: `name ${i}`, class: "variable-name", x: cx, y: cy - this.radius - 7, text: names[i] },
      },
    ]);
  }

  // -- the cycle of the event -------------------------------------------------------------------------------

  // Halos around the cycle that was found, as far as it has been walked, or around what is pointed at.
  halos(moment) {
    const pointed = this.pointed(moment.state).map((edge) => this.halo(edge, 1, "halo pointed", "pointed"));
    const { event } = moment;
    if (!event || !isFound(event) || event.triplets) return pointed;
    const walked = moment.part(...WALKS) * event.edges.length;
    const own = event.edges.map((edge, k) => this.halo(edge, clamp(walked - k, 0, 1), "halo", "halo", event.walk[k]));
    return [...own, this.jump(event, walked), ...pointed];
  }

  halo(edge, share, look, id, from = null) {
    if (share <= 0) return null;
    const { ends } = this.owner.history.graph;
    // Walked from its second end to its first.
    const [low, high] = from !== null && this.lines[edge] && from !== ends[2 * edge] ? [1 - share, 1] : [0, share];
    const d = this.path(edge, low, high);
    return { id: `${id} ${edge}`, class: look, d, "stroke-width": this.widths[edge] + 9 };
  }

  // Between the two fields of a cycle through the ghost nothing is drawn but this.
  jump({ walk }, walked) {
    const ghost = walk.indexOf(this.places.length);
    if (ghost < 0 || walked <= ghost) return null;
    const [a, b] = [walk.at(ghost - 1), walk[(ghost + 1) % walk.length]].map((v) => this.places[v]);
    return { id: "jump", class: "halo ghost", d: partOf([[a, b]], 0, 1), "stroke-width": 4 };
  }

  runner(moment) {
    const { event, t } = moment;
    if (!event || !isFound(event) || event.triplets || t >= WALKS[1]) return null;
    const walked = moment.part(...WALKS) * event.edges.length;
    const k = Math.min(Math.floor(walked), event.edges.length - 1);
    const ghost = this.places.length;
    const [a, b] = [event.walk[k], event.walk[(k + 1) % event.walk.length]];
    if (a === ghost || b === ghost) return null;
    const [cx, cy] = this.along(event.edges[k], a, walked - k);
    return { id: "runner", class: "runner", cx, cy, r: this.radius + 2, means: { what: "runner" } };
  }

  // The place on an edge at a share of its length from one of its ends.
  along(edge, from, share) {
    const pieces = this.lines[edge];
    const own = this.owner.history.graph.ends[2 * edge] === from ? pieces : pieces.toReversed();
    if (pieces.length === 2) return share < 0.5 ? between(...own[0], 2 * share) : between(...own[1], 2 - 2 * share);
    return own === pieces ? between(...pieces[0], share) : between(...pieces[0], 1 - share);
  }

  // The edges of what is pointed at: of a cycle, or of all cycles through an edge.
  pointed({ cycles }) {
    const { pointed } = this.owner;
    if (!pointed) return [];
    if (pointed.edges) return pointed.edges;
    const users = cycles.filter(({ edges }) => edges.includes(pointed.edge));
    return [...new Set([pointed.edge, ...users.flatMap(({ edges }) => edges)])];
  }
}
