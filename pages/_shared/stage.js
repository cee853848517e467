// The stage. It keeps its DOM between reruns, plays the events it holds on its own clock, and asks Python for
// more by the trigger "command". Position k means: the first k events have happened; events[k - 1] was the last.

const SVG = "http://www.w3.org/2000/svg";
const KIND = { OPENED: 0, ORACLE: 1, ROW: 2, MESSAGE: 3, SWEEP: 4, FINISHED: 5 };
const STOP = { row: KIND.ROW, node: KIND.MESSAGE, sweep: KIND.SWEEP };
const KEEP = 700; // events held at most
const LOW = 48; // ask for more when fewer than this are left ahead

// Viridis, loose = the end that stands out from the page.
const VIRIDIS = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137],
  [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37]];

const number = (value, digits = 5) => {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value !== 0 && (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-3)) {
    return Math.abs(value) < 1e-12 ? "0" : value.toExponential(2).replaceAll("-", "−");
  }
  const whole = Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
  return String(Number(value.toFixed(Math.max(0, Math.min(4, digits + 1 - whole))))).replace("-", "−");
};

const make = (parent, name, attributes = {}, text = null) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  parent.append(element);
  return element;
};

const ticks = (low, high, wanted) => {
  const raw = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const out = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) out.push(Math.abs(t) < step * 1e-9 ? 0 : t);
  return out;
};

const path = (points) => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// A line between two nodes, bent just enough to pass by the nodes that stand in its way, within the pane.
const arch = (at, p, q, width) => {
  const [[x0, y0], [x1, y1]] = [at[p], at[q]];
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [nx, ny] = [-(y1 - y0) / length, (x1 - x0) / length];
  let bend = 0;
  at.forEach(([x, y], k) => {
    if (k === p || k === q) return;
    const along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length ** 2;
    const off = (x - x0) * nx + (y - y0) * ny;
    if (along > 0.05 && along < 0.95 && Math.abs(off) < 26) {
      const needed = (off > 0 ? off - 34 : off + 34) / (2 * along * (1 - along));
      if (Math.abs(needed) > Math.abs(bend)) bend = needed;
    }
  });
  bend = Math.max(-0.5 * length, Math.min(0.5 * length, bend));
  const outside = (b) => Math.abs((x0 + x1) / 2 + (nx * b) / 2 - width / 2) > width / 2 - 6;
  if (outside(bend) && !outside(-bend)) bend = -bend;
  const [cx, cy] = [(x0 + x1) / 2 + nx * bend, (y0 + y1) / 2 + ny * bend];
  return `M${x0.toFixed(1)} ${y0.toFixed(1)}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${x1.toFixed(1)} ${y1.toFixed(1)}`;
};

// Axes of a chart with their scales; redraws the whole (small) svg.
const axes = (svg, [x0, x1], [y0, y1], xName, yName) => {
  const { width, height } = svg.getBoundingClientRect();
  svg.replaceChildren();
  const pad = (y1 - y0 || Math.abs(y1) || 1) * 0.06;
  const [low, high] = [y0 - pad, y1 + pad];
  const [top, bottom] = [8, height - 38];
  const levels = ticks(low, high, Math.max(2, (bottom - top) / 30));
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(levels[1] - levels[0] || 1) + 1e-9)));
  const labels = levels.map((t) => (Math.abs(t) < 1e6 ? t.toFixed(digits).replace("-", "−") : number(t, 3)));
  const box = { left: 34 + 8 * Math.max(...labels.map((label) => label.length)), right: width - 12, top, bottom };
  const x = (v) => box.left + ((v - x0) / (x1 - x0 || 1)) * (box.right - box.left);
  const y = (v) => box.bottom - ((v - low) / (high - low)) * (box.bottom - box.top);
  levels.forEach((t, k) => {
    make(svg, "line", { class: "grid", x1: box.left, x2: box.right, y1: y(t), y2: y(t) });
    make(svg, "text", { class: "soft", x: box.left - 6, y: y(t) + 5, "text-anchor": "end" }, labels[k]);
  });
  if (xName.ticks) {
    for (const t of ticks(x0, x1, (box.right - box.left) / 90)) {
      if (Number.isInteger(t)) make(svg, "text", { class: "soft", x: x(t), y: box.bottom + 17, "text-anchor": "middle" }, String(t));
    }
  }
  make(svg, "text", { class: "soft", x: (box.left + box.right) / 2, y: height - 4, "text-anchor": "middle" }, xName.label);
  const middle = (box.top + box.bottom) / 2;
  make(svg, "text", { class: "soft", x: 0, y: 0, "text-anchor": "middle", transform: `translate(11 ${middle}) rotate(-90)` }, yName);
  return { x, y, box };
};

class Stage {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.run = null;
    this.serial = 0;
    this.speed = 12;
    this.playing = false;
    this.waiting = false;
    this.settling = null;
    this.zoom = null;
    this.listen();
    this.resizer = new ResizeObserver(() => this.run !== null && this.layout());
    this.resizer.observe(this.$(".graph svg"));
    this.resizer.observe(this.$(".bounds svg"));
  }

  // -- what Python sends ------------------------------------------------------------------------------------

  receive(data, send) {
    this.send = send;
    this.data = data;
    const fresh = data.run !== this.run;
    // An answer to an earlier question leaves the latest one open, also one that is about to be asked.
    const latest = fresh || (this.settling === null && (data.serial ?? this.serial) === this.serial);
    this.waiting = !latest;
    if (fresh) {
      Object.assign(this, { run: data.run, graph: data.graph, events: new Map(), position: 0, seen: 0, arc: -1,
        serial: data.serial ?? this.serial, zoom: null, playing: false, edge: null, history: { event: [], lower: [], upper: [], sweep: [] } });
      this.$(".status .title").textContent = data.title;
      this.$(".status .title").title = data.title;
      this.tone();
    }
    this.running = data.running;
    if (data.window) {
      this.take(data.window);
      this.history = data.history;
      this.done = data.done;
      this.ending = data.status;
      this.edge = data.edge;
      if (latest) {
        this.position = this.playing ? this.position : data.position;
        this.seen = Math.max(this.seen, data.seen);
        if (data.edge) this.arc = data.edge.arc;
      }
    }
    if (fresh) this.layout();
    else this.draw();
    const ask = this.$("[data-act=reference]");
    ask.disabled = data.asking || data.references.length > 0;
    ask.textContent = data.asking ? "HiGHS is computing…" : "compare with HiGHS";
    if (this.running || data.asking) setTimeout(() => this.root.isConnected && this.command("poll"), 250);
  }

  take(window) {
    let slack = Float64Array.from(window.slack, (v) => (v === null ? NaN : v));
    let rows = Int32Array.from(window.rows);
    if (window.first === 0) this.origin = { slack, rows };
    window.frames.forEach(([kind, node, arc, sweep, total, lower, upper, sentence, formula, changes], k) => {
      if (changes.length) slack = slack.slice();
      for (const [a, value] of changes) slack[a] = value;
      if (kind === KIND.ROW) {
        rows = rows.slice();
        rows[arc >> 1] += 1;
      }
      this.events.set(window.first + k, { kind, node, arc, sweep, total, lower, upper, sentence, formula, slack, rows });
    });
    if (this.events.size > KEEP) {
      for (const k of this.events.keys()) if (Math.abs(k - this.position) > KEEP / 2) this.events.delete(k);
    }
  }

  command(what, more = {}) {
    clearTimeout(this.settling);
    this.settling = null;
    this.serial += 1;
    this.waiting = true;
    let first = this.position;
    while (this.events.has(first)) first += 1;
    const behind = Math.max(this.position - 32, 0);
    if (first - this.position < 2 || (behind < this.position && !this.events.has(behind))) first = behind;
    this.send("command", { do: what, at: this.position, arc: this.arc, first, run: this.run, serial: this.serial, ...more });
  }

  // -- moving -----------------------------------------------------------------------------------------------

  last() {
    return this.position > 0 ? this.events.get(this.position - 1) : null;
  }

  show(position, settle = true) {
    this.position = position;
    this.seen = Math.max(this.seen, position);
    if (settle) {
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.command("show"), 40);
      this.waiting = true;
    }
    this.draw();
  }

  // The position after one step, or null if the events held do not reach that far.
  target(grain, backward) {
    if (backward) {
      for (let k = this.position - 1; k > 0; k -= 1) {
        const event = this.events.get(k - 1);
        if (!event) return null;
        if (event.kind >= STOP[grain]) return k;
      }
      return 0;
    }
    for (let k = this.position + 1; ; k += 1) {
      const event = this.events.get(k - 1);
      if (!event) return null;
      if (event.kind >= STOP[grain]) return k;
    }
  }

  step(grain, backward) {
    if (this.running) return;
    this.pause(false);
    if (!backward && this.atEnd()) return;
    const to = this.target(grain, backward);
    if (to !== null) this.show(to);
    else this.command("step", { grain, backward });
  }

  atEnd() {
    return this.done !== null && this.position >= this.done;
  }

  play() {
    if (this.playing || this.running || this.atEnd()) return;
    this.playing = true;
    let before = performance.now();
    let due = 0;
    const tick = (now) => {
      if (!this.playing || !this.root.isConnected) return;
      due = Math.min(due + ((now - before) / 1000) * this.speed, this.speed);
      before = now;
      let moved = false;
      while (due >= 1 && this.events.has(this.position)) {
        this.position += 1;
        due -= 1;
        moved = true;
      }
      this.seen = Math.max(this.seen, this.position);
      if (moved) this.draw();
      if (this.atEnd()) return this.pause();
      if (!this.waiting && !this.events.has(this.position + LOW) && this.done === null) this.command("show");
      else if (!this.waiting && !this.events.has(this.position)) this.command("show");
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.draw();
  }

  pause(settle = true) {
    const was = this.playing;
    this.playing = false;
    if (was) {
      this.draw();
      if (settle) this.show(this.position);
    }
  }

  select(arc) {
    this.arc = arc;
    this.draw();
    this.command("show");
  }

  listen() {
    for (const button of this.root.querySelectorAll("[data-step]")) button.onclick = () => this.step(button.dataset.step, false);
    for (const button of this.root.querySelectorAll("[data-back]")) button.onclick = () => this.step(button.dataset.back, true);
    const act = (name) => this.$(`[data-act=${name}]`);
    act("reset").onclick = () => { this.pause(false); this.show(0); };
    act("play").onclick = () => (this.playing ? this.pause() : this.play());
    act("run").onclick = () => { this.pause(false); this.command(this.running ? "stop" : "run"); };
    act("speed").onchange = (event) => { this.speed = Number(event.target.value); };
    this.$(".scrub").oninput = (event) => { this.pause(false); this.show(Number(event.target.value)); };
    act("flip").onclick = () => this.select(this.arc ^ 1);
    act("look").onclick = () => { this.pause(false); this.command("look"); };
    act("reference").onclick = () => this.command("reference");
    this.keys = (event) => {
      if (!this.root.isConnected) return document.removeEventListener("keydown", this.keys);
      const target = event.composedPath()[0];
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target !== this.$(".scrub")) return;
      if (event.ctrlKey || event.metaKey) return;
      if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
        this.step(event.altKey ? "sweep" : event.shiftKey ? "node" : "row", event.key === "ArrowLeft");
      } else if (event.key === " " && target.tagName !== "BUTTON") {
        if (this.playing) this.pause();
        else this.play();
      } else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", this.keys);
    const bounds = this.$(".bounds svg");
    bounds.onwheel = (event) => {
      event.preventDefault();
      const [low, high] = this.range();
      const { left, right } = bounds.getBoundingClientRect();
      const at = low + ((high - low) * (event.clientX - left - 58)) / Math.max(right - left - 70, 1);
      const factor = event.deltaY > 0 ? 1.25 : 0.8;
      this.zoom = [Math.max(0, at - (at - low) * factor), Math.min(this.total(), at + (high - at) * factor)];
      if (this.zoom[1] - this.zoom[0] < 4 || this.zoom[1] - this.zoom[0] >= this.total()) this.zoom = null;
      this.drawBounds();
    };
    bounds.ondblclick = () => { this.zoom = null; this.drawBounds(); };
  }

  // -- drawing ----------------------------------------------------------------------------------------------

  // Light or dark is told by the page's own background.
  tone() {
    const probe = getComputedStyle(this.root).getPropertyValue("--st-background-color");
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.fillStyle = probe.trim() || "#fff";
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
    this.dark = 0.3 * r + 0.6 * g + 0.1 * b < 128;
    this.root.classList.toggle("dark", this.dark);
  }

  colour(share) {
    const t = (this.dark ? 0.35 + 0.65 * share : 0.8 * (1 - share)) * (VIRIDIS.length - 1);
    const k = Math.min(Math.floor(t), VIRIDIS.length - 2);
    const mix = VIRIDIS[k].map((c, i) => Math.round(c + (VIRIDIS[k + 1][i] - c) * (t - k)));
    return `rgb(${mix})`;
  }

  layout() {
    const svg = this.$(".graph svg");
    const { width, height } = svg.getBoundingClientRect();
    if (!width || !height) return;
    svg.replaceChildren();
    const { nodes, edges } = this.graph;
    const crowded = nodes.length > 40;
    const radius = (n) => (crowded ? 3 : 8) + (crowded ? 0.5 : 0.8) * n.size;
    const margin = { x: crowded ? 20 : 70, top: crowded ? 16 : 24, bottom: crowded ? 20 : 40 };
    const at = nodes.map((n) => [
      margin.x + n.x * (width - 2 * margin.x),
      margin.top + n.y * (height - margin.top - margin.bottom),
    ]);
    this.halo = make(svg, "path", { class: "halo", visibility: "hidden" });
    this.pulse = make(svg, "path", { class: "pulse", visibility: "hidden" });
    const straight = ([p, q]) => `M${at[p]}L${at[q]}`;
    const curves = edges.map(edges.length > 120 ? straight : ([p, q]) => arch(at, p, q, width));
    this.ties = curves.map((d) => make(svg, "path", { class: "tie", d }));
    edges.forEach(([p, q], e) => {
      const pick = make(svg, "path", { class: "pick", d: curves[e], "data-edge": e, tabindex: edges.length > 150 ? -1 : 0, role: "button", "aria-label": `${nodes[p].label} to ${nodes[q].label}` });
      pick.onclick = () => this.select(this.arc >> 1 === e ? this.arc ^ 1 : 2 * e);
      pick.onkeydown = (event) => { if (event.key === "Enter") pick.onclick(); };
      pick.onpointerenter = (event) => this.tip(event, () => this.edgeTip(e));
      pick.onpointerleave = () => this.tip(null);
    });
    this.circles = nodes.map((n, p) => {
      const group = make(svg, "g", { class: "node", transform: `translate(${at[p]})`, "data-node": p });
      make(group, "circle", { class: "ring", r: radius(n) + 4 });
      make(group, "circle", { class: "body", r: radius(n) });
      if (!crowded) {
        make(group, "text", { class: "bits", y: 5 }, String(n.size));
        make(group, "text", { y: radius(n) + 16 }, n.label);
      }
      group.onclick = () => this.selectInto(p);
      group.onpointerenter = (event) => this.tip(event, () => [n.label, `${n.size} variables, ${2 ** n.size} states`, n.members]);
      group.onpointerleave = () => this.tip(null);
      return group;
    });
    this.at = at;
    this.draw();
  }

  // Picking a node shows its loosest incoming message.
  selectInto(p) {
    const { slack } = this.last() || this.origin || {};
    let best = -1;
    this.graph.edges.forEach(([a, b], e) => {
      if (a !== p && b !== p) return;
      const arc = 2 * e + (b === p ? 1 : 0);
      if (best < 0 || (slack && (slack[arc] || 0) > (slack[best] || 0))) best = arc;
    });
    if (best >= 0) this.select(best);
  }

  edgeTip(e) {
    const [p, q] = this.graph.edges[e].map((node) => this.graph.nodes[node].label);
    const event = this.last() || this.origin;
    if (!event) return [`${p} – ${q}`];
    const says = (arc) => (Number.isNaN(event.slack[arc]) ? "not looked at yet" : number(event.slack[arc]));
    if (this.graph.exact) return [`${p} – ${q}`, "min-marginals are exact here"];
    return [`${p} – ${q}: ${event.rows[e]} rows`, `slack into ${p}: ${says(2 * e)}`, `slack into ${q}: ${says(2 * e + 1)}`];
  }

  tip(event, lines) {
    const tip = this.$(".tip");
    tip.hidden = !event;
    if (!event) return;
    tip.replaceChildren(...lines().map((line, k) => {
      const row = document.createElement("div");
      row.textContent = line.length > 160 ? `${line.slice(0, 160)}…` : line;
      if (k === 0) row.style.fontWeight = 600;
      return row;
    }));
    const frame = this.root.getBoundingClientRect();
    tip.style.left = `${Math.min(event.clientX - frame.left + 14, frame.width - 330)}px`;
    tip.style.top = `${event.clientY - frame.top + 14}px`;
  }

  draw() {
    if (this.run === null || !this.ties) return;
    const event = this.last();
    this.drawStatus(event);
    this.drawGraph(event || (this.position === 0 ? this.origin : null), event);
    this.drawBounds();
    if (this.drawn !== this.edge || this.drawnArc !== this.arc) this.drawEdge();
  }

  drawStatus(event) {
    const live = this.running;
    const known = live || event || (this.position === 0 ? this.graph : this.nearest());
    const set = (name, text) => { this.$(`[data-out=${name}]`).textContent = text; };
    set("lower", number(known.lower));
    set("upper", number(known.upper));
    const gap = Math.max(known.upper - known.lower, 0) / Math.abs(known.lower || 1);
    set("gap", gap < 1e-12 ? "0 %" : `${number(100 * gap, 2)} %`);
    set("rows", live ? live.rows : event ? event.total : this.position === 0 && this.origin ? this.origin.rows.reduce((a, b) => a + b, 0) : "…");
    const words = live ? "running…" : this.atEnd() ? this.ending : this.playing ? "playing" : "paused";
    set("state", this.data.failure || words);
    const ended = event && event.kind === KIND.FINISHED ? this.events.get(this.position - 2) : null;
    const sweep = live ? live.sweep : (ended || event || { sweep: 0 }).sweep;
    const count = live ? live.events : this.position;
    this.$(".where").textContent = `sweep ${sweep + 1} · event ${count}`;
    const scrub = this.$(".scrub");
    scrub.max = this.seen;
    scrub.value = this.position;
    for (const control of this.root.querySelectorAll("[data-step], [data-act=play]")) control.disabled = Boolean(live) || this.atEnd();
    for (const control of this.root.querySelectorAll("[data-back], [data-act=reset]")) control.disabled = Boolean(live) || this.position === 0;
    scrub.disabled = Boolean(live);
    this.$("[data-act=play]").textContent = this.playing ? "❚❚ Pause" : "▶ Play";
    const run = this.$("[data-act=run]");
    run.textContent = live ? "■ Stop" : "run ▶|";
    run.disabled = !live && this.atEnd();
    const opening = "Every group starts on its own, all messages are 0. Press Play, or step row by row, and watch the lower bound rise.";
    this.$(".sentence").textContent = live ? "Running at full speed. Stop whenever you like; every event can be revisited afterwards."
      : event ? event.sentence : this.position === 0 ? opening : "…";
    this.$(".formula").textContent = event && !live ? event.formula : "";
    this.root.dataset.position = String(this.position);
    this.root.dataset.state = live ? "running" : this.playing ? "playing" : this.waiting ? "waiting" : "idle";
  }

  // Bounds at a position whose event is not held: the nearest point of the history.
  nearest() {
    const { event, lower, upper } = this.history;
    const k = event.findIndex((e) => e >= this.position);
    return k < 0 ? { lower: null, upper: null } : { lower: lower[k], upper: upper[k] };
  }

  drawGraph(state, event) {
    // Fixed for a run: a colour means the same before and after, whatever has been seen since.
    const top = this.graph.slack_scale || 1;
    this.ties.forEach((tie, e) => {
      const slack = state ? Math.max(state.slack[2 * e] || 0, state.slack[2 * e + 1] || 0) : 0;
      const known = state && !(Number.isNaN(state.slack[2 * e]) && Number.isNaN(state.slack[2 * e + 1]));
      const loose = slack > 1e-9 * top;
      const many = this.ties.length > 120;
      const width = this.graph.exact ? 2 : 1 + (many ? 0.3 : 0.9) * Math.log2(1 + (state ? state.rows[e] : 0));
      tie.setAttribute("stroke", known ? this.colour(Math.sqrt(Math.min(slack / top, 1))) : "var(--line)");
      tie.setAttribute("stroke-width", Math.min(width, 9).toFixed(2));
      tie.setAttribute("stroke-dasharray", loose ? "7 4" : "none");
      tie.setAttribute("stroke-opacity", loose ? 1 : many ? 0.35 : 0.7);
    });
    this.trace(this.pulse, event && event.arc >= 0 ? event.arc >> 1 : -1);
    this.trace(this.halo, this.arc >> 1);
    const receiver = this.arc >= 0 ? this.graph.edges[this.arc >> 1][this.arc & 1] : -1;
    this.circles.forEach((circle, p) => {
      circle.classList.toggle("active", Boolean(event) && event.node === p);
      circle.classList.toggle("chosen", p === receiver);
    });
    const legend = this.$(".legend");
    const scale = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((t) => this.colour(t)).join(", ")})`;
    const text = this.graph.exact ? "min-marginals are exact: no slack anywhere" : `≥ ${number(top, 3)}`;
    if (legend.dataset.text !== text + this.dark) {
      legend.dataset.text = text + this.dark;
      legend.replaceChildren(this.graph.exact ? text : "slack at y*: 0");
      if (this.graph.exact) return;
      const bar = document.createElement("i");
      bar.style.background = scale;
      legend.append(bar, `${text} (dashed: loose) · width: rows`);
    }
  }

  // Lay a mark under an edge, or hide it.
  trace(mark, edge) {
    mark.setAttribute("visibility", edge >= 0 ? "visible" : "hidden");
    if (edge >= 0) mark.setAttribute("d", this.ties[edge].getAttribute("d"));
  }

  total() {
    return Math.max(this.seen, 12);
  }

  range() {
    return this.zoom || [0, this.total()];
  }

  drawBounds() {
    const points = [[0, this.graph.lower, this.graph.upper]];
    const { event, lower, upper } = this.history;
    event.forEach((e, k) => points.push([e, lower[k], upper[k]]));
    for (let k = points[points.length - 1][0]; k < this.seen && this.events.has(k); k += 1) {
      points.push([k + 1, this.events.get(k).lower, this.events.get(k).upper]);
    }
    const [from, to] = this.range();
    const shown = points.filter(([k], i) => (k >= from || (points[i + 1] || [0])[0] >= from) && (k <= to || (points[i - 1] || [0])[0] <= to));
    // In a long run the first leaps of LB would flatten all that follows; they leave the frame at the bottom.
    const settled = shown.length > 150 ? shown.find(([k]) => k >= from + 0.25 * (to - from)) : shown[0];
    const lines = this.data.references;
    const low = Math.min((settled || shown[0])[1], ...lines.map((line) => line.energy));
    const high = Math.max(...shown.map((p) => p[2]));
    const svg = this.$(".bounds svg");
    if (!svg.getBoundingClientRect().width) return;
    const { x, y, box } = axes(svg, [from, to], [low, high], { label: "events", ticks: true }, "energy");
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
    if (this.position >= from && this.position <= to) {
      make(svg, "line", { class: "now", x1: x(this.position), x2: x(this.position), y1: box.top, y2: box.bottom });
      const here = this.last() || (this.position === 0 ? this.graph : null);
      if (here) make(svg, "circle", { class: "tight", cx: x(this.position), cy: Math.min(y(here.lower), box.bottom), r: 4 });
    }
  }

  drawEdge() {
    [this.drawn, this.drawnArc] = [this.edge, this.arc];
    const svg = this.$(".edge svg");
    const { width, height } = svg.getBoundingClientRect();
    const name = this.$(".edge .name");
    const hint = this.$(".edge .hint");
    for (const name of ["flip", "look"]) this.$(`[data-act=${name}]`).hidden = this.arc < 0;
    if (!this.edge || this.edge.arc !== this.arc) {
      svg.replaceChildren();
      hint.textContent = "";
      if (this.arc < 0) {
        name.textContent = "Selected message";
        make(svg, "text", { class: "soft", x: width / 2, y: height / 2 - 10, "text-anchor": "middle" }, "Click a line or a circle on the left");
        make(svg, "text", { class: "soft", x: width / 2, y: height / 2 + 12, "text-anchor": "middle" }, "to see its message and the envelope below it.");
      }
      return;
    }
    const { nu, envelope, minimiser, states, rows, shown, mean_slack: mean, tight } = this.edge;
    name.textContent = `Message ${this.edge.from} → ${this.edge.to}`;
    hint.textContent = this.graph.exact ? shown : `${rows} rows · tight at ${Math.round(100 * tight)} % · mean slack ${number(mean, 3)}`;
    const label = `${shown}, sorted by the true value`;
    const low = Math.min(...envelope);
    const high = Math.max(...nu);
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
    make(svg, "text", { x: box.left + 8, y: box.top + 12 }, "ν true min-marginal");
    make(svg, "text", { class: "lower-name", x: box.left + 8, y: box.top + 30 }, this.graph.exact ? "ν⁻ = ν" : "ν⁻ envelope of the rows");
  }

  leave() {
    this.playing = false;
    document.removeEventListener("keydown", this.keys);
    this.resizer.disconnect();
  }
}

export default function (component) {
  const root = component.parentElement.querySelector(".stage");
  root.stage = root.stage || new Stage(root);
  root.stage.receive(component.data, component.setTriggerValue);
}
