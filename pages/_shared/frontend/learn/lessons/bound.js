// The bound climbs, sweep by sweep; tension shows where the gap is.

import { levelMarks } from "../../marks/levels.js";
import { path } from "../../marks/line.js";
import { tension } from "../../palette.js";
import { linear } from "../../scales.js";
import { number } from "../../text.js";
import { halves } from "../../friends/columns.js";
import { Lesson } from "../lesson.js";
import { groupMarks, placesOf } from "../net.js";

const [RADIUS, AXIS, FOOT] = [10, 46, 44]; // pixels
const inSweeps = (count) => (count === 1 ? "1 sweep" : `${count} sweeps`);
const CLOSED = 1e-6; // less is nothing
const TALL = 34; // pixels from bar to bar, at most

export class Bound extends Lesson {
  begin(world) {
    const { climb } = world;
    Object.assign(this, { world, climb, last: climb.sweeps.length - 1 });
    this.drags = { sweep: { value: 3, low: 1, high: this.last, step: 1, label: "The sweep shown", words: inSweeps } };
    this.names = climb.edges.map((ends) => ends.map((group) => climb.labels[group]).join("–"));
    this.guesses = {
      loosest: {
        options: () => this.names,
        judge: (k) => ({ right: k === this.loosest, why: this.reason(k) }),
      },
    };
  }

  get loosest() {
    const { edges } = this.climb.sweeps[this.last];
    return edges.indexOf(Math.max(...edges));
  }

  reason(k) {
    const { edges, lower } = this.climb.sweeps[this.last];
    const gap = this.world.optimum.energy - lower;
    const part = (edge) => (edges[edge] < CLOSED ? 0 : edges[edge]);
    const of = (edge) => `${this.names[edge]} holds ${number(part(edge))} of ${number(gap)}`;
    return k === this.loosest ? `${of(k)}.` : `${of(k)}, but ${of(this.loosest)}.`;
  }

  get shown() {
    return this.step === "climb" ? this.get("sweep") : this.last;
  }

  facts() {
    const { lower, upper } = this.climb.sweeps[this.get("sweep")];
    return {
      lower: number(lower),
      upper: number(upper),
      gap: number(upper - lower, 4),
      end: number(this.climb.sweeps[this.last].lower),
    };
  }

  says() {
    const { lower, upper } = this.climb.sweeps[this.shown];
    return `After sweep ${this.shown} the lower bound is ${number(lower)}, the upper bound ${number(upper)}.`;
  }

  marks(size) {
    const [left, right] = halves(size, 0.46);
    const shows = this.reached("tension") && this.isGuessed("loosest");
    return [
      ...this.edges(left, shows),
      ...groupMarks(this.world, left, {
        groups: this.climb.groups,
        radius: RADIUS,
        labeling: this.world.optimum.labeling,
        short: true, // whole names would lie on the edges
      }).filter(({ class: kind }) => !kind.includes("between")),
      ...this.tables(left),
      ...(shows ? this.parts(right) : this.curves(right)),
    ];
  }

  // Between tables: coloured by tension at the sweep shown.
  edges(box, shows) {
    const centres = this.centres(box);
    const parts = this.climb.sweeps[this.shown].edges;
    const most = Math.max(...parts, CLOSED);
    return this.climb.edges.map(([p, q], k) => {
      const [[x1, y1], [x2, y2]] = [centres[p], centres[q]];
      const share = Math.max(parts[k], 0) / most;
      return {
        ...{ id: `edge ${k}`, class: `hyper-edge${shows ? "" : " plain"}`, x1, y1, x2, y2 },
        stroke: shows ? tension(share, this.page.dark) : null,
        "stroke-width": shows ? 4 + 12 * share : 5,
        means: { what: "tension", edge: k, value: parts[k] },
      };
    });
  }

  // In the middle of their friends.
  centres(box) {
    const where = placesOf(this.world, box);
    return this.climb.groups.map((group) =>
      [0, 1].map((side) => group.reduce((sum, friend) => sum + where[friend][side], 0) / group.length),
    );
  }

  tables(box) {
    return this.centres(box).map(([x, y], group) => ({
      ...{ id: `table ${group}`, class: "table", x, y: y + 6, "text-anchor": "middle" },
      text: this.climb.labels[group],
    }));
  }

  // LB and UB up to the sweep shown.
  curves({ left, right, top, bottom }) {
    const { sweeps } = this.climb;
    const [x0, x1, y0, y1] = [left + AXIS, right - 8, bottom - FOOT, top + 26];
    // The first bound is far below all others.
    const [low, high] = [sweeps[1].lower - 1, Math.max(...sweeps.slice(1).map(({ upper }) => upper)) + 1];
    const x = (sweep) => x0 + (Math.log(sweep) / Math.log(this.last)) * (x1 - x0);
    const y = (value) => y0 - ((value - low) / (high - low)) * (y0 - y1);
    const until = sweeps.slice(1, this.shown + 1);
    const line = (side, values) => path(values.map((each, k) => [x(k + 1), y(each[side])]));
    const now = sweeps[this.shown];
    return [
      { id: "title", class: "title", x: x0, y: top + 8, text: "Bounds, sweep by sweep" },
      ...levelMarks(linear.ticks(low, high, 6), { left: x0, right: x1 }, y),
      ...[1, 2, 5, 10, 20, 50].map((sweep) => ({
        ...{ id: `sweep ${sweep}`, class: "soft", x: x(sweep), y: y0 + 20, "text-anchor": "middle" },
        text: String(sweep),
      })),
      { id: "x name", class: "soft", x: (x0 + x1) / 2, y: y0 + 38, "text-anchor": "middle", text: "sweeps" },
      { id: "lower all", class: "faint", d: line("lower", sweeps.slice(1)) },
      { id: "upper", class: "ub-line", d: line("upper", until) },
      { id: "lower", class: "lb-line", d: line("lower", until) },
      { id: "gap", class: "gap-line", x1: x(this.shown), x2: x(this.shown), y1: y(now.lower), y2: y(now.upper) },
      {
        id: "lb",
        class: "lb-dot",
        cx: x(this.shown),
        cy: y(now.lower),
        r: 6,
        means: { what: "lower", value: now.lower },
      },
      {
        id: "ub",
        class: "ub-dot",
        cx: x(this.shown),
        cy: y(now.upper),
        r: 6,
        means: { what: "upper", value: now.upper },
      },
    ];
  }

  // The tensions, largest first; they add up to the gap.
  parts({ left, right, top, bottom }) {
    const { edges, groups, lower } = this.climb.sweeps[this.shown];
    const every = [
      ...edges.map((value, k) => [this.names[k], value]),
      ...groups.map((value, k) => [`inside ${this.climb.labels[k]}`, value]),
    ].sort((a, b) => b[1] - a[1]);
    const most = every[0][1];
    const [x0, wide] = [left + 92, right - left - 150];
    const tall = Math.min(TALL, (bottom - top - 24) / every.length);
    const gap = this.world.optimum.energy - lower;
    return [
      { id: "title", class: "title", x: left + 8, y: top + 8, text: `Gap ${number(gap)} = the sum of` },
      ...every.flatMap(([name, value], k) => {
        const y = top + 22 + tall * k;
        const share = Math.max(value, 0) / most;
        return [
          { id: `name ${name}`, class: "soft", x: x0 - 8, y: y + tall * 0.32 + 5, "text-anchor": "end", text: name },
          {
            ...{
              id: `part ${name}`,
              class: "part-bar",
              x: x0,
              y,
              height: tall * 0.65,
              width: Math.max(share * wide, 1),
            },
            ...{ fill: tension(share, this.page.dark), means: { what: "part", name, value } },
          },
          {
            id: `value ${name}`,
            class: "soft",
            x: x0 + share * wide + 6,
            y: y + tall * 0.32 + 5,
            text: number(Math.abs(value) < CLOSED ? 0 : value),
          },
        ];
      }),
    ];
  }
}
