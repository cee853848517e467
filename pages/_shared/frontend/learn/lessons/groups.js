// Groups of friends: what they know, and what they cost.

import { number } from "../../text.js";
import { logarithmic } from "../../scales.js";
import { levelMarks } from "../../marks/levels.js";
import { path } from "../../marks/line.js";
import { halves } from "../../friends/columns.js";
import { Lesson } from "../lesson.js";
import { groupMarks } from "../net.js";

const RADIUS = 11; // pixels, of a friend
const AXIS = 46; // pixels for the numbers beside a chart
const FACTORS = [2, 8, 64];
const [FIRST, SECOND] = [3, 6]; // the groups that are compared: one table, and two

export class Groups extends Lesson {
  begin(world) {
    Object.assign(this, { world, sizes: world.sizes });
    this.drags = {
      size: {
        ...{ value: 0, low: 0, high: this.sizes.length - 1, step: 1, label: "M, the largest group" },
        words: (k) => String(this.sizes[k].size),
      },
      timed: { value: 12, low: 2, high: 16, step: 1, label: "M, candidates of a body part" },
    };
    this.guesses = {
      pairs: {
        options: () => FACTORS.map(String),
        judge: (k) => {
          const [before, after] = [FIRST, SECOND].map((size) => 2 ** (2 * size));
          const many = `${before} pairs become ${after.toLocaleString("en")}`;
          const why = `${many}: each further friend doubles the states of a group, and so both sides of a pair.`;
          return { right: FACTORS[k] === after / before, why };
        },
      },
    };
  }

  get now() {
    return this.step === "twelve" ? this.sizes[0] : this.sizes[this.get("size")];
  }

  // Seconds of a sweep, as measured on this machine.
  timeOf(kind) {
    const { seconds } = this.page.data;
    return seconds ? seconds[kind][this.get("timed") - this.drags.timed.low].words : "a time not known yet";
  }

  facts() {
    return {
      single: number(this.sizes[0].lower),
      upper: number(this.world.optimum.energy),
      lower: number(this.sizes[this.get("size")].lower),
      exact: this.timeOf("exact"),
      rows: this.timeOf("rows"),
    };
  }

  says() {
    const { size, lower, groups } = this.now;
    const count = groups.length === 1 ? "1 group" : `${groups.length} groups`;
    return `Twelve friends in ${count} of at most ${size}: the lower bound is ${number(lower)}.`;
  }

  marks(size) {
    const [left, right] = halves(size, 0.5);
    const { groups } = this.now;
    return [
      ...groupMarks(this.world, left, { groups, radius: RADIUS, labeling: this.world.optimum.labeling }),
      ...(this.step === "price" ? this.times(right) : this.bounds(right)),
    ];
  }

  // The bound of every size, up to the one shown.
  bounds({ left, right, top, bottom }) {
    const { sizes, now } = this;
    const optimum = this.world.optimum.energy;
    const [y0, y1] = [bottom - AXIS, top + 24];
    const y = (value) => y0 - (value / (optimum + 1)) * (y0 - y1);
    const x = (k) => left + AXIS + ((k + 0.5) * (right - left - AXIS)) / sizes.length;
    const shown = sizes.slice(0, sizes.indexOf(now) + 1);
    const half = ((right - left - AXIS) / sizes.length) * 0.32;
    return [
      { id: "title", class: "title", x: left + AXIS - 30, y: top + 8, text: "LB, by the largest group M" },
      { id: "zero", class: "zero", x1: left + AXIS, x2: right, y1: y(0), y2: y(0) },
      { id: "optimum", class: "optimum", x1: left + AXIS, x2: right, y1: y(optimum), y2: y(optimum) },
      { id: "optimum name", class: "soft", x: left + AXIS, y: y(optimum) - 6, text: `cheapest ${number(optimum)}` },
      ...sizes.map(({ size }, k) => ({
        ...{ id: `M ${size}`, class: "soft", x: x(k), y: y0 + 18, "text-anchor": "middle", text: `M ${size}` },
      })),
      ...sizes.map(({ size }, k) => ({
        ...{ id: `states ${size}`, class: "soft", x: x(k), y: y0 + 36, "text-anchor": "middle" },
        text: (2 ** size).toLocaleString("en"),
      })),
      { id: "states", class: "soft", x: left + AXIS - 6, y: y0 + 36, "text-anchor": "end", text: "states" },
      ...shown.flatMap(({ size, lower }, k) => [
        {
          ...{ id: `lb ${size}`, class: `lb-bar${size === now.size ? " now" : ""}`, x: x(k) - half, width: 2 * half },
          ...{ y: y(lower), height: y(0) - y(lower), means: { what: "lower", size, value: lower } },
        },
        {
          ...{
            id: `lb text ${size}`,
            class: size === now.size ? "on-bar" : "lb-name",
            x: x(k),
            y: y(lower) + 18,
            "text-anchor": "middle",
          },
          text: number(lower),
        },
      ]),
    ];
  }

  // Seconds of a sweep over a pose, by M: enumerated, and with rows.
  times({ left, right, top, bottom }) {
    const { seconds } = this.page.data;
    const title = { id: "title", class: "title", x: left + AXIS - 30, y: top + 8, text: "Seconds of a sweep, by M" };
    if (!seconds) {
      const text = this.page.data.failed ? "It could not be measured here." : "Measured once the solver is compiled.";
      return [title, { id: "note", class: "soft", x: left + AXIS, y: (top + bottom) / 2, text }];
    }
    const { low, high } = this.drags.timed;
    const every = [...seconds.exact, ...seconds.rows].map((time) => Math.log10(time.seconds));
    const [y0, y1] = [bottom - AXIS, top + 24];
    const [least, most] = [Math.min(...every), Math.max(...every)];
    const y = (value) => y0 - ((value - least) / (most - least || 1)) * (y0 - y1);
    const x = (size) => left + AXIS + 8 + ((size - low) / (high - low)) * (right - left - AXIS - 60);
    const line = (kind) => seconds[kind].map((time, k) => [x(low + k), y(Math.log10(time.seconds))]);
    const end = (kind) => line(kind).at(-1);
    const at = this.get("timed");
    return [
      title,
      ...levelMarks(logarithmic.ticks(least, most, 6), { left: left + AXIS, right: right - 40 }, y),
      ...[low, 4, 8, 12, high].map((size) => ({
        ...{ id: `M ${size}`, class: "soft", x: x(size), y: y0 + 20, "text-anchor": "middle", text: String(size) },
      })),
      { id: "at", class: "zero", x1: x(at), x2: x(at), y1: y0, y2: y1 },
      { id: "exact", class: "time exact-time", d: path(line("exact")) },
      { id: "rows", class: "time rows-time", d: path(line("rows")) },
      { id: "exact name", class: "soft", x: end("exact")[0] + 6, y: end("exact")[1] + 5, text: "all" },
      { id: "rows name", class: "soft", x: end("rows")[0] + 6, y: end("rows")[1] + 5, text: "rows" },
      ...["exact", "rows"].map((kind) => ({
        ...{ id: `${kind} at`, class: "nu", cx: line(kind)[at - low][0], cy: line(kind)[at - low][1], r: 5 },
        means: { what: kind, size: at, value: seconds[kind][at - low].seconds },
      })),
    ];
  }
}
