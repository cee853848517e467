// Variables and couplings. A coupling is a bar: its width is its cost, its filled part what it has lent to cycles. A
// variable with a field has a ring, which fills in the same way.

import { Camera } from "../camera.js";
import { isCrossing, partOf, stubs, written } from "../marks/link.js";
import { isNew, Picture } from "../marks/picture.js";
import { clamp, mix } from "../numbers.js";
import { number } from "../text.js";
import { Grouping } from "./grouping.js";
import { isFound } from "./history.js";
import { TAKES } from "./player.js";
import { lit, triplets } from "./triplets.js";
import { Walk } from "./walk.js";

const MARGIN = 34; // pixels around the variables
const PICKED = 1500; // couplings up to which each can be pointed at
const [MOST, FEWER] = [3500, 1500]; // couplings up to which all are drawn, and how many of more
const NAMED = 24; // variables up to which their names are written
const AROUND = [14, 30]; // pixels of the ends of a line that goes around, at least and at most
const CIRCLES = [3, 16]; // pixels of the radius of a group, at least and at most
const MEASURED = 200; // places whose distance to the next one is measured
const CORE = 0.35; // of the width of a coupling: the line that marks it as broken

// The distance of a place to the one next to it, in the middle of those looked at: not all of many.
const nearest = (places) => {
  const every = Math.ceil(places.length / MEASURED);
  const apart = places
    .filter((_, i) => i % every === 0)
    .map((own) => Math.min(...places.map((other) => (other === own ? Infinity : distance(own, other)))));
  return apart.sort((a, b) => a - b)[Math.floor(apart.length / 2)] ?? Infinity;
};

const distance = ([x, y], [u, v]) => Math.hypot(x - u, y - v);

// From the back to the front.
const LAYERS = ["costs", "fills", "motion", "front"];

class Layer extends Picture {
  show(marks) {
    if (isNew(this, [marks.length, ...marks])) this.draw(marks);
  }
}

export class Net {
  constructor(picture) {
    this.owner = picture;
    // What moves is painted apart from what rests: painting a thousand couplings takes longer than a frame.
    const layer = (name) => new Layer(picture.$(`.net .${name}`), "net", picture.tip);
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, layer(name)]));
    this.svg = this.layers.front.root;
    this.size = [0, 0];
    this.camera = new Camera(this);
    this.walk = new Walk(this);
    Object.assign(this, { places: [], known: {}, grouping: null, isGrouped: false });
    this.buttons = picture.root.querySelectorAll("button[data-view]");
    for (const button of this.buttons) button.onclick = () => this.choose(button.dataset.view === "groups");
  }

  // -- views ------------------------------------------------------------------------------------------------

  // What is drawn is of another model, or other groups.
  begin({ graph, groups, grouped }) {
    // Made when it is first seen.
    Object.assign(this, { groups: null, gathered: () => new Grouping(graph, groups) });
    this.turn(grouped);
  }

  choose(isGrouped) {
    this.turn(isGrouped);
    this.owner.changed();
    this.owner.tell();
  }

  // To the view of groups, or back to that of variables.
  turn(isGrouped) {
    // Triplets of messages belong to no group.
    const isShown = isGrouped && this.owner.history.by === "program";
    if (isShown) this.groups ??= this.gathered();
    Object.assign(this, { isGrouped, grouping: isShown ? this.groups : null });
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String((button.dataset.view === "groups") === isGrouped));
    }
    this.owner.root.classList.toggle("grouped", isShown);
    this.layout();
  }

  // What the picture shows: that of variables, or of groups.
  get graph() {
    return this.grouping?.graph ?? this.owner.history.graph;
  }

  // -- places -----------------------------------------------------------------------------------------------

  moved() {
    this.layout();
    this.owner.moved();
  }

  sight() {
    return this.size.map((side) => side / 2);
  }

  layout() {
    const { graph } = this;
    // All layers are drawn in the same units.
    const [{ width, height }] = LAYERS.map((name) => this.owner.sizes.of(this.layers[name].root));
    if (this.size[0] !== width || this.size[1] !== height) this.camera.refit(this.size, [width, height]);
    this.size = [width, height];
    const [wide, high] = this.size.map((side) => Math.max(side - 2 * MARGIN, 1));
    this.places = graph.x.map((x, i) => this.camera.see([MARGIN + x * wide, MARGIN + graph.y[i] * high]));
    const evenly = Math.sqrt((wide * high) / Math.max(graph.x.length, 1)) * this.camera.scale;
    const apart = this.grouping ? Math.min(evenly, nearest(this.places)) : evenly;
    this.apart = apart;
    this.widest = clamp(apart * 0.16, 1.5, 10);
    this.radius = this.grouping ? clamp(apart * 0.16, ...CIRCLES) : clamp(apart * 0.1, 2, 8);
    const most = Math.max(...graph.cost, 1e-300);
    this.widths = graph.cost.map((cost) => this.widest * (0.35 + (0.65 * cost) / most));
    // Where lines cover each other they are paler.
    const crowd = Math.sqrt(graph.cost.length / Math.max(2 * graph.x.length, 1));
    const { style } = this.svg.parentElement;
    style.setProperty("--faint", 0.28 / Math.max(crowd, 1));
    style.setProperty("--full", 1 / Math.max(0.7 * crowd, 1));
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
    const { ends, names } = this.graph;
    const [i, j] = [ends[2 * edge], ends[2 * edge + 1]];
    if (j === names.length || !this.places.length) return null;
    const [one, two] = [this.places[i], this.places[j]];
    const goesAround = this.grouping ? this.grouping.goesAround[edge] : isCrossing(this.places, i, j);
    return goesAround ? stubs(one, two, clamp(0.4 * this.apart, ...AROUND)) : [[one, two]];
  }

  // The path of an edge from one share of its length to another.
  path(edge, from, to) {
    if (this.lines[edge]) return partOf(this.lines[edge], from, to);
    const [x, y] = this.places[this.graph.ends[2 * edge]];
    const r = this.radius + this.widths[edge] / 2 + 1;
    const at = (share) => [x + r * Math.sin(2 * Math.PI * share), y - r * Math.cos(2 * Math.PI * share)];
    const middle = (from + to) / 2;
    const arc = (share) => `A${r.toFixed(1)} ${r.toFixed(1)} 0 0 1 ${written(at(share))}`;
    return `M${written(at(from))}${arc(middle)}${arc(to - (to - from >= 1 ? 1e-4 : 0))}`;
  }

  // -- marks ------------------------------------------------------------------------------------------------

  draw(whole) {
    const moment = this.grouping ? this.grouping.moment(whole) : whole;
    const isDrawn = this.places.length > 0;
    const edges = isDrawn ? this.shown.map((edge) => this.edge(moment, edge)) : [];
    const { walk } = this;
    const { costs, fills, motion, front } = this.layers;
    costs.show([...(isDrawn ? triplets(this, moment) : []), ...edges.map(({ base }) => base)]);
    fills.show(edges.map(({ fill }) => fill));
    motion.show(isDrawn ? [...walk.marks(moment), ...edges.map(({ taken }) => taken), ...lit(this, moment)] : []);
    front.show([
      ...edges.map(({ core }) => core),
      ...edges.map(({ pick }) => pick),
      ...(isDrawn ? this.vertices(moment) : []),
    ]);
  }

  list() {
    return LAYERS.flatMap((name) => this.layers[name].list());
  }

  // The marks of an edge; mostly those of the frame before.
  edge(moment, edge) {
    const { cost } = this.graph;
    const { before, after, state, event } = moment;
    const lent = mix(before.lent[edge], after.lent[edge], moment.part(...TAKES));
    const from = event && isFound(event) ? before.lent[edge] : lent;
    const broken = state.broken[edge];
    const known = this.drawn[edge];
    if (known.lent === lent && known.from === from && known.broken === broken) return known;
    const wants = this.wants(edge);
    const look = `${wants}${broken && !this.grouping ? " broken" : ""}`;
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
      taken: made("taken", "taken", filled, taken, { class: `taken ${wants}` }),
      // Of couplings between groups, the part that is broken.
      core: broken && made("core", "core", 0, Number(broken), { class: "core broken", "stroke-width": CORE * width }),
      pick: cost.length <= PICKED && this.pick(edge),
    });
  }

  // What a coupling wants; those between two groups may want both.
  wants(edge) {
    const { opposite } = this.graph;
    return opposite ? (opposite[edge] ? "opposite" : "equal") : "mixed";
  }

  pick(edge) {
    const { grouping, owner } = this;
    const through = grouping ? grouping.members[edge] : [edge];
    return {
      ...{ id: `pick ${edge}`, class: "pick", d: this.path(edge, 0, 1), "data-edge": edge },
      tip: () => (grouping ? grouping.tipOf(edge, owner.moment().state) : this.tipOf(edge)),
      hover: (on) => owner.point(on ? { through } : null),
    };
  }

  tipOf(edge) {
    const { history } = this.owner;
    const { graph } = history;
    const { lent, broken, cycles, triplets: all } = this.owner.moment().state;
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
      ...(graph.ends[2 * edge + 1] < graph.names.length
        ? []
        : ["a field is a coupling to one more variable, which is always 1"]),
      broken[edge] ? "broken by the best labelling" : "not broken by the best labelling",
    ];
  }

  // Mostly those of the frame before.
  vertices({ state }) {
    const { names } = this.graph;
    if (!isNew(this.known, [this.drawn, state.values])) return this.known.marks;
    return (this.known.marks = this.places.flatMap(([cx, cy], i) => [
      { ...(this.grouping ? this.group(i) : this.variable(i, state.values[i])), cx, cy, r: this.radius },
      names.length <= NAMED && {
        ...{ id: `name ${i}`, class: "variable-name", x: cx, y: cy - this.above(i), text: names[i] },
      },
    ]));
  }

  // Pixels from a vertex to its name, above its ring.
  above(i) {
    const ring = this.grouping?.rings[i];
    return this.radius + 7 + (ring === undefined ? 0 : this.widths[ring]);
  }

  variable(i, value) {
    const tip = () => [this.graph.names[i], `${value} in the best labelling`];
    return { id: `variable ${i}`, class: `variable${value ? "" : " is-0"}`, tip };
  }

  group(k) {
    return { id: `group ${k}`, class: "group", tip: () => this.grouping.tipOfGroup(k), means: { what: "group", k } };
  }
}
