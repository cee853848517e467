// The left pane: the hyper-graph, with the variables beside it or in its place.

import { arch, paintTie, straight, tie, tiePress } from "../marks/edge.js";
import { groupCircle } from "../marks/group.js";
import { ramp } from "../palette.js";
import { follow, pressable } from "../pressing.js";
import { make, Spotlight } from "../svg.js";
import { number, short } from "../text.js";
import { drawLegend, MEASURES, share } from "./looseness.js";
import { Variables } from "./variables.js";

const DRAG = 4; // pixels from which on a press is a drag
const STEP = 10; // pixels that a key moves a circle
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const INSIDE = 12; // pixels from a circle that is moved to the edges
const TOLD = 60; // characters of a name in the tip of a line
const LETTER = 7.6; // pixels that a letter takes, about
const NAMED = 24; // characters of a name beside its circle; the tip has all of it
const NARROW = 400; // pixels of width below which names take two lines
// Numbers above which circles are small; lines are left out by the keyboard; lines are faint and straight.
const CROWDED = { circles: 40, keys: 150, lines: 120 };

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export class Graph {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$("svg.hyper");
    this.variables = new Variables(stage, this);
    this.measure = "slack";
    this.view = "hyper";
    this.buttons = stage.root.querySelectorAll("button[data-view]");
    for (const button of this.buttons) button.onclick = () => this.look(button.dataset.view);
    stage.$("[data-act=measure]").onchange = (event) => {
      this.measure = event.target.value;
      stage.questions.ask("show");
    };
    stage.$("[data-act=tidy]").onclick = () => {
      localStorage.removeItem(this.place);
      this.layout();
    };
  }

  look(view) {
    this.view = view;
    this.stage.$(".views").dataset.view = view;
    for (const button of this.buttons) button.setAttribute("aria-pressed", button.dataset.view === view);
    this.layout();
  }

  // -- places -----------------------------------------------------------------------------------------------

  // Where a person has put the groups of this very hyper-graph.
  get place() {
    return `bender-lab:places:${this.stage.graph.key}`;
  }

  get moved() {
    try {
      return JSON.parse(localStorage.getItem(this.place) || "{}");
    } catch {
      return {};
    }
  }

  layout() {
    const { width, height } = this.svg.getBoundingClientRect();
    this.variables.layout(this.view);
    this.stage.$("[data-act=tidy]").hidden = !Object.keys(this.moved).length;
    if (!width || !height) return;
    this.size = [width, height];
    const { nodes, edges } = this.stage.graph;
    this.crowded = nodes.length > CROWDED.circles;
    this.many = edges.length > CROWDED.lines;
    this.at = this.places(nodes, width, height);
    this.svg.replaceChildren();
    this.halo = make(this.svg, "path", { class: "halo", visibility: "hidden" });
    this.pulse = make(this.svg, "path", { class: "pulse", visibility: "hidden" });
    this.ties = edges.map(() => tie(this.svg));
    this.picks = edges.map((_, e) => this.pickable(e));
    this.circles = nodes.map((_, p) => this.circle(p));
    this.active = new Spotlight(this.circles, "active");
    this.chosen = new Spotlight(this.circles, "chosen");
    edges.forEach((_, e) => {
      this.bend(e);
    });
    this.stage.draw();
  }

  places(nodes, width, height) {
    const below = width < NARROW ? 56 : 40;
    const [side, top, bottom] = this.crowded ? [20, 16, 20] : [Math.min(70, width / 5), 24, below];
    const at = nodes.map(({ x, y }) => [side + x * (width - 2 * side), top + y * (height - top - bottom)]);
    for (const [p, [x, y]] of Object.entries(this.moved)) if (at[p]) at[p] = [x * width, y * height];
    return at;
  }

  bend(e) {
    const [p, q] = this.stage.graph.edges[e];
    const d = this.many ? straight(this.at, p, q) : arch(this.at, p, q, this.size[0]);
    this.ties[e].setAttribute("d", d);
    this.picks[e].setAttribute("d", d);
  }

  // -- lines and circles ------------------------------------------------------------------------------------

  labels(e) {
    const { edges, nodes } = this.stage.graph;
    return edges[e].map((node) => nodes[node].label);
  }

  pickable(e) {
    const { stage } = this;
    const [p, q] = this.labels(e);
    const pick = tiePress(this.svg, e, `${p} to ${q}`, stage.graph.edges.length > CROWDED.keys);
    pressable(pick, () => stage.select(stage.arc >> 1 === e ? stage.arc ^ 1 : 2 * e));
    stage.tip.explain(pick, () => this.edgeTip(e));
    return pick;
  }

  circle(p) {
    const { label, size } = this.stage.graph.nodes[p];
    const cut = short(label, NAMED);
    const lines = this.size[0] < NARROW ? cut.split(/ (?=\S+$)/) : [cut];
    const name = lines.map((text) => ({ text, x: this.inside(p, text) - this.at[p][0] }));
    const group = groupCircle(this.svg, p, { label, size, at: this.at[p], crowded: this.crowded, name });
    this.touch(group, p);
    this.draggable(group, p);
    return group;
  }

  // Where the middle of a name has to be for all of it to be in sight, as near to its circle as that allows.
  inside(p, line) {
    const half = Math.min(LETTER * line.length, this.size[0]) / 2;
    return clamp(this.at[p][0], half, this.size[0] - half);
  }

  // A click on a circle or an area selects the loosest message of its group; the tip describes the group.
  touch(element, p) {
    const { label, size, members } = this.stage.graph.nodes[p];
    pressable(element, () => {
      if (!this.dragged) this.selectInto(p);
    });
    this.stage.tip.explain(element, () => [label, `${size} variables, ${2 ** size} states`, members]);
  }

  // Picking a group shows its loosest incoming message.
  selectInto(p) {
    const { player, events, graph } = this.stage;
    const { slack } = player.last() || events.origin || {};
    let best = -1;
    graph.edges.forEach(([a, b], e) => {
      if (a !== p && b !== p) return;
      const arc = 2 * e + (b === p ? 1 : 0);
      if (best < 0 || (slack && (slack[arc] || 0) > (slack[best] || 0))) best = arc;
    });
    if (best >= 0) this.stage.select(best);
  }

  edgeTip(e) {
    const { stage } = this;
    const [p, q] = this.labels(e);
    const event = stage.player.last() || stage.events.origin;
    if (!event) return [`${p} – ${q}`];
    if (stage.graph.exact) return [`${p} – ${q}`, "min-marginals are exact here"];
    const says = (arc) => (Number.isNaN(event.slack[arc]) ? "not looked at yet" : number(event.slack[arc]));
    const into = (name, arc) => `slack into ${short(name, TOLD)}: ${says(arc)}`;
    const title = `${short(p, TOLD)} – ${short(q, TOLD)}: ${event.rows[e]} rows`;
    const lines = [title, into(p, 2 * e), into(q, 2 * e + 1)];
    const { tightness } = stage;
    if (!tightness) return lines;
    const { name, value } = MEASURES[tightness.measure];
    return [...lines, `${name} at event ${tightness.at}: ${value(tightness.values[e])}`];
  }

  // -- moving circles ---------------------------------------------------------------------------------------

  draggable(group, p) {
    group.onpointerdown = (down) => {
      this.dragged = false;
      const [x, y] = this.at[p];
      const move = (event) => {
        const [dx, dy] = [event.clientX - down.clientX, event.clientY - down.clientY];
        if (!this.dragged && Math.hypot(dx, dy) < DRAG) return;
        this.dragged = true;
        this.move(p, x + dx, y + dy);
      };
      follow(move, () => {
        if (!this.dragged) return;
        this.keep(p);
        // The click that ends a drag selects nothing.
        setTimeout(() => {
          this.dragged = false;
        });
      });
    };
    // Arrows move the circle that the keyboard has come to; after a click they step, as everywhere.
    let held = false;
    group.addEventListener("focus", () => {
      held = group.matches(":focus-visible");
    });
    group.addEventListener("keydown", (event) => {
      const way = WAYS[event.key];
      if (!way || !held || event.altKey || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.stage.tip.hide();
      this.move(p, this.at[p][0] + STEP * way[0], this.at[p][1] + STEP * way[1]);
      this.keep(p);
    });
  }

  // Put a circle somewhere, with the lines that end there.
  move(p, x, y) {
    const [width, height] = this.size;
    this.at[p] = [clamp(x, INSIDE, width - INSIDE), clamp(y, INSIDE, height - INSIDE)];
    this.circles[p].setAttribute("transform", `translate(${this.at[p]})`);
    this.stage.graph.edges.forEach((edge, e) => {
      if (edge.includes(p)) this.bend(e);
    });
  }

  // Remember where a circle is now; the lines in whose way it is go around it.
  keep(p) {
    const [width, height] = this.size;
    const [x, y] = this.at[p];
    localStorage.setItem(this.place, JSON.stringify({ ...this.moved, [p]: [x / width, y / height] }));
    this.stage.$("[data-act=tidy]").hidden = false;
    this.stage.graph.edges.forEach((_, e) => {
      this.bend(e);
    });
    this.stage.draw();
  }

  // -- the state --------------------------------------------------------------------------------------------

  draw(state, event) {
    const { graph, arc } = this.stage;
    const [active, chosen] = [event ? event.node : -1, arc >= 0 ? graph.edges[arc >> 1][arc & 1] : -1];
    this.drawTies(state);
    this.trace(this.pulse, event && event.arc >= 0 ? event.arc >> 1 : -1);
    this.trace(this.halo, arc >> 1);
    this.active.turn(active);
    this.chosen.turn(chosen);
    this.variables.draw(active, chosen);
    drawLegend(this.stage, this.measure);
  }

  // Most lines look as they did an event ago; to say so again would cost the browser a frame.
  drawTies(state) {
    const { graph, tightness, dark } = this.stage;
    const scene = [this.measure, tightness, dark, this.ties];
    const before = this.scene?.every((part, k) => part === scene[k]) ? this.state : null;
    [this.scene, this.state] = [scene, state];
    this.ties.forEach((line, e) => {
      if (before && state && isSame(before, state, e)) return;
      const loose = share(this.stage, this.measure, state, e);
      const rows = state ? state.rows[e] : 0;
      const width = graph.exact ? 2 : 1 + (this.many ? 0.3 : 0.9) * Math.log2(1 + rows);
      paintTie(line, {
        colour: loose === null ? "var(--line)" : ramp(Math.sqrt(loose), dark),
        width: Math.min(width, 9),
        loose: loose > 1e-9,
        faint: this.many,
      });
    });
  }

  // Lay a mark under an edge, or hide it.
  trace(mark, edge) {
    mark.setAttribute("visibility", edge >= 0 ? "visible" : "hidden");
    if (edge >= 0) mark.setAttribute("d", this.ties[edge].getAttribute("d"));
  }
}

// Whether an edge has the same slack and the same rows in two states. Slack is NaN before the first look, and NaN does
// not equal itself.
const isSame = (before, now, e) =>
  Object.is(before.slack[2 * e], now.slack[2 * e]) &&
  Object.is(before.slack[2 * e + 1], now.slack[2 * e + 1]) &&
  before.rows[e] === now.rows[e];
