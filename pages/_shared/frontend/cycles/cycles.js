// The bound by frustrated cycles, step by step: couplings that fill with what they lend, messages over triplets, or
// both side by side. It keeps its DOM between reruns, plays the events that it holds, and asks Python for more.

import { Departure, SOON } from "../departure.js";
import { Sizes, write } from "../layout.js";
import { dress, isDark } from "../palette.js";
import { Tip } from "../tip.js";
import { Bounds } from "./bounds.js";
import { Choice } from "./choice.js";
import { Controls } from "./controls.js";
import { Course } from "./course.js";
import { Half } from "./half.js";
import { Lending } from "./lending.js";
import { placeOf, Player } from "./player.js";

const THEME = 500; // milliseconds between two looks at the colours of the page
const POLL = 250; // milliseconds until progress is asked for
const LOST = 4000; // milliseconds without an answer after which a command may have been lost
const LOW = 150; // events ahead below which more are asked for

class Cycles {
  constructor(root) {
    Object.assign(this, { root, departure: new Departure(root) });
    this.$ = (selector) => root.querySelector(selector);
    // `course`: all events that are held; null until there are any data.
    Object.assign(this, { key: null, course: null, serial: 0, asked: null });
    this.sizes = new Sizes(() => this.course && this.resized());
    this.tip = new Tip(this.$(".tip"), root);
    this.blank = this.$(".half").cloneNode(true);
    this.halves = [new Half(this, this.$(".half"), 0)];
    this.player = new Player(this);
    this.choice = new Choice(this);
    this.panes = [new Bounds(this), new Lending(this)];
    this.controls = new Controls(this);
    this.followTheme();
  }

  // -- Python -----------------------------------------------------------------------------------------------

  receive(data, send) {
    Object.assign(this, { data, send });
    this.asked = null;
    this.choice.receive(data.by);
    if (data.graph && (data.key !== this.key || !this.course)) this.begin(data);
    const isKnown = this.course !== null && data.key === this.key;
    if (isKnown) this.take(data);
    else this.await(data);
    this.follow(data, isKnown);
  }

  begin(data) {
    this.turn(data.halves.length);
    Object.assign(this, { key: data.key, isStopped: false, course: null, mover: null });
    this.dark = isDark(this.root);
    dress(this.root, this.dark);
    for (const [k, half] of this.halves.entries()) half.begin(data.halves[k], data);
    this.course = new Course(this.halves.map(({ history }) => history));
    this.player.begin(0);
    this.player.awaited = data.position || null;
  }

  // To one half, or to two.
  turn(count) {
    if (count < this.halves.length) {
      const { root } = this.halves.pop();
      root.remove();
      this.sizes.drop(root);
    }
    if (count > this.halves.length) {
      const root = this.blank.cloneNode(true);
      root.classList.add("second");
      this.halves[0].root.after(root);
      this.halves.push(new Half(this, root, 1));
    }
    this.root.classList.toggle("both", count > 1);
    this.sizes.forget();
  }

  take(data) {
    for (const [k, { history }] of this.halves.entries()) history.take(data.halves[k]);
    this.course.extend();
    this.player.hear();
    this.draw();
  }

  // The model is another one, or the graph is being made.
  await(data) {
    Object.assign(this, { course: null, key: data.key });
    this.player.begin(0);
    const [one, ...others] = this.root.querySelectorAll(".sentence");
    write(one, beginning(data) || doing(data));
    for (const other of others) write(other, "");
  }

  // Ask again while something is computed, and for what will be needed soon.
  follow(data, isKnown) {
    clearTimeout(this.next);
    const working = doing(data);
    const failure = isKnown ? this.course.failure : beginning(data);
    this.$(".making").hidden = !working;
    write(this.$("[data-out=working]"), working);
    if (failure && !isKnown) write(this.$("[data-out=state]"), failure);
    if (failure) this.player.giveUp();
    else if (!(isKnown && this.fetch()) && (working || !isKnown)) {
      this.next = setTimeout(() => this.ask(isKnown ? "show" : "more"), POLL);
    }
  }

  // Ask for more events if few are left ahead, unless it was stopped: then only for those that are awaited. Returns
  // whether it asked.
  fetch() {
    const { course, player } = this;
    if (!course || course.end !== null) return false;
    // Others are waited for.
    if (course.starving().some((k) => this.data.halves[k].working)) return false;
    const isAwaited = player.awaited !== null || (player.playing && player.position === course.length);
    if (isAwaited) this.isStopped = false;
    const isLow = course.length - player.position < LOW;
    const question = `${course.length} ${player.awaited}`;
    if (this.isStopped || !(isLow || isAwaited) || this.asked === question) return false;
    this.asked = question;
    this.ask(player.awaited === "end" ? "end" : "more");
    return true;
  }

  // Streamlit drops messages while the connection is down: a command that is not answered is said again.
  ask(wanted) {
    clearTimeout(this.next);
    if (!this.root.isConnected) return;
    if (this.departure.isNear) {
      this.next = setTimeout(() => this.ask(wanted), SOON);
      return;
    }
    // Of two commands in a row Python sees only the later one: it must not replace Stop.
    const what = this.isStopped ? "stop" : wanted;
    this.serial += 1;
    const { halves, course, data, serial } = this;
    const known = data.halves.map((_, k) => (course ? halves[k].history.length : 0));
    // Of two, the one may have events that wait for those of the other.
    const until = known.map((count, k) => (!course || course.starving().includes(k) ? count + data.ahead : count));
    const grouped = course ? halves[0].net.isGrouped : data.grouped;
    const has = { known, until, has_graph: course !== null, at: this.place() };
    this.send("command", { do: what, by: this.choice.by, key: this.key, ...has, grouped, serial });
    this.next = setTimeout(() => this.ask("more"), LOST);
  }

  // The place shown. What is not there yet keeps its place.
  place() {
    const { awaited, position } = this.player;
    if (!this.course) return this.data.position;
    return typeof awaited === "number" ? awaited : position;
  }

  // The player rests: Python keeps the position, and the address has it.
  tell() {
    this.ask("show");
  }

  // -- the person -------------------------------------------------------------------------------------------

  stop() {
    this.isStopped = true;
    if (this.course) this.player.show(this.player.position);
    this.ask("stop");
  }

  // -- drawing ----------------------------------------------------------------------------------------------

  // Something has moved: what it needs may have to be asked for.
  changed() {
    this.draw();
    if (this.data) this.fetch();
  }

  resized() {
    for (const { net } of this.halves) net.layout();
    this.draw();
  }

  // Another part of the graph of one half is in sight: both show the same part.
  moved({ net }) {
    for (const { net: other } of this.halves) {
      if (other === net) continue;
      const corner = net.camera.shares(net.size).map((share, k) => share * other.size[k]);
      Object.assign(other.camera, { scale: net.camera.scale, corner });
      if (this.course) other.layout();
    }
    this.draw();
  }

  followTheme() {
    const timer = setInterval(() => {
      if (!this.root.isConnected) return clearInterval(timer);
      const dark = isDark(this.root);
      if (!this.course || dark === this.dark) return;
      this.dark = dark;
      this.root.classList.toggle("dark", dark);
      dress(this.root, dark);
      this.draw();
    }, THEME);
  }

  draw() {
    if (!this.course) return;
    const moments = this.player.moments();
    this.root.classList.toggle("dark", this.dark);
    this.showPanesOf(this.halves[this.course.moverTo(this.player.position)]);
    for (const [k, half] of this.halves.entries()) half.parts.gather(moments[k]);
    for (const [k, half] of this.halves.entries()) half.draw(moments[k], this.data.title);
    for (const pane of this.panes) pane.draw(moments);
    this.status(moments);
  }

  // The shared panes show this half: nothing of the one before is pointed at any more.
  showPanesOf(half) {
    if (this.mover && this.mover !== half) this.mover.pointed = null;
    this.mover = half;
  }

  status(moments) {
    const { course, player, halves } = this;
    const total = course.end === null ? `${course.length}…` : course.end;
    const round = halves.length > 1 ? "" : `round ${(moments[0].event?.round ?? 0) + 1} · `;
    write(this.$("[data-out=where]"), `${round}event ${placeOf(moments)} of ${total}`);
    const ends = halves.map((half, k) => half.ended(moments[k]));
    const [one, other = one] = ends;
    const ended = ends.includes(null) ? null : one === other ? one : "both have ended";
    const state = this.$("[data-out=state]");
    const rests = player.atEnd() && course.failure ? course.failure : "paused";
    write(state, ended ?? (player.playing ? "playing" : rests));
    state.classList.toggle("proven", ended === "optimal, proven");
    this.controls.draw();
  }

  // Everything drawn, as plain values.
  marks() {
    return [...this.halves.map((half) => half.marks()), ...this.panes.map(({ picture }) => picture.list())].flat();
  }
}

// What is being computed; empty: nothing.
const doing = ({ halves }) => halves.map(({ working }) => working).find(Boolean) ?? "";
// Why there is nothing to be drawn; empty: it is on its way.
const beginning = ({ halves }) => halves.find(({ start, failure }) => !start && failure)?.failure ?? "";

export const receive = (root, data, send) => {
  root.cycles ??= new Cycles(root);
  root.cycles.receive(data, send);
};
