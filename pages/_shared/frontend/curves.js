// Runs side by side: bounds against sweeps, rows or seconds. Axes, zoom and what is hidden are its own; data only add.

const UNIT = { sweeps: "sweeps", rows: "Benders rows in use", seconds: "seconds of the run's own computing" };
const WHAT = {
  bounds: "bounds on the energy",
  lower: "lower bounds on the energy",
  gap: "distance of the lower bound to the best upper bound",
};
const HOW = {
  bounds: "Thick: lower bound (LB), thin: upper bound (UB), the energy of the best labelling; they close in on the optimum.",
  lower: "The lower bound (LB) on the energy of all labellings; higher is better.",
  gap: "How far the lower bound is below the best labelling of all runs; at the bottom the gap is closed.",
};
const DASH = { solid: "", dot: "2 4", dash: "8 5" };
const NAMED = 40; // characters of the model's name above the chart; the tip has all of it
const SPACING = 17; // of the names at the right
const MARKS = 64; // pixels between the symbols of a line

const linear = {
  of: (v) => v,
  back: (u) => u,
  ticks: (low, high, wanted) => {
    const values = ticks(low, high, wanted);
    const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(values[1] - values[0] || 1) + 1e-9)));
    return values.map((v) => [v, Math.abs(v) < 1e6 ? v.toFixed(digits).replace("-", "−") : number(v, 3)]);
  },
};

const RAISED = [..."⁰¹²³⁴⁵⁶⁷⁸⁹"];
const power = (k) => (k >= -2 && k <= 5 ? String(10 ** k) : `10${k < 0 ? "⁻" : ""}${[...String(Math.abs(k))].map((d) => RAISED[d]).join("")}`);

const logarithmic = {
  of: (v) => Math.log10(v),
  back: (u) => 10 ** u,
  ticks: (low, high, wanted) => {
    const [first, last] = [Math.ceil(low - 1e-9), Math.floor(high + 1e-9)];
    if (high - low < 0.7) return ticks(10 ** low, 10 ** high, wanted).filter((v) => v > 0).map((v) => [Math.log10(v), number(v, 3)]);
    if (high - low < 2.5) {
      const values = [];
      for (let k = first - 1; k <= last; k += 1) values.push(...[1, 2, 5].map((m) => m * 10 ** k));
      return values.filter((v) => Math.log10(v) >= low && Math.log10(v) <= high).map((v) => [Math.log10(v), number(v, 3)]);
    }
    const step = Math.max(1, Math.ceil((last - first) / wanted));
    const out = [];
    for (let k = first; k <= last; k += step) out.push([k, power(k)]);
    return out;
  },
};

// The paper's o and x, a square and a diamond.
const symbol = (parent, kind, x, y, size, colour) => {
  const s = size / 2;
  const shapes = {
    circle: ["circle", { cx: x, cy: y, r: s }],
    x: ["path", { d: `M${x - s} ${y - s}L${x + s} ${y + s}M${x - s} ${y + s}L${x + s} ${y - s}` }],
    square: ["rect", { x: x - s, y: y - s, width: size, height: size }],
    diamond: ["path", { d: `M${x} ${y - s * 1.3}L${x + s * 1.3} ${y}L${x} ${y + s * 1.3}L${x - s * 1.3} ${y}Z` }],
  };
  const [name, attributes] = shapes[kind];
  make(parent, name, { class: "mark", stroke: colour, ...attributes });
};

// Names from top to bottom, none above another, as near to their lines as that allows.
const stacked = (wanted, top, bottom, spacing) => {
  const order = wanted.map((y, k) => [y, k]).sort((a, b) => a[0] - b[0]);
  const room = Math.min(spacing, (bottom - top) / Math.max(order.length - 1, 1));
  const places = [];
  let low = top;
  for (const [y, k] of order) {
    places[k] = Math.max(y, low);
    low = places[k] + room;
  }
  let high = bottom;
  for (const [, k] of order.reverse()) {
    places[k] = Math.min(places[k], high);
    high = places[k] - room;
  }
  return places;
};

// Which of the points of a line is nearest to a place on the axis; of several the last.
const nearest = (points, x) => {
  let k = 0;
  while (k + 1 < points.length && Math.abs(points[k + 1].x - x) <= Math.abs(points[k].x - x)) k += 1;
  return k;
};

const quantile = (values, share) => {
  const sorted = values.slice().sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))];
};

class Curves {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.svg = this.$("figure svg");
    this.choice = { x: "sweeps", scale: "linear", y: "bounds" };
    this.hidden = new Set();
    this.zoom = null;
    this.data = { model: "", scale: 0, runs: [] };
    for (const what of Object.keys(this.choice)) {
      for (const button of root.querySelectorAll(`[data-${what}]`)) button.onclick = () => this.choose(what, button.dataset[what]);
    }
    this.svg.onwheel = (event) => this.wheel(event);
    this.svg.ondblclick = () => { this.zoom = null; this.draw(); };
    this.svg.onpointermove = (event) => { this.last = event; this.look(); };
    this.svg.onpointerleave = () => { this.last = null; this.look(); };
    this.svg.onkeydown = (event) => this.press(event);
    this.svg.onfocus = () => { if (this.svg.matches(":focus-visible")) this.stand({}); };
    this.svg.onblur = () => this.stand(null);
    new ResizeObserver(() => this.draw()).observe(this.svg);
  }

  receive(data) {
    this.data = data;
    this.list();
    this.draw();
  }

  choose(what, value) {
    this.choice[what] = value;
    if (what !== "y") this.zoom = null;
    for (const button of this.root.querySelectorAll(`[data-${what}]`)) button.setAttribute("aria-pressed", String(button.dataset[what] === value));
    this.draw();
  }

  // -- the runs as buttons ----------------------------------------------------------------------------------

  // Only built anew when other runs come: a button must not vanish under the finger.
  list() {
    const named = JSON.stringify(this.data.runs.map(({ key, label }) => [key, label]));
    if (named === this.named) return;
    this.named = named;
    const { runs } = this.data;
    this.$(".keys").replaceChildren(...runs.map((run) => {
      const button = document.createElement("button");
      const swatch = document.createElementNS(SVG, "svg");
      make(swatch, "path", { d: "M1 8L43 8", stroke: run.colour, "stroke-width": run.width, "stroke-dasharray": DASH[run.dash], class: "run" });
      symbol(swatch, run.symbol, 22, 8, 8, run.colour);
      button.append(swatch, runs.length > 8 ? run.label : `${run.number} ${run.variant}${run.label.slice(String(run.number).length)}`);
      button.title = run.name;
      button.setAttribute("aria-pressed", String(!this.hidden.has(run.key)));
      button.onclick = () => {
        if (!this.hidden.delete(run.key)) this.hidden.add(run.key);
        button.setAttribute("aria-pressed", String(!this.hidden.has(run.key)));
        this.draw();
      };
      return button;
    }));
  }

  // -- what is to be drawn ----------------------------------------------------------------------------------

  shown() {
    return this.data.runs.filter((run) => !this.hidden.has(run.key) && !(this.choice.x === "rows" && run.exact) && run.lower.length);
  }

  best() {
    return Math.min(...this.data.runs.flatMap((run) => run.upper.slice(-1)));
  }

  // The line of a run in the units of the axes: [x, LB or distance, UB or null], and the values themselves.
  points(run, best) {
    const gap = this.choice.y === "gap";
    const floor = closeness(best, best, this.data.scale) || 1e-12;
    const along = run[this.choice.x];
    const out = [];
    along.forEach((value, k) => {
      // Within a sweep, only where the run stands now: halfway to the end of it.
      const within = this.choice.x === "sweeps" && k > 0 && value === along[k - 1];
      if (within && k < along.length - 1) return;
      if (this.choice.scale === "log" && value <= 0 && !within) return;
      const lower = gap ? Math.log10(Math.max(best - run.lower[k], floor)) : run.lower[k];
      out.push({ x: this.across.of(within ? value + 0.5 : value), lower, upper: this.choice.y === "bounds" ? run.upper[k] : null, k });
    });
    return out;
  }

  get across() {
    return this.choice.scale === "log" ? logarithmic : linear;
  }

  extent(lines) {
    const all = lines.flatMap(({ points }) => [points[0].x, points[points.length - 1].x]);
    const low = this.choice.scale === "log" ? Math.min(...all) : 0;
    return [low, Math.max(...all, low + 1e-6)];
  }

  // From the lowest to the highest value, but for the leaps at the start, which would flatten all that follows.
  heights(lines, [from, to]) {
    const gap = this.choice.y === "gap";
    const settled = lines.map(({ run, points }) => points.filter(({ k }) => gap || run.sweeps[k] > 0)).filter((points) => points.length);
    const lower = [], upper = [];
    for (const points of settled.length ? settled : lines.map((line) => line.points)) {
      let k = 0;
      for (let step = 0; step <= 40; step += 1) {
        const x = from + ((to - from) * step) / 40;
        while (k + 1 < points.length && points[k + 1].x <= x) k += 1;
        if (points[k].x > x && step < 40) continue;
        lower.push(points[k].lower);
        if (points[k].upper !== null) upper.push(points[k].upper);
      }
    }
    if (gap) return [Math.min(...lower), Math.max(...lower)];
    return [quantile(lower, 0.15), upper.length ? quantile(upper, 0.9) : Math.max(...lower)];
  }

  // -- drawing ----------------------------------------------------------------------------------------------

  draw() {
    const { svg, choice } = this;
    const { width, height } = svg.getBoundingClientRect();
    if (!width) return;
    const said = `: ${WHAT[choice.y]} against ${UNIT[choice.x]}`;
    Object.assign(this.$("figcaption"), { textContent: short(this.data.model, NAMED) + said, title: this.data.model + said });
    this.$(".how").textContent = this.caption();
    svg.replaceChildren();
    this.frame = null;
    const best = this.best();
    const lines = this.shown().map((run) => ({ run, points: this.points(run, best) })).filter(({ points }) => points.length);
    svg.setAttribute("aria-label", this.alternative(lines));
    if (!lines.length) return this.invite(width, height);
    const [x0, x1] = this.zoom || this.extent(lines);
    const [y0, y1] = this.heights(lines, [x0, x1]);
    const frame = this.axes(width, height, [x0, x1], [y0, y1], this.margin(lines));
    this.frame = { ...frame, lines, best };
    const { x, y, box } = frame;
    const clip = make(svg, "clipPath", { id: "frame" });
    make(clip, "rect", { x: box.left, y: box.top - 4, width: box.right - box.left + 1, height: box.bottom - box.top + 4 });
    const plot = make(svg, "g", { "clip-path": "url(#frame)" });
    lines.forEach(({ run, points }, index) => this.line(make(plot, "g", run.faded ? { class: "faded" } : {}), run, points, index));
    this.names(lines, frame);
    this.pointer = make(svg, "g", {});
    this.look();
  }

  line(group, run, points, index) {
    const { x, y, box } = this.frame;
    const style = { class: "run", stroke: run.colour, "stroke-dasharray": DASH[run.dash] };
    const lower = points.map((p) => [x(p.x), y(p.lower)]);
    make(group, "path", { ...style, class: "run lower", "data-run": run.key, "stroke-width": run.width, d: path(lower) });
    if (points[0].upper !== null) {
      make(group, "path", { ...style, class: "run upper", "stroke-width": 1, d: path(points.map((p) => [x(p.x), y(p.upper)])) });
    }
    // What has ended stays where it is.
    const [endX, endY] = lower[lower.length - 1];
    if (endX < box.right) make(group, "path", { class: "on", stroke: run.colour, d: path([[endX, endY], [box.right, endY]]) });
    // Symbols at even distances, those of different runs at different places.
    let next = -Infinity;
    lower.forEach(([px, py], k) => {
      if (k === 0) next = box.left + ((index * 23) % MARKS);
      if (px < next && k !== lower.length - 1) return;
      next = px + MARKS;
      symbol(group, run.symbol, px, py, 6 + run.width, run.colour);
    });
  }

  // The names of the lines, in a column at the right.
  names(lines, { y, box }) {
    const wanted = lines.map(({ points }) => Math.min(Math.max(y(points[points.length - 1].lower), box.top), box.bottom));
    const places = stacked(wanted, box.top + 4, box.bottom - 2, SPACING);
    lines.forEach(({ run }, k) => {
      make(this.svg, "path", { class: "on", stroke: run.colour, d: path([[box.right, wanted[k]], [box.right + 16, places[k]]]) });
      symbol(this.svg, run.symbol, box.right + 22, places[k], 8, run.colour);
      make(this.svg, "text", { class: "name", x: box.right + 31, y: places[k] + 5 }, run.label);
    });
  }

  margin(lines) {
    return 38 + 8 * Math.max(...lines.map(({ run }) => run.label.length));
  }

  axes(width, height, [x0, x1], [y0, y1], margin) {
    const { svg, choice } = this;
    const pad = (y1 - y0 || Math.abs(y1) || 1) * 0.06;
    const [low, high, top, bottom] = [y0 - pad, y1 + pad, 8, height - 40];
    const up = choice.y === "gap" ? logarithmic : linear;
    const levels = up.ticks(low, high, Math.max(2, (bottom - top) / 34));
    const box = { top, bottom, left: 30 + 8 * Math.max(...levels.map(([, text]) => text.length)), right: width - margin };
    const x = (v) => box.left + ((v - x0) / (x1 - x0)) * (box.right - box.left);
    const y = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);
    for (const [level, text] of levels) {
      make(svg, "line", { class: "grid", x1: box.left, x2: box.right, y1: y(level), y2: y(level) });
      make(svg, "text", { class: "soft", x: box.left - 6, y: y(level) + 5, "text-anchor": "end" }, text);
    }
    for (const [at, text] of this.across.ticks(x0, x1, Math.max(2, (box.right - box.left) / 90))) {
      if (choice.x !== "seconds" && choice.scale === "linear" && !Number.isInteger(at)) continue;
      make(svg, "line", { class: "grid", x1: x(at), x2: x(at), y1: bottom, y2: bottom + 5 });
      make(svg, "text", { class: "soft tick", x: x(at), y: bottom + 19, "text-anchor": "middle" }, text);
    }
    const scale = choice.scale === "log" ? " (log)" : "";
    make(svg, "text", { class: "soft x-name", x: (box.left + box.right) / 2, y: height - 3, "text-anchor": "middle" }, `${UNIT[choice.x]}${scale}`);
    make(svg, "text", { class: "soft y-name", x: 0, y: 0, "text-anchor": "middle", transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)` },
      choice.y === "gap" ? "best UB − LB, energy (log)" : "energy");
    return { x, y, box, range: [x0, x1] };
  }

  invite(width, height) {
    const { runs } = this.data;
    const [what, why] = !runs.length ? ["Press Race", "the runs take turns; bounds appear here."]
      : runs.every((run) => this.hidden.has(run.key)) ? ["All runs are hidden", "press their names below."]
        : this.choice.x === "rows" ? ["Exact min-marginals take no rows", "look at sweeps or seconds."] : ["…", ""];
    // Two lines fit a narrow window too.
    [why ? `${what}:` : what, why].forEach((text, k) => make(this.svg, "text", { class: "soft", x: width / 2, y: height / 2 + 22 * k, "text-anchor": "middle" }, text));
  }

  caption() {
    const without = this.choice.x === "rows" && this.data.runs.some((run) => run.exact) ? " Exact runs have no rows and are not drawn." : "";
    return `${HOW[this.choice.y]} Colour: α of the Magnanti-Wong rows; solid with ○: reverse rows on the loosest edge, dotted with ×: on all loose edges.${without}`;
  }

  alternative(lines) {
    const ends = lines.map(({ run }) => `${run.label}: LB ${number(run.lower[run.lower.length - 1])}, UB ${number(run.upper[run.upper.length - 1])}`);
    return `${this.$("figcaption").textContent}. ${ends.join("; ")}`;
  }

  // -- looking closer ---------------------------------------------------------------------------------------

  wheel(event) {
    if (!this.frame) return;
    event.preventDefault();
    const { box, range: [low, high] } = this.frame;
    const share = (event.clientX - this.svg.getBoundingClientRect().left - box.left) / (box.right - box.left);
    this.zoomBy(event.deltaY > 0 ? 1.25 : 0.8, low + (high - low) * Math.min(Math.max(share, 0), 1));
  }

  zoomBy(factor, at) {
    const { range: [low, high], lines } = this.frame;
    const [all0, all1] = this.extent(lines);
    const [from, to] = [Math.max(all0, at - (at - low) * factor), Math.min(all1, at + (high - at) * factor)];
    if (to - from >= all1 - all0) this.zoom = null;
    else if (to - from > (all1 - all0) / 1e4) this.zoom = [from, to];
    this.draw();
  }

  // Keys go along a run, to other runs at the same place, and zoom around that.
  press(event) {
    const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const factor = zoomOf(event);
    if (!this.frame || !(way || factor)) return;
    event.preventDefault();
    const { lines, range: [low, high] } = this.frame;
    const [row, k] = this.foothold();
    const at = lines[row].points[k].x;
    if (factor) return this.zoomBy(factor, Math.min(Math.max(at, low), high));
    const { run, points } = lines[(row + way[0] + lines.length) % lines.length];
    const to = points[way[0] ? nearest(points, at) : Math.min(Math.max(k + way[1], 0), points.length - 1)];
    const beyond = Math.min(to.x - low, 0) + Math.max(to.x - high, 0);
    if (beyond) this.zoom = [low + beyond, high + beyond];
    this.stand({ run: run.key, k: to.k });
  }

  stand(stood) {
    this.stood = stood;
    this.draw();
  }

  // Which line keys have come to, and which point of it; at first the end of the first.
  foothold() {
    const { run: key, k: last = Infinity } = this.stood || {};
    const { lines } = this.frame;
    const row = Math.max(lines.findIndex(({ run }) => run.key === key), 0);
    return [row, Math.max(lines[row].points.findLastIndex(({ k }) => k <= last), 0)];
  }

  // What the pointer is at, or else keys have come to.
  look() {
    this.$(".tip").hidden = true;
    if (!this.frame) return;
    this.pointer.replaceChildren();
    if (this.last) return this.hover(this.last);
    if (!this.stood) return;
    const [row, k] = this.foothold();
    const { run, points } = this.frame.lines[row];
    this.show(run, points[k], this.frame.x(points[k].x), this.frame.y(points[k].lower));
  }

  // The run whose line is nearest to the pointer, and what it had reached there.
  hover(event) {
    const { x, y, box, range: [low, high], lines } = this.frame;
    const figure = this.svg.getBoundingClientRect();
    const [px, py] = [event.clientX - figure.left, event.clientY - figure.top];
    if (px < box.left || px > box.right || py > box.bottom) return;
    const candidates = lines.map(({ run, points }) => {
      const point = points[nearest(points, low + ((high - low) * (px - box.left)) / (box.right - box.left))];
      const heights = [point.lower, point.upper].filter((v) => v !== null).map((v) => Math.abs(y(v) - py));
      return { run, point, off: Math.min(...heights) + 0.2 * Math.abs(x(point.x) - px) };
    });
    const { run, point } = candidates.reduce((a, b) => (b.off < a.off ? b : a));
    this.show(run, point, px, py);
  }

  // A point, and beside a place what the run had reached there.
  show(run, point, px, py) {
    const { x, y, box } = this.frame;
    const at = x(point.x);
    make(this.pointer, "line", { class: "here", x1: at, x2: at, y1: box.top, y2: box.bottom });
    make(this.pointer, "circle", { cx: at, cy: Math.min(y(point.lower), box.bottom), r: 5, fill: run.colour });
    const { k } = point;
    this.tell(px, py, [run.name, `LB ${number(run.lower[k], 7)} · UB ${number(run.upper[k], 7)} · gap ${gapText(run.lower[k], run.upper[k], this.data.scale, 3)}`,
      `sweep ${run.sweeps[k]} · ${run.rows[k]} rows · ${number(run.seconds[k], 4)} s`]);
  }

  tell(px, py, texts) {
    const tip = this.$(".tip");
    tip.hidden = false;
    tip.replaceChildren(...texts.map((text, k) => {
      const row = document.createElement("div");
      row.textContent = text;
      if (k === 0) row.style.fontWeight = 600;
      return row;
    }));
    const [frame, svg] = [this.$("figure"), this.svg].map((element) => element.getBoundingClientRect());
    tip.style.left = `${Math.max(0, Math.min(svg.left - frame.left + px + 14, frame.width - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.min(svg.top - frame.top + py + 14, frame.height - tip.offsetHeight - 8)}px`;
  }
}

export const receive = (root, data) => {
  root.curves = root.curves || new Curves(root);
  root.curves.receive(data);
};
