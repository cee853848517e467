// The variables, one dot each, filled where the best labelling has a 1, with their strongest couplings, those that it
// breaks or keeps, and the groups as areas around them.

import { hull } from "../../marks/hull.js";
import { make, Spotlight } from "../../svg.js";
import { bit, isBroken, isKept } from "./content.js";

const MARGIN = [24, 20]; // pixels beside and above
const FEW = 60; // variables up to which dots are large
const SPARSE = 400; // ends of couplings up to which lines are strong

const left = (count) => (count ? `The ${count.toLocaleString("en")} weakest couplings are not drawn.` : "");

const SIGNS = ["attractive", "repulsive"];

// Couplings from their ends in a row.
const linked = (ends, weight, line) =>
  Array.from({ length: ends.length / 2 }, (_, k) => {
    const [i, j] = [ends[2 * k], ends[2 * k + 1]];
    return { i, j, weight, d: line(i, j) };
  });

export class Variables {
  // `panes` handle a click on a group.
  constructor(stage, panes) {
    Object.assign(this, { stage, panes, svg: stage.$("svg.variables"), hulls: [] });
  }

  layout(view) {
    const known = this.stage.graph.variables;
    const { width, height } = this.stage.sizes.of(this.svg);
    this.note(view === "hyper" ? "" : known ? left(known.left) : "Too many variables to draw.");
    this.svg.replaceChildren();
    this.best = null;
    this.dots = [];
    this.hulls = known && width && height ? this.picture(known, width, height) : [];
    this.active = new Spotlight(this.hulls, "active");
    this.chosen = new Spotlight(this.hulls, "chosen");
  }

  note(text) {
    const note = this.stage.$(".views .none");
    Object.assign(note, { textContent: text, hidden: !text });
    note.classList.toggle("left", Boolean(this.stage.graph.variables));
  }

  // Draws all; returns the areas of the groups.
  picture({ x, y, group, names, ...couplings }, width, height) {
    const { nodes } = this.stage.graph;
    const [beside, above] = MARGIN;
    const at = x.map((_, i) => [beside + x[i] * (width - 2 * beside), above + y[i] * (height - 2 * above)]);
    // Where groups lie across each other only the one looked at is filled.
    const crossed = this.crossing(at, group);
    const hulls = nodes.map(({ colour }, p) => {
      const members = at.filter((_, i) => group[i] === p);
      const area = hull(this.svg, p, members, colour);
      area.classList.toggle("crossed", crossed);
      this.panes.touch(area, p);
      return area;
    });
    const line = (i, j) => `M${at[i].map(Math.round)}L${at[j].map(Math.round)}`;
    this.couplings = SIGNS.flatMap((sign, k) => linked(couplings[sign], k ? 1 : -1, line));
    for (const sign of SIGNS) this.path(sign, couplings[sign].length < SPARSE ? 0.7 : 0.12);
    for (const fate of ["broken", "kept"]) this.path(fate, 1);
    this.trace("attractive", ({ weight }) => weight < 0);
    this.trace("repulsive", ({ weight }) => weight > 0);
    const r = at.length <= FEW ? 6 : 4.5;
    this.dots = at.map(([cx, cy], i) => {
      const { colour, label } = nodes[group[i]];
      const dot = make(this.svg, "circle", { class: "variable", cx, cy, r, fill: colour, stroke: colour });
      dot.onclick = () => this.panes.selectInto(group[i]);
      const value = () => (this.values ? [`${this.values[i]} in the best labelling`] : []);
      this.stage.tip.explain(dot, () => [names[i], `in ${label}`, ...value()]);
      return dot;
    });
    return hulls;
  }

  path(name, opacity) {
    this.paths ??= {};
    this.paths[name] = make(this.svg, "path", { class: name, "stroke-opacity": opacity });
  }

  // Draw those couplings as one path.
  trace(name, isOne) {
    const chosen = this.couplings.filter(isOne).map(({ d }) => d);
    this.paths[name].setAttribute("d", chosen.join(""));
  }

  // The picture of the labelling: the variables that are 1, and the couplings that it breaks or keeps.
  label(best, decided) {
    if (!this.dots.length || !best || (best === this.best && decided === this.decided)) return;
    Object.assign(this, { best, decided });
    const { group, bit: place, spins } = this.stage.graph.variables;
    this.values = group.map((p, i) => bit(best[p], place[i]));
    const { values } = this;
    this.dots.forEach((dot, i) => {
      dot.classList.toggle("is-0", values[i] === 0);
      dot.classList.toggle("decided", Boolean(decided) && decided[group[i]][place[i]] !== "?");
    });
    this.trace("broken", ({ weight, i, j }) => isBroken(weight, values[i], values[j], spins));
    this.trace("kept", ({ weight, i, j }) => isKept(weight, values[i], values[j], spins));
  }

  // Whether many variables lie within the bounding box of a group that is not theirs.
  crossing(at, group) {
    const boxes = new Map();
    at.forEach(([x, y], i) => {
      const [a, b, c, d] = boxes.get(group[i]) || [x, x, y, y];
      boxes.set(group[i], [Math.min(a, x), Math.max(b, x), Math.min(c, y), Math.max(d, y)]);
    });
    let strangers = 0;
    at.forEach(([x, y], i) => {
      for (const [p, [a, b, c, d]] of boxes) strangers += p !== group[i] && x >= a && x <= b && y >= c && y <= d;
    });
    return strangers > at.length;
  }

  draw(active, chosen, { best, decided }) {
    this.label(best, decided);
    this.active.turn(active);
    this.chosen.turn(chosen);
  }
}
