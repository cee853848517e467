// The envelope, raised by the reader: floor and ceiling meet.

import { mix } from "../../numbers.js";
import { number } from "../../text.js";
import { NARROW, anchorMarks } from "../../friends/columns.js";
import { NEAR, leastOf } from "../../friends/exact.js";
import { OfTables } from "../tables.js";

const NAMES = 92; // pixels for those of floor and ceiling, beside the columns where there is room
const PLACES = ["at the lowest column", "at the highest column", "anywhere"];

export class Envelope extends OfTables {
  begin(world) {
    super.begin(world);
    this.own = this.states.map((state) => this.tables.receiver.energy(state));
    this.exact = this.tables.nu().map((value, state) => value + this.own[state]);
    this.first = leastOf(this.own);
    this.par = this.lowestFirst();
    this.fewest = this.search();
    this.restart();
    this.guesses = {
      where: { options: () => PLACES, judge: (k) => ({ right: k === 0, why: this.reason(k) }) },
    };
    this.$("[data-do=restart]").onclick = () => {
      this.restart();
      this.play();
    };
  }

  // The states asked about so far; the first row is made at A's own cheapest state.
  restart() {
    this.asked = [];
    this.before = this.ground([]);
  }

  // What each state costs at least, by the rows made at some states.
  ground(asked) {
    const rows = [this.first, ...asked].map((state) => this.tables.row(state));
    return this.own.map((cost, state) => cost + Math.max(...rows.map((row) => row[state])));
  }

  // How many questions it takes to ask at the lowest column, until floor and ceiling meet.
  lowestFirst() {
    const asked = [];
    for (;;) {
      if (this.meets(asked)) return asked.length;
      asked.push(leastOf(this.ground(asked)));
    }
  }

  // The fewest questions after which floor and ceiling meet, wherever they are asked.
  search() {
    let tried = [[]];
    for (let count = 0; count < this.par; count += 1) {
      if (tried.some((asked) => this.meets(asked))) return count;
      tried = tried.flatMap((asked) => this.states.filter((y) => y > (asked.at(-1) ?? -1)).map((y) => [...asked, y]));
    }
    return this.par;
  }

  meets(asked) {
    const ceiling = Math.min(...[this.first, ...asked].map((state) => this.exact[state]));
    return ceiling - Math.min(...this.ground(asked)) < NEAR;
  }

  reason(k) {
    const ground = this.ground([]);
    const y = leastOf(ground);
    const lowest = `${this.text(y)} costs at least ${number(ground[y])}, exactly ${number(this.exact[y])}`;
    const always = "the answer there either lifts the lowest column, or shows that the floor is exact";
    if (k === 0) return `${always}. Here ${lowest}.`;
    return `a question elsewhere may lift the lowest column, too, but need not; ${always}.`;
  }

  get now() {
    return this.ground(this.asked);
  }

  // The least exact cost found; the first row's answer counts too.
  get ceiling() {
    return Math.min(...[this.first, ...this.asked].map((state) => this.exact[state]));
  }

  // The state asked about that costs it.
  get best() {
    return [this.first, ...this.asked].find((state) => this.exact[state] === this.ceiling);
  }

  get isMet() {
    return this.meets(this.asked);
  }

  facts() {
    const [floor, { ceiling }] = [Math.min(...this.now), this];
    const loose = this.now.filter((value, state) => this.exact[state] - value > NEAR).length;
    const { after } = this;
    return {
      floor: number(floor),
      ceiling: number(ceiling),
      first: this.text(this.first),
      state: this.isMet
        ? `They meet at ${number(ceiling)}, after ${after}.`
        : `Make floor and ceiling meet with few questions; so far ${after}.`,
      par: String(this.par),
      fewest: String(this.fewest),
      loose: `now at ${loose} of 8 states`,
    };
  }

  // The questions so far, in words.
  get after() {
    const count = this.asked.length;
    return count === 1 ? "1 question" : `${count} questions`;
  }

  isKnown(state) {
    return state === this.first || this.asked.includes(state);
  }

  says() {
    const { floor, ceiling } = this.facts();
    return `Floor ${floor}, ceiling ${ceiling}, after ${this.after}.`;
  }

  ask(state) {
    if (this.isKnown(state) || this.isMet) return;
    this.page.tip.hide();
    this.before = this.now;
    this.asked.push(state);
    this.play();
  }

  marks({ width, height }) {
    const { now, before, exact } = this;
    const low = Math.min(...this.ground([])) - 2;
    const columns = this.columns({ left: 0, right: width < NARROW ? width : width - NAMES, top: 0, bottom: height }, [
      low,
      Math.max(...exact) + 1,
    ]);
    const [y, best] = [leastOf(now), this.best];
    return [
      columns.title("What each state of A costs at least"),
      ...columns.axis(),
      ...columns.bits(),
      ...now.flatMap((value, state) => {
        const lifted = mix(before[state], value, this.moved);
        const dead = value > this.ceiling - NEAR && state !== best ? " ruled-out" : "";
        return [
          { id: `least ${state}`, class: `known${dead}`, ...columns.bar(state, low, before[state]) },
          lifted > before[state] + NEAR && {
            ...{ id: `lift ${state}`, class: `lifted${dead}`, ...columns.bar(state, before[state], lifted) },
            means: { what: "lift", state, value: value - before[state] },
          },
          this.isKnown(state) && {
            ...{ id: `exact ${state}`, class: `exact${exact[state] === this.ceiling ? " best" : ""}` },
            ...{ cx: columns.x(state), cy: columns.y(exact[state]), r: 5.5 },
            means: { what: "exact", state, value: exact[state] },
          },
        ];
      }),
      ...this.level(columns, "ceiling", this.ceiling),
      ...this.level(columns, "floor", Math.min(...now), mix(Math.min(...before), Math.min(...now), this.moved)),
      ...(this.isMet ? [] : anchorMarks(columns, y, "lowest")),
      ...columns.hits({
        label: (state) => `Ask at ${this.text(state)}: at least ${number(now[state])}`,
        press: (state) => this.ask(state),
        tip: (state) => [
          `State ${this.text(state)}: at least ${number(now[state])}`,
          ...(this.isKnown(state) ? [`exactly ${number(exact[state])}`] : this.isMet ? [] : ["press to ask"]),
        ],
      }),
    ];
  }

  // `at`: where its line is on its way.
  level(columns, name, value, at = value) {
    const y = columns.y(at);
    const { left, right } = columns.box;
    const isBeside = right < this.page.sizes.of(this.svg).width;
    const apart = this.isMet && name === "ceiling" ? -12 : 5;
    const place = isBeside ? { x: right + 8, y: y + apart } : { x: right - 4, y: y - 5, "text-anchor": "end" };
    const text = `${name} ${number(value)}`;
    return [
      { id: name, class: `${name}-line`, x1: left, x2: right + 4, y1: y, y2: y, means: { what: name, value } },
      { id: `${name} name`, class: `${name}-name`, ...place, text },
    ];
  }
}
