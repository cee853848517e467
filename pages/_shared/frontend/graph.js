// The left pane: the hyper-graph, the variables with the groups as hulls around them, or both.

const MEASURES = {
  slack: { name: "slack at y*", from: "0", to: (top) => `≥ ${number(top, 3)}` },
  mean: { name: "mean slack", from: "0", to: (top) => `≥ ${number(top, 3)}` },
  largest: { name: "largest slack", from: "0", to: (top) => `≥ ${number(top, 3)}` },
  loose: { name: "tight states", from: "all", to: () => "none" },
};
// Okabe-Ito: groups next to each other can be told apart by the colour-blind; hulls tell the same by shape.
const GROUP_COLOURS = ["#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#F0E442", "#999999"];
const DRAG = 4; // pixels from which on a press is a drag
const STEP = 10; // pixels that a key moves a circle
const TOLD = 60; // characters of a name in the tip of a line
const LETTER = 7.6; // pixels that a letter takes, about
const NAMED = 24; // characters of a name beside its circle; the tip has all of it
const NARROW = 400; // pixels of width below which names take two lines

// The corners of the convex hull of some points, in order.
const hull = (points) => {
  const sorted = [...points].sort(([a, b], [c, d]) => a - c || b - d);
  const half = (list) => {
    const out = [];
    for (const [x, y] of list) {
      while (out.length > 1) {
        const [[a, b], [c, d]] = out.slice(-2);
        if ((c - a) * (y - b) - (d - b) * (x - a) > 0) break;
        out.pop();
      }
      out.push([x, y]);
    }
    return out.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
};

class Graph {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$("svg.hyper");
    this.second = stage.$("svg.variables");
    this.measure = "slack";
    this.view = "hyper";
    for (const button of stage.root.querySelectorAll("button[data-view]")) button.onclick = () => this.look(button.dataset.view);
    stage.$("[data-act=measure]").onchange = (event) => {
      this.measure = event.target.value;
      stage.command("show");
    };
    stage.$("[data-act=tidy]").onclick = () => {
      localStorage.removeItem(this.place);
      this.layout();
    };
  }

  look(view) {
    this.view = view;
    this.stage.$(".views").dataset.view = view;
    for (const button of this.stage.root.querySelectorAll("button[data-view]")) button.setAttribute("aria-pressed", button.dataset.view === view);
    this.layout();
  }

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
    const known = this.stage.graph.variables;
    this.stage.$(".views .none").hidden = this.view === "hyper" || Boolean(known);
    this.drawVariables(known);
    this.stage.$("[data-act=tidy]").hidden = !Object.keys(this.moved).length;
    if (!width || !height) return;
    this.size = [width, height];
    const { nodes, edges } = this.stage.graph;
    this.crowded = nodes.length > 40;
    this.crowdedEdges = edges.length > 150;
    const margin = { x: this.crowded ? 20 : Math.min(70, width / 5), top: this.crowded ? 16 : 24, bottom: this.crowded ? 20 : width < NARROW ? 56 : 40 };
    this.at = nodes.map((n) => [
      margin.x + n.x * (width - 2 * margin.x),
      margin.top + n.y * (height - margin.top - margin.bottom),
    ]);
    for (const [p, [x, y]] of Object.entries(this.moved)) if (this.at[p]) this.at[p] = [x * width, y * height];
    this.svg.replaceChildren();
    this.halo = make(this.svg, "path", { class: "halo", visibility: "hidden" });
    this.pulse = make(this.svg, "path", { class: "pulse", visibility: "hidden" });
    this.ties = edges.map(() => make(this.svg, "path", { class: "tie" }));
    this.picks = edges.map((_, e) => this.pickable(e));
    this.circles = nodes.map((_, p) => this.circle(p));
    edges.forEach((_, e) => this.bend(e));
    this.stage.draw();
  }

  bend(e) {
    const { edges } = this.stage.graph;
    const [p, q] = edges[e];
    const d = edges.length > 120 ? `M${this.at[p]}L${this.at[q]}` : arch(this.at, p, q, this.size[0]);
    this.ties[e].setAttribute("d", d);
    this.picks[e].setAttribute("d", d);
  }

  pickable(e) {
    const { stage } = this;
    const [p, q] = stage.graph.edges[e].map((node) => stage.graph.nodes[node].label);
    const pick = make(this.svg, "path", { class: "pick", "data-edge": e, tabindex: this.crowdedEdges ? -1 : 0, role: "button", "aria-label": `${p} to ${q}` });
    pick.classList.toggle("unpainted", this.crowdedEdges);
    pressable(pick, () => stage.select(stage.arc >> 1 === e ? stage.arc ^ 1 : 2 * e));
    stage.explain(pick, () => this.edgeTip(e));
    return pick;
  }

  circle(p) {
    const n = this.stage.graph.nodes[p];
    const radius = (this.crowded ? 3 : 8) + (this.crowded ? 0.5 : 0.8) * n.size;
    const group = make(this.svg, "g", { class: "node", transform: `translate(${this.at[p]})`, "data-node": p, tabindex: this.crowded ? -1 : 0, role: "button", "aria-label": n.label });
    make(group, "circle", { class: "ring", r: radius + 4 });
    make(group, "circle", { class: "body", r: radius });
    if (!this.crowded) {
      make(group, "text", { class: "bits", y: 5 }, String(n.size));
      const name = short(n.label, NAMED);
      const lines = this.size[0] < NARROW ? name.split(/ (?=\S+$)/) : [name];
      lines.forEach((line, k) => make(group, "text", { x: this.inside(p, line) - this.at[p][0], y: radius + 16 * (k + 1) }, line));
    }
    this.touch(group, p);
    this.draggable(group, p);
    return group;
  }

  // Where the middle of a name has to be for all of it to be in sight, as near to its circle as that allows.
  inside(p, line) {
    const half = Math.min(LETTER * line.length, this.size[0]) / 2;
    return Math.min(Math.max(this.at[p][0], half), this.size[0] - half);
  }

  // A click on whatever stands for a group selects its loosest message; hovering tells what it is.
  touch(element, p) {
    const n = this.stage.graph.nodes[p];
    pressable(element, () => { if (!this.dragged) this.selectInto(p); });
    this.stage.explain(element, () => [n.label, `${n.size} variables, ${2 ** n.size} states`, n.members]);
  }

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
      const drop = () => {
        removeEventListener("pointermove", move);
        removeEventListener("pointerup", drop);
        if (!this.dragged) return;
        this.keep(p);
        // The click that ends a drag selects nothing.
        setTimeout(() => { this.dragged = false; });
      };
      addEventListener("pointermove", move);
      addEventListener("pointerup", drop);
    };
    // Arrows move the circle that the keyboard has come to; after a click they step, as everywhere.
    let held = false;
    group.addEventListener("focus", () => { held = group.matches(":focus-visible"); });
    group.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!way || !held || event.altKey || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.stage.tip(null);
      this.move(p, this.at[p][0] + STEP * way[0], this.at[p][1] + STEP * way[1]);
      this.keep(p);
    });
  }

  // Put a circle somewhere, with the lines that end there.
  move(p, x, y) {
    const [width, height] = this.size;
    this.at[p] = [Math.min(Math.max(x, 12), width - 12), Math.min(Math.max(y, 12), height - 12)];
    this.circles[p].setAttribute("transform", `translate(${this.at[p]})`);
    this.stage.graph.edges.forEach((edge, e) => { if (edge.includes(p)) this.bend(e); });
  }

  // Remember where a circle is now; the lines in whose way it is go around it.
  keep(p) {
    const [width, height] = this.size;
    localStorage.setItem(this.place, JSON.stringify({ ...this.moved, [p]: [this.at[p][0] / width, this.at[p][1] / height] }));
    this.stage.$("[data-act=tidy]").hidden = false;
    this.stage.graph.edges.forEach((_, e) => this.bend(e));
    this.stage.draw();
  }

  drawVariables(known) {
    const { width, height } = this.second.getBoundingClientRect();
    this.second.replaceChildren();
    this.hulls = [];
    if (!known || !width || !height) return;
    const few = known.x.length <= 60;
    const at = known.x.map((x, i) => [24 + x * (width - 48), 20 + known.y[i] * (height - 40)]);
    // Where groups lie across each other only the one looked at is filled.
    const crossed = this.crossing(at, known.group);
    this.hulls = this.stage.graph.nodes.map((_, p) => {
      const corners = hull(at.filter((_point, i) => known.group[i] === p));
      const colour = GROUP_COLOURS[p % GROUP_COLOURS.length];
      const area = make(this.second, "path", { class: "hull", d: `${path(corners)}Z`, fill: colour, stroke: colour, "data-node": p });
      area.classList.toggle("crossed", crossed);
      this.touch(area, p);
      return area;
    });
    for (const sign of ["attractive", "repulsive"]) {
      const ends = known[sign];
      let d = "";
      for (let k = 0; k < ends.length; k += 2) d += `M${at[ends[k]].map(Math.round)}L${at[ends[k + 1]].map(Math.round)}`;
      make(this.second, "path", { class: sign, d, "stroke-opacity": ends.length < 400 ? 0.7 : 0.12 });
    }
    at.forEach(([cx, cy], i) => {
      const p = known.group[i];
      const dot = make(this.second, "circle", { class: "variable", cx, cy, r: few ? 6 : 4.5, fill: GROUP_COLOURS[p % GROUP_COLOURS.length] });
      dot.onclick = () => this.selectInto(p);
      this.stage.explain(dot, () => [known.names[i], `in ${this.stage.graph.nodes[p].label}`]);
    });
  }

  // Whether many variables lie within the bounding box of a group that is not theirs.
  crossing(at, group) {
    const boxes = new Map();
    at.forEach(([x, y], i) => {
      const [a, b, c, d] = boxes.get(group[i]) || [x, x, y, y];
      boxes.set(group[i], [Math.min(a, x), Math.max(b, x), Math.min(c, y), Math.max(d, y)]);
    });
    let strangers = 0;
    at.forEach(([x, y], i) => boxes.forEach(([a, b, c, d], p) => { strangers += p !== group[i] && x >= a && x <= b && y >= c && y <= d; }));
    return strangers > at.length;
  }

  // Picking a node shows its loosest incoming message.
  selectInto(p) {
    const { slack } = this.stage.last() || this.stage.origin || {};
    let best = -1;
    this.stage.graph.edges.forEach(([a, b], e) => {
      if (a !== p && b !== p) return;
      const arc = 2 * e + (b === p ? 1 : 0);
      if (best < 0 || (slack && (slack[arc] || 0) > (slack[best] || 0))) best = arc;
    });
    if (best >= 0) this.stage.select(best);
  }

  edgeTip(e) {
    const { stage } = this;
    const [p, q] = stage.graph.edges[e].map((node) => stage.graph.nodes[node].label);
    const event = stage.last() || stage.origin;
    if (!event) return [`${p} – ${q}`];
    const says = (arc) => (Number.isNaN(event.slack[arc]) ? "not looked at yet" : number(event.slack[arc]));
    if (stage.graph.exact) return [`${p} – ${q}`, "min-marginals are exact here"];
    const into = (name, arc) => `slack into ${short(name, TOLD)}: ${says(arc)}`;
    const lines = [`${short(p, TOLD)} – ${short(q, TOLD)}: ${event.rows[e]} rows`, into(p, 2 * e), into(q, 2 * e + 1)];
    const { tightness } = stage;
    if (tightness) lines.push(`${MEASURES[tightness.measure].name} at event ${tightness.at}: ${this.measured(tightness, e)}`);
    return lines;
  }

  measured({ measure, values }, e) {
    return measure === "loose" ? `${number(100 * (1 - values[e]), 3)} %` : number(values[e]);
  }

  // How loose an edge is, as a share of the scale; null where nobody has looked.
  share(state, e) {
    const { graph, tightness } = this.stage;
    const top = graph.slack_scale || 1;
    if (this.measure !== "slack") {
      if (!tightness || tightness.measure !== this.measure) return null;
      return this.measure === "loose" ? tightness.values[e] : Math.min(tightness.values[e] / top, 1);
    }
    if (!state) return null;
    const [into, back] = [state.slack[2 * e], state.slack[2 * e + 1]];
    return Number.isNaN(into) && Number.isNaN(back) ? null : Math.min(Math.max(into || 0, back || 0) / top, 1);
  }

  draw(state, event) {
    this.drawTies(state);
    this.trace(this.pulse, event && event.arc >= 0 ? event.arc >> 1 : -1);
    const { graph, arc } = this.stage;
    this.trace(this.halo, arc >> 1);
    this.mark("active", event ? event.node : -1);
    this.mark("chosen", arc >= 0 ? graph.edges[arc >> 1][arc & 1] : -1);
    this.legend();
  }

  // Most lines look as they did an event ago; to say so again would cost the browser a frame.
  drawTies(state) {
    const { graph, tightness, dark } = this.stage;
    const scene = [this.measure, tightness, dark, this.ties];
    const before = this.scene && scene.every((part, k) => part === this.scene[k]) ? this.state : null;
    [this.scene, this.state] = [scene, state];
    const many = this.ties.length > 120;
    this.ties.forEach((tie, e) => {
      // Slack is NaN where nobody has looked, and NaN is not even equal to itself.
      if (before && state && Object.is(before.slack[2 * e], state.slack[2 * e])
        && Object.is(before.slack[2 * e + 1], state.slack[2 * e + 1]) && before.rows[e] === state.rows[e]) return;
      const share = this.share(state, e);
      const loose = share > 1e-9;
      const width = graph.exact ? 2 : 1 + (many ? 0.3 : 0.9) * Math.log2(1 + (state ? state.rows[e] : 0));
      const look = [
        share === null ? "var(--line)" : this.stage.colour(Math.sqrt(share)),
        Math.min(width, 9).toFixed(2),
        loose ? "7 4" : "none",
        loose ? 1 : many ? 0.35 : 0.7,
      ];
      ["stroke", "stroke-width", "stroke-dasharray", "stroke-opacity"].forEach((name, k) => tie.setAttribute(name, look[k]));
    });
  }

  // Put a class on what stands for a group, and take it off what had it.
  mark(name, p) {
    for (const shapes of [this.circles, this.hulls]) {
      const had = shapes[`${name}Node`] ?? -1;
      if (had === p) continue;
      shapes[had]?.classList.remove(name);
      shapes[p]?.classList.add(name);
      shapes[`${name}Node`] = p;
    }
  }

  legend() {
    const { graph, dark, tightness } = this.stage;
    const legend = this.stage.$(".legend");
    this.stage.$("[data-act=measure]").hidden = graph.exact;
    const measure = MEASURES[this.measure];
    const asked = this.measure !== "slack";
    const when = asked && tightness ? ` · at event ${tightness.at}` : " · dashed: loose";
    const text = graph.exact ? "min-marginals are exact: no slack anywhere"
      : `${measure.to(graph.slack_scale || 1)}${when}`;
    legend.title = "Colour: how loose an edge is; dashed: not tight. Width: how many rows it has.";
    const told = [text, measure.from, dark].join();
    if (legend.dataset.told === told) return;
    legend.dataset.told = told;
    legend.replaceChildren(graph.exact ? text : measure.from);
    if (graph.exact) return;
    const bar = document.createElement("i");
    bar.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((t) => this.stage.colour(t)).join(", ")})`;
    legend.append(bar, text);
  }

  // Lay a mark under an edge, or hide it.
  trace(mark, edge) {
    mark.setAttribute("visibility", edge >= 0 ? "visible" : "hidden");
    if (edge >= 0) mark.setAttribute("d", this.ties[edge].getAttribute("d"));
  }
}
