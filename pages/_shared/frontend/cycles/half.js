// What raises the bound of one kind: its history, its graph, where its gap lies, and its numbers and sentence.

import { gapText, isClosed } from "../gap.js";
import { write } from "../layout.js";
import { atLeast, entries, number } from "../text.js";
import { History } from "./history.js";
import { Net } from "./net.js";
import { Parts } from "./parts.js";

// Names, and what is said of who leads.
const WAYS = { program: ["linear program", "leads"], messages: ["messages", "lead"] };
const TOO_MANY = "With more than 2,000 variables the couplings could not be told apart.";

export class Half {
  // `place`: 0, or 1 for the second of two.
  constructor(whole, root, place) {
    Object.assign(this, { whole, root, place, tip: whole.tip, sizes: whole.sizes, history: null, pointed: null });
    this.$ = (selector) => root.querySelector(selector);
    this.net = new Net(this);
    this.parts = new Parts(this);
  }

  get way() {
    return WAYS[this.history.by][0];
  }

  get leads() {
    return WAYS[this.history.by].join(" ");
  }

  get dark() {
    return this.whole.dark;
  }

  begin(of, { graph, groups, grouped }) {
    Object.assign(this, { history: new History(of, graph), pointed: null });
    for (const element of this.root.querySelectorAll("[data-of]")) element.hidden = element.dataset.of !== of.by;
    this.$(".fields").hidden = !graph.ends.includes(graph.names.length);
    this.note(graph);
    this.net.camera.show(1, [0, 0]);
    this.net.begin({ graph, groups, grouped });
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

  // -- of the whole -------------------------------------------------------------------------------------------

  moment() {
    return this.whole.player.moments()[this.place];
  }

  changed() {
    this.whole.changed();
  }

  tell() {
    this.whole.tell();
  }

  // Another part of the graph is in sight.
  moved() {
    this.whole.moved(this);
  }

  // Point at a coupling or at the couplings of a cycle, in all pictures.
  point(found) {
    this.pointed = found;
    this.whole.draw();
  }

  // -- drawing ------------------------------------------------------------------------------------------------

  draw(moment, title) {
    this.net.draw(moment);
    this.parts.draw(moment);
    this.status(moment);
    this.write("title", this.whole.halves.length > 1 ? `${this.way} · ${title}` : title);
  }

  write(name, text) {
    write(this.$(`[data-out=${name}]`), text);
  }

  status({ state, after, isEnd }) {
    const { history } = this;
    const { ending } = history;
    const { lower, upper } = state;
    const closed = (isEnd && ending.proven) || isClosed(lower, upper, history.graph.scale);
    const raised = isEnd && ending.least > lower && !isClosed(lower, ending.least, history.graph.scale);
    const bound = closed && !raised ? number(lower) : atLeast(lower);
    this.write("lower", raised ? `${bound} ⇒ ${number(ending.least)}` : bound);
    this.write("upper", number(upper));
    this.write("gap", gapText(lower, upper, closed, 3));
    this.write("count", state.cycles.length.toLocaleString("en"));
    this.write("swallowed", this.net.grouping?.swallowed(state.cycles) ?? "");
    this.write("triplets", state.triplets.length.toLocaleString("en"));
    this.write("broken", state.broken.reduce((sum, one) => sum + one, 0).toLocaleString("en"));
    this.write("work", entries(history.workOf(state.position)));
    const sentence = this.$(".sentence");
    const isLast = after.position === history.length;
    const failure = isLast && this.whole.halves.length > 1 ? history.failure : "";
    write(sentence, [history.sentence(after.position), failure].join(" ").trim());
    // What passes quickly is not read out.
    sentence.setAttribute("aria-live", this.whole.player.playing ? "off" : "polite");
  }

  // How it has ended; null: it has not.
  ended({ isEnd }) {
    const { ending } = this.history;
    if (!isEnd) return null;
    return ending.proven ? "optimal, proven" : ending.best ? "best bound by cycles" : "ended";
  }

  // The lower bound, with what the steps of the energies add to it at the end.
  lowerAt({ state, isEnd }) {
    return isEnd ? Math.max(state.lower, this.history.ending.least) : state.lower;
  }

  // Everything drawn, as plain values.
  marks() {
    return [...this.net.list(), ...this.parts.picture.list()];
  }
}
