// Runs side by side: bounds against sweeps, rows or seconds. The chart keeps its axes, zoom and hidden runs; new data
// only add to it.

import { axes } from "../marks/axis.js";
import { names, widthOfNames } from "../marks/names.js";
import { note } from "../marks/note.js";
import { Picture } from "../marks/picture.js";
import { runLine, swatch } from "../marks/run.js";
import { linear, logarithmic } from "../scales.js";
import { measured } from "../screen.js";
import { SVG } from "../svg.js";
import { number, short } from "../text.js";
import { Zoom } from "../zoom.js";
import { extentOf, heightOf, heightsOf, lacks, leadersOf, linesOf, scaleOf } from "./lines.js";
import { Pointer } from "./pointer.js";

const UNIT = {
  sweeps: "sweeps",
  rounds: "sweeps, or rounds",
  rows: "Benders rows in use",
  seconds: "seconds of the run's computing time",
};
const WHAT = {
  bounds: "bounds on the energy",
  lower: "lower bounds on the energy",
  gap: "distance of the lower bound to the best upper bound",
};
const HOW = {
  bounds:
    "Thick: lower bound (<dfn>LB</dfn>), thin: upper bound (<dfn>UB</dfn>), the energy of the best labelling; " +
    "they close in on the optimum.",
  lower: "The lower bound (<dfn>LB</dfn>) on the energy of all labellings; higher is better.",
  gap: "How far the lower bound is below the best labelling of all runs; at the bottom the <dfn>gap</dfn> is closed.",
};
const COLOURS =
  "Colour: α of the Magnanti-Wong rows; solid with ○: reverse rows on the loosest edge, " +
  "dotted with ×: on all loose edges.";
const WITHOUT = {
  rows: " Exact runs have no rows, nor have methods without chosen groups: they are not drawn.",
  sweeps: " External solvers have no sweeps: they are not drawn.",
};
const LEADS = " The strip at the top has the colour of the run whose lower bound leads.";
const STRIP = 5; // pixels, of its height
const KEPT = "bender-lab-curves"; // where the choice of axes is kept while the tab is open
const NAMED = 40; // characters of the model's name above the chart; the tip shows the full name
const FEW = 8; // runs up to which buttons show the full name of the variant

// Browsers may refuse storage to a frame.
const keep = (choice) => {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(choice));
  } catch {
    // Then the choice lasts as long as the chart.
  }
};

const kept = () => {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return {};
  }
};

class Curves {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.svg = this.$("figure svg");
    this.picture = new Picture(this.$(".drawn"), "curves");
    this.choice = { x: "sweeps", scale: "linear", y: "bounds", ...kept() };
    this.hidden = new Set();
    this.data = { model: "", scale: 0, runs: [] };
    this.lines = [];
    this.frame = null;
    this.zoom = new Zoom(this);
    this.pointer = new Pointer(this);
    for (const what of Object.keys(this.choice)) {
      for (const button of this.buttons(what)) button.onclick = () => this.choose(what, button.dataset[what]);
      this.press(what);
    }
    new ResizeObserver(() => this.draw()).observe(this.svg);
  }

  receive(data) {
    this.data = data;
    this.list();
    this.draw();
  }

  buttons(what) {
    return this.root.querySelectorAll(`[data-${what}]`);
  }

  choose(what, value) {
    this.choice[what] = value;
    if (what !== "y") this.zoom.range = null;
    keep(this.choice);
    this.press(what);
    this.draw();
  }

  press(what) {
    for (const button of this.buttons(what)) {
      button.setAttribute("aria-pressed", String(button.dataset[what] === this.choice[what]));
    }
  }

  // -- the runs as buttons ----------------------------------------------------------------------------------

  // Rebuilt only when the runs change: a button must not vanish during a press.
  list() {
    const { runs } = this.data;
    const named = JSON.stringify(runs.map(({ key, label }) => [key, label]));
    if (named === this.named) return;
    this.named = named;
    this.$(".keys").replaceChildren(...runs.map((run) => this.button(run, runs.length > FEW)));
  }

  button(run, isShort) {
    const button = document.createElement("button");
    const picture = document.createElementNS(SVG, "svg");
    new Picture(picture, "swatch").draw(swatch(run));
    const rest = run.label.slice(run.kind.length);
    button.append(picture, isShort ? run.label : `${run.kind}: ${run.meaning}${rest}`);
    button.title = run.name;
    const press = () => button.setAttribute("aria-pressed", String(!this.hidden.has(run.key)));
    press();
    button.onclick = () => {
      if (!this.hidden.delete(run.key)) this.hidden.add(run.key);
      press();
      this.draw();
    };
    return button;
  }

  // -- drawing ----------------------------------------------------------------------------------------------

  extent() {
    return extentOf(this.lines, this.choice);
  }

  draw() {
    const size = measured(this.svg);
    if (!size.width) return;
    this.title();
    this.lines = linesOf(this.data, this.choice, this.hidden);
    this.svg.setAttribute("aria-label", this.alternative());
    this.frame = this.lines.length ? this.axes(size) : null;
    this.picture.draw(this.frame ? this.marks() : note(this.invitation(), size));
    this.pointer.look();
  }

  marks() {
    const { box, marks } = this.frame;
    const [width, height] = [box.right - box.left + 1, box.bottom - box.top + 4];
    const within = Object.entries({ x: box.left, y: box.top - 4, width, height });
    for (const [key, value] of within) this.$("#frame rect").setAttribute(key, value);
    return [...marks, ...this.leads(), ...this.lines.flatMap((line, index) => this.line(line, index)), ...this.names()];
  }

  // Who leads when, at the top.
  leads() {
    const { x, box } = this.frame;
    if (this.lines.length < 2) return [];
    return leadersOf(this.lines, this.data.scale).map(({ run, from, to }, k) => {
      const [left, right] = [from, to].map((at) => Math.min(Math.max(x(at), box.left), box.right));
      const size = { x: left, y: box.top, width: right - left, height: STRIP };
      return { id: `leads ${k}`, class: "leads", fill: run.colour, "data-run": run.key, ...size };
    });
  }

  title() {
    const { model, runs } = this.data;
    const { x, y } = this.choice;
    const against = `: ${WHAT[y]} against ${this.unit()}`;
    Object.assign(this.$("figcaption"), { textContent: short(model, NAMED) + against, title: model + against });
    const without = runs.some((run) => lacks(run, x)) ? WITHOUT[x] : "";
    const leads = runs.length > 1 ? LEADS : "";
    this.$(".how").innerHTML = `${HOW[y]} ${COLOURS}${leads}${without}`;
  }

  unit() {
    const { x } = this.choice;
    return UNIT[x === "sweeps" && this.data.runs.some((run) => run.step === "round") ? "rounds" : x];
  }

  axes(size) {
    const { choice, lines } = this;
    const range = this.zoom.shown();
    const counted = choice.x !== "seconds" && choice.scale === "linear";
    const across = {
      range,
      name: `${this.unit()}${choice.scale === "log" ? " (log)" : ""}`,
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
    return axes(size, across, up, widthOfNames(lines.map(({ run }) => run.label)));
  }

  line({ run, points }, index) {
    const { x, y, box } = this.frame;
    const drawn = (what) => points.filter((p) => p[what] !== null).map((p) => [x(p.x), y(p[what])]);
    const [lower, upper] = [drawn("lower"), drawn("upper")];
    const look = run.faded ? " faded" : "";
    const marks = runLine(run, { lower, upper, index }, box);
    return marks.map((mark) => ({ ...mark, class: mark.class + look, "clip-path": "url(#frame)" }));
  }

  names() {
    const { y, box } = this.frame;
    const ends = this.lines.map(({ run, points }) => ({ ...run, y: y(heightOf(points[points.length - 1])) }));
    return names(ends, box);
  }

  // Two lines fit a narrow window too.
  invitation() {
    const { runs } = this.data;
    if (!runs.length) return ["Press Race:", "the runs take turns; bounds appear here."];
    if (runs.every((run) => this.hidden.has(run.key))) return ["All runs are hidden:", "press their names below."];
    if (this.choice.x === "rows") return ["These runs take no rows:", "look at sweeps or seconds."];
    if (this.choice.x === "sweeps") return ["These runs have no sweeps:", "look at seconds."];
    return ["…"];
  }

  alternative() {
    const end = (values) => number(values[values.length - 1]);
    const ends = this.lines.map(({ run }) => `${run.label}: LB ${end(run.lower)}, UB ${end(run.upper)}`);
    return `${this.$("figcaption").textContent}. ${ends.join("; ")}`;
  }
}

export const receive = (root, data) => {
  root.curves ??= new Curves(root);
  root.curves.receive(data);
};
