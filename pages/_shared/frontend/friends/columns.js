// States side by side, one column each, with the bits of each state below.

import { linear } from "../scales.js";
import { levelMarks } from "../marks/levels.js";
import { bit } from "./exact.js";

const BIT = 15; // pixels that a row of bits takes
const LEFT = { usual: 38, narrow: 32 }; // pixels for the numbers of the axis, and names
const HEAD = 34; // pixels above the columns: a title, and marks at some of them
const AIR = 0.14; // share of a column's width between columns
export const NARROW = 520; // pixels: narrower pictures are those of phones
const APART = 40; // pixels between two levels

// The places in a box of columns over some states of friends, whose costs lie in a range.
export class Columns {
  constructor({ left, right, top, bottom }, states, names, range) {
    const foot = bottom - BIT * names.length - 8;
    Object.assign(this, {
      states,
      names,
      range,
      box: { left: left + LEFT[right - left < NARROW ? "narrow" : "usual"], right, top: top + HEAD, bottom: foot },
    });
    this.step = (this.box.right - this.box.left) / states.length;
  }

  x(place) {
    return this.box.left + this.step * (place + 0.5);
  }

  y(value) {
    const [low, high] = this.range;
    return this.box.bottom - ((value - low) / (high - low || 1)) * (this.box.bottom - this.box.top);
  }

  // A bar between two values.
  bar(place, from, to) {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    const width = this.step * (1 - AIR);
    return { x: this.x(place) - width / 2, width, y: this.y(high), height: Math.max(this.y(low) - this.y(high), 0) };
  }

  title(text) {
    return { id: "title", class: "title", x: this.box.left, y: this.box.top - HEAD + 10, text };
  }

  // The axis, and a line at 0 if that is in the range.
  axis() {
    const { box, range } = this;
    const count = Math.max(2, (box.bottom - box.top) / APART);
    // The lowest would be beside the names of the bits.
    const ticks = linear.ticks(...range, count).filter(([value]) => this.y(value) < box.bottom - BIT / 2);
    const y = this.y(0);
    const zero = range[0] < 0 && range[1] > 0;
    return [
      ...levelMarks(ticks, box, (value) => this.y(value)),
      zero && { id: "zero", class: "zero", x1: box.left, x2: box.right, y1: y, y2: y },
    ];
  }

  // Filled: goes. The names of the friends stand where the numbers of the axis do.
  bits() {
    const { box, states, names } = this;
    const r = Math.min(5, this.step * 0.3);
    return names.flatMap((name, k) => {
      const cy = box.bottom + 12 + BIT * k;
      return [
        { id: `member ${k}`, class: "soft member", x: box.left - 6, y: cy + 5, "text-anchor": "end", text: name },
        ...states.map((state, place) => ({
          ...{ id: `bit ${state}-${k}`, class: `state-bit${bit(state, k) ? " one" : ""}` },
          ...{ cx: this.x(place), cy, r },
        })),
      ];
    });
  }

  // What is pressed, and pointed at: a whole column.
  hits({ label, press, tip, chosen = null }) {
    const { box, states, names } = this;
    const [y, height] = [box.top - HEAD / 2, box.bottom + 8 + BIT * names.length - box.top + HEAD / 2];
    const area = { y, height, width: this.step };
    const pressable = (state) =>
      press && { tabindex: 0, role: "button", "aria-label": label(state), press: () => press(state) };
    return states.map((state, place) => ({
      ...{ id: `hit ${state}`, class: `hit${state === chosen ? " chosen" : ""}`, x: this.x(place) - this.step / 2 },
      ...area,
      ...pressable(state),
      tip: tip && (() => tip(state)),
    }));
  }
}

// The state that was asked about.
export const anchorMarks = (columns, state, text = "y*") => {
  const [x, y] = [columns.x(state), columns.box.top - 12];
  const after = state < columns.states.length - 1;
  const side = after ? { x: x + 9, "text-anchor": "start" } : { x: x - 9, "text-anchor": "end" };
  return [
    { id: "anchor", class: "anchor", d: `M${x - 6} ${y}h12l-6 10z` },
    { id: "anchor name", class: "anchor-name", ...side, y: y + 9, text },
  ];
};

const LOWER = 0.47; // share of the height for the first of two parts that are above each other

// A picture in two parts: side by side where it is wide enough, else one above the other.
export const halves = ({ width, height }, share = 0.42) => {
  const whole = { left: 0, right: width, top: 0, bottom: height };
  if (width >= NARROW) {
    const middle = Math.round(width * share);
    return [
      { ...whole, right: middle },
      { ...whole, left: middle + 12 },
    ];
  }
  const middle = Math.round(height * LOWER);
  return [
    { ...whole, bottom: middle },
    { ...whole, top: middle + 8 },
  ];
};
