// Runs side by side: bounds against sweeps, rows, seconds or work. The chart keeps its zoom and hidden runs; new data
// only add to it.

import { axes } from "../marks/axis.js";
import { fitted, names, widthOfNames } from "../marks/names.js";
import { note } from "../marks/note.js";
import { Picture } from "../marks/picture.js";
import { DASHES, runLine } from "../marks/run.js";
import { Menu } from "../menu.js";
import { saveBy } from "../saving.js";
import { linear, logarithmic } from "../scales.js";
import { measured } from "../screen.js";
import { number, short } from "../text.js";
import { Zoom } from "../zoom.js";
import { cutsOf } from "./cuts.js";
import { Keys } from "./keys.js";
import { extentOf, heightOf, heightsOf, lacks, leadersOf, linesOf, scaleOf } from "./lines.js";
import { Pointer } from "./pointer.js";
import { explained, invitation, titleOf, unitOf } from "./words.js";

const STRIP = 5; // pixels, of its height
const SEEN = 150; // pixels of the chart that are enough to see that a race goes on
const NAMED = 40; // characters of the model's name above the chart; the tip shows the full name
const WIDEST = 0.3; // share of the width that names of lines may take

const isSame = (one, other) => Object.entries(one).every(([what, value]) => other[what] === value);

class Curves {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.svg = this.$("figure svg");
    this.picture = new Picture(this.$(".drawn"), "curves");
    this.choice = { x: "sweeps", scale: "linear", y: "bounds" };
    this.sent = null; // the choice that Python does not know yet
    this.data = { model: "", scale: 0, runs: [], chosen: [] };
    this.lines = [];
    this.frame = null;
    this.stressed = null; // the run that is pointed at
    this.keys = new Keys(this);
    this.zoom = new Zoom(this);
    this.pointer = new Pointer(this);
    for (const what of Object.keys(this.choice)) {
      for (const button of this.buttons(what)) button.onclick = () => this.choose(what, button.dataset[what]);
    }
    saveBy(this, new Menu(this, this.$(".menu")));
    new ResizeObserver(() => this.draw()).observe(this.svg);
  }

  receive(data, send) {
    const known = this.send && new Set(this.data.runs.map((run) => run.key));
    Object.assign(this, { data, send });
    if (!this.sent) this.take(data.axes);
    else if (isSame(this.sent, data.axes)) this.sent = null;
    this.keys.list(data.runs);
    this.draw();
    if (known && data.runs.some((run) => !run.faded && !known.has(run.key))) this.come();
  }

  // Where a race begins: on a phone the chart is below what is chosen.
  come() {
    if (this.svg.getBoundingClientRect().top > innerHeight - SEEN) this.root.scrollIntoView({ block: "start" });
  }

  buttons(what) {
    return this.root.querySelectorAll(`[data-${what}]`);
  }

  // Python writes the choice into the address.
  choose(what, value) {
    this.take({ ...this.choice, [what]: value });
    this.sent = { ...this.choice };
    this.send("axes", this.sent);
    this.draw();
  }

  take(choice) {
    if (choice.x !== this.choice.x || choice.scale !== this.choice.scale) this.zoom.range = null;
    Object.assign(this.choice, choice);
    for (const what of Object.keys(choice)) this.press(what);
  }

  press(what) {
    for (const button of this.buttons(what)) {
      button.setAttribute("aria-pressed", String(button.dataset[what] === this.choice[what]));
    }
  }

  // Everything of other runs is faint while one is pointed at, its line, its name, or its button; or else while rows of
  // the table are selected.
  stress(key) {
    this.stressed = key;
    const kept = key === null ? this.data.chosen : [key];
    for (const mark of this.root.querySelectorAll(".drawn [data-run], .keys [data-run]")) {
      mark.toggleAttribute("data-faint", kept.length > 0 && !kept.includes(mark.dataset.run));
    }
  }

  // -- drawing ----------------------------------------------------------------------------------------------

  extent() {
    return extentOf(this.lines, this.choice);
  }

  draw() {
    const size = measured(this.svg);
    if (!size.width) return;
    const { data, choice, keys } = this;
    this.lines = linesOf(data, choice, keys.hidden);
    this.frame = this.lines.length ? this.axes(size) : null;
    this.cuts = this.frame ? cutsOf(this.lines, this.frame) : [];
    this.picture.draw(this.frame ? this.marks() : note(invitation(choice, data.runs, keys.hidden), size));
    this.title();
    this.stress(this.stressed);
    this.pointer.look();
  }

  marks() {
    const lines = this.lines.flatMap((line, index) => this.line(line, index));
    return [...this.frame.marks, ...this.leads(), ...lines, ...this.cuts, ...this.names()];
  }

  // Who leads when, at the top.
  leads() {
    const { x, box } = this.frame;
    if (this.lines.length < 2) return [];
    return leadersOf(this.lines, this.data.scale).map(({ run, from, to }, k) => {
      const [left, right] = [from, to].map((at) => Math.min(Math.max(x(at), box.left), box.right));
      // Runs of one colour have different dashes.
      const line = { x1: left, x2: right, y1: box.top + STRIP / 2, y2: box.top + STRIP / 2, "stroke-width": STRIP };
      const look = { stroke: run.colour, "stroke-dasharray": DASHES[run.dash] };
      return { id: `leads ${k}`, class: "leads", "data-run": run.key, ...line, ...look };
    });
  }

  title() {
    const { data, choice } = this;
    const { model, runs } = data;
    const against = titleOf(choice, runs);
    Object.assign(this.$("figcaption"), { textContent: short(model, NAMED) + against, title: model + against });
    const isShort = runs.some((run) => lacks(run, choice.x));
    this.$(".how").innerHTML = explained(choice, runs, this.cuts.length > 0, isShort);
    this.svg.setAttribute("aria-label", this.alternative());
  }

  axes(size) {
    const { choice, lines } = this;
    const range = this.zoom.shown();
    const counted = choice.x !== "seconds" && choice.scale === "linear";
    const across = {
      range,
      name: `${unitOf(choice, this.data.runs)}${choice.scale === "log" ? " (log)" : ""}`,
      ticks: (...ends) =>
        scaleOf(choice)
          .ticks(...ends)
          .filter(([at]) => !counted || Number.isInteger(at)),
    };
    const gap = choice.y === "gap";
    const up = {
      range: heightsOf(lines, range, choice),
      name: gap ? "best UB − LB, energy (log)" : "energy",
      ticks: (gap ? logarithmic : linear).ticks,
    };
    this.labels = fitted(
      lines.map(({ run }) => run.label),
      WIDEST * size.width,
    );
    return axes(size, across, up, widthOfNames(this.labels));
  }

  line({ run, points }, index) {
    const { x, y, box } = this.frame;
    const drawn = (what) => points.filter((p) => p[what] !== null).map((p) => [x(p.x), y(p[what])]);
    const [lower, upper] = [drawn("lower"), drawn("upper")];
    const look = run.faded ? " faded" : "";
    const marks = runLine(run, { lower, upper, index }, box);
    return marks.map((mark) => ({ ...mark, class: mark.class + look, "data-run": run.key }));
  }

  names() {
    const { y, box } = this.frame;
    const end = (points) => y(heightOf(points[points.length - 1]));
    const ends = this.lines.map(({ run, points }, k) => ({ ...run, label: this.labels[k], y: end(points) }));
    return names(ends, box);
  }

  alternative() {
    const end = (values) => number(values[values.length - 1]);
    const ends = this.lines.map(({ run }) => `${run.label}: LB ${end(run.lower)}, UB ${end(run.upper)}`);
    return `${this.$("figcaption").textContent}. ${ends.join("; ")}`;
  }
}

export const receive = (root, data, send) => {
  root.curves ??= new Curves(root);
  root.curves.receive(data, send);
};
