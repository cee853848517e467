// The lines of the list as elements: only those in sight are there. A line scrolled out of sight is used for another.

import { html } from "../../html.js";
import { isNew } from "../../marks/picture.js";
import { tension as tint } from "../../palette.js";
import { isTouched, unit } from "../../screen.js";
import { make, SVG } from "../../svg.js";
import { shareOf } from "../graph/measures.js";

const TALL = isTouched ? 45 : 23; // pixels of a line
const SPARE = 2; // lines beyond those in sight
const UNKNOWN = "–";

export class Table {
  // `sort`, `over`, `press`: handlers of a column, of a line under the pointer (null: none), and of a pressed line.
  constructor(list, { sort, over, press }) {
    Object.assign(this, { list, sort, over, press, pool: [], height: 0 });
    const { stage } = list;
    this.frame = stage.$(".table");
    this.head = stage.$(".table .head");
    this.body = stage.$(".table .lines");
  }

  get tall() {
    return TALL * unit();
  }

  // Another run has other columns.
  begin(columns) {
    this.columns = columns;
    const widths = columns.map(({ wide }) => (wide ? `${wide}rem` : "minmax(var(--least), 1fr)"));
    this.frame.style.setProperty("--columns", widths.join(" "));
    this.frame.setAttribute("aria-colcount", columns.length);
    this.body.replaceChildren();
    this.pool = [];
    this.heads = columns.map((column) => {
      const explained = column.term ? { "data-term": column.term } : { title: column.title };
      const attributes = { role: "columnheader", class: `cell ${column.key}`, ...explained };
      const head = html("span", attributes, column.head);
      if (!column.still) head.onclick = () => this.sort(column);
      return head;
    });
    this.head.replaceChildren(...this.heads);
    this.scroll(0);
  }

  // The lines in sight: from one to before another. While it plays the browser must not lay out the page for this.
  get sight() {
    const { order, stage } = this.list;
    const first = Math.max(Math.floor(this.top / this.tall), 0);
    const seen = Math.ceil((stage.sizes.of(this.frame).height * unit()) / this.tall) + SPARE;
    return [Math.min(first, order.length), Math.min(first + seen, order.length)];
  }

  scroll(top) {
    this.frame.scrollTop = top;
    this.top = this.frame.scrollTop;
  }

  // Have a line in sight, with as little scrolling as that takes.
  reveal(k) {
    const { frame, head, tall } = this;
    const room = frame.clientHeight - head.offsetHeight;
    if (k < 0 || room < tall) return;
    const top = k * tall;
    if (top < this.top) this.scroll(top);
    else if (top + tall > this.top + room) this.scroll(top + tall - room);
  }

  // A list that has become lower, as by what is said below it, does not lose a line that was in sight.
  keepInSight(k) {
    const { height } = this.list.stage.sizes.of(this.frame);
    const was = this.height;
    this.height = height;
    if (height >= was) return; // nothing is measured while it plays
    const room = was * unit() - this.head.offsetHeight;
    const below = k * this.tall - this.top;
    // Heights in pixels are rounded here and there.
    if (below >= 0 && below + this.tall <= room + 1) this.reveal(k);
  }

  // Where on the screen a line is; null if it is out of sight.
  offset(k) {
    const [first, last] = this.sight;
    return k >= first && k < last ? k * this.tall - this.top : null;
  }

  // Have a line where another was.
  keep(k, offset) {
    const top = Math.max(k * this.tall - offset, 0);
    if (top !== this.top) this.scroll(top);
  }

  measure() {
    const height = `${this.list.order.length * this.tall}px`;
    if (this.body.style.height !== height) this.body.style.height = height;
    this.frame.setAttribute("aria-rowcount", this.list.order.length + 1);
  }

  draw() {
    const { list, frame } = this;
    const [first, last] = this.sight;
    const { key, ascends } = list.sorting;
    this.heads.forEach((head, k) => {
      const sorted = this.columns[k].key === key ? (ascends ? "ascending" : "descending") : "none";
      if (!this.columns[k].still && head.ariaSort !== sorted) head.ariaSort = sorted;
    });
    while (this.pool.length < last - first) this.pool.push(this.line());
    this.pool.forEach((line) => {
      line.used = false;
    });
    let active = "";
    for (let k = first; k < last; k += 1) {
      const line = this.pool[k % this.pool.length];
      this.fill(line, k, first);
      line.used = true;
      if (list.order[k] === list.current) active = line.element.id;
    }
    for (const { element, used } of this.pool) if (element.hidden === used) element.hidden = !used;
    if (frame.getAttribute("aria-activedescendant") !== active) frame.setAttribute("aria-activedescendant", active);
  }

  line() {
    const cells = this.columns.map((column) => this.cell(column));
    const own = { role: "row", class: "line", id: `line-${this.pool.length}` };
    const element = html("div", own, ...cells.map((cell) => cell.element));
    const line = { element, arc: -1, cells };
    element.style.height = `${this.tall}px`;
    element.onpointerenter = () => this.over(line.arc);
    element.onpointerleave = () => this.over(null);
    element.onclick = () => this.press(line.arc);
    this.body.append(element);
    return line;
  }

  cell({ key }) {
    const element = html("span", { role: "gridcell", class: `cell ${key}` });
    if (key === "tension") {
      const [bar, text] = [html("i"), html("span")];
      element.append(bar, text);
      return { element, bar, text };
    }
    if (key !== "past") return { element, text: element };
    const svg = document.createElementNS(SVG, "svg");
    element.append(svg);
    svg.setAttribute("viewBox", "0 0 60 16");
    return { element, path: make(svg, "path") };
  }

  fill(line, k, first) {
    const { list } = this;
    const arc = list.order[k];
    const { stage, looks } = list;
    const place = `translateY(${k * this.tall}px)`;
    if (line.place !== place) {
      line.element.style.transform = place;
      line.element.setAttribute("aria-rowindex", k + 2);
      line.place = place;
    }
    line.arc = arc;
    const flags = {
      current: arc === list.current,
      pinned: arc === stage.arc,
      pointed: stage.highlighted?.edge === arc >> 1,
      earlier: looks.eventOf(arc) !== null && looks.eventOf(arc) !== list.position,
      // If the two messages of an edge are adjacent, the upper line shows their common values.
      shared: k > first && list.order[k - 1] === (arc ^ 1),
    };
    const names = `line ${Object.keys(flags)
      .filter((name) => flags[name])
      .join(" ")}`;
    if (line.element.className !== names) line.element.className = names;
    line.element.ariaSelected = String(flags.pinned);
    this.columns.forEach((column, c) => this.say(line.cells[c], column, arc));
  }

  say(cell, column, arc) {
    const { list } = this;
    const edge = arc >> 1;
    if (column.still) return this.sketch(cell, edge);
    const value = column.value(list, arc);
    const text = value === null ? UNKNOWN : column.text(value, list, arc);
    if (cell.shown !== text) {
      cell.text.textContent = text;
      cell.shown = text;
      if (column.key === "name") cell.element.title = text;
    }
    if (cell.bar) this.size(cell, Math.min(value / list.top, 1));
    if (!column.measured) return;
    const event = list.looks.eventOf(arc);
    const title = event === null ? "" : `at event ${event}`;
    if (cell.element.title !== title) cell.element.title = title;
  }

  size(cell, share) {
    const look = `width:${(100 * share).toFixed(1)}%;background:${tint(shareOf(share, 1), this.list.stage.dark)}`;
    if (cell.look !== look) cell.bar.style.cssText = cell.look = look;
  }

  sketch(cell, edge) {
    const { past, position, state } = this.list;
    const now = state.tension.edges[edge];
    if (isNew(cell, [edge, past.version, position, now])) cell.path.setAttribute("d", past.line(edge, position, now));
  }
}
