// The list of messages: a line each, all of the event shown. It is walked by keys; the graph follows, and finds lines.

import { isNew } from "../../marks/picture.js";
import { write } from "../../layout.js";
import { columnsFor } from "./columns.js";
import { Looks } from "./looks.js";
import { Names } from "./names.js";
import { Order } from "./order.js";
import { Past } from "./past.js";
import { Table } from "./table.js";
import { gapTotal, riseTotal } from "./totals.js";

const REST = 150; // milliseconds without scrolling until the visible lines are requested
const ASKED = 1000; // messages requested at most
const WALKS = { j: 1, k: -1, J: 1, K: -1 };
const ARROWS = { ArrowDown: 1, ArrowUp: -1 };

export class List {
  constructor(stage) {
    this.stage = stage;
    this.open = false;
    this.sorting = new Order();
    this.table = new Table(this, {
      sort: (column) => this.sort(column),
      over: (arc) => this.point(arc),
      press: (arc) => this.pin(arc),
    });
    this.listen();
  }

  listen() {
    const { stage, sorting, table } = this;
    for (const button of stage.root.querySelectorAll("[data-act=list]")) button.onclick = () => this.turn(!this.open);
    stage.$("[data-act=find]").oninput = (event) => {
      sorting.text = event.target.value;
      this.arrange();
    };
    stage.$("[data-act=find]").onkeydown = (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      if (event.key === "Escape") {
        this.takeUp({ text: "" });
        this.arrange();
      }
      table.frame.focus();
    };
    stage.$("[data-act=only]").onchange = (event) => {
      sorting.only = event.target.value;
      this.arrange();
    };
    stage.$("[data-act=merge]").onclick = () => this.merge();
    stage.$("[data-act=open]").onclick = () => this.lookCloser();
    table.frame.onscroll = () => {
      table.top = table.frame.scrollTop;
      if (!this.state || !this.open) return;
      table.draw();
      this.ask();
    };
  }

  // Another run.
  begin() {
    const { graph } = this.stage;
    Object.assign(this, { names: new Names(graph), looks: new Looks(), past: new Past(), columns: columnsFor(graph) });
    Object.assign(this, { order: [], current: -1, pinned: -1, pointed: -1, state: null, requested: null });
    this.scene = this.sorted = null;
    for (const option of this.stage.$("[data-act=only]").options) {
      option.hidden = graph.exact && option.value === "loose";
    }
    this.table.begin(this.columns);
    this.show();
  }

  // -- actions of the user -------------------------------------------------------------------------------------

  // Show the list, or the panes that it replaces.
  turn(open) {
    this.open = open;
    this.show();
    this.stage.panes.layout();
  }

  // Apply earlier choices.
  takeUp({ open = this.open, ...sorting }) {
    Object.assign(this.sorting, sorting);
    this.stage.$("[data-act=find]").value = this.sorting.text;
    this.stage.$("[data-act=only]").value = this.sorting.only;
    this.open = open;
    this.show();
  }

  show() {
    const { stage } = this;
    stage.root.classList.toggle("listing", this.open);
    stage.$(".pane.list").hidden = !this.open;
    // A hidden element loses its scroll position.
    if (this.open) this.table.scroll(this.table.top);
  }

  // Order again by the present choices.
  arrange() {
    this.scene = this.sorted = null;
    this.stage.draw();
  }

  sort(column) {
    this.sorting.by(column);
    this.table.scroll(0);
    this.arrange();
  }

  // Go to a line, and have the graph show where it is.
  go(k) {
    const arc = this.order[Math.min(Math.max(k, 0), this.order.length - 1)];
    if (arc === undefined) return;
    this.current = arc;
    this.scene = null;
    this.table.reveal(this.order.indexOf(arc));
    this.point(arc);
    this.stage.draw();
  }

  point(arc) {
    this.pointed = arc === null ? -1 : arc >> 1;
    this.stage.highlight(arc === null ? null : { edge: arc >> 1 });
  }

  // A press pins a message, another lets go.
  pin(arc) {
    this.current = arc;
    this.stage.select(this.stage.arc === arc ? -1 : arc);
  }

  // The message in the drawer; once it is there, on its page.
  lookCloser() {
    const { stage } = this;
    if (stage.drawer.open && stage.arc === this.current) stage.drawer.goTo();
    else stage.select(this.current);
  }

  // Whether a key was for the list.
  press({ key }, target) {
    if (key === "l" || key === "L") this.turn(!this.open);
    else if (!this.open || !this.order.length) return false;
    else if (key in WALKS) this.walk(WALKS[key]);
    else if (key in ARROWS && this.has(target)) this.walk(ARROWS[key]);
    else if (key === "s" || key === "S") this.sortBeside(key === "s" ? 1 : -1);
    else if (key === "o") this.sort(this.sorting.column(this));
    else if (key === "/") this.stage.$("[data-act=find]").focus();
    else if (key === "Enter" && this.current >= 0 && !target.closest("button, a, [role=button]")) this.lookCloser();
    else return false;
    return true;
  }

  has(target) {
    return this.table.frame.contains(target);
  }

  // Enter is then the list's, and not of a button that was pressed before.
  walk(way) {
    this.table.frame.focus({ preventScroll: true });
    const at = this.order.indexOf(this.current);
    this.go(at < 0 ? 0 : at + way);
  }

  sortBeside(way) {
    const columns = this.columns.filter(({ still }) => !still);
    const at = columns.indexOf(this.sorting.column(this));
    this.sort(columns[(at + way + columns.length) % columns.length]);
  }

  // -- data from Python --------------------------------------------------------------------------------------------

  take(chunk) {
    this.past.take(chunk, this.stage.events);
  }

  // The messages to request: the visible ones, and if the order depends on the values, all that may be shown.
  request() {
    if (!this.open || !this.state) return [];
    const { order, sorting } = this;
    const inSight = order.slice(...this.table.sight);
    if (!sorting.asks(this)) return inSight;
    const { edges } = this.state.tension;
    const others = sorting.candidates(this).toSorted((a, b) => edges[b >> 1] - edges[a >> 1] || a - b);
    return [...new Set([...inSight, ...others.slice(0, ASKED)])].slice(0, ASKED);
  }

  // Request unknown values, once the list has come to rest.
  ask() {
    this.stage.questions.atRest(this, REST, (at) => {
      const arcs = this.request();
      return arcs.every((arc) => this.looks.eventOf(arc) === at) ? null : `${at} ${arcs}`;
    });
  }

  // -- drawing ----------------------------------------------------------------------------------------------------

  draw(moment) {
    if (!this.open) return;
    const { stage, table } = this;
    const { state } = moment;
    const scene = [state.tension, state.gained, state.rows, state.read, this.looks.version, this.past.version];
    scene.push(stage.arc, stage.highlighted, stage.dark, stage.player.position, stage.sizes.of(table.frame).height);
    if (!isNew(this, scene)) return;
    Object.assign(this, { moment, state, position: stage.running ? stage.running.events : stage.player.position });
    this.reorder();
    this.find();
    this.table.draw();
    this.tell();
    if (moment.rest) this.ask();
  }

  // The order of now. The line that a person has gone to stays where it is on the screen.
  reorder() {
    const { state, table, sorting } = this;
    const sorted = [state.tension, state.gained, state.rows, state.read, this.looks.version];
    if (this.sorted?.every((part, k) => part === sorted[k])) return;
    this.sorted = sorted;
    this.top = state.tension.edges.reduce((most, value) => Math.max(most, value), 0) || 1;
    const before = table.offset(this.order.indexOf(this.current));
    this.order = sorting.of(this);
    table.measure();
    const at = this.order.indexOf(this.current);
    if (before !== null && at >= 0) table.keep(at, before);
  }

  // A message pinned, or an edge pointed at, in another picture is scrolled to.
  find() {
    const { stage, order, table } = this;
    const edge = stage.highlighted?.edge ?? -1;
    table.keepInSight(order.indexOf(this.current));
    if (stage.arc !== this.pinned && stage.arc >= 0) {
      this.current = stage.arc;
      table.reveal(order.indexOf(stage.arc));
    } else if (edge >= 0 && edge !== this.pointed) {
      table.reveal(order.findIndex((arc) => arc >> 1 === edge));
    }
    this.pinned = stage.arc;
    this.pointed = edge;
  }

  // What would help, as far as it is known of this event.
  judge() {
    const { stage, looks } = this;
    const verdict = looks.verdict?.at === this.position ? looks.verdict : null;
    write(stage.$("[data-out=verdict]"), verdict?.words ?? "");
    stage.$("[data-act=merge]").hidden = !verdict?.merges;
  }

  merge() {
    const { stage, looks } = this;
    stage.player.stop();
    stage.questions.ask("merge", { edge: looks.verdict.edge });
  }

  tell() {
    const { stage, moment, order, names, state } = this;
    const all = 2 * names.edges.length;
    const count = order.length === all ? `${all} messages` : `${order.length} of ${all} messages`;
    write(stage.$("[data-out=listed]"), count);
    stage.$("[data-act=open]").hidden = this.current < 0;
    if (state.tension !== this.summed) write(stage.$("[data-out=sum]"), gapTotal(moment, stage.graph));
    if (state.gained !== this.risen) write(stage.$("[data-out=rise]"), riseTotal(state, stage.graph));
    this.judge();
    [this.summed, this.risen] = [state.tension, state.gained];
  }
}
