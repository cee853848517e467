// Three ways to close a gap: merge, lend, decide.

import { number } from "../../text.js";
import { halves } from "../../friends/columns.js";
import { Lesson } from "../lesson.js";
import { groupMarks } from "../net.js";
import { Deciding } from "../deciding.js";

const RADIUS = 10; // pixels
const LENDS = 300; // milliseconds from loop to loop
const AXIS = 92; // pixels beside the scale of the bound
const OPTIONS = ["yes, to the cheapest evening", "yes, but not so far", "no"];

export class Proof extends Lesson {
  begin(world) {
    Object.assign(this, { world, optimum: world.optimum.energy });
    const { climb, merged, cycles, sizes } = world;
    this.deciding = new Deciding(world);
    this.tables = climb.sweeps.at(-1).lower;
    const two = sizes.find(({ groups }) => groups.length === 2);
    // By step: the groups, and the bound that they reach.
    this.scenes = {
      one: { groups: merged.groups, lower: merged.lower },
      two: { groups: two.groups, lower: two.lower },
      cycles: { groups: sizes[0].groups, lower: cycles.lowers.at(-1) },
      decide: { groups: climb.groups, lower: this.tables },
      certificate: { groups: two.groups, lower: two.certified },
    };
    this.guesses = { rises: { options: () => OPTIONS, judge: (k) => this.judged(k) } };
  }

  judged(k) {
    const { lower } = this.scenes.one;
    const still = Math.abs(lower - this.tables) < 1e-6;
    const right = still ? 2 : lower < this.optimum ? 1 : 0;
    const why = still
      ? `LB stays at ${number(lower)}. A and B are one now, but around C and D the groups still form a ring.`
      : `LB rises to ${number(lower)}.`;
    return { right: k === right, why };
  }

  facts() {
    return {
      merged: number(this.scenes.two.lower),
      loops: String(this.world.cycles.loops.length),
      packed: number(this.scenes.cycles.lower),
      optimum: number(this.optimum),
      tables: number(this.tables),
      certified: number(this.scenes.certificate.lower),
      ...this.deciding.facts(),
    };
  }

  says() {
    if (this.step === "decide") return this.deciding.says();
    return `${this.scene.groups.length} groups: the lower bound is ${number(this.lower)}.`;
  }

  get lasts() {
    return this.step === "cycles" ? LENDS * this.world.cycles.loops.length : super.lasts;
  }

  // Before the guess the tables are as they were.
  get scene() {
    if (this.step === "one" && !this.isGuessed("rises")) return { groups: this.world.climb.groups, lower: this.tables };
    return this.scenes[this.step];
  }

  // The bound shown: as each loop lends, and as groups have merged.
  get lower() {
    const { cycles, climb } = this.world;
    if (this.step === "cycles") return cycles.lowers[this.lending];
    if (this.moved === 1 || this.step === "certificate") return this.scene.lower;
    return this.step === "two" ? this.scenes.one.lower : climb.sweeps.at(-1).lower;
  }

  // How many loops lend by now.
  get lending() {
    return this.step === "cycles" ? Math.floor(this.moved * this.world.cycles.loops.length) : 0;
  }

  marks(size) {
    const { groups } = this.scene;
    if (this.step === "decide") {
      const [left, right] = halves(size, 0.44);
      const { deciding, world } = this;
      const net = groupMarks(world, left, { groups, radius: RADIUS, labeling: deciding.labeling });
      return [...net, ...deciding.marks(right, this.moved)];
    }
    const [left, right] = halves(size, 0.6);
    const lit = new Set(
      this.world.cycles.loops
        .slice(0, this.lending)
        .flatMap(({ wishes }) =>
          wishes.map(([i, j]) => this.world.wishes.findIndex((wish) => wish[0] === i && wish[1] === j)),
        ),
    );
    return [
      ...groupMarks(this.world, left, { groups, radius: RADIUS, labeling: this.world.optimum.labeling, lit }),
      ...this.scale(right, this.lower),
    ];
  }

  // LB on its way to the cheapest evening.
  scale({ left, top, bottom }, lower) {
    const [y0, y1] = [bottom - 20, top + 54];
    const { sizes, cycles } = this.world;
    const low = this.step === "cycles" ? Math.floor(cycles.lowers[0]) : Math.floor(sizes[0].lower);
    const y = (value) => y0 - ((value - low) / (this.optimum - low)) * (y0 - y1);
    const x = left + AXIS;
    // All energies are whole numbers.
    const closed = Math.ceil(lower - 1e-6) >= this.optimum;
    const reference = (name, value, text) => [
      { id: name, class: "grid", x1: x - 24, x2: x + 24, y1: y(value), y2: y(value) },
      { id: `${name} name`, class: "soft", x: x + 30, y: y(value) + 5, text },
    ];
    return [
      { id: "axis", class: "zero", x1: x, x2: x, y1: y0, y2: y1 },
      ...reference("singles", this.world.sizes[0].lower, `alone ${number(this.world.sizes[0].lower)}`),
      ...reference("tables", this.tables, `tables ${number(this.tables)}`),
      { id: "optimum", class: "optimum", x1: x - 30, x2: x + 30, y1: y(this.optimum), y2: y(this.optimum) },
      { id: "optimum name", class: "soft", x: x + 30, y: y(this.optimum) - 4, text: `UB ${number(this.optimum)}` },
      closed && { id: "proven", class: "proven", x: x - 30, y: y1 - 28, text: "optimal, proven" },
      { id: "lb", class: "lb-dot", cx: x, cy: y(lower), r: 8, means: { what: "lower", value: lower } },
      {
        ...{ id: "lb name", class: "lb-name", x: x - 16, y: y(lower) + 5, "text-anchor": "end" },
        text: `LB ${number(lower)}`,
      },
    ];
  }
}
