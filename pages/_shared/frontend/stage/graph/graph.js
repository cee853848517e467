// The left pane: the hyper-graph, with the variables beside it or in its place.

import { isNew, Picture } from "../../marks/picture.js";
import { Strokes } from "../../marks/strokes.js";
import { pressable } from "../../pressing.js";
import { chipMarks } from "./chips.js";
import { LARGE } from "./content.js";
import { Camera } from "../../camera.js";
import { activeOf, circleMarks, nearestOf, radiusFor } from "./circles.js";
import { Flow } from "./flow.js";
import { courses, haloMark, lineMarks, pickMarks, shadeOf, thinStyles, wide } from "./lines.js";
import { drawLegend, measured, shareOf } from "./measures.js";
import { placeNames } from "./names.js";
import { Places } from "./places.js";
import { Pointing } from "./pointing.js";
import { probeMarks } from "./probes.js";
import { Solution } from "./solution.js";
import { Variables } from "./variables.js";

// In sight, above which circles are small; in all, above which lines are faint and straight, and drawn on a canvas.
const CROWDED = { circles: 40, lines: 120 };

// Events that are sent again have the same values in new arrays.
const isSame = (a, b) =>
  a === b || (a?.length > 0 && a.length === b?.length && a.every?.((value, k) => value === b[k]));

export class Graph {
  constructor(stage) {
    this.stage = stage;
    this.svg = stage.$("svg.hyper");
    this.size = [0, 0];
    this.camera = new Camera(this);
    this.places = new Places(this);
    this.flow = new Flow(this);
    this.solution = new Solution(this);
    this.variables = new Variables(stage, this);
    this.ready = false; // whether anything has been laid out
    this.measure = "tension";
    this.view = "hyper";
    this.isTurned = false; // whether it shows the answer because a proof has ended
    // From below to above.
    for (const name of ["halos", "lines", "picks", "circles", "over"]) {
      this[name] = new Picture(this.svg.querySelector(`.${name}`), name, stage.tip);
    }
    this.strokes = new Strokes(stage.$("canvas.ties"), "lines");
    this.pointing = new Pointing(this);
    this.listen();
  }

  get pictures() {
    return [this.halos, this.strokes, this.lines, this.picks, this.circles, this.over];
  }

  listen() {
    const { stage } = this;
    this.buttons = stage.root.querySelectorAll("button[data-view]");
    for (const button of this.buttons) button.onclick = () => this.choose(button.dataset.view);
    stage.$("[data-act=measure]").onchange = (event) => {
      this.measure = event.target.value;
      stage.questions.renew();
      stage.draw();
    };
    for (const button of stage.root.querySelectorAll("[data-zoom]")) {
      button.onclick = () => this.camera.press({ key: button.dataset.zoom });
    }
    stage.$("[data-act=tidy]").onclick = () => {
      this.places.tidy();
      this.layout();
    };
  }

  choose(view) {
    this.isTurned = false;
    this.look(view);
  }

  // At the next view, after the last one at the first.
  lookOn() {
    const views = Array.from(this.buttons, (button) => button.dataset.view);
    this.choose(views[(views.indexOf(this.view) + 1) % views.length]);
  }

  look(view) {
    this.turn(view);
    this.layout();
  }

  // The end of a proof: little is left of the model, but the answer is the whole of it. Before the end it is as it was.
  lookAtAnswer(ended) {
    const [from, to] = ended ? ["hyper", "answer"] : ["answer", "hyper"];
    if (this.view !== from || (!ended && !this.isTurned)) return;
    this.isTurned = ended;
    this.look(to);
  }

  turn(view) {
    this.view = view;
    this.stage.$(".views").dataset.view = view;
    for (const button of this.buttons) button.setAttribute("aria-pressed", button.dataset.view === view);
  }

  // -- places -----------------------------------------------------------------------------------------------

  layout() {
    this.stage.sizes.forget();
    const { width, height } = this.stage.sizes.of(this.svg);
    if (!this.flow.isOn) this.variables.layout(this.view);
    this.ready = true;
    // Out of sight, as behind the answer: what was placed may be of another run.
    if (!width || !height) {
      this.runs = null;
      return this.stage.draw();
    }
    this.camera.refit(this.size, [width, height]);
    this.size = [width, height];
    const { nodes, edges } = this.stage.graph;
    this.many = edges.length > CROWDED.lines;
    this.places.layout(nodes.length > CROWDED.circles);
    this.moved();
  }

  // Circles or the camera have been moved.
  moved() {
    const { whole } = this.places;
    const { nodes } = this.stage.graph;
    const { scale } = this.camera;
    this.at = whole.map((at) => this.camera.see(at));
    this.crowded = nodes.filter((_, p) => this.shows(this.at[p])).length > CROWDED.circles;
    const nearest = this.crowded ? 0 : nearestOf(whole, Math.min(...this.size));
    this.radius = radiusFor(nearest, nodes.length, scale, this.crowded);
    const extra = this.radius >= LARGE ? 1 : 0;
    this.stage.$(".glyphs .fates").classList.toggle("gone", this.view === "hyper" && this.radius < LARGE);
    this.names = placeNames(nodes, this, extra, (p) => this.shows(this.at[p]));
    this.runs = courses(this.stage.graph.edges, this.at, this.size[0], this.many);
    this.stage.$("[data-act=tidy]").classList.toggle("gone", !Object.keys(this.places.kept).length);
    this.picks.draw(this.many || this.flow.isOn ? [] : pickMarks(this.runs, this.stage));
    this.stage.draw();
  }

  // The centre of zooming: the group being updated if it is visible, else the circle nearest to the middle.
  sight() {
    const { whole } = this.places;
    const updated = this.stage.player.moment()?.update?.node;
    if (updated !== undefined && this.shows(this.at[updated])) return whole[updated];
    const [x, y] = this.camera.whole(this.size.map((side) => side / 2));
    const far = (place) => Math.hypot(place[0] - x, place[1] - y);
    return whole.reduce((nearest, place) => (far(place) < far(nearest) ? place : nearest), whole[0]);
  }

  // Whether a place is in sight, with some pixels around it.
  shows(place, around = 0) {
    return place.every((value, k) => value > -around && value < this.size[k] + around);
  }

  // -- the selection ----------------------------------------------------------------------------------------

  pressed(p) {
    if (!this.places.dragged) this.selectInto(p);
  }

  // The area of a group among the variables does what its circle does.
  touch(area, p) {
    const { label, size, members } = this.stage.graph.nodes[p];
    pressable(area, () => this.selectInto(p));
    this.stage.tip.explain(area, () => [label, `${size} variables, ${2 ** size} states`, members.join(", ")]);
  }

  // Picking a group pins a message into it: the loosest if it is being updated, else that of the edge of most tension.
  selectInto(p) {
    const { stage } = this;
    const moment = stage.player.moment();
    const { update, tension } = moment ?? {};
    if (update?.node === p && update.loosest >= 0) return stage.select(update.arcs[update.loosest]);
    const arcs = stage.graph.edges.flatMap(([a, b], e) => (a === p ? [2 * e] : b === p ? [2 * e + 1] : []));
    const tensionOf = (arc) => tension?.edges[arc >> 1] ?? 0;
    if (arcs.length) stage.select(arcs.reduce((most, arc) => (tensionOf(arc) > tensionOf(most) ? arc : most)));
  }

  // -- drawing ----------------------------------------------------------------------------------------------

  draw(moment) {
    const { stage } = this;
    const arc = stage.arc;
    const measure = this.measuredAt(moment);
    drawLegend(stage, measure);
    this.variables.draw(activeOf(moment), arc >= 0 ? stage.graph.edges[arc >> 1][arc & 1] : -1, moment);
    if (!this.size[0] || !this.runs) return;
    this.drawLines(measure, this.runs, this.many);
    this.halos.draw(this.haloMarks(moment));
    this.circles.draw(circleMarks(this, moment, measure));
    const solution = this.solution.marks(stage.graph, moment);
    this.over.draw([...solution, ...probeMarks(this, moment), ...chipMarks(this, moment)]);
  }

  measuredAt(moment) {
    return measured(this.stage, this.measure, moment);
  }

  // Most lines look as they did a frame ago; to find that out again would cost the browser a frame.
  drawLines(measure, runs, many) {
    if (!isNew(this, [runs, this.stage.dark, measure.edges, measure.top, this.measure], isSame)) return;
    if (many) this.drawThin(measure, runs);
    else this.strokes.clear();
    this.lines.draw(many ? [] : lineMarks(runs, measure, wide(measure, this.stage.dark)));
  }

  drawThin(measure, runs) {
    const { edges, top } = measure;
    const styles = thinStyles(measure, this.stage.dark);
    const shades = (edges ?? []).map((value) => shadeOf(shareOf(value, top)));
    const marks = () => lineMarks(runs, measure, (share) => styles[shadeOf(share)]);
    this.strokes.draw(runs, shades, styles, marks, this.size);
  }

  // Under the edges of the group that is updated, the message followed or pinned, and what is pointed at.
  haloMarks(moment) {
    const { stage, runs } = this;
    const arcs = moment.update?.arcs ?? [];
    const pinned = stage.arc >= 0 ? [haloMark(runs, stage.arc >> 1, "pinned")] : [];
    const over = stage.highlighted?.edge;
    const pointed = over === undefined ? [] : [haloMark(runs, over, "pointed")];
    const strength = moment.act === "start" ? moment.part(0, 0.5) : 1;
    const own = arcs.map((arc) => ({ ...haloMark(runs, arc >> 1, "own"), opacity: strength < 1 ? strength : null }));
    return [...own, ...pinned, ...pointed];
  }
}
