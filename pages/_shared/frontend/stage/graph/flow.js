// The passage from a run to its fork: the groups of the old run become those of the new one. Circles and names flow
// together; decided variables move to their cells of the solution, and variables that go to another group, or are tied
// to a variable there, leave a trail.

import { clamp, mix } from "../../numbers.js";
import { calm } from "../play/player.js";
import { sum } from "../charts/sums.js";
import { circleMarks, dotAt } from "./circles.js";
import { bit as bitOf } from "./content.js";
import { courses } from "./lines.js";
import { meets } from "./names.js";

const MS = 2400;
// Shares of that time in which the decided leave and arrive, partners are tied, circles flow, and followers become one
// with them.
const [LEAVES, GONE, TIES, FLOWS, FADES] = [
  [0, 0.45],
  [0.45, 0.55],
  [0, 0.1],
  [0.4, 1],
  [0.8, 1],
];
const MOST = 2000; // variables that are seen one by one
const DOT = 3.5; // pixels: radius of a variable that was not seen
const [RIM, WIDE] = [5, 30]; // pixels of a tie beside a circle, and of its width at most

const eased = (t, [from, to]) => {
  const u = clamp((t - from) / (to - from), 0, 1);
  return u * u * (3 - 2 * u);
};

const between = (a, b, share) => a.map((value, axis) => mix(value, b[axis], share));

const isBody = ({ id }) => id.startsWith("node-");

export class Flow {
  constructor(pane) {
    Object.assign(this, { pane, before: null });
  }

  get isOn() {
    return this.before !== null;
  }

  // Another run arrives while the pane shows the old one. `came`: how the groups of the old one continue.
  begin(origin) {
    const { pane } = this;
    const { stage, at, radius, names, crowded, many } = pane;
    this.before = null;
    const moment = origin && origin.run === stage.run && stage.moment();
    if (!moment || !pane.runs || pane.view === "variables" || calm.matches || stage.player.speed === Infinity) return;
    const seen = { graph: stage.graph, dark: stage.dark, arc: -1, highlighted: null };
    const known = { moment, measure: pane.measuredAt(moment), whole: pane.places.whole, at };
    this.before = { ...origin, ...known, stage: seen, radius, names, crowded, many };
    this.since = null;
    const next = () => {
      if (!this.isOn) return;
      if (this.share >= 1 || !stage.root.isConnected) this.end();
      else stage.draw();
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }

  // How much of the time has passed; it begins when the circles that have come are placed.
  get share() {
    this.since ??= performance.now();
    return Math.min((performance.now() - this.since) / MS, 1);
  }

  // Circles have arrived, or somebody looks at something else.
  end() {
    if (!this.isOn) return;
    this.before = null;
    this.pane.layout();
    this.pane.stage.chapters.goOn();
  }

  draw() {
    const { pane, before } = this;
    const { camera, places, size } = pane;
    this.t = this.share;
    const share = eased(this.t, FLOWS);
    const at = before.whole.map((from, p) => camera.see(between(from, places.whole[before.owner[p]] ?? from, share)));
    const runs = courses(before.stage.graph.edges, at, size[0], before.many);
    pane.drawLines(before.measure, runs, before.many);
    const names = this.named(at);
    const radius = mix(before.radius, pane.radius, eased(this.t, FADES));
    pane.halos.draw(this.ties(at, radius));
    const shows = pane.shows.bind(pane);
    const marks = circleMarks({ ...before, at, radius, names, shows }, before.moment, before.measure).filter(Boolean);
    this.part(marks, at);
  }

  // The ties of circles that become one, drawn before they move.
  ties(at, radius) {
    const { owner } = this.before;
    const { nodes } = this.pane.stage.graph;
    return nodes.flatMap(({ colour }, group) => {
      const partners = owner.flatMap((to, p) => (to === group ? [p] : []));
      if (partners.length < 2) return [];
      const middle = [0, 1].map((axis) => sum(partners.map((p) => at[p][axis])) / partners.length);
      const look = { class: "halo ties", stroke: colour, "stroke-width": Math.min(2 * (radius + RIM), WIDE) };
      const d = partners.map((p) => `M${middle}L${at[p]}`).join("");
      const means = { what: "ties", group, partners };
      return [{ id: `ties-${group}`, ...look, d, opacity: eased(this.t, TIES), means }];
    });
  }

  // The variables that leave their circles, and all else.
  part(marks, at) {
    const { pane, before } = this;
    const leaving = before.leaving.length > MOST ? [] : before.leaving;
    const own = new Map(leaving.map((each) => [`${each[0]}-${each[1]}`, each]));
    const seen = new Map();
    const staying = marks.filter((mark) => {
      const key = mark.id.match(/^(?:bit|variable)-(\d+-\d+)/)?.[1];
      if (own.has(key) && "cx" in mark) seen.set(key, mark);
      return !own.has(key);
    });
    const going = staying.filter(({ id }) => id !== "ring").map((mark) => this.going(mark));
    // The content of a circle stays visible where another circle comes to lie on it.
    pane.circles.draw([...going.filter(isBody), ...going.filter((mark) => !isBody(mark))]);
    const dots = [...own].map(([key, each]) => this.dot(seen.get(key) ?? this.unseen(each, at), each));
    pane.over.draw([...pane.solution.marks(before.stage.graph, before.moment), ...dots.flat()]);
  }

  // The names beside their circles; where two meet on their way, only the first one is seen.
  named(at) {
    const { names, at: from } = this.before;
    const seen = [];
    return names.map((name, p) => {
      if (!name?.fits) return null;
      const box = name.box.map((value, k) => value + at[p][k % 2] - from[p][k % 2]);
      if (seen.some((other) => meets(box, other))) return null;
      seen.push(box);
      return { ...name, box };
    });
  }

  // A mark of a circle on its way, which cannot be pressed; of a group that does not go on it fades.
  going(mark) {
    const group = this.before.owner[mark.id.split("-")[1]];
    const means = isBody(mark) ? { what: "flowing", group } : null;
    const fading = group === -1 && { opacity: 1 - eased(this.t, FLOWS) };
    return { ...mark, press: null, hover: null, tip: null, "data-node": null, means, ...fading };
  }

  // A variable in a circle that shows none.
  unseen([group, bit], at) {
    const { moment, stage, radius } = this.before;
    const value = moment.best ? bitOf(moment.best[group], bit) : "";
    return { class: `bit best is-${value}`, r: DOT, ...dotAt(at[group], radius, bit, stage.graph.nodes[group].size) };
  }

  placeIn(group, bit) {
    const { camera, places, radius, stage } = this.pane;
    const { cx, cy } = dotAt(camera.see(places.whole[group]), radius, bit, stage.graph.nodes[group].size);
    return [cx, cy];
  }

  // A variable on its way: to its cell of the solution, or to where it, or the one it follows, is to be.
  dot(from, [group, bit, to, place]) {
    const means = { what: "leaving", group, bit, to };
    const mark = { ...from, id: `leaving-${group}-${bit}`, class: `${from.class} leaving`, means };
    const { before, pane, t } = this;
    const isDecided = to < 0;
    const there = isDecided ? pane.solution.cellOf(before.stage.graph, group, bit) : this.placeIn(to, place);
    const [cx, cy] = between([from.cx, from.cy], there, eased(t, isDecided ? LEAVES : FLOWS));
    const opacity = 1 - eased(t, isDecided ? GONE : FADES);
    const moved = { ...mark, cx, cy, opacity };
    if (isDecided) return [{ ...moved, class: `${mark.class} decided` }];
    const stroke = pane.stage.graph.nodes[to].colour;
    const line = { x1: from.cx, y1: from.cy, x2: cx, y2: cy, means: { what: "trail", to } };
    return [{ id: `trail-${group}-${bit}`, class: "trail", ...line, stroke, opacity }, moved];
  }
}
