// The stage. It keeps its DOM between reruns, plays the events it holds on its own clock, and asks Python for
// more by the trigger "command". Position k means: the first k events have happened; events[k - 1] was the last.

const KIND = { OPENED: 0, ORACLE: 1, ROW: 2, MESSAGE: 3, SWEEP: 4, FINISHED: 5 };
const STOP = { row: KIND.ROW, node: KIND.MESSAGE, sweep: KIND.SWEEP };
const KEEP = 700; // events held at most
const LOW = 48; // while playing, ask for more when fewer than this are left ahead
// How many events after the present one are asked for: many where they are about to be played.
const AHEAD = { playing: 80, paused: 24, stopped: 0 };
const LEAVING = 5000; // milliseconds: if the stage is still there then, its page has not been left after all
const ANSWERED = 1000; // milliseconds that an answer is waited for at most before another page is asked for
const CUT = 260; // characters that may be too many for the lines of a sentence: then its tip has all of it
const isOurs = (path) => /\/(watch)?$/.test(path);

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
    this.departed = -Infinity;
    this.again = null;
    this.panes = new Graph(this);
    this.bounds = new Bounds(this);
    this.message = new Message(this);
    this.marks = new Marks(this);
    this.listen();
    this.resizer = new ResizeObserver(() => this.run !== null && this.layout());
    this.resizer.observe(this.$(".views"));
    this.resizer.observe(this.$(".bounds svg"));
  }

  // -- what Python sends ------------------------------------------------------------------------------------

  receive(data, send) {
    this.send = send;
    this.data = data;
    const fresh = data.run !== this.run;
    // An answer to an earlier question leaves the latest one open, also one that is about to be asked.
    const latest = fresh || (this.settling === null && data.serial === this.serial);
    this.waiting = !latest;
    if (fresh) {
      Object.assign(this, { run: data.run, graph: data.graph, events: new Map(), position: 0, seen: 0, arc: -1, tightness: null,
        serial: data.serial, playing: false, edge: null, history: { event: [], lower: [], upper: [], sweeps: [], rise: null } });
      this.bounds.zoom = this.marks.range = null;
      const title = this.$(".status .title");
      title.title = data.model + data.title;
      [title.children[0].textContent, title.children[1].textContent] = [data.model, data.title];
      this.tone();
    }
    this.running = data.running;
    if (data.running) this.follow(data.running);
    this.stopping &&= Boolean(data.running);
    if (data.window) {
      this.take(data.window);
      this.history = data.history;
      this.done = data.done;
      this.ending = data.status;
      this.edge = data.edge;
      this.tightness = data.tightness;
      if (latest) {
        this.position = this.playing ? this.position : data.position;
        this.seen = Math.max(this.seen, data.seen);
        if (data.edge) this.arc = data.edge.arc;
        this.stateAddress();
      }
    }
    if (fresh) this.layout();
    else this.draw();
    const ask = this.$("[data-act=reference]");
    ask.disabled = data.asking || data.references.length > 0;
    ask.textContent = data.asking ? "HiGHS is computing…" : "compare with HiGHS";
    clearTimeout(this.next);
    if (this.running || data.asking) this.pollIn(250);
    if (latest) this.goOn();
  }

  // Ask how things stand, and again if no answer comes: of two commands sent at once the server sees the later one.
  // For the same reason a question must not take the place of Stop.
  pollIn(milliseconds) {
    this.next = setTimeout(() => {
      if (!this.root.isConnected) return;
      this.command(this.stopping ? "stop" : "poll");
      this.pollIn(2000);
    }, milliseconds);
  }

  // A run in the background: its latest state is drawn, its events can be looked at when it has stopped.
  follow({ slack, rows, history: known, events }) {
    this.live = { slack: Float64Array.from(slack, (v) => (v === null ? NaN : v)), rows: Int32Array.from(rows) };
    this.history = known;
    this.seen = Math.max(this.seen, events);
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
    if (this.leaving()) return;
    clearTimeout(this.settling);
    this.settling = null;
    this.serial += 1;
    this.waiting = true;
    let first = this.position;
    while (this.events.has(first)) first += 1;
    const behind = Math.max(this.position - 8, 0);
    if (first - this.position < 2 || (behind < this.position && !this.events.has(behind))) first = behind;
    this.send("command", { do: what, at: this.position, arc: this.arc, first, held: true, ahead: what === "stop" ? AHEAD.stopped : this.playing ? AHEAD.playing : AHEAD.paused, measure: this.panes.measure, run: this.run, serial: this.serial, ...more });
  }

  // The address bar opens this very picture; a link copies it. Another page's address is not ours: Streamlit may have
  // gone there while the last answer was still on its way here.
  stateAddress() {
    if (this.data.link && isOurs(location.pathname)) history.replaceState(history.state, "", `?${this.data.link}&at=${this.position}&arc=${Math.max(this.arc, 0)}`);
  }

  // A link to another page keeps the session if Streamlit opens it; with a key held it opens in a tab of its own.
  leave(link, page, said) {
    link.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.go(page, said());
    };
  }

  go(page, said) {
    this.pause(false);
    this.command("go", { page, said });
    this.departed = performance.now();
  }

  leaving() {
    return performance.now() - this.departed < LEAVING;
  }

  // Another page is about to be asked for. A question of ours that followed would be taken for a wish to stay: Streamlit
  // would clear the new page away and show none. And one that is not answered yet would be dropped. So what is shown here
  // is said and answered first; `again` is what the person wanted.
  depart(event, again) {
    if ((this.waiting || this.playing) && !this.leaving()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (this.playing || this.settling !== null) {
        this.pause(false);
        this.command("show");
      }
      this.again = again;
      setTimeout(() => this.goOn(), ANSWERED);
    }
    this.departed = performance.now();
  }

  goOn() {
    const again = this.again;
    this.again = null;
    again?.();
  }

  async copyLink() {
    const button = this.$("[data-act=link]");
    this.stateAddress();
    let said = "copied";
    if (!this.data.link) said = "an uploaded model cannot be in a link";
    else {
      // Without a secure connection browsers offer no clipboard; the address bar has the link.
      try { await navigator.clipboard.writeText(location.href); } catch { said = "copy it from the address bar"; }
    }
    button.textContent = said;
    setTimeout(() => { button.textContent = "copy link"; }, 2500);
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
      // The first jump is asked for at once; those that follow before its answer, when they have come to rest.
      this.settling = setTimeout(() => this.command("show"), this.waiting ? 40 : 0);
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
        if (this.marks.range && this.position >= this.marks.range[1]) this.position = this.marks.range[0];
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
    act("run").onclick = () => {
      this.pause(false);
      this.stopping = Boolean(this.running);
      this.command(this.running ? "stop" : "run");
      this.draw();
    };
    act("speed").onchange = (event) => { this.speed = Number(event.target.value); };
    this.$(".scrub").oninput = (event) => { this.pause(false); this.show(Number(event.target.value)); };
    act("link").onclick = () => this.copyLink();
    act("flip").onclick = () => this.select(this.arc ^ 1);
    act("look").onclick = () => this.go("edge", {});
    this.leave(act("tour"), "learn", () => ({}));
    this.leave(this.$(".why"), "learn", () => ({ lesson: this.lesson }));
    act("reference").onclick = () => this.command("reference");
    // Links are heard of before Streamlit is, in the capturing phase; the browser's own buttons only after it.
    const away = (event) => {
      if (!this.root.isConnected) return ["click", "popstate"].forEach((name) => removeEventListener(name, away, true));
      const path = event.composedPath();
      const link = path.find((each) => each.tagName === "A");
      const stays = !link || link.target || link.download || path.includes(this.root) || event.ctrlKey || event.metaKey || event.shiftKey;
      if (event.type === "click" && stays) return;
      if (isOurs((link ?? location).pathname)) Object.assign(this, { departed: -Infinity, again: null });
      else if (link) this.depart(event, () => link.click());
      else this.departed = performance.now();
    };
    for (const name of ["click", "popstate"]) addEventListener(name, away, true);
    this.keys = (event) => {
      if (!this.root.isConnected) return document.removeEventListener("keydown", this.keys);
      const target = event.composedPath()[0];
      if (target.closest("input, textarea, select, summary, [role^=menu], [role=option]") && target !== this.$(".scrub")) return;
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
    this.drawn = null; // also the message, though it is the same, has another place now
    this.panes.layout();
  }

  // Tell what something is while the pointer is over it, or the keyboard at it.
  explain(element, lines) {
    element.onpointerenter = (event) => this.tip(event, lines);
    element.onpointerleave = element.onblur = () => this.tip(null);
    element.onfocus = () => {
      if (!element.matches(":focus-visible")) return;
      const { x, y, width, height } = element.getBoundingClientRect();
      this.tip({ clientX: x + width / 2, clientY: y + Math.min(height, 60) }, lines);
    };
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
    tip.style.left = `${Math.max(0, Math.min(event.clientX - frame.left + 14, frame.width - tip.offsetWidth))}px`;
    tip.style.top = `${event.clientY - frame.top + 14}px`;
  }

  draw() {
    if (this.run === null || !this.panes.ties) return;
    const event = this.last();
    this.drawStatus(event);
    if (this.running) this.panes.draw(this.live, null);
    else this.panes.draw(event || (this.position === 0 ? this.origin : null), event);
    this.drawCharts();
    if (this.drawn !== this.edge || this.drawnArc !== this.arc) this.message.draw();
    [this.drawn, this.drawnArc] = [this.edge, this.arc];
  }

  // While playing, twelve times a second is enough for what moves by a pixel.
  drawCharts() {
    const now = performance.now();
    if (this.playing && now - this.charted < 80) return;
    this.charted = now;
    this.bounds.draw();
    if (this.marked !== this.history || this.markedUpTo !== this.seen) this.marks.draw();
    [this.marked, this.markedUpTo] = [this.history, this.seen];
  }

  drawStatus(event) {
    const live = this.running;
    const known = live || event || (this.position === 0 ? this.graph : this.nearest());
    const set = (name, text) => { this.$(`[data-out=${name}]`).textContent = text; };
    set("lower", number(known.lower));
    set("upper", number(known.upper));
    const own = this.graph.objective;
    this.$("[data-out=own]").hidden = !own;
    if (own) {
      const [found, bound] = [known.upper, known.lower].map((energy) => number(own.scale * energy + own.offset));
      this.$("[data-out=own]").title = own.name;
      set("own", `${short(own.name, 24)} ${found}, ${own.sense === "max" ? "at most" : "at least"} ${bound}`);
    }
    set("gap", gapText(known.lower, known.upper, this.graph.scale, 2));
    set("rows", live ? live.total : event ? event.total : this.position === 0 && this.origin ? this.origin.rows.reduce((a, b) => a + b, 0) : "…");
    const words = live ? (this.stopping ? "stopping…" : "running…") : this.atEnd() ? this.ending : this.playing ? "playing" : "paused";
    set("state", this.data.failure || words);
    const ended = event && event.kind === KIND.FINISHED ? this.events.get(this.position - 2) : null;
    const sweep = live ? live.sweep : (ended || event || { sweep: 0 }).sweep;
    const count = live ? live.events : this.position;
    this.$(".where").textContent = `sweep ${sweep + 1} · event ${count}`;
    const scrub = this.$(".scrub");
    scrub.max = this.seen;
    scrub.value = count;
    for (const control of this.root.querySelectorAll("[data-step], [data-act=play]")) control.disabled = Boolean(live) || this.atEnd();
    for (const control of this.root.querySelectorAll("[data-back], [data-act=reset]")) control.disabled = Boolean(live) || this.position === 0;
    scrub.disabled = Boolean(live);
    this.$("[data-act=play]").textContent = this.playing ? "❚❚ Pause" : "▶ Play";
    const run = this.$("[data-act=run]");
    run.textContent = live ? "■ Stop" : "run ▶|";
    run.disabled = !live && this.atEnd();
    const opening = "Every group starts on its own, all messages are 0. Press Play, or step row by row, and watch the lower bound rise.";
    const sentence = live ? "Running at full speed. Stop whenever you like; every event can be revisited afterwards."
      : event ? event.sentence : this.position === 0 ? opening : "…";
    Object.assign(this.$(".sentence"), { textContent: sentence, title: sentence.length > CUT ? sentence : "" });
    this.$(".formula").textContent = event && !live ? event.formula : "";
    const [lesson, title] = this.graph.lessons[event ? event.kind : KIND.SWEEP];
    const why = this.$(".why");
    if (lesson !== this.lesson) {
      this.lesson = lesson;
      why.textContent = `Learn: ${title} →`;
      why.href = `learn?lesson=${lesson}`;
    }
    this.root.dataset.position = String(this.position);
    this.root.dataset.state = live ? "running" : this.playing ? "playing" : this.waiting ? "waiting" : "idle";
  }

  // Bounds at a position whose event is not held: the nearest point of the history.
  nearest() {
    const { event, lower, upper } = this.history;
    const k = event.findIndex((e) => e >= this.position);
    return k < 0 ? { lower: null, upper: null } : { lower: lower[k], upper: upper[k] };
  }
}

export const receive = (root, component) => {
  root.stage = root.stage || new Stage(root);
  root.stage.receive(component.data, component.setTriggerValue);
};
