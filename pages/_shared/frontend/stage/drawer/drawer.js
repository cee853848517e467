// The drawer: a message by classes of its receiver's states, beside the graph, and the rows that could be added to it.
// It shows the message that is pinned, else the loosest, at the event shown.

import { isNew, Picture } from "../../marks/picture.js";
import { number } from "../../text.js";
import { write } from "../../layout.js";
import { Cuts } from "./cuts.js";
import { Places } from "./places.js";
import { stemMarks } from "./stems.js";

const REST = 60; // milliseconds until missing data are requested
const KEYS = ["d", "D"];
const ORDERS = ["cost", "nu", "slack"];

export class Drawer {
  constructor(stage) {
    Object.assign(this, { stage, open: false, order: ORDERS[0], chosen: "", view: null, arc: -1 });
    this.of = -1; // the message that the class chosen is of; none: of the first that is shown
    this.coupled = null; // the members whose values it has, as far as they are known
    this.svg = stage.$("svg.stems");
    this.picture = new Picture(this.svg, "stems", stage.tip);
    this.cuts = new Cuts(this);
    this.places = new Places();
    this.listen();
  }

  listen() {
    const { stage } = this;
    for (const button of stage.root.querySelectorAll("[data-act=drawer]")) button.onclick = () => this.turn(!this.open);
    for (const button of stage.root.querySelectorAll("[data-order]")) {
      button.onclick = () => this.change({ order: button.dataset.order });
    }
    stage.$("[data-act=turn]").onclick = () => stage.select(this.arc ^ 1);
    stage.$("[data-act=asked]").onclick = () => this.change({ chosen: "" });
    stage.$("[data-act=page]").onclick = () => this.goTo();
  }

  // Another run. A class stays chosen if that shows the same message, as a fork does.
  begin() {
    Object.assign(this, { view: null, before: new Map(), arc: -1, requested: null, scene: null });
    this.show();
  }

  // -- actions of the user ---------------------------------------------------------------------------------------

  // Open the drawer on the message that is followed, or close it.
  turn(open) {
    const { stage } = this;
    this.open = open;
    this.show();
    stage.panes.layout();
    stage.draw();
    if (!stage.questions.waiting) stage.leaving.stateAddress();
  }

  show() {
    this.stage.root.classList.toggle("docked", this.open);
    this.stage.$(".pane.drawer").hidden = !this.open;
    this.scene = null;
  }

  // Whether a key was for the drawer.
  press({ key }) {
    if (KEYS.includes(key)) this.turn(!this.open);
    else if (key === "Escape" && this.open) this.turn(false);
    else return false;
    return true;
  }

  // Another order, or another class.
  change(choice) {
    Object.assign(this, choice);
    this.scene = null;
    this.stage.draw();
  }

  choose(bits) {
    this.change({ chosen: bits });
  }

  // Into the message and at the event that the rows were made for.
  insert(state, kind) {
    const { stage, view } = this;
    stage.player.stop();
    stage.questions.ask("insert", { row: { arc: view.arc, state, kind } });
  }

  goTo() {
    const { stage, arc } = this;
    stage.arc = arc;
    stage.leaving.go("edge", this.fields());
  }

  // The fields of the address of Edge.
  fields() {
    return { order: this.order, ...(this.chosen && { y: this.chosen }) };
  }

  // Apply the fields of an address, or earlier choices.
  takeUp({ open = this.open, order = this.order, chosen = this.chosen }) {
    Object.assign(this, { open, order: ORDERS.includes(order) ? order : ORDERS[0], chosen, coupled: null });
    this.show();
  }

  dock(arc) {
    Object.assign(this, { arc, of: arc });
  }

  // -- data from Python --------------------------------------------------------------------------------------------

  hear(view) {
    if (!view || !this.open || JSON.stringify(view) === JSON.stringify(this.view)) return;
    this.compare(view);
    this.view = view;
    if (view.stems && view.arc === this.arc) this.keepClass(view);
  }

  // A class stays selected as long as it is over these members: an address, or an earlier run, may have had others.
  keepClass(view) {
    const coupled = this.names(view).join("\n");
    const isOther = this.coupled !== null && this.coupled !== coupled;
    if (isOther || this.chosen.length !== view.members.length) this.chosen = "";
    this.coupled = coupled;
  }

  // The envelope at the event shown before, if that was earlier, and of the same message.
  compare({ at, arc, stems }) {
    const { view } = this;
    if (view?.at === at && view.arc === arc) return;
    const goesOn = view?.stems && stems && view.arc === arc && view.at < at;
    this.before = new Map(goesOn ? view.stems.state.map((state, k) => [state, view.stems.envelope[k]]) : []);
  }

  // The request for the next question; nothing while the drawer is closed, or while playing.
  request() {
    const { stage, arc, order, chosen } = this;
    if (!this.open || stage.running || stage.player.playing) return {};
    return { drawer: { arc: stage.arc >= 0 ? stage.arc : arc, order, chosen } };
  }

  // Whether the content is what was requested, at the event shown.
  isOf(at) {
    const { view, arc, order } = this;
    return view !== null && view.at === at && view.arc === arc && view.order === order && this.hasChosen();
  }

  hasChosen() {
    const { view, chosen } = this;
    if (!view.stems) return true;
    return chosen ? view.stems.bits[view.chosen] === chosen : view.chosen === view.at_oracle;
  }

  // Request data that did not arrive by themselves, for example when another message is followed.
  ask() {
    this.stage.questions.atRest(this, REST, (at) => {
      if (this.arc < 0 || this.isOf(at)) return null;
      return `${at} ${this.arc} ${this.order} ${this.chosen}`;
    });
  }

  // -- drawing --------------------------------------------------------------------------------------------------

  draw(moment) {
    if (!this.open) return;
    const { stage } = this;
    this.moment = moment;
    this.follow(moment);
    const at = stage.running ? stage.running.events : stage.player.position;
    if (this.isOf(at)) this.requested = null;
    else if (moment.rest) this.ask();
    const { width, height } = stage.sizes.of(this.svg);
    this.star = this.isUpdated(moment) ? "y*" : "last y*";
    const scene = [this.view, at, this.star, this.arc, stage.dark, width, height, this.order, this.chosen];
    if (!isNew(this, scene)) return;
    stage.root.classList.toggle("drawn-earlier", !this.isOf(at));
    this.choices();
    this.title(at);
    this.body(width, height, at);
  }

  // The message that is pinned, else the one that is followed; while none is, the one before, at first one of an edge
  // with most tension. A class belongs to one message.
  follow(moment) {
    const { edges } = moment.state.tension;
    const followed = this.stage.follows(moment);
    const arc = followed < 0 && this.arc < 0 && edges.length ? 2 * edges.indexOf(Math.max(...edges)) : followed;
    if (arc < 0 || arc === this.arc) return;
    if (this.of >= 0 && this.of !== arc) Object.assign(this, { chosen: "", coupled: null });
    Object.assign(this, { arc, of: arc });
  }

  // Whether the receiver of the message is being updated.
  isUpdated({ update }) {
    const { edges } = this.stage.graph;
    return Boolean(update) && this.arc >= 0 && update.node === edges[this.arc >> 1][this.arc & 1];
  }

  choices() {
    for (const button of this.stage.root.querySelectorAll("[data-order]")) {
      button.setAttribute("aria-pressed", String(button.dataset.order === this.order));
    }
    for (const name of ["turn", "page"]) this.stage.$(`[data-act=${name}]`).disabled = this.arc < 0;
    this.stage.$("[data-act=asked]").classList.toggle("gone", !this.chosen);
  }

  title(at) {
    const { stage, view, arc } = this;
    const { nodes, edges } = stage.graph;
    const known = view ?? { arc };
    if (known.arc < 0) return write(stage.$("[data-out=drawer]"), "No message is shown yet");
    const [to, from] = [known.arc & 1, 1 - (known.arc & 1)].map((side) => nodes[edges[known.arc >> 1][side]].label);
    const when = view && view.at !== at ? `, at event ${view.at}` : "";
    write(stage.$("[data-out=drawer]"), `${from} → ${to}${when}`);
  }

  body(width, height, at) {
    const { stage, view } = this;
    const known = view?.stems ? this.places.arranged(view, this.scenery(view, at)) : null;
    write(stage.$("[data-out=classes]"), known ? this.summary(known) : (view?.refusal ?? ""));
    const names = known ? this.names(known) : [];
    const { before, star } = this;
    const drawn = known && width ? stemMarks({ drawer: this, view: known, before, star, names, width, height }) : [];
    this.picture.draw(drawn);
    this.cuts.draw(known, names, star, this.isOf(at));
  }

  names({ arc, members }) {
    const { nodes, edges } = this.stage.graph;
    const all = nodes[edges[arc >> 1][arc & 1]].members;
    return members.map((k) => all[k]);
  }

  // While this stays as it is, so do the columns: a class can be followed from step to step.
  scenery(view, at) {
    if (view.at !== at) return this.places.of;
    return `${view.arc} ${view.order} ${this.moment.update ? this.stage.charts.energy.opened : `at ${at}`}`;
  }

  // The message in numbers.
  summary({ states, classes, rows, alive, mean, tight, stems }) {
    const counted = classes < states ? `${states} states, ${classes} classes` : `${states} states`;
    const drawn = stems.rank.length < classes ? `, ${stems.rank.length} drawn` : "";
    if (!rows) return `${counted}${drawn} · no rows: the message is exact`;
    const share = `tight at ${Number((100 * tight).toPrecision(3))} %`;
    const slack = `slack ${number(mean, 4)} on average`;
    return `${counted}${drawn} · ${share} · ${slack} · the edge has ${rows} rows, ${alive} alive`;
  }
}
