// The two charts on the right: the bounds over events, and one message over states.

class Bounds {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$(".bounds svg");
    this.zoom = null;
    this.unit = "events";
    stage.$("[data-act=unit]").onchange = (event) => {
      this.unit = event.target.value;
      this.zoom = null;
      this.draw();
    };
    this.svg.onwheel = (event) => this.wheel(event);
    this.svg.ondblclick = () => { this.zoom = null; this.draw(); };
    this.svg.onkeydown = (event) => this.press(event);
  }

  wheel(event) {
    event.preventDefault();
    const [low, high] = this.range();
    const { left, right } = this.svg.getBoundingClientRect();
    const at = low + ((high - low) * (event.clientX - left - 58)) / Math.max(right - left - 70, 1);
    this.zoomBy(event.deltaY > 0 ? 1.25 : 0.8, at);
  }

  // Around where the run stands, if that is in sight.
  press(event) {
    const factor = zoomOf(event);
    const [low, high] = this.range();
    if (factor) this.zoomBy(factor, Math.min(Math.max(this.along(this.stage.position), low), high));
  }

  zoomBy(factor, at) {
    const [low, high] = this.range();
    this.zoom = [Math.max(0, at - (at - low) * factor), Math.min(this.total(), at + (high - at) * factor)];
    if (this.zoom[1] - this.zoom[0] < this.total() / 1e4 || this.zoom[1] - this.zoom[0] >= this.total()) this.zoom = null;
    this.draw();
  }

  // Where an event stands on the axis: its number, or the sweeps completed until then, parts of one included.
  along(position) {
    if (this.unit === "events") return position;
    const ends = this.stage.history.sweeps;
    const done = ends.filter((end) => end <= position).length;
    const begin = ends[done - 1] || 0;
    // How long a sweep is that is not complete can only be guessed: as long as the one before, or as what is known of it.
    const length = (ends[done] || Math.max(begin + begin - (ends[done - 2] || 0), this.stage.seen + 1)) - begin;
    return done + (position - begin) / Math.max(length, 1);
  }

  total() {
    return this.unit === "events" ? Math.max(this.stage.seen, 12) : Math.max(this.along(this.stage.seen), 1);
  }

  range() {
    return this.zoom || [0, this.total()];
  }

  draw() {
    const { stage, svg } = this;
    const points = [[0, stage.graph.lower, stage.graph.upper]];
    const { event, lower, upper } = stage.history;
    event.forEach((e, k) => points.push([e, lower[k], upper[k]]));
    for (let k = event.length ? event[event.length - 1] : 0; k < stage.seen && stage.events.has(k); k += 1) {
      points.push([k + 1, stage.events.get(k).lower, stage.events.get(k).upper]);
    }
    for (const point of points) point[0] = this.along(point[0]);
    const [from, to] = this.range();
    const shown = points.filter(([k], i) => (k >= from || (points[i + 1] || [0])[0] >= from) && (k <= to || (points[i - 1] || [0])[0] <= to));
    // In a long run the first leaps of LB would flatten all that follows; they leave the frame at the bottom.
    const settled = shown.length > 150 ? shown.find(([k]) => k >= from + 0.25 * (to - from)) : shown[0];
    const lines = stage.data.references;
    const low = Math.min((settled || shown[0])[1], ...lines.map((line) => line.energy));
    const high = Math.max(...shown.map((p) => p[2]));
    if (!svg.getBoundingClientRect().width) return;
    const { x, y, box } = axes(svg, [from, to], [low, high], { label: this.unit, ticks: true }, "energy");
    const at = (k, v) => [Math.min(Math.max(x(k), box.left), box.right), Math.min(y(v), box.bottom)];
    make(svg, "path", { class: "lower", d: path(shown.map((p) => at(p[0], p[1]))) });
    make(svg, "path", { class: "upper", d: path(shown.map((p) => at(p[0], p[2]))) });
    for (const { energy } of lines) make(svg, "line", { class: "reference", x1: box.left, x2: box.right, y1: y(energy), y2: y(energy) });
    // LB rises, so the lower right corner is free.
    const names = [["lower-name", "━ LB lower bound"], ["upper-name", "╍ UB best labelling"],
      ...lines.map(({ name, energy }) => ["soft", `┈ ${name} ${number(energy)}`]).reverse()];
    names.forEach(([kind, text], k) => {
      make(svg, "text", { class: kind, x: box.right - 6, y: box.bottom - 8 - 18 * k, "text-anchor": "end" }, text);
    });
    const here = this.along(stage.position);
    if (stage.running || here < from || here > to) return;
    make(svg, "line", { class: "now", x1: x(here), x2: x(here), y1: box.top, y2: box.bottom });
    const known = stage.last() || (stage.position === 0 ? stage.graph : null);
    if (known) make(svg, "circle", { class: "tight", cx: x(here), cy: Math.min(y(known.lower), box.bottom), r: 4 });
  }
}

class Message {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$(".edge svg");
  }

  draw() {
    const { stage, svg } = this;
    const name = stage.$(".edge .name");
    const hint = stage.$(".edge .hint");
    const refusal = stage.edge && stage.edge.arc === stage.arc ? stage.edge.refusal : "";
    const refused = stage.$(".edge .none");
    refused.textContent = refusal;
    refused.hidden = !refusal;
    svg.toggleAttribute("hidden", Boolean(refusal));
    for (const action of ["flip", "look"]) stage.$(`[data-act=${action}]`).hidden = stage.arc < 0;
    if (!stage.edge || stage.edge.arc !== stage.arc) {
      svg.replaceChildren();
      hint.textContent = "";
      if (stage.arc < 0) this.invite(name);
      return;
    }
    name.textContent = name.title = `Message ${stage.edge.from} → ${stage.edge.to}`;
    if (refusal) {
      hint.textContent = "";
      return;
    }
    const { nu, envelope, minimiser, states, rows, shown, mean_slack: mean, tight } = stage.edge;
    const exact = stage.graph.exact;
    hint.textContent = exact ? shown : `${rows} rows · tight at ${Math.round(100 * tight)} % · mean slack ${number(mean, 3)}`;
    const label = `${shown}, sorted by the true value`;
    const [low, high] = [Math.min(...envelope), Math.max(...nu)];
    const { x, y, box } = axes(svg, [0, Math.max(nu.length - 1, 1)], [low, high], { label }, "energy");
    const above = nu.map((v, k) => [x(k), y(v)]);
    const below = envelope.map((v, k) => [x(k), y(v)]);
    make(svg, "path", { class: "gap", d: `${path(above.concat(below.slice().reverse()))}Z` });
    make(svg, "path", { class: "truth", d: path(above) });
    make(svg, "path", { class: "lower", d: path(below) });
    if (nu.length <= 64) below.forEach(([cx, cy], k) => { if (nu[k] - envelope[k] <= 1e-9 * (1 + Math.abs(nu[k]))) make(svg, "circle", { class: "tight", cx, cy, r: 3 }); });
    make(svg, "line", { class: "now", x1: x(minimiser), x2: x(minimiser), y1: box.top, y2: box.bottom });
    const side = x(minimiser) > (box.left + box.right) / 2 ? "end" : "start";
    make(svg, "text", { x: x(minimiser) + (side === "end" ? -5 : 5), y: box.bottom - 5, "text-anchor": side }, `y* ${states[minimiser]}`);
    // Below the frame: the lines may be anywhere in it.
    const wide = box.right - box.left > 340;
    make(svg, "text", { x: box.left, y: box.bottom + 17 }, wide ? "━ ν true min-marginal" : "━ ν true");
    make(svg, "text", { class: "lower-name", x: box.right, y: box.bottom + 17, "text-anchor": "end" }, exact ? "ν⁻ = ν" : wide ? "━ ν⁻ envelope of the rows" : "━ ν⁻ envelope");
  }

  // Nothing is selected yet.
  invite(name) {
    const { width, height } = this.svg.getBoundingClientRect();
    name.textContent = name.title = "Selected message";
    ["Click a line or a circle on the left", "to see its message and the envelope below it."].forEach((text, k) => {
      make(this.svg, "text", { class: "soft", x: width / 2, y: height / 2 - 10 + 22 * k, "text-anchor": "middle" }, text);
    });
  }
}
