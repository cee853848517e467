// The stage. It keeps its DOM between reruns, plays the events it holds on its own clock, and asks Python for more.

import { isDark } from "../palette.js";
import { Tip } from "../tip.js";
import { Bounds } from "./bounds.js";
import { listen } from "./controls.js";
import { Events, slacks } from "./frames.js";
import { Graph } from "./graph.js";
import { Leaving } from "./leaving.js";
import { Message } from "./message.js";
import { Player } from "./player.js";
import { Questions } from "./questions.js";
import { Status } from "./status.js";
import { Strip } from "./strip.js";

const CHARTED = 80; // milliseconds between drawings of the charts while playing: enough for what moves by a pixel

class Stage {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.run = null;
    this.events = new Events();
    this.tip = new Tip(this.$(".tip"), root);
    this.player = new Player(this);
    this.questions = new Questions(this);
    this.leaving = new Leaving(this);
    this.status = new Status(this);
    this.panes = new Graph(this);
    this.bounds = new Bounds(this);
    this.message = new Message(this);
    this.strip = new Strip(this);
    listen(this);
    const resized = new ResizeObserver(() => this.run !== null && this.layout());
    resized.observe(this.$(".views"));
    resized.observe(this.$(".bounds svg"));
  }

  receive(data, send) {
    const fresh = data.run !== this.run;
    if (fresh && !data.graph) return this.questions.askForAll(data.run, send);
    this.send = send;
    this.data = data;
    const latest = this.questions.hear(data, fresh);
    if (fresh) this.begin(data);
    this.running = data.running;
    if (data.running) this.follow(data.running);
    this.stopping &&= Boolean(data.running);
    if (data.frames) this.take(data, latest);
    if (fresh) this.layout();
    else this.draw();
    this.drawReference(data);
    this.questions.poll(this.running || data.asking);
    if (latest) this.leaving.goOn();
  }

  // Another run.
  begin(data) {
    const history = { event: [], lower: [], upper: [], sweeps: [], rise: null };
    Object.assign(this, { run: data.run, graph: data.graph, arc: -1, edge: null, tightness: null, history });
    this.events = new Events();
    this.player.begin();
    this.bounds.zoom.range = this.strip.range = null;
    this.status.title(data);
    this.dark = isDark(this.root);
    this.root.classList.toggle("dark", this.dark);
  }

  // A run in the background: its latest state is drawn, its events can be looked at when it has stopped.
  follow({ slack, rows, history, events }) {
    this.live = { slack: slacks(slack), rows: Int32Array.from(rows) };
    this.history = history;
    this.player.seen = Math.max(this.player.seen, events);
  }

  take(data, latest) {
    this.events.take(data.frames, this.player.position);
    Object.assign(this, { history: data.history, done: data.done, ending: data.status });
    Object.assign(this, { edge: data.edge, tightness: data.tightness });
    if (!latest) return;
    this.player.hear(data);
    if (data.edge) this.arc = data.edge.arc;
    this.leaving.stateAddress();
  }

  select(arc) {
    this.arc = arc;
    this.draw();
    this.questions.ask("show");
  }

  // -- drawing ----------------------------------------------------------------------------------------------

  layout() {
    this.drawn = null; // also the message, though it is the same, has another place now
    this.panes.layout();
  }

  draw() {
    if (this.run === null || !this.panes.ties) return;
    const event = this.player.last();
    this.status.draw(event);
    if (this.running) this.panes.draw(this.live, null);
    else this.panes.draw(event || (this.player.position === 0 ? this.events.origin : null), event);
    this.drawCharts();
    if (this.drawn !== this.edge || this.drawnArc !== this.arc) this.message.draw();
    [this.drawn, this.drawnArc] = [this.edge, this.arc];
  }

  drawCharts() {
    const now = performance.now();
    const { playing, seen } = this.player;
    if (playing && now - this.charted < CHARTED) return;
    this.charted = now;
    this.bounds.draw();
    if (this.marked !== this.history || this.markedUpTo !== seen) this.strip.draw();
    [this.marked, this.markedUpTo] = [this.history, seen];
  }

  drawReference({ asking, references }) {
    const ask = this.$("[data-act=reference]");
    ask.disabled = asking || references.length > 0;
    ask.textContent = asking ? "HiGHS is computing…" : "compare with HiGHS";
  }
}

export const receive = (root, data, send) => {
  root.stage ??= new Stage(root);
  root.stage.receive(data, send);
};
