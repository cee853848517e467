// The variables, one dot each, filled where the best labelling has a 1, with their strongest couplings, those that it
// breaks or keeps, and the groups as areas around them. Or the answer: the same of the whole model, without the groups,
// whatever has left the model; golden where it is proven.

import { hull } from "../../marks/hull.js";
import { isCrossing, stubs } from "../../marks/link.js";
import { make, Spotlight } from "../../svg.js";
import { number } from "../../text.js";
import { bit, isBroken, isKept } from "./content.js";
import { knownOf, tipText } from "./solution.js";

const MARGIN = [24, 20]; // pixels beside and above
const FEW = 60; // variables up to which dots are large, and prices up to which they are written beside their dots
const BESIDE = 8; // pixels from the middle of a dot to its price
const WIDE = 70; // pixels at the right that a price may need
const SPARSE = 400; // ends of couplings up to which lines are strong

const left = (count) => (count ? `The ${count.toLocaleString("en")} weakest couplings are not drawn.` : "");

const TOO_MANY =
  "With more than 2,000 variables the dots could not be told apart. “Save this run”, below, saves the labelling.";

const path = (ends) => `M${ends.map((place) => place.map(Math.round)).join("L")}`;

const SIGNS = ["attractive", "repulsive"];

// Couplings from their ends in a row.
const linked = (ends, weight, line) =>
  Array.from({ length: ends.length / 2 }, (_, k) => {
    const [i, j] = [ends[2 * k], ends[2 * k + 1]];
    return { i, j, weight, d: line(i, j) };
  });

export class Variables {
  // `panes` handle a click on a group.
  constructor(stage, panes) {
    Object.assign(this, { stage, panes, svg: stage.$("svg.variables"), hulls: [] });
  }

  layout(view) {
    const { variables, solution } = this.stage.graph;
    this.isAnswer = view === "answer";
    const known = this.isAnswer ? solution : variables;
    this.known = known;
    this.stage.$(".views .verdict").hidden = !(this.isAnswer && known);
    const { width, height } = this.stage.sizes.of(this.svg);
    this.note(view === "hyper" ? "" : known ? left(known.left) : TOO_MANY);
    this.svg.replaceChildren();
    Object.assign(this, { best: null, dots: [], prices: null, pressed: [] });
    this.hulls = known && width && height ? this.picture(known, width, height) : [];
    this.active = new Spotlight(this.hulls, "active");
    this.chosen = new Spotlight(this.hulls, "chosen");
  }

  note(text) {
    const note = this.stage.$(".views .none");
    Object.assign(note, { textContent: text, hidden: !text });
    note.classList.toggle("left", Boolean(this.known));
  }

  // Draws all; returns the areas of the groups.
  picture({ x, y, group, names, ...couplings }, width, height) {
    const { nodes } = this.stage.graph;
    const [beside, above] = MARGIN;
    const at = x.map((_, i) => [beside + x[i] * (width - 2 * beside), above + y[i] * (height - 2 * above)]);
    // Where groups lie across each other only the one looked at is filled.
    const crossed = this.crossing(at, group);
    const hulls = (this.isAnswer ? [] : nodes).map(({ colour }, p) => {
      const members = at.filter((_, i) => group[i] === p);
      const area = hull(this.svg, p, members, colour);
      area.classList.toggle("crossed", crossed);
      this.panes.touch(area, p);
      return area;
    });
    const line = (i, j) => (isCrossing(at, i, j) ? stubs(at[i], at[j]) : [[at[i], at[j]]]).map(path).join("");
    this.couplings = SIGNS.flatMap((sign, k) => linked(couplings[sign], k ? 1 : -1, line));
    for (const sign of SIGNS) this.path(sign, couplings[sign].length < SPARSE ? 0.7 : 0.12);
    for (const fate of ["broken", "kept"]) this.path(fate, 1);
    this.trace("attractive", ({ weight }) => weight < 0);
    this.trace("repulsive", ({ weight }) => weight > 0);
    const r = at.length <= FEW ? 6 : 4.5;
    this.dots = at.map(([cx, cy], i) => {
      const { colour, label } = nodes[group[i]] ?? {};
      const look = this.isAnswer ? { class: "variable answered" } : { class: "variable", fill: colour, stroke: colour };
      const dot = make(this.svg, "circle", { ...look, cx, cy, r });
      if (this.isAnswer) dot.onclick = () => this.price(i);
      else if (label) dot.onclick = () => this.panes.selectInto(group[i]);
      const value = () => (this.values ? [`${this.values[i]} in the best labelling`] : []);
      this.stage.tip.explain(dot, () => (this.isAnswer ? this.tipOf(i) : [names[i], `in ${label}`, ...value()]));
      return dot;
    });
    return hulls;
  }

  // A variable of the answer: its value, and whether that is proven.
  tipOf(i) {
    const { names } = this.known;
    const each = this.proven[i];
    const known = this.prices?.find(({ variable }) => variable === i);
    const priced = this.stage.stretch ? [] : [known?.words ?? "Click it to price its other value."];
    if (each.value !== undefined || each.tie !== undefined) return [...tipText(names, i, each, ""), ...priced];
    return [`${names[i]} = ${this.values[i]} in the best labelling`, "not decided yet", ...priced];
  }

  // Ask how much more the best labelling costs in which a variable has its other value; a frame only shows. Those that
  // were pressed before and have not arrived are named again: of two questions in a row Python sees only the later.
  price(variable) {
    if (this.stage.stretch) return;
    this.stage.tip.hide(); // it says that there is no price
    this.pressed = [...new Set([...this.pressed, variable])];
    this.stage.questions.ask("price", { variables: this.pressed });
  }

  // Prices beside their dots, as long as they are few.
  writePrices() {
    const { prices } = this.stage.data;
    if (!this.isAnswer || !this.dots.length || !prices || prices === this.prices) return;
    this.prices = prices;
    this.pressed = this.pressed.filter((i) => !prices.some((price) => price.variable === i));
    for (const text of this.svg.querySelectorAll("text.price")) text.remove();
    const { width } = this.stage.sizes.of(this.svg);
    for (const { variable, text } of prices.length <= FEW ? prices : []) {
      const [x, y] = ["cx", "cy"].map((name) => Number(this.dots[variable]?.getAttribute(name)));
      const isLeft = x > width - WIDE;
      const at = { x: x + (isLeft ? -BESIDE : BESIDE), y: y + 4, "text-anchor": isLeft ? "end" : "start" };
      make(this.svg, "text", { class: "price", ...at }, text);
    }
  }

  path(name, opacity) {
    this.paths ??= {};
    this.paths[name] = make(this.svg, "path", { class: name, "stroke-opacity": opacity });
  }

  // Draw those couplings as one path.
  trace(name, isOne) {
    const chosen = this.couplings.filter(isOne).map(({ d }) => d);
    this.paths[name].setAttribute("d", chosen.join(""));
  }

  // The picture of the labelling: the variables that are 1, and the couplings that it breaks or keeps.
  label(best, decided) {
    if (!this.dots.length || !best || (best === this.best && decided === this.decided)) return;
    const before = this.best && this.values;
    Object.assign(this, { best, decided });
    const { group, bit: place, value, spins } = this.known;
    const valueOf = (p, i) => (p < 0 ? 0 : bit(best[p], place[i])) ^ (value?.[i] ?? 0);
    this.values = group.map(valueOf);
    const { values } = this;
    this.proven = this.isAnswer ? knownOf(this.known, { best, decided: decided ?? this.undecided() }) : null;
    const isDecided = (i) => this.proven?.[i].value !== undefined || (decided && decided[group[i]]?.[place[i]] !== "?");
    this.dots.forEach((dot, i) => {
      dot.classList.toggle("is-0", values[i] === 0);
      dot.classList.toggle("decided", Boolean(isDecided(i)));
      // What has just changed lights up.
      dot.classList.toggle("changed", Boolean(before) && before[i] !== values[i]);
    });
    this.trace("broken", ({ weight, i, j }) => isBroken(weight, values[i], values[j], spins));
    this.trace("kept", ({ weight, i, j }) => isKept(weight, values[i], values[j], spins));
  }

  undecided() {
    return this.stage.graph.nodes.map(({ size }) => "?".repeat(size));
  }

  // The answer in words: what it costs, how much of it is proven, which variables are 1, and what it breaks.
  say({ upper }) {
    if (!this.isAnswer || !this.known || !this.values) return;
    const { names, spins, left: weak } = this.known;
    const ones = names.filter((_, i) => this.values[i]);
    const proven = this.proven.filter(({ value }) => value !== undefined).length;
    const isOut = ({ weight, i, j }) => isBroken(weight, this.values[i], this.values[j], spins);
    const broken = this.couplings.filter(isOut).length;
    const of = `${this.couplings.length}${weak ? " strongest" : ""} couplings`;
    const text = `Energy ${number(upper)} · ${proven} of ${names.length} proven · breaks ${broken} of ${of} · 1: ${
      ones.join(", ") || "none"
    }`;
    const line = this.stage.$(".views .verdict");
    if (line.textContent !== text) Object.assign(line, { textContent: text, title: text });
  }

  // Whether many variables lie within the bounding box of a group that is not theirs.
  crossing(at, group) {
    const boxes = new Map();
    at.forEach(([x, y], i) => {
      const [a, b, c, d] = boxes.get(group[i]) || [x, x, y, y];
      boxes.set(group[i], [Math.min(a, x), Math.max(b, x), Math.min(c, y), Math.max(d, y)]);
    });
    let strangers = 0;
    at.forEach(([x, y], i) => {
      for (const [p, [a, b, c, d]] of boxes) strangers += p !== group[i] && x >= a && x <= b && y >= c && y <= d;
    });
    return strangers > at.length;
  }

  draw(active, chosen, moment) {
    this.label(moment.best, moment.decided);
    this.say(moment);
    this.writePrices();
    this.active.turn(active);
    this.chosen.turn(chosen);
  }
}
