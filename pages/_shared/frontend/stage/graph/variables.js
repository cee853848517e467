// The variables, one dot each, with their strongest couplings and the groups as areas around them.

import { hull } from "../../marks/hull.js";
import { make, Spotlight } from "../../svg.js";

const MARGIN = [24, 20]; // pixels beside and above
const FEW = 60; // variables up to which dots are large
const SPARSE = 400; // ends of couplings up to which lines are strong

export class Variables {
  // `panes` are asked what a click on a group does.
  constructor(stage, panes) {
    Object.assign(this, { stage, panes, svg: stage.$("svg.variables"), hulls: [] });
  }

  layout(view) {
    const known = this.stage.graph.variables;
    const { width, height } = this.svg.getBoundingClientRect();
    this.stage.$(".views .none").hidden = view === "hyper" || Boolean(known);
    this.svg.replaceChildren();
    this.hulls = known && width && height ? this.picture(known, width, height) : [];
    this.active = new Spotlight(this.hulls, "active");
    this.chosen = new Spotlight(this.hulls, "chosen");
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
    for (const sign of ["attractive", "repulsive"]) this.couplings(sign, couplings[sign], at);
    at.forEach(([cx, cy], i) => {
      const { colour, label } = nodes[group[i]];
      const r = at.length <= FEW ? 6 : 4.5;
      const dot = make(this.svg, "circle", { class: "variable", cx, cy, r, fill: colour });
      dot.onclick = () => this.panes.selectInto(group[i]);
      this.stage.tip.explain(dot, () => [names[i], `in ${label}`]);
    });
    return hulls;
  }

  couplings(sign, ends, at) {
    let d = "";
    for (let k = 0; k < ends.length; k += 2) d += `M${at[ends[k]].map(Math.round)}L${at[ends[k + 1]].map(Math.round)}`;
    make(this.svg, "path", { class: sign, d, "stroke-opacity": ends.length < SPARSE ? 0.7 : 0.12 });
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

  draw(active, chosen) {
    this.active.turn(active);
    this.chosen.turn(chosen);
  }
}
