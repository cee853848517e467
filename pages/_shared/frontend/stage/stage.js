// The stage. It keeps its DOM between reruns, plays the events it holds on its own clock, and asks Python for more.

import { dress, isDark } from "../palette.js";
import { Tip } from "../tip.js";
import { Pair } from "./beside/pair.js";
import { Chapters } from "./chapters.js";
import { Charts } from "./charts/charts.js";
import { listen } from "./controls.js";
import { Drawer } from "./drawer/drawer.js";
import { Finder } from "./finder.js";
import { keepFocus } from "./focus.js";
import { Embedded } from "./embedded.js";
import { Events } from "./frames.js";
import { Gaps } from "./graph/gaps.js";
import { Graph } from "./graph/graph.js";
import { Greeting } from "./greeting.js";
import { Sizes } from "../layout.js";
import { Leaving } from "./leaving.js";
import { Lecture } from "./lecture.js";
import { List } from "./list/list.js";
import { takeUpChoices } from "./play/choices.js";
import { Moment } from "./play/moment.js";
import { Player } from "./play/player.js";
import { Questions } from "./questions.js";
import { RunBar } from "./run_bar.js";
import { Sharing } from "./sharing.js";
import { Status } from "./status.js";
import { Strip } from "./strip.js";
import { Talk } from "./talk.js";

const THEME = 500; // milliseconds between two looks at the colours of the page

let last = null; // the stage that was mounted last

class Stage {
  // `first`: the stage beside which this one is; null: this is the first.
  constructor(root, first = null) {
    Object.assign(this, { root, first });
    this.$ = (selector) => root.querySelector(selector);
    this.run = null;
    this.arc = -1; // the pinned message; −1: the pictures follow the loosest
    this.begun = false; // whether there was a run before
    this.highlighted = null; // the target of the pointer in one picture, to be highlighted in the others
    this.events = new Events();
    this.sizes = new Sizes(() => this.run !== null && this.resized());
    this.tip = new Tip(this.$(".tip"), root.parentElement);
    this.pair = first?.pair ?? new Pair(this);
    this.player = new Player(this);
    this.questions = new Questions(this);
    this.leaving = first?.leaving ?? new Leaving(this);
    this.status = new Status(this);
    this.runBar = new RunBar(this);
    this.panes = new Graph(this);
    this.gaps = new Gaps(this);
    this.list = new List(this);
    this.drawer = new Drawer(this);
    this.charts = new Charts(this);
    this.strip = new Strip(this);
    this.chapters = new Chapters(this);
    this.finder = new Finder(this);
    this.greeting = new Greeting(this);
    this.lecture = new Lecture(this);
    this.talk = first?.talk ?? new Talk(this);
    this.embedded = new Embedded(this);
    this.sharing = first?.sharing ?? new Sharing(this);
    listen(this);
    keepFocus(this);
    this.followTheme();
    if (!first) last = this;
  }

  // Another stage beside this one.
  beside(root) {
    return new Stage(root, this);
  }

  isLast() {
    return last === this;
  }

  receive(data, send) {
    const fresh = data.run !== this.run;
    if (fresh && !data.graph) return this.questions.askForAll(data.run, send);
    if (!this.first) this.pair.send = send;
    this.data = data;
    const latest = this.questions.hear(data, fresh);
    const isCalled = fresh && this.begun && data.called === data.run;
    if (fresh) this.begin(data);
    this.running = data.running;
    if (data.running) this.follow(data.running);
    this.working = data.working;
    this.stopping &&= Boolean(data.running || data.working);
    if (data.exact) this.charts.exact.take(data.exact);
    this.tightness = data.tightness;
    this.list.looks.hear(data.lines);
    this.drawer.hear(data.drawer);
    if (data.frames) this.take(data, latest);
    else if (latest && !data.running) this.player.giveUp();
    if (fresh) this.panes.layout();
    else this.draw();
    // The run requested below the stage is on it now.
    if (isCalled && this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView();
    this.drawReference(data);
    this.$("[data-act=prove]").disabled = Boolean(data.proving);
    this.runBar.hear(data, fresh);
    if (fresh) this.embedded.start();
    const isPricing = data.prices?.some(({ pending }) => pending);
    const isWorking = data.asking || data.measuring || data.proving || isPricing || data.bar.making !== null;
    this.questions.poll(this.running || isWorking);
    if (latest) this.leaving.goOn();
    // Python computes the measure requested last; a stage opened by a link has requested none.
    if (fresh && this.panes.measure !== "tension" && !this.questions.waiting) this.questions.renew();
    if (this.first) return;
    this.talk.hear(data, latest);
    this.pair.receive(data);
  }

  // A question to Python.
  send(_, command) {
    this.pair.say(this, command);
  }

  // Another run.
  begin(data) {
    this.panes.flow.begin(data.forked_from);
    const history = { event: [], lower: [], upper: [], sweeps: [], gains: [], updates: [], rise: null };
    Object.assign(this, { run: data.run, graph: data.graph, parent: data.parent, arc: data.arc, history, done: null });
    this.stretch = data.stretch ?? null; // what a frame in another page shows of the run; null: this is no frame
    this.chapters.begin(data);
    this.runBar.begin(data);
    if (!this.first) this.beginFirst(data);
    this.highlighted = null;
    this.events = new Events();
    this.player.begin();
    this.chapters.goOn();
    this.charts.show(null);
    this.charts.exact.forget();
    this.strip.begin();
    this.embedded.begin();
    this.list.begin();
    this.drawer.begin();
    if (!this.begun && !this.first) takeUpChoices(this);
    this.begun = true;
    this.wear();
  }

  beginFirst(data) {
    this.greeting.begin(data);
    this.leaving.begin();
    this.pair.join();
  }

  // Take the colours of the page; returns whether they have changed.
  wear() {
    const page = getComputedStyle(this.root).getPropertyValue("--st-background-color");
    if (page === this.page) return false;
    Object.assign(this, { page, dark: isDark(this.root) });
    this.root.classList.toggle("dark", this.dark);
    dress(this.root, this.dark);
    return true;
  }

  // Streamlit changes the theme without an event.
  followTheme() {
    const timer = setInterval(() => {
      if (!this.root.isConnected) clearInterval(timer);
      else if (this.run !== null && this.wear()) this.draw();
    }, THEME);
  }

  // A run in the background: its latest state is drawn, its events can be looked at when it has stopped.
  follow(running) {
    const { lower, upper, least, tension, gained, rows, history } = running;
    const read = { before: running.read, within: {} };
    const nothing = { best: null, decided: null, update: null, passed: null, node: -1, arc: -1 };
    const state = { lower, upper, least, tension, gained, read, rows, ...nothing };
    this.list.past.add(running.events, tension.edges);
    this.live = new Moment({ act: "running", from: 0, to: running.events, round: 0, ms: 0 }, 1, state, state);
    this.history = history;
    this.player.seen = Math.max(this.player.seen, running.events);
  }

  take(data, latest) {
    this.events.end = data.done ?? Infinity;
    this.events.take(data.frames, this.player.scene ? this.player.position : data.position);
    Object.assign(this, { history: data.history, done: data.done, ending: data.status, refusal: data.refusal });
    this.list.take(data.frames);
    if (!latest) return;
    this.player.hear(data);
    if (!this.moment() && !this.questions.waiting) this.questions.settle();
  }

  // Pin a message, or none.
  select(arc) {
    this.pair.both(this, (each) => each.pin(arc));
  }

  pin(arc) {
    this.arc = arc;
    if (arc >= 0 && this.list.open) this.drawer.turn(true);
    this.draw();
    this.questions.renew();
  }

  // The message shown: the one that is pinned, else that of the event, or the one of most interest in the update.
  follows(moment) {
    if (this.arc >= 0) return this.arc;
    return moment?.update ? (moment.update.arcs[this.charts.message.slotOf(moment.update, moment.after)] ?? -1) : -1;
  }

  // -- drawing ----------------------------------------------------------------------------------------------

  moment() {
    return this.running ? this.live : this.player.moment();
  }

  // Point at an edge, a group or one of its members, in all pictures.
  highlight(found) {
    if (JSON.stringify(found) === JSON.stringify(this.highlighted)) return;
    this.pair.both(this, (each) => {
      each.highlighted = found;
      each.draw();
    });
  }

  resized() {
    this.panes.layout();
    this.strip.draw();
  }

  draw() {
    if (this.run === null || !this.panes.ready) return;
    const { flow } = this.panes;
    this.status.mark();
    // Until the circles have arrived, all texts are of the previous chapter.
    if (flow.isOn) return flow.draw();
    this.runBar.draw();
    const moment = this.moment();
    if (moment) this.greeting.draw(moment);
    this.root.classList.toggle("unknown", !moment);
    this.status.draw(moment);
    this.embedded.draw();
    if (moment) this.player.known = this.player.position;
    if (moment) for (const part of [this.charts, this.panes, this.gaps, this.list, this.drawer]) part.draw(moment);
    if (this.marked !== this.history || this.markedUpTo !== this.player.seen) this.strip.draw();
    [this.marked, this.markedUpTo] = [this.history, this.player.seen];
  }

  // Everything drawn, as plain values.
  marks() {
    const pictures = [...this.panes.pictures, this.gaps.picture, this.drawer.picture, ...this.charts.pictures];
    return pictures.flatMap((picture) => picture.list());
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
