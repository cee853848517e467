// The bound by frustrated cycles: couplings that fill with what they lend, step by step. It keeps its DOM between
// reruns, plays the events that it holds, and asks Python for more.

import { gapText, isClosed } from "../gap.js";
import { Sizes, write } from "../layout.js";
import { Menu } from "../menu.js";
import { dress, isDark } from "../palette.js";
import { follow } from "../pressing.js";
import { saveBy } from "../saving.js";
import { atLeast, number } from "../text.js";
import { Tip } from "../tip.js";
import { Bounds } from "./bounds.js";
import { Choice } from "./choice.js";
import { History } from "./history.js";
import { Lending } from "./lending.js";
import { Net } from "./net.js";
import { Parts } from "./parts.js";
import { Player } from "./player.js";

const THEME = 500; // milliseconds between two looks at the colours of the page
const POLL = 250; // milliseconds until progress is asked for
const LEAVING = 2000; // milliseconds after the press of a link in which nothing is sent
const LOST = 4000; // milliseconds without an answer after which a command may have been lost
const LOW = 150; // events ahead below which more are asked for
const TOO_MANY = "With more than 2,000 variables the couplings could not be told apart.";
const TYPED_INTO = "input:not([type=range]), textarea, select, [role^=menu], [role=option]";

class Cycles {
  constructor(root) {
    Object.assign(this, { root, home: location.pathname, departed: Number.NEGATIVE_INFINITY });
    this.$ = (selector) => root.querySelector(selector);
    Object.assign(this, { key: null, history: null, pointed: null, serial: 0, asked: null });
    this.sizes = new Sizes(() => this.history && this.resized());
    this.tip = new Tip(this.$(".tip"), root);
    this.player = new Player(this);
    this.choice = new Choice(this);
    this.net = new Net(this);
    this.panes = [new Bounds(this), new Lending(this), new Parts(this)];
    this.listen();
    this.followTheme();
  }

  // -- Python -----------------------------------------------------------------------------------------------

  receive(data, send) {
    Object.assign(this, { data, send });
    this.asked = null;
    this.choice.receive(data.by);
    if (data.graph && (data.key !== this.key || !this.history)) this.begin(data);
    const isKnown = this.history !== null && data.key === this.key;
    if (isKnown) this.take(data);
    else this.await(data);
    write(this.$("[data-out=title]"), data.title);
    this.follow(data, isKnown);
  }

  begin(data) {
    Object.assign(this, { key: data.key, history: new History(data), pointed: null, isStopped: false });
    this.dark = isDark(this.root);
    dress(this.root, this.dark);
    this.$(".fields").hidden = !data.graph.ends.includes(data.graph.names.length);
    this.note(data.graph);
    this.player.begin(0);
    this.net.camera.show(1, [0, 0]);
    this.player.awaited = data.position || null;
    this.net.begin(data);
  }

  // What is not drawn.
  note({ x, cost }) {
    const none = this.$(".net .none");
    const left = cost.length - this.net.drawnOf(cost).length;
    const text = x.length ? `The ${left.toLocaleString("en")} cheapest couplings are not drawn.` : TOO_MANY;
    Object.assign(none, { textContent: text, hidden: x.length > 0 && left === 0 });
    none.classList.toggle("left", x.length > 0);
    this.$(".glyphs").hidden = !x.length;
  }

  take(data) {
    this.history.take(data);
    this.player.hear();
    this.draw();
  }

  // The model is another one, or the graph is being made.
  await(data) {
    this.history = null;
    this.key = data.key;
    write(this.$(".sentence"), data.working || data.failure);
  }

  // Ask again while something is computed, and for what will be needed soon.
  follow(data, isKnown) {
    clearTimeout(this.next);
    this.$(".making").hidden = !data.working;
    write(this.$("[data-out=working]"), data.working);
    if (data.failure) write(this.$("[data-out=state]"), data.failure);
    if (data.failure) this.player.giveUp();
    else if (data.working || !isKnown) this.next = setTimeout(() => this.ask(isKnown ? "show" : "more"), POLL);
    else this.fetch();
  }

  // Ask for more events if few are left ahead, unless it was stopped: then only for those that are awaited.
  fetch() {
    const { history, player, data } = this;
    if (!history || history.end !== null || data.failure || data.working) return;
    const isAwaited = player.awaited !== null || (player.playing && player.position === history.length);
    if (isAwaited) this.isStopped = false;
    const isLow = history.length - player.position < LOW;
    const question = `${history.length} ${player.awaited}`;
    if (this.isStopped || !(isLow || isAwaited) || this.asked === question) return;
    this.asked = question;
    this.ask(player.awaited === "end" ? "end" : "more");
  }

  // Streamlit drops messages while the connection is down: a command that is not answered is said again.
  ask(wanted) {
    clearTimeout(this.next);
    if (!this.root.isConnected) return;
    // A command after the press of a link would count as a wish to stay, and Streamlit would not leave the page.
    if (this.isLeaving()) {
      this.next = setTimeout(() => this.ask(wanted), LEAVING);
      return;
    }
    // Of two commands in a row Python sees only the later one: it must not replace Stop.
    const what = this.isStopped ? "stop" : wanted;
    this.serial += 1;
    const { awaited, position } = this.player;
    // What is not there yet keeps its place.
    const at = !this.history ? this.data.position : typeof awaited === "number" ? awaited : position;
    const grouped = this.history ? this.net.isGrouped : this.data.grouped;
    const has = { known: this.history?.length ?? 0, has_graph: this.history !== null };
    this.send("command", { do: what, by: this.choice.by, key: this.key, ...has, at, grouped, serial: this.serial });
    this.next = setTimeout(() => this.ask("more"), LOST);
  }

  isLeaving() {
    return performance.now() - this.departed < LEAVING || location.pathname !== this.home;
  }

  // The player rests: Python keeps the position, and the address has it.
  tell() {
    this.ask("show");
  }

  // -- the person -------------------------------------------------------------------------------------------

  listen() {
    const { player, root } = this;
    const act = (name) => this.$(`[data-act=${name}]`);
    for (const button of root.querySelectorAll("[data-step]")) {
      button.onclick = () => player.step(button.dataset.step, false);
    }
    for (const button of root.querySelectorAll("[data-back]")) {
      button.onclick = () => player.step(button.dataset.back, true);
    }
    act("reset").onclick = () => player.show(0);
    act("play").onclick = () => this.toggle();
    act("end").onclick = () => player.toEnd();
    act("stop").onclick = () => this.stop();
    saveBy(this, new Menu(this, this.$(".menu")));
    act("speed").onchange = ({ target }) => (player.speed = Number(target.value));
    this.$(".scrub").oninput = ({ target }) => player.show(Number(target.value));
    this.$(".scrub").onpointerdown = () => {
      this.isSliding = true;
      follow(
        () => {},
        () => (this.isSliding = false),
      );
    };
    const hear = (event) => {
      if (root.isConnected) this.press(event);
      else document.removeEventListener("keydown", hear);
    };
    document.addEventListener("keydown", hear);
    const depart = (event) => {
      if (!root.isConnected) document.removeEventListener("click", depart, true);
      else if (event.composedPath().some(({ tagName }) => tagName === "A")) this.departed = performance.now();
    };
    document.addEventListener("click", depart, true);
  }

  toggle() {
    if (this.player.playing) this.player.pause();
    else if (this.history && this.history.end !== 0) this.player.play();
  }

  stop() {
    this.isStopped = true;
    this.player.show(this.player.position);
    this.ask("stop");
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.defaultPrevented || !this.history) return;
    const target = event.composedPath()[0];
    if (target.closest(TYPED_INTO)) return;
    const grain = event.shiftKey ? "round" : "cycle";
    const does = {
      " ": () => !target.closest("button") && (this.toggle(), true),
      ArrowRight: () => (this.player.step(grain, false), true),
      ArrowLeft: () => (this.player.step(grain, true), true),
      Home: () => (this.player.show(0), true),
      End: () => (this.player.toEnd(), true),
      v: () => this.history.by === "program" && (this.net.choose(!this.net.isGrouped), true),
    }[event.key];
    if (does ? does() : this.net.camera.press(event)) event.preventDefault();
  }

  // Point at a coupling or at the couplings of a cycle, in all pictures.
  point(found) {
    this.pointed = found;
    this.draw();
  }

  // -- drawing ----------------------------------------------------------------------------------------------

  // Something has moved: what it needs may have to be asked for.
  changed() {
    this.draw();
    if (this.data) this.fetch();
  }

  resized() {
    this.net.layout();
    this.draw();
  }

  followTheme() {
    const timer = setInterval(() => {
      if (!this.root.isConnected) return clearInterval(timer);
      const dark = isDark(this.root);
      if (!this.history || dark === this.dark) return;
      this.dark = dark;
      this.root.classList.toggle("dark", dark);
      dress(this.root, dark);
      this.draw();
    }, THEME);
  }

  draw() {
    if (!this.history) return;
    const moment = this.player.moment();
    this.root.classList.toggle("dark", this.dark);
    this.net.draw(moment);
    for (const pane of this.panes) pane.draw(moment);
    this.status(moment);
  }

  status({ state, after, isEnd, event }) {
    const { history, player } = this;
    const out = (name, text) => write(this.$(`[data-out=${name}]`), text);
    const { ending } = history;
    const { lower, upper } = state;
    const closed = (isEnd && ending.proven) || isClosed(lower, upper, history.graph.scale);
    const raised = isEnd && ending.least > lower && !isClosed(lower, ending.least, history.graph.scale);
    const bound = closed && !raised ? number(lower) : atLeast(lower);
    out("lower", raised ? `${bound} ⇒ ${number(ending.least)}` : bound);
    out("upper", number(upper));
    out("gap", gapText(lower, upper, closed, 3));
    out("count", state.cycles.length.toLocaleString("en"));
    out("swallowed", this.net.grouping?.swallowed(state.cycles) ?? "");
    out("triplets", state.triplets.length.toLocaleString("en"));
    out("broken", state.broken.reduce((sum, one) => sum + one, 0).toLocaleString("en"));
    const total = history.end === null ? `${history.length}…` : history.end;
    out("where", `round ${(event?.round ?? 0) + 1} · event ${state.position} of ${total}`);
    const ended = isEnd ? (ending.proven ? "optimal, proven" : ending.best ? "best bound by cycles" : "ended") : null;
    if (!this.data.failure) out("state", ended ?? (player.playing ? "playing" : "paused"));
    this.$("[data-out=state]").classList.toggle("proven", Boolean(ended && ending.proven));
    const sentence = this.$(".sentence");
    write(sentence, history.sentence(after.position));
    // What passes quickly is not read out.
    sentence.setAttribute("aria-live", player.playing ? "off" : "polite");
    this.buttons();
  }

  buttons() {
    const { player, history } = this;
    const scrub = this.$(".scrub");
    // Under a finger the slider keeps its range.
    if (!this.isSliding) scrub.max = history.length;
    scrub.value = player.position;
    this.$("[data-act=play]").disabled = history.end === 0;
    write(this.$("[data-act=play]"), player.playing ? "❚❚ Pause" : player.atEnd() ? "↻ Again" : "▶ Play");
    const [isFirst, isLast] = [player.position === 0, player.atEnd()];
    for (const button of this.root.querySelectorAll("[data-back], [data-act=reset]")) button.disabled = isFirst;
    for (const button of this.root.querySelectorAll("[data-step], [data-act=end]")) button.disabled = isLast;
  }

  // Everything drawn, as plain values.
  marks() {
    return [this.net.list(), ...this.panes.map(({ picture }) => picture.list())].flat();
  }
}

export const receive = (root, data, send) => {
  root.cycles ??= new Cycles(root);
  root.cycles.receive(data, send);
};
