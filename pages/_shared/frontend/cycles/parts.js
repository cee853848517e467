// Where the gap lives: cycles that pay more than once, and couplings that are broken without having lent all.

import { isClosed } from "../gap.js";
import { write } from "../layout.js";
import { isNew, Picture } from "../marks/picture.js";
import { tension } from "../palette.js";
import { isTouched } from "../screen.js";
import { number, shortInside } from "../text.js";
import { paid, partsOf } from "./history.js";

const KINDS = ["variable ", "", "triplet "];

const TALL = isTouched ? 32 : 22; // pixels of a row
const VALUE = 58; // pixels of a number
const BAR = 70; // pixels of the longest bar
const LETTER = 7.4; // pixels

export class Parts {
  // `owner`: a half of the picture.
  constructor(owner) {
    this.owner = owner;
    this.svg = owner.$("svg.gaps");
    this.picture = new Picture(this.svg, "gap parts", owner.tip);
  }

  // Know the parts, before any are drawn: those of two have the same scale.
  gather({ state }) {
    const { grouping } = this.owner.net;
    if (!isNew(this, [state, grouping])) return;
    const parts = partsOf(state, this.owner.history.graph);
    this.parts = grouping ? grouping.parts(parts) : parts;
  }

  get largest() {
    return this.parts[0]?.value ?? 0;
  }

  draw({ state, isEnd }) {
    const { history } = this.owner;
    const { graph } = history;
    const { width, height } = this.owner.sizes.of(this.svg);
    const gap = state.upper - state.lower;
    const closed = gap <= 0 || isClosed(state.lower, state.upper, graph.scale);
    // No energy of a labelling lies between the bounds.
    const between = isEnd && history.ending.proven && !closed;
    const where = between
      ? `Less than a step of the energies: ${number(gap, 3)}, in`
      : `The gap of ${number(gap, 3)} lives in`;
    write(this.owner.$("[data-out=parts]"), closed ? "The gap is closed" : where);
    if (!width) return;
    if (closed) return this.picture.draw([{ id: "none", class: "soft", x: 0, y: TALL, text: "Its parts are all 0." }]);
    const { parts } = this;
    const room = Math.max(2, Math.floor(height / TALL));
    const shown = parts.length <= room ? parts : parts.slice(0, room - 1);
    const rest = parts.slice(shown.length);
    const most = Math.max(...this.owner.whole.halves.map((half) => half.parts.largest)) || 1;
    const rows = shown.flatMap((part, k) => this.row(part, k, { most, width, broken: state.broken }));
    const { others: unsent, rest: more } = state.gap ?? { others: 0, rest: 0 };
    const sum = rest.reduce((total, { value }) => total + value, more);
    const count = rest.length + unsent;
    const text = `${number(sum, 3)} in ${count.toLocaleString("en")} others`;
    if (count) rows.push({ id: "others", class: "soft", x: 0, y: TALL * (shown.length + 1) - 6, text });
    this.picture.draw(rows);
  }

  // What a part is: its key, its name, why it is one, where it is, and what lights up.
  named({ edge, cycle, group, of: vertices }, broken) {
    const { history, net } = this.owner;
    if (vertices) {
      const name = `${KINDS[vertices.length - 1]}${history.names(vertices)}`;
      const why = "its belief at the best labelling, above its minimum";
      return { key: `part ${vertices}`, name, why, of: { of: vertices }, target: { edges: [], vertices } };
    }
    if (cycle) {
      const name = `${cycle.edges.length}-cycle pays ${paid(cycle, broken)}×`;
      const [of, target] = [{ cycle: cycle.number }, { edges: cycle.edges }];
      return { key: `cycle ${cycle.number}`, name, why: history.names(cycle.walk), of, target };
    }
    if (group !== undefined) {
      const name = `within ${net.graph.names[group]}`;
      const why = "its couplings, its fields, and the cycles that do not leave it";
      return { key: `group ${group}`, name, why, of: { group }, target: { edges: net.grouping.within(group) } };
    }
    const why = broken[edge] ? "broken, and not all lent" : "has lent too much";
    return { key: `edge ${edge}`, name: history.name(edge), why, of: { edge }, target: { through: [edge] } };
  }

  row(part, k, { most, width, broken }) {
    const { value } = part;
    const { key, name, why, of, target } = this.named(part, broken);
    const y = TALL * k;
    const base = { y: y + TALL / 2 + 5 };
    const letters = Math.floor((width - VALUE - BAR - 12) / LETTER);
    const bar = { x: VALUE + 4, y: y + 5, width: Math.max(1.5, (BAR * value) / most), height: TALL - 10, rx: 2 };
    const hover = (on) => this.owner.point(on ? target : null);
    return [
      { id: `value ${key}`, class: "gap-value", x: VALUE - 2, ...base, text: number(value, 3) },
      {
        id: `bar ${key}`,
        ...bar,
        fill: tension(value / most, this.owner.dark),
        means: { what: "gap part", ...of, value },
      },
      { id: `name ${key}`, class: "gap-name", x: VALUE + BAR + 12, ...base, text: shortInside(name, letters) },
      {
        ...{ id: `hit ${key}`, class: "part", x: 0, y, width, height: TALL, hover },
        ...{ role: "img", tabindex: "0", "aria-label": `${name}: ${number(value)}` },
        tip: () => [name, why, number(value)],
      },
    ];
  }
}
